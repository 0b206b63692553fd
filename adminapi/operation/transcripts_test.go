package operation_test

import (
	"fmt"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/upgrade/progress"
)

// endedAs keeps a transcript of a run that began at a time, with the end that was seen.
func endedAs(t *testing.T, p *operationtest.Platform, began adminapi.Millis, meaning string) {
	t.Helper()
	transcript, err := p.Memory.Journal.OpenTranscript(journal.TranscriptRun{Began: began, Start: "from 1 to 2"})
	if err == nil {
		err = transcript.Append(journal.TranscriptLine{State: "x", Meaning: meaning, Ended: true})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// That a run has failed is known of it alone: a later one says nothing of it.
func TestAFailureThatWasSeenIsThatOfItsRun(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	endedAs(t, p, 1000, progress.StateFailed.String())
	endedAs(t, p, 2000, progress.StateSucceeded.String())
	endedAs(t, p, 3000, "in progress") // dismissed
	for began, failed := range map[adminapi.Millis]bool{1000: true, 2000: false, 3000: false, 4000: false} {
		if by := p.Memory.FailedBy(began); (by > 0) != failed {
			t.Errorf("the run of %d has failed by %d", began, by)
		}
		p.ReportsStatus(fmt.Sprintf(`{"state":"failed","code":2,"messages":[{"code":2010,"message":"from 11.5.0.6745 to 11.5.0.6805","when":%d}]}`, began))
		if facts := p.UpgradeFacts(t.Context(), operation.Offer{}, operation.UpgradeRequest{}); facts.FailedBy != p.Memory.FailedBy(began) {
			t.Errorf("before the next upgrade the run of %d has failed by %d", began, facts.FailedBy)
		}
	}
	runs, err := p.Memory.WatchedRuns()
	if err != nil || len(runs) != 3 {
		t.Fatalf("%+v, %v", runs, err)
	}
	for i, want := range []string{"last seen in progress", "succeeded", "failed"} {
		if said, seen := operation.RunResult(runs[i]); said != want || seen != (i > 0) {
			t.Errorf("%q, seen %v; want %q", said, seen, want)
		}
	}
}

func TestARunWhoseStateNobodyKnowsIsNotCalledSeen(t *testing.T) {
	t.Parallel()
	for meaning, want := range map[string]string{"": "state unknown", progress.StateUnknown.String(): "state unknown", "in progress": "last seen in progress"} {
		run := journal.TranscriptSummary{}
		run.Meaning = meaning
		if said, seen := operation.RunResult(run); said != want || seen {
			t.Errorf("%q: %q, seen %v; want %q", meaning, said, seen, want)
		}
	}
}

func TestHowLongARunTakesIsKnownFromThoseBeforeIt(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	end := operationtest.Follow(t, p, watching.NewWatch(p.Site, run))
	if end.Meaning != progress.StateSucceeded {
		t.Fatalf("ended as %v", end.Meaning)
	}
	endedAs(t, p, end.Progress.Began+1, progress.StateFailed.String())
	kind := end.Progress.Kind
	for before, want := range map[adminapi.Millis]int{0: 1, end.Progress.Began: 0, end.Progress.Began + 1: 1} {
		if usual := p.Memory.Usual(kind, before); usual.Runs != want {
			t.Errorf("before %d: %d runs, want %d", before, usual.Runs, want)
		}
	}
}

// Nothing is kept of a run that is not there: a list of watched runs would have one that nobody watched.
func TestATranscriptThatIsGoneIsNotDismissed(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	if err := p.Memory.Dismiss("missing"); err == nil {
		t.Error("it was dismissed")
	}
	if runs, err := p.Memory.WatchedRuns(); err != nil || len(runs) != 0 {
		t.Errorf("%+v, %v", runs, err)
	}
	if err := (operation.Memory{}).DismissEnd(operationtest.Start, 1000); err != nil {
		t.Errorf("without a journal: %v", err)
	}
}
