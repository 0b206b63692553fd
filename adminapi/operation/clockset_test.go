package operation_test

import (
	"context"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
)

// writesWithTimes are the writes that are found again by when the site has begun them.
func writesWithTimes(t *testing.T) map[string]func(*operationtest.Platform) (adminapi.Outcome, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "manifest.json")
	if err := os.WriteFile(file, []byte(`{"versions":[{"id":"pat_new_6900","name":"Rehearsal","type":"patch","version":"11.5.0","previousVersion":"11.5.0",`+
		`"build":"6900","previousBuild":"6745","releaseBuild":"6745","containers":[]}],"signature":"rehearsal"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return map[string]func(*operationtest.Platform) (adminapi.Outcome, error){
		"/importManifest": func(p *operationtest.Platform) (adminapi.Outcome, error) {
			ctx, end := context.WithCancel(t.Context())
			defer end()
			_, outcome, err := operationtest.Apart(p.ImportManifest(ctx, operation.ManifestImport(file), func(error) { end() })) // nobody searches for it
			return outcome, err
		},
		"/healthCheck/run": func(p *operationtest.Platform) (adminapi.Outcome, error) {
			_, outcome, err := operationtest.Apart(
				p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: p.SuiteIDs(t), Name: "nightly"}))
			return outcome, err
		},
	}
}

// setSiteClock sets the clock of the site, which the client sees.
func setSiteClock(t *testing.T, p *operationtest.Platform, ahead time.Duration) {
	t.Helper()
	p.Ahead.Store(int64(ahead))
	if _, err := p.Client.Mode(t.Context()); err != nil {
		t.Fatal(err)
	}
	if seen, known := p.Client.ServerTime(); seen != ahead || !known {
		t.Fatal(seen, known)
	}
}

// A clock that was set forward hides nothing: it was not refused.
func TestAWriteIsFoundAfterTheClockOfTheSiteWasSetForward(t *testing.T) {
	t.Parallel()
	for path, send := range writesWithTimes(t) {
		p := operationtest.WithJournal(t, "healthy")
		answering(p, path, 500, sitesOwnErrors[4].body, true)
		if outcome, err := send(p); outcome != adminapi.OutcomeUnknown {
			t.Fatal(path, outcome, err)
		}
		setSiteClock(t, p, 3*time.Hour)
		p.Clock.Advance(time.Minute)
		all, err := p.ResolveWrites(t.Context())
		if err != nil || len(all) != 1 || all[0].Outcome != adminapi.OutcomeDone {
			t.Errorf("%s: %+v, %v", path, all, err)
		}
	}
}

// One that was set back makes no earlier import or run of the same name the last one.
func TestAnEarlierWriteIsNotTakenForALaterOneAfterTheClockWasSetBack(t *testing.T) {
	t.Parallel()
	for path, send := range writesWithTimes(t) {
		p := operationtest.WithJournal(t, "healthy")
		if outcome, err := send(p); outcome != adminapi.OutcomeDone {
			t.Fatal(path, outcome, err)
		}
		p.Clock.Advance(5 * time.Minute)
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, path) {
				pass()
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			operationtest.HangUp(w)
		})
		if outcome, err := send(p); outcome != adminapi.OutcomeUnknown {
			t.Fatal(path, outcome, err)
		}
		setSiteClock(t, p, -5*time.Minute)
		p.Clock.Advance(10 * time.Minute)
		wantNotResolvedAs(t, p, adminapi.OutcomeDone)
	}
}

// The clock of the machine is set forward before the next look: by that of the site no time has passed.
func TestAWriteIsNotRefusedBecauseTheClockOfTheMachineWasSetForward(t *testing.T) {
	t.Parallel()
	for path, send := range writesWithTimes(t) {
		p := operationtest.WithJournal(t, "healthy")
		answering(p, path, 500, sitesOwnErrors[4].body, false)
		if outcome, err := send(p); outcome != adminapi.OutcomeUnknown {
			t.Fatal(path, outcome, err)
		}
		p.Clock.Advance(time.Hour)
		setSiteClock(t, p, -time.Hour)
		wantNotResolvedAs(t, p, adminapi.OutcomeRefused)
		p.Clock.Advance(time.Minute)
		if all, err := p.ResolveWrites(t.Context()); err != nil || len(all) != 1 || all[0].Outcome != adminapi.OutcomeRefused {
			t.Errorf("%s a minute later: %+v, %v", path, all, err)
		}
	}
}

// Records of earlier versions do not say when a write was sent by the site's clock.
func TestAWriteWithoutItsTimeAtTheSiteStaysUnknown(t *testing.T) {
	t.Parallel()
	for path, send := range writesWithTimes(t) {
		p := operationtest.WithJournal(t, "healthy")
		if outcome, err := send(p); outcome != adminapi.OutcomeDone {
			t.Fatal(path, outcome, err)
		}
		p.Clock.Advance(time.Minute)
		claim, err := p.Memory.Journal.Claim("target", "x")
		if err != nil {
			t.Fatal(err)
		}
		w := adminapi.Write{ID: 99, Operation: "x", Path: "/x/admin" + path, Target: "target", Fields: map[string][]string{"runName": {"nightly"}}}
		if err := p.Memory.Journal.BeforeWrite(w); err != nil {
			t.Fatal(err)
		}
		p.Memory.Journal.AfterWrite(w, adminapi.OutcomeUnknown, &adminapi.Error{Kind: adminapi.KindServer, Explicit: true})
		claim.Release()
		p.Clock.Advance(time.Hour)
		wantNotResolvedAs(t, p, adminapi.OutcomeDone)
		wantNotResolvedAs(t, p, adminapi.OutcomeRefused)
	}
}

// A machine whose clock is slow takes no earlier upgrade for what it has sent.
func TestAnUpgradeIsDatedByTheClockOfTheSite(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "answer-lost-not-performed")
	request := p.Request(t, operationtest.PatchID)
	setSiteClock(t, p, 10*time.Minute)
	p.ReportsStatus(`{"state":"failed","code":2,"messages":[` + p.FirstMessage(5*time.Minute) + `]}`) // five minutes ago, there
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.StartUpgrade(t.Context(), request, nil))
	wantNotResolvedAs(t, p, adminapi.OutcomeDone)
}

// setClock is a clock that somebody sets.
type setClock struct {
	adminapi.Clock
	by atomic.Int64
}

func (c *setClock) Now() time.Time { return c.Clock.Now().Add(time.Duration(c.by.Load())) }

// A search after a lost answer lasts half a minute. Where the clock of the machine is set back meanwhile, it lasts no longer.
func TestASearchLastsNoLongerWhereTheClockIsSetBack(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	reports, err := p.Reports().All(t.Context())
	if err != nil || len(reports) < 2 {
		t.Fatal(reports, err)
	}
	clock, looks := &setClock{Clock: p.Site.Clock}, 0
	p.Site.Clock = clock
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/delete"):
			operationtest.HangUp(w)
			return
		case strings.HasSuffix(r.URL.Path, "/query"):
			if looks++; looks == 3 {
				clock.by.Store(-int64(6 * time.Hour))
			}
		}
		pass()
	})
	result := p.DeleteReports(t.Context(), operation.ReportDeletion{IDs: []string{reports[0].ID, reports[1].ID}}, nil)
	if result.Outcome != adminapi.OutcomeUnknown || looks > 20 {
		t.Errorf("%s, after %d looks", result.Sentence(), looks)
	}
}
