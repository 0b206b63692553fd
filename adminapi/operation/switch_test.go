package operation_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/polling"
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

// Its job goes on after the answer: until it has ended nobody else on this machine changes the service.
func TestAServiceIsTakenUntilItsStopHasEnded(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	looks := 0
	_, result := p.SwitchService(t.Context(), operation.Switch{Service: operationtest.Cities}, func(polling.Step[adminapi.Job]) {
		looks++
		if claim, err := p.Memory.Journal.Claim(adminapi.TargetService(operationtest.Cities), ""); err == nil {
			claim.Release()
			t.Error("another program may change the service while its job goes on")
		}
	}, nil)
	if !result.Done() || looks == 0 {
		t.Errorf("%s after %d looks", result.Sentence(), looks)
	}
	claim, err := p.Memory.Journal.Claim(adminapi.TargetService(operationtest.Cities), "")
	if err != nil {
		t.Fatal(err)
	}
	claim.Release()
}

func TestAStopWhoseJobFailsIsRecordedSo(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/stop"):
			_, _ = io.WriteString(w, `{"jobid":"j1","status":"SUBMITTED"}`)
		case strings.HasSuffix(r.URL.Path, "/jobs/j1"):
			_, _ = io.WriteString(w, `{"jobid":"j1","status":"FAILED","messages":["no node left"]}`)
		default:
			pass()
		}
	})
	_, result := p.SwitchService(t.Context(), operation.Switch{Service: operationtest.Cities}, nil, nil)
	if result.End() != operation.EndFailed || !strings.Contains(result.Sentence(), "no node left") {
		t.Error(result.Sentence())
	}
	p.WantSettled(t, journal.VerdictFailed, "job FAILED")
}

// What was refused stays so: that somebody else has stopped the service later is no end of it.
func TestAStopThatWasRefusedStaysRefused(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	stop := operation.Switch{Service: operationtest.Cities}
	answering(p, ".MapServer/stop", 200, `{"error":{"code":400,"message":"It is in use.","details":[]}}`, false)
	if _, result := p.SwitchService(t.Context(), stop, nil, nil); !result.Refused() {
		t.Fatal(result.Sentence())
	}
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, ".MapServer/status") {
			_, _ = io.WriteString(w, `{"configuredState":"STOPPED","realTimeState":"STOPPED"}`)
			return
		}
		pass()
	})
	if all, err := p.ResolveWrites(t.Context()); len(all) > 0 || err != nil {
		t.Errorf("%+v, %v", all, err)
	}
	p.WantOutcome(t, adminapi.OutcomeRefused)
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

// A job is that of a lost stop only where it is of this user, and a stop. Where either cannot be read nothing is known.
func TestTheJobOfALostStopIsOneOfThisUserAndAStop(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		by, verb, self string
		want           adminapi.Outcome
	}{
		"a stop of this user":        {"admin", "stop", "", adminapi.OutcomeDone},
		"a start of this user":       {"admin", "start", "", adminapi.OutcomeUnknown},
		"of a user who is not known": {"", "stop", `{"error":{"code":403,"message":"no","details":[]}}`, adminapi.OutcomeUnknown},
		"a user that cannot be read": {"admin", "stop", `{"error":{"code":403,"message":"no","details":[]}}`, adminapi.OutcomeUnknown},
		"a token that has run out":   {"admin", "stop", `{"error":{"code":498,"message":"Invalid token.","details":[]}}`, adminapi.OutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := operationtest.WithJournal(t, "healthy")
			p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
				w.Header().Set("Date", p.Clock.Now().UTC().Format(http.TimeFormat))
				switch {
				case strings.HasSuffix(r.URL.Path, "/stop"):
					operationtest.HangUp(w)
				case strings.HasSuffix(r.URL.Path, "/admin/jobs"):
					_, _ = io.WriteString(w, `{"jobs":["j1"]}`)
				case strings.HasSuffix(r.URL.Path, "/jobs/j1"):
					_, _ = fmt.Fprintf(w, `{"jobid":"j1","status":"COMPLETED","username":%q,"operationURI":"/geodeck/admin/services/%s/%s","starttime":%d}`,
						c.by, operationtest.Cities.Path(), c.verb, operationtest.Start.UnixMilli())
				case c.self != "" && strings.HasSuffix(r.URL.Path, "/self"):
					_, _ = io.WriteString(w, c.self)
				default:
					pass()
				}
			})
			_, outcome, err := operationtest.Apart(p.SwitchService(t.Context(), operation.Switch{Service: operationtest.Cities, Start: false}, nil, nil))
			if outcome != c.want || name == "a token that has run out" && !errors.Is(err, adminapi.KindSignIn) {
				t.Errorf("outcome %v, error %v", outcome, err)
			}
			p.WantOutcome(t, c.want)
			p.WantSent(t, "POST stop", 1)
		})
	}
}
