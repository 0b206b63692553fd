package services

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// status is the section of a service's state.
type status struct {
	m       *Model
	service adminapi.ServiceRef
	size    box
}

func newStatus(m *Model, service adminapi.ServiceRef) section {
	return &status{m: m, service: service}
}

func (s *status) title() string          { return "Status" }
func (s *status) asked() *views.Fetch    { return nil }
func (s *status) back() bool             { return false }
func (s *status) notes() []string        { return nil }
func (s *status) capturesText() bool     { return false }
func (s *status) update(tea.Msg) tea.Cmd { return nil }
func (s *status) leave() string          { return "" }

func (s *status) shown() tea.Cmd { return s.m.askStates([]adminapi.ServiceRef{s.service}) }

func (s *status) setSize(width, height int) { s.size = box{width, height} }

func (s *status) commands() []views.Command {
	return []views.Command{s.m.offered(cmdSwitchOpen), hinted(cmdReread, "read again"), cmdCopy}
}

func (s *status) do(id, _ string) (tea.Cmd, bool) {
	switch id {
	case cmdSwitchOpen.ID:
		return s.m.askSwitch(), true
	case cmdReread.ID:
		return s.shown(), true
	case cmdCopy.ID:
		return s.m.copyPath(), true
	}
	return nil, false
}

func (s *status) view() string {
	p := s.m.page()
	s.m.writeState(p, s.service.Path())
	p.Gap()
	p.Fact("Type", plain.Line(s.service.Type))
	p.Fact("Folder", folderName(s.service.Folder))
	p.Fact("Id", plain.Line(s.service.ID))
	p.Fact("Description", s.service.Description)
	return s.m.block(p.Lines, s.size)
}
