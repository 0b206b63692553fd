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
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
)

// Where a site shows nothing of what is edited, nothing goes out before unread is accepted. The base is saved,
// and after a lost answer the outcome stays unknown: no look shows more.
func TestAnEditOfASiteThatShowsNothingIsAcceptedSavedAndNeverGuessed(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "contract-only")
	base := operationtest.Parsed(t, `{"serviceName":"SampleWorldCities","type":"MapServer","maxIdleTime":1800}`)
	edited, err := base.SetValue(operationtest.Idle, "900")
	if err != nil {
		t.Fatal(err)
	}
	edit := editing.Edit{Target: editing.DefinitionOf(operationtest.Cities), Base: base, Edited: edited}
	edit = edit.WithoutReading(adminapi.KindNotFound, "base.json")
	if _, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil)); outcome != adminapi.OutcomeNotSent {
		t.Fatal("unread was not accepted:", outcome, err)
	}
	edit.Accepted.Words = []string{"unread"}
	applied, result := p.ApplyEdit(t.Context(), edit, nil)
	old, err := p.Memory.ReadBackup(edit.Target, applied.Backup.ID)
	if !result.Done() || applied.ReadBackErr == nil || err != nil || old.Text() != base.Text() || !strings.HasSuffix(applied.Backup.Why, ", from base.json; the site was not read") {
		t.Errorf("%s, read back: %v; saved %q: %v", result.Text(), applied.ReadBackErr, applied.Backup.Why, err)
	}
	p.WantSettled(t, journal.VerdictSucceeded, "the site answered that it is done")
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/edit") {
			operationtest.HangUp(w)
			return
		}
		pass()
	})
	applied, result = p.ApplyEdit(t.Context(), edit, nil)
	if !result.Lost() {
		t.Fatal(result.Text())
	}
	step, err := applied.Search.Next(t.Context())
	if err != nil || !step.Done || step.Value.Outcome != adminapi.OutcomeUnknown || !strings.Contains(step.Value.How, "look at the service itself") {
		t.Errorf("%+v, %v", step, err)
	}
}

// Rules are answered at their end in any case: who asks for that with --sync gets the same search, which knows a refusal.
func TestRulesThatTheSiteRefusesAreRefusedHoweverTheirAnswerWasChosen(t *testing.T) {
	t.Parallel()
	chosen := true
	for _, sync := range []*bool{nil, &chosen} {
		p := operationtest.WithJournal(t, "healthy")
		edit := p.Replacing(t, operationtest.OnPool("spot"))
		edit.Sync = sync
		answering(p, "/placementPolicy/edit", http.StatusOK, `{"error":{"code":500,"message":"Failed.","details":[]}}`, false)
		applied, result := p.ApplyEdit(t.Context(), edit, nil)
		if applied.Search == nil {
			t.Fatal(result.Text())
		}
		_, err := settleEdit(t.Context(), p, applied.Search)
		if _, refused := errors.AsType[*operation.RefusedError](err); !refused {
			t.Errorf("chosen %v: %v", sync != nil, err)
		}
	}
}

// Where a site lists its jobs, the job of an edit is found after a lost answer, though nothing else shows it.
func TestTheJobOfAnEditOfWhatIsNotShownIsFoundAfterALostAnswer(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "900").WithoutReading(adminapi.KindPrivilege, "base.json")
	edit.Accepted.Words = []string{"unread"}
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, ".MapServer/edit"):
			operationtest.LoseAnswer(w, r, p.Direct)
		case strings.HasSuffix(r.URL.Path, ".MapServer"):
			_, _ = w.Write([]byte(`{"error":{"code":403,"message":"You do not have permissions.","details":[]}}`))
		default:
			pass()
		}
	})
	applied, result := p.ApplyEdit(t.Context(), edit, nil)
	if !result.Lost() {
		t.Fatal(result.Text())
	}
	// The next program, too, sees that a job edits the service, and lets nobody override it.
	if all, err := p.ResolveWrites(t.Context()); err != nil || len(all) != 1 || all[0].Shows != operation.ShowsRunning {
		t.Errorf("%+v, %v", all, err)
	}
	found, err := settleEdit(t.Context(), p, applied.Search)
	if err != nil || found.Outcome != adminapi.OutcomeDone || !strings.Contains(found.How, "its job") {
		t.Errorf("%+v, %v", found, err)
	}
	p.WantSettled(t, journal.VerdictSucceeded, "its job has completed")
	p.WantSent(t, "POST edit", 1)
}

// What is not shown is judged by its own job alone: one that failed is a failure, and that of a colleague says nothing.
func TestTheJobOfAnEditOfWhatIsNotShownIsNoOthersAndMayHaveFailed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ user, ends string }{{"admin", "FAILED"}, {"colleague", adminapi.JobCompleted}} {
		p := operationtest.WithJournal(t, "edit-answer-lost-not-performed")
		edit := p.Edit(t, operationtest.Idle, "900").WithoutReading(adminapi.KindPrivilege, "base.json")
		edit.Accepted.Words = []string{"unread"}
		ends := p.Clock.Now().Add(5 * time.Minute)
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			status := "EXECUTING"
			if p.Clock.Now().After(ends) {
				status = c.ends
			}
			switch at := r.URL.Path; {
			case strings.HasSuffix(at, ".MapServer"):
				_, _ = io.WriteString(w, `{"error":{"code":403,"message":"You do not have permissions.","details":[]}}`)
			case !showsJob(w, r, status, c.user):
				pass()
			}
		})
		applied, result := p.ApplyEdit(t.Context(), edit, nil)
		if !result.Lost() {
			t.Fatal(result.Text())
		}
		found, err := settleEdit(t.Context(), p, applied.Search)
		_, failed := errors.AsType[*operation.JobError](err)
		if own := c.user == "admin"; failed != own || !own && !errors.Is(err, operation.ErrOutcomeUnknown) || found.Verdict == journal.VerdictSucceeded {
			t.Errorf("the job of %s ended as %s: %s, %q, %v", c.user, c.ends, found.Outcome, found.Verdict, err)
		} else if own {
			p.WantSettled(t, journal.VerdictFailed, "job FAILED")
		}
	}
}

// showsJob answers what is asked about jobs, with one that has edited the sample service since the begin; it reports
// whether that was asked.
func showsJob(w http.ResponseWriter, r *http.Request, status, user string) (asked bool) {
	switch {
	case strings.HasSuffix(r.URL.Path, "/jobs"):
		_, _ = io.WriteString(w, `{"jobs":["j1"]}`)
	case strings.HasSuffix(r.URL.Path, "/jobs/j1"):
		_, _ = fmt.Fprintf(w, `{"jobid":"j1","status":%q,"username":%q,"startTime":%d,"operationURI":"/geodeck/admin/services/SampleWorldCities.MapServer/edit"}`,
			status, user, operationtest.Start.UnixMilli())
	default:
		return false
	}
	return true
}

// While a job edits the service nobody says who the user is: it may have been the edit's own.
func TestAJobThatHasEndedAndMayBeOursIsNoRefusal(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "900")
	begin := p.Clock.Now()
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		status, away := "EXECUTING", p.Clock.Now().Before(begin.Add(20*time.Second))
		if !away {
			status = adminapi.JobTimedOut
		}
		switch at := r.URL.Path; {
		case strings.HasSuffix(at, "/edit"):
			_, _ = io.WriteString(w, `{"error":{"code":500,"message":"An unexpected error occurred.","details":["The operation is in progress."]}}`)
		case strings.HasSuffix(at, "/self") && away:
			http.NotFound(w, r)
		case !showsJob(w, r, status, "admin"):
			pass()
		}
	})
	applied, result := p.ApplyEdit(t.Context(), edit, nil)
	if !result.Lost() {
		t.Fatal(result.Text())
	}
	found, err := settleEdit(t.Context(), p, applied.Search)
	if !errors.Is(err, operation.ErrOutcomeUnknown) || !strings.Contains(found.How, "job j1") {
		t.Errorf("%s, %q, %v", found.Outcome, found.How, err)
	}
	p.Clock.Advance(time.Hour)
	p.ResolveWrites(t.Context())
	p.WantOutcome(t, adminapi.OutcomeUnknown)
}
