package jsonedit

import (
	"maps"
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
)

// splice is what a step did to the text: at a byte, it put one text in place of another.
type splice struct {
	at       int
	old, new string
}

// spliceOf finds the one place in which two texts differ.
func spliceOf(before, after string) splice {
	short := min(len(before), len(after))
	at := 0
	for at < short && before[at] == after[at] {
		at++
	}
	end := 0
	for end < short-at && before[len(before)-1-end] == after[len(after)-1-end] {
		end++
	}
	// Cloned: a part of a text would keep the whole of it in memory.
	return splice{at, strings.Clone(before[at : len(before)-end]), strings.Clone(after[at : len(after)-end])}
}

// back is the splice that undoes this one.
func (s splice) back() splice { return splice{s.at, s.new, s.old} }

// carry returns the place after the splice of a byte before it, and false where the byte
// was replaced.
func (s splice) carry(place int) (int, bool) {
	switch {
	case place < s.at:
		return place, true
	case place >= s.at+len(s.old):
		return place + len(s.new) - len(s.old), true
	}
	return 0, false
}

// step is one change that can be undone.
type step struct {
	splice
	before, after document.Path // where the cursor was
}

// edit is a change of the document.
type edit struct {
	size int // of the text that it brings, in bytes
	// make returns the edited document. It may run in a command.
	make func(d *document.Document) (*document.Document, error)
	// cursor finds the value that the cursor goes to; nil leaves it where it is.
	cursor  func(d *document.Document) document.Node
	repeats bool            // it undoes a step, or makes it once more: no new one
	note    func() string   // what is noted once it is made; nil for nothing
	refused func(err error) // nil notes why it cannot be made
}

// apply makes an edit, as a step that can be undone, and ends typing. The cursor and the
// folds stay where they were, unless the edit says otherwise.
func (e *Editor) apply(x edit) {
	quick, before, base, found, keys := e.tree.quick(x.size), e.tree.lines, e.Base(), e.checks.found, e.keys
	folded, cursor, from := maps.Clone(e.tree.folded), e.tree.line(), e.Path()
	e.work(x.size, func() func() {
		d, err := x.make(before.doc)
		switch {
		case err != nil && x.refused != nil:
			return func() { x.refused(err) }
		case err != nil:
			return func() { e.note = reason(err) }
		case d == before.doc || d.Text() == before.doc.Text():
			return func() {
				e.begin(nil)
				e.note = "No changes."
			}
		}
		s := spliceOf(before.doc.Text(), d.Text())
		next := newLines(e.tree, d, base)
		folds := before.carriedFolds(folded, next, s)
		now, sought := -1, false
		if x.cursor != nil {
			if n := x.cursor(d); n.Valid() {
				now, sought = next.of(n), true
			}
		}
		if line, ok := before.carried(cursor, next, s); ok && !sought {
			now = line
		}
		if quick {
			found = checked(keys, d, base)
		}
		next.findings = next.placed(found)
		return func() {
			e.begin(nil)
			if quick {
				e.checks = checks{found, d}
			}
			e.tree.shift(next, folds, now, sought)
			e.revision++
			if !x.repeats {
				e.history.Add(step{s, from, e.Path()}, len(s.old)+len(s.new))
			}
			if x.note != nil {
				e.note = x.note()
			}
		}
	})
}

// undo undoes the last step, and says what is left to undo.
func (e *Editor) undo() {
	s, _ := e.history.Undo()
	left := "Nothing more"
	if n := e.history.Done(); n > 0 {
		left = plain.Plural(n, "more step")
	}
	e.repeat(s.back(), s.before, "Undone. "+left+" to undo.")
}

func (e *Editor) redo() {
	s, _ := e.history.Redo()
	e.repeat(s.splice, s.after, "Redone.")
}

// repeat makes an edit that was made before, or undoes it.
func (e *Editor) repeat(s splice, cursor document.Path, note string) {
	e.apply(edit{
		size:    len(s.new),
		repeats: true,
		make: func(d *document.Document) (*document.Document, error) {
			return d.Splice(s.at, s.at+len(s.old), s.new)
		},
		cursor: func(d *document.Document) document.Node {
			n, _ := d.Find(cursor)
			return n
		},
		note: func() string { return note },
	})
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
