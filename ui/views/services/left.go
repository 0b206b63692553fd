package services

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views/rows"
)

// left are the services of a change on several that the site does not have it of, as
// far as is known: what failed, what was not sent, and what could not take it.
func (w *way) left() (services []adminapi.ServiceRef) {
	accepted := map[string]bool{}
	for _, r := range w.results {
		end := endingOf(r)
		accepted[r.Service.Path()] = end == endDone || end == endNotKept
	}
	if w.lost != nil && w.lost.found.Finding == operation.EditArrived {
		accepted[w.lost.edit.Service.Path()] = true
	}
	for _, e := range w.edits {
		if !e.Unchanged() && !accepted[e.Service.Path()] {
			services = append(services, e.Service)
		}
	}
	return services
}

// canGoOn tells whether the change on several can be planned again for what is left.
func (w *way) canGoOn() bool {
	return w.many && w.step == ended && !w.searching() && len(w.left()) > 0
}

// goOnWithLeft plans the change again for the services that are left, for one review.
func (m *Model) goOnWithLeft() tea.Cmd {
	if w := m.way; w == nil || !w.canGoOn() {
		return nil
	}
	services := m.way.left()
	m.markOnly(services)
	return m.planFor(services)
}

// markOnly leaves the marks of some services alone: with them it goes on later. The
// list marks what is under its cursor.
func (m *Model) markOnly(services []adminapi.ServiceRef) {
	list := m.catalog.list
	key, had := list.Key()
	filter := list.Filter()
	list.SetFilter("")
	list.Unmark()
	for _, s := range services {
		if list.Select(rowKey{s.Folder, s.Path()}) {
			list.Do(rows.Mark)
		}
	}
	list.SetFilter(filter)
	if had {
		list.Select(key)
	}
	list.Redraw()
}

// writeLeft says how many services are left, and that they stay marked.
func (m *Model) writeLeft(p *rows.Page) {
	if n := len(m.way.left()); n > 0 {
		p.Gap()
		p.Text(m.inks.Plain, "Left: "+plain.Plural(n, "service")+". They stay marked in the list; those that have it do not.")
	}
}
