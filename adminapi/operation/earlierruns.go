package operation

import (
	"cmp"
	"context"
	"slices"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/sorting"
	"geodeck/adminapi/upgrade/progress"
)

// EarlierRun is an upgrade or a rollback of the past: as the site lists it, as it was watched
// from this machine, or both.
type EarlierRun struct {
	Began    adminapi.Millis
	From, To string // empty where they are not known
	Result   string // in the site's words, or those of the watch
	Took     time.Duration
	ReadOnly time.Duration // zero where it is not known
	Watched  bool
}

// maxReplayed bounds how many records are read for their times.
const maxReplayed = 20

// sameRun is how far the history and the log of a run may be apart on its begin.
const sameRun = adminapi.Millis(5 * time.Minute / time.Millisecond)

// EarlierRuns returns the runs of the past, the newest first. What the site does not tell is left
// out, with the error.
func (s Site) EarlierRuns(ctx context.Context) (runs []EarlierRun, err error) {
	watched, err := s.WatchedRuns()
	for _, summary := range watched[:min(len(watched), maxReplayed)] {
		r, failed := s.Replay(summary.ID)
		if failed != nil {
			err = failed
			continue
		}
		p := r.Progress
		end := max(p.Last, p.FailedBy)
		run := EarlierRun{Began: p.Began, From: p.From, To: p.To, Result: r.Meaning.String(), Watched: true}
		if !r.Ended {
			run.Result = "last seen " + run.Result
		}
		run.Took, _ = adminapi.Span(p.Began, end)
		run.ReadOnly, _ = p.ReadOnlyFor(end)
		if r.Meaning == progress.StateFailed && p.ReadOnly.To.IsZero() {
			run.ReadOnly = 0 // it lasted on
		}
		runs = append(runs, run)
	}
	history, failed := s.Client.UpgradeHistory(ctx)
	if failed != nil {
		return runs, failed
	}
	for _, h := range history {
		if slices.ContainsFunc(runs, func(r EarlierRun) bool { return max(r.Began-h.Start, h.Start-r.Began) < sameRun }) {
			continue
		}
		run := EarlierRun{Began: h.Start, From: h.PreviousVersion, To: cmp.Or(h.Version, h.Name, h.ID), Result: cmp.Or(h.Result, h.State)}
		run.Took, _ = adminapi.Span(h.Start, h.End)
		runs = append(runs, run)
	}
	sorting.Stable(runs, func(a, b EarlierRun) int { return cmp.Compare(b.Began, a.Began) })
	return runs, err
}
