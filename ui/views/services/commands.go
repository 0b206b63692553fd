package services

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/ui/views"
	"geodeck/ui/views/services/editor"
)

const (
	listGroup    = "Services"
	serviceGroup = "One service"

	aService = "a service under the cursor"
)

// Commands lists the rows of the list, and of what is open: of the tabs of a service that were shown, and
// of a change. They are put together anew where a part has another table: another service was entered, a
// tab was shown first, a change has begun, a page was opened in place of another.
func (m *Model) Commands() []views.Command {
	var parts [tabCount + 2][]views.Command
	for at, tab := range m.open.made {
		if tab != nil {
			parts[at] = tab.Commands()
		}
	}
	parts[changeRows] = m.flow.Commands()
	if m.open.comparison != nil {
		parts[comparisonRows] = m.open.comparison.review.Commands()
	}
	if m.table == nil || !slices.EqualFunc(parts[:], m.parts[:], sameTable) {
		m.parts, m.table = parts, m.tableOf(parts)
	}
	return m.table
}

// The places of what is no tab among the parts of the table.
const (
	changeRows     = tabCount
	comparisonRows = tabCount + 1
)

// allRows lists every row, also of tabs that were not shown and of steps of a change that have not begun: help
// and documents know them from a service that has no name.
func (m *Model) allRows() []views.Command {
	_ = m.Commands()
	parts, none := m.parts, m.newOpened(adminapi.ServiceRef{})
	for at := range tabCount {
		if parts[at] == nil {
			parts[at] = none.part(at).Commands()
		}
	}
	parts[changeRows] = m.flow.Rows()
	return m.tableOf(parts)
}

func (m *Model) tableOf(parts [tabCount + 2][]views.Command) []views.Command {
	tables := [][]views.Command{m.rows}
	for at := range tabCount {
		tables = append(tables, views.When(func() bool { return m.onTabs() && m.open.at == at }, parts[at]))
	}
	return views.Guarded(slices.Concat(append(tables, m.insideRows(), views.When(m.comparing, parts[comparisonRows]), views.When(m.flow.InFront, parts[changeRows]))...))
}

// sameTable reports whether a table is the one that was made before.
func sameTable(a, b []views.Command) bool {
	return len(a) == len(b) && (len(a) == 0 || &a[0] == &b[0])
}

// comparing reports whether what differs is shown in place of a tab.
func (m *Model) comparing() bool {
	return m.inside && !m.flow.Active() && m.open.comparison != nil
}

// onTabs reports whether a tab of a service is shown.
func (m *Model) onTabs() bool { return m.inside && !m.flow.Active() && m.open.comparison == nil }

// outerRows are the rows of the list, and those that open a service from anywhere.
func (m *Model) outerRows() []views.Command {
	paths := m.list.catalog.paths
	return slices.Concat(m.explainer.rows(), []views.Command{
		{ID: "services.open", Name: "open service", Argument: "service", Choices: paths, Group: listGroup, With: m.openPath,
			Help: "Open a service by its path, or a part of it."},
		{ID: "services.status", Name: "open status", Argument: "service", Choices: paths, Group: listGroup,
			With: func(path string) tea.Cmd { return m.openTab(path, statusAt) },
			Help: "Open the state of a service by its path."},
		{ID: "services.history", Name: "open history", Argument: "service", Choices: paths, Group: listGroup,
			With: func(path string) tea.Cmd { return m.openTab(path, historyTab) },
			Help: "Open the older versions of a service by its path."},
		{ID: "services.placement", Name: "open placement", Argument: "service", Choices: paths, Group: listGroup,
			With: m.openPlacement,
			Help: "Open the rules of a service by its path; the name of a node after it goes to that node."},
	}, views.When(func() bool { return !m.inside && !m.flow.Active() && !m.list.catalog.list.Typing() }, m.list.rows()))
}

// insideRows are the commands of any service that was entered.
func (m *Model) insideRows() []views.Command {
	turn := func(steps int) func() tea.Cmd {
		return func() tea.Cmd { return m.open.turn(steps) }
	}
	idle := func() bool { return m.onTabs() && !m.open.tab().CapturesText() }
	return append(views.When(idle, []views.Command{
		{ID: "services.switch-open", Key: "S", Name: "start or stop this service", Group: serviceGroup,
			Run:  func() tea.Cmd { return m.list.switches.ask(m.open.service, 0) },
			Hint: views.HintIf(func() bool { return m.showsState() && m.writable.whyNot() == "" }, switchHint),
			Help: "Start the service (asks), or stop it by typing its name."},
		{ID: "services.next-section", Key: "tab", Word: "tabs", Name: "next tab", Group: serviceGroup, Run: turn(1),
			Help: "Definition, placement, history, status. The word draft marks unsent changes."},
		{ID: "services.previous-section", Key: "shift+tab", Name: "previous tab", Group: serviceGroup,
			Run:  turn(-1),
			Help: "The tab before."},
		{ID: manyFirst, Key: "M", Name: manyName, Group: listGroup, Run: m.list.editMarked,
			Enabled: func() string {
				return views.Keys("Edit, then press {key:services.write}: {key:services.many} is in the review.")
			}},
	}), editor.BackRow(func() string { return "back" }, func() bool { return m.inside && !m.flow.Active() && !m.CapturesText() }, m.back))
}

const (
	manyFirst = "services.many-first"
	manyName  = "same change on marked: edit first"

	switchHint = "start/stop"
)

// Footer lists the rows of the footer.
func (m *Model) Footer() []string {
	switch {
	case m.flow.Active():
		return m.flow.Footer()
	case m.inside:
		return m.open.Footer()
	}
	return m.list.Footer()
}
