package operation

import (
	"cmp"
	"slices"

	"geodeck/adminapi/document"
	"geodeck/adminapi/placement"
)

// Move is a deployment whose rules an edit of a placement policy changes: its pods are
// replaced, and may go elsewhere.
type Move struct {
	Path   document.Path   // of the deployment in the edited policy
	Before *placement.Item // nil where the site does not have it
	After  placement.Item
	From   placement.Summary // the nodes that took its pods; zero where nodes are not known
	To     placement.Summary // the nodes that take them with the new rules
}

// name is the id of the deployment; where it has none, what else there is to name it.
func (m Move) name() string {
	return cmp.Or(m.After.DeploymentID, m.After.DeploymentType, m.Path.String())
}

// Moves returns the deployments whose rules the edit changes, in the order of the
// policy. It compares with every node: not for the update loop.
func (e Edit) Moves() (moves []Move) {
	if e.Part != Placement {
		return nil
	}
	changed, _ := e.rerouted()
	for _, r := range changed {
		move := Move{Path: r.path, Before: r.before, After: r.item}
		if len(e.Nodes) > 0 {
			move.To = placement.Summarize(placement.Explain(r.item, e.Nodes))
			if move.Before != nil {
				move.From = placement.Summarize(placement.Explain(*r.before, e.Nodes))
			}
		}
		moves = append(moves, move)
	}
	return moves
}

// rerouted is a deployment whose rules an edit changes.
type rerouted struct {
	path   document.Path
	before *placement.Item // nil where the site does not have it
	item   placement.Item
}

// rerouted returns the deployments whose rules the edit changes, in the order of the
// policy, and where those stand in the base that it does not name any more.
func (e Edit) rerouted() (changed []rerouted, leftOut []document.Path) {
	base, edited, err := e.policies()
	if err != nil {
		return nil, nil
	}
	was := base.Items()
	left := map[string][]int{} // an id may stand there twice, or not at all
	for i, item := range was {
		left[item.DeploymentID] = append(left[item.DeploymentID], i)
	}
	for i, item := range edited.Items() {
		r := rerouted{path: deploymentPath(e.Edited, i), item: item}
		if same := left[item.DeploymentID]; len(same) > 0 {
			left[item.DeploymentID] = same[1:]
			if sameRules(rulesOf(e.Base, same[0]), rulesOf(e.Edited, i)) {
				continue
			}
			r.before = &was[same[0]]
		}
		changed = append(changed, r)
	}
	for i, item := range was {
		if slices.Contains(left[item.DeploymentID], i) {
			leftOut = append(leftOut, deploymentPath(e.Base, i))
		}
	}
	return changed, leftOut
}

// deploymentPath is where the i-th deployment of a policy stands, by its name where it
// has one of its own.
func deploymentPath(d *document.Document, i int) document.Path {
	path := document.Whole.Key("placementPolicy").Index(i)
	if n, ok := d.Find(path); ok {
		return n.Path()
	}
	return path
}

// rulesOf returns the rules of one deployment of a policy as they are written; empty
// where it has none.
func rulesOf(d *document.Document, i int) string {
	n, ok := d.Find(document.Whole.Key("placementPolicy").Index(i).Key(rulesKey))
	if !ok {
		return ""
	}
	return n.Raw()
}

// sameRules compares by meaning: rules that are only set out in another way replace no
// pod.
func sameRules(before, after string) bool {
	if before == after {
		return true
	}
	was, err := document.Parse([]byte(before))
	if err != nil {
		return false
	}
	is, err := document.Parse([]byte(after))
	return err == nil && len(document.Diff(was, is)) == 0
}
