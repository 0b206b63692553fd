package cli

import (
	"strconv"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/placement"
	"geodeck/adminapi/plain"
)

// moveJSON is a deployment whose rules an edit changes, in plain words; numbers are
// left out where the nodes are not known.
type moveJSON struct {
	ID           string `json:"deploymentId"`
	Type         string `json:"deploymentType"`
	Before       string `json:"before"` // empty where the site does not have it
	After        string `json:"after"`
	TakingBefore *int   `json:"takingBefore,omitempty"` // nodes that took its pods; left out as well where the site does not have it
	Taking       *int   `json:"taking,omitempty"`       // nodes that take them with the new rules
	Nodes        *int   `json:"nodes,omitempty"`        // that were looked at
}

func moveOf(m operation.Move) moveJSON {
	j := moveJSON{ID: m.After.DeploymentID, Type: m.After.DeploymentType, After: placement.Sentence(m.After)}
	if m.Before != nil {
		j.Before = placement.Sentence(*m.Before)
	}
	if m.From.Total > 0 {
		j.TakingBefore = &m.From.Taking
	}
	if m.To.Total > 0 {
		j.Taking, j.Nodes = &m.To.Taking, &m.To.Total
	}
	return j
}

// printMoves prints what an edit of a placement policy means in plain words.
func (p *program) printMoves(moves []operation.Move) error {
	for _, m := range moves {
		for _, line := range moveLines(m) {
			if err := p.say(plain.Line(line)); err != nil {
				return err
			}
		}
	}
	return nil
}

func moveLines(m operation.Move) []string {
	before, nodes := "the site does not have it", m.To.String()
	if m.Before != nil {
		before = placement.Sentence(*m.Before)
	}
	if m.From.Total > 0 {
		nodes += "; " + strconv.Itoa(m.From.Taking) + " did before"
	}
	lines := []string{"deployment " + deploymentName(m.After), "  before: " + before, "  after: " + placement.Sentence(m.After)}
	if m.To.Total > 0 {
		lines = append(lines, "  nodes: "+nodes)
	}
	return lines
}
