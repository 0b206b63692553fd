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
			ask := p.ask(t, releaseID)
			p.answering("/upgrades/upgrade", status, body, false)
			run, outcome, err := p.StartUpgrade(t.Context(), ask, nil)
			if outcome != adminapi.OutcomeUnknown {
				t.Fatalf("outcome %v %v", outcome, err)
			}
			if _, err = settleRun(t.Context(), p, run); !errors.Is(err, operation.ErrOutcomeUnknown) || p.sent("POST delete") != 0 {
				t.Errorf("status %d: settle %v, deletes %d", status, err, p.sent("POST delete"))
			}
		}
	}
}

func TestOneLookIsNoHalfMinuteOfAnIdleSite(t *testing.T) {
	t.Parallel()
	p := remembering(t, builtIn(t, "healthy"), t.TempDir())
	ask := p.ask(t, patchID)
	p.answering("/upgrades/upgrade", 500, `{"error":{"code":500,"message":"Timed out","details":[]}}`, false)
	_, _, _ = p.StartUpgrade(t.Context(), ask, nil)
	p.clock.Advance(35 * time.Second) // nobody has looked meanwhile
	_, outcome, err := p.StartUpgrade(t.Context(), ask, nil)
	if n := p.sent("POST upgrade"); n != 1 {
		t.Errorf("sent %d times: %v, %v", n, outcome, err)
	}
}

func TestASiteThatHasChangedHasNotRefused(t *testing.T) {
	t.Parallel()
	p := remembering(t, builtIn(t, "healthy"), t.TempDir())
	ask := p.ask(t, patchID)
	p.answering("/upgrades/upgrade", 500, `{"error":{"code":500,"message":"Timed out","details":[]}}`, false)
	_, _, _ = p.StartUpgrade(t.Context(), ask, nil)
	p.clock.Advance(31 * time.Second)
	p.tells(`{"state":"failed","code":4,"messages":[]}`)
	all, _ := p.ResolveWrites(t.Context())
	for _, e := range all {
		if e.Outcome == adminapi.OutcomeRefused {
			t.Errorf("told as refused: %s", e.How)
		}
	}
}

func TestAnAcceptedUpgradeThatShowsLateIsNotPostedAgain(t *testing.T) {
	t.Parallel()
	p := remembering(t, builtIn(t, "healthy"), t.TempDir())
	ask := p.ask(t, patchID)
	p.spoilWith(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Date", p.clock.Now().UTC().Format(http.TimeFormat))
			_, _ = io.WriteString(w, `{"status":{"state":"in_progress","code":1,"messages":[]}}`)
			return
		}
		pass()
	})
	for range 2 {
		_, _, _ = p.StartUpgrade(t.Context(), ask, nil)
		p.clock.Advance(5 * time.Second)
	}
	if n := p.sent("POST upgrade"); n != 1 {
		t.Errorf("sent %d times", n)
	}
}

func TestAnEditWhoseJobGoesOnIsNotPostedAgain(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := remembering(t, builtIn(t, "healthy"), folder)
	edit := p.edit(t, idle, "900")
	p.spoilWith(func(w http.ResponseWriter, r *http.Request, pass func()) {
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
	_, _, _ = p.ApplyEdit(t.Context(), edit, nil)
	remembering(t, p, folder)
	_, _, _ = p.ApplyEdit(t.Context(), edit, nil)
	p.sentEdits(t, 1)
}

func TestARefusalOfAMomentDecidesNothing(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 498} {
		p := remembering(t, builtIn(t, "healthy"), t.TempDir())
		watch, _ := running(t, p)
		p.tellsOdd(`{"state":"success","code":3,"messages":[]}`, "11.5.0.6805")
		tell, refused := p.spoil, 0
		p.spoilWith(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if strings.HasSuffix(r.URL.Path, "/currentVersion") && refused < 2 {
				refused++
				w.WriteHeader(status)
				return
			}
			tell(w, r, pass)
		})
		for range 60 {
			reading := readings(t, p, watch, 1)
			if reading.Undecided {
				t.Errorf("%d: undecided", status)
				break
			}
			if reading.Ended {
				break
			}
		}
	}
}

func TestWhoGivesUpDecidesNothing(t *testing.T) {
	t.Parallel()
	p := remembering(t, builtIn(t, "healthy"), t.TempDir())
	watch, _ := running(t, p)
	p.tellsOdd(`{"state":"success","code":3,"messages":[]}`, "11.5.0.6805")
	tell := p.spoil
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p.spoilWith(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/currentVersion") {
			cancel()
			<-r.Context().Done()
			return
		}
		tell(w, r, pass)
	})
	for range 60 {
		reading, wait, err := stepped(watch.Next(ctx))
		if ctx.Err() != nil {
			if reading.Undecided {
				t.Errorf("undecided, %v", err)
			}
			return
		}
		_ = p.clock.Sleep(t.Context(), wait)
	}
}

func TestRefusedThenAwayIsNotUnbroken(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	watch, _ := running(t, p)
	code := func(s int) {
		p.spoilWith(func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(s) })
	}
	code(401)
	readings(t, p, watch, 1)
	code(503)
	if r := readings(t, p, watch, 25); r.Refused != nil {
		t.Errorf("away, and Refused is %v", r.Refused)
	}
	code(401)
	if r := readings(t, p, watch, 1); p.clock.Now().Sub(r.RefusedSince) > 2*time.Minute || r.Unreachable != nil {
		t.Errorf("refused since %v, now %v, away %v", r.RefusedSince, p.clock.Now(), r.Unreachable)
	}
}

func TestSomebodyElsesUpgradeHoursLaterIsNotAdopted(t *testing.T) {
	t.Parallel()
	p := unsettled(t, "answer-lost-not-performed")
	p.clock.Advance(10 * time.Hour)
	p.tells(`{"state":"in_progress","code":1,"messages":[` + p.first(-time.Minute) + `]}`)
	all, _ := p.ResolveWrites(t.Context())
	for _, e := range all {
		if e.Outcome == adminapi.OutcomeDone {
			t.Errorf("adopted: %s", e.How)
		}
	}
}

func TestALookSettlesItsOwnWriteOnly(t *testing.T) {
	t.Parallel()
	p := remembering(t, builtIn(t, "healthy"), t.TempDir())
	ask := p.ask(t, releaseID)
	p.answering("/upgrades/upgrade", 500, `{"error":{"code":500,"message":"Timed out","details":[]}}`, false)
	run, _, _ := p.StartUpgrade(t.Context(), ask, nil)
	search := run.Search()
	for range 30 {
		f, _, wait, err := findRun(t.Context(), search)
		if err != nil || f == operation.FindingRefused {
			break
		}
		_ = p.clock.Sleep(t.Context(), wait)
	}
	claim, err := p.Journal.Claim(adminapi.TargetSite, "x")
	if err != nil {
		t.Fatal(err)
	}
	defer claim.Release()
	_ = p.Journal.BeforeWrite(adminapi.Write{ID: 99, Target: adminapi.TargetSite, Operation: "import the manifest", Path: "/x/admin/system/upgrades/importManifest"})
	_, _, _, _ = findRun(t.Context(), search)
	if open, _ := p.Journal.OpenRecords(adminapi.TargetSite); len(open) != 1 {
		t.Error("the other write was settled by the look for this one")
	}
}

func TestAnOddWatchSlowsDown(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	watch, _ := running(t, p)
	p.tellsOdd(`{"state":"success","code":3,"messages":[]}`, "11.5.0.6745")
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

func TestLockFilesDoNotGather(t *testing.T) {
	t.Parallel()
	p := editing(t, "healthy")
	for i := range 20 {
		_, _, _ = p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: suiteIDs(t, p.Site), Name: fmt.Sprint("nightly ", i)})
	}
	entries, _ := os.ReadDir(p.Journal.Folder())
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
