package jsonedit

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
)

// maxChecked is how many lines are checked before the next frame; what is longer is
// checked beside it, and its findings come a moment later.
const maxChecked = 1_500

// checks is what is wrong with a document.
type checks struct {
	last   checked           // of the document before, while the check of a long one is under way
	remark *document.Finding // of whoever else has edited it, until the next change; nil for none
}

// checked is what a check of a document has found.
type checked struct {
	doc   *document.Document
	found []document.Finding
}

func check(d, base *document.Document) checked { return checked{d, document.Check(d, base)} }

// run checks a document at once.
func (c *checks) run(d, base *document.Document) { c.last = check(d, base) }

// all returns what is to be shown.
func (c *checks) all() []document.Finding {
	if c.remark == nil {
		return c.last.found
	}
	return append([]document.Finding{*c.remark}, c.last.found...)
}

// check returns the command that checks what has not been checked yet. Should its
// message never arrive, the next key checks again.
func (e *Editor) check() tea.Cmd {
	d, base := e.Document(), e.Base()
	if e.checks.last.doc == d {
		return nil
	}
	return func() tea.Msg { return check(d, base) }
}

// place shows at their lines what the checks have found.
func (e *Editor) place() { e.tree.place(e.checks.all()) }
