package jsonedit

import (
	"slices"

	"geodeck/adminapi/document"
)

// mark says how a line differs from the base.
type mark uint8

const (
	same    mark = iota
	holds        // something below it is gone
	altered      // another value than in the base
	added
)

// compare marks what differs from the base.
func (t *tree) compare(base *document.Document) {
	t.marks = make([]mark, len(t.lines))
	t.was = map[int]string{}
	if base == nil || base == t.doc {
		return
	}
	for _, c := range document.Diff(base, t.doc) {
		line, found := t.lineNear(c.Path)
		switch {
		case c.Kind == document.Removed || !found:
			t.set(line, line, holds)
		case c.Kind == document.Added:
			t.set(line, t.lines[line].Pair, added)
		default:
			t.set(line, t.lines[line].Pair, altered)
			t.was[line] = c.Old
		}
	}
}

func (t *tree) set(from, to int, m mark) {
	for i := from; i <= to; i++ {
		t.marks[i] = max(t.marks[i], m)
	}
}

// shownMark is the mark of a line, and of what it hides where it is folded.
func (t *tree) shownMark(i int, folded bool) mark {
	m := t.marks[i]
	if folded && m == same && slices.Max(t.marks[i:t.lines[i].Pair+1]) > same {
		return holds
	}
	return m
}
