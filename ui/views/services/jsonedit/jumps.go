package jsonedit

import "sort"

// jump goes to the next of some lines, which ascend, or with -1 to the previous one,
// round the ends.
func (e *Editor) jump(lines []int, by int, none string) {
	at, ok := e.list.Selected()
	if !ok || len(lines) == 0 {
		e.note = none
		return
	}
	next := sort.SearchInts(lines, at+1)
	if by < 0 {
		next = sort.SearchInts(lines, at) - 1
	}
	e.goTo(lines[(next+len(lines))%len(lines)])
}

func (e *Editor) jumpGroup(by int) {
	e.jump(e.tree.starts, by, "This document has no groups.")
}

func (e *Editor) jumpFinding(by int) {
	lines := make([]int, 0, len(e.tree.findings))
	for _, f := range e.tree.findings {
		if len(lines) == 0 || lines[len(lines)-1] != f.line {
			lines = append(lines, f.line)
		}
	}
	e.jump(lines, by, "No rule is broken.")
}

// jumpChange goes to where a difference from the base begins.
func (e *Editor) jumpChange(by int) {
	var lines []int
	for i, m := range e.tree.marks {
		if m != same && (i == 0 || e.tree.marks[i-1] != m || e.tree.was[i] != "") {
			lines = append(lines, i)
		}
	}
	e.jump(lines, by, "Nothing is different from the base.")
}
