package services

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
	"geodeck/ui/widget/whatnow"
)

// explainRow opens the panel What now about the service under the cursor, or the open one.
func (m *Model) explainRow() []views.Command {
	return views.HintedWhen(m.atFault, views.Command{ID: "services.explain", Binding: views.Key("what now", whatnow.Key), Name: "what now", Group: listGroup,
		Enabled: m.canExplain, Run: views.Do(m.whatNow),
		Help: "Explain why the service is not up, or why its pods wait: the cause, its evidence, what not to do, and the next step."})
}

// atFault reports whether the service that commands are about is known not to be up, or not
// to have its pods.
func (m *Model) atFault() bool {
	service, ok := m.selected()
	return ok && m.catalog.states[service.Path()].amiss()
}

// canExplain reports whether the key explains a service now: on the tab Placement it belongs
// to the rules, and in a change to that.
func (m *Model) canExplain() bool {
	_, ok := m.selected()
	return ok && !m.CapturesText() && !m.flow.Active() && !(m.inside && (m.open.comparison != nil || m.open.tab() == tab(m.open.placement)))
}

// around is what an explanation takes from outside the API.
func (m *Model) around() operation.Surroundings {
	times := m.Env.Times.Site()
	return operation.Surroundings{Nodes: m.shared.Nodes.List(), Times: func(at adminapi.Millis) string { return times.Moment(at.Time()) }}
}

// explaining returns what explains a service. The nodes are read where that was not done yet.
func (m *Model) explaining(service adminapi.ServiceRef) whatnow.Fetch {
	site, around, source, clock := m.Env.Site, m.around(), m.Env.Nodes, m.Env.Clock
	return func(ctx context.Context) explain.Explanation {
		if len(around.Nodes) == 0 && source.Known() {
			if nodes, err := source.Read(ctx, clock); err == nil {
				around.Nodes = nodes.List
			}
		}
		return site.ExplainService(ctx, service, around)
	}
}

// whatNow opens the panel with what is known of a service, and reads the rest.
func (m *Model) whatNow() tea.Cmd {
	service, ok := m.selected()
	if !ok {
		return views.Tell(views.Info, "No service is chosen.")
	}
	x := explain.Service(explain.ServiceFacts{Service: service, Status: m.catalog.states[service.Path()].ServiceStatus})
	return whatnow.Open(m.Env, x, m.explaining(service), whatnow.Elsewhere)
}
