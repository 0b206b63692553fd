package jsonedit

import (
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

func (s splice) apply(text string) string {
	return text[:s.at] + s.new + text[s.at+len(s.old):]
}

// carry returns where a byte of the text before stands after it, and false where it
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

// change makes an edited document the present one, as a step, and ends typing. where
// finds the value that the cursor goes to; nil leaves it where it is. It reports whether
// anything is different.
func (e *Editor) change(d *document.Document, where func(*document.Document) document.Node) bool {
	e.begin(nil)
	if d == e.Document() || d.Text() == e.Document().Text() {
		e.note = "Nothing is different."
		return false
	}
	s := step{splice: spliceOf(e.Document().Text(), d.Text()), before: e.Path()}
	e.shift(d, s.splice)
	if where != nil {
		if n := where(d); n.Valid() {
			e.tree.goTo(e.tree.lines.of(n))
		}
	}
	s.after = e.Path()
	e.history.Add(s, len(s.old)+len(s.new))
	return true
}

// shift shows a document that one splice has made. A short one is checked at once; a
// long one keeps the findings that it had until check has run.
func (e *Editor) shift(d *document.Document, s splice) {
	e.checks.remark = nil
	e.tree.shift(d, s)
	if len(e.tree.lines.all) <= maxChecked {
		e.checks.run(d, e.Base())
	}
	e.place()
	e.revision++
}

// repeat makes a text the document again that has been one before.
func (e *Editor) repeat(s splice, cursor document.Path, note string) {
	d, err := document.Parse([]byte(s.apply(e.Document().Text())))
	if err != nil {
		e.note = reason(err)
		return
	}
	e.shift(d, s)
	e.Go(cursor)
	e.note = note
}

func (e *Editor) undo() {
	s, ok := e.history.Undo()
	if !ok {
		e.note = "There is nothing to undo."
		return
	}
	e.repeat(s.back(), s.before, "Undone. "+plain.Plural(e.history.Done(), "step")+" before it.")
}

func (e *Editor) redo() {
	s, ok := e.history.Redo()
	if !ok {
		e.note = "There is nothing to do again."
		return
	}
	e.repeat(s.splice, s.after, "Done again.")
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
