package jsonedit

import (
	"slices"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
)

// mark says how a line differs from the base.
type mark uint8

const (
	same    mark = iota
	holds        // something below it is gone
	altered      // another value than in the base
	added
)

// finding is a sentence at a line.
type finding struct {
	line     int
	blocking bool
	text     string // clean
}

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

// judge finds what breaks a rule, and where.
func (e *Editor) judge() {
	t := e.tree
	t.findings = nil
	if e.said != nil {
		t.find(e.said.path, true, e.said.text)
	}
	for _, f := range document.Check(t.doc, e.base) {
		t.find(f.Path, f.Blocking, f.Text)
	}
	slices.SortStableFunc(t.findings, func(a, b finding) int { return a.line - b.line })
	e.list.Redraw()
}

func (t *tree) find(path document.Path, blocking bool, text string) {
	line, _ := t.lineNear(path)
	t.findings = append(t.findings, finding{line, blocking, plain.Line(text)})
}

// found returns the findings of the lines from one to another.
func (t *tree) found(from, to int) []finding {
	byLine := func(f finding, line int) int { return f.line - line }
	first, _ := slices.BinarySearchFunc(t.findings, from, byLine)
	end, _ := slices.BinarySearchFunc(t.findings, to+1, byLine)
	return t.findings[first:end]
}
