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
	p.Memory.Journal = nil
	unwatched, err := watching.EarlierRuns(t.Context(), p.Site)
	if err != nil || len(unwatched) != 1 || unwatched[0].Watched || unwatched[0].To != runs[0].To || unwatched[0].ReadOnly != 0 ||
		(unwatched[0].Took-runs[0].Took).Abs() > time.Minute {
		t.Errorf("%+v, %v", unwatched, err)
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
	historyIs(p, "")
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
		return fmt.Sprintf(`{"operation":"upgrade","status":%q,"start":%d,"end":%d}`, result, start.UnixMilli(), start.Add(took).UnixMilli())
	}
	// The start that failed three minutes before is a run of its own.
	historyIs(p, entry(-3*time.Minute, time.Minute, "failure")+","+entry(time.Second, 3*time.Hour, "success"))
	runs, err = watching.EarlierRuns(t.Context(), p.Site)
	if err != nil || len(runs) != 2 || !runs[0].Watched || runs[0].Result != "success" || runs[0].Took != 3*time.Hour ||
		runs[1].Watched || runs[1].Result != "failure" {
		t.Errorf("%+v, %v", runs, err)
	}
	// What began at an unknown time is no run that is known.
	historyIs(p, `{"operation":"upgrade","status":"success"},{"operation":"upgrade","status":"failure"}`)
	if runs, err = watching.EarlierRuns(t.Context(), p.Site); err != nil || len(runs) != 3 {
		t.Errorf("%+v, %v", runs, err)
	}
}

// countingFiles count how often a transcript is opened.
type countingFiles struct {
	journal.Files
	opened *atomic.Int32
}

func (c countingFiles) Open(path string, flags int, mode fs.FileMode) (journal.File, error) {
	if strings.Contains(filepath.Base(filepath.Dir(path)), "transcripts") {
		c.opened.Add(1)
	}
	return c.Files.Open(path, flags, mode)
}

func TestEachRunOfThePastIsReadOnce(t *testing.T) {
	t.Parallel()
	var opened atomic.Int32
	p := operationtest.BuiltIn(t, "healthy").Remembering(t, t.TempDir(), journal.WithFiles(countingFiles{journal.SystemFiles{}, &opened}))
	const runs = 6
	for i := range runs {
		began := adminapi.MillisOf(operationtest.Start.Add(time.Duration(i-runs) * 24 * time.Hour))
		transcript, err := p.Memory.Journal.OpenTranscript(journal.TranscriptRun{Began: began, Start: "Update begins."})
		if err != nil {
			t.Fatal(err)
		}
		line := journal.TranscriptLine{Meaning: progress.StateSucceeded.String(), Ended: true, Messages: []journal.TranscriptMessage{{UpgradeMessage: adminapi.UpgradeMessage{Code: 2010, When: began, Message: "Update begins."}, Nth: 1}}}
		if err := transcript.Append(line); err != nil {
			t.Fatal(err)
		}
	}
	opened.Store(0)
	if list, err := watching.EarlierRuns(t.Context(), p.Site); err != nil || len(list) != runs || opened.Load() != 2*runs { // for the list, and for the times
		t.Errorf("%d files were opened for %d runs, %v", opened.Load(), len(list), err)
	}
}
