package simulator

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// PlacementPlan is what a scenario says of where pods run and of the editing of it.
type PlacementPlan struct {
	Policies map[string]string `json:"policies,omitempty"` // path of a service: the podPlacementPolicy of its deployment
	Refused  string            `json:"refused,omitempty"`  // why every edit is refused
	Answer   string            `json:"answer,omitempty"`   // whatever is asked for: success, or a job named by jobID or by jobid; default as asked for
	Ends     string            `json:"ends,omitempty"`     // of edits: COMPLETED (default), FAILED, CANCELLED, TIMED OUT
	Message  string            `json:"message,omitempty"`  // why, where they do not end well
	Takes    Duration          `json:"takes,omitzero"`     // an edit; default 3s
	PodStart Duration          `json:"podStart,omitzero"`  // of each pod, one after the other; default 8s
	Else     *ElsesPlacement   `json:"else,omitempty"`     // an edit that somebody else makes
}

// How an edit of a placement is answered.
const (
	answerSuccess = "success"
	answerJobID   = "jobID" // as other edits of services are
	answerJobid   = "jobid" // as health checks are
)

func (s Scenario) checkPlacement() error {
	p := s.Placement
	if known := []string{"", answerSuccess, answerJobID, answerJobid}; !slices.Contains(known, p.Answer) {
		return fmt.Errorf("placement.answer: %q is none of %s", p.Answer, strings.Join(known[1:], ", "))
	}
	if !slices.Contains(editEnds, p.Ends) {
		return fmt.Errorf("placement.ends: %q is none of %s", p.Ends, strings.Join(editEnds[1:], ", "))
	}
	for path, text := range p.Policies {
		if !isObject(text) {
			return fmt.Errorf("placement.policies: that of %s is no JSON object", path)
		}
	}
	if err := notNegative("placement.takes", p.Takes); err != nil {
		return err
	}
	if err := notNegative("placement.podStart", p.PodStart); err != nil {
		return err
	}
	return p.Else.check()
}

func isObject(text string) bool {
	var members map[string]json.RawMessage
	return json.Unmarshal([]byte(text), &members) == nil && members != nil
}
