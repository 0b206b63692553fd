package jsonedit

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

const (
	editGroup = "Edit"
	seekGroup = "Go to"
)

var (
	cmdEdit = views.Command{ID: "jsonedit.edit", Binding: views.Key("edit", "e", "enter"), Name: "edit the value", Group: editGroup,
		Help: "Edit the value under the cursor in its line: a switch turns, a comma list is checked on and off, what holds others is edited as text."}
	cmdText = views.Command{ID: "jsonedit.text", Binding: views.Key("as text", "i"), Name: "edit as text", Group: editGroup,
		Help: "Edit the value under the cursor, with all it holds, as text; ctrl+s takes it over."}
	cmdAdd = views.Command{ID: "jsonedit.add", Binding: views.Key("add", "a"), Name: "add", Group: editGroup,
		Help: "Add a key or an element, inside what the cursor opens or behind the value under it."}
	cmdDelete = views.Command{ID: "jsonedit.delete", Binding: views.Key("delete", "d"), Name: "delete", Group: editGroup,
		Help: "Delete the value under the cursor with its key."}
	cmdRename = views.Command{ID: "jsonedit.rename", Binding: views.Key("", "R"), Name: "rename the key", Group: editGroup,
		Help: "Give the key under the cursor another name."}
	cmdUp = views.Command{ID: "jsonedit.move-up", Binding: views.Key("", "K", "alt+up"), Name: "move up", Group: editGroup,
		Help: "Move the value before the sibling above it."}
	cmdDown = views.Command{ID: "jsonedit.move-down", Binding: views.Key("", "J", "alt+down"), Name: "move down", Group: editGroup,
		Help: "Move the value behind the sibling below it."}
	cmdSwitch = views.Command{ID: "jsonedit.switch", Binding: views.Key("on or off", " "), Name: "switch the extension", Group: editGroup,
		Help: "Switch the extension around the cursor on or off."}
	cmdUndo = views.Command{ID: "jsonedit.undo", Binding: views.Key("undo", "u"), Name: "undo", Group: editGroup,
		Help: "Take the last change back."}
	cmdRedo = views.Command{ID: "jsonedit.redo", Binding: views.Key("", "ctrl+r"), Name: "redo", Group: editGroup,
		Help: "Make the change again that was taken back."}
	cmdCopy = views.Command{ID: "jsonedit.copy", Binding: views.Key("", "y"), Name: "copy the value", Group: editGroup,
		Help: "Copy the value under the cursor."}
	cmdCopyPath = views.Command{ID: "jsonedit.copy-path", Binding: views.Key("", "Y"), Name: "copy the path", Group: editGroup,
		Help: "Copy the path of the value under the cursor."}
	cmdGo = views.Command{ID: "jsonedit.go", Name: "go to path", Argument: "path", Group: seekGroup,
		Help: "Go to a value by its path, such as extensions[WMSServer].enabled."}
	cmdTake = views.Command{ID: "jsonedit.take", Binding: views.Key("", "ctrl+s"), Name: "take over what is typed", Group: editGroup,
		Help: "While a text is edited: take it over. A field of one line takes enter."}

	toGroup = pair("group", "]", "[", "Go to where the next group of fields begins.", "Go to where the previous group of fields begins.")
	toWrong = pair("finding", "f", "F", "Go to the next line that breaks a rule.", "Go to the previous line that breaks a rule.")
	toNew   = pair("change", "c", "C", "Go to the next line that differs from the base.", "Go to the previous line that differs from the base.")
)

// pair makes the commands that go to the next and to the previous one.
func pair(what, next, previous, helpNext, helpPrevious string) []views.Command {
	return []views.Command{
		{ID: "jsonedit.next-" + what, Binding: views.Key("", next), Name: "next " + what, Group: seekGroup, Help: helpNext},
		{ID: "jsonedit.previous-" + what, Binding: views.Key("", previous), Name: "previous " + what, Group: seekGroup, Help: helpPrevious},
	}
}

// Table lists everything that can be done here, for help and README; Commands what
// can be done right now.
func Table() []views.Command {
	return slices.Concat([]views.Command{
		cmdEdit, cmdText, cmdAdd, cmdDelete, cmdSwitch, cmdUndo, cmdRedo, cmdRename, cmdUp, cmdDown, cmdCopy, cmdCopyPath, cmdTake,
	}, seeks(), rows.Moves(), rows.Filters(), rows.Searches(), folds("z"))
}

func seeks() []views.Command {
	return slices.Concat(toGroup, toWrong, toNew, []views.Command{cmdGo})
}

// folds are the commands of a tree; space has another meaning here.
func folds(keys ...string) []views.Command {
	all := rows.Folds()
	for i := range all {
		if all[i].ID == rows.Toggle {
			all[i] = all[i].On(all[i].Hint(), keys...)
		}
	}
	return all
}

// Commands lists what can be done right now, the most wanted first.
func (e *Editor) Commands() []views.Command {
	if e.CapturesText() {
		return nil
	}
	edit, fold := cmdEdit, folds("z")
	n, ok := e.node()
	if ok && n.Len() > 0 { // enter opens and folds what holds others
		edit, fold = edit.On(edit.Hint(), "e"), folds("z", "enter")
	}
	all := []views.Command{edit, cmdText, cmdAdd, cmdDelete}
	if _, in := extensionAt(n); in {
		all = append(all, cmdSwitch)
	}
	if e.history.done > 0 {
		all = append(all, cmdUndo)
	}
	if e.history.done < len(e.history.steps) {
		all = append(all, cmdRedo)
	}
	if _, named := keyOf(n); named {
		all = append(all, cmdRename)
	}
	all = append(all, cmdUp, cmdDown, cmdCopy, cmdCopyPath)
	return slices.Concat(all, seeks(), rows.Moves(), rows.Filters(), rows.Searches(), fold)
}

// keyOf is the key of a value that may be none.
func keyOf(n document.Node) (string, bool) {
	if !n.Valid() {
		return "", false
	}
	return n.Key()
}

// Do runs a command by its id and tells whether it is one of the editor's.
func (e *Editor) Do(id, argument string) (cmd tea.Cmd, known bool) {
	if e.mode != nil {
		known = e.doTyping(id)
		return e.check(), known
	}
	before := e.note
	e.note = ""
	if cmd, known = e.doCopy(id); known {
		return cmd, true
	}
	if e.doEdit(id) || e.doSeek(id, argument) || e.doList(id, argument) {
		return e.check(), true
	}
	e.note = before
	return nil, false
}

// doTyping lets only the end of typing be a command; the rest waits for it.
func (e *Editor) doTyping(id string) bool {
	if id == cmdTake.ID {
		e.strokes++
		e.leaving = false
		e.mode.take(e)
		return true
	}
	return slices.ContainsFunc(Table(), func(c views.Command) bool { return c.ID == id })
}

func (e *Editor) doCopy(id string) (tea.Cmd, bool) {
	switch id {
	case cmdCopy.ID:
		return e.copyValue(), true
	case cmdCopyPath.ID:
		return e.copyPath(), true
	}
	return nil, false
}

func (e *Editor) doEdit(id string) bool {
	switch id {
	case cmdEdit.ID:
		e.edit()
	case cmdText.ID:
		e.editText()
	case cmdAdd.ID:
		e.startAdding()
	case cmdDelete.ID:
		e.remove()
	case cmdRename.ID:
		e.startRenaming()
	case cmdUp.ID:
		e.move(-1)
	case cmdDown.ID:
		e.move(1)
	case cmdSwitch.ID:
		e.switchExtension()
	case cmdUndo.ID:
		e.undo()
	case cmdRedo.ID:
		e.redo()
	case cmdTake.ID:
	default:
		return false
	}
	return true
}

func (e *Editor) doSeek(id, argument string) bool {
	switch id {
	case toGroup[0].ID:
		e.jumpGroup(1)
	case toGroup[1].ID:
		e.jumpGroup(-1)
	case toWrong[0].ID:
		e.jumpFinding(1)
	case toWrong[1].ID:
		e.jumpFinding(-1)
	case toNew[0].ID:
		e.jumpChange(1)
	case toNew[1].ID:
		e.jumpChange(-1)
	case cmdGo.ID:
		e.goToText(argument)
	default:
		return false
	}
	return true
}

// goToText goes to a path as it was typed.
func (e *Editor) goToText(text string) {
	path, err := document.ParsePath(text)
	switch {
	case err != nil:
		e.note = reason(err)
	case !e.Go(path):
		e.note = path.String() + " is not there."
	}
}

// doList runs a command of the list; a filter or a search may come with its text.
func (e *Editor) doList(id, argument string) bool {
	switch {
	case id == rows.Search && argument != "":
		e.list.SetFilter(argument)
	case id == rows.Find && argument != "":
		e.list.SetSearch(argument)
	case id == rows.Mark || id == rows.Range:
		return false // for lists in which several rows are chosen
	default:
		return e.list.Do(id)
	}
	return true
}
