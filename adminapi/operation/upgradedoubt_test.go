package operation_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
)

func TestJSONOfAGatewayIsNoAnswerOfTheSite(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"message":"Endpoint request timed out"}`, `{"error":{"code":504,"message":"upstream timed out","details":[]}}`} {
		for _, status := range []int{502, 503, 504} {
			p := remembering(t, builtIn(t, "healthy"), t.TempDir())
			request := p.request(t, releaseID)
			p.answering("/upgrades/upgrade", status, body, false)
			run, outcome, err := apart(p.StartUpgrade(t.Context(), request, nil))
			if outcome != adminapi.OutcomeUnknown {
				t.Fatalf("outcome %v %v", outcome, err)
			}
			if _, err = settleRun(t.Context(), p, run); !errors.Is(err, operation.ErrOutcomeUnknown) || p.sent("POST delete") != 0 {
				t.Errorf("status %d: settle %v, deletes %d", status, err, p.sent("POST delete"))
			}
		}
	}
}

func TestOneLookAtAnIdleSiteIsNoRefusal(t *testing.T) {
	t.Parallel()
	p := remembering(t, builtIn(t, "healthy"), t.TempDir())
	request := p.request(t, patchID)
	p.answering("/upgrades/upgrade", 500, `{"error":{"code":500,"message":"Timed out","details":[]}}`, false)
	_, _ = p.StartUpgrade(t.Context(), request, nil)
	p.clock.Advance(35 * time.Second) // without a search meanwhile
	_, _ = p.StartUpgrade(t.Context(), request, nil)
	p.wantSent(t, "POST upgrade", 1)
}

// wantNotResolvedAs fails where a search gives an open write that outcome.
func (p *platform) wantNotResolvedAs(t *testing.T, outcome adminapi.Outcome) {
	t.Helper()
	all, err := p.ResolveWrites(t.Context())
	if err != nil || len(all) == 0 {
		t.Errorf("%d open writes, %v", len(all), err)
	}
	for _, e := range all {
		if e.Outcome == outcome {
			t.Errorf("resolved as %v: %s", outcome, e.How)
		}
	}
}

func TestASiteThatHasChangedHasNotRefused(t *testing.T) {
	t.Parallel()
	p := remembering(t, builtIn(t, "healthy"), t.TempDir())
	request := p.request(t, patchID)
	p.answering("/upgrades/upgrade", 500, `{"error":{"code":500,"message":"Timed out","details":[]}}`, false)
	_, _ = p.StartUpgrade(t.Context(), request, nil)
	p.clock.Advance(31 * time.Second)
	p.reports(`{"state":"failed","code":4,"messages":[]}`)
	p.wantNotResolvedAs(t, adminapi.OutcomeRefused)
}

func TestAnAcceptedUpgradeThatShowsLateIsNotSentAgain(t *testing.T) {
	t.Parallel()
	p := remembering(t, builtIn(t, "healthy"), t.TempDir())
	request := p.request(t, patchID)
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Date", p.clock.Now().UTC().Format(http.TimeFormat))
			_, _ = io.WriteString(w, `{"status":{"state":"in_progress","code":1,"messages":[]}}`)
			return
		}
		pass()
	})
	for range 2 {
		_, _ = p.StartUpgrade(t.Context(), request, nil)
		p.clock.Advance(5 * time.Second)
	}
	p.wantSent(t, "POST upgrade", 1)
}

func TestAnEditWhoseJobRunsIsNotSentAgain(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := remembering(t, builtIn(t, "healthy"), folder)
	edit := p.edit(t, idle, "900")
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, ".MapServer/edit"):
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, `{"jobid":"j1","status":"SUBMITTED"}`)
		case strings.HasSuffix(r.URL.Path, "/jobs/j1"):
			http.Error(w, "", http.StatusForbidden)
		default:
			pass()
		}
	})
	_, _ = p.ApplyEdit(t.Context(), edit, nil)
	remembering(t, p, folder)
	_, _ = p.ApplyEdit(t.Context(), edit, nil)
	p.wantSent(t, "POST edit", 1)
}

func TestAShortRefusalDecidesNothing(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 498} {
		p := remembering(t, builtIn(t, "healthy"), t.TempDir())
		watch, _ := running(t, p)
		p.reportsDoubtful(`{"state":"success","code":3,"messages":[]}`, "11.5.0.6805")
		tell, refused := p.intercepting(), 0
		p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if strings.HasSuffix(r.URL.Path, "/currentVersion") && refused < 2 {
				refused++
				w.WriteHeader(status)
				return
			}
			tell(w, r, pass)
		})
		for range 60 {
			snapshot := polled(t, p, watch, 1)
			if snapshot.Undecided {
				t.Errorf("%d: undecided", status)
				break
			}
			if snapshot.Ended {
				break
			}
		}
	}
}

func TestACancelledWatchDecidesNothing(t *testing.T) {
	t.Parallel()
	p := remembering(t, builtIn(t, "healthy"), t.TempDir())
	watch, _ := running(t, p)
	p.reportsDoubtful(`{"state":"success","code":3,"messages":[]}`, "11.5.0.6805")
	tell := p.intercepting()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/currentVersion") {
			cancel()
			<-r.Context().Done()
			return
		}
		tell(w, r, pass)
	})
	for range 60 {
		snapshot, wait, err := stepped(watch.Next(ctx))
		if ctx.Err() != nil {
			if snapshot.Undecided {
				t.Errorf("undecided, %v", err)
			}
			return
		}
		_ = p.clock.Sleep(t.Context(), wait)
	}
}

func TestAnOutageEndsARefusal(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	watch, _ := running(t, p)
	code := func(s int) {
		p.intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(s) })
	}
	code(401)
	polled(t, p, watch, 1)
	code(503)
	if r := polled(t, p, watch, 25); r.Refused != nil {
		t.Errorf("away, and Refused is %v", r.Refused)
	}
	code(401)
	if r := polled(t, p, watch, 1); p.clock.Now().Sub(r.RefusedSince) > 2*time.Minute || r.Unreachable != nil {
		t.Errorf("refused since %v, now %v, away %v", r.RefusedSince, p.clock.Now(), r.Unreachable)
	}
}

func TestSomebodyElsesUpgradeHoursLaterIsNotAdopted(t *testing.T) {
	t.Parallel()
	p := unresolved(t, "answer-lost-not-performed")
	p.clock.Advance(10 * time.Hour)
	p.reports(`{"state":"in_progress","code":1,"messages":[` + p.first(-time.Minute) + `]}`)
	p.wantNotResolvedAs(t, adminapi.OutcomeDone)
}

func TestASearchResolvesItsOwnWriteOnly(t *testing.T) {
	t.Parallel()
	p := remembering(t, builtIn(t, "healthy"), t.TempDir())
	request := p.request(t, releaseID)
	p.answering("/upgrades/upgrade", 500, `{"error":{"code":500,"message":"Timed out","details":[]}}`, false)
	run, _ := p.StartUpgrade(t.Context(), request, nil)
	search := run.Search()
	for range 30 {
		f, _, wait, err := findRun(t.Context(), search)
		if err != nil || f == "refused" {
			break
		}
		_ = p.clock.Sleep(t.Context(), wait)
	}
	claim, err := p.Memory.Journal.Claim(adminapi.TargetSite, "x")
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Release()
	_ = p.Memory.Journal.BeforeWrite(adminapi.Write{ID: 99, Target: adminapi.TargetSite, Operation: "import the manifest", Path: "/x/admin/system/upgrades/importManifest"})
	_, _, _, _ = findRun(t.Context(), search)
	if open, _ := p.Memory.Journal.OpenRecords(adminapi.TargetSite); len(open) != 1 {
		t.Error("the other write was settled by the look for this one")
	}
}

func TestADoubtingWatchSlowsDown(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	watch, _ := running(t, p)
	p.reportsDoubtful(`{"state":"success","code":3,"messages":[]}`, "11.5.0.6745")
	var last time.Duration
	for range 60 {
		_, wait, err := stepped(watch.Next(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		last = wait
		_ = p.clock.Sleep(t.Context(), wait)
	}
	if last < 10*time.Second {
		t.Errorf("quiet for minutes, it still asks every %v", last)
	}
}

func TestLockFilesAreRemoved(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
	for i := range 20 {
		_, _ = p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: suiteIDs(t, p.Site), Name: fmt.Sprint("nightly ", i)})
	}
	entries, _ := os.ReadDir(p.Memory.Journal.Folder())
	n := 0
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "claim-") {
			n++
		}
	}
	if n > 5 {
		t.Errorf("%d lock files are left", n)
	}
}
