package change

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/nodesource"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// planned is a plan that is ready for its review.
type planned struct {
	edits    []batching.PlannedEdit
	services []adminapi.ServiceRef // that it was made for; nil for a change of one
	shared   []adminapi.Deployment // read for the plan: whose pods may have other services
	nodes    nodesource.Nodes      // read for the plan; none where they were known
	version  int                   // of the nodes it was made with
}

// check plans in a command: a definition may be long, and nodes many.
func (f *Flow) check(edit editing.Edit) tea.Cmd {
	nodes := func(context.Context) nodesource.Nodes { return nodesource.Nodes{} }
	if edit.Part == editing.Placement {
		nodes = f.nodes.ForPlan()
	}
	version, read := f.nodes.Version(), f.deployments.Reader(f.Env.Site.Client)
	return f.Scope.Do("plan", func(ctx context.Context) tea.Msg {
		r := planned{nodes: nodes(ctx), version: version}
		edit.Nodes = r.nodes.List
		r.edits = []batching.PlannedEdit{{Edit: edit, Plan: edit.Plan()}}
		r.shared, _ = read(ctx, movedIn(r.edits))
		return r
	})
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

func (f *Flow) planned(r planned) tea.Cmd {
	if f.step != checking && !f.replanning {
		return nil
	}
	defer f.lay()
	if err := r.signIn(); err != nil {
		if len(f.results) > 0 { // a plan of the remaining services
			f.step = ended
			return f.Scope.RetryAfterSignIn(err, "plan", f.ofRun(f.continueRemaining))
		}
		f.step, f.several = reviewing, false // back to the review of one
		return f.Scope.RetryAfterSignIn(err, "plan", f.ofRun(f.replan))
	}
	if why, is := errors.AsType[*editing.OneServiceError](r.edits[0].Refused); is {
		f.step, f.several, f.alone = reviewing, false, true
		return views.Tell(views.Warning, views.Sentence(why.Why))
	}
	if r.edits[0].Part == editing.Placement {
		switch {
		case f.nodes.Version() == 0 && len(r.nodes.List) > 0:
			f.nodes.Take(r.nodes)
		case r.version == f.nodes.Version():
		case r.services != nil: // it was made with older nodes
			return f.planFor(r.services)
		default:
			return f.check(r.edits[0].Edit)
		}
	}
	f.deployments.Read(r.shared)
	for _, e := range r.edits {
		for _, move := range e.Plan.Moves {
			f.deployments.Note(e.Service.Path(), move.After)
		}
	}
	if f.several && f.of.Edited == nil { // of an interrupted batch
		f.of = r.edits[0].Edit
	}
	f.edits, f.version, f.requests, f.showsRequests = r.edits, f.nodes.Version(), nil, false
	f.past, f.pastKnown = nil, false
	f.plan, f.replanning = f.plan+1, false
	if !f.several && f.edits[0].Unchanged() {
		f.step = idle
		return views.Tell(views.Info, "No changes to send.")
	}
	f.step, f.results, f.search, f.followed = reviewing, nil, nil, nil
	if f.target().Part == editing.Placement {
		f.review.AboutService = f.aboutService
	}
	f.review.Set(f.plans()...)
	var read tea.Cmd
	if f.explains() {
		read = f.readRequests(false)
	}
	if f.resuming {
		f.resuming = false
		return tea.Batch(read, f.askToSend(true))
	}
	return read
}

// NodesChanged makes the plan of a reviewed change of rules once more, with the new nodes.
// The review of one service stays on the screen meanwhile: a name may just be typed into it.
func (f *Flow) NodesChanged() tea.Cmd {
	if f.step != reviewing || f.target().Part != editing.Placement || f.version == f.nodes.Version() {
		return nil
	}
	f.replanning = true
	if f.several {
		return f.planFor(f.services())
	}
	return f.check(f.edits[0].Edit)
}

// saved is a plan that was written to a file.
type saved struct {
	path string
	err  error
}

// savePlan writes the reviewed plan into a new file.
func (f *Flow) savePlan() tea.Cmd {
	name := "services-plan.txt"
	if !f.several {
		name = views.FileSafe(strings.ReplaceAll(f.about(), "/", "-")) + "-plan.txt"
	}
	text := "A plan, not sent. " + f.title + " of " + plain.Line(f.about()) + ", " + f.Env.Times.Moment(f.Env.Clock.Now()) + "\n\n"
	if f.target().Part == editing.Placement && !f.sawNodes() {
		text += noNodesSeen + "\n\n"
	}
	text += f.review.Text() + "\n"
	path := filepath.Join(f.folder, name)
	site, edits := f.Env.Site, f.toSend()
	return f.Scope.Do("save", func(ctx context.Context) tea.Msg {
		text += requestText(ctx, site, edits)
		path, err := operation.WriteNew(path, func(out io.Writer) error {
			_, err := io.WriteString(out, text)
			return err
		})
		return saved{path, err}
	})
}
