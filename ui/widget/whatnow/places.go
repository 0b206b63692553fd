package whatnow

import (
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/explain"
	"geodeck/ui/views"
)

// Elsewhere shows a place in the view that has it, nil where none has.
func Elsewhere(at explain.Place) tea.Cmd {
	to := views.Navigate{Argument: at.ID}
	switch at.Kind {
	case explain.Message:
		to.View, to.Command, to.Argument = "progress", "progress.message", strconv.Itoa(at.Number+1)
	case explain.Phase:
		to.View, to.Command = "progress", "progress.phase"
	case explain.Report:
		to.View, to.Command = "health", "health.open"
	case explain.Test:
		to.View, to.Command, to.Argument = "health", "health.open", at.In
	case explain.ServiceAt, explain.Rule:
		to.View, to.Command = "services", "services.open"
	case explain.Deployment, explain.Node:
		to.View, to.Command, to.Argument = "services", "services.open", at.In
	}
	if to.View == "" || to.Argument == "" {
		return nil
	}
	return views.Send(to)
}
