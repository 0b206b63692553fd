package services

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// move runs a command of the list.
func (m *Model) move(id, argument string) tea.Cmd {
	if id == rows.Search && argument != "" {
		m.catalog.list.SetFilter(argument)
	} else {
		m.catalog.list.Do(id)
	}
	return m.follow()
}

// enter opens the service under the cursor, or folds the folder.
func (m *Model) enter() tea.Cmd {
	row, ok := m.selected()
	switch {
	case !ok:
		return nil
	case row.service == nil:
		m.catalog.list.Do(rows.Toggle)
		return m.follow()
	}
	return m.openService(*row.service)
}

// openPath opens a service by the path that was typed.
func (m *Model) openPath(path string) tea.Cmd {
	switch {
	case m.way != nil:
		return views.Tell(views.Warning, "First finish what is on its way out, or go back from it.")
	case m.open != nil && m.open.busy():
		return views.Tell(views.Warning, "First finish what is being typed, or leave it.")
	case path == "":
		return views.Tell(views.Warning, "Name a service, such as Utilities/Geometry.GeometryServer.")
	}
	return m.openNamed(path)
}

// back clears a filter: it hides things.
func (m *Model) back() tea.Cmd {
	m.catalog.list.SetFilter("")
	return m.follow()
}

func (m *Model) unmark() tea.Cmd {
	m.catalog.list.Unmark()
	m.catalog.list.Redraw()
	return nil
}

// refresh reads the folders again, the states that are seen, and the drafts.
func (m *Model) refresh() tea.Cmd {
	if m.env.Offline {
		return views.Tell(views.Warning, "There is no site to read from.")
	}
	m.catalog.givenUp = ""
	for path, known := range m.catalog.states {
		known.stale = true
		m.catalog.states[path] = known
	}
	return tea.Batch(m.readFolders(), m.readDrafts(), m.readMode())
}

func (m *Model) copyPath() tea.Cmd {
	service, ok := m.selectedService()
	if !ok {
		return nil
	}
	return views.Send(views.Copy{Text: service.Path(), What: "path of the service"})
}

// sameService tells whether two are the same, wherever they were listed.
func sameService(a, b adminapi.ServiceRef) bool { return a.Path() == b.Path() }
