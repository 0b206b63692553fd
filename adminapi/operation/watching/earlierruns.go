package watching

import (
	"cmp"
	"context"
	"slices"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

// EarlierRun is an upgrade or a rollback of the past: as the site lists it, as it was watched
// from this machine, or both.
type EarlierRun struct {
	Kind     progress.RunKind // empty where it is not known
	Began    adminapi.Millis  // by the server's clock
	From, To string           // empty where they are not known
	Result   string           // in the site's words, or those of the watch, see [operation.RunResult]
	Took     time.Duration    // until it was last seen, where its end is not known; zero where its times are not
	ReadOnly time.Duration    // zero where it is not known
	Watched  bool             // from this machine
	By       string           // who began it; empty where that is not known

	Transcript string // names the record of the watch; empty for none
	RolledBack bool   // it failed, and the site has undone it
	Newest     bool   // of the site; it may go on, see [Runs]
	endSeen    bool   // the watch saw the success or the failure
}

// Name says what it was, such as "patch to 11.5.0.6805 from 11.5.0.6745"; not cleaned.
func (r EarlierRun) Name() string {
	name := cmp.Or(string(r.Kind), "upgrade") + " to " + r.To
	if r.From != "" {
		name += " from " + r.From
	}
	return name
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
		run := earlierRun(s, p)
		run.Watched, run.Transcript = true, summary.ID
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
		run := EarlierRun{Began: h.Start, From: h.PreviousVersion, To: cmp.Or(h.Version, h.Name, h.ID), Result: cmp.Or(h.Result, h.State), By: plain.Line(h.User)}
		run.Kind = progress.Run{From: run.From, To: run.To}.Kind()
		run.Took, _ = adminapi.Span(h.Start, h.End)
		at, watched := same[i]
		if watched {
			runs[at].By = cmp.Or(run.By, runs[at].By)
		}
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

// earlierRun is a run as its log has it, and who has requested it from this machine.
func earlierRun(s operation.Site, p progress.Progress) EarlierRun {
	request := s.Memory.RequestOf(p)
	return EarlierRun{Kind: p.Kind, Began: p.Began, From: p.From, To: p.To, By: cmp.Or(request.User, request.By), RolledBack: p.RolledBack}
}

// Runs is [EarlierRuns] with the newest run of the site among them, which may go on or be in no list.
func Runs(ctx context.Context, s operation.Site, newest progress.Progress) ([]EarlierRun, error) {
	runs, err := EarlierRuns(ctx, s)
	if newest.Began.IsZero() {
		return runs, err
	}
	run := earlierRun(s, newest)
	run.Newest, run.Result = true, newest.Meaning.String()
	if newest.Meaning.Over() {
		run.Took, _ = adminapi.Span(newest.Began, max(newest.Last, newest.FailedBy))
	}
	for i := len(runs) - 1; i >= 0; i-- {
		if r := runs[i]; max(r.Began-run.Began, run.Began-r.Began) < sameRun && r.To == run.To {
			run.By, run.Transcript, run.Watched = cmp.Or(r.By, run.By), r.Transcript, r.Watched
			runs = slices.Delete(runs, i, i+1)
		}
	}
	return slices.Insert(runs, 0, run), err
}

// mayHaveVersion reports whether a version may be one that a run leads to, or takes back, as far as both are known.
func (r EarlierRun) mayHaveVersion(version string) bool {
	run := progress.Run{From: r.From, To: r.To}
	return run.MayBe(version, false) || run.MayBe(version, true)
}

// sameRuns returns which run each entry of the history is, by their indexes: the nearest begins
// first, and each run once. A begin that is not known is near none. An entry of another version is
// none of them: a start that fails at once may be followed by that of another update.
func sameRuns(runs []EarlierRun, history []adminapi.HistoryEntry) map[int]int {
	type pair struct {
		entry, run int
		apart      adminapi.Millis
	}
	var pairs []pair
	for i, h := range history {
		for j, r := range runs {
			if apart := max(r.Began-h.Start, h.Start-r.Began); apart < sameRun && !r.Began.IsZero() && !h.Start.IsZero() && r.mayHaveVersion(h.Version) {
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
