package operation_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade"
)

// unresolved is a site to which an upgrade of unknown outcome was sent from here.
func unresolved(t *testing.T, scenario string) *platform {
	t.Helper()
	p := remembering(t, builtIn(t, scenario), t.TempDir())
	run, outcome, _ := apart(p.StartUpgrade(t.Context(), p.request(t, patchID), nil))
	if outcome != adminapi.OutcomeUnknown {
		t.Fatalf("outcome %v", outcome)
	}
	if _, err := settleRun(t.Context(), p, run); scenario == "answer-lost-not-performed" && !errors.Is(err, operation.ErrOutcomeUnknown) {
		t.Fatalf("error %v", err)
	}
	return p
}

// wantUnresolved tries once more what must not be sent, and returns why it is not.
func (p *platform) wantUnresolved(t *testing.T) *operation.UnresolvedError {
	t.Helper()
	_, outcome, err := apart(p.StartUpgrade(t.Context(), p.request(t, patchID), nil))
	earlier, is := errors.AsType[*operation.UnresolvedError](err)
	if outcome != adminapi.OutcomeNotSent || !is || !errors.Is(err, operation.ErrUnresolved) {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	if n := p.sent("POST upgrade"); n != 1 {
		t.Fatalf("sent %d times", n)
	}
	return earlier
}

func TestAnUnresolvedUpgradeStopsTheNextOne(t *testing.T) {
	t.Parallel()
	p := unresolved(t, "answer-lost-not-performed")
	earlier := p.wantUnresolved(t)
	if earlier.Record.Subject != "11.5.0.6805" || !strings.Contains(earlier.Record.By, "process") ||
		!strings.Contains(earlier.Error(), "22:00:") || !strings.Contains(earlier.Error(), "nothing was sent") {
		t.Errorf("%v, by %q", earlier, earlier.Record.By)
	}
	wantResult(t, adminapi.OutcomeNotSent, operation.ErrUnresolved)(p.StartUpgrade(t.Context(), operation.RollbackRequest(upgrade.Rollback{Listed: p.request(t, patchID).Target, To: "11.5.0.6745"}), nil))
	p.wantSent(t, "POST rollback", 0)
	// Other targets are none of it.
	wantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), p.edit(t, idle, "900"), nil))
}

func TestARequestWhoseRecordIsDamagedStopsEveryOtherUntilItsLineIsTyped(t *testing.T) {
	t.Parallel()
	p := unresolved(t, "answer-lost-not-performed")
	path := filepath.Join(p.Memory.Journal.Folder(), "actions.jsonl")
	log, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	end := strings.IndexByte(string(log), '\n')
	if err := os.WriteFile(path, []byte(strings.Repeat("\x00", end)+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.clock.Advance(time.Hour)
	earlier := p.wantUnresolved(t)
	if earlier.Record.Subject != "line-1" || earlier.Wait != 0 || !strings.Contains(earlier.Error(), "a damaged record") {
		t.Errorf("%v, for %v", earlier, earlier.Wait)
	}
	wantResult(t, adminapi.OutcomeNotSent, operation.ErrUnresolved)(p.ApplyEdit(t.Context(), p.edit(t, idle, "900"), nil))
	if err := p.AllowNextWrite(t.Context(), operation.AnyTarget, "line-1"); err != nil {
		t.Fatal(err)
	}
	wantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), p.edit(t, idle, "900"), nil))
}

func TestAnUpgradeThatShowsLateIsResolved(t *testing.T) {
	t.Parallel()
	p := remembering(t, builtIn(t, "answer-lost-not-performed"), t.TempDir())
	request := p.request(t, patchID)
	run, _ := p.StartUpgrade(t.Context(), request, nil)
	_, _ = settleRun(t.Context(), p, run)
	began := p.first(-20 * time.Second)
	p.clock.Advance(15 * time.Second)
	p.reports(`{"state":"in_progress","code":1,"messages":[` + began + `]}`)
	wantResult(t, adminapi.OutcomeNotSent, operation.ErrUpgradeRuns)(p.StartUpgrade(t.Context(), request, nil))
	p.wantSent(t, "POST upgrade", 1)
	p.wantOutcome(t, adminapi.OutcomeDone)
}

// The request is found by what this machine has recorded of it, not by clocks of two times.
func TestAnUpgradeIsResolvedThoughTheClockOfTheSiteWasSet(t *testing.T) {
	t.Parallel()
	for _, set := range []time.Duration{3 * time.Hour, -3 * time.Hour} {
		p := remembering(t, builtIn(t, "answer-lost-not-performed"), t.TempDir())
		run, _ := p.StartUpgrade(t.Context(), p.request(t, patchID), nil)
		_, _ = settleRun(t.Context(), p, run)
		began := p.first(-20 * time.Second)
		p.intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) {
			w.Header().Set("Date", p.clock.Now().Add(set).UTC().Format(http.TimeFormat))
			_, _ = fmt.Fprintf(w, `{"status":{"state":"in_progress","code":1,"messages":[%s]}}`, began)
		})
		if _, err := p.ResolveWrites(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.wantOutcome(t, adminapi.OutcomeDone)
	}
}

func TestAnUpgradeIsSentAgainOnlyByTypingItsVersionAndNotTooSoon(t *testing.T) {
	t.Parallel()
	p := unresolved(t, "answer-lost-not-performed")
	earlier := p.wantUnresolved(t)
	if earlier.Wait < 8*time.Minute || earlier.Wait > 10*time.Minute {
		t.Errorf("it may be sent again in %v", earlier.Wait)
	}
	if err := p.AllowNextWrite(t.Context(), adminapi.TargetSite, "11.5.0.6805"); !errors.Is(err, operation.ErrUnresolved) {
		t.Errorf("too soon: %v", err)
	}
	p.clock.Advance(earlier.Wait)
	if earlier := p.wantUnresolved(t); earlier.Wait != 0 {
		t.Errorf("it may be sent again in %v", earlier.Wait)
	}
	var other *operation.OverrideError
	if err := p.AllowNextWrite(t.Context(), adminapi.TargetSite, "12.0.0.7286"); !errors.As(err, &other) || other.Subject != "11.5.0.6805" {
		t.Errorf("another version: %v", err)
	}
	p.wantUnresolved(t)
	if err := p.AllowNextWrite(t.Context(), adminapi.TargetSite, " 11.5.0.6805 "); err != nil {
		t.Fatal(err)
	}
	wantResult(t, adminapi.OutcomeDone, nil)(p.StartUpgrade(t.Context(), p.request(t, patchID), nil))
	p.wantSent(t, "POST upgrade", 2)
}

func TestAClockThatWasSetBackShortensNoWait(t *testing.T) {
	t.Parallel()
	p := unresolved(t, "answer-lost-not-performed")
	p.Site.Clock = clockBehind{p.clock, 24 * time.Hour}
	if earlier := p.wantUnresolved(t); earlier.Wait != 10*time.Minute {
		t.Errorf("it may be sent again in %v", earlier.Wait)
	}
}

// clockBehind is a clock that was set back.
type clockBehind struct {
	adminapi.Clock
	by time.Duration
}

func (c clockBehind) Now() time.Time { return c.Clock.Now().Add(-c.by) }

func TestAProgramThatWasKilledWhileItSentStopsTheNextOne(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := remembering(t, builtIn(t, "healthy"), folder)
	request := p.request(t, patchID)
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
			p.killed.Store(true)
			hangUp(w)
			return
		}
		pass()
	})
	_, _ = p.StartUpgrade(t.Context(), request, nil)
	p.killed.Store(false)
	remembering(t, p, folder) // started again
	open, err := p.Memory.Journal.OpenRecords(adminapi.TargetSite)
	if err != nil || len(open) != 1 {
		t.Fatalf("open %+v, %v", open, err)
	}
	p.wantUnresolved(t)
}

func TestTwoStartsAtOnceSendOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := remembering(t, builtIn(t, "healthy"), folder)
	request := p.request(t, patchID)
	first := p.Site
	begun, goOn := make(chan struct{}), make(chan struct{})
	p.intercept(func(_ http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
			close(begun)
			<-goOn
		}
		pass()
	})
	result := make(chan adminapi.Outcome, 1)
	go func() {
		_, outcome, _ := apart(first.StartUpgrade(t.Context(), request, nil))
		result <- outcome
	}()
	<-begun
	here := p.Memory.Journal
	remembering(t, p, folder) // another program on the same folder
	_, outcome, err := apart(p.StartUpgrade(t.Context(), request, nil))
	if outcome != adminapi.OutcomeNotSent || !errors.Is(err, operation.ErrUnresolved) {
		t.Errorf("outcome %v, error %v", outcome, err)
	}
	p.Memory.Journal = here
	close(goOn)
	if outcome := <-result; outcome != adminapi.OutcomeDone {
		t.Errorf("the first: outcome %v", outcome)
	}
	p.wantSent(t, "POST upgrade", 1)
}

func TestAnotherClaimIsNamed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := remembering(t, builtIn(t, "healthy"), folder)
	other, err := p.Memory.Journal.Claim(adminapi.TargetSite, "11.5.0.6805")
	if err != nil {
		t.Fatal(err)
	}
	_, outcome, err := apart(p.StartUpgrade(t.Context(), p.request(t, patchID), nil))
	if outcome != adminapi.OutcomeNotSent || !errors.Is(err, operation.ErrBusyHere) || !strings.Contains(err.Error(), "process") {
		t.Errorf("outcome %v, error %v", outcome, err)
	}
	other.Release()
	wantResult(t, adminapi.OutcomeDone, nil)(p.StartUpgrade(t.Context(), p.request(t, patchID), nil))
}

// It sees an upgrade that somebody else begins after the settings were fetched.
func TestTheLastCheckIsRightBeforeTheRequest(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	request := p.request(t, patchID)
	first := p.first(-time.Second)
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		pass()
		if strings.HasSuffix(r.URL.Path, "/getUpgradeSettings") {
			p.reports(`{"state":"in_progress","code":1,"messages":[` + first + `]}`)
		}
	})
	wantResult(t, adminapi.OutcomeNotSent, operation.ErrUpgradeRuns)(p.StartUpgrade(t.Context(), request, nil))
	p.wantSent(t, "POST upgrade", 0)
}

func TestAnUnresolvedEditStopsTheNextChangeOfItsService(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "edit-answer-lost-not-performed")
	edit := p.edit(t, idle, "900")
	wantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
	_, outcome, err := apart(p.ApplyEdit(t.Context(), edit, nil))
	if earlier, is := errors.AsType[*operation.UnresolvedError](err); outcome != adminapi.OutcomeNotSent || !is ||
		earlier.Wait > 2*time.Minute || earlier.Record.Subject != cities.Path() {
		t.Errorf("outcome %v, error %v", outcome, err)
	}
	wantResult(t, adminapi.OutcomeNotSent, operation.ErrUnresolved)(p.SwitchService(t.Context(), operation.Switch{Service: cities, Start: false}, nil, nil))
	p.wantSent(t, "POST edit", 1)
	p.clock.Advance(2 * time.Minute)
	if err := p.AllowNextWrite(t.Context(), adminapi.TargetService(cities), cities.Path()); err != nil {
		t.Fatal(err)
	}
	wantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), edit, nil))
}

func TestAnEditThatArrivedIsResolvedByTheNextOne(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "edit-answer-lost")
	wantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), p.edit(t, idle, "900"), nil))
	p.clock.Advance(time.Minute) // its job ends
	wantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), p.edit(t, idle, "901"), nil))
}

// unsearched starts or stops a service whose answer is lost, and whose outcome nobody searches for: the
// program ends.
func unsearched(p *platform, start bool) (adminapi.Outcome, error) {
	ctx, end := context.WithCancel(context.Background())
	defer end()
	_, outcome, err := apart(p.SwitchService(ctx, operation.Switch{Service: cities, Start: start}, nil, func(error) { end() }))
	return outcome, err
}

func TestAStopThatArrivedIsResolvedByTheNextOne(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "edit-answer-lost")
	if outcome, err := unsearched(p, false); outcome != adminapi.OutcomeUnknown {
		t.Fatal(outcome, err)
	}
	p.clock.Advance(time.Minute)
	wantResult(t, adminapi.OutcomeDone, nil)(p.SwitchService(t.Context(), operation.Switch{Service: cities, Start: true}, nil, nil))
}

func TestAHealthRunOfTheSameNameIsNotSentTwice(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
	run := adminapi.HealthRun{SuiteIDs: suiteIDs(t, p.Site), Name: "nightly"}
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/healthCheck/run") {
			hangUp(w)
			return
		}
		pass()
	})
	wantResult(t, adminapi.OutcomeUnknown, nil)(p.StartHealthRun(t.Context(), run))
	p.intercept(nil)
	wantResult(t, adminapi.OutcomeNotSent, operation.ErrUnresolved)(p.StartHealthRun(t.Context(), run))
	run.Name = "another"
	wantResult(t, adminapi.OutcomeDone, nil)(p.StartHealthRun(t.Context(), run))
	p.wantSent(t, "POST run", 2)
}

// What is typed lets the next write go, not an attempt that sends nothing.
func TestAnOverrideIsUsedWithTheSendingOnly(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "edit-answer-lost-not-performed")
	edit := p.edit(t, idle, "900")
	wantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
	p.clock.Advance(2 * time.Minute)
	typed := operation.WithOverride(t.Context(), cities.Path())
	drifted := edit
	drifted.Base = edit.Edited // not what the site has
	drifted.Edited = edit.Base
	if _, outcome, err := apart(p.ApplyEdit(typed, drifted, nil)); outcome != adminapi.OutcomeNotSent || errors.Is(err, operation.ErrUnresolved) {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	wantResult(t, adminapi.OutcomeNotSent, operation.ErrUnresolved)(p.ApplyEdit(t.Context(), edit, nil))
	wantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(typed, edit, nil))
	p.wantSent(t, "POST edit", 2)
}

func TestTheOutcomeOfAnImportBehindAnErrorIsFound(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "manifest.json")
	if err := os.WriteFile(file, []byte(`{"versions":[{"id":"pat_new_6900","name":"Rehearsal","type":"patch","version":"11.5.0","previousVersion":"11.5.0",`+
		`"build":"6900","previousBuild":"6745","releaseBuild":"6745","containers":[]}],"signature":"rehearsal"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for performed, want := range map[bool]adminapi.Outcome{true: adminapi.OutcomeDone, false: adminapi.OutcomeRefused} {
		p := remembering(t, builtIn(t, "empty-manifest"), t.TempDir())
		p.clock.Advance(time.Minute)
		p.answering("/importManifest", 200, sitesOwnErrors[0].body, performed)
		wantResult(t, want, nil)(p.ImportManifest(t.Context(), operation.ManifestImport(file), nil))
		p.wantOutcome(t, want)
		p.wantSent(t, "POST importManifest", 1)
	}
	// A later import leaves no trace of the one before.
	p := remembering(t, builtIn(t, "empty-manifest"), t.TempDir())
	p.answering("/importManifest", 200, sitesOwnErrors[0].body, false)
	ended, end := context.WithCancel(t.Context())
	wantResult(t, adminapi.OutcomeUnknown, nil)(p.ImportManifest(ended, operation.ManifestImport(file), func(error) { end() }))
	p.clock.Advance(time.Hour)
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/manifestStatus") {
			pass()
			return
		}
		_, _ = fmt.Fprintf(w, `{"versionManifestSource":"a file","lastImportedTimestamp":%d}`, p.clock.Now().UnixMilli())
	})
	if _, err := p.ResolveWrites(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.wantOutcome(t, adminapi.OutcomeUnknown)
}
