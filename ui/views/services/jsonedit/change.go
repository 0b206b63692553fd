package jsonedit

import (
	"errors"
	"fmt"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
)

// change makes an edited document the present one, as a step. where finds the value
// that the cursor goes to; nil leaves it where it is. It tells whether anything is
// different.
func (e *Editor) change(d *document.Document, where func(*document.Document) document.Node) bool {
	e.mode, e.leaving = nil, false
	if d == e.tree.doc || d.Text() == e.tree.doc.Text() {
		e.note = "Nothing is different."
		e.arrange()
		return false
	}
	s := step{splice: spliceOf(e.tree.doc.Text(), d.Text()), before: e.Path()}
	e.shift(d, s.splice)
	if where != nil {
		if n := where(d); n.Valid() {
			e.goTo(e.tree.lineOf(n))
		}
	}
	s.after = e.Path()
	e.history.add(s)
	return true
}

// shift shows a document that one splice has made, with the folds and the cursor
// where they were.
func (e *Editor) shift(d *document.Document, s splice) {
	before := e.tree
	cursor, had := e.list.Selected()
	e.said = nil
	next := newTree(e, d)
	folded := make(map[int]bool, len(e.folded))
	for line, on := range e.folded {
		if now, ok := before.carried(line, next, s); ok && on {
			folded[now] = true
		}
	}
	e.folded = folded
	e.list.SetFolds(folded)
	e.use(next)
	if had {
		if now, ok := before.carried(cursor, next, s); ok {
			e.list.Select(now)
		}
	}
	e.revision++
}

// carried returns which line of the next tree shows what a line of this one did.
func (t *tree) carried(line int, next *tree, s splice) (int, bool) {
	if place, ok := s.carry(t.place(line)); ok {
		if now, ok := next.lineAt(place); ok {
			return now, true
		}
	}
	n, ok := next.doc.Find(t.lines[line].Node.Path())
	if !ok {
		return 0, false
	}
	now := next.lineOf(n)
	if t.lines[line].Part == document.Closing {
		now = next.lines[now].Pair
	}
	return now, true
}

// show shows a document from its beginning on.
func (e *Editor) show(d *document.Document) {
	e.mode, e.leaving, e.said, e.note = nil, false, nil, ""
	e.use(newTree(e, d))
}

func (e *Editor) use(t *tree) {
	e.tree = t
	e.list.Set(t)
	e.judgeLater()
	e.arrange()
}

// at returns what finds the value at a byte, or the nth of what it holds; the byte is
// before anything that the edit changes.
func at(place int) func(*document.Document) document.Node {
	return func(d *document.Document) document.Node { return d.At(place) }
}

func nthAt(place, nth int) func(*document.Document) document.Node {
	return func(d *document.Document) document.Node {
		parent := d.At(place)
		found := parent
		for child := range parent.Children() {
			if child.Index() > nth {
				break
			}
			found = child
		}
		return found
	}
}

// startOf is the byte at which a value begins.
func startOf(n document.Node) int {
	start, _ := n.Span()
	return start
}

// reason says in plain words why an edit was not made.
func reason(err error) string {
	var syntax *document.SyntaxError
	var edit *document.EditError
	switch {
	case errors.As(err, &syntax) && syntax.Line > 1:
		return fmt.Sprintf("Line %d, column %d: %s", syntax.Line, syntax.Column, plain.Line(syntax.Message))
	case errors.As(err, &syntax):
		return fmt.Sprintf("Column %d: %s", syntax.Column, plain.Line(syntax.Message))
	case errors.As(err, &edit):
		return plain.Line(edit.Message)
	}
	return plain.Line(err.Error())
}
