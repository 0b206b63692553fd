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
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
)

func TestJSONOfAGatewayIsNoAnswerOfTheSite(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`{"message":"Endpoint request timed out"}`, `{"error":{"code":504,"message":"upstream timed out","details":[]}}`} {
		for _, status := range []int{502, 503, 504} {
			p := operationtest.WithJournal(t, "healthy")
			request := p.Request(t, operationtest.ReleaseID)
			answering(p, "/upgrades/upgrade", status, body, false)
			run, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), request, nil))
			if outcome != adminapi.OutcomeUnknown {
				t.Fatalf("outcome %v %v", outcome, err)
			}
			if _, err = settleRun(t.Context(), p, run); !errors.Is(err, operation.ErrOutcomeUnknown) || p.Sent("POST delete") != 0 {
				t.Errorf("status %d: settle %v, deletes %d", status, err, p.Sent("POST delete"))
			}
		}
	}
}

func TestOneLookAtAnIdleSiteIsNoRefusal(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	request := p.Request(t, operationtest.PatchID)
	answering(p, "/upgrades/upgrade", 500, `{"error":{"code":500,"message":"Timed out","details":[]}}`, false)
	_, _ = p.StartUpgrade(t.Context(), request, nil)
	p.Clock.Advance(35 * time.Second) // without a search meanwhile
	_, _ = p.StartUpgrade(t.Context(), request, nil)
	p.WantSent(t, "POST upgrade", 1)
}

// wantNotResolvedAs fails where a search gives an open write that outcome.
func wantNotResolvedAs(t *testing.T, p *operationtest.Platform, outcome adminapi.Outcome) {
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
	p := operationtest.WithJournal(t, "healthy")
	request := p.Request(t, operationtest.PatchID)
	answering(p, "/upgrades/upgrade", 500, `{"error":{"code":500,"message":"Timed out","details":[]}}`, false)
	_, _ = p.StartUpgrade(t.Context(), request, nil)
	p.Clock.Advance(31 * time.Second)
	p.ReportsStatus(`{"state":"failed","code":4,"messages":[]}`)
	wantNotResolvedAs(t, p, adminapi.OutcomeRefused)
}

func TestAnAcceptedUpgradeThatShowsLateIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for _, answers := range []time.Duration{0, operation.ShowTime} { // after so long; the site shows it later still
		sendUpgradeTwice(t, answers, 0, 0)
	}
	sendUpgradeTwice(t, 0, 3*time.Hour, 0)
	sendUpgradeTwice(t, 0, 0, 3*time.Hour) // its answer may have been awaited as long as answers are
}

// sendUpgradeTwice sends an upgrade and tries it again right after that, when the clock of this machine was set, after its
// answer or before.
func sendUpgradeTwice(t *testing.T, answers, set, before time.Duration) {
	t.Helper()
	p := operationtest.WithJournal(t, "healthy")
	request := p.Request(t, operationtest.PatchID)
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
			_, _ = io.Copy(io.Discard, r.Body)
			p.Clock.Advance(answers)
			w.Header().Set("Date", p.Clock.Now().UTC().Format(http.TimeFormat))
			p.Clock.Advance(before)
			p.Ahead.Add(-int64(before))
			_, _ = io.WriteString(w, `{"status":{"state":"in_progress","code":1,"messages":[]}}`)
			return
		}
		pass()
	})
	for range 2 {
		_, _ = p.StartUpgrade(t.Context(), request, nil)
		p.Clock.Advance(5*time.Second + set)
		p.Ahead.Add(-int64(set))
	}
	p.WantSent(t, "POST upgrade", 1)
	p.Clock.Advance(operation.ShowTime) // it shows no more: it did not begin
	if before != 0 {
		p.Clock.Advance(adminapi.SyncTime)
	}
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.StartUpgrade(t.Context(), request, nil))
	p.WantSent(t, "POST upgrade", 2)
}

func TestAnEditWhoseJobRunsIsNotSentAgain(t *testing.T) {
	t.Parallel()
	for _, of := range editing.Parts {
		folder := t.TempDir()
		p := operationtest.BuiltIn(t, "healthy").Remembering(t, folder)
		edit := p.Edit(t, operationtest.Idle, "900")
		if of == editing.Placement {
			edit = p.Replacing(t, operationtest.OnPool("spot"))
		}
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			switch {
			case strings.HasSuffix(r.URL.Path, "/edit"):
				_, _ = io.Copy(io.Discard, r.Body)
				_, _ = io.WriteString(w, `{"jobid":"j1","status":"SUBMITTED"}`)
			case strings.HasSuffix(r.URL.Path, "/jobs/j1"):
				http.Error(w, "", http.StatusForbidden)
			default:
				pass()
			}
		})
		_, _ = p.ApplyEdit(t.Context(), edit, nil)
		p.Remembering(t, folder)
		_, _ = p.ApplyEdit(t.Context(), edit, nil)
		p.WantSent(t, "POST edit", 1)
	}
}

// A program that was killed right after the answer has not kept the job: the site is asked what goes on.
func TestAnEditWhoseJobWasNotKeptIsNotSentAgainWhileItGoesOn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := operationtest.BuiltIn(t, "healthy").Remembering(t, folder)
	edit := p.Edit(t, operationtest.Idle, "900")
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	_, result := p.ApplyEdit(ctx, edit, func(now operation.EditProgress) {
		if now.Step == operation.StepEditJob {
			kill()
		}
	})
	if result.Outcome != adminapi.OutcomeDone || result.Err == nil {
		t.Fatalf("it ended as %v, %v", result.Outcome, result.Err)
	}
	sent := operation.EditDraft{Base: edit.Base.Text(), Edited: edit.Edited.Text()}
	if _, err := p.Memory.Journal.SaveDraft("sent "+edit.Part.Kind(), edit.Service.Path(), sent); err != nil {
		t.Fatal(err)
	}
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch at := r.URL.Path; {
		case strings.HasSuffix(at, "/jobs"):
			_, _ = io.WriteString(w, `{"jobs":["jabcdef"]}`)
		case strings.Contains(at, "/jobs/"):
			_, _ = fmt.Fprintf(w, `{"id":"jabcdef","status":"EXECUTING","username":"admin","operationURI":"/admin/services/SampleWorldCities.MapServer/edit","starttime":%d}`, operationtest.Start.UnixMilli())
		default:
			pass()
		}
	})
	p.Remembering(t, folder)
	next := p.Edit(t, operationtest.Idle, "950")
	if _, result := p.ApplyEdit(t.Context(), next, nil); !errors.Is(result.Err, adminapi.KindBusy) {
		t.Errorf("while the job goes on another edit ended as %v, %v", result.Outcome, result.Err)
	}
	p.WantSent(t, "POST edit", 1)
	p.Intercept(nil)
	p.Clock.Advance(time.Minute) // it has ended
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), p.Edit(t, operationtest.Idle, "950"), nil))
}

// Who types a service's name over a stop of unknown outcome says nothing of an edit whose job goes on.
func TestBehindAnOverrideAJobThatGoesOnIsInTheWay(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit, job := p.Edit(t, operationtest.Idle, "900"), http.StatusForbidden
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, ".MapServer/edit") && job == 0:
			w.WriteHeader(http.StatusBadRequest)
		case strings.HasSuffix(r.URL.Path, ".MapServer/edit"):
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, `{"jobid":"j1","status":"SUBMITTED"}`)
		case strings.HasSuffix(r.URL.Path, "/jobs/j1") && job != 0:
			http.Error(w, "", job)
		case strings.HasSuffix(r.URL.Path, "/jobs/j1"):
			_, _ = io.WriteString(w, `{"jobid":"j1","status":"EXECUTING"}`)
		case strings.HasSuffix(r.URL.Path, "/stop"):
			operationtest.HangUp(w)
		default:
			pass()
		}
	})
	_, _ = p.ApplyEdit(t.Context(), edit, nil)
	job = 0
	claim, err := p.Memory.Journal.Claim(adminapi.TargetService(operationtest.Cities), operationtest.Cities.Path()) // by a program that did not look
	if err != nil {
		t.Fatal(err)
	}
	_, outcome, _ := p.Client.Change(t.Context(), adminapi.SwitchService(operationtest.Cities, false, true))
	claim.Release()
	p.Clock.Advance(time.Hour)
	typed := operation.WithOverride(t.Context(), operationtest.Cities.Path())
	if _, result := p.ApplyEdit(typed, edit, nil); outcome != adminapi.OutcomeUnknown || !errors.Is(result.Err, adminapi.KindBusy) {
		t.Errorf("behind a stop of outcome %v an edit ended as %v, %v", outcome, result.Outcome, result.Err)
	}
	p.WantSent(t, "POST edit", 1)
}

// A user who may not read jobs cannot see whether one edits the service: that nothing has changed yet is no refusal.
func TestAnEditBehindAnErrorWhoseJobsMayNotBeReadStaysUnknown(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/admin/jobs"):
			_, _ = io.WriteString(w, `{"error":{"code":403,"message":"You do not have permissions to access this resource.","details":[]}}`)
		case strings.HasSuffix(r.URL.Path, "/edit"):
			_, _ = io.WriteString(w, `{"error":{"code":500,"message":"An unexpected error occurred.","details":[]}}`)
		default:
			pass()
		}
	})
	edit := p.Edit(t, operationtest.Idle, "900")
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
	p.Clock.Advance(10 * time.Minute)
	all, err := p.ResolveWrites(t.Context())
	if err != nil || len(all) != 1 || all[0].Outcome != adminapi.OutcomeUnknown || !strings.Contains(all[0].How, "its jobs cannot be read") {
		t.Errorf("%+v, %v", all, err)
	}
}

// Who types the name of a service over an edit of unknown outcome sends nothing beside a job that edits it.
func TestNoOverrideSendsAnEditWhileAJobEditsTheService(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-answer-lost-not-performed")
	status := "EXECUTING"
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/admin/jobs"):
			_, _ = io.WriteString(w, `{"jobs":["j1"]}`)
		case strings.HasSuffix(r.URL.Path, "/jobs/j1"):
			_, _ = io.WriteString(w, `{"jobid":"j1","status":"`+status+`","operationURI":"/geodeck/admin/services/`+operationtest.Cities.Path()+`/edit"}`)
		default:
			pass()
		}
	})
	edit := p.Edit(t, operationtest.Idle, "900")
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
	p.Clock.Advance(time.Hour)
	typed := operation.WithOverride(t.Context(), operationtest.Cities.Path())
	_, result := p.ApplyEdit(typed, edit, nil)
	if open, is := errors.AsType[*operation.UnresolvedError](result.Err); !is || open.Wait <= 0 || !strings.Contains(open.Found, "job j1 is editing the service") {
		t.Errorf("while a job edits the service: %v, %v", result.Outcome, result.Err)
	}
	p.WantSent(t, "POST edit", 1)
	status = "COMPLETED"
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(typed, edit, nil))
}

func TestSomebodyElsesUpgradeHoursLaterIsNotAdopted(t *testing.T) {
	t.Parallel()
	p := unresolved(t, "answer-lost-not-performed")
	p.Clock.Advance(10 * time.Hour)
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(-time.Minute) + `]}`)
	wantNotResolvedAs(t, p, adminapi.OutcomeDone)
}

// The version is there, and the site is in a state that nobody knows: the upgrade may go on, or fail.
func TestAVersionThatIsThereInAnUnknownStateEndsNoDoubt(t *testing.T) {
	t.Parallel()
	p := unresolved(t, "answer-lost-not-performed")
	p.Clock.Advance(10 * time.Hour)
	status := `{"status":{"state":"waiting_for_resources","code":7,"messages":[]}}`
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/system/upgrades"):
			_, _ = io.WriteString(w, status)
		case strings.HasSuffix(r.URL.Path, "/upgrades/currentVersion"):
			_, _ = io.WriteString(w, `{"version":"11.5.0","build":"6805","name":"11.5","type":"patch","id":"pat_12082025_6805"}`)
		default:
			pass()
		}
	})
	wantNotResolvedAs(t, p, adminapi.OutcomeDone)
	status = `{"status":{"state":"no_upgrade","code":0,"messages":[]}}`
	if found, err := p.ResolveWrites(t.Context()); err != nil || len(found) != 1 || found[0].Outcome != adminapi.OutcomeDone {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestASearchResolvesItsOwnWriteOnly(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	request := p.Request(t, operationtest.ReleaseID)
	answering(p, "/upgrades/upgrade", 500, `{"error":{"code":500,"message":"Timed out","details":[]}}`, false)
	run, _ := p.StartUpgrade(t.Context(), request, nil)
	search := run.Search()
	for range 30 {
		f, _, wait, err := findRun(t.Context(), search)
		if err != nil || f == "refused" {
			break
		}
		_ = p.Clock.Sleep(t.Context(), wait)
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

func TestLockFilesAreRemoved(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	for i := range 20 {
		_, _ = p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: p.SuiteIDs(t), Name: fmt.Sprint("nightly ", i)})
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

// searchBehindAnError sends an upgrade that the site answers with an error, and returns what looks for it once more,
// so long after the last look.
func searchBehindAnError(t *testing.T, p *operationtest.Platform) func(after time.Duration) operation.Resolution {
	t.Helper()
	request := p.Request(t, operationtest.PatchID)
	answering(p, "/upgrades/upgrade", 500, sitesOwnErrors[0].body, false)
	run, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), request, nil))
	if outcome != adminapi.OutcomeUnknown {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	search := run.Search()
	return func(after time.Duration) operation.Resolution {
		p.Clock.Advance(after)
		step, err := search.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return step.Value
	}
}

// Of the time in which a site does not answer nobody knows that nothing has begun in it.
func TestAnOutageIsNoTimeInWhichNothingHasBegun(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	look := searchBehindAnError(t, p)
	if found := look(0); found.Shows != operation.ShowsUnchanged {
		t.Fatalf("%+v", found)
	}
	for range 6 {
		look(4 * time.Second)
	}
	line := p.Intercepting()
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
	for range 2 {
		look(10 * time.Second)
	}
	p.Intercept(line)
	if found := look(20 * time.Second); found.Outcome != adminapi.OutcomeUnknown || found.Err != nil { // and the search goes on
		t.Errorf("after an outage: %v, %s, %v", found.Outcome, found.How, found.Err)
	}
	var found operation.Resolution
	for range 10 {
		if found.Outcome == adminapi.OutcomeUnknown {
			found = look(4 * time.Second)
		}
	}
	if found.Outcome != adminapi.OutcomeRefused {
		t.Errorf("half a minute later: %v, %s", found.Outcome, found.How)
	}
}

// The clock of the machine is set between two looks: by the site's no time has passed.
func TestAClockThatIsSetIsNoTimeInWhichNothingHasBegun(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	look := searchBehindAnError(t, p)
	look(0)
	if found := look(time.Hour); found.Outcome != adminapi.OutcomeUnknown || found.Err != nil { // and the search goes on
		t.Errorf("%v, %s, %v", found.Outcome, found.How, found.Err)
	}
}

// A site that says something new works on something.
func TestASiteWhoseMessagesGrowIsNotIdle(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	look := searchBehindAnError(t, p)
	look(0)
	p.ReportsStatus(`{"state":"no_upgrade","code":0,"messages":[{"code":2002,"message":"Preparing","when":1795212000000}]}`)
	for range 5 {
		if found := look(10 * time.Second); found.Outcome != adminapi.OutcomeUnknown || found.Shows == operation.ShowsUnchanged {
			t.Fatalf("%v, shows %v: %s", found.Outcome, found.Shows, found.How)
		}
	}
}

// Two writes of one service whose answers were lost: that the newer one is found says nothing of the older one.
func TestEveryOpenWriteIsInTheWayNotOnlyTheNewest(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-answer-lost-not-performed")
	edit, target := p.Edit(t, operationtest.Idle, "900"), adminapi.TargetService(operationtest.Cities)
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
	p.Clock.Advance(time.Second)
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/start") {
			operationtest.HangUp(w)
			return
		}
		pass()
	})
	claim, err := p.Memory.Journal.Claim(target, operationtest.Cities.Path()) // as another program that did not look
	if err != nil {
		t.Fatal(err)
	}
	_, outcome, _ := p.Client.Change(t.Context(), adminapi.SwitchService(operationtest.Cities, true, true))
	claim.Release()
	if open, err := p.Memory.OpenWrites(); outcome != adminapi.OutcomeUnknown || len(open) != 2 || err != nil {
		t.Fatalf("%v, %d open, %v", outcome, len(open), err)
	}
	_, _, err = operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil))
	if earlier, is := errors.AsType[*operation.UnresolvedError](err); !is || earlier.Record.Kind != adminapi.WriteDefinition {
		t.Errorf("error %v", err)
	}
	p.WantSent(t, "POST edit", 1)
}

func TestAServiceInAnotherSpellingIsTheSame(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-answer-lost-not-performed")
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), p.Edit(t, operationtest.Idle, "900"), nil))
	p.Clock.Advance(time.Second)
	service := operationtest.Cities
	service.Name = strings.ToUpper(service.Name)
	_, result := p.SwitchService(t.Context(), operation.Switch{Service: service, Start: true}, nil, nil)
	if earlier, is := errors.AsType[*operation.UnresolvedError](result.Err); !is || earlier.Record.Kind != adminapi.WriteDefinition || result.Outcome != adminapi.OutcomeNotSent {
		t.Errorf("%s, %v", result.Outcome, result.Err)
	}
}

// What an earlier program that still runs has sent of the same part is not what the newer request sent.
func TestTheNewestOfSeveralSentEditsIsCompared(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := operationtest.BuiltIn(t, "edit-answer-lost").Remembering(t, folder)
	older, edit := p.Edit(t, operationtest.Idle, "800"), p.Edit(t, operationtest.Idle, "900")
	sent := operation.EditDraft{Base: older.Base.Text(), Edited: older.Edited.Text()}
	if _, err := p.Memory.Journal.SaveDraft("sent "+older.Part.Kind(), older.Service.Path(), sent); err != nil {
		t.Fatal(err)
	}
	p.Clock.Advance(time.Second)
	p.Remembering(t, folder)
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
	if err := p.Memory.Journal.Close(); err != nil { // the newer one has ended
		t.Fatal(err)
	}
	p.Remembering(t, folder)
	p.Clock.Advance(time.Minute)
	all, err := p.ResolveWrites(t.Context())
	if err != nil || len(all) != 1 || !all[0].Done() {
		t.Errorf("%+v, %v", all, err)
	}
}

// A job may end between the look at the service and that at the jobs: what it has made is seen then.
func TestAnEditWhoseJobEndsWhileItIsLookedForIsDone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := operationtest.BuiltIn(t, "edit-slow").Remembering(t, folder)
	ctx, kill := context.WithCancel(t.Context())
	defer kill()
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, ".MapServer/edit"):
			pass()
			kill()
			operationtest.HangUp(w)
		case strings.HasSuffix(r.URL.Path, "/jobs"):
			p.Clock.Advance(time.Hour)
			pass()
		default:
			pass()
		}
	})
	if _, result := p.ApplyEdit(ctx, p.Edit(t, operationtest.Idle, "900"), nil); result.Outcome != adminapi.OutcomeUnknown {
		t.Fatalf("it ended as %v, %v", result.Outcome, result.Err)
	}
	p.Remembering(t, folder)
	if found, err := p.ResolveWrites(t.Context()); err != nil || len(found) != 1 || found[0].Outcome != adminapi.OutcomeDone {
		t.Errorf("found %+v, %v", found, err)
	}
}

// The same where the site answered with an error, and removes the job at once: by one such look it is not refused.
func TestAnEditBehindAnErrorWhoseJobEndsAndGoesWhileItIsLookedForIsDone(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := operationtest.BuiltIn(t, "edit-slow").Remembering(t, folder)
	answering(p, ".MapServer/edit", http.StatusInternalServerError, sitesOwnErrors[0].body, true)
	if _, result := p.ApplyEdit(t.Context(), p.Edit(t, operationtest.Idle, "900"), nil); result.Outcome != adminapi.OutcomeUnknown {
		t.Fatalf("it ended as %v, %v", result.Outcome, result.Err)
	}
	p.Clock.Advance(time.Minute)
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/jobs") {
			pass()
			return
		}
		p.Clock.Advance(time.Hour)
		_, _ = io.WriteString(w, `{"jobs":[]}`)
	})
	p.Remembering(t, folder)
	if found, err := p.ResolveWrites(t.Context()); err != nil || len(found) != 1 || found[0].Outcome != adminapi.OutcomeDone {
		t.Errorf("found %+v, %v", found, err)
	}
}
