package plan

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// Step is what a step of a change, and the tab History, starts with: embed it. It ends with Close.
type Step struct {
	views.Base
	Inks   *rows.Inks
	Table  []views.Command // all rows
	closed bool
}

// NewStep returns a step that begins.
func NewStep(base views.Base, inks *rows.Inks) Step { return Step{Base: base, Inks: inks} }

// Commands lists every row of the step.
func (s *Step) Commands() []views.Command { return s.Table }

// Close has what comes late do nothing: the step has ended.
func (s *Step) Close() { s.closed = true }

// Reopen goes on with a step that was ended.
func (s *Step) Reopen() { s.closed = false }

// Closed reports whether the step has ended.
func (s *Step) Closed() bool { return s.closed }

// WhileOpen is what is done unless the step has ended by then; nil for nothing.
func (s *Step) WhileOpen(do func() tea.Cmd) func() tea.Cmd {
	if do == nil {
		return nil
	}
	return func() tea.Cmd {
		if s.closed {
			return nil
		}
		return do()
	}
}

// Work is [views.Scope.Work] for as long as the step goes on.
func (s *Step) Work(kind string, part func(context.Context) (then func() tea.Cmd)) tea.Cmd {
	return s.Scope.Work(kind, func(ctx context.Context) func() tea.Cmd { return s.WhileOpen(part(ctx)) })
}

// Earlier shows an earlier request for a service whose outcome is unknown; where there is none then follows,
// with why that could not be found out.
func (s *Step) Earlier(service adminapi.ServiceRef, then func(error) tea.Cmd) tea.Cmd {
	site := s.Env.Site
	return s.Work("earlier", func(ctx context.Context) func() tea.Cmd {
		err := site.CheckSend(ctx, adminapi.TargetService(service))
		return func() tea.Cmd {
			if earlier, open := errors.AsType[*operation.UnresolvedError](err); open {
				return views.Send(views.Unresolved{Earlier: earlier})
			}
			return then(err)
		}
	})
}

// Page collects lines for the whole width.
func (s *Step) Page() *rows.Page { return &rows.Page{Inks: s.Inks, Width: s.Width} }
