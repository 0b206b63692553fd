package operation_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
)

// jobOf is an edit of [operationtest.Cities] that the site took as the job j1, whose program left right after that.
// The resource of the job answers with what is in answer.
func jobOf(t *testing.T, p *operationtest.Platform, answer func(w http.ResponseWriter)) editing.Edit {
	t.Helper()
	edit := p.Edit(t, operationtest.Idle, "900")
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, ".MapServer/edit"):
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, `{"jobid":"j1","status":"SUBMITTED"}`)
		case strings.HasSuffix(r.URL.Path, "/jobs/j1"):
			answer(w)
		default:
			pass()
		}
	})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	applied, result := p.ApplyEdit(ctx, edit, func(now operation.EditProgress) {
		if now.Step == operation.StepEditJob {
			leave()
		}
	})
	if result.End() != operation.EndUnseen || applied.Search == nil { // what follows it
		t.Fatal(result.Text(), applied.Search)
	}
	return edit
}

// goesOn is the answer of a job that has not ended.
func goesOn(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"jobid":"j1","status":"EXECUTING"}`) }

// noSuchJob is what a site says of a job that it has deleted.
func noSuchJob(w http.ResponseWriter) {
	_, _ = io.WriteString(w, `{"error":{"code":404,"message":"The job j1 does not exist.","details":[]}}`)
}

// A job that goes on keeps the next edit of its service back. Once it has ended, or the site has deleted it, nothing does.
func TestAJobIsInTheWayOfTheNextEditUntilItHasEnded(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(w http.ResponseWriter){
		"deleted":   noSuchJob,
		"failed":    func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"jobid":"j1","status":"FAILED"}`) },
		"completed": func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"jobid":"j1","status":"COMPLETED"}`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := operationtest.WithJournal(t, "healthy")
			answer := goesOn
			edit := jobOf(t, p, func(w http.ResponseWriter) { answer(w) })
			if _, result := p.ApplyEdit(t.Context(), edit, nil); !errors.Is(result.Err, adminapi.KindBusy) {
				t.Fatal(result.Text())
			}
			if err := p.CheckSend(t.Context(), adminapi.TargetService(adminapi.ServiceRef{Name: "Other", Type: "MapServer"})); err != nil {
				t.Error("another service:", err)
			}
			answer = end
			if err := p.CheckSend(t.Context(), adminapi.TargetService(operationtest.Cities)); err != nil {
				t.Error("behind a job that has ended:", err)
			}
			p.Intercept(nil)
			operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), edit, nil))
			p.WantSent(t, "POST edit", 2)
		})
	}
}

// What the site has accepted it does not refuse later: not where its job may not be read, and then is gone.
func TestAnEditThatWasAcceptedIsNotCalledRefused(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit, other, gone := p.Edit(t, operationtest.Idle, "900"), p.Edit(t, operationtest.Idle, "800"), false
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, ".MapServer/edit"):
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, `{"jobid":"j1","status":"SUBMITTED"}`)
		case strings.HasSuffix(r.URL.Path, "/jobs/j1") && gone:
			noSuchJob(w)
		case strings.HasSuffix(r.URL.Path, ".MapServer") && p.Sent("POST edit") > 0 && !gone:
			_, _ = io.WriteString(w, other.Edited.Text())
		case strings.HasSuffix(r.URL.Path, "/jobs/j1"):
			_, _ = io.WriteString(w, `{"error":{"code":403,"message":"You do not have permissions.","details":[]}}`)
		default:
			pass()
		}
	})
	applied, result := p.ApplyEdit(t.Context(), edit, nil)
	if result.End() != operation.EndUnseen {
		t.Fatal(result.Text())
	}
	if step, err := applied.Search.Next(t.Context()); err != nil || !step.Done || !strings.Contains(step.Value.How, "neither the old one nor what was sent") {
		t.Errorf("while others have changed it: %+v, %v", step, err)
	}
	gone = true
	if _, err := settleEdit(t.Context(), p, applied.Search); !errors.Is(err, operation.ErrOutcomeUnknown) || errors.As(err, new(*operation.RefusedError)) {
		t.Errorf("error %v", err)
	}
	p.WantOutcome(t, adminapi.OutcomeDone)
}

// Where the job cannot be read, a person may send the next edit after a while, by the name of this service alone.
// Who is not signed in is asked for that first.
func TestAJobThatCannotBeReadIsOverriddenByTheNameOfItsServiceOnly(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	answer := func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) }
	edit := jobOf(t, p, func(w http.ResponseWriter) { answer(w) })
	send := func(typed string) error {
		_, result := p.ApplyEdit(operation.WithOverride(t.Context(), typed), edit, nil)
		return result.Err
	}
	wait := func(err error) time.Duration {
		t.Helper()
		open, is := errors.AsType[*operation.UnresolvedError](err)
		if !is || open.Record.Subject != operationtest.Cities.Path() {
			t.Fatalf("error %v", err)
		}
		return open.Wait
	}
	soon := wait(send(operationtest.Cities.Path()))
	if soon <= 0 {
		t.Error("it is overridden at once")
	}
	p.Clock.Advance(soon)
	if wait(send("Other.MapServer")) > 0 || wait(send("")) > 0 {
		t.Error("the time has passed, and is still asked for")
	}
	cannotRead := answer
	answer = func(w http.ResponseWriter) {
		_, _ = io.WriteString(w, `{"error":{"code":498,"message":"Invalid token.","details":[]}}`)
	}
	if err := send(operationtest.Cities.Path()); !errors.Is(err, adminapi.KindSignIn) {
		t.Error("without a sign-in:", err)
	}
	answer = cannotRead
	p.WantSent(t, "POST edit", 1)
	if err := p.AllowNextWrite(t.Context(), adminapi.TargetService(operationtest.Cities), operationtest.Cities.Path()); err != nil {
		t.Error(err)
	}
	if err := p.CheckSend(t.Context(), adminapi.TargetService(operationtest.Cities)); err != nil {
		t.Error("after a person allowed it:", err)
	}
}

// An edit whose end nobody saw is that of its own service, and only once its program has ended.
func TestAnEndThatNobodySawIsOfItsOwnServiceAndProgram(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := operationtest.BuiltIn(t, "healthy").Remembering(t, folder)
	edit := jobOf(t, p, goesOn)
	first := p.Memory.Journal
	p.Remembering(t, folder)
	if left := p.Memory.UnseenEnds(p.Clock.Now()); len(left) > 0 {
		t.Errorf("its program still follows it, and it is said to be left: %+v", left)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, _, _, found := p.UnseenEdit(adminapi.ServiceRef{Name: "Other", Type: "MapServer"}); found {
		t.Error("it is said to be of another service")
	}
	left, sent, at, found := p.UnseenEdit(adminapi.ServiceRef{Name: strings.ToUpper(operationtest.Cities.Name), Type: operationtest.Cities.Type}) // the same one
	if !found || left.Edited.Text() != edit.Edited.Text() || sent.Applied.Job.ID != "j1" || !at.Equal(operationtest.Start) {
		t.Errorf("%v: job %q, sent at %s", found, sent.Applied.Job.ID, at)
	}
	if tone, _ := sent.Brief(); tone != operation.ToneUnknown || !strings.Contains(sent.Headline(), "as job j1; its end was not seen") {
		t.Errorf("%v, %q", tone, sent.Headline())
	}
}

// The job of an edit has failed after its program ended: who looks later is told of the failure.
func TestAnEndThatNobodySawMayBeAFailure(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := operationtest.BuiltIn(t, "healthy").Remembering(t, folder)
	answer := goesOn
	jobOf(t, p, func(w http.ResponseWriter) { answer(w) })
	if err := p.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	p.Remembering(t, folder)
	if all, err := p.ResolveWrites(t.Context()); len(all) > 0 || err != nil {
		t.Errorf("while its job goes on: %+v, %v", all, err)
	}
	answer = func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"jobid":"j1","status":"FAILED"}`) }
	all, err := p.ResolveWrites(t.Context())
	if err != nil || len(all) != 1 || all[0].Done() || !strings.HasPrefix(all[0].Text(), "accepted, but failed: ") {
		t.Fatalf("%+v, %v", all, err)
	}
	p.WantSettled(t, journal.VerdictFailed, "FAILED")
}

// The site has deleted the job, and has what was sent: the record of the edit gets its end before the next is sent.
func TestTheEndOfAJobThatIsGoneIsRecorded(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := operationtest.BuiltIn(t, "healthy").Remembering(t, folder)
	edit := jobOf(t, p, noSuchJob)
	if err := p.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	job := p.Intercepting()
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, ".MapServer") {
			_, _ = io.WriteString(w, edit.Edited.Text())
			return
		}
		job(w, r, pass)
	})
	p.Remembering(t, folder)
	if err := p.CheckSend(t.Context(), adminapi.TargetService(operationtest.Cities)); err != nil {
		t.Error(err)
	}
	p.WantSettled(t, journal.VerdictSucceeded, "")
}

// lockedLog has a record that cannot be written from some time on.
type lockedLog struct {
	journal.SystemFiles
	locked *bool
}

func (d lockedLog) Open(path string, flags int, mode fs.FileMode) (journal.File, error) {
	if *d.locked && strings.HasSuffix(path, "actions.jsonl") && flags&(os.O_WRONLY|os.O_RDWR) != 0 {
		return nil, syscall.EROFS
	}
	return d.SystemFiles.Open(path, flags, mode)
}

// An end that was seen, and that the disk did not take, is recorded by the next program.
func TestAnEndThatCannotBeRecordedIsRecordedByTheNextProgram(t *testing.T) {
	t.Parallel()
	folder, locked := t.TempDir(), false
	p := operationtest.BuiltIn(t, "healthy").Remembering(t, folder, journal.WithFiles(lockedLog{locked: &locked}))
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), p.Edit(t, operationtest.Idle, "900"), func(now operation.EditProgress) {
		locked = locked || now.Step == operation.StepReadBack
	}))
	p.WantSettled(t, "", "")
	if err := p.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	p.Remembering(t, folder)
	if _, err := p.ResolveWrites(t.Context()); err != nil {
		t.Fatal(err)
	}
	p.WantSettled(t, journal.VerdictSucceeded, "")

	p = operationtest.BuiltIn(t, "edit-answer-lost").Remembering(t, t.TempDir(), journal.WithFiles(lockedLog{locked: &locked}))
	locked = false
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), p.Edit(t, operationtest.Idle, "900"), nil))
	p.Clock.Advance(time.Minute)
	for _, locked = range []bool{true, false} { // what was sent is kept until its outcome is recorded
		if all, err := p.ResolveWrites(t.Context()); err != nil || len(all) != 1 || !all[0].Done() {
			t.Fatalf("%+v, %v", all, err)
		}
	}
	p.WantOutcome(t, adminapi.OutcomeDone)
}

// A later program does not take an error of the site for a refusal before the edit would have shown.
func TestTheNextProgramTakesAnErrorForARefusalOnlyAfterAWhile(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "900")
	answering(p, ".MapServer/edit", 500, sitesOwnErrors[0].body, false)
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
	for after, c := range []struct {
		want adminapi.Outcome
		says string
	}{
		{adminapi.OutcomeUnknown, "outcome still unknown: "}, {adminapi.OutcomeUnknown, "outcome still unknown: "}, {adminapi.OutcomeRefused, "refused: "},
	} {
		all, err := p.ResolveWrites(t.Context())
		if err != nil || len(all) != 1 || all[0].Outcome != c.want {
			t.Fatalf("after %d s: %+v, %v", 15*after, all, err)
		}
		if open := all[0].Unresolved(); all[0].Done() || (open == nil) != (c.want == adminapi.OutcomeRefused) || !strings.HasPrefix(all[0].Text(), c.says) {
			t.Errorf("after %d s: %q, %v", 15*after, all[0].Text(), open)
		}
		p.Clock.Advance(15 * time.Second)
	}
}

// Who may not read what was edited, or is not signed in any more, is told so at once: looking again shows nothing else.
func TestASearchThatMayNotReadSaysSo(t *testing.T) {
	t.Parallel()
	for code, kind := range map[int]adminapi.Kind{403: adminapi.KindPrivilege, 498: adminapi.KindSignIn} {
		p := operationtest.WithJournal(t, "edit-answer-lost")
		edit := p.Edit(t, operationtest.Idle, "900")
		if _, err := p.Memory.SaveEditDraft(edit.Target, operation.EditDraft{Base: edit.Base.Text(), Edited: edit.Edited.Text()}); err != nil {
			t.Fatal(err)
		}
		applied, result := p.ApplyEdit(t.Context(), edit, nil)
		if !result.Lost() {
			t.Fatal(result.Text())
		}
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if strings.HasSuffix(r.URL.Path, ".MapServer") {
				_, _ = fmt.Fprintf(w, `{"error":{"code":%d,"message":"No.","details":[]}}`, code)
				return
			}
			pass()
		})
		if step, err := applied.Search.Next(t.Context()); !errors.Is(err, kind) || step.Done {
			t.Errorf("%d: %+v, %v", code, step, err)
		}
		signIn := kind == adminapi.KindSignIn
		if all, err := p.ResolveWrites(t.Context()); errors.Is(err, kind) != signIn || !signIn && (len(all) != 1 || !strings.Contains(all[0].How, "cannot be read now")) {
			t.Errorf("%d: a look finds %+v, %v", code, all, err)
		}
		if _, next := p.ApplyEdit(t.Context(), edit, nil); next.Sent() || next.WantsSignIn() != signIn || errors.Is(next.Err, operation.ErrUnresolved) == signIn {
			t.Errorf("%d: the next edit: %s", code, next.Sentence())
		}
		p.Intercept(nil)
		if found, err := settleEdit(t.Context(), p, applied.Search); err != nil || found.Outcome != adminapi.OutcomeDone {
			t.Errorf("once it may be read: %+v, %v", found, err)
		}
		if left, err := p.Memory.SavedEdits(edit.Target); len(left) > 0 || err != nil {
			t.Errorf("what was found to be done is still a draft: %+v, %v", left, err)
		}
	}
}
