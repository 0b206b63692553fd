package change

import (
	"context"
	"errors"
	"fmt"
	"maps"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/ui/views"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/widget/rows"
)

// planner is the step in which a plan is made, in a command: a definition may be long, and nodes many.
type planner struct {
	views.Base
	inks        *rows.Inks
	nodes       *cluster.Nodes
	deployments *cluster.Deployments
	take        func(planned) tea.Cmd
	of          editing.Edit            // the change that is made in each of several
	own         map[string]editing.Edit // of a batch that a program has left: what the plan makes of each service, by path
	read        int                     // of several: how many definitions were fetched
	wanted      int                     // of several: how many have to be fetched; zero for a change of one
}

// planned is a plan that is ready for its review.
type planned struct {
	edits    []batching.PlannedEdit
	services []adminapi.ServiceRef // that it was made for; nil for a change of one
	shared   []adminapi.Deployment // read for the plan: whose pods may have other services
	nodes    nodesource.Nodes      // read for the plan; none where they were known
	version  int                   // of the nodes it was made with
	again    func() tea.Cmd        // makes it once more
	failed   func(error) tea.Cmd   // takes what prevents a plan of an interrupted batch
}

// begin forgets the change before.
func (p *planner) begin() { p.of, p.own, p.read, p.wanted = editing.Edit{}, nil, 0, 0 }

// plan makes a plan of what edits returns, with the nodes that are known; again makes it once more.
func (p *planner) plan(again func() tea.Cmd, edits func(context.Context, *planned) error) tea.Cmd {
	version, read := p.nodes.Version(), p.deployments.Reader(p.Env.Site.Client)
	return p.Scope.Work("plan", func(ctx context.Context) func() tea.Cmd {
		r := planned{version: version, again: again}
		if err := edits(ctx, &r); err != nil {
			return func() tea.Cmd { return r.failed(err) }
		}
		r.shared, _ = read(ctx, movedIn(r.edits))
		return func() tea.Cmd { return p.take(r) }
	})
}

// one plans an edit.
func (p *planner) one(edit editing.Edit) tea.Cmd {
	p.wanted = 0
	nodes, memory := func(context.Context) nodesource.Nodes { return nodesource.Nodes{} }, p.Env.Site.Memory
	if edit.Part == editing.Placement {
		nodes = p.nodes.ForPlan()
	}
	return p.plan(func() tea.Cmd { return p.one(edit) }, func(ctx context.Context, r *planned) error {
		r.nodes = nodes(ctx)
		edit.Nodes, edit.Keys = r.nodes.List, memory.Keys()
		r.edits = []batching.PlannedEdit{{Edit: edit, Plan: edit.Plan()}}
		return nil
	})
}

// many plans the change on several services.
func (p *planner) many(services []adminapi.ServiceRef) tea.Cmd {
	p.read, p.wanted = 0, len(services)
	of := p.of
	if p.nodes.Version() > 0 {
		of.Nodes = p.nodes.List()
	}
	own, site, progress := maps.Clone(p.own), p.Env.Site, views.NewReports[int]()
	made := p.plan(func() tea.Cmd { return p.many(services) }, func(ctx context.Context, r *planned) error {
		defer close(progress)
		r.services = services
		if own == nil {
			r.edits = batching.PlanMany(ctx, site, services, of, progress.Send)
			return nil
		}
		r.edits = batching.PlanEach(ctx, site, services, of.Part, of.Nodes, func(service adminapi.ServiceRef, now *document.Document) (*document.Document, error) {
			edit := own[service.Path()] // others may have had some of the change before
			return edit.AllChanges().In(editing.Content{Target: edit.Target, Document: now})
		})
		return nil
	})
	return tea.Batch(made, progress.Listen(p.Scope, func(read int) tea.Cmd {
		p.read = read
		return nil
	}))
}

// left plans what is left of a batch that a program has left.
func (p *planner) left(batch batching.Interrupted, failed func(error) tea.Cmd) tea.Cmd {
	p.wanted = len(batch.Sent) + len(batch.Left)
	nodes, site := p.nodes.List(), p.Env.Site
	return p.plan(func() tea.Cmd { return p.left(batch, failed) }, func(ctx context.Context, r *planned) error {
		r.failed = failed
		file, err := batching.ReadPlanFile(batch.Plan)
		if err == nil {
			r.edits, err = batching.PlanAgain(ctx, site, file, nodes, editing.Accepted{})
		}
		for i, e := range r.edits {
			r.services = append(r.services, e.Service)
			if _, open := errors.AsType[*editing.NotAcceptedError](e.Refused); open { // it is accepted in the review
				r.edits[i].Refused = nil
			}
		}
		return err
	})
}

// keep keeps what the plan of a batch that a program has left makes of each service.
func (p *planner) keep(edits []batching.PlannedEdit) {
	if p.own == nil {
		p.of, p.own = editing.Edit{Target: edits[0].Target}, map[string]editing.Edit{}
	}
	for _, e := range edits {
		if e.Base != nil && e.Edited != nil {
			p.own[e.Service.Path()] = e.Edit
		}
	}
}

// movedIn are the deployments whose rules some edits change, as many as are fetched for a plan.
// What is not read the review says to be unknown.
func movedIn(edits []batching.PlannedEdit) (ids []string) {
	for _, e := range edits {
		for _, move := range e.Plan.Moves {
			ids = append(ids, move.After.DeploymentID)
		}
	}
	return ids[:min(len(ids), maxDeployments)]
}

// maxDeployments bounds the deployments that a plan fetches.
const maxDeployments = 64

// signIn is the error of a definition whose fetch needs a sign-in, nil for none.
func (r planned) signIn() error {
	for _, e := range r.edits {
		if errors.Is(e.Refused, adminapi.KindSignIn) {
			return e.Refused
		}
	}
	return nil
}

// Footer lists the rows of the footer.
func (p *planner) Footer() []string { return []string{"services.back"} }

// Note names the step.
func (p *planner) Note(int) string { return "check" }

// View says what is going on.
func (p *planner) View() string {
	text := "Checking the changes"
	if p.wanted > 0 {
		text = fmt.Sprintf("Reading the services: %d of %d", p.read, p.wanted)
	}
	return p.inks.Running.On(p.inks.Glyphs.Running) + " " + text
}
