package operation_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
)

// answering makes the site answer a write with an error of its own, whether it does
// what was asked for or not.
func (p *platform) answering(path string, status int, body string, performed bool) {
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, path) {
			pass()
			return
		}
		if performed {
			p.direct.ServeHTTP(httptest.NewRecorder(), r)
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Date", p.clock.Now().UTC().Format(http.TimeFormat))
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	})
}

// sitesOwnErrors are answers of a site that may have begun all the same.
var sitesOwnErrors = []struct {
	name   string
	status int
	body   string
}{
	{"500 within 200", 200, `{"error":{"code":500,"message":"Timed out waiting for the upgrader","details":[]}}`},
	{"504 within 200", 200, `{"error":{"code":504,"message":"Timed out","details":[]}}`},
	{"408", 408, ""},
	{"429", 429, ""},
	{"500", 500, `{"status":"error","messages":["It went wrong."],"code":500}`},
	{"no code", 200, `{"status":"error","messages":["It went wrong."]}`},
}

func TestAnUpgradeThatBeganBehindAnErrorIsAdopted(t *testing.T) {
	t.Parallel()
	for _, answer := range sitesOwnErrors {
		t.Run(answer.name, func(t *testing.T) {
			p := remembering(t, builtIn(t, "healthy"), t.TempDir())
			request := p.request(t, releaseID)
			p.answering("/upgrades/upgrade", answer.status, answer.body, true)
			run, outcome, err := p.StartUpgrade(t.Context(), request, nil)
			if outcome != adminapi.OutcomeUnknown || err == nil {
				t.Fatalf("outcome %v, error %v", outcome, err)
			}
			status, err := settleRun(t.Context(), p, run)
			if err != nil || status.State != adminapi.UpgradeInProgress {
				t.Errorf("state %q, error %v", status.State, err)
			}
			if p.sent("POST upgrade") != 1 || p.sent("POST delete") != 0 {
				t.Errorf("%d posts, %d uploads taken from under it", p.sent("POST upgrade"), p.sent("POST delete"))
			}
			p.wantOutcome(t, adminapi.OutcomeDone)
		})
	}
}

func TestAnErrorOfAnIdleSiteIsARefusalOnlyAfterASearch(t *testing.T) {
	t.Parallel()
	for _, answer := range sitesOwnErrors {
		t.Run(answer.name, func(t *testing.T) {
			p := remembering(t, builtIn(t, "healthy"), t.TempDir())
			request := p.request(t, releaseID)
			p.answering("/upgrades/upgrade", answer.status, answer.body, false)
			run, outcome, err := p.StartUpgrade(t.Context(), request, nil)
			if outcome != adminapi.OutcomeUnknown || err == nil || p.sent("POST delete") != 0 {
				t.Fatalf("outcome %v, error %v, %d uploads taken back", outcome, err, p.sent("POST delete"))
			}
			began := p.clock.Now()
			_, err = settleRun(t.Context(), p, run)
			if _, refused := errors.AsType[*operation.RefusedError](err); !refused {
				t.Fatalf("error %v", err)
			}
			if waited := p.clock.Now().Sub(began); waited < 30*time.Second || waited > time.Minute {
				t.Errorf("told after %v", waited)
			}
			if p.sent("POST upgrade") != 1 || p.sent("POST delete") != 1 {
				t.Errorf("%d posts, %d uploads taken back", p.sent("POST upgrade"), p.sent("POST delete"))
			}
			p.wantOutcome(t, adminapi.OutcomeRefused)
		})
	}
}

// wantOutcome checks what the journal knows of the last write that changes the site.
func (p *platform) wantOutcome(t *testing.T, want adminapi.Outcome) {
	t.Helper()
	records, err := p.Journal.Actions(0)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range records {
		if r.Target != "" {
			if r.Outcome != want {
				t.Errorf("the journal says %v, want %v: %+v", r.Outcome, want, r)
			}
			return
		}
	}
	t.Error("nothing was recorded")
}

func TestSilenceAndAnIdleSiteStayUnknownAndTheLicenceStays(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"page of a gateway": 504, "nothing": 0} {
		t.Run(name, func(t *testing.T) {
			p := remembering(t, builtIn(t, "healthy"), t.TempDir())
			request := p.request(t, releaseID)
			p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
				switch {
				case !strings.HasSuffix(r.URL.Path, "/upgrades/upgrade"):
					pass()
				case status == 0:
					hangUp(w)
				default:
					_, _ = io.Copy(io.Discard, r.Body)
					w.WriteHeader(status)
					_, _ = fmt.Fprint(w, "<html>too late</html>")
				}
			})
			run, outcome, _ := p.StartUpgrade(t.Context(), request, nil)
			if outcome != adminapi.OutcomeUnknown {
				t.Fatalf("outcome %v", outcome)
			}
			if _, err := settleRun(t.Context(), p, run); !errors.Is(err, operation.ErrOutcomeUnknown) {
				t.Errorf("error %v", err)
			}
			p.wantSent(t, "POST delete", 0)
			p.wantOutcome(t, adminapi.OutcomeUnknown)
		})
	}
}

func TestALicenceIsDeletedOnlyOnAnIdleSite(t *testing.T) {
	t.Parallel()
	const refusal = `{"error":{"code":400,"message":"The licence does not fit.","details":[]}}`
	p := builtIn(t, "healthy")
	request := p.request(t, releaseID)
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/upgrades/upgrade"):
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, refusal)
		case strings.HasSuffix(r.URL.Path, "/system/upgrades") && p.sent("POST upgrade") > 0:
			hangUp(w) // it cannot be read back
		default:
			pass()
		}
	})
	_, outcome, err := p.StartUpgrade(t.Context(), request, nil)
	if outcome != adminapi.OutcomeRefused || !strings.Contains(err.Error(), "stay at the site") {
		t.Errorf("outcome %v, error %v", outcome, err)
	}
	p.wantSent(t, "POST delete", 0)
	p = builtIn(t, "healthy")
	request = p.request(t, releaseID)
	p.answering("/upgrades/upgrade", 200, refusal, true) // an upgrade runs all the same
	if _, outcome, err := p.StartUpgrade(t.Context(), request, nil); outcome != adminapi.OutcomeRefused || err == nil || p.sent("POST delete") != 0 {
		t.Errorf("outcome %v, error %v, %d uploads taken from under it", outcome, err, p.sent("POST delete"))
	}
}

func TestTheOutcomeOfAnEditBehindAnErrorIsFound(t *testing.T) {
	t.Parallel()
	for _, answer := range sitesOwnErrors {
		for _, performed := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, performed %v", answer.name, performed), func(t *testing.T) {
				p := editing(t, "healthy")
				edit := p.edit(t, idle, "900")
				p.answering(".MapServer/edit", answer.status, answer.body, performed)
				_, outcome, err := p.ApplyEdit(t.Context(), edit, nil)
				if outcome != adminapi.OutcomeUnknown {
					t.Fatalf("outcome %v, error %v", outcome, err)
				}
				found, settled := settleEdit(t.Context(), p, operation.UnansweredEdit{Edit: edit, Err: err, Since: p.clock.Now()})
				_, refused := errors.AsType[*operation.RefusedError](settled)
				switch {
				case performed && (settled != nil || found.Finding != operation.EditArrived):
					t.Errorf("%v, %v", found.Finding, settled)
				case !performed && !refused:
					t.Errorf("%v, %v", found.Finding, settled)
				}
				p.wantOutcome(t, map[bool]adminapi.Outcome{true: adminapi.OutcomeDone, false: adminapi.OutcomeRefused}[performed])
				p.wantSent(t, "POST edit", 1)
			})
		}
	}
}

func TestTheOutcomeOfAStopBehindAnErrorIsFound(t *testing.T) {
	t.Parallel()
	for _, performed := range []bool{true, false} {
		p := editing(t, "healthy")
		p.answering(".MapServer/stop", 200, sitesOwnErrors[0].body, performed)
		_, outcome, err := p.SwitchService(t.Context(), cities, false, nil)
		if outcome != adminapi.OutcomeUnknown {
			t.Fatalf("outcome %v, error %v", outcome, err)
		}
		want := map[bool]adminapi.Outcome{true: adminapi.OutcomeDone, false: adminapi.OutcomeRefused}[performed]
		if _, found := p.FindSwitch(t.Context(), cities, false, err); found != want {
			t.Errorf("performed %v: found %v", performed, found)
		}
		p.wantOutcome(t, want)
		p.wantSent(t, "POST stop", 1)
	}
}

func TestTheOutcomeOfAHealthRunBehindAnErrorIsFound(t *testing.T) {
	t.Parallel()
	for _, performed := range []bool{true, false} {
		p := editing(t, "healthy")
		asked := adminapi.HealthRun{SuiteIDs: suiteIDs(t, p.Site), Name: "nightly"}
		p.answering("/healthCheck/run", 500, sitesOwnErrors[4].body, performed)
		run, outcome, err := p.StartHealthRun(t.Context(), asked)
		if outcome != adminapi.OutcomeUnknown {
			t.Fatalf("outcome %v, error %v", outcome, err)
		}
		report, err := waitRun(t.Context(), p, run, nil)
		_, refused := errors.AsType[*operation.RefusedError](err)
		if performed && (err != nil || report.Name != "nightly") || !performed && !refused {
			t.Errorf("performed %v: %q, %v", performed, report.Name, err)
		}
		p.wantOutcome(t, map[bool]adminapi.Outcome{true: adminapi.OutcomeDone, false: adminapi.OutcomeRefused}[performed])
		p.wantSent(t, "POST run", 1)
	}
}
