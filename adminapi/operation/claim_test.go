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
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/upgrade"
)

// unresolved is a site to which an upgrade of unknown outcome was sent from here.
func unresolved(t *testing.T, scenario string) *operationtest.Platform {
	t.Helper()
	p := operationtest.WithJournal(t, scenario)
	run, outcome, _ := operationtest.Apart(p.StartUpgrade(t.Context(), p.Request(t, operationtest.PatchID), nil))
	if outcome != adminapi.OutcomeUnknown {
		t.Fatalf("outcome %v", outcome)
	}
	if _, err := settleRun(t.Context(), p, run); scenario == "answer-lost-not-performed" && !errors.Is(err, operation.ErrOutcomeUnknown) {
		t.Fatalf("error %v", err)
	}
	return p
}

// wantUnresolved tries once more what must not be sent, and returns why it is not.
func wantUnresolved(t *testing.T, p *operationtest.Platform) *operation.UnresolvedError {
	t.Helper()
	_, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), p.Request(t, operationtest.PatchID), nil))
	earlier, is := errors.AsType[*operation.UnresolvedError](err)
	if outcome != adminapi.OutcomeNotSent || !is || !errors.Is(err, operation.ErrUnresolved) {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	if n := p.Sent("POST upgrade"); n != 1 {
		t.Fatalf("sent %d times", n)
	}
	return earlier
}

func TestAnUnresolvedUpgradeStopsTheNextOne(t *testing.T) {
	t.Parallel()
	p := unresolved(t, "answer-lost-not-performed")
	earlier := wantUnresolved(t, p)
	if earlier.Record.Subject != "11.5.0.6805" || !strings.Contains(earlier.Record.By, "process") ||
		!strings.Contains(earlier.Error(), "22:00:") || !strings.Contains(earlier.Error(), "nothing was sent") {
		t.Errorf("%v, by %q", earlier, earlier.Record.By)
	}
	operationtest.WantResult(t, adminapi.OutcomeNotSent, operation.ErrUnresolved)(
		p.StartUpgrade(t.Context(), operation.RollbackRequest(upgrade.Rollback{Listed: p.Request(t, operationtest.PatchID).Target, To: "11.5.0.6745"}), nil))
	p.WantSent(t, "POST rollback", 0)
	// Other targets are none of it.
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(
		p.ApplyEdit(t.Context(), p.Edit(t, operationtest.Idle, "900"), nil))
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
	p.Clock.Advance(time.Hour)
	earlier := wantUnresolved(t, p)
	if earlier.Record.Subject != "line-1" || earlier.Wait != 0 || !strings.Contains(earlier.Error(), "a damaged record") {
		t.Errorf("%v, for %v", earlier, earlier.Wait)
	}
	operationtest.WantResult(t, adminapi.OutcomeNotSent, operation.ErrUnresolved)(
		p.ApplyEdit(t.Context(), p.Edit(t, operationtest.Idle, "900"), nil))
	if err := p.AllowNextWrite(t.Context(), operation.AnyTarget, "line-1"); err != nil {
		t.Fatal(err)
	}
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(
		p.ApplyEdit(t.Context(), p.Edit(t, operationtest.Idle, "900"), nil))
}

func TestTheSubjectOfOneOpenWriteDoesNotOverrideAnother(t *testing.T) {
	t.Parallel()
	p := unresolved(t, "answer-lost-not-performed")
	log, err := os.OpenFile(filepath.Join(p.Memory.Journal.Folder(), "actions.jsonl"), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = log.WriteString("{\n") // what another request was is not known
		err = errors.Join(err, log.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	p.Clock.Advance(time.Hour)
	open, err := p.Memory.OpenWrites()
	if err != nil || len(open) != 2 {
		t.Fatalf("%d are open, %v", len(open), err)
	}
	for _, r := range open {
		var other *operation.OverrideError
		if err := p.AllowNextWrite(t.Context(), adminapi.TargetSite, r.Subject); !errors.As(err, &other) || other.Subject == r.Subject {
			t.Errorf("%s was typed: %v", r.Subject, err)
		}
	}
	wantUnresolved(t, p)
}

func TestAnUpgradeThatShowsLateIsResolved(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "answer-lost-not-performed")
	request := p.Request(t, operationtest.PatchID)
	run, _ := p.StartUpgrade(t.Context(), request, nil)
	_, _ = settleRun(t.Context(), p, run)
	began := p.FirstMessage(-20 * time.Second)
	p.Clock.Advance(15 * time.Second)
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + began + `]}`)
	operationtest.WantResult(t, adminapi.OutcomeNotSent, operation.ErrUpgradeRuns)(
		p.StartUpgrade(t.Context(), request, nil))
	p.WantSent(t, "POST upgrade", 1)
	p.WantOutcome(t, adminapi.OutcomeDone)
}

// The request is found by what this machine has recorded of it, not by clocks of two times.
func TestAnUpgradeIsResolvedThoughTheClockOfTheSiteWasSet(t *testing.T) {
	t.Parallel()
	for _, set := range []time.Duration{3 * time.Hour, -3 * time.Hour} {
		p := operationtest.WithJournal(t, "answer-lost-not-performed")
		run, _ := p.StartUpgrade(t.Context(), p.Request(t, operationtest.PatchID), nil)
		_, _ = settleRun(t.Context(), p, run)
		began := p.FirstMessage(-20 * time.Second)
		p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) {
			w.Header().Set("Date", p.Clock.Now().Add(set).UTC().Format(http.TimeFormat))
			_, _ = fmt.Fprintf(w, `{"status":{"state":"in_progress","code":1,"messages":[%s]}}`, began)
		})
		if _, err := p.ResolveWrites(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.WantOutcome(t, adminapi.OutcomeDone)
	}
}

func TestAnUpgradeIsSentAgainOnlyByTypingItsVersionAndNotTooSoon(t *testing.T) {
	t.Parallel()
	p := unresolved(t, "answer-lost-not-performed")
	earlier := wantUnresolved(t, p)
	if earlier.Wait < 8*time.Minute || earlier.Wait > 10*time.Minute {
		t.Errorf("it may be sent again in %v", earlier.Wait)
	}
	if err := p.AllowNextWrite(t.Context(), adminapi.TargetSite, "11.5.0.6805"); !errors.Is(err, operation.ErrUnresolved) {
		t.Errorf("too soon: %v", err)
	}
	p.Clock.Advance(earlier.Wait)
	if earlier := wantUnresolved(t, p); earlier.Wait != 0 {
		t.Errorf("it may be sent again in %v", earlier.Wait)
	}
	var other *operation.OverrideError
	if err := p.AllowNextWrite(t.Context(), adminapi.TargetSite, "12.0.0.7286"); !errors.As(err, &other) || other.Subject != "11.5.0.6805" {
		t.Errorf("another version: %v", err)
	}
	wantUnresolved(t, p)
	if err := p.AllowNextWrite(t.Context(), adminapi.TargetSite, " 11.5.0.6805 "); err != nil {
		t.Fatal(err)
	}
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(
		p.StartUpgrade(t.Context(), p.Request(t, operationtest.PatchID), nil))
	p.WantSent(t, "POST upgrade", 2)
}

func TestAClockThatWasSetBackShortensNoWait(t *testing.T) {
	t.Parallel()
	p := unresolved(t, "answer-lost-not-performed")
	p.Site.Clock = clockBehind{p.Clock, 24 * time.Hour}
	if earlier := wantUnresolved(t, p); earlier.Wait != 10*time.Minute {
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
	p := operationtest.BuiltIn(t, "healthy").Remembering(t, folder)
	request := p.Request(t, operationtest.PatchID)
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
			p.Killed.Store(true)
			operationtest.HangUp(w)
			return
		}
		pass()
	})
	_, _ = p.StartUpgrade(t.Context(), request, nil)
	p.Killed.Store(false)
	p.Remembering(t, folder) // started again
	open, err := p.Memory.Journal.OpenRecords(adminapi.TargetSite)
	if err != nil || len(open) != 1 {
		t.Fatalf("open %+v, %v", open, err)
	}
	if earlier := wantUnresolved(t, p); earlier.Wait != 10*time.Minute { // it may still begin
		t.Errorf("it may be sent again in %v", earlier.Wait)
	}
}

func TestTwoStartsAtOnceSendOnce(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := operationtest.BuiltIn(t, "healthy").Remembering(t, folder)
	request := p.Request(t, operationtest.PatchID)
	first := p.Site
	begun, goOn := make(chan struct{}), make(chan struct{})
	p.Intercept(func(_ http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
			close(begun)
			<-goOn
		}
		pass()
	})
	result := make(chan adminapi.Outcome, 1)
	go func() {
		_, outcome, _ := operationtest.Apart(first.StartUpgrade(t.Context(), request, nil))
		result <- outcome
	}()
	<-begun
	here := p.Memory.Journal
	p.Remembering(t, folder) // another program on the same folder
	_, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), request, nil))
	earlier, is := errors.AsType[*operation.UnresolvedError](err)
	if outcome != adminapi.OutcomeNotSent || !is || earlier.Wait != 10*time.Minute { // nobody may override it now
		t.Errorf("outcome %v, error %v", outcome, err)
	}
	p.Memory.Journal = here
	close(goOn)
	if outcome := <-result; outcome != adminapi.OutcomeDone {
		t.Errorf("the first: outcome %v", outcome)
	}
	p.WantSent(t, "POST upgrade", 1)
}

func TestAnotherClaimIsNamed(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := operationtest.BuiltIn(t, "healthy").Remembering(t, folder)
	other, err := p.Memory.Journal.Claim(adminapi.TargetSite, "11.5.0.6805")
	if err != nil {
		t.Fatal(err)
	}
	_, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), p.Request(t, operationtest.PatchID), nil))
	if outcome != adminapi.OutcomeNotSent || !errors.Is(err, operation.ErrBusyHere) || !strings.Contains(err.Error(), "process") {
		t.Errorf("outcome %v, error %v", outcome, err)
	}
	other.Release()
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(
		p.StartUpgrade(t.Context(), p.Request(t, operationtest.PatchID), nil))
}

// Without a claim two programs could send at once.
func TestWhatCannotBeClaimedIsNotSent(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	claim, err := p.Memory.Journal.Claim(adminapi.TargetSite, "11.5.0.6805")
	if err != nil {
		t.Fatal(err)
	}
	locks, err := filepath.Glob(filepath.Join(p.Memory.Journal.Folder(), "claim-*.lock"))
	claim.Release()
	if err != nil || len(locks) != 1 {
		t.Fatalf("%q, %v", locks, err)
	}
	if err := os.Mkdir(locks[0], 0o700); err != nil {
		t.Fatal(err)
	}
	_, result := p.StartUpgrade(t.Context(), p.Request(t, operationtest.PatchID), nil)
	if result.Outcome != adminapi.OutcomeNotSent || !errors.As(result.Err, new(*operation.UnrecordedError)) {
		t.Error(result.Sentence())
	}
	p.WantSent(t, "POST upgrade", 0)
}

// It sees an upgrade that somebody else begins after the settings were fetched.
func TestTheLastCheckIsRightBeforeTheRequest(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	request := p.Request(t, operationtest.PatchID)
	first := p.FirstMessage(-time.Second)
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		pass()
		if strings.HasSuffix(r.URL.Path, "/getUpgradeSettings") {
			p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + first + `]}`)
		}
	})
	operationtest.WantResult(t, adminapi.OutcomeNotSent, operation.ErrUpgradeRuns)(
		p.StartUpgrade(t.Context(), request, nil))
	p.WantSent(t, "POST upgrade", 0)
}

func TestAnUnresolvedEditStopsTheNextChangeOfItsService(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-answer-lost-not-performed")
	edit := p.Edit(t, operationtest.Idle, "900")
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
	_, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil))
	if earlier, is := errors.AsType[*operation.UnresolvedError](err); outcome != adminapi.OutcomeNotSent || !is ||
		earlier.Wait > 2*time.Minute || earlier.Record.Subject != operationtest.Cities.Path() {
		t.Errorf("outcome %v, error %v", outcome, err)
	}
	if err := p.EditGoesOn(t.Context(), edit); err != nil { // it is not known to have arrived
		t.Errorf("it is said to go on: %v", err)
	}
	operationtest.WantResult(t, adminapi.OutcomeNotSent, operation.ErrUnresolved)(
		p.SwitchService(t.Context(), operation.Switch{Service: operationtest.Cities, Start: false}, nil, nil))
	p.WantSent(t, "POST edit", 1)
	p.Clock.Advance(2 * time.Minute)
	if err := p.AllowNextWrite(t.Context(), adminapi.TargetService(operationtest.Cities), operationtest.Cities.Path()); err != nil {
		t.Fatal(err)
	}
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), edit, nil))
}

func TestAnEditThatArrivedIsResolvedByTheNextOne(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-answer-lost")
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(
		p.ApplyEdit(t.Context(), p.Edit(t, operationtest.Idle, "900"), nil))
	p.Clock.Advance(time.Minute) // its job ends
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(
		p.ApplyEdit(t.Context(), p.Edit(t, operationtest.Idle, "901"), nil))
}

// unsearched starts or stops a service whose answer is lost, and whose outcome nobody searches for: the
// program ends.
func unsearched(p *operationtest.Platform, start bool) (adminapi.Outcome, error) {
	ctx, end := context.WithCancel(context.Background())
	defer end()
	_, outcome, err := operationtest.Apart(
		p.SwitchService(ctx, operation.Switch{Service: operationtest.Cities, Start: start}, nil, func(error) { end() }))
	return outcome, err
}

func TestAStopThatArrivedIsResolvedByTheNextOne(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-answer-lost")
	if outcome, err := unsearched(p, false); outcome != adminapi.OutcomeUnknown {
		t.Fatal(outcome, err)
	}
	p.Clock.Advance(time.Minute)
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(
		p.SwitchService(t.Context(), operation.Switch{Service: operationtest.Cities, Start: true}, nil, nil))
}

func TestAHealthRunOfTheSameNameIsNotSentTwice(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	run := adminapi.HealthRun{SuiteIDs: p.SuiteIDs(t), Name: "nightly"}
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/healthCheck/run") {
			operationtest.HangUp(w)
			return
		}
		pass()
	})
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.StartHealthRun(t.Context(), run))
	p.Intercept(nil)
	operationtest.WantResult(t, adminapi.OutcomeNotSent, operation.ErrUnresolved)(p.StartHealthRun(t.Context(), run))
	run.Name = "another"
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.StartHealthRun(t.Context(), run))
	p.WantSent(t, "POST run", 2)
}

// What is typed lets the next write go, not an attempt that sends nothing.
func TestAnOverrideIsUsedWithTheSendingOnly(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-answer-lost-not-performed")
	edit := p.Edit(t, operationtest.Idle, "900")
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
	p.Clock.Advance(2 * time.Minute)
	typed := operation.WithOverride(t.Context(), operationtest.Cities.Path())
	drifted := edit
	drifted.Base = edit.Edited // not what the site has
	drifted.Edited = edit.Base
	if _, outcome, err := operationtest.Apart(p.ApplyEdit(typed, drifted, nil)); outcome != adminapi.OutcomeNotSent || errors.Is(err, operation.ErrUnresolved) {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	if all, err := p.ResolveWrites(t.Context()); err != nil || len(all) != 1 || !strings.Contains(all[0].How, "the site still has the old definition") {
		t.Errorf("after an attempt that sent nothing the earlier edit is looked for as %+v, %v", all, err)
	}
	operationtest.WantResult(t, adminapi.OutcomeNotSent, operation.ErrUnresolved)(p.ApplyEdit(t.Context(), edit, nil))
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(typed, edit, nil))
	p.WantSent(t, "POST edit", 2)
}

func TestTheOutcomeOfAnImportBehindAnErrorIsFound(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "manifest.json")
	if err := os.WriteFile(file, []byte(`{"versions":[{"id":"pat_new_6900","name":"Rehearsal","type":"patch","version":"11.5.0","previousVersion":"11.5.0",`+
		`"build":"6900","previousBuild":"6745","releaseBuild":"6745","containers":[]}],"signature":"rehearsal"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for performed, want := range map[bool]adminapi.Outcome{true: adminapi.OutcomeDone, false: adminapi.OutcomeRefused} {
		p := operationtest.WithJournal(t, "empty-manifest")
		p.Clock.Advance(time.Minute)
		answering(p, "/importManifest", 200, sitesOwnErrors[0].body, performed)
		operationtest.WantResult(t, want, nil)(p.ImportManifest(t.Context(), operation.ManifestImport(file), nil))
		p.WantOutcome(t, want)
		p.WantSent(t, "POST importManifest", 1)
	}
	// A later import leaves no trace of the one before.
	p := operationtest.WithJournal(t, "empty-manifest")
	answering(p, "/importManifest", 200, sitesOwnErrors[0].body, false)
	ended, end := context.WithCancel(t.Context())
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(
		p.ImportManifest(ended, operation.ManifestImport(file), func(error) { end() }))
	p.Clock.Advance(time.Hour)
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/manifestStatus") {
			pass()
			return
		}
		_, _ = fmt.Fprintf(w, `{"versionManifestSource":"a file","lastImportedTimestamp":%d}`, p.Clock.Now().UnixMilli())
	})
	if _, err := p.ResolveWrites(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.WantOutcome(t, adminapi.OutcomeUnknown)
}
