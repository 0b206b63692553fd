package whatnow

import (
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/explain"
	"geodeck/ui/views"
)

// None says why nothing in a view is explained, or explains the upgrade where that failed.
func None(env *views.Env, why string) tea.Cmd {
	if env.Upgrade.Failed() {
		return views.Send(views.Navigate{View: "progress", Command: "progress.explain"})
	}
	return views.Tell(views.Info, why)
}

// Elsewhere shows a place in the view that has it, nil where none has.
func Elsewhere(at explain.Place) tea.Cmd {
	to := views.Navigate{Argument: at.ID}
	switch at.Kind {
	case explain.Message:
		to.View, to.Command, to.Argument = "progress", "progress.message", strconv.Itoa(at.Number+1)
	case explain.Phase:
		to.View, to.Command = "progress", "progress.phase"
	case explain.Report:
		to.View, to.Command = "health", "health.report"
	case explain.Test: // its report: that is not shown
		to.View, to.Command, to.Argument = "health", "health.report", at.In
	case explain.ServiceAt:
		to.View, to.Command = "services", "services.open"
	case explain.Deployment:
		to.View, to.Command, to.Argument = "services", "services.open", at.In
	case explain.Rule:
		to.View, to.Command = "services", "services.placement"
	case explain.Node:
		if to.Argument = at.In; at.In != "" {
			to.View, to.Command, to.Argument = "services", "services.placement", at.In+" "+at.ID
		}
	}
	if to.View == "" || to.Argument == "" {
		return nil
	}
	return views.Send(to)
}
