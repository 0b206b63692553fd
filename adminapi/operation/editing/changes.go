package editing

import (
	"errors"
	"fmt"
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// Changes are what an edit changes, to be made in other services, whatever their values are now.
type Changes struct {
	edit    func(adminapi.ServiceRef, *document.Document) (*document.Document, error) // of any part, in place of the rest; nil for none
	changes []document.Change                                                         // of a definition
	moves   []Move                                                                    // of a placement policy, without their nodes
	Nodes   []placement.Node
	Refused error // why it can be made in its own service only; nil where it can in others
}

// OneServiceError says why an edit can be made in its own service only.
type OneServiceError struct{ Why string }

// Error is the reason.
func (e *OneServiceError) Error() string { return e.Why }

// ChangesBy are those that a function makes in a part of each service; nodes are those of the cluster, for
// rules.
func ChangesBy(edit func(adminapi.ServiceRef, *document.Document) (*document.Document, error), nodes []placement.Node) Changes {
	return Changes{edit: edit, Nodes: nodes}
}

// AllChanges are those of the edit: of a definition by their paths; of a placement policy the affinity and
// the tolerations, which replace those of the deployment of the same type, or of the only one. An edit that
// changes more can be made in its own service only.
func (e Edit) AllChanges() Changes {
	if e.Part != Placement {
		return Changes{changes: document.Diff(e.Base, e.Edited)}
	}
	moves, _ := e.changedRules()
	c := Changes{moves: moves, Nodes: e.Nodes}
	if own, err := c.rulesIn(e.Base); err != nil {
		c.Refused = &OneServiceError{err.Error()}
	} else if rest := document.Diff(own, e.Edited); len(rest) > 0 {
		at := rest[0].Path
		for len(at.Steps()) > 4 { // below a member of the rules, as placementPolicy[0].podPlacementPolicy.tolerations
			at = at.Parent()
		}
		c.Refused = &OneServiceError{"this edit also changes " + plain.Line(at.Name()) + "; send it on its own"}
	}
	return c
}

// In makes the changes in what was read of a service.
func (c Changes) In(d Content) (*document.Document, error) {
	switch {
	case c.edit != nil:
		return c.edit(d.Service, d.Document)
	case d.Part == Placement:
		return c.rulesIn(d.Document)
	}
	return d.Document.Apply(c.changes)
}

// rulesIn makes the change in the policy of another service.
func (c Changes) rulesIn(onto *document.Document) (*document.Document, error) {
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
	if n, there := onto.Find(rules); !there || n.Kind() == document.Null {
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
