package operation

import (
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

// Moves returns the deployments whose rules the edit changes, in the order of the
// policy. It compares with every node: not for the update loop.
func (e Edit) Moves() (moves []Move) {
	if e.Part != Placement {
		return nil
	}
	base, _, _ := e.policies()
	for _, r := range e.rerouted() {
		move := Move{Path: r.path, After: r.item}
		for _, before := range base.Items() {
			if before.DeploymentID == r.id {
				move.Before = &before
			}
		}
		if len(e.Nodes) > 0 {
			move.To = placement.Summarize(placement.Explain(r.item, e.Nodes))
			if move.Before != nil {
				move.From = placement.Summarize(placement.Explain(*move.Before, e.Nodes))
			}
		}
		moves = append(moves, move)
	}
	return moves
}
