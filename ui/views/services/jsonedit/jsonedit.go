// Package jsonedit is the widget that a JSON document is edited with: a folding,
// coloured, searchable tree of its lines, in which values are edited in place, keys
// are added, deleted, renamed and moved, and every step can be undone. It never
// changes a byte that nobody asked to change: that is package document's work.
//
// It does no I/O. Start at [Editor], which holds the tree of lines (tree.go), what is
// typed (typing.go) and the steps that can be undone (history.go); what its commands do
// with a value is in edit.go.
package jsonedit

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/services/edits"
)

// Editor is the widget.
type Editor struct {
	inks     inks
	tree     *tree
	checks   checks
	history  edits.History[step]
	typing   typing
	revision int
	note     string // what the last key did, clean
	commands []views.Command

	width, height int
	below         int // rows between the tree and the status, of a panel that is typed into
}

// New returns an editor of an empty object.
func New(t *theme.Theme) *Editor {
	e := &Editor{inks: newInks(t)}
	e.tree = newTree(t, &e.inks)
	empty, err := document.Parse([]byte("{}"))
	if err != nil {
		panic(err) // it is written above
	}
	e.Set(empty, empty)
	e.commands = e.newCommands()
	return e
}

// Set opens a document. base is what it is compared with: changed lines are marked,
// and it is checked against that. Steps before it cannot be undone any more.
func (e *Editor) Set(d, base *document.Document) { e.Prepare(d, base)() }

// Prepare does the part of Set that grows with the document, and returns what does the
// rest. It touches nothing of the editor: it may run outside the update loop.
func (e *Editor) Prepare(d, base *document.Document) (open func()) {
	shown, found := newLines(e.tree, d, base), check(d, base)
	shown.place(found.found)
	return func() {
		e.history, e.typing, e.checks, e.note = edits.History[step]{}, typing{}, checks{last: found}, ""
		e.tree.open(shown, base)
		e.arrange()
		e.revision++
	}
}

// Replace puts another document in place of the present one, as one step that can be
// undone: what an external editor or a merge has made. What is being typed is discarded,
// see [Editor.Unsaved].
func (e *Editor) Replace(d *document.Document) {
	if e.change(d, nil) {
		e.checks.run(d, e.Base())
		e.place()
	}
}

// Document returns the document as it is edited by now.
func (e *Editor) Document() *document.Document { return e.tree.lines.doc }

// Base returns what it is compared with.
func (e *Editor) Base() *document.Document { return e.tree.base }

// Revision counts up with every change of the document, undo and redo included:
// whoever keeps drafts compares it.
func (e *Editor) Revision() int { return e.revision }

// Path returns the path of the value under the cursor.
func (e *Editor) Path() document.Path { return e.tree.path() }

// Go puts the cursor on a value, opening what hides it, and reports whether it is there.
func (e *Editor) Go(path document.Path) bool { return e.tree.goToPath(path) }

// Say shows a sentence at the line of a path until the next change, such as why an
// external editor's text was not taken.
func (e *Editor) Say(path document.Path, text string) {
	e.checks.remark = &document.Finding{Path: path, Text: text, Blocking: true}
	e.place()
}

// CapturesText reports whether typed keys are text at present: a value that is edited,
// a filter.
func (e *Editor) CapturesText() bool { return e.typing.mode != nil || e.tree.list.Typing() }

// Unsaved reports whether something is being typed that is not in the document yet: a
// view that is left asks first.
func (e *Editor) Unsaved() bool { return e.typing.mode != nil && e.typing.mode.changed() }

// GuardsPaste reports whether a question is asked, or letters turn switches: a burst of keys
// may then be a paste of a terminal that marks none, and comes best as one message.
func (e *Editor) GuardsPaste() bool {
	m, ok := e.typing.mode.(*words)
	return e.typing.leaving || ok && m.adding == nil
}

// Update takes keys while CapturesText, and messages of the widget that edits.
func (e *Editor) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case checked:
		if msg.doc == e.Document() {
			e.checks.last = msg
			e.place()
		}
	case tea.KeyMsg:
		if e.typing.mode == nil {
			e.tree.list.Type(msg)
		} else {
			e.typed(msg)
		}
		return e.check()
	}
	return nil
}

// typed gives a key to what is typed into.
func (e *Editor) typed(key tea.KeyMsg) {
	e.tree.strokes++
	switch e.typing.key(key) {
	case ended:
		e.begin(nil)
	case discarded:
		e.begin(nil)
		e.note = "What was typed is dropped; the document is as it was."
	}
	e.arrange() // a panel may have grown
}

// begin gives the keys to a mode, or with nil back to the commands.
func (e *Editor) begin(m mode) {
	e.typing, e.note = typing{mode: m}, ""
	e.tree.typeInto(m)
	e.arrange()
}

const (
	minStatus  = 8  // rows from which on there is a status
	fullHeight = 26 // rows from which on it has a line more
)

// statusHeight is the rows below the tree: a rule, the path, and what is to be said.
func (e *Editor) statusHeight() int {
	switch {
	case e.height < minStatus:
		return min(1, e.height)
	case e.height < fullHeight:
		return 3
	}
	return 4
}

// SetSize gives the editor its cells.
func (e *Editor) SetSize(width, height int) {
	e.width, e.height = max(0, width), max(0, height)
	e.arrange()
}

// arrange divides the rows between the tree and what is typed.
func (e *Editor) arrange() {
	free := e.height - e.statusHeight()
	e.below = 0
	if p, ok := e.typing.mode.(panel); ok {
		e.below = p.rows(free)
	}
	e.tree.list.SetSize(e.width, max(0, free-e.below))
}

// View draws exactly the size that SetSize gave.
func (e *Editor) View() string {
	if e.width <= 0 || e.height <= 0 {
		return ""
	}
	block := func(lines []string, height int) string {
		return views.Block(lines, e.width, height, e.inks.Glyphs.Ellipsis)
	}
	var parts []string
	if e.height-e.statusHeight() > e.below {
		parts = append(parts, e.tree.list.View())
	}
	if p, ok := e.typing.mode.(panel); ok && e.below > 0 {
		parts = append(parts, block(p.draw(&e.inks, e.width, e.below), e.below))
	}
	return strings.Join(append(parts, block(e.status(), e.statusHeight())), "\n")
}
