// Package watching follows what a site does by itself: an upgrade with its messages ([Watch]), which is written
// into a transcript (recording.go) and may call for an [Alarm], and the [State] of the site.
package watching

import (
	"cmp"
	"context"
	"errors"
	"strconv"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

// doubtTime is how long an answer is doubted, by the server's clock, before the installed
// version decides how the run ended; see [Doubt].
const doubtTime = time.Minute

// refusedTime is how long a refusal may last before it raises an alarm.
const refusedTime = time.Minute

// errorPause is the pause after an error, such as of a gateway that is restarting.
const errorPause = 30 * time.Second

// Doubt is a kind of answer that a watch does not believe at once.
type Doubt int

// The doubts, from the zero value on.
const (
	NoDoubt         Doubt = iota
	DoubtfulSuccess       // success, without a message of this run that says so
	DoubtfulAbsence       // no upgrade, though this run was seen
)

// Snapshot is what one fetch of the Upgrades resource returned, with what is known
// from all before it.
type Snapshot struct {
	Status  adminapi.UpgradeStatus // of the last answer that is not doubted, without its messages: they are in Log
	Meaning progress.State
	At      time.Time // of that answer, by this machine's clock; zero before the first
	// Ahead is the server's clock less ours at that time, in a replay as it was then.
	Ahead time.Duration
	// Quiet is how long the run had been silent at that time, by the server's clock; Stalls is
	// how many silences of this watch were too long so far, see [Snapshot.Stall].
	// Alarmed says that an earlier watch has alarmed the newest of them.
	Quiet   time.Duration
	Stalls  int
	Alarmed bool
	// Unreachable is the error of the last fetch: the API restarts while it is upgraded, so
	// this is no end.
	Unreachable      error
	UnreachableSince time.Time
	// Refused is the error of the last fetch where the site refused it after it had
	// answered this watch: a token that is rejected for a moment ends no watch.
	Refused      error
	RefusedSince time.Time
	RefusedLong  bool // it has lasted for a minute, and will not pass by itself
	// Seen says that the upgrade was seen running, or its own first message: an end before
	// that is history, not news.
	Seen bool
	// Ended says that an upgrade that was seen running has ended, in success or failure. A
	// success needs a message of this run, or the version of the target installed for a
	// minute (MessagesMissing).
	Ended           bool
	MessagesMissing bool
	// NothingRuns says that the site was idle in every answer, and no upgrade was accepted
	// just now: there is nothing to watch.
	NothingRuns bool
	// Doubt is why the last answer is not believed, DoubtSince when that began, by the
	// server's clock. Undecided says that it has lasted and that the installed version does
	// not decide it, or cannot be read: how the run ended is not known.
	Doubt      Doubt
	DoubtSince time.Time
	Undecided  bool

	Log      progress.Log        // every message seen, also those restored from the transcript
	Added    []progress.Message  // of this fetch, in the order of the log
	Progress progress.Progress   // of the newest run in the log
	Usual    progress.UsualTimes // how long such runs take, by the transcripts of this machine
	// Transcript names the record of the run; empty for none. TranscriptErr is why the last
	// answer is not in it.
	Transcript    string
	TranscriptErr error
	// Confirmed is the version that was confirmed on this machine for the run, where its first
	// message names another one; empty otherwise.
	Confirmed string
	Resumed   bool // the transcript had messages before this watch began
	// Absences are when the API did not answer since the run began, the newest [maxAbsences].
	Absences []progress.Span
}

// ServerAt is when the last answer came by the server's clock, as the times of messages.
func (r Snapshot) ServerAt() time.Time {
	if r.At.IsZero() {
		return r.At
	}
	return r.At.Add(r.Ahead)
}

// Estimate returns how long the run goes on at the time of the snapshot, and false where that
// cannot be told.
func (r Snapshot) Estimate() (progress.Estimate, bool) {
	return r.Usual.Estimate(r.Progress, adminapi.MillisOf(r.ServerAt()))
}

// DoubtText is a sentence without its end about the doubted answer, empty for none.
func (r Snapshot) DoubtText() string {
	switch r.Doubt {
	case DoubtfulSuccess:
		return "the site reports success, but no message of this run does"
	case DoubtfulAbsence:
		return "the site reports no upgrade, but this run was seen"
	}
	return ""
}

// Watch is a [polling.Poller] of the Upgrades resource. It ends with the run, or where nothing
// runs ([Snapshot.NothingRuns]). While it is not known how the run ended
// ([Snapshot.Undecided]) it goes on.
type Watch struct {
	site           operation.Site
	run            *operation.UpgradeRun
	pace           polling.Pace
	reader         *adminapi.UpgradeReader
	last           Snapshot
	merger         *progress.Merger
	fold           *progress.Fold
	record         recording
	answered       bool             // the site has answered this watch
	raw            [2]string        // state and code of the last answer, believed or not
	wasUnreachable bool             // before the site refused
	since          adminapi.Millis  // messages of an end belong to this run from then on
	other          adminapi.Millis  // the begin of the newest run that was seen to be another than the recorded one
	silence        silence          // of the run
	stalled        bool             // it is one of the stalls that were counted
	settled        bool             // its end is in the record of its request
	absences       []progress.Span  // never modified: snapshots have them
	first          progress.Message // of the run, for which confirmed was found out
	confirmed      string
}

// NewWatch returns a watch. run is the upgrade that was just accepted, nil for none: its
// end is news even if it was not seen running, while that of the upgrade before it, which a
// site may report for a moment longer, never is.
func NewWatch(s operation.Site, run *operation.UpgradeRun) *Watch {
	w := &Watch{
		site: s, run: run, pace: s.Pace(polling.QuietBackoff), reader: s.Client.Upgrades.NewReader(),
		merger: progress.NewMerger(s.Memory.LogBudget()), fold: progress.NewFold(), record: recording{site: s},
	}
	if run != nil {
		w.record.here, w.record.started = true, run.Record.ID
	}
	return w
}

// Next fetches once. An error before the first answer is a missing sign-in or privilege; Next
// can be called again after it, at once or after Wait. Later that is no error
// ([Snapshot.Refused]): each fetch tries to renew the token. A state without a known
// meaning is no end.
//
// What is new is in the transcript before Next returns.
func (w *Watch) Next(ctx context.Context) (polling.Step[Snapshot], error) {
	w.resume()
	status, goesOn, err := w.reader.Read(ctx)
	switch {
	case err != nil && ctx.Err() != nil: // of the caller, and says nothing about the site
		return polling.Step[Snapshot]{Value: w.last}, err
	case err != nil && adminapi.IsTransient(err):
		return w.unreachable(err), nil
	case err != nil && w.answered && (errors.Is(err, adminapi.KindSignIn) || errors.Is(err, adminapi.KindPrivilege)):
		return w.refused(ctx, err), nil
	case err != nil:
		return polling.Step[Snapshot]{Value: w.last, Wait: w.site.Line.Pause(errorPause)}, err
	}
	w.answered = true
	news := w.merge(status, goesOn)
	if w.last.Doubt != NoDoubt && w.site.ServerNow().Sub(w.last.DoubtSince) >= doubtTime {
		w.decide(ctx, status)
	}
	if news {
		w.pace.Reset()
	}
	w.last.NothingRuns = !w.last.Seen && w.run == nil && !w.last.Meaning.MayRun()
	snapshot := w.last
	w.last.Added = nil // the caller has them, and the log
	return polling.Step[Snapshot]{Value: snapshot, Wait: w.pace.AfterAnswer(), Done: snapshot.Ended || snapshot.NothingRuns}, nil
}

// refused returns the last answer with a refusal.
func (w *Watch) refused(ctx context.Context, err error) polling.Step[Snapshot] {
	if w.last.Refused == nil {
		w.last.RefusedSince = w.site.Clock.Now()
	}
	w.wasUnreachable = w.wasUnreachable || w.last.Unreachable != nil
	w.last.Unreachable, w.last.UnreachableSince = nil, time.Time{}
	w.last.Refused = err
	w.last.RefusedLong = w.site.Clock.Now().Sub(w.last.RefusedSince) >= refusedTime
	wait := w.pace.AfterFailure()
	if errors.Is(err, adminapi.KindPrivilege) {
		w.site.Client.Session.Renew(ctx) // where the sign-in has ended the client does so itself
	}
	return polling.Step[Snapshot]{Value: w.last, Wait: wait, Unreachable: err}
}

// decide fetches what is installed, after an answer was doubted for long: it may end the watch with a
// success.
func (w *Watch) decide(ctx context.Context, status adminapi.UpgradeStatus) {
	now, err := w.site.Client.Upgrades.Current(ctx)
	switch soon := w.site.ServerNow().Sub(w.last.DoubtSince) < 2*doubtTime; {
	case err == nil, errors.Is(err, adminapi.KindNotFound):
	case soon, ctx.Err() != nil, errors.Is(err, adminapi.KindSignIn):
		return // the next fetch tries again
	}
	target := w.target()
	if err != nil || target == "" || now.FullVersion() != target {
		w.last.Undecided = true
		return
	}
	status.Messages = nil
	status.State, status.Code = adminapi.UpgradeSuccess, progress.CodeSuccess
	before := w.last
	w.last.Status, w.last.Meaning, w.last.At = status, progress.StateSucceeded, w.site.Clock.Now()
	w.last.Seen, w.last.Ended, w.last.MessagesMissing, w.last.Undecided = true, true, true, false
	w.last.Doubt, w.last.DoubtSince = NoDoubt, time.Time{}
	w.save(nil, before)
	w.derive()
	w.settle()
}

// settle records how a run ended that this machine has requested, once its end is seen.
func (w *Watch) settle() {
	if !w.last.Ended || w.settled {
		return
	}
	led := cmp.Or(w.last.Progress.To, w.target()) // not where it should have led
	verdict, because := endOf(w.last.Meaning, w.last.Progress, led)
	w.settled = w.site.Memory.Settle(w.requestRecord(), verdict, because)
}

// endOf is how a run has ended, and why that is said; to is the version that it led to, empty where that
// is not known.
func endOf(meaning progress.State, p progress.Progress, to string) (verdict journal.Verdict, because string) {
	switch {
	case meaning == progress.StateSucceeded && to == "":
		return journal.VerdictSucceeded, "the site reports success"
	case meaning == progress.StateSucceeded:
		return journal.VerdictSucceeded, "the site runs " + to
	case p.RolledBack:
		return journal.VerdictRolledBack, "it failed" + plain.Joined(" in ", p.StoppedIn()) + ", and the site has undone it"
	}
	return journal.VerdictFailed, "it failed" + plain.Joined(" in ", p.StoppedIn())
}

// Verdict is how the run has ended, as its end is recorded; empty while it runs, or where that does not show.
func (s Snapshot) Verdict() (verdict journal.Verdict) {
	if hasEnded(s.Progress, s.Log) {
		verdict, _ = endOf(s.Meaning, s.Progress, "")
	}
	return verdict
}

// requestRecord is the record of the request for the run; empty where none of this machine is known.
func (w *Watch) requestRecord() string {
	if of := w.record.of; w.record.known && of.Record != "" && !w.differs() {
		return of.Record
	}
	return w.site.Memory.RequestOf(w.last.Progress).ID
}

// target is the version that the run leads to, empty where that is not known.
func (w *Watch) target() string {
	switch {
	case w.run != nil && w.run.Sent.Version != "":
		return w.run.Sent.Version
	case w.record.known && w.record.of.To != "":
		return w.record.of.To
	}
	return w.last.Progress.To
}

func (w *Watch) unreachable(err error) polling.Step[Snapshot] {
	if w.last.Unreachable == nil {
		w.last.UnreachableSince = w.site.Clock.Now()
		w.record.unreachable(err)
		w.absences = append(w.absences[max(0, len(w.absences)+1-maxAbsences):], progress.Span{From: w.site.ServerMillis()})
	}
	w.last.Absences = absencesSince(w.absences, w.last.Progress.Began)
	w.last.Refused, w.last.RefusedSince, w.last.RefusedLong = nil, time.Time{}, false
	w.last.Unreachable, w.last.TranscriptErr = err, w.record.problem
	return polling.Step[Snapshot]{Value: w.last, Wait: w.pace.AfterFailure(), Unreachable: err}
}

// merge adds an answer to what is known and reports whether it has anything new.
func (w *Watch) merge(status adminapi.UpgradeStatus, goesOn bool) (news bool) {
	before, merge := w.last, w.merger.Merge
	w.absences = closed(w.absences, w.site.ServerMillis())
	if goesOn {
		merge = w.merger.Extend
	}
	added, told := merge(storable(status.Messages)), status
	status.Messages = nil
	w.last = Snapshot{Status: status, Meaning: progress.StateOf(status), At: w.site.Clock.Now(), Seen: before.Seen, Stalls: before.Stalls, Alarmed: before.Alarmed, Added: added}
	w.last.Ahead, _ = w.site.Client.ServerTime()
	if other := runIn(w.merger.Log()).Began; w.differs() && other != w.other { // once, also where it cannot be recorded
		w.other = other
		w.last.Seen, w.since, w.settled = false, 0, false // of another run than this one
		w.record.here, w.record.started = false, ""       // which this program has not requested
	}
	w.last.Seen = w.last.Seen || w.begun(told)
	if w.since.IsZero() && (w.last.Seen || w.run != nil) {
		w.since = w.endsFrom()
	}
	w.last.Doubt = w.doubt()
	w.last.Ended = w.last.Seen && w.last.Doubt == NoDoubt && w.last.Meaning.Over()
	if w.last.Doubt != NoDoubt {
		w.keepPrevious(before)
	}
	w.save(added, before)
	w.derive()
	w.settle()
	w.listen(before, w.site.ServerNow())
	raw := [2]string{status.State, strconv.Itoa(status.Code)}
	news = len(added) > 0 || raw != w.raw
	w.raw = raw
	return news
}

// doubt returns why the last answer about a run that was seen is not believed yet.
func (w *Watch) doubt() Doubt {
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

// keepPrevious restores the last answer that was not doubted.
func (w *Watch) keepPrevious(before Snapshot) {
	w.last.Status, w.last.Meaning, w.last.At, w.last.Ahead = before.Status, before.Meaning, before.At, before.Ahead
	w.last.Quiet, w.last.DoubtSince, w.last.Undecided = before.Quiet, before.DoubtSince, before.Undecided
	if before.Doubt == NoDoubt {
		w.last.DoubtSince = w.site.ServerNow()
	}
}

// endsFrom is when the messages of an end begin to belong to the run: when that was sent, or
// began. A run that was over by its messages before it was seen is an earlier one, unless it
// ended so recently that its state may only be late.
func (w *Watch) endsFrom() adminapi.Millis {
	log, now := w.merger.Log(), w.site.ServerMillis()
	began := runIn(log).Began
	switch {
	case w.run != nil:
		return w.run.Submitted / 1000 * 1000 // the clocks are compared by the second
	case w.continues() && !w.record.of.Began.IsZero():
		return w.record.of.Began
	}
	ended, over := log.EndedSince(began)
	if log.Len() == 0 || over && now-ended > adminapi.Millis(doubtTime/time.Millisecond) {
		return now - operation.ClockSlack
	}
	return began
}

// begun reports whether a status is that of an upgrade that runs, of the one that was
// accepted, or of the one whose watch was cut off.
func (w *Watch) begun(status adminapi.UpgradeStatus) bool {
	return w.last.Meaning == progress.StateRunning ||
		w.run != nil && w.run.ShownBy(status) ||
		w.continues()
}

// listen measures the silence of the run, and counts it as a stall once.
func (w *Watch) listen(before Snapshot, now time.Time) {
	r := &w.last
	later := r.Progress.Last > before.Progress.Last
	switch {
	case w.silence.server.IsZero():
		w.silence.begin(now, w.site.Clock.Now(), max(r.Progress.Last, w.since))
	case !before.Meaning.MayRun(): // the run has just begun
		w.silence.begin(now, w.site.Clock.Now(), adminapi.MillisOf(now))
	default:
		var spoke adminapi.Millis
		for _, m := range r.Added {
			spoke = max(spoke, m.When)
		}
		w.silence.step(now, w.site.Clock.Now(), spoke, later)
	}
	if r.Doubt != NoDoubt {
		return
	}
	r.Quiet = w.silence.lasts()
	_, stalls := r.Stall()
	switch {
	case stalls && (later || !w.stalled):
		r.Stalls++
		w.stalled, r.Alarmed = true, !w.record.alarmed.IsZero() && r.Progress.Last <= w.record.alarmed
		if !r.Alarmed { // the next answer records it: whoever watches has alarmed it by then
			w.record.alarm, w.record.alarmed = r.Progress.Last, r.Progress.Last
		}
	case !stalls && len(r.Added) > 0:
		w.stalled = false
	}
}

// failureSeen is when the failure of the run was first seen, by this watch or by an earlier one.
func (w *Watch) failureSeen() adminapi.Millis {
	switch {
	case w.last.Meaning != progress.StateFailed:
		return 0
	case w.last.Ended:
		return adminapi.MillisOf(w.last.ServerAt())
	}
	return w.site.Memory.FailedBy(w.last.Progress.Began)
}

// derive computes what follows from the log.
func (w *Watch) derive() {
	w.last.Log = w.merger.Log()
	w.last.Progress = w.fold.Add(w.last.Log, w.last.Meaning)
	w.last.Progress.FailedBy = w.failureSeen()
	w.last.Confirmed = w.confirmedElse()
	w.last.Usual = w.record.usual(w.last.Progress.Kind, w.last.Progress.Began)
	w.last.Absences = absencesSince(w.absences, w.last.Progress.Began)
	w.last.Transcript, w.last.TranscriptErr, w.last.Resumed = w.record.id(), w.record.problem, w.record.resumed
}

// confirmedElse returns the version that was confirmed for the run and that its first message does
// not name. It is found out once for each first message; again while the answer to the request may
// still be on its way.
func (w *Watch) confirmedElse() string {
	first, found := w.last.Log.Start()
	same := first.When == w.first.When && first.Message == w.first.Message
	if found && (!same || w.confirmed == "" && w.site.ServerNow().Sub(first.When.Time()) < operation.ShowTime) {
		w.first, w.confirmed = first, w.site.Memory.Confirmed(w.last.Log, w.run)
	}
	return w.confirmed
}
