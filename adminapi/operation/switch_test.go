package operation_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

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

// By the clock of this machine an earlier stop of the same user may seem to be later than the one that was lost.
func TestTheJobOfAnEarlierStopIsNotThatOfALostOne(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	setSiteClock(t, p, 2*time.Hour)
	earlier := p.Clock.Now().Add(10 * time.Minute).UnixMilli() // by the clock of the site, which is two hours ahead
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/stop"):
			operationtest.HangUp(w)
		case strings.HasSuffix(r.URL.Path, "/admin/jobs"):
			_, _ = io.WriteString(w, `{"jobs":["j1"]}`)
		case strings.HasSuffix(r.URL.Path, "/jobs/j1"):
			_, _ = fmt.Fprintf(w, `{"jobid":"j1","status":"COMPLETED","username":"admin","operationURI":"/geodeck/admin/services/%s/stop","starttime":%d,"endtime":%d}`,
				operationtest.Cities.Path(), earlier, earlier)
		default:
			pass()
		}
	})
	operationtest.WantResult(t, adminapi.OutcomeUnknown, operation.ErrOutcomeUnknown)(
		p.SwitchService(t.Context(), operation.Switch{Service: operationtest.Cities, Start: false}, nil, nil))
}
