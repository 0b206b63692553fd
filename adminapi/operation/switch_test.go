package operation_test

import (
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
)

func TestAServiceIsStoppedAndStarted(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	for _, start := range []bool{false, true} {
		state, outcome, err := operationtest.Apart(
			p.SwitchService(t.Context(), operation.Switch{Service: operationtest.Cities, Start: start}, nil, nil))
		if err != nil || outcome != adminapi.OutcomeDone || state.Running() != start || !state.Settled() {
			t.Errorf("start %v: %+v, %v, %v", start, state, outcome, err)
		}
	}
}

func TestTheOutcomeOfALostStopIsFound(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-answer-lost")
	state, outcome, err := operationtest.Apart(
		p.SwitchService(t.Context(), operation.Switch{Service: operationtest.Cities, Start: false}, nil, nil))
	if outcome != adminapi.OutcomeDone || err != nil || state.Running() {
		t.Errorf("%+v, %v, %v", state, outcome, err)
	}
	p.WantSent(t, "POST stop", 1)
	p = operationtest.WithJournal(t, "edit-answer-lost-not-performed")
	operationtest.WantResult(t, adminapi.OutcomeUnknown, operation.ErrOutcomeUnknown)(
		p.SwitchService(t.Context(), operation.Switch{Service: operationtest.Cities, Start: false}, nil, nil))
	p.WantSent(t, "POST stop", 1)
}
