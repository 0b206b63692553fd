package edits

import (
	"context"
	"slices"
	"strconv"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/placement"
	"geodeck/ui/cli/output"
)

// moveJSON is a deployment whose rules an edit changes. Without nodes there are no
// numbers.
type moveJSON struct {
	ID           string   `json:"deploymentId"`
	Type         string   `json:"deploymentType"`
	Before       string   `json:"before"` // empty if the site does not have it
	After        string   `json:"after"`
	TakingBefore *int     `json:"takingBefore,omitempty"` // nodes that took its pods; absent if the site does not have it
	Taking       *int     `json:"taking,omitempty"`       // nodes that take them with the new rules
	Nodes        *int     `json:"nodes,omitempty"`        // all that were given
	Rules        []string `json:"rules,omitempty"`        // what is different, in the words of rules
}

func moveOf(m editing.Move) moveJSON {
	j := moveJSON{ID: m.After.DeploymentID, Type: m.After.DeploymentType, After: placement.Sentence(m.After)}
	if m.Before != nil {
		j.Before = placement.Sentence(*m.Before)
	}
	for _, d := range m.Differences {
		j.Rules = append(j.Rules, d.Text("->"))
	}
	if m.From.Total > 0 {
		j.TakingBefore = &m.From.Taking
	}
	if m.To.Total > 0 {
		j.Taking, j.Nodes = &m.To.Taking, &m.To.Total
	}
	return j
}

// moveLines says in plain words what an edit of a placement policy means.
func moveLines(e editing.Edit, m editing.Move) []string {
	nodes := m.To.String()
	if m.From.Total > 0 {
		nodes += "; " + strconv.Itoa(m.From.Taking) + " did before"
	}
	lines := []string{"deployment " + DeploymentName(m.After)}
	for _, d := range m.Differences {
		lines = append(lines, "  "+d.Text("->"))
	}
	lines = append(lines, "  before: "+e.Before(m), "  after: "+placement.Sentence(m.After))
	if m.To.Total > 0 {
		lines = append(lines, "  nodes: "+nodes)
	}
	return lines
}

// noteNodes says that rules change whose nodes are not known.
func noteNodes(out *output.Output, edits ...batching.PlannedEdit) {
	if slices.ContainsFunc(edits, func(e batching.PlannedEdit) bool { return len(e.Plan.Moves) > 0 && len(e.Nodes) == 0 }) {
		out.Note("no nodes were given (--nodes, --nodes-command): placement was not checked")
	}
}

// noteShared names deployments whose pods move or restart with an edit, and that other services share: their
// pods are the same. The user may lack the privilege to see that.
func noteShared(ctx context.Context, out *output.Output, site operation.Site, edits ...*batching.PlannedEdit) {
	verb, shared := "restart", map[string]bool{} // by id: several edits may be in the same pods
	for _, e := range edits {
		if e.Part == editing.Placement {
			verb = "move"
		}
		for _, id := range e.Pods(e.Plan) {
			is, known := shared[id]
			if !known {
				d, err := site.Client.Deployments.Get(ctx, id)
				if err != nil {
					out.Note("whether other services run in the same pods is not known: " + err.Error())
					return
				}
				if is = d.Shared(); is {
					out.Note("warning: " + e.Service.Path() + " shares its pods, the deployment " + id + ": other services " + verb + " with it")
				}
				shared[id] = is
			}
			if is {
				e.Plan.Shared = append(e.Plan.Shared, id)
			}
		}
	}
}

// DeploymentName names a deployment of a policy for a person. Bare rules have no name.
func DeploymentName(i placement.Item) string {
	switch {
	case i.DeploymentID == "":
		return i.DeploymentType
	case i.DeploymentType == "":
		return i.DeploymentID
	}
	return i.DeploymentID + " (" + i.DeploymentType + ")"
}
