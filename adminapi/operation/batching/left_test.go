package batching_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/simulator/simtest"
)

// goOnAndStop goes on with a batch, as a program does that is stopped before it sends anything.
func goOnAndStop(t *testing.T, p *operationtest.Platform, batch batching.Interrupted) {
	t.Helper()
	plan, err := batching.ReadPlanFile(batch.Plan)
	if err != nil {
		t.Fatal(err)
	}
	again, err := batching.PlanAgain(t.Context(), p.Site, plan, nil, editing.Accepted{})
	if err != nil {
		t.Fatal(err)
	}
	end, err := batching.Begin(p.Site, batching.ToSend(again))
	if err != nil {
		t.Fatal(err)
	}
	end()
}

// setting plans one value of a setting in services.
func setting(t *testing.T, p *operationtest.Platform, value string, services ...adminapi.ServiceRef) []batching.PlannedEdit {
	t.Helper()
	return batching.PlanEach(t.Context(), p.Site, services, editing.Definition, nil, func(_ adminapi.ServiceRef, d *document.Document) (*document.Document, error) {
		return d.SetValue(operationtest.Idle, value)
	})
}

// plansOf are the plans of batches that are on disk.
func plansOf(t *testing.T, p *operationtest.Platform) []string {
	t.Helper()
	plans, err := filepath.Glob(filepath.Join(p.Memory.Journal.Folder(), "batch-*.json"))
	if err != nil {
		t.Fatal(err)
	}
	return plans
}

// What a batch has left goes over to another one only where that sends all of it, whatever it sends besides.
func TestABatchThatSendsNotAllOfAnotherLeavesThatAsItIs(t *testing.T) {
	t.Parallel()
	p, folder, services := interrupted(t)
	p.Remembering(t, folder)
	p.Clock.Advance(time.Hour)
	before, err := batching.AllInterrupted(p.Memory)
	if err != nil || len(before) != 1 || len(before[0].Left) != 1 {
		t.Fatal(before, err)
	}
	others := setting(t, p, "913", services[:2]...)
	for _, c := range []struct {
		name  string
		edits []batching.PlannedEdit
		holds bool
	}{
		{"another change", setting(t, p, "912", services[0], services[2]), false},
		{"other services", others, false},
		{"what is left, and another one", append(setting(t, p, "907", services[2]), others[:1]...), true},
	} {
		end, err := batching.Begin(p.Site, c.edits)
		if err != nil {
			t.Fatal(c.name, err)
		}
		end()
		after, err := batching.AllInterrupted(p.Memory)
		if err != nil || len(after) != 1 || (after[0].Plan == before[0].Plan) == c.holds || len(plansOf(t, p)) != 1 {
			t.Errorf("%s: %+v, %v", c.name, after, err)
		}
	}
}

// Who stops a batch, and then another, has both of them left.
func TestTwoBatchesThatWereStoppedStayApart(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	edits := several(t, p, 3)
	stop := func() bool { return true }
	for _, batch := range [][]batching.PlannedEdit{edits, setting(t, p, "915", edits[1].Service, edits[2].Service)} {
		if results := batching.Apply(t.Context(), p.Site, batch, false, stop, nil); len(results) != 1 || !results[0].Done() {
			t.Fatalf("%+v", results)
		}
		p.Clock.Advance(time.Minute)
	}
	p.WantSent(t, "POST edit", 2)
	batches, err := batching.AllInterrupted(p.Memory)
	if err != nil || len(batches) != 2 {
		t.Fatalf("%+v, %v", batches, err)
	}
	for i, want := range []string{"An edit of 2 services was stopped: 1 sent, 1 not sent", "An edit of 3 services was stopped: 1 sent, 2 not sent"} {
		if batches[i].Text() != want {
			t.Errorf("%s, want %s", batches[i].Text(), want)
		}
	}
}

// Of a batch that is sent whole, or given up, nothing stays on disk: its plan may hold secrets.
func TestNothingStaysOfABatchThatWasSentWholeOrGivenUp(t *testing.T) {
	t.Parallel()
	for name, sent := range map[string]int{"killed right after the last": 2, "given up by the next program": 1} {
		p := operationtest.BuiltIn(t, "healthy")
		folder := t.TempDir()
		p.Remembering(t, folder)
		edits := several(t, p, 2)
		if _, err := batching.Begin(p.Site, edits); err != nil {
			t.Fatal(err)
		}
		for _, e := range edits[:sent] {
			operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), e.Edit, nil))
		}
		ended(t, p, folder)
		batches, err := batching.AllInterrupted(p.Memory)
		if err != nil || len(batches) != 2-sent {
			t.Fatalf("%s: %+v, %v", name, batches, err)
		}
		for _, b := range batches {
			if err := batching.Forget(p.Memory, b); err != nil {
				t.Error(name, err)
			}
		}
		drafts, err := p.Memory.Journal.ListDrafts("batch")
		if plans := plansOf(t, p); err != nil || len(drafts)+len(plans) > 0 {
			t.Errorf("%s: %+v, %q, %v", name, drafts, plans, err)
		}
	}
}

// Whether a program on another machine runs cannot be seen from here.
func TestABatchOfAnotherMachineMayBeOpen(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	folder := t.TempDir()
	p.Remembering(t, folder, journal.WithProgram(journal.Program{User: "carol", Host: "adm2", PID: 7}))
	if _, err := batching.Begin(p.Site, several(t, p, 2)); err != nil {
		t.Fatal(err)
	}
	running, err := filepath.Glob(filepath.Join(p.Memory.Journal.Folder(), "programs", "*"))
	if err != nil || len(running) != 1 {
		t.Fatal(running, err)
	}
	ended(t, p, folder)
	if err := os.WriteFile(running[0], nil, 0o600); err != nil { // as of a program whose lock is not seen here
		t.Fatal(err)
	}
	others, err := batching.Elsewhere(p.Memory)
	if want := "An edit of 2 services may be open in another geodeck, carol on adm2 (process 7): 0 sent, 2 not sent"; err != nil || len(others) != 1 || others[0].Text() != want {
		t.Errorf("%+v, %v; want %s", others, err, want)
	}
	if mine, err := batching.AllInterrupted(p.Memory); err != nil || len(mine) > 0 {
		t.Errorf("it is offered here: %+v, %v", mine, err)
	}
}

// A batch that is continued, and of which nothing is sent, waits as before.
func TestAContinuedBatchOfWhichNothingWasSentStaysUnfinished(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "edit-third-fails")
	utilities, err := p.Client.Services.Folder(t.Context(), "Utilities")
	if err != nil {
		t.Fatal(err)
	}
	system, err := p.Client.Services.Folder(t.Context(), "System")
	if err != nil {
		t.Fatal(err)
	}
	services := append(append([]adminapi.ServiceRef{operationtest.Cities}, utilities.Services...), system.Services[:2]...)
	planned := batching.PlanMany(t.Context(), p.Site, services, p.Edit(t, operationtest.Idle, "907"), nil)
	batching.Apply(t.Context(), p.Site, planned, false, nil, nil)
	for range 2 {
		batches, err := batching.AllInterrupted(p.Memory)
		if err != nil || len(batches) != 1 || len(batches[0].Left) < 2 {
			t.Fatalf("%+v, %v", batches, err)
		}
		goOnAndStop(t, p, batches[0])
	}
	before, err := batching.AllInterrupted(p.Memory)
	if err != nil {
		t.Fatal(err)
	}
	end, err := batching.Begin(p.Site, planned) // all of it, as while the job of the first still runs
	if err != nil {
		t.Fatal(err)
	}
	end()
	whole := fmt.Sprintf("An edit of %d services was stopped: %d sent, %d not sent", len(services), len(services)-len(before[0].Left), len(before[0].Left))
	if after, err := batching.AllInterrupted(p.Memory); err != nil || len(after) != 1 || after[0].Text() != whole {
		t.Errorf("%+v, %v; want %s", after, err, whole)
	}
}

// A program that goes on with a batch of which nothing was sent, and stops, has not given it up.
func TestABatchOfWhichNothingWasSentYetWaitsAfterItWasGoneOnWith(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	folder := t.TempDir()
	p.Remembering(t, folder)
	if _, err := batching.Begin(p.Site, several(t, p, 3)); err != nil {
		t.Fatal(err)
	}
	for _, how := range []string{"was interrupted", "was stopped", "was stopped"} {
		ended(t, p, folder)
		p.Clock.Advance(time.Minute)
		batches, err := batching.AllInterrupted(p.Memory)
		if want := "An edit of 3 services " + how + ": 0 sent, 3 not sent"; err != nil || len(batches) != 1 || batches[0].Text() != want {
			t.Fatalf("%+v, %v; want %s", batches, err, want)
		}
		goOnAndStop(t, p, batches[0])
	}
}

// Where it is not known how many records there were before a batch, what was recorded since it was kept counts.
func TestABatchThatDoesNotFitTheRecordGoesByItsTime(t *testing.T) {
	t.Parallel()
	for name, records := range map[string]any{"of an earlier version": nil, "before the record was begun anew": 99} {
		p := operationtest.BuiltIn(t, "healthy")
		folder := t.TempDir()
		p.Remembering(t, folder)
		edits := several(t, p, 3)
		kept := map[string]any{"part": edits[0].Part, "records": records}
		var paths, sums []string
		for _, e := range edits {
			paths, sums = append(paths, e.Service.Path()), append(sums, operation.SumOf(e.Edited.Text()))
		}
		kept["services"], kept["sums"] = paths, sums
		send := func(e batching.PlannedEdit) {
			t.Helper()
			operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), e.Edit, nil))
		}
		send(edits[0])
		p.Clock.Advance(time.Minute)
		if _, err := p.Memory.Journal.SaveDraft("batch", "plan.json", kept); err != nil {
			t.Fatal(err)
		}
		p.Clock.Advance(time.Minute)
		send(edits[1])
		ended(t, p, folder)
		batches, err := batching.AllInterrupted(p.Memory)
		if err != nil || len(batches) != 1 || !slices.Equal(batches[0].Sent, paths[1:2]) || !slices.Equal(batches[0].Left, []string{paths[0], paths[2]}) {
			t.Errorf("%s: %+v, %v", name, batches, err)
		}
	}
	p := operationtest.WithJournal(t, "healthy") // one that is stopped is as old as its begin
	batching.Apply(t.Context(), p.Site, several(t, p, 3), false, func() bool { return true }, nil)
	drafts, err := p.Memory.Journal.ListDrafts("batch")
	kept := map[string]any{}
	if err != nil || len(drafts) != 1 || drafts[0].Read(&kept) != nil {
		t.Fatalf("%+v, %v", drafts, err)
	}
	kept["records"] = 99
	p.Clock.Advance(time.Minute)
	if _, err := p.Memory.Journal.SaveDraft("batch", drafts[0].Key, kept); err != nil {
		t.Fatal(err)
	}
	if batches, err := batching.AllInterrupted(p.Memory); err != nil || len(batches) != 1 || batches[0].Text() != "An edit of 3 services was stopped: 1 sent, 2 not sent" {
		t.Errorf("%+v, %v", batches, err)
	}
}

// Where the clock was set back before a batch, what was recorded before it is still before it.
func TestWhatWasSentBeforeABatchIsNotOfItWhateverTheClockSays(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	folder := t.TempDir()
	p.Remembering(t, folder)
	edits := several(t, p, 2)
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), edits[0].Edit, nil))
	if err := p.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	p.Remembering(t, folder, journal.WithClock(simtest.NewManualClock(operationtest.Start.Add(-time.Hour))))
	if _, err := batching.Begin(p.Site, edits); err != nil {
		t.Fatal(err)
	}
	ended(t, p, folder)
	if batches, err := batching.AllInterrupted(p.Memory); err != nil || len(batches) != 1 || len(batches[0].Sent) > 0 || len(batches[0].Left) != 2 {
		t.Errorf("%+v, %v", batches, err)
	}
}

// What is left of a batch of rules is gone on with as rules.
func TestABatchOfRulesGoesOnAsOne(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	folder := t.TempDir()
	p.Remembering(t, folder)
	root, err := p.Client.Services.Folder(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	read, err := editing.Read(t.Context(), p.Client, editing.PlacementOf(operationtest.Cities))
	if err != nil {
		t.Fatal(err)
	}
	edit := editing.Edit{Target: read.Target, Base: read.Document, Edited: operationtest.Parsed(t, strings.ReplaceAll(read.Document.Text(), `"gis"`, `"spot"`))}
	edits := batching.ToSend(batching.PlanMany(t.Context(), p.Site, append([]adminapi.ServiceRef{operationtest.Cities}, root.Services...), edit, nil))
	if len(edits) < 2 {
		t.Fatalf("%+v", edits)
	}
	if _, err := batching.Begin(p.Site, edits[:2]); err != nil {
		t.Fatal(err)
	}
	operationtest.WantResult(t, adminapi.OutcomeDone, nil)(p.ApplyEdit(t.Context(), edits[0].Edit, nil))
	ended(t, p, folder)
	batches, err := batching.AllInterrupted(p.Memory)
	if err != nil || len(batches) != 1 || batches[0].Part != editing.Placement || !slices.Equal(batches[0].Sent, []string{edits[0].Service.Path()}) ||
		!slices.Equal(batches[0].Left, []string{edits[1].Service.Path()}) {
		t.Fatalf("%+v, %v", batches, err)
	}
	if command := batches[0].Command().Words; !slices.Contains(command, "placement") {
		t.Errorf("it goes on by %q", command)
	}
}

// Which batches wait is not known where they cannot be listed.
func TestWhereBatchesCannotBeListedNobodyIsToldThatNoneWaits(t *testing.T) {
	t.Parallel()
	p, folder, _ := interrupted(t)
	next := p.Remembering(t, folder)
	drafts, err := filepath.Glob(filepath.Join(next.Memory.Journal.Folder(), "drafts", "batch-*"))
	if err != nil || len(drafts) != 1 {
		t.Fatal(drafts, err)
	}
	if err := errors.Join(os.RemoveAll(drafts[0]), os.Symlink(drafts[0]+".moved", drafts[0])); err != nil {
		t.Fatal(err)
	}
	if batches, err := batching.AllInterrupted(p.Memory); err == nil || len(batches) > 0 {
		t.Errorf("%+v, %v", batches, err)
	}
}

// Nobody knows what a draft means that does not hold a batch: nothing is said of it, and its plan stays.
func TestADraftThatHoldsNoBatchIsLeftAlone(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		"a sum less":        `{"part":0,"services":["A.MapServer","B.MapServer"],"sums":["x"]}`,
		"another part":      `{"part":9,"services":["A.MapServer","B.MapServer"],"sums":["x","y"]}`,
		"of another shape":  `{"services":7}`,
		"cut in its middle": `{"services":["A.MapServer"],"sums":7}`,
	} {
		p := operationtest.BuiltIn(t, "healthy")
		folder := t.TempDir()
		p.Remembering(t, folder)
		plan, err := p.Memory.Journal.KeepFile("batch-plan.json", []byte("{}"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Memory.Journal.SaveDraft("batch", plan, jsontext.Value(value)); err != nil {
			t.Fatal(err)
		}
		ended(t, p, folder)
		if batches, err := batching.AllInterrupted(p.Memory); err != nil || len(batches) > 0 {
			t.Errorf("%s: %+v, %v", name, batches, err)
		}
		if _, err := os.Stat(plan); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Another edit of a service that is left, or one that sends nothing, is not the batch.
func TestOnlyWhatIsLeftOfABatchForgetsIt(t *testing.T) {
	t.Parallel()
	p, folder, services := interrupted(t)
	p.Remembering(t, folder)
	p.Clock.Advance(time.Hour)
	for _, c := range []struct {
		value string
		of    []adminapi.ServiceRef
		want  adminapi.Outcome
	}{{"1800", services[2:], adminapi.OutcomeNotSent}, {"911", services[2:], adminapi.OutcomeDone}, {"912", services[1:], adminapi.OutcomeDone}} { // the service has the first
		other := batching.PlanEach(t.Context(), p.Site, c.of, editing.Definition, nil, func(_ adminapi.ServiceRef, d *document.Document) (*document.Document, error) {
			return d.SetValue(operationtest.Idle, c.value)
		})
		if results := batching.Apply(t.Context(), p.Site, other, false, nil, nil); len(results) > 0 && results[0].Outcome != c.want {
			t.Fatalf("%s: %+v", c.value, results)
		}
		if batches, err := batching.AllInterrupted(p.Memory); err != nil || len(batches) != 1 {
			t.Errorf("%s: %+v, %v", c.value, batches, err)
		} else if _, err := batching.ReadPlanFile(batches[0].Plan); err != nil {
			t.Errorf("%s: its plan: %v", c.value, err)
		}
	}
}

// fullDisk has no room for drafts from some time on.
type fullDisk struct {
	journal.SystemFiles
	full *bool
}

func (d fullDisk) CreateTemp(folder, pattern string) (journal.File, error) {
	if *d.full && strings.Contains(folder, "drafts") {
		return nil, syscall.ENOSPC
	}
	return d.SystemFiles.CreateTemp(folder, pattern)
}

// Where what goes on with a batch cannot be kept, nothing of it is sent, and the next program still has the batch.
func TestABatchIsLeftUntilWhatGoesOnWithItIsKept(t *testing.T) {
	t.Parallel()
	p, folder := operationtest.WithJournal(t, "edit-slow"), t.TempDir()
	p.Remembering(t, folder)
	edits := several(t, p, 4)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	batching.Apply(ctx, p.Site, edits, false, nil, func(_ adminapi.ServiceRef, step operation.EditProgress) {
		if step.Step == operation.StepEditJob {
			end()
		}
	})
	if err := p.Memory.Journal.Close(); err != nil {
		t.Fatal(err)
	}
	full := false
	p.Remembering(t, folder, journal.WithFiles(fullDisk{full: &full}))
	before, err := batching.AllInterrupted(p.Memory)
	if err != nil || len(before) != 1 {
		t.Fatal(before, err)
	}
	plan, err := batching.ReadPlanFile(before[0].Plan)
	if err != nil {
		t.Fatal(err)
	}
	again, err := batching.PlanAgain(t.Context(), p.Site, plan, nil, editing.Accepted{})
	if err != nil {
		t.Fatal(err)
	}
	full = true
	_, err = batching.Begin(p.Site, batching.ToSend(again))
	full = false
	if _, unrecorded := errors.AsType[*operation.UnrecordedError](err); !unrecorded {
		t.Errorf("what goes on begins without being kept: %v", err)
	}
	if after, err := batching.AllInterrupted(p.Memory); err != nil || len(after) != 1 || after[0].Plan != before[0].Plan || !slices.Equal(after[0].Left, before[0].Left) {
		t.Errorf("left are %+v, and were %+v, %v", after, before, err)
	}
}

// A record that cannot be read says of nothing that it was not sent.
func TestABatchIsNotCalledUnsentWhereTheRecordCannotBeRead(t *testing.T) {
	t.Parallel()
	p, folder, _ := interrupted(t)
	next := p.Remembering(t, folder)
	path := filepath.Join(next.Memory.Journal.Folder(), journal.LogName)
	if err := errors.Join(os.Rename(path, path+".moved"), os.Symlink(path+".moved", path)); err != nil {
		t.Fatal(err)
	}
	if batches, err := batching.AllInterrupted(p.Memory); err == nil || len(batches) > 0 {
		t.Errorf("%+v, %v", batches, err)
	}
}
