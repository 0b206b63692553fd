package uitest

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// PressKey runs the command that a key stands for, and returns its row.
func PressKey(v interface{ Commands() []views.Command }, name string) (tea.Cmd, views.Command, bool) {
	row, ok := views.Pressed(v.Commands(), name)
	if !ok {
		return nil, row, false
	}
	return row.Do(""), row, true
}
