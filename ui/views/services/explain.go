package services

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation/incident"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/widget/rows"
	"geodeck/ui/widget/whatnow"
)

// explainer explains a service that is at fault: beside its state, and in the panel What now.
type explainer struct {
	views.Base
	catalog *catalog
	states  *states
	nodes   *cluster.Nodes
	asks    explainAsks
}

// explainAsks are what an explainer has to know of what is on the screen.
type explainAsks struct {
	possible func() bool                        // whether a service can be explained now
	of       func() (adminapi.ServiceRef, bool) // the service that is explained
	beside   func() (adminapi.ServiceRef, bool) // that whose state is on the screen
	since    func() string                      // when what is sent was begun
	status   func() views.Status
}

// rows open the panel What now, and do what its explanation asks for.
func (x *explainer) rows() []views.Command {
	return []views.Command{
		{ID: "services.explain", Key: whatnow.Key, Hint: views.HintIf(x.atFault, "what now"),
			Name: "what now", Group: listGroup,
			Shown: x.asks.possible, Run: x.open,
			Help: "Explain why the service is down or its pods wait."},
		{ID: "services.nodes-why", Key: "L", Word: "load nodes", Name: "load nodes", Group: listGroup,
			Shown: x.wantsNodes, Run: x.nodes.Ask,
			Help: "Load the nodes: they may tell why pods are not ready."},
	}
}

// wantsNodes reports whether the explanation that is shown asks for the nodes.
func (x *explainer) wantsNodes() bool {
	service, ok := x.asks.beside()
	return ok && x.asks.possible() && x.atFault() && x.states.reasons[service.Path()].explanation.Next.Action.ID == explain.LoadNodes
}

// atFault reports whether the service is known not to be up, or not to have its pods.
func (x *explainer) atFault() bool {
	service, ok := x.asks.of()
	if !ok {
		return false
	}
	_, wrong := x.states.fault(service.Path())
	return wrong
}

// around is what an explanation takes from outside the API.
func (x *explainer) around() incident.Surroundings {
	around := whatnow.Around(x.Env)
	around.Nodes, around.Sharing = x.nodes.List(), x.states.pods.sharing()
	around.Partly = x.catalog.Loading || slices.ContainsFunc(x.catalog.services(), func(s adminapi.ServiceRef) bool {
		scaling, read := x.states.pods.scaling[s.Path()]
		return !read || scaling.Err != nil
	})
	return around
}

// explaining returns what explains a service. The nodes are read where that was not done yet.
func (x *explainer) explaining(service adminapi.ServiceRef) whatnow.Fetch {
	site, around, source, clock := x.Env.Site, x.around(), x.Env.Nodes, x.Env.Clock
	return whatnow.OrFailed(x.Env, func(ctx context.Context) explain.Explanation {
		if len(around.Nodes) == 0 && source.Known() {
			if nodes, err := source.Read(ctx, clock); err == nil {
				around.Nodes = nodes.List
			}
		}
		return incident.ExplainService(ctx, site, service, around)
	})
}

// open opens the panel with what is known of a service, and reads the rest.
func (x *explainer) open() tea.Cmd {
	service, ok := x.asks.of()
	if !ok {
		return whatnow.None(x.Env, x.asks.status(), "No service is chosen: move to one first.")
	}
	if word := x.states.sends(service.Path()); word != "" {
		is := map[bool]string{true: "is being sent", false: "waits to be sent"}[word == "sending"]
		return whatnow.Open(x.Env, explain.Explanation{Title: service.Path(), Cause: explain.Cause{Known: true,
			Sentence: "Its edit " + is + ", since " + x.asks.since() + "."},
			Next: explain.Step{Text: "Wait for the end of its edit.", Action: explain.OpenService.To(service.Path())}}, nil, nil)
	}
	shown := x.states.reasons[service.Path()].explanation
	read := shown.Title != ""
	if !read {
		shown = explain.Service(explain.ServiceFacts{Service: service, Status: x.states.known[service.Path()].ServiceStatus})
	}
	if !x.Env.Offline && !read { // not a step that the reply may replace
		shown.Next = explain.Step{Text: "Reading the site" + x.Env.Theme.Glyphs.Ellipsis}
	}
	return whatnow.Open(x.Env, shown, x.explaining(service), whatnow.Elsewhere)
}

// follow explains the service whose state is on the screen where it is at fault. Pods and nodes come first.
func (x *explainer) follow() tea.Cmd {
	service, ok := x.asks.beside()
	if !ok || x.Env.Offline {
		return nil
	}
	path := service.Path()
	f, wrong := x.states.fault(path)
	if !wrong || !x.states.pods.tried(path) {
		return nil
	}
	if cmd := x.nodes.Load(); cmd != nil {
		return cmd
	}
	if f.nodes = x.nodes.Version(); x.nodes.Loading() || x.states.reasons[path].fault == f && !x.states.overdue(path) {
		return nil
	}
	for other, r := range x.states.reasons { // it is not made any more
		if r.explanation.Title == "" {
			delete(x.states.reasons, other)
		}
	}
	x.states.reasons[path] = reason{fault: f}
	site, around := x.Env.Site, x.around()
	return x.Scope.Work("explain", func(ctx context.Context) func() tea.Cmd {
		why := incident.ExplainService(ctx, site, service, around)
		return func() tea.Cmd {
			x.states.reasons[path] = reason{f, why}
			x.states.noteRestart(path, why.Restart)
			return nil
		}
	})
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
func (st *states) fault(path string) (fault, bool) {
	known := st.known[path]
	pods, _ := st.pods.of(path)
	wrong := known.amiss() || known.RealTime != "" && st.pods.short(path)
	return fault{known.Configured, known.RealTime, pods.ready, pods.total, 0}, wrong && st.switched[path] == nil
}

// reasonOf is the explanation of a service at fault; nil where it was not read for what is wrong now.
func (st *states) reasonOf(path string) *explain.Explanation {
	f, wrong := st.fault(path)
	r := st.reasons[path]
	if f.nodes = r.fault.nodes; !wrong || r.fault != f {
		return nil
	}
	return &r.explanation
}

// writeWhy adds why a service is not up, and what to do, once that was read.
func (st *states) writeWhy(p *rows.Page, path string) {
	if x := st.reasonOf(path); x != nil {
		whatnow.Brief(p, *x, "services.switch", "services.refresh", "services.nodes-why")
	}
}

// noteRestart remembers the restart of a service, which is none of what it does now where it is zero.
func (st *states) noteRestart(path string, restart explain.Restart) {
	st.restarts[path] = restart
	st.changed()
}

// noteEdit remembers the restart after an edit, also of the services that ran in the same pods.
func (st *states) noteEdit(path string, restart explain.Restart) {
	for _, same := range st.pods.sharing() {
		for _, other := range same {
			if slices.Contains(same, path) && !st.isDown(other) {
				st.restarts[other] = restart
			}
		}
	}
	st.noteRestart(path, restart)
}

// restarting reports whether a service that should run is down, or lacks pods, for a restart, as far
// as is known.
func (st *states) restarting(path string) bool {
	now, known := adminapi.MillisOf(st.Env.Times.Site().Now()), st.known[path]
	return (known.Down() || known.Running() && st.pods.short(path)) && now < st.restarts[path].Until
}

// overdue reports whether a restart that explains why a service is down should be over.
func (st *states) overdue(path string) bool {
	return st.reasons[path].explanation.Restart.Until > 0 && !st.restarting(path)
}
