package operation_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
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
			run, outcome, err := apart(p.StartUpgrade(t.Context(), request, nil))
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
			run, outcome, err := apart(p.StartUpgrade(t.Context(), request, nil))
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
	records, err := p.Memory.Journal.Actions(0)
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
			run, outcome, _ := apart(p.StartUpgrade(t.Context(), request, nil))
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
	_, outcome, err := apart(p.StartUpgrade(t.Context(), request, nil))
	if outcome != adminapi.OutcomeRefused || !strings.Contains(err.Error(), "stay at the site") {
		t.Errorf("outcome %v, error %v", outcome, err)
	}
	p.wantSent(t, "POST delete", 0)
	p = builtIn(t, "healthy")
	request = p.request(t, releaseID)
	p.answering("/upgrades/upgrade", 200, refusal, true) // an upgrade runs all the same
	if _, outcome, err := apart(p.StartUpgrade(t.Context(), request, nil)); outcome != adminapi.OutcomeRefused || err == nil || p.sent("POST delete") != 0 {
		t.Errorf("outcome %v, error %v, %d uploads taken from under it", outcome, err, p.sent("POST delete"))
	}
}

func TestTheOutcomeOfAnEditBehindAnErrorIsFound(t *testing.T) {
	t.Parallel()
	for _, answer := range sitesOwnErrors {
		for _, performed := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, performed %v", answer.name, performed), func(t *testing.T) {
				p := editingSite(t, "healthy")
				edit := p.edit(t, idle, "900")
				p.answering(".MapServer/edit", answer.status, answer.body, performed)
				_, outcome, err := apart(p.ApplyEdit(t.Context(), edit, nil))
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
				p.wantOutcome(t, map[bool]adminapi.Outcome{true: adminapi.OutcomeDone, false: adminapi.OutcomeRefused}[performed])
				p.wantSent(t, "POST edit", 1)
			})
		}
	}
}

func TestTheOutcomeOfAStopBehindAnErrorIsFound(t *testing.T) {
	t.Parallel()
	for _, performed := range []bool{true, false} {
		p := editingSite(t, "healthy")
		p.answering(".MapServer/stop", 200, sitesOwnErrors[0].body, performed)
		var lost error
		_, outcome, err := apart(p.SwitchService(t.Context(), operation.Switch{Service: cities, Start: false}, nil, func(err error) { lost = err }))
		want := map[bool]adminapi.Outcome{true: adminapi.OutcomeDone, false: adminapi.OutcomeRefused}[performed]
		if outcome != want || lost == nil || performed != (err == nil) {
			t.Errorf("performed %v: found %v, %v, answer %v", performed, outcome, err, lost)
		}
		p.wantOutcome(t, want)
		p.wantSent(t, "POST stop", 1)
	}
}

// slow makes a service show a state that it takes long to leave, while its jobs cannot be read
// or there are none.
func (p *platform) slow(configured string, jobs http.HandlerFunc) {
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, ".MapServer/start"):
			_, _ = io.WriteString(w, `{"error":{"code":500,"message":"Timed out waiting for the upgrader","details":[]}}`)
		case strings.HasSuffix(r.URL.Path, ".MapServer/status"):
			_, _ = fmt.Fprintf(w, `{"configuredState":%q,"realTimeState":"STOPPED"}`, configured)
		case strings.Contains(r.URL.Path, "/jobs"):
			jobs(w, r)
		default:
			pass()
		}
	})
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
				user, start.UnixMilli())
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
			p := editingSite(t, "healthy")
			p.slow(c.configured, c.jobs)
			if _, outcome, err := apart(p.SwitchService(t.Context(), operation.Switch{Service: cities, Start: true}, nil, nil)); outcome != c.want {
				t.Errorf("found %v, %v", outcome, err)
			}
			if n := p.sent("GET jobs"); n > 2 && name != "not so, jobs that do not answer" { // which are tried again
				t.Errorf("the jobs were read %d times", n)
			}
			p.clock.Advance(time.Hour) // nor does a later look take it for refused
			if _, err := p.ResolveWrites(t.Context()); err != nil {
				t.Fatal(err)
			}
			p.wantOutcome(t, c.want)
			p.wantSent(t, "POST start", 1)
		})
	}
}

// A user who reads why a service is down changes nothing by that, on disk or for others.
func TestAnExplanationRecordsAndClaimsNothing(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
	p.slow("STOPPED", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{"jobs":[]}`) })
	ctx, ends := context.WithCancel(t.Context())
	defer ends()
	if _, outcome, _ := apart(p.SwitchService(ctx, operation.Switch{Service: cities, Start: true}, nil, func(error) { ends() })); outcome != adminapi.OutcomeUnknown {
		t.Fatalf("outcome %v", outcome)
	}
	p.clock.Advance(time.Hour)
	before := contents(t, p.Memory.Journal.Folder())
	incident.ExplainService(t.Context(), p.Site, cities, incident.Surroundings{})
	x, found := incident.ExplainOpen(t.Context(), p.Site, incident.Surroundings{})
	if after := contents(t, p.Memory.Journal.Folder()); !maps.Equal(before, after) {
		t.Errorf("before %v\nafter %v", slices.Sorted(maps.Keys(before)), slices.Sorted(maps.Keys(after)))
	}
	if !found {
		t.Errorf("the lost start is not told: %+v", x)
	}
	p.wantOutcome(t, adminapi.OutcomeUnknown)
	if all, err := p.ResolveWrites(t.Context()); err != nil || len(all) != 1 || all[0].Outcome != adminapi.OutcomeRefused {
		t.Errorf("%+v, %v", all, err)
	}
}

// contents are the files in a folder with their content and the time of their last change.
func contents(t *testing.T, folder string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil && !entry.IsDir() {
			var text []byte
			text, err = os.ReadFile(path)
			files[path] = info.ModTime().String() + string(text)
		} else if err == nil {
			files[path] = info.ModTime().String() // which a file that comes and goes changes
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestTheOutcomeOfAHealthRunBehindAnErrorIsFound(t *testing.T) {
	t.Parallel()
	for _, performed := range []bool{true, false} {
		p := editingSite(t, "healthy")
		asked := adminapi.HealthRun{SuiteIDs: suiteIDs(t, p.Site), Name: "nightly"}
		p.answering("/healthCheck/run", 500, sitesOwnErrors[4].body, performed)
		run, outcome, err := apart(p.StartHealthRun(t.Context(), asked))
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

func TestAHealthRunWhoseAnswerWasLostIsFoundByTheNextProgram(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
	p.answering("/healthCheck/run", 500, sitesOwnErrors[4].body, true)
	wantResult(t, adminapi.OutcomeUnknown, nil)(p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: suiteIDs(t, p.Site), Name: "nightly"}))
	p.clock.Advance(10 * time.Minute)
	found, err := p.ResolveWrites(t.Context())
	if err != nil || len(found) != 1 || found[0].Outcome != adminapi.OutcomeDone {
		t.Errorf("found %+v, %v", found, err)
	}
	p.wantOutcome(t, adminapi.OutcomeDone)
	p.wantSent(t, "POST run", 1)
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
