// Package jsonedit is the widget that a JSON document is edited with: a folding,
// coloured, searchable tree of its lines, in which values are edited in place, keys
// are added, deleted, renamed and moved, and every step can be undone. It never
// changes other bytes than those of an edit: see package document.
//
// It does no I/O. Start at [Editor], which holds the tree of lines (tree.go), what is
// typed (typing.go) and the steps that can be undone (history.go); what its commands do
// with a value is in edit.go.
package jsonedit

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/services/edits"
	"geodeck/ui/widget/rows"
)

// Editor is the widget.
type Editor struct {
	// Known reads the keys of the definitions that were read before, in a command; nil for none.
	Known func() document.Keys

	scope    *views.Scope
	inks     inks
	tree     *tree
	checks   checks
	history  edits.History[step]
	typing   typing
	kept     *Typed // a text that was typed, and is kept beside the document; nil for none
	past     past
	keys     document.Keys // of the definitions that were read before
	cache    views.Drawn[asideVersion, string]
	revision int
	note     string // what the last key did, clean

	typingTable []views.Command // the keys of what is typed
	table       []views.Command // all rows

	busy  bool    // a part of an edit runs in a command
	begun tea.Cmd // that command, until it is returned

	width, height int
	below         int // rows between the tree and the status, of a panel that is typed into
}

// New returns an editor of an empty object, whose replies are addressed to a scope.
func New(t *theme.Theme, scope *views.Scope) *Editor {
	e := &Editor{scope: scope, inks: newInks(t)}
	e.tree = &tree{inks: &e.inks, list: rows.New[int](t)}
	empty, err := document.Parse([]byte("{}"))
	if err != nil {
		panic(err) // it is written above
	}
	e.Prepare(empty, empty)()
	e.typingTable = e.typingRows()
	e.table = e.rows()
	return e
}

// Prepare opens a document, in two parts: it does what grows with the document, touching
// nothing of the editor, so that it may run in a command; open does the rest. Changed
// lines are marked against base. Earlier steps cannot be undone any more.
func (e *Editor) Prepare(d, base *document.Document) (open func()) {
	var keys document.Keys
	if e.Known != nil {
		keys = e.Known()
	}
	shown, found := newLines(e.tree, d, base), checked(keys, d, base)
	shown.findings = shown.placed(found)
	return func() {
		e.scope.Forget(editing)
		e.keys = keys
		e.history, e.typing, e.checks, e.note, e.busy, e.begun = edits.History[step]{}, typing{turn: e.Strokes() + 1}, checks{found, d}, "", false, nil
		e.tree.open(shown, base)
		e.arrange()
		e.revision++
	}
}

// Replace puts another document in place of the present one, as one step that can be
// undone: what an external editor has made. What is being typed is discarded.
func (e *Editor) Replace(d *document.Document) tea.Cmd {
	e.apply(edit{size: len(d.Text()), make: func(*document.Document) (*document.Document, error) { return d, nil }})
	return e.follow()
}

// Document returns the document as edited.
func (e *Editor) Document() *document.Document { return e.tree.lines.doc }

// Base returns what the document is compared with.
func (e *Editor) Base() *document.Document { return e.tree.base }

// Revision grows with every change of the document, undo and redo included.
func (e *Editor) Revision() int { return e.revision }

// Path returns the path of the value under the cursor.
func (e *Editor) Path() document.Path { return e.tree.path() }

// GoTo puts the cursor on the value at a path, or on the nearest around where it would be.
func (e *Editor) GoTo(path document.Path) tea.Cmd {
	shown := e.tree.lines
	e.work(0, func() func() {
		line, _ := shown.near(path)
		return func() { e.tree.goTo(line) }
	})
	return e.follow()
}

// CapturesText reports whether typed keys are text at present: a value that is edited,
// a filter.
func (e *Editor) CapturesText() bool { return e.typing.mode != nil || e.Filtering() }

// Filtering reports whether a filter or a search is being typed.
func (e *Editor) Filtering() bool { return e.tree.list.Typing() }

// Unsaved reports whether something is not in the document yet that is being typed, or
// changed at this moment.
func (e *Editor) Unsaved() bool { return e.busy || e.typing.mode != nil && e.typing.mode.changed() }

// GuardsPaste reports whether a question is open, or letters turn switches: a burst of keys
// may then be a paste of a terminal that marks none, and has to come as one message.
func (e *Editor) GuardsPaste() bool {
	m, ok := e.typing.mode.(*words)
	return e.typing.leaving || ok && !m.adding
}

// Back clears the filter, then shows all again, and reports whether there was something to do.
func (e *Editor) Back() bool {
	switch {
	case e.tree.list.Filter() != "":
		e.tree.list.SetFilter("")
	case e.tree.only:
		e.tree.showOnly(false)
	default:
		return false
	}
	return true
}

// Rested describes the line under the cursor.
func (e *Editor) Rested() { e.tree.list.Rest() }

// Busy reports whether a part of an edit runs in a command: until its reply keys have to
// wait, since they are meant for what it leads to.
func (e *Editor) Busy() bool { return e.busy }

// maxLines and maxBytes bound what is edited before the next frame. Of a longer document
// the parts of an edit that grow with it run in commands.
const (
	maxLines = 1_500
	maxBytes = 64 << 10
)

// The kinds of requests of an editor.
const (
	editing  = "edit of the definition"
	checking = "check of the definition"
)

// Msg is what a command of the editor of a definition leads to.
type Msg struct{ then func() }

// work runs the part of an edit that grows with the document, and then what it returns,
// which changes the editor. Unless it is quick, the part runs in a command: it must
// capture values and touch nothing of the editor, which is busy until the reply.
func (e *Editor) work(size int, part func() (then func())) {
	if e.tree.quick(size) {
		part()()
		return
	}
	e.busy = true
	e.begun = e.scope.Do(editing, func(context.Context) tea.Msg {
		then := part()
		return Msg{func() {
			e.busy = false
			then()
			e.arrange() // a panel may have come or grown
		}}
	})
}

// follow returns the commands of what the last message has begun.
func (e *Editor) follow() tea.Cmd {
	begun := e.begun
	e.begun = nil
	return tea.Batch(begun, e.check())
}

// Update takes keys while CapturesText, and the replies to the editor.
func (e *Editor) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case Msg:
		msg.then()
	case tea.KeyMsg:
		switch {
		case e.busy: // it waits at the dashboard
		case e.typing.mode == nil:
			e.tree.list.Type(msg)
		default:
			e.typed(msg)
		}
	}
	return e.follow()
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
	case e.height < fullHeight || e.aside() > 0:
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
	width := e.width
	if aside := e.aside(); aside > 0 {
		width -= aside + dividing
	}
	e.tree.list.SetSize(width, max(0, free-e.below))
	e.tree.list.SetFocused(e.typing.mode == nil || e.tree.field != nil)
}

// View draws exactly the size that SetSize gave.
func (e *Editor) View() string {
	if e.width <= 0 || e.height <= 0 {
		return ""
	}
	block := func(lines []string, height int) string {
		return e.inks.Block(lines, e.width, height)
	}
	parts := make([]string, 0, 3)
	if e.height-e.statusHeight() > e.below {
		parts = append(parts, e.besideTree())
	}
	if p, ok := e.typing.mode.(panel); ok && e.below > 0 {
		parts = append(parts, block(p.draw(&e.inks, e.width, e.below), e.below))
	}
	if e.typing.leaving { // the question below has the cursor
		for i, part := range parts {
			parts[i] = theme.WithoutCursor(part)
		}
	}
	return strings.Join(append(parts, block(e.status(), e.statusHeight())), "\n")
}

// checks is what is wrong with the document.
type checks struct {
	found []finding.Finding  // of the document before, while a long one is being checked
	of    *document.Document // that was checked, or is being checked
}

// checked returns what is wrong with a document, and what is odd about the keys that were added.
func checked(keys document.Keys, d, base *document.Document) []finding.Finding {
	return append(document.Check(d, base), keys.Check(d, base)...)
}

// check returns the command that checks a document which has not been checked yet.
func (e *Editor) check() tea.Cmd {
	shown, base, keys := e.tree.lines, e.Base(), e.keys
	if e.checks.of == shown.doc {
		return nil
	}
	e.checks.of = shown.doc
	return e.scope.Do(checking, func(context.Context) tea.Msg {
		all := checked(keys, shown.doc, base)
		placed := shown.placed(all)
		return Msg{func() {
			if shown == e.tree.lines {
				e.checks.found, shown.findings = all, placed
				e.tree.list.Redraw()
				e.tree.showOnly(e.tree.only)
			}
		}}
	})
}
