package watching

import (
	"cmp"
	"context"
	"slices"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade/progress"
)

// EarlierRun is an upgrade or a rollback of the past: as the site lists it, as it was watched
// from this machine, or both.
type EarlierRun struct {
	Began    adminapi.Millis // by the server's clock
	From, To string          // empty where they are not known
	Result   string          // in the site's words, or those of the watch, see [operation.RunResult]
	Took     time.Duration   // until it was last seen, where its end is not known; zero where its times are not
	ReadOnly time.Duration   // zero where it is not known
	Watched  bool            // from this machine
	endSeen  bool            // the watch saw the success or the failure
}

// maxReplayed bounds how many records are read for their times.
const maxReplayed = 20

// sameRun is how far the history and the log of a run may be apart on its begin.
const sameRun = adminapi.Millis(5 * time.Minute / time.Millisecond)

// EarlierRuns returns the runs of the past, the newest first. What the site does not tell is left
// out, with the error.
func EarlierRuns(ctx context.Context, s operation.Site) (runs []EarlierRun, err error) {
	watched, err := s.Memory.WatchedRuns()
	for _, summary := range watched[:min(len(watched), maxReplayed)] {
		r, failed := replay(s, summary.ID)
		if failed != nil {
			err = failed
			continue
		}
		p := r.Progress
		end := max(p.Last, p.FailedBy)
		run := EarlierRun{Began: p.Began, From: p.From, To: p.To, Watched: true}
		run.Result, run.endSeen = operation.RunResult(summary)
		run.Took, _ = adminapi.Span(p.Began, end)
		run.ReadOnly, _ = p.ReadOnlyFor(end)
		if (r.Meaning == progress.StateFailed || !run.endSeen) && p.ReadOnly.To.IsZero() {
			run.ReadOnly = 0 // it lasted on
		}
		runs = append(runs, run)
	}
	history, failed := s.Client.Upgrades.History(ctx)
	if failed != nil {
		return runs, failed
	}
	same := sameRuns(runs, history)
	for i, h := range history {
		run := EarlierRun{Began: h.Start, From: h.PreviousVersion, To: cmp.Or(h.Version, h.Name, h.ID), Result: cmp.Or(h.Result, h.State)}
		run.Took, _ = adminapi.Span(h.Start, h.End)
		at, watched := same[i]
		switch {
		case !watched:
			runs = append(runs, run)
		case !runs[at].endSeen && run.Result != "":
			runs[at].Result, runs[at].Took = run.Result, cmp.Or(run.Took, runs[at].Took)
		}
	}
	slices.SortStableFunc(runs, func(a, b EarlierRun) int { return cmp.Compare(b.Began, a.Began) })
	return runs, err
}

// sameRuns returns which run each entry of the history is, by their indexes: the nearest begins
// first, and each run once. A begin that is not known is near none.
func sameRuns(runs []EarlierRun, history []adminapi.HistoryEntry) map[int]int {
	type pair struct {
		entry, run int
		apart      adminapi.Millis
	}
	var pairs []pair
	for i, h := range history {
		for j, r := range runs {
			if apart := max(r.Began-h.Start, h.Start-r.Began); apart < sameRun && !r.Began.IsZero() && !h.Start.IsZero() {
				pairs = append(pairs, pair{i, j, apart})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(a.apart, b.apart) })
	same, taken := map[int]int{}, map[int]bool{}
	for _, p := range pairs {
		if _, found := same[p.entry]; !found && !taken[p.run] {
			same[p.entry], taken[p.run] = p.run, true
		}
	}
	return same
}
