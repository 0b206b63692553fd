package watching_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/upgrade/progress"
)

func TestTheEndOfAnUpgradeIsInTheRecordOfItsRequest(t *testing.T) {
	t.Parallel()
	for scenario, want := range map[string]struct {
		verdict journal.Verdict
		because string
	}{
		"healthy":     {journal.VerdictSucceeded, "the site runs 11.5.0.6805"},
		"patch-fails": {journal.VerdictRolledBack, "and the site has undone it"},
	} {
		for _, own := range []bool{true, false} { // also by a program that did not send it
			p := operationtest.WithJournal(t, scenario)
			run, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), p.Request(t, operationtest.PatchID), nil))
			if outcome != adminapi.OutcomeDone {
				t.Fatal(err)
			}
			p.WantSettled(t, "", "")
			if !own {
				run = nil
			}
			if end := operationtest.Follow(t, p, watching.NewWatch(p.Site, run)); !end.Ended {
				t.Error("the run has not ended")
			}
			p.WantSettled(t, want.verdict, want.because)
		}
		once := operationtest.WithJournal(t, scenario) // a command that reads once
		if _, outcome, err := operationtest.Apart(once.StartUpgrade(t.Context(), once.Request(t, operationtest.PatchID), nil)); outcome != adminapi.OutcomeDone {
			t.Fatal(err)
		}
		for _, passed := range []time.Duration{0, 12 * time.Hour} {
			_ = once.Clock.Sleep(t.Context(), passed)
			status, err := once.Client.Upgrades.Status(t.Context())
			if now := watching.UpgradeNow(once.Site, status); err != nil || (passed == 0) != (now.Meaning == progress.StateRunning) {
				t.Fatal(now.Meaning, err)
			} else if passed == 0 {
				once.WantSettled(t, "", "")
			}
		}
		once.WantSettled(t, want.verdict, want.because)
		p := operationtest.WithJournal(t, scenario) // the state of the site tells it, where nobody watches
		if _, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), p.Request(t, operationtest.PatchID), nil)); outcome != adminapi.OutcomeDone {
			t.Fatal(err)
		}
		reader, state := watching.NewStateReader(p.Site), watching.State{}
		for range 500 {
			if state = reader.Read(t.Context(), state, watching.Refresh{Upgrade: true}); state.Ended() || state.Failed() {
				break
			}
			p.WantSettled(t, "", "")
			_ = p.Clock.Sleep(t.Context(), watching.StatePause)
		}
		p.WantSettled(t, want.verdict, want.because)
	}
}

// Only what the site has undone is recorded as such; whoever sees the end records the same.
func TestAFailureIsRecordedWithWhereItWas(t *testing.T) {
	t.Parallel()
	for phase, more := range map[string]string{
		progress.PhaseLaunch:     "",
		progress.PhaseComponents: fmt.Sprintf(`,{"code":2101,"message":"arcgis-web-proxy-nny8f","when":%d}`, operationtest.Start.Add(time.Hour).UnixMilli()),
	} {
		for name, sees := range map[string]func(*operationtest.Platform, *watching.Watch){
			"a watch": func(p *operationtest.Platform, w *watching.Watch) { operationtest.Polled(t, p, w, 1) },
			"the state": func(p *operationtest.Platform, _ *watching.Watch) {
				watching.NewStateReader(p.Site).Read(t.Context(), watching.State{}, watching.Refresh{Upgrade: true})
			},
			"a command": func(p *operationtest.Platform, _ *watching.Watch) {
				status, err := p.Client.Upgrades.Status(t.Context())
				if verdict := watching.UpgradeNow(p.Site, status).Verdict(); err != nil || verdict != journal.VerdictFailed {
					t.Errorf("told as %q, %v", verdict, err)
				}
			},
		} {
			p, run := operationtest.Started(t)
			first := p.FirstMessage(0)
			p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + first + `]}`)
			watch := watching.NewWatch(p.Site, run)
			operationtest.Polled(t, p, watch, 1)
			p.Clock.Advance(2 * time.Hour)
			p.ReportsStatus(`{"state":"failed","code":2,"messages":[` + first + more + `]}`)
			sees(p, watch)
			p.WantSettled(t, journal.VerdictFailed, "it failed in "+phase)
			if records, err := p.Memory.Journal.Actions(0); err != nil || strings.Contains(fmt.Sprint(records), "undone") {
				t.Errorf("%s, in %s: %v, %v", name, phase, records, err)
			}
		}
	}
}

func TestAnotherRunIsNotTheEndOfTheRequest(t *testing.T) {
	t.Parallel()
	for _, recorded := range []bool{true, false} {
		p, run := operationtest.Started(t)
		p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(0) + `]}`)
		watch := watching.NewWatch(p.Site, run)
		operationtest.Polled(t, p, watch, 2)
		if !recorded { // the log of changes goes on, and no other transcript can begin
			folder := filepath.Join(p.Memory.Journal.Folder(), "transcripts")
			if err := errors.Join(os.Rename(folder, folder+" moved"), os.WriteFile(folder, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		}
		p.Clock.Advance(40 * time.Minute) // it fails unseen, and somebody begins another
		first := p.FirstMessage(0)
		p.Clock.Advance(20 * time.Minute)
		p.ReportsStatus(`{"state":"success","code":3,"messages":[` + first + `,` + p.EndMessage() + `]}`)
		if snapshot := operationtest.Polled(t, p, watch, 1); !snapshot.Ended || recorded != (snapshot.TranscriptErr == nil) {
			t.Fatalf("the other run has ended: %v; its transcript: %v", snapshot.Ended, snapshot.TranscriptErr)
		}
		p.WantSettled(t, "", "")
	}
}

// A watch of another run ends as that does, also where nothing of it can be written down.
func TestAWatchThatCannotRecordAnotherRunEndsWithIt(t *testing.T) {
	t.Parallel()
	p, _ := operationtest.Started(t)
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(0) + `]}`)
	watch := watching.NewWatch(p.Site, nil)
	operationtest.Polled(t, p, watch, 2)
	_ = p.Memory.Journal.Close()
	p.Clock.Advance(40 * time.Minute)
	first := p.FirstMessage(0)
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + first + `]}`)
	if snapshot := operationtest.Polled(t, p, watch, 2); snapshot.TranscriptErr == nil || !snapshot.Seen {
		t.Fatalf("it was seen: %v; the transcript: %v", snapshot.Seen, snapshot.TranscriptErr)
	}
	p.Clock.Advance(20 * time.Minute)
	p.ReportsStatus(`{"state":"success","code":3,"messages":[` + first + `,` + p.EndMessage() + `]}`)
	if snapshot := operationtest.Polled(t, p, watch, 1); !snapshot.Ended {
		t.Errorf("the site is done, and the watch goes on: %s", snapshot.DoubtText())
	}
}

// Who has tried a version twice is told how each try has ended.
func TestTheEndOfAnUpgradeIsInTheRecordOfItsOwnTry(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "patch-fails")
	request := p.Request(t, operationtest.PatchID)
	p.Start(t, operationtest.PatchID)
	p.Clock.Advance(12 * time.Hour)
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = io.WriteString(w, `{"error":{"code":400,"message":"Not now.","details":[]}}`)
			return
		}
		pass()
	})
	if _, outcome, err := operationtest.Apart(p.StartUpgrade(t.Context(), request, nil)); outcome != adminapi.OutcomeRefused {
		t.Fatal(outcome, err)
	}
	watching.NewStateReader(p.Site).Read(t.Context(), watching.State{}, watching.Refresh{Upgrade: true})
	records, err := p.Memory.Journal.Actions(0)
	var ends []string
	for _, r := range records {
		if operation.StartsUpgrade(r) {
			ends = append(ends, r.Outcome.String()+" "+string(r.Verdict))
		}
	}
	if want := []string{"refused ", "done " + string(journal.VerdictRolledBack)}; err != nil || !slices.Equal(ends, want) {
		t.Errorf("the newest first: %q, want %q, %v", ends, want, err)
	}
}

// Right after a request a site may still report the success of the run before.
func TestASuccessThatNoMessageTellsIsTheEndOfNoRequest(t *testing.T) {
	t.Parallel()
	p, _ := operationtest.Started(t)
	first := p.FirstMessage(0)
	reader := watching.NewStateReader(p.Site)
	looks := func(messages string) (verdict journal.Verdict) {
		t.Helper()
		p.ReportsStatus(`{"state":"success","code":3,"messages":[` + messages + `]}`)
		reader.Read(t.Context(), watching.State{}, watching.Refresh{Upgrade: true})
		status, err := p.Client.Upgrades.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return watching.UpgradeNow(p.Site, status).Verdict()
	}
	if verdict := looks(first); verdict != "" {
		t.Errorf("it is told as %s", verdict)
	}
	p.WantSettled(t, "", "")
	if verdict := looks(first + "," + p.EndMessage()); verdict != journal.VerdictSucceeded {
		t.Errorf("its end is told as %q", verdict)
	}
	p.WantSettled(t, journal.VerdictSucceeded, "the site runs 11.5.0.6805")
}

// What ends a run in its log is no failure of it while the site does not say that it is over.
func TestARunThatTheSiteDoesNotCallOverHasNoEndInItsRecord(t *testing.T) {
	t.Parallel()
	for _, state := range []string{`"state":"in_progress","code":1`, `"state":"paused","code":9`} {
		p, _ := operationtest.Started(t)
		p.ReportsStatus(`{` + state + `,"messages":[` + p.FirstMessage(0) + `,` + p.EndMessage() + `]}`)
		watching.NewStateReader(p.Site).Read(t.Context(), watching.State{}, watching.Refresh{Upgrade: true})
		status, err := p.Client.Upgrades.Status(t.Context())
		if verdict := watching.UpgradeNow(p.Site, status).Verdict(); err != nil || verdict != "" {
			t.Errorf("%s: told as %q, %v", state, verdict, err)
		}
		p.WantSettled(t, "", "")
	}
}

// A command that reads once knows of a silence what a watch knows: by the clock of the site, and by earlier runs.
func TestOneLookTellsHowLongARunIsSilent(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{0, -3 * time.Hour, 3 * time.Hour} {
		p := operationtest.WithJournal(t, "healthy")
		p.Ahead.Store(int64(ahead))
		recorded(t, p, 48*time.Hour, ended(progress.StateSucceeded), adminapi.UpgradeMessage{Code: 2011, When: 660_000})
		p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(ahead-25*time.Minute) + `]}`)
		status, err := p.Client.Upgrades.Status(t.Context())
		now := watching.UpgradeNow(p.Site, status)
		stall, stalls := now.Stall()
		if err != nil || !stalls || !stall.Usual || (now.Quiet-25*time.Minute).Abs() > 2*time.Second || (now.Ahead-ahead).Abs() > 2*time.Second || p.Clock.Now().Sub(now.At) > time.Second {
			t.Errorf("%v ahead: %v, silent for %v, too long: %+v, %v", ahead, now.Ahead, now.Quiet, stall, stalls)
		}
	}
}

// lockableFiles open nothing for writing while they are locked.
type lockableFiles struct {
	journal.Files
	locked *atomic.Bool
}

func (f lockableFiles) Open(path string, flags int, mode fs.FileMode) (journal.File, error) {
	if f.locked.Load() && flags&(os.O_WRONLY|os.O_RDWR) != 0 {
		return nil, syscall.EROFS
	}
	return f.Files.Open(path, flags, mode)
}

// A disk that takes nothing when the end is seen may take it later.
func TestAnEndThatCannotBeRecordedIsRecordedLater(t *testing.T) {
	t.Parallel()
	var locked atomic.Bool
	p := operationtest.BuiltIn(t, "healthy").Remembering(t, t.TempDir(), journal.WithFiles(lockableFiles{journal.SystemFiles{}, &locked}))
	p.Start(t, operationtest.PatchID)
	p.Clock.Advance(30 * time.Minute)
	p.ReportsStatus(`{"state":"success","code":3,"messages":[` + p.FirstMessage(-29*time.Minute) + `,` + p.EndMessage() + `]}`)
	reader, state := watching.NewStateReader(p.Site), watching.State{}
	for _, c := range []struct {
		locked  bool
		verdict journal.Verdict
	}{{true, ""}, {true, ""}, {false, journal.VerdictSucceeded}} {
		locked.Store(c.locked)
		if state = reader.Read(t.Context(), state, watching.Refresh{Upgrade: true}); state.Upgrade.Err != nil {
			t.Fatal(state.Upgrade.Err)
		}
		p.WantSettled(t, c.verdict, "")
		p.Clock.Advance(6 * time.Minute)
	}
}

// What the site said of the state while the disk was full is in the record once there is room, though it says the same then.
func TestAStateThatCannotBeRecordedIsRecordedLater(t *testing.T) {
	t.Parallel()
	var locked atomic.Bool
	p := operationtest.BuiltIn(t, "healthy").Remembering(t, t.TempDir(), journal.WithFiles(lockableFiles{journal.SystemFiles{}, &locked}))
	watch, began := running(t, p)
	p.ReportsStatus(`{"state":"paused","code":9,"messages":[` + began + `]}`)
	for _, full := range []bool{true, false} {
		locked.Store(full)
		if now := operationtest.Polled(t, p, watch, 1); (now.TranscriptErr != nil) != full {
			t.Fatal(now.TranscriptErr)
		}
	}
	unfinished, _, err := p.Memory.Unfinished()
	if err != nil {
		t.Fatal(err)
	}
	if kept, err := watching.Replay(p.Site, unfinished.ID); err != nil || kept.Meaning != progress.StateUnknown {
		t.Errorf("it is recorded as %s, %v", kept.Meaning, err)
	}
}

// Each run is measured by those before it, also where a dashboard has seen an earlier one without any.
func TestTheSilenceOfEachRunIsMeasuredByTheRunsBeforeIt(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	reader := watching.NewStateReader(p.Site)
	stall := func(ago time.Duration) *progress.Stall {
		t.Helper()
		p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(-ago) + `]}`)
		state := reader.Read(t.Context(), watching.State{}, watching.Refresh{Upgrade: true})
		if !state.Runs() {
			t.Fatalf("%+v", state.Upgrade)
		}
		return state.Upgrade.Value.Stall
	}
	if stall(40*time.Minute) == nil {
		t.Error("the first run is silent, and is not said to be")
	}
	p.Clock.Advance(3 * time.Hour)
	recorded(t, p, 2*time.Hour, ended(progress.StateSucceeded), adminapi.UpgradeMessage{Code: 2011, When: 3_600_000})
	p.Clock.Advance(time.Hour)
	if silent := stall(40 * time.Minute); silent != nil {
		t.Errorf("it is called silent: %+v", silent)
	}
}
