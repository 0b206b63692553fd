package operation_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
)

func TestAnEditIsSentOnceAndReadBack(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "900")
	var steps []operation.EditStep
	applied, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, func(u operation.EditProgress) {
		if n := len(steps); n == 0 || steps[n-1] != u.Step {
			steps = append(steps, u.Step)
		}
	}))
	if err != nil || outcome != adminapi.OutcomeDone || !applied.Job.Completed() {
		t.Fatalf("%+v, %v, %v", applied, outcome, err)
	}
	p.WantSent(t, "POST edit", 1)
	if !bytes.Equal(p.Definition(t).Bytes(), edit.Edited.Bytes()) || applied.Now.Text() != edit.Edited.Text() {
		t.Error("the site has something else than what was sent")
	}
	want := []operation.EditStep{operation.StepCheckBase, operation.StepBackup, operation.StepSendEdit, operation.StepEditJob, operation.StepReadBack}
	if len(steps) != len(want) || steps[2] != operation.StepSendEdit {
		t.Errorf("steps %v", steps)
	}
}

func TestTheOldDefinitionIsOnDiskBeforeTheNewOneIsSent(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "900")
	var kept []byte
	p.Intercept(func(_ http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/edit") {
			history, err := p.Memory.History(editing.DefinitionOf(operationtest.Cities))
			if err != nil || len(history) != 1 {
				t.Errorf("history %v, %v", history, err)
				return
			}
			kept, _ = os.ReadFile(p.Memory.Journal.BackupPath("definition", operationtest.Cities.Path(), history[0].ID))
		}
		pass()
	})
	applied, _, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil))
	if err != nil || !bytes.Equal(kept, edit.Base.Bytes()) {
		t.Errorf("kept %d bytes, error %v", len(kept), err)
	}
	if applied.Backup.Who != p.User.Username || applied.Backup.Why != "before an edit" {
		t.Errorf("backup %+v", applied.Backup)
	}
}

func TestWithoutABackupNothingIsSent(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edit := p.Edit(t, operationtest.Idle, "900")
	if err := p.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	if _, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil)); outcome != adminapi.OutcomeNotSent || err == nil {
		t.Errorf("with a closed journal: %v, %v", outcome, err)
	}
	p.Memory.Journal = nil
	if _, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil)); outcome != adminapi.OutcomeNotSent || err == nil {
		t.Errorf("without a journal: %v, %v", outcome, err)
	}
	p.WantSent(t, "POST edit", 0)
}

// Right before it is sent, what it replaces is read once more. Where that fails nobody knows what would be lost.
func TestWhatCannotBeReadBeforeTheSendingIsNotReplaced(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(w http.ResponseWriter){
		"no answer": operationtest.HangUp,
		"a page":    func(w http.ResponseWriter) { _, _ = io.WriteString(w, "<html>Sign in</html>") },
		"an error": func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"error":{"code":500,"message":"No.","details":[]}}`)
		},
		"not shown": func(w http.ResponseWriter) {
			_, _ = io.WriteString(w, `{"error":{"code":403,"message":"No.","details":[]}}`)
		},
		"two values": func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"maxIdleTime":1,"maxIdleTime":2}`) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := operationtest.WithJournal(t, "healthy")
			for _, edit := range []editing.Edit{p.Edit(t, operationtest.Idle, "900"), p.Replacing(t, operationtest.OnPool("spot"))} {
				edit.Accepted.Words = editing.AcceptWords()
				p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
					if r.Method == http.MethodGet && (strings.HasSuffix(r.URL.Path, ".MapServer") || strings.HasSuffix(r.URL.Path, "/placementPolicy")) {
						answer(w)
						return
					}
					pass()
				})
				applied, result := p.ApplyEdit(t.Context(), edit, nil)
				if result.Outcome != adminapi.OutcomeNotSent || !strings.Contains(result.Sentence(), "could not be read, so nothing was sent") {
					t.Errorf("%s: %s", edit.Target, result.Sentence())
				}
				if history, err := p.Memory.History(edit.Target); len(history) > 0 || applied.Backup.ID != "" || err != nil {
					t.Errorf("%s: kept %+v, %v", edit.Target, history, err)
				}
				p.Intercept(nil)
			}
			p.WantSent(t, "POST edit", 0)
		})
	}
}

// blockDrafts leaves nothing room among the drafts of the platform.
func blockDrafts(t *testing.T, p *operationtest.Platform) {
	t.Helper()
	drafts := filepath.Join(p.Memory.Journal.Folder(), "drafts")
	if err := errors.Join(os.RemoveAll(drafts), os.WriteFile(drafts, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
}

// By what was sent a lost answer is looked for: where that cannot be kept nothing is sent.
func TestWhatCouldNotBeLookedForIsNotSent(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	_, result := p.ApplyEdit(t.Context(), p.Edit(t, operationtest.Idle, "900"), func(now operation.EditProgress) {
		if now.Step == operation.StepBackup {
			blockDrafts(t, p)
		}
	})
	if result.Outcome != adminapi.OutcomeNotSent || !errors.As(result.Err, new(*operation.UnrecordedError)) {
		t.Error(result.Sentence())
	}
	p.WantSent(t, "POST edit", 0)

	p = operationtest.WithJournal(t, "healthy")
	_, result = p.StartUpgrade(t.Context(), p.Request(t, operationtest.PatchID), func(now operation.UpgradeProgress) {
		if now.Step == operation.StepCheckRunning {
			blockDrafts(t, p)
		}
	})
	if result.Outcome != adminapi.OutcomeNotSent || !strings.Contains(result.Sentence(), "cannot be recorded, so nothing was sent") {
		t.Error(result.Sentence())
	}
	p.WantSent(t, "POST upgrade", 0)
}

func TestDriftStopsAnEdit(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-elses")
	edit := p.Edit(t, operationtest.Idle, "600")
	_, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil))
	drift, ok := errors.AsType[*editing.DriftError](err)
	if !ok || outcome != adminapi.OutcomeNotSent || len(drift.Changes) != 2 {
		t.Fatalf("%v, %v", outcome, err)
	}
	p.WantSent(t, "POST edit", 0)
	if _, conflicts := edit.Rebase(drift.Theirs); len(conflicts) != 1 || conflicts[0].Path != operationtest.Idle || conflicts[0].Theirs != "900" {
		t.Errorf("conflicts %v", conflicts)
	}

	other := editing.Edit{Target: editing.DefinitionOf(operationtest.Cities), Base: edit.Base}
	if other.Edited, err = edit.Base.SetValue("maxWaitTime", "61"); err != nil {
		t.Fatal(err)
	}
	rebased, conflicts := other.Rebase(drift.Theirs)
	if len(conflicts) > 0 || len(rebased.Plan().Changes) != 1 {
		t.Fatalf("conflicts %v, changes %v", conflicts, rebased.Plan().Changes)
	}
	if _, _, err := operationtest.Apart(p.ApplyEdit(t.Context(), rebased, nil)); err != nil {
		t.Error(err)
	}
	if n, _ := p.Definition(t).Find(operationtest.Idle); n.Raw() != "900" {
		t.Errorf("what somebody else has set is now %s", n.Raw())
	}
}

func TestNothingThatIsWrongIsSent(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	base := p.Definition(t)
	remove := func(path document.Path) *document.Document {
		d, err := base.Remove(path)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	broken := p.Edit(t, "minInstancesPerNode", "50")
	for name, c := range map[string]struct {
		edit editing.Edit
		want func(error) bool
	}{
		"nothing": {editing.Edit{Target: editing.DefinitionOf(operationtest.Cities), Base: base, Edited: base}, func(err error) bool { return errors.Is(err, editing.ErrNothingChanged) }},
		"a rule":  {broken, func(err error) bool { _, ok := errors.AsType[*editing.BlockedError](err); return ok }},
		"a key": {editing.Edit{Target: editing.DefinitionOf(operationtest.Cities), Base: base, Edited: remove(operationtest.Idle)}, func(err error) bool {
			left, ok := errors.AsType[*editing.NotAcceptedError](err)
			return ok && len(left.Findings) == 1 && left.Findings[0].ID == document.KeyRemoved && left.Findings[0].At.Path == string(operationtest.Idle)
		}},
	} {
		if _, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), c.edit, nil)); outcome != adminapi.OutcomeNotSent || !c.want(err) {
			t.Errorf("%s: %v, %v", name, outcome, err)
		}
	}
	p.WantSent(t, "POST edit", 0)
	edit := editing.Edit{Target: editing.DefinitionOf(operationtest.Cities), Base: base, Edited: remove(operationtest.Idle), Accepted: editing.Accepted{Removed: []document.Path{operationtest.Idle}}}
	if _, _, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil)); err != nil {
		t.Errorf("a loss that was confirmed: %v", err)
	}
	p.WantSent(t, "POST edit", 1)
}

func TestAnEditThatIsAcceptedButNotKeptIsAnError(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "drops-keys")
	base := p.Definition(t)
	edited, err := base.Add(document.Whole, "x-new", `{"a":1}`, -1)
	if err != nil {
		t.Fatal(err)
	}
	target := editing.DefinitionOf(operationtest.Cities)
	if _, err = p.Memory.SaveEditDraft(target, operation.EditDraft{Base: base.Text(), Edited: edited.Text()}); err != nil {
		t.Fatal(err)
	}
	applied, outcome, err := operationtest.Apart(
		p.ApplyEdit(t.Context(), editing.Edit{Target: target, Base: base, Edited: edited, Accepted: editing.Accepted{Words: []string{"unknown-key"}}}, nil))
	if saved, err := p.Memory.SavedEdits(target); err != nil || len(saved) != 1 {
		t.Errorf("what the site has not kept is saved no more: %+v, %v", saved, err)
	}
	missing, ok := errors.AsType[*editing.NotStoredError](err)
	if !ok || outcome != adminapi.OutcomeDone || applied.Now == nil {
		t.Fatalf("%v, %v", outcome, err)
	}
	for _, c := range missing.Changes {
		if c.Kind != document.Removed {
			t.Errorf("%s is %s", c.Path, c.Kind)
		}
	}

	p = operationtest.WithJournal(t, "rounds-numbers")
	_, _, err = operationtest.Apart(p.ApplyEdit(t.Context(), p.Edit(t, operationtest.Idle, "900"), nil))
	if _, ok = errors.AsType[*editing.NotStoredError](err); !ok {
		t.Fatalf("rounded numbers: %v", err)
	}
}

func TestAJobThatFailsIsAFailureWhateverTheSiteHas(t *testing.T) {
	t.Parallel()
	for scenario, arrived := range map[string]bool{"edit-fails": false, "edit-fails-applied": true, "edit-cancelled": false} {
		p := operationtest.WithJournal(t, scenario)
		edit := p.Edit(t, operationtest.Idle, "900")
		applied, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil))
		if !errors.Is(err, operation.ErrJobBroken) || outcome != adminapi.OutcomeDone || !applied.Job.Failed() {
			t.Errorf("%s: %v, %v", scenario, outcome, err)
		}
		if applied.Now == nil || (len(document.Diff(edit.Edited, applied.Now)) == 0) != arrived {
			t.Errorf("%s: it does not tell what the site has now", scenario)
		}
		p.WantSent(t, "POST edit", 1)
	}
}

func TestAnEditThatTakesMinutesIsWaitedFor(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-slow")
	began := p.Clock.Now()
	if _, _, err := operationtest.Apart(p.ApplyEdit(t.Context(), p.Edit(t, operationtest.Idle, "900"), nil)); err != nil {
		t.Fatal(err)
	}
	if took := p.Clock.Now().Sub(began); took < 7*60e9 {
		t.Errorf("done after %s", took)
	}
}

func TestADeletedJobIsDoneIfTheDefinitionIsThere(t *testing.T) {
	t.Parallel()
	for _, arrives := range []bool{true, false} {
		p := operationtest.WithJournal(t, "healthy")
		edit := p.Edit(t, operationtest.Idle, "900")
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			switch {
			case strings.Contains(r.URL.Path, "/jobs/"):
				_ = p.Clock.Sleep(r.Context(), 60e9)
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"error":{"code":404,"message":"no such job"}}`))
			case strings.HasSuffix(r.URL.Path, "/edit") && !arrives:
				w.Header().Set("Content-Type", "application/json")
				_, _ = w.Write([]byte(`{"jobID":"j1","jobStatus":"SUBMITTED"}`))
			default:
				pass()
			}
		})
		_, outcome, err := operationtest.Apart(p.ApplyEdit(t.Context(), edit, nil))
		if outcome != adminapi.OutcomeDone || (err == nil) != arrives {
			t.Errorf("arrives %v: %v, %v", arrives, outcome, err)
		}
	}
}

func TestEveryEditLeavesABackup(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	first := p.Definition(t)
	for _, raw := range []string{"900", "901"} {
		if _, _, err := operationtest.Apart(p.ApplyEdit(t.Context(), p.Edit(t, operationtest.Idle, raw), nil)); err != nil {
			t.Fatal(err)
		}
	}
	history, err := p.Memory.History(editing.DefinitionOf(operationtest.Cities))
	if err != nil || len(history) != 2 {
		t.Fatalf("%v, %v", history, err)
	}
	old, err := p.Memory.ReadBackup(editing.DefinitionOf(operationtest.Cities), history[1].ID)
	if err != nil || !bytes.Equal(old.Bytes(), first.Bytes()) {
		t.Errorf("the oldest is another one: %v", err)
	}
	restore := editing.Edit{Target: editing.DefinitionOf(operationtest.Cities), Base: p.Definition(t), Edited: old, Why: "restoring one"}
	if _, _, err := operationtest.Apart(p.ApplyEdit(t.Context(), restore, nil)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(p.Definition(t).Bytes(), first.Bytes()) {
		t.Error("what was restored is not what there was, byte for byte")
	}
	if v, err := p.Memory.Journal.Verify(); err != nil || len(v.Faults) > 0 || v.Backups != 3 || v.Unnamed != 0 {
		t.Errorf("%+v, %v", v, err)
	}
	for _, name := range []string{journal.LogName, journal.HeadName} {
		if err := os.Remove(filepath.Join(p.Memory.Journal.Folder(), name)); err != nil {
			t.Fatal(err)
		}
	}
	v, err := p.Memory.Journal.Verify()
	named := slices.ContainsFunc(v.Faults[1:], func(f journal.Fault) bool { return f.Record == "" })
	if err != nil || len(v.Faults) != 4 || named {
		t.Errorf("without the record: %+v, %v", v.Faults, err)
	}
}
