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
	"geodeck/adminapi/operation/operationtest"
)

// answering makes the site answer a write with an error of its own, whether it does
// what was asked for or not.
func answering(p *operationtest.Platform, path string, status int, body string, performed bool) {
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, path) {
			pass()
			return
		}
		if performed {
			p.Direct.ServeHTTP(httptest.NewRecorder(), r)
		}
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Date", p.Clock.Now().UTC().Format(http.TimeFormat))
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
			p := operationtest.WithJournal(t, "healthy")
			request := p.Request(t, operationtest.ReleaseID)
			answering(p, "/upgrades/upgrade", answer.status, answer.body, true)
			run, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), request, nil))
			if outcome != adminapi.OutcomeUnknown || err == nil {
				t.Fatalf("outcome %v, error %v", outcome, err)
			}
			status, err := settleRun(t.Context(), p, run)
			if err != nil || status.State != adminapi.UpgradeInProgress {
				t.Errorf("state %q, error %v", status.State, err)
			}
			if p.Sent("POST upgrade") != 1 || p.Sent("POST delete") != 0 {
				t.Errorf("%d posts, %d uploads taken from under it", p.Sent("POST upgrade"), p.Sent("POST delete"))
			}
			p.WantOutcome(t, adminapi.OutcomeDone)
		})
	}
}

func TestAnErrorOfAnIdleSiteIsARefusalOnlyAfterASearch(t *testing.T) {
	t.Parallel()
	for _, answer := range sitesOwnErrors {
		t.Run(answer.name, func(t *testing.T) {
			p := operationtest.WithJournal(t, "healthy")
			request := p.Request(t, operationtest.ReleaseID)
			answering(p, "/upgrades/upgrade", answer.status, answer.body, false)
			run, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), request, nil))
			if outcome != adminapi.OutcomeUnknown || err == nil || p.Sent("POST delete") != 0 {
				t.Fatalf("outcome %v, error %v, %d uploads taken back", outcome, err, p.Sent("POST delete"))
			}
			began := p.Clock.Now()
			_, err = settleRun(t.Context(), p, run)
			if _, refused := errors.AsType[*operation.RefusedError](err); !refused {
				t.Fatalf("error %v", err)
			}
			if waited := p.Clock.Now().Sub(began); waited < 30*time.Second || waited > time.Minute {
				t.Errorf("told after %v", waited)
			}
			if p.Sent("POST upgrade") != 1 || p.Sent("POST delete") != 1 {
				t.Errorf("%d posts, %d uploads taken back", p.Sent("POST upgrade"), p.Sent("POST delete"))
			}
			p.WantOutcome(t, adminapi.OutcomeRefused)
		})
	}
}

func TestSilenceAndAnIdleSiteStayUnknownAndTheLicenceStays(t *testing.T) {
	t.Parallel()
	for name, status := range map[string]int{"page of a gateway": 504, "nothing": 0} {
		t.Run(name, func(t *testing.T) {
			p := operationtest.WithJournal(t, "healthy")
			request := p.Request(t, operationtest.ReleaseID)
			p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
				switch {
				case !strings.HasSuffix(r.URL.Path, "/upgrades/upgrade"):
					pass()
				case status == 0:
					operationtest.HangUp(w)
				default:
					_, _ = io.Copy(io.Discard, r.Body)
					w.WriteHeader(status)
					_, _ = fmt.Fprint(w, "<html>too late</html>")
				}
			})
			run, outcome, _ := operationtest.Apart(p.StartUpgrade(t.Context(), request, nil))
			if outcome != adminapi.OutcomeUnknown {
				t.Fatalf("outcome %v", outcome)
			}
			if _, err := settleRun(t.Context(), p, run); !errors.Is(err, operation.ErrOutcomeUnknown) {
				t.Errorf("error %v", err)
			}
			p.WantSent(t, "POST delete", 0)
			p.WantOutcome(t, adminapi.OutcomeUnknown)
		})
	}
}

func TestALicenceIsDeletedOnlyOnAnIdleSite(t *testing.T) {
	t.Parallel()
	const refusal = `{"error":{"code":400,"message":"The licence does not fit.","details":[]}}`
	p := operationtest.BuiltIn(t, "healthy")
	request := p.Request(t, operationtest.ReleaseID)
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/upgrades/upgrade"):
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, refusal)
		case strings.HasSuffix(r.URL.Path, "/system/upgrades") && p.Sent("POST upgrade") > 0:
			operationtest.HangUp(w) // it cannot be read back
		default:
			pass()
		}
	})
	_, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), request, nil))
	if outcome != adminapi.OutcomeRefused || !strings.Contains(err.Error(), "stay at the site") {
		t.Errorf("outcome %v, error %v", outcome, err)
	}
	p.WantSent(t, "POST delete", 0)
	p = operationtest.BuiltIn(t, "healthy")
	request = p.Request(t, operationtest.ReleaseID)
	answering(p, "/upgrades/upgrade", 200, refusal, true) // an upgrade runs all the same
	if _, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), request, nil)); outcome != adminapi.OutcomeRefused || err == nil || p.Sent("POST delete") != 0 {
		t.Errorf("outcome %v, error %v, %d uploads taken from under it", outcome, err, p.Sent("POST delete"))
	}
}

func TestTheOutcomeOfAnEditBehindAnErrorIsFound(t *testing.T) {
	t.Parallel()
	for _, answer := range sitesOwnErrors {
		for _, performed := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, performed %v", answer.name, performed), func(t *testing.T) {
				p := operationtest.WithJournal(t, "healthy")
				edit := p.Edit(t, operationtest.Idle, "900")
				answering(p, ".MapServer/edit", answer.status, answer.body, performed)
				_, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil))
				if outcome != adminapi.OutcomeUnknown {
					t.Fatalf("outcome %v, error %v", outcome, err)
				}
				found, settled := settleEdit(t.Context(), p, p.SearchEdit(edit, "", err))
				_, refused := errors.AsType[*operation.RefusedError](settled)
				switch {
				case performed && (settled != nil || seenAs(found) != "done"):
					t.Errorf("%v, %v", seenAs(found), settled)
				case !performed && !refused:
					t.Errorf("%v, %v", seenAs(found), settled)
				}
				p.WantOutcome(t, map[bool]adminapi.Outcome{true: adminapi.OutcomeDone, false: adminapi.OutcomeRefused}[performed])
				p.WantSent(t, "POST edit", 1)
			})
		}
	}
}

// While a job goes on that may be the edit's, no time passes in which the site is as before.
func TestAnEditBehindAnErrorIsNotRefusedWhileItsJobGoesOn(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-slow")
	edit := p.Edit(t, operationtest.Idle, "900")
	answering(p, ".MapServer/edit", 500, sitesOwnErrors[0].body, true)
	applied, result := p.ApplyEdit(t.Context(), edit, nil)
	if !result.Lost() {
		t.Fatal(result.Text())
	}
	began := p.Clock.Now()
	found, err := settleEdit(t.Context(), p, applied.Search)
	if err != nil || found.Outcome != adminapi.OutcomeDone || p.Clock.Now().Sub(began) < 6*time.Minute {
		t.Errorf("after %s %s, %v", p.Clock.Now().Sub(began), found.Outcome, err)
	}
	p.WantOutcome(t, adminapi.OutcomeDone)
}

// After a job that may have been the edit's, the site has to be as before for half a minute anew.
func TestAnEditBehindAnErrorIsRefusedHalfAMinuteAfterTheLastJob(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "900")
	answering(p, ".MapServer/edit", 500, sitesOwnErrors[0].body, false)
	applied, _ := p.ApplyEdit(t.Context(), edit, nil)
	begins := p.Clock.Now().Add(20 * time.Second)
	ends := begins.Add(time.Minute)
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		now := p.Clock.Now()
		switch at := r.URL.Path; {
		case now.Before(begins) || now.After(ends):
			pass()
		case strings.HasSuffix(at, "/jobs"):
			_, _ = io.WriteString(w, `{"jobs":["jabcdef"]}`)
		case strings.Contains(at, "/jobs/"):
			_, _ = fmt.Fprintf(w, `{"id":"jabcdef","status":"EXECUTING","username":"admin","operationURI":"/admin/services/SampleWorldCities.MapServer/edit","starttime":%d}`, begins.UnixMilli())
		default:
			pass()
		}
	})
	_, err := settleEdit(t.Context(), p, applied.Search)
	if _, refused := errors.AsType[*operation.RefusedError](err); !refused || p.Clock.Now().Before(ends.Add(30*time.Second)) {
		t.Errorf("%s after the job: %v", p.Clock.Now().Sub(ends), err)
	}
}

// An edit that is answered at its end shows no sooner: of one behind an error nobody knows for long that it was refused.
func TestAnErrorIsNoRefusalOfAnEditThatShowsAtItsEnd(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit, atItsEnd := p.Edit(t, operationtest.Idle, "900"), true
	edit.Sync = &atItsEnd
	answering(p, ".MapServer/edit", 500, sitesOwnErrors[0].body, false)
	applied, result := p.ApplyEdit(t.Context(), edit, nil)
	if !result.Lost() {
		t.Fatal(result.Text())
	}
	ends := p.Clock.Now().Add(5 * time.Minute)
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, ".MapServer") && p.Clock.Now().After(ends) {
			_, _ = io.WriteString(w, edit.Edited.Text())
			return
		}
		pass()
	})
	found, err := settleEdit(t.Context(), p, applied.Search)
	if err != nil || found.Outcome != adminapi.OutcomeDone || p.Clock.Now().Before(ends) {
		t.Errorf("%s, %v", found.Outcome, err)
	}
}

func TestTheOutcomeOfAStopBehindAnErrorIsFound(t *testing.T) {
	t.Parallel()
	for _, performed := range []bool{true, false} {
		p := operationtest.WithJournal(t, "healthy")
		answering(p, ".MapServer/stop", 200, sitesOwnErrors[0].body, performed)
		var lost error
		_, outcome, err := operationtest.Apart(
			p.SwitchService(t.Context(), operation.Switch{Service: operationtest.Cities, Start: false}, nil, func(err error) { lost = err }))
		want := map[bool]adminapi.Outcome{true: adminapi.OutcomeDone, false: adminapi.OutcomeRefused}[performed]
		if outcome != want || lost == nil || performed != (err == nil) {
			t.Errorf("performed %v: found %v, %v, answer %v", performed, outcome, err, lost)
		}
		p.WantOutcome(t, want)
		p.WantSent(t, "POST stop", 1)
	}
}

func TestAStartBehindAnErrorIsRefusedOnlyWhereTheServiceIsNotConfiguredSo(t *testing.T) {
	t.Parallel()
	closed := func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"error":{"code":403,"message":"no","details":[]}}`)
	}
	gateway := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	// An old start is no start of now.
	old := func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/jobs") {
			_, _ = io.WriteString(w, `{"jobs":["jabcdef"]}`)
			return
		}
		_, _ = io.WriteString(w, `{"id":"jabcdef","status":"COMPLETED","operationURI":"/admin/services/SampleWorldCities.MapServer/start","starttime":1000}`)
	}
	by := func(user string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/jobs") {
				_, _ = io.WriteString(w, `{"jobs":["jabcdef"]}`)
				return
			}
			_, _ = fmt.Fprintf(w, `{"id":"jabcdef","status":"COMPLETED","username":%q,"operationURI":"/admin/services/SampleWorldCities.MapServer/start","starttime":%d}`,
				user, operationtest.Start.UnixMilli())
		}
	}
	for name, c := range map[string]struct {
		configured string
		jobs       http.HandlerFunc
		want       adminapi.Outcome
	}{
		"stopped again by another since":  {"STOPPED", by("admin"), adminapi.OutcomeDone},
		"a job of another user":           {"STARTED", by("other"), adminapi.OutcomeUnknown},
		"no word on how it is configured": {"", closed, adminapi.OutcomeUnknown},
		"configured so, no jobs to read":  {"STARTED", closed, adminapi.OutcomeUnknown},
		"configured so, an old job":       {"STARTED", old, adminapi.OutcomeUnknown},
		"not configured so":               {"STOPPED", closed, adminapi.OutcomeRefused},
		"not so, jobs that do not answer": {"STOPPED", gateway, adminapi.OutcomeUnknown},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := operationtest.WithJournal(t, "healthy")
			p.SlowToStart(c.configured, c.jobs)
			if _, outcome, err := operationtest.Apart(p.SwitchService(t.Context(), operation.Switch{Service: operationtest.Cities, Start: true}, nil, nil)); outcome != c.want {
				t.Errorf("found %v, %v", outcome, err)
			}
			if n := p.Sent("GET jobs"); n > 2 && name != "not so, jobs that do not answer" { // which are tried again
				t.Errorf("the jobs were read %d times", n)
			}
			p.Clock.Advance(time.Hour) // nor does a later look take it for refused
			if _, err := p.ResolveWrites(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.WantOutcome(t, c.want)
			p.WantSent(t, "POST start", 1)
		})
	}
}

func TestTheOutcomeOfAHealthRunBehindAnErrorIsFound(t *testing.T) {
	t.Parallel()
	for _, performed := range []bool{true, false} {
		p := operationtest.WithJournal(t, "healthy")
		asked := adminapi.HealthRun{SuiteIDs: p.SuiteIDs(t), Name: "nightly"}
		answering(p, "/healthCheck/run", 500, sitesOwnErrors[4].body, performed)
		run, outcome, err := operationtest.Apart(p.StartHealthRun(t.Context(), asked))
		if outcome != adminapi.OutcomeUnknown {
			t.Fatalf("outcome %v, error %v", outcome, err)
		}
		report, err := operationtest.WaitHealthRun(t.Context(), p, run, nil)
		_, refused := errors.AsType[*operation.RefusedError](err)
		if performed && (err != nil || report.Name != "nightly") || !performed && !refused {
			t.Errorf("performed %v: %q, %v", performed, report.Name, err)
		}
		want := map[bool]adminapi.Outcome{true: adminapi.OutcomeDone, false: adminapi.OutcomeRefused}[performed]
		if result := run.Result(err); result.Outcome != want || result.Done() != performed {
			t.Errorf("performed %v: %s", performed, result.Sentence())
		}
		p.WantOutcome(t, want)
		p.WantSent(t, "POST run", 1)
	}
}

func TestAHealthRunWhoseAnswerWasLostIsFoundByTheNextProgram(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	answering(p, "/healthCheck/run", 500, sitesOwnErrors[4].body, true)
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(
		p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: p.SuiteIDs(t), Name: "nightly"}))
	p.Clock.Advance(10 * time.Minute)
	found, err := p.ResolveWrites(t.Context())
	if err != nil || len(found) != 1 || found[0].Outcome != adminapi.OutcomeDone {
		t.Errorf("found %+v, %v", found, err)
	}
	p.WantOutcome(t, adminapi.OutcomeDone)
	p.WantSent(t, "POST run", 1)
}

func TestWhereToLookShowsWhatTheWriteChanges(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind          adminapi.WriteKind
		subject, want string
	}{
		{adminapi.WriteUpgrade, "12.0.0", "upgrade status"},
		{adminapi.WriteRollback, "11.5.0", "upgrade status"},
		{adminapi.WriteManifest, "manifest.json", "upgrade available"},
		{adminapi.WriteHealthRun, "nightly", "health reports"},
		{adminapi.WriteReportDeletion, "", "health reports"},
		{adminapi.WriteStop, "a/X.MapServer", "service status a/X.MapServer"},
		{adminapi.WriteDefinition, "X.MapServer", "service get X.MapServer"},
		{adminapi.WriteRules, "X.MapServer", "placement get X.MapServer"},
		{adminapi.WriteDefinition, "O'X;id.MapServer", `service get 'O'\''X;id.MapServer'`},
		{"", "line-4", "upgrade status"}, // of a damaged line
	} {
		if got, err := operation.LookCommand(c.kind, c.subject).Text(nil); err != nil || got != "geodeck "+c.want {
			t.Errorf("%s of %s: %q, not %q", c.kind, c.subject, got, c.want)
		}
	}
}
