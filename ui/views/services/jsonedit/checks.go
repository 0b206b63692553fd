package jsonedit

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
)

// checks is what is wrong with the document.
type checks struct {
	found []document.Finding // of the document before, while a long one is being checked
	of    *document.Document // that was checked, or is being checked
}

// checked is what a check of a long document has found.
type checked struct {
	lines  *lines // it was checked as
	all    []document.Finding
	placed []finding
}

// check returns the command that checks a document which has not been checked yet.
func (e *Editor) check() tea.Cmd {
	shown, base := e.tree.lines, e.Base()
	if e.checks.of == shown.doc {
		return nil
	}
	e.checks.of = shown.doc
	return e.scope.Do(checking, func(context.Context) tea.Msg {
		all := document.Check(shown.doc, base)
		return checked{shown, all, shown.placed(all)}
	})
}
