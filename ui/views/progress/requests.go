package progress

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// watch has the site looked at. The root reads for every view: an upgrade that
// runs is watched on, and one that has ended is told of once.
func (m *Model) watch() tea.Cmd { return views.Send(views.WatchUpgrade{}) }

// The view that runs health checks, and its command.
const (
	healthView = "health"
	healthRun  = "health.run"
)

// checkHealth leads to where a health check is run.
func (m *Model) checkHealth() tea.Cmd {
	m.around.again()
	return views.Send(views.Navigate{View: healthView, Command: healthRun})
}
