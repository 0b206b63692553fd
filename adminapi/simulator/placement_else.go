package simulator

import (
	"cmp"
	"fmt"
	"time"
)

// ElsesPlacement is an edit of where pods run that somebody else makes, once, right
// after the policy of a service was read.
type ElsesPlacement struct {
	Service string `json:"service,omitempty"` // path; default SampleWorldCities.MapServer
	User    string `json:"user,omitempty"`    // default publisher
	Reads   int    `json:"reads,omitempty"`   // after so many readings; default 1
	Rules   string `json:"rules"`             // the podPlacementPolicy that its own deployment gets
}

func (e *ElsesPlacement) check() error {
	switch {
	case e == nil:
		return nil
	case e.Reads < 0:
		return fmt.Errorf("placement.else.reads: %d is less than nothing", e.Reads)
	case !isObject(e.Rules):
		return fmt.Errorf("placement.else.rules: that is no JSON object")
	}
	return nil
}

// policyWasRead counts the readings of a policy, and lets somebody else edit it right
// after the one that the scenario names.
func (w *world) policyWasRead(s *service, now time.Time) {
	e := w.scenario.Placement.Else
	if e == nil || s.path() != cmp.Or(e.Service, sampleService) {
		return
	}
	if s.policyReads++; s.policyReads != max(e.Reads, 1) {
		return
	}
	d := w.deploymentList().byID[s.deploymentID]
	w.replacePlacement(d, d.itemWith(e.Rules), now)
	w.editedByElse(s, cmp.Or(e.User, "publisher"), job{name: "Edit placement policy", operation: "/placementPolicy/edit", ends: now})
}
