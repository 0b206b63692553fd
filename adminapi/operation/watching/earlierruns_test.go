package watching_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/upgrade/progress"
)

func TestARunOfThePastIsListedOnceWithWhatTheSiteAndTheWatchKnow(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	if _, err := polling.Wait(t.Context(), p.Clock, watching.NewWatch(p.Site, run), nil); err != nil {
		t.Fatal(err)
	}
	runs, err := watching.EarlierRuns(t.Context(), p.Site)
	if err != nil || len(runs) != 1 || !runs[0].Watched || runs[0].From == "" || runs[0].Result != "succeeded" ||
		runs[0].Took < 10*time.Minute || runs[0].ReadOnly == 0 || runs[0].ReadOnly > runs[0].Took {
		t.Errorf("%+v, %v", runs, err)
	}
	if none, err := watching.Runs(t.Context(), p.Site, progress.Progress{}); err != nil || len(none) != 1 || none[0] != runs[0] {
		t.Errorf("beside no newest run: %+v, %v", none, err)
	}
	p.Memory.Journal = nil
	unwatched, err := watching.EarlierRuns(t.Context(), p.Site)
	if err != nil || len(unwatched) != 1 || unwatched[0].Watched || unwatched[0].To != runs[0].To || unwatched[0].ReadOnly != 0 ||
		unwatched[0].From != runs[0].From || unwatched[0].Kind != runs[0].Kind || unwatched[0].Kind == "" || unwatched[0].By != p.User.Username ||
		(unwatched[0].Began.Time().Sub(runs[0].Began.Time())).Abs() > time.Minute || (unwatched[0].Took-runs[0].Took).Abs() > time.Minute {
		t.Errorf("%+v, %v", unwatched, err)
	}
	historyIs(p, `{"operation":"upgrade","version":"11.5.0.6745","start":1795000000000},{"operation":"upgrade","version":"11.5.0.6805","start":1795100000000},{"operation":"upgrade","version":"11.4.0.1","start":1794000000000}`)
	sorted, err := watching.EarlierRuns(t.Context(), p.Site)
	if err != nil || len(sorted) != 3 || sorted[0].To != "11.5.0.6805" || sorted[1].To != "11.5.0.6745" || sorted[2].To != "11.4.0.1" {
		t.Errorf("not the newest first: %+v, %v", sorted, err)
	}
}

// The newest run of the site is in the list once, as what is known of it now: one that goes on has taken no time yet.
func TestTheNewestRunOfTheSiteIsListedOnceAndMayGoOn(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	watch := watching.NewWatch(p.Site, run)
	goesOn := operationtest.Polled(t, p, watch, 10)
	// The site tells no history meanwhile.
	if runs, err := watching.Runs(t.Context(), p.Site, goesOn.Progress); err == nil || len(runs) != 1 || !runs[0].Newest || runs[0].Took != 0 ||
		runs[0].Result != progress.StateRunning.String() || !runs[0].Watched || runs[0].Transcript != goesOn.Transcript || runs[0].By != p.User.Username {
		t.Errorf("%+v, %v", runs, err)
	}
	ended, err := polling.Wait(t.Context(), p.Clock, watch, nil)
	if err != nil {
		t.Fatal(err)
	}
	if runs, err := watching.Runs(t.Context(), p.Site, ended.Progress); err != nil || len(runs) != 1 || !runs[0].Newest || runs[0].Took < 10*time.Minute ||
		runs[0].Result != progress.StateSucceeded.String() || runs[0].Transcript != ended.Transcript {
		t.Errorf("%+v, %v", runs, err)
	}
}

// historyIs has the site list these runs of the past.
func historyIs(p *operationtest.Platform, entries string) {
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/history") {
			pass()
			return
		}
		_, _ = fmt.Fprintf(w, `{"history":[%s]}`, entries)
	})
}

// A watch that was cut off and dismissed has not seen the end: the history tells it.
func TestTheEndOfADismissedRunComesFromTheHistory(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	cut := operationtest.Polled(t, p, watching.NewWatch(p.Site, run), 10)
	if err := p.Memory.Dismiss(cut.Transcript); err != nil {
		t.Fatal(err)
	}
	historyIs(p, fmt.Sprintf(`{"operation":"upgrade","start":%d}`, cut.Progress.Began)) // it does not know the end, either
	runs, err := watching.EarlierRuns(t.Context(), p.Site)
	if err != nil || len(runs) != 1 || runs[0].Result != "last seen in progress" {
		t.Errorf("%+v, %v", runs, err)
	}
	if list, err := p.Memory.WatchedRuns(); err != nil || len(list) != 1 || !list[0].Ended {
		t.Errorf("%+v, %v", list, err)
	} else if said, seen := operation.RunResult(list[0]); said != "last seen in progress" || seen {
		t.Errorf("the list says %q, %v", said, seen)
	}
	began := cut.Progress.Began
	entry := func(after time.Duration, took time.Duration, result string) string {
		start := began.Time().Add(after)
		return fmt.Sprintf(`{"operation":"upgrade","user":"somebody","status":%q,"start":%d,"end":%d}`, result, start.UnixMilli(), start.Add(took).UnixMilli())
	}
	// The start that failed three minutes before is a run of its own.
	historyIs(p, entry(-3*time.Minute, time.Minute, "failure")+","+entry(time.Second, 3*time.Hour, "success"))
	runs, err = watching.EarlierRuns(t.Context(), p.Site)
	if err != nil || len(runs) != 2 || !runs[0].Watched || runs[0].Result != "success" || runs[0].Took != 3*time.Hour || runs[0].By != "somebody" ||
		runs[1].Watched || runs[1].Result != "failure" {
		t.Errorf("%+v, %v", runs, err)
	}
	// One of the day before is another one.
	historyIs(p, entry(-24*time.Hour, time.Hour, "failure"))
	runs, err = watching.EarlierRuns(t.Context(), p.Site)
	if err != nil || len(runs) != 2 || runs[0].Result != "last seen in progress" || runs[1].Watched || runs[1].Result != "failure" {
		t.Errorf("%+v, %v", runs, err)
	}
	// What began at an unknown time is no run that is known.
	historyIs(p, `{"operation":"upgrade","status":"success"},{"operation":"upgrade","status":"failure"}`)
	if runs, err = watching.EarlierRuns(t.Context(), p.Site); err != nil || len(runs) != 3 {
		t.Errorf("%+v, %v", runs, err)
	}
}

// recorded writes the transcript of a run that began a while ago.
func recorded(t *testing.T, p *operationtest.Platform, ago time.Duration, line journal.TranscriptLine, messages ...adminapi.UpgradeMessage) (id string, began adminapi.Millis) {
	t.Helper()
	began = adminapi.MillisOf(p.Clock.Now().Add(-ago))
	first := adminapi.UpgradeMessage{Code: 2010, Message: "from 11.5.0.6745 to 11.5.0.6805"}
	transcript, err := p.Memory.Journal.OpenTranscript(journal.TranscriptRun{Began: began, Start: first.Message})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range append([]adminapi.UpgradeMessage{first}, messages...) {
		m.When += began
		line.Messages = append(line.Messages, journal.TranscriptMessage{UpgradeMessage: m, Nth: 1})
	}
	if err := transcript.Append(line); err != nil {
		t.Fatal(err)
	}
	return transcript.ID(), began
}

// seen is a line with a state; ended is the last one, by its end or by who has dismissed it.
func seen(meaning progress.State) journal.TranscriptLine {
	status := map[progress.State]adminapi.UpgradeStatus{
		progress.StateRunning: {State: "in_progress", Code: 1}, progress.StateSucceeded: {State: "success", Code: 3}, progress.StateFailed: {State: "failed", Code: 2},
	}[meaning]
	return journal.TranscriptLine{State: status.State, Code: status.Code, Meaning: meaning.String()}
}

func ended(meaning progress.State) journal.TranscriptLine {
	line := seen(meaning)
	line.Ended = true
	return line
}

// A start that failed, and the next one minutes later, are two runs: of one that the site lists it is known which.
func TestARunThatTheSiteListsIsTheOneThatBeganNearest(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	first, began := recorded(t, p, time.Hour, ended(progress.StateRunning))
	second, _ := recorded(t, p, time.Hour-3*time.Minute, ended(progress.StateRunning))
	for nearest, start := range map[string]adminapi.Millis{first: began + 1000, second: began + 181_000} {
		historyIs(p, fmt.Sprintf(`{"operation":"upgrade","status":"success","start":%d}`, start))
		runs, err := watching.EarlierRuns(t.Context(), p.Site)
		if err != nil || len(runs) != 2 {
			t.Fatalf("%+v, %v", runs, err)
		}
		for _, run := range runs {
			if (run.Result == "success") != (run.Transcript == nearest) {
				t.Errorf("%s is %q, and the site has listed %s", run.Transcript, run.Result, nearest)
			}
		}
	}
}

// What the site still was when a run was last seen is not how long it took.
func TestTheReadOnlyTimeOfAnEarlierRunIsToldWhereItsEndIsKnown(t *testing.T) {
	t.Parallel()
	on, off, end := adminapi.UpgradeMessage{Code: 2165, When: 60_000}, adminapi.UpgradeMessage{Code: 2166, When: 360_000}, adminapi.UpgradeMessage{Code: 2011, When: 660_000}
	for name, c := range map[string]struct {
		meaning  progress.State
		messages []adminapi.UpgradeMessage
		want     time.Duration
	}{
		"it failed, and left it":                      {progress.StateFailed, []adminapi.UpgradeMessage{on, off, end}, 5 * time.Minute},
		"it failed in it":                             {progress.StateFailed, []adminapi.UpgradeMessage{on, end}, 0},
		"it was dismissed after it":                   {progress.StateRunning, []adminapi.UpgradeMessage{on, off}, 5 * time.Minute},
		"it was dismissed in it":                      {progress.StateRunning, []adminapi.UpgradeMessage{on}, 0},
		"it succeeded, and does not say when it left": {progress.StateSucceeded, []adminapi.UpgradeMessage{on, end}, 10 * time.Minute},
		"it was dismissed in it, after messages":      {progress.StateRunning, []adminapi.UpgradeMessage{on, {Code: 2101, When: 660_000}}, 0},
		"never":                                       {progress.StateSucceeded, []adminapi.UpgradeMessage{end}, 0},
	} {
		p := operationtest.WithJournal(t, "healthy")
		historyIs(p, "")
		recorded(t, p, time.Hour, ended(c.meaning), c.messages...)
		if runs, err := watching.EarlierRuns(t.Context(), p.Site); err != nil || len(runs) != 1 || runs[0].ReadOnly != c.want || (runs[0].Took == time.Hour) != (c.meaning == progress.StateFailed) { // until that was seen
			t.Errorf("%s: %+v, %v; want %v", name, runs, err, c.want)
		}
	}
}

// A record is shown with what was usual for such runs.
func TestARecordIsComparedWithOtherRuns(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	recorded(t, p, 48*time.Hour, ended(progress.StateSucceeded), adminapi.UpgradeMessage{Code: 2011, When: 660_000})
	id, _ := recorded(t, p, 24*time.Hour, ended(progress.StateFailed), adminapi.UpgradeMessage{Code: 2287, When: 60_000})
	if record, err := watching.Replay(p.Site, id); err != nil || record.Usual.Runs != 1 || record.Usual.Took != 11*time.Minute {
		t.Errorf("%+v, %v", record.Usual, err)
	}
}

// A release that failed at once, and the patch that was begun in its place, are two runs: one hides the other
// neither in the list nor by its result.
func TestAnUpgradeToAnotherVersionIsAnotherRun(t *testing.T) {
	t.Parallel()
	for name, watched := range map[string]bool{"watched": true, "told by the site alone": false} {
		p := operationtest.WithJournal(t, "healthy")
		id, began := recorded(t, p, time.Hour, seen(progress.StateRunning))
		now, err := watching.Replay(p.Site, id)
		if err != nil {
			t.Fatal(err)
		}
		historyIs(p, fmt.Sprintf(`{"operation":"upgrade","version":"12.0.0.7286","status":"failure","start":%d}`, began-180_000))
		if watched {
			runs, err := watching.EarlierRuns(t.Context(), p.Site)
			if err != nil || len(runs) != 2 || runs[0].Transcript != id || runs[0].Result != "last seen in progress" || runs[1].Watched || runs[1].Result != "failure" {
				t.Errorf("%s: %+v, %v", name, runs, err)
			}
		} else {
			p.Memory.Journal, id = nil, ""
		}
		runs, err := watching.Runs(t.Context(), p.Site, now.Progress)
		if err != nil || len(runs) != 2 || !runs[0].Newest || runs[0].Transcript != id || runs[1].Newest || runs[1].Result != "failure" {
			t.Fatalf("%s: %+v, %v", name, runs, err)
		}
		if first, second := runs[0].Name(), runs[1].Name(); first != "patch to 11.5.0.6805 from 11.5.0.6745" || second != "upgrade to 12.0.0.7286" {
			t.Errorf("%s: %q and %q", name, first, second)
		}
	}
}

// A site may name a version without its build, a rollback by what it removes, or a run by an id alone.
func TestARunIsFoundInTheHistoryHoweverTheSiteNamesItsVersion(t *testing.T) {
	t.Parallel()
	for _, version := range []string{"11.5.0.6805", "11.5.0", "11.5", "11.5.6805", "pat_12082025_6805", "11.5.0.6745", ""} {
		p := operationtest.WithJournal(t, "healthy")
		_, began := recorded(t, p, time.Hour, seen(progress.StateRunning))
		historyIs(p, fmt.Sprintf(`{"operation":"upgrade","version":%q,"status":"success","start":%d}`, version, began))
		if runs, err := watching.EarlierRuns(t.Context(), p.Site); err != nil || len(runs) != 1 || runs[0].Result != "success" {
			t.Errorf("%q: %+v, %v", version, runs, err)
		}
	}
}

// openedFiles call open before each transcript is opened, which fails with its error.
type openedFiles struct {
	journal.Files
	open func(path string) error
}

func (f openedFiles) Open(path string, flags int, mode fs.FileMode) (journal.File, error) {
	if strings.Contains(filepath.Base(filepath.Dir(path)), "transcripts") {
		if err := f.open(path); err != nil {
			return nil, err
		}
	}
	return f.Files.Open(path, flags, mode)
}

// A file may become unreadable between the list and the look into it.
func TestATranscriptThatCannotBeReadIsNoRunAndNoRecord(t *testing.T) {
	t.Parallel()
	var bad string
	var opened atomic.Int32
	p := operationtest.BuiltIn(t, "healthy").Remembering(t, t.TempDir(), journal.WithFiles(openedFiles{journal.SystemFiles{}, func(path string) error {
		if bad != "" && strings.Contains(path, bad) && opened.Add(1) > 1 {
			return fs.ErrPermission
		}
		return nil
	}}))
	historyIs(p, "")
	good, _ := recorded(t, p, 2*time.Hour, ended(progress.StateSucceeded))
	last, began := recorded(t, p, time.Hour, ended(progress.StateFailed))
	bad = last
	if runs, err := watching.EarlierRuns(t.Context(), p.Site); err == nil || len(runs) != 1 || runs[0].Transcript != good {
		t.Errorf("%+v, %v", runs, err)
	}
	opened.Store(0)
	status := adminapi.UpgradeStatus{State: "failed", Code: 2, Messages: []adminapi.UpgradeMessage{{Code: 2010, Message: "from 11.5.0.6745 to 11.5.0.6805", When: began}}}
	if now := watching.UpgradeNow(p.Site, status); now.Transcript != "" || now.Log.Len() != 1 {
		t.Errorf("its record is %q, with %d messages", now.Transcript, now.Log.Len())
	}
}

func TestEachRunOfThePastIsReadOnce(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	p := operationtest.BuiltIn(t, "healthy").Remembering(t, t.TempDir(), journal.WithFiles(openedFiles{journal.SystemFiles{}, func(string) error {
		opened.Add(1)
		return nil
	}}))
	const runs = 6
	for i := range runs {
		recorded(t, p, time.Duration(1+i)*24*time.Hour, ended(progress.StateSucceeded))
	}
	opened.Store(0)
	if list, err := watching.EarlierRuns(t.Context(), p.Site); err != nil || len(list) != runs || opened.Load() != 2*runs { // for the list, and for the times
		t.Errorf("%d files were opened for %d runs, %v", opened.Load(), len(list), err)
	}
}
