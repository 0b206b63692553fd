package services

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// byPath finds a service in what was read of the list; capitals do not matter.
func (c *catalog) byPath(path string) (service adminapi.ServiceRef, key rowKey, found bool) {
	for _, f := range c.folders {
		for _, s := range f.services {
			if strings.EqualFold(s.Path(), path) {
				return s, rowKey{f.name, s.Path()}, true
			}
		}
	}
	return adminapi.ServiceRef{}, rowKey{}, false
}

// openNamed opens a service by its path. What the list does not have yet is opened when
// its folder comes: before all is read nobody knows that it is not there.
func (m *Model) openNamed(path string) tea.Cmd {
	c := &m.catalog
	c.wanted = ""
	service, key, found := c.byPath(path)
	switch {
	case found:
		left := m.leaveOpen()
		c.list.Select(key)
		return tea.Batch(left, m.openService(service))
	case c.Err != nil && c.Updated.IsZero():
		return views.Tell(views.Warning, "The list could not be read: whether there is "+plain.Line(path)+" is not known. R asks again.")
	case !m.env.Offline && (c.Loading || c.Updated.IsZero()):
		c.wanted = path
		return views.Tell(views.Info, "The list is still being read: "+plain.Line(path)+" is opened as soon as it is found.")
	}
	return views.Tell(views.Warning, "There is no service "+plain.Line(path)+" in the list.")
}

// openWanted opens what was asked for before its folder was read, or says that it is
// not there. Who has gone elsewhere meanwhile is left alone.
func (m *Model) openWanted() tea.Cmd {
	path := m.catalog.wanted
	if _, _, found := m.catalog.byPath(path); path == "" || !found && m.catalog.Loading {
		return nil
	}
	if m.open != nil || m.way != nil || m.catalog.list.Typing() {
		m.catalog.wanted = ""
		return nil
	}
	return m.openNamed(path)
}
