package cli

import (
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// rerouted is a deployment whose rules an edit changes.
type rerouted struct {
	before, after placement.Item
	nodes         placement.Summary // of the cluster, with the new rules; zero where they are not known
	risks         []document.Risk   // of the deployment as a whole
}

// reroutedIn returns the deployments whose rules an edit of a placement policy changes:
// those whose pods are replaced.
func reroutedIn(edit operation.Edit) (changed []rerouted) {
	all := edit.Plan().Risks
	for _, risk := range all {
		if risk.Label != operation.PodsReplaced {
			continue
		}
		d := rerouted{risks: risksAt(all, risk.Path), before: itemAt(edit.Base, risk.Path), after: itemAt(edit.Edited, risk.Path)}
		d.nodes = placement.Summarize(placement.Explain(d.after, edit.Nodes))
		changed = append(changed, d)
	}
	return changed
}

func risksAt(all []document.Risk, path document.Path) (at []document.Risk) {
	for _, risk := range all {
		if risk.Path == path {
			at = append(at, risk)
		}
	}
	return at
}

// itemAt reads a deployment of a policy; one without rules asks nothing.
func itemAt(d *document.Document, path document.Path) placement.Item {
	n, found := d.Find(path)
	if !found {
		return placement.Item{}
	}
	policy, err := placement.Parse([]byte(`{"placementPolicy":[` + n.Raw() + `]}`))
	if err != nil || len(policy.Items()) == 0 {
		return placement.Item{}
	}
	return policy.Items()[0]
}

// reroutedJSON is a deployment whose rules change, in plain words.
type reroutedJSON struct {
	ID     string `json:"deploymentId"`
	Type   string `json:"deploymentType"`
	Before string `json:"before"`
	After  string `json:"after"`
	Taking *int   `json:"taking,omitempty"` // nodes that take its pods then
	Nodes  *int   `json:"nodes,omitempty"`  // that were looked at
}

func (d rerouted) json() reroutedJSON {
	r := reroutedJSON{ID: d.after.DeploymentID, Type: d.after.DeploymentType, Before: placement.Sentence(d.before), After: placement.Sentence(d.after)}
	if d.nodes.Total > 0 {
		r.Taking, r.Nodes = &d.nodes.Taking, &d.nodes.Total
	}
	return r
}

// printRerouted prints what an edit of a placement policy means in plain words.
func (p *program) printRerouted(edit operation.Edit) error {
	for _, d := range reroutedIn(edit) {
		for _, line := range d.lines() {
			if err := p.say(plain.Line(line)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d rerouted) lines() []string {
	lines := []string{"deployment " + deploymentName(d.after), "  before: " + placement.Sentence(d.before), "  after: " + placement.Sentence(d.after)}
	if d.nodes.Taking > 0 {
		lines = append(lines, "  nodes: "+d.nodes.String())
	}
	for _, risk := range d.risks {
		lines = append(lines, "  "+risk.Severity.String()+", "+string(risk.Label)+": "+risk.Text)
	}
	return lines
}
