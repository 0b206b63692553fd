package services

import (
	"context"
	"errors"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// together are the services that the same change is planned for: the one that it was
// made in, and those that are marked.
func (m *Model) together() []adminapi.ServiceRef {
	services, first := m.marked(), m.way.edits[0].Service
	if !slices.ContainsFunc(services, func(s adminapi.ServiceRef) bool { return sameService(s, first) }) {
		services = append([]adminapi.ServiceRef{first}, services...)
	}
	return services
}

// manyCommand offers the same change on several services: of definitions only, since
// rules are made for one deployment. Without marks it says what to do first.
func (m *Model) manyCommand() []views.Command {
	if m.way.target().Part != operation.Definition {
		return nil
	}
	if n := len(m.together()); !m.way.many && n > 1 {
		return []views.Command{hinted(cmdMany, "on "+plain.Plural(n, "service"))}
	}
	return []views.Command{quiet(cmdMany)}
}

// planMany makes the reviewed change in the definitions of all marked services.
func (m *Model) planMany() tea.Cmd {
	if m.way.step == ended {
		return m.goOnWithLeft()
	}
	w, services := m.way, m.together()
	switch {
	case w.many:
		return views.Tell(views.Info, "This is the plan of all marked services already.")
	case len(services) < 2:
		return views.Tell(views.Info, "Mark other services in the list first, with space; what is edited here is kept meanwhile.")
	}
	w.changes = w.edits[0].Plan.Changes
	return m.planFor(services)
}

// planFor plans the change of the way on several services.
func (m *Model) planFor(services []adminapi.ServiceRef) tea.Cmd {
	w := m.way
	w.step, w.many, w.read, w.wanted = checking, true, 0, len(services)
	changes := w.changes
	w.progress = views.NewReports[wayReport]()
	site, progress := m.env.Site, w.progress
	plan := m.scope.Do("plan", func(ctx context.Context) tea.Msg {
		defer close(progress)
		return planned{edits: site.PlanMany(ctx, services, changes, func(done int) { progress.Tell(wayReport{read: done}) })}
	})
	return tea.Batch(plan, m.listen())
}

// signIn is the error of a definition that could not be read for want of a sign-in,
// nil where there is none.
func (r planned) signIn() error {
	for _, e := range r.edits {
		if errors.Is(e.Refused, adminapi.KindSignIn) {
			return e.Refused
		}
	}
	return nil
}

// planAgain makes the plan of all marked services once somebody has signed in.
func (m *Model) planAgain() tea.Cmd {
	if m.way == nil || m.way.step != reviewing || m.way.many {
		return nil
	}
	return m.planMany()
}
