package operation

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// PlannedEdit is the same change on one of several services.
type PlannedEdit struct {
	Edit
	Plan EditPlan
	// Refused is why the change cannot be made in it, nil where it can: the definition
	// could not be fetched, a place is missing, the result breaks a rule.
	Refused error
	// With is the path of the service whose edit changes this one, too: both share their
	// deployments. Empty for none.
	With string
}

// Unchanged reports whether nothing is to be sent for the service: it has the whole change
// already, or gets it with another.
func (p PlannedEdit) Unchanged() bool {
	return p.Refused == nil && (len(p.Plan.Changes) == 0 || p.With != "")
}

// PlanMany makes the change of an edit in several services, whatever their values are now. Of
// a definition those are its changes by path. Of a placement policy the affinity and the
// tolerations that it changes replace those of the deployment of the same type, or of the only
// one; where it changes more, each is refused with a [OneServiceError]. A deployment that several
// services share is changed with the first of them. Nothing is sent. report gets the number of
// services that are done.
func (s Site) PlanMany(ctx context.Context, services []adminapi.ServiceRef, of Edit, report func(done int)) []PlannedEdit {
	return s.planAll(ctx, services, of.Part, of.change(), report)
}

// PlanEach plans what edit makes of one part of each of several services, as [Site.PlanMany] does:
// a service for which it fails is refused. nodes are those of the cluster, for rules.
func (s Site) PlanEach(ctx context.Context, services []adminapi.ServiceRef, part Part, nodes []placement.Node, edit func(adminapi.ServiceRef, *document.Document) (*document.Document, error)) []PlannedEdit {
	return s.planAll(ctx, services, part, change{edit: edit, nodes: nodes}, nil)
}

func (s Site) planAll(ctx context.Context, services []adminapi.ServiceRef, part Part, change change, report func(done int)) []PlannedEdit {
	planned, sharing := make([]PlannedEdit, len(services)), map[string]string{}
	for i, service := range services {
		planned[i] = s.planOne(ctx, Target{service, part}, change)
		if len(services) > 1 {
			planned[i].Why = "an edit of several services"
		}
		planned[i].share(sharing)
		if report != nil {
			report(i + 1)
		}
	}
	return planned
}

// change is what an edit changes, to be made in other services.
type change struct {
	edit    func(adminapi.ServiceRef, *document.Document) (*document.Document, error) // of any part, in place of the rest; nil for none
	changes []document.Change                                                         // of a definition
	moves   []Move                                                                    // of a placement policy, without their nodes
	nodes   []placement.Node
	refused error // why it can be made in its own service only; nil where it can in others
}

// OneServiceError says why an edit can be made in its own service only.
type OneServiceError struct{ Why string }

// Error is the reason.
func (e *OneServiceError) Error() string { return e.Why }

func (e Edit) change() change {
	if e.Part != Placement {
		return change{changes: document.Diff(e.Base, e.Edited)}
	}
	moves, _ := e.changedRules()
	c := change{moves: moves, nodes: e.Nodes}
	if own, err := c.rulesIn(e.Base); err != nil {
		c.refused = &OneServiceError{err.Error()}
	} else if rest := document.Diff(own, e.Edited); len(rest) > 0 {
		at := rest[0].Path
		for len(at.Steps()) > 4 { // below a member of the rules, as placementPolicy[0].podPlacementPolicy.tolerations
			at = at.Parent()
		}
		c.refused = &OneServiceError{"this edit also changes " + plain.Line(at.Name()) + "; send it on its own"}
	}
	return c
}

func (s Site) planOne(ctx context.Context, target Target, change change) PlannedEdit {
	p := PlannedEdit{Edit: Edit{Target: target, Nodes: change.nodes}}
	if p.Refused = change.refused; p.Refused != nil {
		return p
	}
	d, err := s.ReadContent(ctx, target)
	if err != nil {
		p.Refused = err
		return p
	}
	p.Base = d.Document
	switch {
	case change.edit != nil:
		p.Edited, p.Refused = change.edit(target.Service, d.Document)
	case target.Part == Placement:
		p.Edited, p.Refused = change.rulesIn(d.Document)
	default:
		p.Edited, p.Refused = d.Document.Apply(change.changes)
	}
	if p.Refused != nil {
		return p
	}
	p.Plan = p.Edit.Plan()
	if len(p.Plan.Changes) > 0 { // removed keys are confirmed in the review
		p.Refused = p.Edit.Blocked()
	}
	return p
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

// rulesIn makes the change in the policy of another service.
func (c change) rulesIn(onto *document.Document) (*document.Document, error) {
	policy, err := placement.FromDocument(onto)
	if err != nil || policy.Form() != placement.WholePolicy {
		return nil, errors.New("its answer is not a placement policy")
	}
	if len(c.moves) == 0 {
		return nil, errors.New("the edit changes no rules of a deployment")
	}
	taken := map[int]bool{}
	for _, move := range c.moves {
		if move.Before == nil {
			return nil, errors.New("the edit adds a deployment, which only its own service has")
		}
		at, err := counterpart(policy, move.After)
		if err != nil {
			return nil, err
		}
		if taken[at] {
			return nil, errors.New("one deployment would get the rules of two")
		}
		taken[at] = true
		if onto, err = rulesOnto(onto, policy.RulesPath(at), move); err != nil {
			return nil, err
		}
	}
	return onto, nil
}

// counterpart finds the deployment that rules of another service are for: the same one, else
// the one of its type, else the only one.
func counterpart(policy placement.Policy, of placement.Item) (int, error) {
	items := policy.Items()
	same := slices.IndexFunc(items, func(i placement.Item) bool { return i.DeploymentID != "" && i.DeploymentID == of.DeploymentID })
	if same >= 0 {
		return same, nil
	}
	found, n := 0, 0
	for i, item := range items {
		if item.DeploymentType == of.DeploymentType {
			found = i
			n++
		}
	}
	kind := plain.Line(of.DeploymentType)
	switch {
	case n == 1:
		return found, nil
	case n > 1:
		return 0, fmt.Errorf("%d deployments of type %s", n, kind)
	case len(items) == 1:
		return 0, nil
	case len(items) == 0:
		return 0, errors.New("no deployment")
	}
	return 0, fmt.Errorf("no %s deployment", kind)
}

// rulesByKey are the members of the rules of a deployment as they are written.
func rulesByKey(raw string) map[string]string {
	all := map[string]string{}
	if d, err := document.Parse([]byte(raw)); err == nil && d.Root().Kind() == document.Object {
		for member := range d.Root().Children() {
			key, _ := member.Key()
			all[key] = member.Raw()
		}
	}
	return all
}

// rulesOnto gives the rules of a deployment those members that the move changes.
func rulesOnto(onto *document.Document, rules document.Path, move Move) (_ *document.Document, err error) {
	before, after := rulesByKey(move.was), rulesByKey(move.is)
	if _, there := onto.Find(rules); !there {
		if onto, err = put(onto, rules, "{}"); err != nil {
			return nil, err
		}
	}
	for _, key := range []string{"nodeAffinity", "tolerations"} {
		was, now := before[key], after[key]
		switch n, there := onto.Find(rules.Key(key)); {
		case sameRules(was, now), there && sameRules(n.Raw(), now):
		case now != "":
			onto, err = put(onto, rules.Key(key), now)
		case there:
			onto, err = onto.Remove(n.Path())
		}
		if err != nil {
			return nil, err
		}
	}
	return onto, nil
}

// ApplyMany applies edits in order. Where asked to, it waits after each until the service answers,
// two minutes at most. It stops at the first edit that is not done, has an error, or leaves
// its service down: those after it are not sent, and not in the result. The result of each is
// reported before the next is sent. Edits that change nothing, or cannot be made, are skipped.
// Several are kept as one until it returns before the end of ctx, see [Memory.InterruptedBatches];
// where that fails, nothing is sent.
func (s Site) ApplyMany(ctx context.Context, edits []PlannedEdit, wait bool, report func(service adminapi.ServiceRef, p EditProgress)) (results []AppliedEdit) {
	if report == nil {
		report = func(adminapi.ServiceRef, EditProgress) {}
	}
	edits = slices.DeleteFunc(slices.Clone(edits), func(e PlannedEdit) bool { return e.Refused != nil || e.Unchanged() })
	end, err := s.BeginBatch(edits)
	if err != nil {
		return []AppliedEdit{{Target: edits[0].Target, Result: edits[0].Prepare(s).result(adminapi.OutcomeNotSent, err)}}
	}
	for _, edit := range edits {
		result := AppliedEdit{Target: edit.Target}
		result.Applied, result.Result = s.ApplyEdit(ctx, edit.Edit, func(p EditProgress) { report(edit.Service, p) })
		if wait && result.Done() {
			result.After = s.WaitAnswer(ctx, edit.Service, DeploymentsOf(edit.Part, edit.Edited), func(now PodsSnapshot) {
				report(edit.Service, EditProgress{Step: StepAnswer, Part: edit.Part, After: now})
			})
		}
		results = append(results, result)
		report(edit.Service, EditProgress{Step: StepEnded, Part: edit.Part, Ended: &result})
		if !result.Done() || result.Down() {
			break
		}
	}
	if ctx.Err() == nil {
		end()
	}
	return results
}
