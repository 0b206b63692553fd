package upgrade

import (
	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
)

// step is where in the flow the user is.
type step int

// The steps, in order.
const (
	choosing step = iota
	preflighting
	answering
	reviewing
	starting
)

func (s step) String() string {
	return [...]string{"Choose", "Pre-flight", "Settings", "Review", "Run"}[s]
}

// flow is the way from a chosen update to the upgrade that runs. What was filled
// in and acknowledged stays while the user goes back and forth.
type flow struct {
	step     step
	rollback bool
	target   adminapi.Update
	offer    operation.Offer
}

// step returns where the user is.
func (m *Model) step() step {
	if m.flow == nil {
		return choosing
	}
	return m.flow.step
}

// path lists the steps of the flow: a rollback has nothing to fill in.
func (m *Model) path() []step {
	if m.flow != nil && m.flow.rollback {
		return []step{choosing, reviewing, starting}
	}
	return []step{choosing, preflighting, answering, reviewing, starting}
}

// pathNote says what the flow leads to.
func (m *Model) pathNote() string {
	switch {
	case m.flow == nil && !m.picker.reading.IsZero() && !m.upgradeRuns():
		return "runs " + plain.Line(m.picker.offer.Installed.FullVersion())
	case m.flow == nil:
		return ""
	case m.flow.rollback:
		return "takes back " + plain.Line(m.flow.target.FullVersion())
	}
	return "to " + plain.Line(m.flow.target.FullVersion())
}
