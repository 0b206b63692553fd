// Package batching makes one change in several services: it is planned ([PlanMany]), kept on disk as a plan
// (planfile.go), and sent one service after the other ([Apply]). A batch that was interrupted goes on with its
// plan (batch.go).
package batching

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// PlannedEdit is the same change on one of several services.
type PlannedEdit struct {
	editing.Edit
	Plan editing.Plan
	// Refused is why the change cannot be made in it, nil where it can: the definition
	// could not be fetched, a place is missing, the result breaks a rule.
	Refused error
	// With is the path of the service whose edit changes this one, too: both share their
	// deployments. Empty for none.
	With string
	// Sent is why it is not sent again: it was sent before, and its end was not seen. See
	// [operation.Site.EditGoesOn].
	Sent error
	// NotBack reports whether a service that has the change already was seen not to run, although it should: it was
	// sent the change before, and has not started again.
	NotBack bool
}

// Unchanged reports whether nothing is to be sent for the service: it has the whole change
// already, gets it with another, or was sent it.
func (p PlannedEdit) Unchanged() bool {
	return p.Refused == nil && (len(p.Plan.Changes) == 0 || p.With != "" || p.Sent != nil)
}

// Has says that the site has the change in a service, behind its name.
func (p PlannedEdit) Has() string {
	if p.NotBack {
		return "has this already, and has not started again yet"
	}
	return "has this already"
}

// GoesOn says how an edit stands that was sent before.
func (p PlannedEdit) GoesOn() string {
	if earlier, is := errors.AsType[*operation.EarlierJobError](p.Sent); is {
		return "its job " + plain.Line(earlier.Job) + " runs"
	}
	return "its end was not seen"
}

// SentBefore says which edits were sent before and may still run, in a sentence without its end; empty for none.
func SentBefore(edits []PlannedEdit) string {
	var names []string
	for _, e := range edits {
		if e.Sent != nil {
			names = append(names, plain.Line(e.Service.Path())+" ("+e.GoesOn()+")")
		}
	}
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d sent already: %s", len(names), len(edits), plain.Listed(names, 3, ", ", " and "))
}

// ToSend returns the edits that can be made, and change something.
func ToSend(edits []PlannedEdit) []PlannedEdit {
	return slices.DeleteFunc(slices.Clone(edits), func(e PlannedEdit) bool { return e.Refused != nil || e.Unchanged() })
}

// NotRunning says which of the services that an edit is sent to are known not to run before it, in a sentence
// without its end; empty for none. state is what was read of each.
func NotRunning(edits []PlannedEdit, state func(adminapi.ServiceRef) availability.State) string {
	var names []string
	for _, e := range ToSend(edits) {
		if now := state(e.Service); now.RealTime != "" && (!now.Settled() || !now.Running()) {
			names = append(names, plain.Line(e.Service.Path()+" ("+now.Text()+")"))
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "not running before the edit: " + plain.Listed(names, 3, ", ", " and ")
}

// PlanMany makes the change of an edit in several services, whatever their values are now. Of
// a definition those are its changes by path. Of a placement policy the affinity and the
// tolerations that it changes replace those of the deployment of the same type, or of the only
// one; where it changes more, each is refused with a [editing.OneServiceError]. A deployment that several
// services share is changed with the first of them. Nothing is sent. report gets the number of
// services that are done.
func PlanMany(ctx context.Context, s operation.Site, services []adminapi.ServiceRef, of editing.Edit, report func(done int)) []PlannedEdit {
	return planAll(ctx, s, services, of.Part, of.AllChanges(), report)
}

// PlanEach plans what edit makes of one part of each of several services, as [PlanMany] does:
// a service for which it fails is refused. nodes are those of the cluster, for rules.
func PlanEach(ctx context.Context, s operation.Site, services []adminapi.ServiceRef, part editing.Part, nodes []placement.Node, edit func(adminapi.ServiceRef, *document.Document) (*document.Document, error)) []PlannedEdit {
	return planAll(ctx, s, services, part, editing.ChangesBy(edit, nodes), nil)
}

func planAll(ctx context.Context, s operation.Site, services []adminapi.ServiceRef, part editing.Part, changes editing.Changes, report func(done int)) []PlannedEdit {
	planned := make([]PlannedEdit, len(services))
	for i, service := range services {
		planned[i] = planOne(ctx, s, editing.Target{Service: service, Part: part}, changes)
		if len(services) > 1 {
			planned[i].Why = "an edit of several services"
			if planned[i].Refused == nil {
				planned[i].Sent = s.EditGoesOn(ctx, planned[i].Edit)
			}
		}
		if report != nil {
			report(i + 1)
		}
	}
	Share(planned)
	return planned
}

func planOne(ctx context.Context, s operation.Site, target editing.Target, changes editing.Changes) PlannedEdit {
	p := PlannedEdit{Edit: editing.Edit{Target: target, Nodes: changes.Nodes}}
	if p.Refused = changes.Refused; p.Refused != nil {
		return p
	}
	d, err := s.Read(ctx, target)
	if err != nil {
		p.Refused = err
		return p
	}
	p.Base, p.Keys = d.Document, s.Memory.Keys()
	p.Edited, p.Refused = changes.In(d)
	if p.Refused != nil {
		return p
	}
	p.Plan = p.Edit.Plan()
	if len(p.Plan.Changes) > 0 { // removed keys are confirmed in the review
		p.Refused = p.Edit.Blocked()
	}
	return p
}

// Share finds the edits of rules that change the same deployments, which services may share: the first of them
// is sent, and changes the others too.
func Share(edits []PlannedEdit) {
	sharing := map[string]string{}
	for i := range edits {
		edits[i].share(sharing)
	}
}

// share notes which deployments the plan changes. Those that another plan changes, too, are
// not sent twice: with the second the site would have another policy than was read.
func (p *PlannedEdit) share(sharing map[string]string) {
	if p.Refused != nil {
		return
	}
	shared := 0
	for _, move := range p.Plan.Moves {
		if with, ok := sharing[move.After.DeploymentID]; ok {
			p.With = with
			shared++
		}
	}
	if shared > 0 && shared < len(p.Plan.Moves) {
		p.Refused = fmt.Errorf("it shares one of its deployments with %s; change it on its own", plain.Line(p.With))
		return
	}
	for _, move := range p.Plan.Moves {
		if id := move.After.DeploymentID; id != "" && p.With == "" {
			sharing[id] = p.Service.Path()
		}
	}
}

// Apply applies edits in order. Where asked to, it waits after each until the service answers,
// two minutes at most. It stops at the first edit that is not done, has an error, or leaves
// its service down, and behind which stopped reports true (nil never does): those after it are not
// sent, and not in the result. The result of each is
// reported before the next is sent. Edits that change nothing, or cannot be made, are skipped.
// Several are kept as one until it returns before the end of ctx, see [AllInterrupted];
// where that fails, nothing is sent.
func Apply(ctx context.Context, s operation.Site, edits []PlannedEdit, wait bool, stopped func() bool,
	report func(service adminapi.ServiceRef, p operation.EditProgress),
) (results []operation.AppliedEdit) {
	if report == nil {
		report = func(adminapi.ServiceRef, operation.EditProgress) {}
	}
	edits = ToSend(edits)
	end, err := Begin(s, edits)
	if err != nil {
		return []operation.AppliedEdit{{Target: edits[0].Target, Result: operation.PrepareEdit(edits[0].Edit, s).Result(adminapi.OutcomeNotSent, err)}}
	}
	for _, edit := range edits {
		result := operation.AppliedEdit{Target: edit.Target}
		result.Applied, result.Result = s.ApplyEdit(ctx, edit.Edit, func(p operation.EditProgress) { report(edit.Service, p) })
		if wait && result.Done() {
			result.After = s.Availability().Wait(ctx, edit.Service, editing.DeploymentsOf(edit.Part, edit.Edited), func(now availability.Snapshot) {
				report(edit.Service, operation.EditProgress{Step: operation.StepAnswer, Part: edit.Part, After: now})
			})
		}
		results = append(results, result)
		report(edit.Service, operation.EditProgress{Step: operation.StepEnded, Part: edit.Part, Ended: &result})
		if !result.Done() || result.Down() || stopped != nil && stopped() {
			break
		}
	}
	if ctx.Err() == nil {
		end()
	}
	return results
}
