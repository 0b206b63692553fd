package operation_test

import (
	"errors"
	"testing"

	"geodeck/adminapi"
)

func TestAServiceIsStoppedAndStarted(t *testing.T) {
	t.Parallel()
	p := editing(t, "healthy")
	for _, start := range []bool{false, true} {
		state, outcome, err := p.SwitchService(t.Context(), cities, start, nil)
		if err != nil || outcome != adminapi.OutcomeDone || state.Running() != start || !state.Settled() {
			t.Errorf("start %v: %+v, %v, %v", start, state, outcome, err)
		}
	}
	states := p.ServiceStates(t.Context(), []adminapi.ServiceRef{cities, {Name: "None", Type: "MapServer"}})
	if !states[0].Running() || states[0].Err != nil || !errors.Is(states[1].Err, adminapi.KindNotFound) {
		t.Errorf("states %+v", states)
	}
}

func TestALostAnswerToAStopIsFoundOutByReading(t *testing.T) {
	t.Parallel()
	p := editing(t, "edit-answer-lost")
	if _, outcome, _ := p.SwitchService(t.Context(), cities, false, nil); outcome != adminapi.OutcomeUnknown {
		t.Fatal(outcome)
	}
	if state, outcome := p.FindSwitch(t.Context(), cities, false, nil); outcome != adminapi.OutcomeDone || state.Running() {
		t.Errorf("%+v, %v", state, outcome)
	}
	if n := p.sent("POST stop"); n != 1 {
		t.Errorf("%d were sent", n)
	}
	p = editing(t, "edit-answer-lost-not-performed")
	if _, outcome, _ := p.SwitchService(t.Context(), cities, false, nil); outcome != adminapi.OutcomeUnknown {
		t.Fatal(outcome)
	}
	if state, outcome := p.FindSwitch(t.Context(), cities, false, nil); outcome != adminapi.OutcomeUnknown || !state.Running() {
		t.Errorf("not performed: %+v, %v", state, outcome)
	}
}
