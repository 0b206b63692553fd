package progress

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// watch has the site looked at. The root reads for every view: an upgrade that
// runs is watched on, and one that has ended is told of once.
func (m *Model) watch() tea.Cmd { return views.Send(views.WatchUpgrade{}) }
