package operation_test

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/adminapi/upgrade"
)

func TestABrokenTextIsSavedAsADraft(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	target := editing.DefinitionOf(operationtest.Cities)
	for _, text := range []string{`{"a":2}`, `{"a":`, "{\"a\":\"\xff\x00\"}", ""} {
		want := operation.EditDraft{Base: `{"a":1}`, Edited: text, Before: `{"a":3}`}
		if _, err := p.Memory.SaveEditDraft(target, want); err != nil {
			t.Fatal(err)
		}
		kept, err := p.Memory.SavedEdits(target)
		if err != nil || len(kept) != 1 || kept[0].Edit != want || kept[0].Saved.IsZero() || !kept[0].Mine {
			t.Errorf("%q: %+v, %v", text, kept, err)
		}
	}
	if drafts, err := p.Memory.EditDrafts(editing.Definition); err != nil || len(drafts) != 1 || drafts[0].Key != operationtest.Cities.Path() {
		t.Errorf("%v, %v", drafts, err)
	}
	if err := p.Memory.DeleteEditDraft(target); err != nil {
		t.Fatal(err)
	}
	if kept, _ := p.Memory.SavedEdits(target); len(kept) > 0 {
		t.Errorf("%+v is still there", kept)
	}
}

// twoPrograms are two programs that remember one site in one folder.
func twoPrograms(t *testing.T) (a, b operation.Site) {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "state")
	site := func(user string) operation.Site {
		j, err := journal.Open(folder, "https://gis.example.org/ctx", journal.WithProgram(journal.Program{User: user, Host: "adm1", PID: 4711}), journal.WithoutSync())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = j.Close() })
		return operation.Site{Memory: operation.Memory{Journal: j}}
	}
	return site("alice"), site("bob")
}

func TestTwoProgramsSeeEachOthersDrafts(t *testing.T) {
	t.Parallel()
	a, b := twoPrograms(t)
	target := editing.DefinitionOf(operationtest.Cities)
	save := func(s operation.Site, text string) *journal.Draft {
		t.Helper()
		holder, err := s.Memory.SaveEditDraft(target, operation.EditDraft{Base: `{}`, Edited: text})
		if err != nil {
			t.Fatal(err)
		}
		return holder
	}
	save(a, "of a")
	if holder, err := b.Memory.EditDraftHolder(target); err != nil || holder == nil || holder.Program.Who() != "alice on adm1" {
		t.Errorf("b is told of %+v, %v", holder, err)
	}
	if holder, err := a.Memory.EditDraftHolder(target); err != nil || holder != nil {
		t.Errorf("a is told of %+v, %v", holder, err)
	}
	kept, err := b.Memory.SavedEdits(target)
	if err != nil || len(kept) != 1 || kept[0].Edit.Edited != "of a" || kept[0].Mine {
		t.Fatalf("b sees %+v, %v", kept, err)
	}
	taken, err := b.Memory.TakeOverEdit(kept[0].Draft)
	if err != nil || taken.Edit.Edited != "of a" {
		t.Fatalf("b takes over %+v, %v", taken, err)
	}
	save(b, "of b")
	if holder := save(a, "more of a"); holder == nil || holder.Program.Who() != "bob on adm1" {
		t.Errorf("a is told of %+v", holder)
	}
	if err := b.Memory.DeleteEditDraft(target); err != nil {
		t.Fatal(err)
	}
	if kept, err := b.Memory.SavedEdits(target); err != nil || len(kept) != 1 || kept[0].Edit.Edited != "more of a" {
		t.Errorf("after b has sent: %+v, %v", kept, err)
	}
	if err := b.Memory.Journal.DiscardDraft(kept[0].Draft); err == nil {
		t.Error("the draft of a program that runs is discarded")
	}
}

func TestTwoProgramsHaveTheirOwnUpgradeDrafts(t *testing.T) {
	t.Parallel()
	a, b := twoPrograms(t)
	request := func(licence string) operation.UpgradeRequest {
		return operation.UpgradeRequest{Target: adminapi.Update{ID: operationtest.ReleaseID}, LicencePath: licence, Answers: upgrade.Answers{}}
	}
	if holder, err := a.Memory.SaveUpgradeDraft(request("/of-a.json")); err != nil || holder != nil {
		t.Fatal(holder, err)
	}
	begins, from, err := b.Memory.LoadUpgradeDraft(operationtest.ReleaseID)
	if err != nil || begins.LicencePath != "/of-a.json" || from == nil || from.Liveness != journal.Alive || from.Program.User != "alice" {
		t.Fatalf("b begins with %+v of %+v, %v", begins, from, err)
	}
	if holder, err := b.Memory.SaveUpgradeDraft(request("/of-b.json")); err != nil || holder == nil || holder.Program.User != "alice" {
		t.Errorf("b is told of %+v, %v", holder, err)
	}
	if err := b.Memory.DeleteUpgradeDraft(operationtest.ReleaseID); err != nil {
		t.Fatal(err)
	}
	if again, from, err := a.Memory.LoadUpgradeDraft(operationtest.ReleaseID); err != nil || again.LicencePath != "/of-a.json" || !from.Mine {
		t.Errorf("a has %+v of %+v, %v", again, from, err)
	}
	if err := a.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	if left, from, err := b.Memory.LoadUpgradeDraft(operationtest.ReleaseID); err != nil || left.LicencePath != "/of-a.json" || from.Liveness != journal.Ended {
		t.Errorf("a has left %+v of %+v, %v", left, from, err)
	}
	if _, from, err := b.Memory.LoadUpgradeDraft(operationtest.ReleaseID); err != nil || !from.Mine {
		t.Errorf("b goes on with what a left, and has it of %+v, %v", from, err)
	}
}

// What was sent and done is no draft any more, also where the program ends before the next is sent.
func TestADraftThatWasSentIsNotCalledUnsent(t *testing.T) {
	t.Parallel()
	for scenario, says := range map[string]string{"edit-slow": "", "edit-fails": "accepted; job FAILED; nothing changed"} {
		p := operationtest.WithJournal(t, scenario)
		edit := p.Edit(t, operationtest.Idle, "907")
		if _, err := p.Memory.SaveEditDraft(edit.Target, operation.EditDraft{Base: edit.Base.Text(), Edited: edit.Edited.Text()}); err != nil {
			t.Fatal(err)
		}
		_, _ = p.ApplyEdit(t.Context(), edit, nil)
		saved, err := p.Memory.SavedEdits(edit.Target)
		if err != nil || (len(saved) == 0) != (says == "") {
			t.Fatalf("%s: %+v, %v", scenario, saved, err)
		}
		if says == "" {
			continue
		}
		if r, sent := p.Memory.SentDraft(edit.Target, saved[0]); !sent || !strings.Contains(operation.ResultOf(r).Text(), says) {
			t.Errorf("%v: %q", sent, operation.ResultOf(r).Text())
		}
		saved[0].Edit.Edited = strings.Replace(saved[0].Edit.Edited, "907", "908", 1)
		if _, sent := p.Memory.SentDraft(edit.Target, saved[0]); sent {
			t.Error("another text is said to be sent")
		}
		p.Clock.Advance(time.Minute)
		if _, err := p.Memory.SaveEditDraft(edit.Target, operation.EditDraft{Base: edit.Base.Text(), Edited: edit.Edited.Text()}); err != nil {
			t.Fatal(err)
		}
		if again, err := p.Memory.SavedEdits(edit.Target); err != nil || len(again) != 1 {
			t.Errorf("%+v, %v", again, err)
		} else if _, sent := p.Memory.SentDraft(edit.Target, again[0]); sent {
			t.Error("what is typed once more is said to be sent")
		}
	}
}

// With an edit that is done goes the draft of just that, but for one that a program which runs still has.
func TestWithAnEditThatIsDoneGoesNoDraftButItsOwn(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	p := operationtest.BuiltIn(t, "healthy").Remembering(t, folder)
	edit := p.Edit(t, operationtest.Idle, "907")
	sent := edit.Edited.Text()
	later := strings.Replace(sent, "907", "908", 1)
	save := func(j *journal.Journal, text string) {
		t.Helper()
		site := operation.Memory{Journal: j}
		if _, err := site.SaveEditDraft(edit.Target, operation.EditDraft{Base: edit.Base.Text(), Edited: text}); err != nil {
			t.Fatal(err)
		}
	}
	left := p.Memory.Journal
	save(left, sent)
	runs := p.Remembering(t, folder).Memory.Journal
	save(runs, sent)
	save(p.Remembering(t, folder).Memory.Journal, later) // typed on while the edit was sent
	if err := left.Close(); err != nil {
		t.Fatal(err)
	}
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), edit, nil))
	saved, err := p.Memory.SavedEdits(edit.Target)
	if err != nil || len(saved) != 2 || saved[0].Edit.Edited != later || saved[1].Edit.Edited != sent || saved[1].Liveness == journal.Ended {
		t.Errorf("%d drafts are left: %+v, %v", len(saved), saved, err)
	}
}

// A value that is still being typed is in no text that was sent.
func TestWhatIsBeingTypedStaysBehindAnEditThatIsDone(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "907")
	draft := operation.EditDraft{Base: edit.Base.Text(), Edited: edit.Edited.Text(), Typed: &operation.TypedText{Path: operationtest.Idle, Text: "90"}}
	if _, err := p.Memory.SaveEditDraft(edit.Target, draft); err != nil {
		t.Fatal(err)
	}
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), edit, nil))
	if saved, err := p.Memory.SavedEdits(edit.Target); err != nil || len(saved) != 1 || saved[0].Edit.Typed == nil {
		t.Errorf("%+v, %v", saved, err)
	}
}

// The answer was lost, and the job of the edit has failed: what is not at the site is still in the draft.
func TestTheDraftOfALostEditThatFailedStays(t *testing.T) {
	t.Parallel()
	for _, end := range []string{adminapi.JobFailed, adminapi.JobCompleted} { // which has changed nothing either
		p := operationtest.WithJournal(t, "edit-answer-lost-not-performed")
		edit := p.Edit(t, operationtest.Idle, "907")
		if _, err := p.Memory.SaveEditDraft(edit.Target, operation.EditDraft{Base: edit.Base.Text(), Edited: edit.Edited.Text()}); err != nil {
			t.Fatal(err)
		}
		operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
		began := p.Clock.Now()
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			status := end
			if p.Clock.Now().Before(began.Add(10 * time.Second)) {
				status = "EXECUTING"
			}
			switch {
			case strings.HasSuffix(r.URL.Path, "/jobs"):
				_, _ = io.WriteString(w, `{"jobs":["j1"]}`)
			case strings.HasSuffix(r.URL.Path, "/jobs/j1"):
				_, _ = fmt.Fprintf(w, `{"jobid":"j1","status":"%s","username":"admin","startTime":%d,"operationURI":"/geodeck/admin/services/SampleWorldCities.MapServer/edit"}`, status, began.UnixMilli())
			default:
				pass()
			}
		})
		if found, err := settleEdit(t.Context(), p, p.SearchEdit(edit, "", nil)); seenAs(found) != "done" || err == nil {
			t.Errorf("%s: %s, %v", end, seenAs(found), err)
		}
		if saved, err := p.Memory.SavedEdits(edit.Target); err != nil || len(saved) != 1 || saved[0].Edit.Edited != edit.Edited.Text() {
			t.Errorf("%s: of the edit are left %+v, %v", end, saved, err)
		}
	}
}

// A draft that met a refused connection waits as before.
func TestADraftWhoseConnectionWasRefusedIsStillUnsent(t *testing.T) {
	t.Parallel()
	closed, release, err := simtest.ClosedPort()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "907")
	if _, err := p.Memory.SaveEditDraft(edit.Target, operation.EditDraft{Base: edit.Base.Text(), Edited: edit.Edited.Text()}); err != nil {
		t.Fatal(err)
	}
	operationtest.WantResult(t, adminapi.OutcomeNotSent, nil)(p.ApplyEdit(t.Context(), edit, func(now operation.EditProgress) {
		if now.Step == operation.StepSendEdit {
			p.Dialed.Store(closed)
		}
	}))
	p.Dialed.Store("")
	saved, err := p.Memory.SavedEdits(edit.Target)
	if err != nil || len(saved) != 1 {
		t.Fatalf("%+v, %v", saved, err)
	}
	if r, sent := p.Memory.SentDraft(edit.Target, saved[0]); sent {
		t.Errorf("it is said to be sent: %+v", r)
	}
	versions, err := p.Memory.Versions(edit.Target, edit.Base)
	if err != nil || len(versions) != 1 || versions[0].Ended != "how it ended is not known" {
		t.Errorf("%+v, %v", versions, err)
	}
}
