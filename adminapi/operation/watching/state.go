package watching

import (
	"cmp"
	"context"
	"errors"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/upgrade/progress"
)

// StatePause is the pause between two refreshes of a [State]. What is older than [StateLimit] no
// longer stands for the present.
const (
	StatePause = 30 * time.Second
	StateLimit = 2 * StatePause
)

// State is what is known of a site, with an age on every fact. It is a value: who has one sees no
// later refresh.
type State struct {
	Version adminapi.Fact[adminapi.Root]
	Self    adminapi.Fact[adminapi.Self]
	Mode    adminapi.Fact[adminapi.Mode]
	Upgrade adminapi.Fact[Upgrade]
	Reach   Reach

	watched time.Time // of the last answer that came from a watch, by this machine's clock
}

// Reach says why the site did not answer the last refresh; the zero one that it did.
type Reach struct{ Err error }

// Upgrade is the newest run of the site.
type Upgrade struct {
	Progress progress.Progress
	Last     adminapi.UpgradeMessage // the newest of its log; zero where that is empty
	Stall    *progress.Stall         // set while it has been silent for too long
	// Seen says that it was seen to run, or has begun since an earlier refresh: its end is news.
	Seen bool
}

// Runs reports whether an upgrade is known to run.
func (s State) Runs() bool { return s.Upgrade.Value.Progress.Meaning == progress.StateRunning }

// Failed reports whether the newest run has failed.
func (s State) Failed() bool { return s.Upgrade.Value.Progress.Meaning == progress.StateFailed }

// LeftFailed reports whether the newest run has failed and the site is read-only still.
func (s State) LeftFailed() bool { return s.Failed() && s.Mode.Value.ReadOnly }

// Ended reports whether a run that was seen has ended, well or not.
func (s State) Ended() bool {
	return s.Upgrade.Value.Seen && (s.Failed() || s.Upgrade.Value.Progress.Meaning == progress.StateSucceeded)
}

// Watched takes what a watch has fetched of the run: its messages tell of the mode, too.
func (s *State) Watched(r Snapshot, err error) {
	if !r.At.IsZero() && !r.At.Equal(s.watched) { // after a failed poll it is the one before; the clock may have been set back
		s.watched = r.At
		s.take(r.At, Upgrade{Progress: r.Progress, Last: r.Log.Last(), Seen: r.Seen}, nil)
	}
	s.Upgrade.Value.Stall = nil
	if stall, stalls := r.Stall(); stalls {
		s.Upgrade.Value.Stall = &stall
	}
	s.Upgrade.Err = cmp.Or(err, r.Refused, r.Unreachable)
	mode := r.Progress.ReadOnly
	changed := max(mode.From, mode.To).Time().Add(-r.Ahead)
	told := s.Runs() || s.Mode.Value.ReadOnly // the last of them may tell that it ends
	if s.Upgrade.Err == nil && told && !mode.From.IsZero() && changed.After(s.Mode.At) {
		s.Mode.Take(r.At, adminapi.Mode{ReadOnly: mode.To.IsZero()}, nil)
	}
}

// take keeps what was fetched of the newest run.
func (s *State) take(at time.Time, u Upgrade, err error) {
	before := s.Upgrade.Value
	u.Seen = u.Seen || u.Progress.Meaning == progress.StateRunning || s.Upgrade.Known() && (before.Seen || u.Progress.Began > before.Progress.Began)
	s.Upgrade.Take(at, u, err)
}

// CutOff says why no fact is refreshed any more, such as a missing sign-in.
func (s *State) CutOff(err error) {
	s.Version.Err, s.Self.Err, s.Mode.Err, s.Upgrade.Err, s.Reach.Err = err, err, err, err, err
}

// Refresh is what is fetched of a [State] besides the mode.
type Refresh struct {
	Site    bool // its version, and who is signed in
	Upgrade bool
}

// StateReader fetches states. It keeps the log of upgrades, so that the next fetch decodes only
// what is new. It is safe for concurrent use: one fetch waits for the other.
type StateReader struct {
	site   operation.Site
	turn   chan struct{} // holds one value while the log is fetched: a wait for it ends with its context
	reader *adminapi.UpgradeReader
	merger *progress.Merger
	fold   *progress.Fold

	usual   progress.UsualTimes // of runs like the one that began at usualOf
	usualOf adminapi.Millis

	settled adminapi.Millis // the begin of the last run whose end was recorded
	tryFrom time.Time       // when the next is recorded at the earliest
}

// NewStateReader returns a reader that knows nothing yet.
func NewStateReader(s operation.Site) *StateReader {
	return &StateReader{site: s, turn: make(chan struct{}, 1), reader: s.Client.Upgrades.NewReader(), merger: progress.NewMerger(s.Memory.LogBudget()), fold: progress.NewFold()}
}

// Read returns a state with some facts refreshed at the same time. Without a token the root is
// fetched first, alone: a password is entered only where a site answers and requires one.
func (r *StateReader) Read(ctx context.Context, s State, what Refresh) State {
	client, clock := r.site.Client, r.site.Clock
	alone := what.Site && !client.Session.Token().Known()
	if alone {
		s.Version.Refresh(ctx, clock, client.Root)
		if adminapi.IsMissing(s.Version.Err) { // it may tell of its upgrades, if only to who is signed in
			s.take(r.upgrade(ctx))
			s.rootless()
		}
		if s.Version.Err != nil || !client.Session.Token().Known() {
			s.Reach.Err = s.Version.Err
			return s
		}
	}
	var parts parallel.Group
	parts.Go(func() { s.Mode.Refresh(ctx, clock, client.Mode) })
	if what.Upgrade {
		parts.Go(func() { s.take(r.upgrade(ctx)) })
	}
	if what.Site {
		parts.Go(func() { s.Self.Refresh(ctx, clock, client.Session.Self) })
	}
	if what.Site && !alone {
		parts.Go(func() { s.Version.Refresh(ctx, clock, client.Root) })
	}
	parts.Wait()
	if what.Site && adminapi.IsMissing(s.Version.Err) && (what.Upgrade || s.Version.Known()) {
		s.rootless()
	}
	switch {
	case what.Site: // without its root a site cannot be used, unless it shows its upgrades
		s.Reach.Err = s.Version.Err
	case cuts(s.Mode.Err) && (!what.Upgrade || cuts(s.Upgrade.Err)):
		s.Reach.Err = s.Mode.Err
	default:
		s.Reach.Err = nil
	}
	return s
}

// rootless takes it that a site shows no root, which has never shown one: its version is empty, and what its
// upgrades answer says whether it is there.
func (s *State) rootless() {
	if err := s.Upgrade.Err; s.Version.Value.FullVersion == "" && (err == nil || errors.Is(err, adminapi.KindSignIn)) {
		s.Version.Take(s.Upgrade.At, adminapi.Root{}, err)
	}
}

// cuts reports whether an error is no answer of a site that knows who asks.
func cuts(err error) bool {
	return err != nil && (adminapi.IsTransient(err) || errors.Is(err, adminapi.KindSignIn))
}

// upgrade fetches the newest run.
func (r *StateReader) upgrade(ctx context.Context) (at time.Time, u Upgrade, err error) {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return r.site.Clock.Now(), u, ctx.Err()
	}
	status, goesOn, err := r.reader.Read(ctx)
	if at = r.site.Clock.Now(); err != nil {
		return at, u, err
	}
	merge := r.merger.Merge
	if goesOn {
		merge = r.merger.Extend
	}
	merge(status.Messages)
	log := r.merger.Log()
	u = Upgrade{Progress: r.fold.Add(log, progress.StateOf(status)), Last: log.Last()}
	r.settle(u.Progress, log)
	u.Stall = r.stall(at, u.Progress)
	return at, u, nil
}

// stall is that of a run that nobody watches, nil for none.
func (r *StateReader) stall(at time.Time, p progress.Progress) *progress.Stall {
	if p.Meaning != progress.StateRunning {
		return nil
	}
	if r.usualOf != p.Began {
		r.usual, r.usualOf = r.site.Memory.Usual(p.Kind, p.Began), p.Began
	}
	ahead, _ := r.site.Client.ServerTime()
	if stall, stalls := p.Stalled(r.usual, adminapi.MillisOf(at.Add(ahead))); stalls {
		return &stall
	}
	return nil
}

// settlePause is the pause between two tries to record an end: another program may hold the record.
const settlePause = 5 * time.Minute

// settle records the end of a run once.
func (r *StateReader) settle(p progress.Progress, log progress.Log) {
	now := r.site.Clock.Now()
	if p.Began == r.settled || !hasEnded(p, log) || now.Before(r.tryFrom) {
		return
	}
	if r.tryFrom = now.Add(settlePause); SettleRun(r.site.Memory, p, log) {
		r.settled = p.Began
	}
}

// hasEnded reports whether a run has ended, as far as its end can be recorded: a success only once the
// log has it.
func hasEnded(p progress.Progress, log progress.Log) bool {
	_, done := log.EndedSince(p.Began)
	return !p.Began.IsZero() && (p.Meaning == progress.StateFailed || p.Meaning == progress.StateSucceeded && done)
}

// SettleRun records the end of a run that this machine has requested and nobody watches, as a watch
// does. It reports whether nothing of it is left to record. Without anything to record it waits for
// no other program.
func SettleRun(m operation.Memory, p progress.Progress, log progress.Log) bool {
	if !hasEnded(p, log) {
		return false
	}
	request := m.RequestOf(p)
	if request.ID == "" || request.Outcome != adminapi.OutcomeUnknown && !operation.Accepted(request) {
		return true
	}
	verdict, because := endOf(p.Meaning, p, p.To)
	return m.Settle(request.ID, verdict, because)
}
