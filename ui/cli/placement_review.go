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
	TakingBefore *int   `json:"takingBefore,omitempty"` // nodes that took its pods
	Taking       *int   `json:"taking,omitempty"`       // nodes that take them with the new rules
	Nodes        *int   `json:"nodes,omitempty"`        // that were looked at
}

func moveOf(m operation.Move) moveJSON {
	j := moveJSON{ID: m.After.DeploymentID, Type: m.After.DeploymentType, Before: sentenceBefore(m), After: placement.Sentence(m.After)}
	if m.To.Total > 0 {
		j.TakingBefore, j.Taking, j.Nodes = &m.From.Taking, &m.To.Taking, &m.To.Total
	}
	return j
}

func sentenceBefore(m operation.Move) string {
	if m.Before == nil {
		return ""
	}
	return placement.Sentence(*m.Before)
}

// printMoves prints what an edit of a placement policy means in plain words.
func (p *program) printMoves(moves []operation.Move) error {
	for _, m := range moves {
		lines := []string{"deployment " + deploymentName(m.After), "  before: " + sentenceBefore(m), "  after: " + placement.Sentence(m.After)}
		if m.To.Total > 0 {
			lines = append(lines, "  nodes: "+m.To.String()+"; "+strconv.Itoa(m.From.Taking)+" did before")
		}
		for _, line := range lines {
			if err := p.say(plain.Line(line)); err != nil {
				return err
			}
		}
	}
	return nil
}
