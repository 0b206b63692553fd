package batching_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/simulator"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// interrupted sends a batch to three services, and ends the program while the second is sent.
func interrupted(t *testing.T) (p *operationtest.Platform, folder string, services []adminapi.ServiceRef) {
	t.Helper()
	p = operationtest.WithJournal(t, "edit-slow")
	folder = t.TempDir()
	first := p.Remembering(t, folder)
	utilities, err := p.Client.Services.Folder(t.Context(), "Utilities")
	if err != nil {
		t.Fatal(err)
	}
	services = append([]adminapi.ServiceRef{operationtest.Cities}, utilities.Services[:2]...)
	planned := batching.PlanMany(t.Context(), p.Site, services, p.Edit(t, operationtest.Idle, "907"), nil)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	batching.Apply(ctx, p.Site, planned, false, nil, func(service adminapi.ServiceRef, step operation.EditProgress) {
		if service.Path() == services[1].Path() && step.Step == operation.StepEditJob {
			end()
		}
	})
	p.WantSent(t, "POST edit", 2)
	if err := first.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	return p, folder, services
}

// several plans the same change in so many services, Cities first.
func several(t *testing.T, p *operationtest.Platform, services int) []batching.PlannedEdit {
	t.Helper()
	utilities, err := p.Client.Services.Folder(t.Context(), "Utilities")
	if err != nil {
		t.Fatal(err)
	}
	all := append([]adminapi.ServiceRef{operationtest.Cities}, utilities.Services[:services-1]...)
	return batching.PlanMany(t.Context(), p.Site, all, p.Edit(t, operationtest.Idle, "907"), nil)
}

// ended ends the program that has the journal, and starts the next one.
func ended(t *testing.T, p *operationtest.Platform, folder string) {
	t.Helper()
	if err := p.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	p.Remembering(t, folder)
}

func TestAnInterruptedBatchSaysWhatWasSentAndGoesOn(t *testing.T) {
	t.Parallel()
	p, folder, services := interrupted(t)
	p.Remembering(t, folder)
	batches, err := batching.AllInterrupted(p.Memory)
	if err != nil || len(batches) != 1 {
		t.Fatal(batches, err)
	}
	b := batches[0]
	if want := []string{services[0].Path(), services[1].Path()}; !slices.Equal(b.Sent, want) || len(b.Left) != 1 || b.Left[0] != services[2].Path() ||
		b.Text() != "An edit of 3 services was interrupted: 2 sent, 1 not sent" {
		t.Errorf("%s: %q, left %q", b.Text(), b.Sent, b.Left)
	}
	if others, err := batching.Elsewhere(p.Memory); err != nil || len(others) > 0 {
		t.Errorf("it is told as that of a program that runs, too: %+v, %v", others, err)
	}
	plan, err := batching.ReadPlanFile(b.Plan)
	if err != nil {
		t.Fatal(err)
	}
	again := func() []batching.PlannedEdit {
		t.Helper()
		planned, err := batching.PlanAgain(t.Context(), p.Site, plan, nil, editing.Accepted{})
		if err != nil {
			t.Fatal(err)
		}
		return planned
	}
	for name, planned := range map[string][]batching.PlannedEdit{ // its job runs: it is not sent again
		"the plan": again(),
		"the change": batching.PlanEach(t.Context(), p.Site, services, editing.Definition, nil, func(_ adminapi.ServiceRef, d *document.Document) (*document.Document, error) {
			return d.SetValue(operationtest.Idle, "907")
		}),
	} {
		if left := batching.ToSend(planned); len(left) != 1 || left[0].Service.Path() != services[2].Path() || !errors.As(planned[1].Sent, new(*operation.EarlierJobError)) ||
			!strings.HasPrefix(batching.SentBefore(planned), "1 of 3 sent already: "+services[1].Path()+" (its job ") {
			t.Errorf("%s: %q, sends %+v", name, batching.SentBefore(planned), left)
		}
	}
	p.Clock.Advance(1e12) // the job of the second ends
	if results := batching.Apply(t.Context(), p.Site, again(), false, nil, nil); len(results) != 1 || results[0].End() != operation.EndDone || results[0].Service.Path() != services[2].Path() {
		t.Errorf("%+v", results)
	}
	p.WantSent(t, "POST edit", 3)
	if batches, err := batching.AllInterrupted(p.Memory); err != nil || len(batches) > 0 && batches[0].Plan == b.Plan {
		t.Errorf("still there: %+v, %v", batches, err)
	}
}

// The program was killed while a job went on: the next one sees its end, and records it.
func TestTheEndOfAnEditIsRecordedByTheNextProgram(t *testing.T) {
	t.Parallel()
	p, folder, services := interrupted(t)
	p.Remembering(t, folder)
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
	p.Clock.Advance(time.Hour)
	if got := verdict(); got != journal.VerdictSucceeded {
		t.Errorf("after its end it is %q", got)
	}
}

// What a failure has left waits in this program and in the next, until it is sent or given up; a batch that
// goes on, or was sent whole, does not.
func TestWhatAStoppedBatchHasLeftIsUnfinished(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-third-fails")
	folder := t.TempDir()
	first := p.Remembering(t, folder)
	utilities, err := p.Client.Services.Folder(t.Context(), "Utilities")
	if err != nil {
		t.Fatal(err)
	}
	services := append([]adminapi.ServiceRef{operationtest.Cities}, utilities.Services[:3]...)
	planned := batching.PlanMany(t.Context(), p.Site, services, p.Edit(t, operationtest.Idle, "907"), nil)
	batching.Apply(t.Context(), p.Site, planned, false, nil, func(adminapi.ServiceRef, operation.EditProgress) {
		if batches, err := batching.AllInterrupted(p.Memory); err != nil || len(batches) > 0 {
			t.Errorf("while it is sent: %+v, %v", batches, err)
		}
	})
	one := func() batching.Interrupted {
		t.Helper()
		batches, err := batching.AllInterrupted(p.Memory)
		if err != nil || len(batches) != 1 || batches[0].Text() != "An edit of 4 services was stopped: 3 sent, 1 not sent" || batches[0].Left[0] != services[3].Path() {
			t.Fatalf("%+v, %v", batches, err)
		}
		return batches[0]
	}
	one()
	if err := first.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	p.Remembering(t, folder)
	b := one()
	plan, err := batching.ReadPlanFile(b.Plan)
	if err != nil {
		t.Fatal(err)
	}
	again, err := batching.PlanAgain(t.Context(), p.Site, plan, nil, editing.Accepted{})
	if err != nil {
		t.Fatal(err)
	}
	batching.Apply(t.Context(), p.Site, again, false, nil, nil)
	if batches, err := batching.AllInterrupted(p.Memory); err != nil || len(batches) > 0 {
		t.Errorf("after the rest was sent: %+v, %v", batches, err)
	}
}

// A batch that another program has, which runs, is no interrupted one: it is told whose it is, and stays as it is.
func TestABatchOfAnotherProgramIsToldAndLeftAlone(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-third-fails")
	folder := t.TempDir()
	first := p.Remembering(t, folder).Memory
	utilities, err := p.Client.Services.Folder(t.Context(), "Utilities")
	if err != nil {
		t.Fatal(err)
	}
	services := append([]adminapi.ServiceRef{operationtest.Cities}, utilities.Services[:3]...)
	planned := batching.PlanMany(t.Context(), p.Site, services, p.Edit(t, operationtest.Idle, "907"), nil)
	batching.Apply(t.Context(), p.Site, planned, false, nil, nil)
	if own, err := batching.Elsewhere(first); err != nil || len(own) > 0 {
		t.Errorf("its own batch is another's: %+v, %v", own, err)
	}
	p.Remembering(t, folder)
	if mine, err := batching.AllInterrupted(p.Memory); err != nil || len(mine) > 0 {
		t.Errorf("it is offered here: %+v, %v", mine, err)
	}
	for range 2 {
		others, err := batching.Elsewhere(p.Memory)
		if err != nil || len(others) != 1 || !strings.HasPrefix(others[0].Text(), "An edit of 4 services is open in another geodeck, ") ||
			!strings.HasSuffix(others[0].Text(), ": 3 sent, 1 not sent") {
			t.Fatalf("%+v, %v", others, err)
		}
	}
	if left, err := batching.AllInterrupted(first); err != nil || len(left) != 1 {
		t.Errorf("its program has lost it: %+v, %v", left, err)
	}
}

// The last of a batch may turn out not to be sent: its program has it until then.
func TestABatchThatIsSentWholeIsNotTakenFromTheProgramThatSendsIt(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	folder := t.TempDir()
	p.Remembering(t, folder)
	edits := several(t, p, 2)
	looks := 0
	batching.Apply(t.Context(), p.Site, edits, false, nil, func(service adminapi.ServiceRef, step operation.EditProgress) {
		if service.Path() != edits[1].Service.Path() || step.Step != operation.StepReadBack {
			return
		}
		looks++
		other := operation.Memory{Journal: (&operationtest.Platform{Clock: p.Clock}).Remembering(t, folder).Memory.Journal}
		plans, err := filepath.Glob(filepath.Join(other.Journal.Folder(), "batch-*.json"))
		if err != nil || len(plans) != 1 {
			t.Fatal(plans, err)
		}
		if batches, err := batching.Elsewhere(other); err != nil || len(batches) > 0 {
			t.Errorf("%+v, %v", batches, err)
		}
		if _, err := os.Stat(plans[0]); err != nil {
			t.Error(err)
		}
	})
	if looks != 1 {
		t.Errorf("the other program looked %d times", looks)
	}
	if plans, err := filepath.Glob(filepath.Join(p.Memory.Journal.Folder(), "batch-*.json")); err != nil || len(plans) > 0 {
		t.Errorf("at its end its plan is still there: %q, %v", plans, err)
	}
}

// The others wait where the first does not run again.
func TestABatchThatWaitsStopsAtAServiceThatDoesNotStartAgain(t *testing.T) {
	t.Parallel()
	script, _ := simulator.BuiltIn("healthy")
	script.Editing.Restart = simulator.Duration{Duration: time.Hour}
	for _, waits := range []bool{true, false} {
		p := operationtest.NewOf(t, script).Remembering(t, t.TempDir())
		seen := 0
		results := batching.Apply(t.Context(), p.Site, several(t, p, 2), waits, nil, func(_ adminapi.ServiceRef, step operation.EditProgress) {
			if step.Step == operation.StepAnswer {
				seen++
			}
		})
		want := 2
		if waits {
			want = 1
		}
		if len(results) != want || results[0].Down() != waits || (seen > 0) != waits {
			t.Errorf("waits %v: told of %d times, %+v", waits, seen, results)
		}
		p.WantSent(t, "POST edit", want)
	}
}

func TestABatchThatCannotBeKeptIsNotSent(t *testing.T) {
	t.Parallel()
	for name, breaks := range map[string]func(p *operationtest.Platform) error{
		"the journal is closed": func(p *operationtest.Platform) error { return p.Memory.Journal.Close() },
		"its draft has no folder": func(p *operationtest.Platform) error {
			_, err := p.Memory.Journal.SaveDraft("batch", "x", nil)
			folders, _ := filepath.Glob(filepath.Join(p.Memory.Journal.Folder(), "drafts", "batch-*"))
			return errors.Join(err, os.RemoveAll(folders[0]), os.WriteFile(folders[0], nil, 0o600))
		},
		"there is no journal": func(p *operationtest.Platform) error {
			p.Memory.Journal = nil
			return nil
		},
	} {
		p := operationtest.WithJournal(t, "healthy")
		edits, folder := several(t, p, 3), p.Memory.Journal.Folder()
		if err := breaks(p); err != nil {
			t.Fatal(name, err)
		}
		results := batching.Apply(t.Context(), p.Site, edits, false, nil, nil)
		if len(results) != 1 || results[0].Err == nil || results[0].Outcome != adminapi.OutcomeNotSent || results[0].Service.Path() != edits[0].Service.Path() {
			t.Errorf("%s: %+v", name, results)
		}
		if _, unrecorded := errors.AsType[*operation.UnrecordedError](results[0].Err); !unrecorded && p.Memory.Journal != nil {
			t.Errorf("%s: %v", name, results[0].Err)
		}
		p.WantSent(t, "POST edit", 0)
		if p.Memory.Journal == nil {
			if batches, err := batching.AllInterrupted(p.Memory); err != nil || len(batches) > 0 {
				t.Errorf("%s: %+v, %v", name, batches, err)
			}
		}
		if plans, err := filepath.Glob(filepath.Join(folder, "batch-*")); err != nil || len(plans) > 0 {
			t.Errorf("%s: what would have been sent stays on disk: %q, %v", name, plans, err)
		}
	}
}

// The end of a job that cannot be read is not known: nothing is said of the job, and it is not sent again.
func TestAnEditWhoseJobCannotBeReadIsNotSentAgain(t *testing.T) {
	t.Parallel()
	p, folder, services := interrupted(t)
	p.Remembering(t, folder)
	batches, err := batching.AllInterrupted(p.Memory)
	if err != nil || len(batches) != 1 {
		t.Fatal(batches, err)
	}
	plan, err := batching.ReadPlanFile(batches[0].Plan)
	if err != nil {
		t.Fatal(err)
	}
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.Contains(r.URL.Path, "/jobs") {
			_, _ = w.Write([]byte(`{"error":{"code":500,"message":"Failed.","details":[]}}`))
			return
		}
		pass()
	})
	again, err := batching.PlanAgain(t.Context(), p.Site, plan, nil, editing.Accepted{})
	if want := "1 of 3 sent already: " + services[1].Path() + " (its end was not seen)"; err != nil || batching.SentBefore(again) != want || len(batching.ToSend(again)) != 1 {
		t.Errorf("it says %q, want %q, and sends %+v: %v", batching.SentBefore(again), want, batching.ToSend(again), err)
	}
}

func TestSeveralServicesStopAtTheFirstFailure(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-third-fails")
	var services []adminapi.ServiceRef
	folder, err := p.Client.Services.Folder(t.Context(), "Utilities")
	if err != nil {
		t.Fatal(err)
	}
	services = append(append(services, operationtest.Cities), folder.Services...)
	planned := batching.PlanMany(t.Context(), p.Site, services, p.Edit(t, operationtest.Idle, "907"), nil)
	results := batching.Apply(t.Context(), p.Site, planned, true, nil, func(service adminapi.ServiceRef, step operation.EditProgress) {
		if service.Path() == services[2].Path() && step.Step == operation.StepAnswer {
			t.Error("it waits for a service whose edit has failed")
		}
	})
	if len(results) != 3 || results[1].Err != nil || !errors.Is(results[2].Err, operation.ErrJobBroken) {
		t.Fatalf("%d results: %+v", len(results), results)
	}
	p.WantSent(t, "POST edit", 3)
}
