package operation

import (
	"context"
	"errors"
	"strconv"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

// doubtTime is how long an answer is doubted, by the server's clock, before the installed
// version is asked how the run ended; see [Doubt].
const doubtTime = time.Minute

// refusedTime is how long a refusal may last before somebody is called.
const refusedTime = time.Minute

// errorPause is how long to wait after an error: a gateway that is half restarted gives
// some, and a watch must not end of it.
const errorPause = 30 * time.Second

// Doubt is an answer of the site that a watch does not take at its word.
type Doubt int

// The doubts, from the zero value on.
const (
	NoDoubt         Doubt = iota
	DoubtfulSuccess       // success, and no message of this run tells that it was done
	DoubtfulAbsence       // no upgrade at all, though this run was seen
)

// UpgradeSnapshot is what one fetch of the Upgrades resource returned, and what is known
// from all of them together.
type UpgradeSnapshot struct {
	Status  adminapi.UpgradeStatus // of the last answer that could be read and is not doubted, without its messages: they are in Log
	Meaning progress.State
	At      time.Time // of that answer, by this machine's clock; zero before the first
	// Ahead is the server's clock less ours at that time; of what a transcript holds
	// it is what was known then.
	Ahead time.Duration
	// Unreachable is the error of the last attempt where it failed: the API restarts
	// itself while it is upgraded, so this is no end. UnreachableSince is when it began.
	Unreachable      error
	UnreachableSince time.Time
	// Refused is the error of the last attempt where the site refused to tell, though it
	// has told this watch before: a token that is not taken for a moment ends no watch.
	// RefusedSince is when it began, unbroken.
	Refused      error
	RefusedSince time.Time
	// RefusedLong tells that this has lasted for a minute: it will not pass by itself.
	RefusedLong bool
	// Seen tells that the upgrade was seen running, or its own first message; an
	// end that was there already is history, not news.
	Seen bool
	// Ended tells that an upgrade that was seen running has ended, well or not: it has
	// succeeded where the site says so and messages of this run do, or where the site
	// has run the target's version for a minute of saying so (MessagesMissing).
	Ended           bool
	MessagesMissing bool
	// NothingRuns tells that the site is idle by its own word, and was so for as long as
	// it was watched: there is nothing to watch. What was accepted just now may take a
	// moment to begin.
	NothingRuns bool
	// Doubt is what the last answer said that is not taken at its word, DoubtSince when that
	// began, by the server's clock. Undecided tells that it has lasted, and that the
	// installed version does not tell either: nobody knows how the run ended.
	Doubt      Doubt
	DoubtSince time.Time
	Undecided  bool

	// Log is every message seen, in this life and, by its transcript, in earlier
	// ones. Progress is what those of the newest run tell, Usual how long such runs
	// take at this site by the transcripts of this machine.
	Log      progress.Log
	Added    []progress.Message // what this fetch has brought, in the order of the log
	Progress progress.Progress
	Usual    progress.Usual
	// Transcript names the record of the run; empty where nothing runs or none is
	// kept. TranscriptErr is why the last answer is not in it, nil where it is.
	Transcript    string
	TranscriptErr error
	// Resumed tells that the transcript held messages before this watch began.
	Resumed bool
}

// DoubtText says in a sentence without its end what the site says that is not taken at its
// word, empty where nothing is doubted.
func (r UpgradeSnapshot) DoubtText() string {
	switch r.Doubt {
	case DoubtfulSuccess:
		return "the site says success, and no message of this run does"
	case DoubtfulAbsence:
		return "the site says that there is no upgrade, though this run was seen"
	}
	return ""
}

// UpgradeWatch reads the Upgrades resource: every 2 s while messages arrive, growing to
// 10 s when quiet. It is a [Poller] that ends with the run, or where nothing runs
// ([UpgradeSnapshot.NothingRuns]). A run of which nobody knows how it ended
// ([UpgradeSnapshot.Undecided]) is no end: the site may yet tell.
type UpgradeWatch struct {
	site     Site
	run      *UpgradeRun
	pace     pace
	reader   *adminapi.UpgradeReader
	last     UpgradeSnapshot
	merger   *progress.Merger
	fold     *progress.Fold
	record   recording
	answered bool      // the site has answered this watch
	raw      [2]string // state and code of the last answer, believed or not
	// wasUnreachable tells that the API was away before the site refused to tell.
	wasUnreachable bool
	since          adminapi.Millis // from when on a message of an end is one of this run
}

// WatchUpgrade returns a watch. run is the upgrade that was just accepted, nil
// where none was: its end is news also where nobody saw it running, while the end
// of the one before it, which a site may tell of for a moment longer, never is.
func (s Site) WatchUpgrade(run *UpgradeRun) *UpgradeWatch {
	return &UpgradeWatch{
		site: s, run: run, pace: s.pace(quietBackoff), reader: s.Client.NewUpgradeReader(),
		merger: progress.NewMerger(s.logBudget()), fold: progress.NewFold(), record: recording{site: s, here: run != nil},
	}
}

// Next reads once. An error of the first answer asks for a sign-in or says that it is not
// allowed; Next can be called again after it, and Wait says when where nobody does
// anything about it. Later that is no end ([UpgradeSnapshot.Refused]), with the token that
// there is: the client's Renew is asked each time. An unknown state is neither an end nor
// success: it is read on.
//
// What is new is in the transcript before Next returns it.
func (w *UpgradeWatch) Next(ctx context.Context) (Step[UpgradeSnapshot], error) {
	w.resume()
	status, goesOn, err := w.reader.Read(ctx)
	switch {
	case err != nil && adminapi.IsTransient(err):
		return w.unreachable(err), nil
	case err != nil && w.answered && (errors.Is(err, adminapi.KindSignIn) || errors.Is(err, adminapi.KindPrivilege)):
		return w.refused(ctx, err), nil
	case err != nil:
		w.last.Added = nil
		return Step[UpgradeSnapshot]{Value: w.last, Wait: errorPause}, err
	}
	w.answered = true
	news := w.merge(status, goesOn)
	if w.last.Doubt != NoDoubt && w.site.serverNow().Sub(w.last.DoubtSince) >= doubtTime {
		w.decide(ctx, status)
	}
	if news {
		w.pace.reset()
	}
	w.last.NothingRuns = !w.last.Seen && w.run == nil && w.last.Doubt == NoDoubt && w.last.Meaning != progress.StateRunning && w.last.Meaning != progress.StateUnknown
	return Step[UpgradeSnapshot]{Value: w.last, Wait: w.pace.afterAnswer(), Done: w.last.Ended || w.last.NothingRuns}, nil
}

// refused keeps the last answer beside a refusal to tell.
func (w *UpgradeWatch) refused(ctx context.Context, err error) Step[UpgradeSnapshot] {
	if w.last.Refused == nil {
		w.last.RefusedSince = w.site.Clock.Now()
	}
	w.wasUnreachable = w.wasUnreachable || w.last.Unreachable != nil
	w.last.Unreachable, w.last.UnreachableSince = nil, time.Time{}
	w.last.Refused, w.last.Added = err, nil
	w.last.RefusedLong = w.site.Clock.Now().Sub(w.last.RefusedSince) >= refusedTime
	wait := w.pace.afterFailure()
	if errors.Is(err, adminapi.KindPrivilege) {
		w.site.Client.Renew(ctx) // where a sign-in has ended the client has done so itself
	}
	return Step[UpgradeSnapshot]{Value: w.last, Wait: wait, Unreachable: err}
}

// decide asks what is installed, where an answer has been doubted for long.
func (w *UpgradeWatch) decide(ctx context.Context, status adminapi.UpgradeStatus) {
	now, err := w.site.Client.CurrentVersion(ctx)
	if err != nil && !errors.Is(err, adminapi.KindNotFound) {
		return // it is asked again with the next fetch
	}
	target := w.target()
	if err != nil || target == "" || now.FullVersion() != target {
		w.last.Undecided = true
		return
	}
	status.Messages = nil
	status.State, status.Code = adminapi.UpgradeSuccess, progress.CodeSuccess
	w.conclude(status)
}

// conclude ends the watch with a success that the installed version tells.
func (w *UpgradeWatch) conclude(status adminapi.UpgradeStatus) {
	before := w.last
	w.last.Status, w.last.Meaning, w.last.At = status, progress.StateSucceeded, w.site.Clock.Now()
	w.last.Seen, w.last.Ended, w.last.MessagesMissing, w.last.Undecided = true, true, true, false
	w.last.Doubt, w.last.DoubtSince = NoDoubt, time.Time{}
	w.save(nil, before)
	w.derive()
}

// target is the version that the run leads to, empty where that is not known.
func (w *UpgradeWatch) target() string {
	switch {
	case w.run != nil && w.run.version != "":
		return w.run.version
	case w.record.known && w.record.of.To != "":
		return w.record.of.To
	}
	return w.last.Progress.To
}

func (w *UpgradeWatch) unreachable(err error) Step[UpgradeSnapshot] {
	if w.last.Unreachable == nil {
		w.last.UnreachableSince = w.site.Clock.Now()
		w.record.unreachable(err)
	}
	w.last.Refused, w.last.RefusedSince, w.last.RefusedLong = nil, time.Time{}, false
	w.last.Unreachable, w.last.Added, w.last.TranscriptErr = err, nil, w.record.problem
	return Step[UpgradeSnapshot]{Value: w.last, Wait: w.pace.afterFailure(), Unreachable: err}
}

// merge adds an answer to what is known and reports whether it brought anything new.
func (w *UpgradeWatch) merge(status adminapi.UpgradeStatus, goesOn bool) (news bool) {
	before, merge := w.last, w.merger.Merge
	if goesOn {
		merge = w.merger.Extend
	}
	added, told := merge(storable(status.Messages)), status
	status.Messages = nil
	w.last = UpgradeSnapshot{Status: status, Meaning: progress.StateOf(status), At: w.site.Clock.Now(), Seen: before.Seen, Added: added}
	w.last.Ahead, _ = w.site.Client.ServerTime()
	if w.record.differs(w.merger.Log()) {
		w.last.Seen, w.since = false, 0 // of another run than this one
	}
	w.last.Seen = w.last.Seen || w.begun(told)
	if w.since.IsZero() && (w.last.Seen || w.run != nil) {
		w.since = w.endsFrom()
	}
	w.last.Doubt = w.doubt()
	w.last.Ended = w.last.Seen && w.last.Doubt == NoDoubt && (w.last.Meaning == progress.StateSucceeded || w.last.Meaning == progress.StateFailed)
	if w.last.Doubt != NoDoubt {
		w.keepPrevious(before)
	}
	w.save(added, before)
	w.derive()
	raw := [2]string{status.State, strconv.Itoa(status.Code)}
	news = len(added) > 0 || raw != w.raw
	w.raw = raw
	return news
}

// doubt returns what the site says of a run that was seen and cannot be believed yet.
func (w *UpgradeWatch) doubt() Doubt {
	switch {
	case !w.last.Seen && w.run == nil: // history
	case w.last.Meaning == progress.StateIdle:
		return DoubtfulAbsence
	case w.last.Meaning == progress.StateSucceeded:
		if _, done := w.merger.Log().EndedSince(w.since); !done {
			return DoubtfulSuccess
		}
	}
	return NoDoubt
}

// keepPrevious keeps the last answer that was believed beside one that is doubted.
func (w *UpgradeWatch) keepPrevious(before UpgradeSnapshot) {
	w.last.Status, w.last.Meaning, w.last.At, w.last.Ahead = before.Status, before.Meaning, before.At, before.Ahead
	w.last.DoubtSince, w.last.Undecided = before.DoubtSince, before.Undecided
	if before.Doubt == NoDoubt {
		w.last.DoubtSince = w.site.serverNow()
	}
}

// endsFrom is from when on a message of an end is one of the run that is seen now: since
// it was sent, or began. A run that was over by its messages before it was seen is an
// earlier one, but for the moment in which its state follows.
func (w *UpgradeWatch) endsFrom() adminapi.Millis {
	log, now := w.merger.Log(), adminapi.MillisOf(w.site.serverNow())
	began := runIn(log).Began
	switch {
	case w.run != nil:
		return w.run.submitted / 1000 * 1000 // the clocks are compared by the second
	case w.record.continues(log) && !w.record.of.Began.IsZero():
		return w.record.of.Began
	}
	ended, over := log.EndedSince(began)
	if log.Len() == 0 || over && now-ended > adminapi.Millis(doubtTime/time.Millisecond) {
		return now - clockSlack
	}
	return began
}

// begun reports whether what the status tells of is an upgrade that runs, or the one
// that was accepted, or the one whose watch was cut off.
func (w *UpgradeWatch) begun(status adminapi.UpgradeStatus) bool {
	return w.last.Meaning == progress.StateRunning ||
		w.run != nil && progress.StartedSince(w.run.before, status, w.run.submitted) ||
		w.record.continues(w.merger.Log())
}

// derive fills in what follows from the log.
func (w *UpgradeWatch) derive() {
	w.last.Log = w.merger.Log()
	w.last.Progress = w.fold.Add(w.last.Log, w.last.Meaning)
	w.last.Usual = w.record.usual(w.last.Progress.Kind)
	w.last.Transcript, w.last.TranscriptErr, w.last.Resumed = w.record.id(), w.record.problem, w.record.resumed
}
