// Package jsonedit is the widget that a JSON document is edited with: a folding,
// coloured, searchable tree of its lines, in which values are edited in place, keys
// are added, deleted, renamed and moved, and every step can be undone. It never
// changes a byte that nobody asked to change: that is package document's work.
//
// It does no I/O. Start at [Editor].
package jsonedit

import (
	"geodeck/adminapi/document"
	"geodeck/theme"
	"geodeck/ui/views/rows"
)

// Editor is the widget.
type Editor struct {
	inks     inks
	list     *rows.List[int]
	tree     *tree
	base     *document.Document
	folded   map[int]bool // by line of the tree; the list changes it
	history  history
	revision int
	said     *saying
	note     string  // what the last key did, clean
	mode     mode    // what takes typed keys; nil where they are commands
	leaving  bool    // asked whether what was typed is dropped
	checked  checked // the last check
	strokes  uint64  // counts what changes the drawing of a typed line

	width, height int
}

// saying is a sentence at a value.
type saying struct {
	path document.Path
	text string
}

// New returns an editor of an empty object.
func New(t *theme.Theme) *Editor {
	e := &Editor{inks: newInks(t), list: rows.New[int](t)}
	empty, err := document.Parse([]byte("{}"))
	if err != nil {
		panic(err) // it is written above
	}
	e.Set(empty, empty)
	return e
}

// Set opens a document. base is what it is compared with: changed lines are marked,
// and findings are told against it. Steps before it cannot be undone any more.
func (e *Editor) Set(d, base *document.Document) {
	e.base, e.history = base, history{}
	e.folded = map[int]bool{}
	e.list.SetFolds(e.folded)
	e.show(d)
	e.judge()
	e.list.Do(rows.Top)
	e.revision++
}

// Replace puts another document in place of the present one, as one step that can be
// undone: what an external editor or a merge has made. What is being typed is dropped,
// see [Editor.Unsaved].
func (e *Editor) Replace(d *document.Document) {
	if e.change(d, nil) {
		e.judge()
	}
}

// Document returns the document as it is edited by now.
func (e *Editor) Document() *document.Document { return e.tree.doc }

// Base returns what it is compared with.
func (e *Editor) Base() *document.Document { return e.base }

// Revision counts up with every change of the document, undo and redo included:
// whoever keeps drafts compares it.
func (e *Editor) Revision() int { return e.revision }

// Path returns the path of the value under the cursor.
func (e *Editor) Path() document.Path {
	n, ok := e.node()
	if !ok {
		return document.Whole
	}
	return n.Path()
}

// Go puts the cursor on a value, opening what hides it, and tells whether it is
// there.
func (e *Editor) Go(path document.Path) bool {
	n, ok := e.tree.doc.Find(path)
	if ok {
		e.goTo(e.tree.lineOf(n))
	}
	return ok
}

// Say shows a sentence at the line of a path until the next change, such as why an
// external editor's text was not taken.
func (e *Editor) Say(path document.Path, text string) {
	e.said = &saying{path, text}
	e.place()
}

// SetSize gives the editor its cells.
func (e *Editor) SetSize(width, height int) {
	e.width, e.height = max(0, width), max(0, height)
	e.arrange()
}

// CapturesText tells whether typed keys are text at present: a value that is edited,
// a filter.
func (e *Editor) CapturesText() bool { return e.mode != nil || e.list.Typing() }

// Unsaved tells whether something is being typed that is not in the document yet: a
// view that is left asks first.
func (e *Editor) Unsaved() bool { return e.mode != nil && e.mode.changed() }

// Wary tells whether a question is asked, or letters turn switches: a burst of keys
// may then be a paste of a terminal that marks none, and comes best as one message.
func (e *Editor) Wary() bool {
	m, ok := e.mode.(*words)
	return e.leaving || ok && m.adding == nil
}

// node returns the value under the cursor.
func (e *Editor) node() (document.Node, bool) {
	i, ok := e.list.Selected()
	if !ok {
		return document.Node{}, false
	}
	return e.tree.lines[i].Node, true
}

// goTo puts the cursor on a line, which a filter must not hide.
func (e *Editor) goTo(line int) {
	if !e.list.Select(line) {
		e.list.SetFilter("")
		e.list.Select(line)
	}
}
