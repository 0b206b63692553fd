package jsonedit

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
)

// mostChecked is how many lines are checked before the next frame; what is longer is
// checked beside it, and its findings come a moment later.
const mostChecked = 1_500

// finding is a sentence at a line.
type finding struct {
	line     int
	blocking bool
	text     string // clean
}

// checked is what a check of a document has found.
type checked struct {
	doc   *document.Document
	found []document.Finding
}

// judge checks a document at once.
func (e *Editor) judge() {
	e.checked = checked{e.tree.doc, document.Check(e.tree.doc, e.base)}
	e.place()
}

// judgeLater checks a short document at once. A long one keeps the findings that it
// had until check has run.
func (e *Editor) judgeLater() {
	if len(e.tree.lines) <= mostChecked {
		e.judge()
		return
	}
	e.place()
}

// check returns the command that checks what has not been checked yet. Where its
// answer gets lost, the next key asks again.
func (e *Editor) check() tea.Cmd {
	d, base := e.tree.doc, e.base
	if e.checked.doc == d {
		return nil
	}
	return func() tea.Msg { return checked{d, document.Check(d, base)} }
}

// place finds the lines of what was found.
func (e *Editor) place() {
	t := e.tree
	t.findings = nil
	if e.said != nil {
		t.find(e.said.path, true, e.said.text)
	}
	for _, f := range e.checked.found {
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
