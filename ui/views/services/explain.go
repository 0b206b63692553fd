package services

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation/incident"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
	"geodeck/ui/widget/whatnow"
)

// explainRows open the panel What now about the service under the cursor, or the open one, and
// do what its explanation asks for.
func (m *Model) explainRows() []views.Command {
	return []views.Command{
		{ID: "services.explain", Binding: views.Key("", whatnow.Key), Hint: views.HintIf(m.atFault, "what now"), Name: "what now", Group: listGroup,
			Shown: m.canExplain, Run: views.Do(m.whatNow),
			Help: "Explain why the service is down or its pods wait."},
		{ID: "services.nodes-why", Binding: views.Key("load nodes", "L"), Name: "load nodes", Group: listGroup, Shown: m.wantsNodes, Run: views.Do(m.shared.Nodes.Ask),
			Help: "Load the nodes: they may tell why pods are not ready."},
	}
}

// wantsNodes reports whether the explanation that is shown asks for the nodes.
func (v *shown) wantsNodes() bool {
	service, ok := v.selected()
	return ok && v.canExplain() && v.showsState() && v.atFault() && v.catalog.reasons[service.Path()].explanation.Next.Action.ID == explain.LoadNodes
}

// atFault reports whether the service that commands are about is known not to be up, or not
// to have its pods.
func (v *shown) atFault() bool {
	service, ok := v.explainable()
	if !ok {
		return false
	}
	_, wrong := v.catalog.fault(service.Path())
	return wrong
}

// explainable is the service that What now is about: of those that are down, on their heading, the first.
func (v *shown) explainable() (adminapi.ServiceRef, bool) {
	if row, ok := v.catalog.selected(); ok && !v.inside && row.folder < 0 {
		return v.catalog.down.services[0], true
	}
	return v.selected()
}

// canExplain reports whether the key explains a service now: a change explains itself.
func (v *shown) canExplain() bool {
	return !v.CapturesText() && !v.flow.Active() && !v.comparing()
}

// around is what an explanation takes from outside the API.
func (v *shown) around() incident.Surroundings {
	around := whatnow.Around(v.Env)
	around.Nodes, around.Sharing = v.shared.Nodes.List(), v.catalog.pods.sharing()
	around.Partly = v.catalog.Loading || slices.ContainsFunc(v.catalog.services(), func(s adminapi.ServiceRef) bool {
		scaling, read := v.catalog.pods.scaling[s.Path()]
		return !read || scaling.Err != nil
	})
	return around
}

// explaining returns what explains a service. The nodes are read where that was not done yet.
func (m *Model) explaining(service adminapi.ServiceRef) whatnow.Fetch {
	site, around, source, clock := m.Env.Site, m.around(), m.Env.Nodes, m.Env.Clock
	return whatnow.OrFailed(m.Env, func(ctx context.Context) explain.Explanation {
		if len(around.Nodes) == 0 && source.Known() {
			if nodes, err := source.Read(ctx, clock); err == nil {
				around.Nodes = nodes.List
			}
		}
		return incident.ExplainService(ctx, site, service, around)
	})
}

// whatNow opens the panel with what is known of a service, and reads the rest.
func (m *Model) whatNow() tea.Cmd {
	service, ok := m.explainable()
	if !ok {
		return whatnow.None(m.Env, m.Status(), "No service is chosen: move to one first.")
	}
	if word := m.flow.Sends(service.Path()); word != "" {
		is := map[bool]string{true: "is being sent", false: "waits to be sent"}[word == "sending"]
		return whatnow.Open(m.Env, explain.Explanation{Title: service.Path(), Cause: explain.Cause{Known: true,
			Sentence: "Its edit " + is + ", since " + m.Env.Times.Clock(m.flow.Since()) + "."},
			Next: explain.Step{Text: "Wait for the end of its edit.", Action: explain.OpenService.To(service.Path())}}, nil, nil)
	}
	x := m.catalog.reasons[service.Path()].explanation
	if x.Title == "" {
		x = explain.Service(explain.ServiceFacts{Service: service, Status: m.catalog.states[service.Path()].ServiceStatus})
	}
	if !m.Env.Offline && m.catalog.reasons[service.Path()].explanation.Title == "" { // not a step that the reply may replace
		x.Next = explain.Step{Text: "Reading the site" + m.inks.Glyphs.Ellipsis}
	}
	return whatnow.Open(m.Env, x, m.explaining(service), whatnow.Elsewhere)
}

// fault is what is known to be wrong with a service, which its explanation is made for.
type fault struct {
	configured, real string
	ready, total     int // its pods
	nodes            int // the version of the nodes
}

// reason is the explanation of a service at fault; the zero explanation while it is made.
type reason struct {
	fault       fault
	explanation explain.Explanation
}

// fault returns what is wrong with a service, and whether something is.
func (c *catalog) fault(path string) (fault, bool) {
	known := c.states[path]
	pods, _ := c.pods.of(path)
	wrong := known.amiss() || known.RealTime != "" && c.pods.short(path)
	return fault{known.Configured, known.RealTime, pods.ready, pods.total, 0}, wrong && c.switched[path] == nil
}

// noteRestart remembers the restart of a service, which is none of what it does now where it is zero.
func (c *catalog) noteRestart(path string, restart explain.Restart) {
	c.restarts[path] = restart
	c.redrawStates()
}

// noteEdit remembers the restart after an edit, also of the services that ran in the same pods.
func (c *catalog) noteEdit(path string, restart explain.Restart) {
	for _, same := range c.pods.sharing() {
		for _, other := range same {
			if slices.Contains(same, path) && !c.isDown(other) {
				c.restarts[other] = restart
			}
		}
	}
	c.noteRestart(path, restart)
}

// restarting reports whether a service that should run is down, or lacks pods, for a restart, as far
// as is known.
func (c *catalog) restarting(path string) bool {
	now, known := adminapi.MillisOf(c.Env.Times.Site().Now()), c.states[path]
	return (known.Down() || known.Running() && c.pods.short(path)) && now < c.restarts[path].Until
}

// overdue reports whether a restart that explains why a service is down should be over.
func (c *catalog) overdue(path string) bool {
	return c.reasons[path].explanation.Restart.Until > 0 && !c.restarting(path)
}

// sinceRestart says since when a service restarts, empty where it does not.
func (c *catalog) sinceRestart(path string) string {
	if since := c.restarts[path].Since; since > 0 && c.restarting(path) {
		return " since " + c.Env.Times.Site().Clock(since.Time())
	}
	return ""
}

// explained is the explanation of a service.
type explained struct {
	path string
	reason
}

// explainShown explains the service that is shown where it is at fault, beside its state. Pods
// and nodes come first.
func (m *Model) explainShown() tea.Cmd {
	service, ok := m.selected()
	if !ok || m.Env.Offline || m.flow.Active() || !m.showsState() {
		return nil
	}
	c, path := m.catalog, service.Path()
	f, wrong := c.fault(path)
	if !wrong || !c.pods.tried(path) {
		return nil
	}
	if cmd := m.shared.Nodes.Load(); cmd != nil {
		return cmd
	}
	if f.nodes = m.shared.Nodes.Version(); m.shared.Nodes.Loading() || c.reasons[path].fault == f && !c.overdue(path) {
		return nil
	}
	for other, r := range c.reasons { // it is not made any more
		if r.explanation.Title == "" {
			delete(c.reasons, other)
		}
	}
	c.reasons[path] = reason{fault: f}
	site, around := m.Env.Site, m.around()
	return m.Scope.Do("explain", func(ctx context.Context) tea.Msg {
		return explained{path, reason{f, incident.ExplainService(ctx, site, service, around)}}
	})
}

// writeWhy adds why a service is not up, and what to do, once that was read.
func (c *catalog) writeWhy(p *rows.Page, path string) {
	if x := c.reasonOf(path); x != nil {
		whatnow.Brief(p, *x, "services.switch", "services.refresh", "services.nodes-why")
	}
}

// reasonOf is the explanation of a service at fault; nil where it was not read for what is wrong now.
func (c *catalog) reasonOf(path string) *explain.Explanation {
	f, wrong := c.fault(path)
	r := c.reasons[path]
	if f.nodes = r.fault.nodes; !wrong || r.fault != f {
		return nil
	}
	return &r.explanation
}
