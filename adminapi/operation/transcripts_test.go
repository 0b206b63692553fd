package operation_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade/progress"
)

// remembering gives a platform a journal that outlives it.
func remembering(t *testing.T, p *platform, folder string, options ...journal.Option) *platform {
	t.Helper()
	j, err := journal.Open(folder, "https://gis.example.org/ctx", append(options, journal.WithClock(p.clock), journal.WithoutSync())...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	p.Journal = j
	return p
}

// started is a platform whose patch has been accepted just now.
func started(t *testing.T) (*platform, *operation.UpgradeRun) {
	t.Helper()
	p := remembering(t, builtIn(t, "healthy"), t.TempDir())
	run, outcome, err := p.StartUpgrade(t.Context(), p.ask(t, patchID), nil)
	if outcome != adminapi.OutcomeDone {
		t.Fatal(err)
	}
	return p, run
}

// readings reads so many times.
func readings(t *testing.T, p *platform, watch *operation.UpgradeWatch, times int) (last operation.UpgradeSnapshot) {
	t.Helper()
	for range times {
		reading, wait, err := stepped(watch.Next(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		last = reading
		_ = p.clock.Sleep(t.Context(), wait)
	}
	return last
}

// told counts what the site tells now.
func told(t *testing.T, p *platform) int {
	t.Helper()
	status, err := p.Client.UpgradeStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return len(status.Messages)
}

// onDisk counts what the transcript holds of a run.
func onDisk(t *testing.T, p *platform, id string) int {
	t.Helper()
	_, lines, err := p.Journal.ReadTranscript(id)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, line := range lines {
		n += len(line.Messages)
	}
	return n
}

func TestEveryReadingIsInTheTranscriptBeforeItIsReturned(t *testing.T) {
	t.Parallel()
	p, run := started(t)
	watch := p.WatchUpgrade(run)
	for range 60 {
		reading := readings(t, p, watch, 1)
		if n := onDisk(t, p, reading.Transcript); n != reading.Log.Len() || reading.TranscriptErr != nil {
			t.Fatalf("%d of %d messages are on disk, %v", n, reading.Log.Len(), reading.TranscriptErr)
		}
	}
	if end := follow(t, p, watch); onDisk(t, p, end.Transcript) != end.Log.Len() {
		t.Error("the end is not on disk")
	}
	runs, err := p.WatchedRuns()
	if err != nil || len(runs) != 1 || !runs[0].Ended || !runs[0].Here || runs[0].To != "11.5.0.6805" {
		t.Errorf("%+v, %v", runs, err)
	}
	if _, found, err := p.Unfinished(); found || err != nil {
		t.Errorf("unfinished %v, %v", found, err)
	}
}

func TestAWatchThatWasCutOffIsResumedWithTheWholeLogOnce(t *testing.T) {
	t.Parallel()
	p, run := started(t)
	before := readings(t, p, p.WatchUpgrade(run), 40)
	unfinished, found, err := p.Unfinished()
	if err != nil || !found || unfinished.ID != before.Transcript || unfinished.Messages != before.Log.Len() {
		t.Fatalf("%+v, %v, %v", unfinished, found, err)
	}
	again := p.WatchUpgrade(nil)
	again.Resume(unfinished.ID)
	reading := readings(t, p, again, 1)
	if !reading.Resumed || reading.Transcript != before.Transcript || reading.Log.Len() < before.Log.Len() {
		t.Errorf("resumed %v, %d in the log after %d", reading.Resumed, reading.Log.Len(), before.Log.Len())
	}
	end := follow(t, p, again)
	if n := onDisk(t, p, end.Transcript); n != end.Log.Len() || n != told(t, p) {
		t.Errorf("%d on disk, %d in the log, %d told", n, end.Log.Len(), told(t, p))
	}
}

func TestAnotherTerminalOnTheSameRunKeepsTheSameTranscript(t *testing.T) {
	t.Parallel()
	p, run := started(t)
	one, two := p.WatchUpgrade(run), p.WatchUpgrade(nil)
	for range 30 {
		readings(t, p, one, 1)
		readings(t, p, two, 1)
	}
	end := follow(t, p, one)
	follow(t, p, two)
	runs, err := p.WatchedRuns()
	if err != nil || len(runs) != 1 {
		t.Fatalf("%+v, %v", runs, err)
	}
	if n := onDisk(t, p, runs[0].ID); n != end.Log.Len() {
		t.Errorf("%d on disk, %d in the log", n, end.Log.Len())
	}
}

func TestTheEndOfAResumedRunIsNewsThoughNobodySawIt(t *testing.T) {
	t.Parallel()
	p, run := started(t)
	before := readings(t, p, p.WatchUpgrade(run), 10)
	_ = p.clock.Sleep(t.Context(), 3*time.Hour)
	watch := p.WatchUpgrade(nil)
	watch.Resume(before.Transcript)
	reading := readings(t, p, watch, 1)
	if !reading.Ended || reading.Meaning != progress.StateSucceeded || !reading.Resumed {
		t.Errorf("ended %v as %v", reading.Ended, reading.Meaning)
	}
	if _, found, _ := p.Unfinished(); found {
		t.Error("it would be offered again")
	}
}

func TestWhileTheAPIIsAwayAResumedRunIsShownAsItWasSeen(t *testing.T) {
	t.Parallel()
	p, run := started(t)
	before := readings(t, p, p.WatchUpgrade(run), 20)
	p.spoilWith(func(w http.ResponseWriter, _ *http.Request, _ func()) { hangUp(w) })
	watch := p.WatchUpgrade(nil)
	watch.Resume(before.Transcript)
	reading := readings(t, p, watch, 1)
	if reading.Unreachable == nil || reading.Log.Len() != before.Log.Len() || reading.Meaning != progress.StateRunning || reading.At.After(before.At) {
		t.Errorf("away %v, %d messages, %v at %v", reading.Unreachable, reading.Log.Len(), reading.Meaning, reading.At)
	}
}

func TestADismissedRunIsNotOfferedAgain(t *testing.T) {
	t.Parallel()
	p, run := started(t)
	before := readings(t, p, p.WatchUpgrade(run), 10)
	if err := p.Dismiss(before.Transcript); err != nil {
		t.Fatal(err)
	}
	if _, found, err := p.Unfinished(); found || err != nil {
		t.Errorf("offered: %v, %v", found, err)
	}
	if replay, err := p.Replay(before.Transcript); err != nil || replay.Log.Len() != before.Log.Len() {
		t.Errorf("%d messages, %v", replay.Log.Len(), err)
	}
}

func TestWhatTheSiteForgetsIsStillInTheLog(t *testing.T) {
	t.Parallel()
	p, run := started(t)
	watch := p.WatchUpgrade(run)
	before := readings(t, p, watch, 40)
	later := p.clock.Now().UnixMilli()
	p.tells(fmt.Sprintf(`{"state":"in_progress","code":1,"messages":[{"code":2173,"message":"9 / 41","when":%d}]}`, later))
	reading := readings(t, p, watch, 1)
	if reading.Log.Len() != before.Log.Len()+1 || reading.Transcript != before.Transcript || len(reading.Added) != 1 {
		t.Errorf("%d messages after %d, %d added", reading.Log.Len(), before.Log.Len(), len(reading.Added))
	}
	// A watch that begins anew finds only the rest at the site, and the beginning on disk.
	fresh := readings(t, p, p.WatchUpgrade(nil), 1)
	if fresh.Transcript != before.Transcript || fresh.Log.Len() != reading.Log.Len() {
		t.Errorf("transcript %q with %d messages, want %q with %d", fresh.Transcript, fresh.Log.Len(), before.Transcript, reading.Log.Len())
	}
}

func TestALaterRunHasATranscriptOfItsOwn(t *testing.T) {
	t.Parallel()
	p, run := started(t)
	first := follow(t, p, p.WatchUpgrade(run))
	next, outcome, err := p.StartUpgrade(t.Context(), p.ask(t, nextPatchID), nil)
	if outcome != adminapi.OutcomeDone {
		t.Fatal(err)
	}
	watch := p.WatchUpgrade(next)
	reading := readings(t, p, watch, 3)
	if reading.Transcript == first.Transcript || reading.Usual.Runs != 1 || reading.Usual.Took <= 0 {
		t.Errorf("transcript %q after %q, usual %+v", reading.Transcript, first.Transcript, reading.Usual)
	}
	end := follow(t, p, watch)
	runs, err := p.WatchedRuns()
	if err != nil || len(runs) != 2 || runs[0].ID != end.Transcript || runs[0].Messages == first.Log.Len() && strings.EqualFold(runs[0].To, runs[1].To) {
		t.Errorf("%+v, %v", runs, err)
	}
}

func TestAJournalThatCannotBeWrittenIsSaidAndEndsNoWatch(t *testing.T) {
	t.Parallel()
	p, run := started(t)
	watch := p.WatchUpgrade(run)
	before := readings(t, p, watch, 5)
	_ = p.Journal.Close()
	if end := follow(t, p, watch); end.TranscriptErr == nil || end.Log.Len() <= before.Log.Len() || end.Meaning != progress.StateSucceeded {
		t.Errorf("unkept %v, %d messages, %v", end.TranscriptErr, end.Log.Len(), end.Meaning)
	}
}
