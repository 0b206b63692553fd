package jsonedit

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

const editGroup = "Edit"

// Commands lists every row of the editor, the most wanted first. Where a key depends on
// the row under the cursor there is a row of the table for each.
func (e *Editor) Commands() []views.Command { return e.commands }

// newCommands makes the table, once: it is looked through at every key and every frame.
func (e *Editor) newCommands() []views.Command {
	do := func(f func()) func(string) tea.Cmd { return func(string) tea.Cmd { f(); return nil } }
	edit := views.Command{ID: "jsonedit.edit", Binding: views.Key("edit", "e", "enter"), Name: "edit the value", Group: editGroup, Run: do(e.edit),
		Help: "Edit the value under the cursor in its line: a switch turns, a comma list is checked on and off, what holds others is edited as text."}
	named := func() bool {
		n, _ := e.tree.node()
		_, named := keyOf(n)
		return named
	}
	extended := func() bool {
		n, _ := e.tree.node()
		_, in := extensionAt(n)
		return in
	}
	all := append(e.tree.either(edit, edit.On(edit.Hint(), "e")), []views.Command{
		{ID: "jsonedit.text", Binding: views.Key("as text", "i"), Name: "edit as text", Group: editGroup, Run: do(e.editText),
			Help: "Edit the value under the cursor, with all it holds, as text; ctrl+s takes it over."},
		{ID: "jsonedit.add", Binding: views.Key("add", "a"), Name: "add", Group: editGroup, Run: do(e.startAdding),
			Help: "Add a key or an element, inside what the cursor opens or behind the value under it."},
		{ID: "jsonedit.delete", Binding: views.Key("delete", "d"), Name: "delete", Group: editGroup, Run: do(e.remove),
			Help: "Delete the value under the cursor with its key."},
		{ID: "jsonedit.switch", Binding: views.Key("on or off", " "), Name: "switch the extension", Group: editGroup, Enabled: extended, Run: do(e.switchExtension),
			Help: "Switch the extension around the cursor on or off."},
		{ID: "jsonedit.undo", Binding: views.Key("undo", "u"), Name: "undo", Group: editGroup, Enabled: e.history.Undoable, Run: do(e.undo),
			Help: "Take the last change back."},
		{ID: "jsonedit.redo", Binding: views.Key("", "ctrl+r"), Name: "redo", Group: editGroup, Enabled: e.history.Redoable, Run: do(e.redo),
			Help: "Make the change again that was taken back."},
		{ID: "jsonedit.rename", Binding: views.Key("", "R"), Name: "rename the key", Group: editGroup, Enabled: named, Run: do(e.startRenaming),
			Help: "Give the key under the cursor another name."},
		{ID: "jsonedit.move-up", Binding: views.Key("", "K", "alt+up"), Name: "move up", Group: editGroup, Run: do(func() { e.move(-1) }),
			Help: "Move the value before the sibling above it."},
		{ID: "jsonedit.move-down", Binding: views.Key("", "J", "alt+down"), Name: "move down", Group: editGroup, Run: do(func() { e.move(1) }),
			Help: "Move the value behind the sibling below it."},
		{ID: "jsonedit.copy", Binding: views.Key("", "y"), Name: "copy the value", Group: editGroup, Run: views.Do(e.copyValue),
			Help: "Copy the value under the cursor."},
		{ID: "jsonedit.copy-path", Binding: views.Key("", "Y"), Name: "copy the path", Group: editGroup, Run: views.Do(e.copyPath),
			Help: "Copy the path of the value under the cursor."},
	}...)
	take := views.Command{ID: "jsonedit.take", Binding: views.Key("", "ctrl+s"), Name: "take over what is typed", Group: editGroup,
		Enabled: func() bool { return e.typing.mode != nil }, Run: views.Do(e.take),
		Help: "While a text is edited: take it over. A field of one line takes enter."}
	idle := func() bool { return !e.CapturesText() }
	return slices.Concat(views.When(idle, e.fresh(all)), []views.Command{take},
		views.When(idle, e.fresh(e.tree.rows(func(note string) { e.note = note }, e.goToPath))))
}

// fresh returns the rows with what surrounds each of them: the last note is cleared first,
// and what they begin is returned. While something is typed, or the editor is busy, they do
// nothing.
func (e *Editor) fresh(list []views.Command) []views.Command {
	for i, row := range list {
		list[i].Run = func(argument string) tea.Cmd {
			if e.typing.mode != nil || e.busy {
				return nil
			}
			e.note = ""
			return tea.Batch(row.Run(argument), e.follow())
		}
	}
	return list
}

// take takes over what is typed.
func (e *Editor) take() tea.Cmd {
	if e.typing.mode == nil || e.busy {
		return nil
	}
	e.tree.strokes++
	if e.typing.take() == ended {
		e.begin(nil)
	}
	return e.follow()
}
