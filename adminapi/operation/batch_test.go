package operation_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
)

// interrupted sends a batch to three services, and ends the program while the second is sent.
func interrupted(t *testing.T) (p *platform, folder string, services []adminapi.ServiceRef) {
	t.Helper()
	p = editingSite(t, "edit-slow")
	folder = t.TempDir()
	first := remembering(t, p, folder)
	utilities, err := p.Client.Services.Folder(t.Context(), "Utilities")
	if err != nil {
		t.Fatal(err)
	}
	services = append([]adminapi.ServiceRef{cities}, utilities.Services[:2]...)
	planned := batching.PlanMany(t.Context(), p.Site, services, p.edit(t, idle, "907"), nil)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	batching.Apply(ctx, p.Site, planned, false, func(service adminapi.ServiceRef, step operation.EditProgress) {
		if service.Path() == services[1].Path() && step.Step == operation.StepEditJob {
			end()
		}
	})
	p.wantSent(t, "POST edit", 2)
	if err := first.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	return p, folder, services
}

func TestAnInterruptedBatchSaysWhatWasSentAndGoesOn(t *testing.T) {
	t.Parallel()
	p, folder, services := interrupted(t)
	remembering(t, p, folder)
	batches, err := batching.AllInterrupted(p.Memory)
	if err != nil || len(batches) != 1 {
		t.Fatal(batches, err)
	}
	b := batches[0]
	if want := []string{services[0].Path(), services[1].Path()}; !slices.Equal(b.Sent, want) || len(b.Left) != 1 || b.Left[0] != services[2].Path() ||
		b.Text() != "An edit of 3 services was interrupted: 2 sent, 1 not sent" {
		t.Errorf("%s: %q, left %q", b.Text(), b.Sent, b.Left)
	}
	p.clock.Advance(1e12) // the job of the second ends
	plan, err := batching.ReadPlanFile(b.Plan)
	if err != nil {
		t.Fatal(err)
	}
	again, err := batching.PlanAgain(t.Context(), p.Site, plan, nil, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	if results := batching.Apply(t.Context(), p.Site, again, false, nil); len(results) != 1 || results[0].End() != operation.EndDone || results[0].Service.Path() != services[2].Path() {
		t.Errorf("%+v", results)
	}
	p.wantSent(t, "POST edit", 3)
	if batches, err := batching.AllInterrupted(p.Memory); err != nil || len(batches) > 0 && batches[0].Plan == b.Plan {
		t.Errorf("still there: %+v, %v", batches, err)
	}
}

// The program was killed while a job went on: the next one sees its end, and records it.
func TestTheEndOfAnEditIsRecordedByTheNextProgram(t *testing.T) {
	t.Parallel()
	p, folder, services := interrupted(t)
	remembering(t, p, folder)
	verdict := func() journal.Verdict {
		t.Helper()
		if _, err := p.ResolveWrites(t.Context()); err != nil {
			t.Fatal(err)
		}
		records, err := p.Memory.Journal.Actions(0)
		if err != nil || len(records) != 2 || records[0].Subject != services[1].Path() {
			t.Fatalf("%+v, %v", records, err)
		}
		return records[0].Verdict
	}
	if got := verdict(); got != "" {
		t.Errorf("while its job runs it is %q", got)
	}
	p.clock.Advance(time.Hour)
	if got := verdict(); got != journal.VerdictSucceeded {
		t.Errorf("after its end it is %q", got)
	}
}

func TestABatchThatEndedOrGoesOnIsNotInterrupted(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "edit-third-fails")
	folder := t.TempDir()
	first := remembering(t, p, folder)
	utilities, err := p.Client.Services.Folder(t.Context(), "Utilities")
	if err != nil {
		t.Fatal(err)
	}
	planned := batching.PlanMany(t.Context(), p.Site, append([]adminapi.ServiceRef{cities}, utilities.Services...), p.edit(t, idle, "907"), nil)
	batching.Apply(t.Context(), p.Site, planned, false, func(adminapi.ServiceRef, operation.EditProgress) {
		if batches, err := batching.AllInterrupted(p.Memory); err != nil || len(batches) > 0 {
			t.Errorf("while it is sent: %+v, %v", batches, err)
		}
	})
	if err := first.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	remembering(t, p, folder) // the user saw that the third has failed
	if batches, err := batching.AllInterrupted(p.Memory); err != nil || len(batches) > 0 {
		t.Errorf("%+v, %v", batches, err)
	}
}

func TestABatchThatCannotBeKeptIsNotSent(t *testing.T) {
	t.Parallel()
	p := editingSite(t, "healthy")
	remembering(t, p, t.TempDir())
	utilities, err := p.Client.Services.Folder(t.Context(), "Utilities")
	if err != nil {
		t.Fatal(err)
	}
	planned := batching.PlanMany(t.Context(), p.Site, append([]adminapi.ServiceRef{cities}, utilities.Services...), p.edit(t, idle, "907"), nil)
	if err := p.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	results := batching.Apply(t.Context(), p.Site, planned, false, nil)
	if _, unrecorded := errors.AsType[*operation.UnrecordedError](results[0].Err); len(results) != 1 || !unrecorded || results[0].Outcome != adminapi.OutcomeNotSent {
		t.Errorf("%+v", results)
	}
	p.wantSent(t, "POST edit", 0)
}

// What was sent and done is no draft any more, also where the program ends before the next is sent.
func TestADraftThatWasSentIsNotCalledUnsent(t *testing.T) {
	t.Parallel()
	for scenario, says := range map[string]string{"edit-slow": "", "edit-fails": "accepted; job FAILED; nothing changed"} {
		p := editingSite(t, scenario)
		edit := p.edit(t, idle, "907")
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
	}
}

// Another edit of a service that is left, or one that sends nothing, is not the batch.
func TestOnlyWhatIsLeftOfABatchForgetsIt(t *testing.T) {
	t.Parallel()
	p, folder, services := interrupted(t)
	remembering(t, p, folder)
	p.clock.Advance(time.Hour)
	for _, c := range []struct {
		value string
		want  adminapi.Outcome
	}{{"1800", adminapi.OutcomeNotSent}, {"911", adminapi.OutcomeDone}} { // the service has the first
		other := batching.PlanEach(t.Context(), p.Site, services[2:], editing.Definition, nil, func(_ adminapi.ServiceRef, d *document.Document) (*document.Document, error) {
			return d.SetValue(idle, c.value)
		})
		if results := batching.Apply(t.Context(), p.Site, other, false, nil); len(results) > 0 && results[0].Outcome != c.want {
			t.Fatalf("%s: %+v", c.value, results)
		}
		if batches, err := batching.AllInterrupted(p.Memory); err != nil || len(batches) != 1 {
			t.Errorf("%s: %+v, %v", c.value, batches, err)
		} else if _, err := batching.ReadPlanFile(batches[0].Plan); err != nil {
			t.Errorf("%s: its plan: %v", c.value, err)
		}
	}
}

// A record that cannot be read says of nothing that it was not sent.
func TestABatchIsNotCalledUnsentWhereTheRecordCannotBeRead(t *testing.T) {
	t.Parallel()
	p, folder, _ := interrupted(t)
	next := remembering(t, p, folder)
	path := filepath.Join(next.Memory.Journal.Folder(), journal.LogName)
	if err := errors.Join(os.Rename(path, path+".moved"), os.Symlink(path+".moved", path)); err != nil {
		t.Fatal(err)
	}
	if batches, err := batching.AllInterrupted(p.Memory); err == nil || len(batches) > 0 {
		t.Errorf("%+v, %v", batches, err)
	}
}
