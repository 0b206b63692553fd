package watching

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade/progress"
)

// observedEvery is how often a transcript notes an answer without news, by the server's clock:
// it tells when the run was last seen.
const observedEvery = 5 * time.Minute

// Replay returns the last snapshot of a transcript, as its watch would have returned it. At
// is when it was written.
func Replay(s operation.Site, id string) (Snapshot, error) {
	r, err := replay(s, id)
	if err == nil {
		r.Usual = s.Memory.Usual(r.Progress.Kind, r.Progress.Began)
		r.Confirmed = s.Memory.Confirmed(r.Log, nil)
	}
	return r, err
}

// replay is [Replay] without the usual times, for which it would read other transcripts.
func replay(s operation.Site, id string) (Snapshot, error) {
	summary, lines, log, err := s.Memory.ReadTranscript(id, s.Client)
	if err != nil {
		return Snapshot{}, err
	}
	r := Snapshot{
		Status: lastStatus(lines), At: summary.Last, Seen: true, Ended: summary.Ended,
		Ahead: summary.Ahead, Log: log, Transcript: id, Resumed: true,
	}
	r.Meaning = progress.StateOf(r.Status)
	r.Progress = progress.Of(r.Log, r.Meaning)
	r.Progress.FailedBy = operation.SeenFailed(summary)
	r.Absences = absencesSince(absencesIn(lines), r.Progress.Began)
	return r, nil
}

// maxAbsences bounds how many absences of the API a watch remembers.
const maxAbsences = 256

// absencesIn returns when the API did not answer, by the lines of a transcript.
func absencesIn(lines []journal.TranscriptLine) (absences []progress.Span) {
	var ahead time.Duration
	for _, line := range lines {
		if line.Ahead != 0 {
			ahead = line.Ahead
		}
		at := adminapi.MillisOf(line.Time.Add(ahead))
		absences = closed(absences, at)
		if line.Unreachable != "" {
			absences = append(absences[max(0, len(absences)+1-maxAbsences):], progress.Span{From: at})
		}
	}
	return absences
}

// closed returns absences of which the last has ended at a time.
func closed(absences []progress.Span, at adminapi.Millis) []progress.Span {
	n := len(absences)
	if n == 0 || !absences[n-1].To.IsZero() {
		return absences
	}
	return append(slices.Clone(absences[:n-1]), progress.Span{From: absences[n-1].From, To: max(at, absences[n-1].From)})
}

// absencesSince returns those that have not ended before a run began.
func absencesSince(absences []progress.Span, began adminapi.Millis) []progress.Span {
	for len(absences) > 0 && !absences[0].To.IsZero() && absences[0].To < began {
		absences = absences[1:]
	}
	return slices.Clip(absences)
}

// lastStatus returns the newest state in a transcript.
func lastStatus(lines []journal.TranscriptLine) adminapi.UpgradeStatus {
	for _, line := range slices.Backward(lines) {
		if line.Meaning != "" {
			return adminapi.UpgradeStatus{State: line.State, Code: line.Code}
		}
	}
	return adminapi.UpgradeStatus{}
}

// recording writes the transcript of the run that a watch sees. A failure does not end the
// watch: it is in each snapshot, and what is missing is written as soon as possible.
type recording struct {
	site       operation.Site
	here       bool   // the run was started by this program
	started    string // the record of that; empty where it is not known
	wanted     string // transcript to resume; empty once it was read
	transcript *journal.Transcript
	of         journal.TranscriptRun
	known      bool // of is the watched run
	resumed    bool
	ended      bool
	ahead      time.Duration      // of the clocks, as it was recorded last
	seen       time.Time          // the answer of the newest line, by the server's clock
	alarmed    adminapi.Millis    // the newest silence that was alarmed, as in a line
	alarm      adminapi.Millis    // the same, where it is not on disk yet
	pending    []progress.Message // not on disk yet
	problem    error
	usualOf    progress.RunKind
	usualFor   adminapi.Millis // when the run began
	usualTimes progress.UsualTimes
}

// Resume makes the watch continue a transcript whose watch was cut off: its messages are in
// the log from the first snapshot on, also while the API is unreachable, and the end of its
// run is news. It is called before the first Next.
func (w *Watch) Resume(id string) { w.record.wanted = id }

// resume reads the wanted transcript, once.
func (w *Watch) resume() {
	r := &w.record
	if r.wanted == "" || r.site.Memory.Journal == nil {
		return
	}
	id := r.wanted
	r.wanted = ""
	summary, lines, err := r.site.Memory.Journal.ReadTranscript(id)
	if err != nil {
		r.problem, w.last.TranscriptErr = err, err
		return
	}
	r.of, r.known, r.resumed = summary.TranscriptRun, true, true
	w.merger.Restore(operation.MessagesIn(lines, r.site.Client))
	w.last.Status = lastStatus(lines)
	w.last.Meaning, w.last.At, w.last.Seen = progress.StateOf(w.last.Status), summary.Last, true
	w.last.Ahead = summary.Ahead
	if w.absences = absencesIn(lines); len(lines) > 0 { // nobody looked after the last line
		w.absences = closed(w.absences, adminapi.MillisOf(summary.Last.Add(summary.Ahead)))
	}
	w.derive()
}

// id names the transcript, empty for none.
func (r *recording) id() string {
	if r.transcript == nil {
		return ""
	}
	return r.transcript.ID()
}

// differs reports whether the newest run of the log is later than the recorded one. An older
// first message that turns up late does not make another run.
func (w *Watch) differs() bool {
	now := runIn(w.merger.Log())
	return w.record.known && now.Start != "" && now.Began > w.record.of.Began
}

// continues reports whether the newest run of the log is the one whose watch was cut off.
func (w *Watch) continues() bool {
	return w.record.resumed && w.merger.Log().Len() > 0 && !w.differs()
}

// save appends what is new to the transcript of the run, and opens it where the run was seen
// running.
func (w *Watch) save(added []progress.Message, before Snapshot) {
	r := &w.record
	if r.site.Memory.Journal == nil || !w.last.Seen {
		return
	}
	line := journal.TranscriptLine{Back: before.Unreachable != nil || w.wasUnreachable, Stalled: r.alarm}
	w.wasUnreachable = false
	whole := r.problem != nil
	if r.transcript == nil || w.differs() {
		if r.problem = w.openTranscript(); r.problem != nil {
			return
		}
		whole = true
	} else {
		r.pending = append(r.pending, added...)
	}
	s, was := w.last.Status, before.Status
	if whole || s.State != was.State || s.Code != was.Code || w.last.Ended && !r.ended {
		line.State, line.Code, line.Meaning, line.Ended = s.State, s.Code, w.last.Meaning.String(), w.last.Ended
	}
	line.Messages = slices.Clone(r.pending)
	seen := w.last.ServerAt()
	due := whole || seen.Sub(r.seen) >= observedEvery
	if d := w.last.Ahead; due || (d-r.ahead).Abs() > 2*time.Second {
		line.Ahead = cmp.Or(d, time.Millisecond) // 0 stands for none; clocks are compared by the second
	}
	if len(line.Messages) == 0 && line.Meaning == "" && !line.Back && line.Stalled == 0 && !due {
		return
	}
	r.pending = r.site.Memory.LogBudget().Bounded(r.pending)
	if r.problem = r.transcript.Append(line); r.problem == nil {
		r.pending, r.ended, r.alarm, r.seen = nil, w.last.Ended, 0, seen
		if line.Ahead != 0 {
			r.ahead = line.Ahead
		}
	} else if errors.Is(r.problem, fs.ErrNotExist) {
		r.transcript = nil // it was deleted: the next line begins another one
	}
}

// unreachable records that the API does not answer.
func (r *recording) unreachable(err error) {
	if r.transcript != nil {
		if r.problem = r.transcript.Append(journal.TranscriptLine{Unreachable: err.Error(), Stalled: r.alarm}); r.problem == nil {
			r.alarm = 0
		}
	}
}

// openTranscript opens the transcript of the newest run of the log, and restores from it what
// an earlier watch has seen.
func (w *Watch) openTranscript() error {
	r, log := &w.record, w.merger.Log()
	of := r.of
	if !r.known || w.differs() {
		of = sameRunAs(r.site.Memory, log)
		of.Here, of.Record = of.Here || r.here, cmp.Or(of.Record, r.started)
	}
	transcript, err := r.site.Memory.Journal.OpenTranscript(of)
	if err != nil {
		return err
	}
	_, lines, err := r.site.Memory.Journal.ReadTranscript(transcript.ID())
	if err != nil {
		return err
	}
	seen := operation.MessagesIn(lines, r.site.Client)
	r.alarmed = 0
	for _, line := range lines {
		r.alarmed = max(r.alarmed, line.Stalled)
	}
	w.merger.Restore(seen)
	if len(w.absences) == 0 {
		w.absences = absencesIn(lines)
	}
	if r.transcript != nil && r.of.Began.IsZero() && r.of.Start == "" && r.transcript.ID() != transcript.ID() {
		// It was begun before its run was known, which has another one now: else it is listed as cut off.
		_ = r.transcript.Append(journal.TranscriptLine{Ended: true})
	}
	r.transcript, r.of, r.known, r.ended = transcript, of, true, false
	r.resumed = r.resumed || len(seen) > 0
	r.pending = nil
	log = w.merger.Log()
	for i := range log.Len() { // those that the transcript has are not written again
		// One without a time comes before all runs, and may be of this one.
		if m := log.At(i); i >= log.Run() || m.When.IsZero() {
			r.pending = append(r.pending, m)
		}
	}
	return nil
}

// storable turns the messages of an answer into those that a transcript holds: screen and
// file show the same then, also after a resume, and no secret.
func storable(messages []adminapi.UpgradeMessage) []adminapi.UpgradeMessage {
	for i, m := range messages {
		messages[i] = journal.Storable(m)
	}
	return messages
}

// runIn identifies the run of the newest messages of a log.
func runIn(l progress.Log) journal.TranscriptRun {
	if l.Len() == 0 {
		return journal.TranscriptRun{}
	}
	first := l.At(l.Run())
	of := journal.TranscriptRun{Began: first.When}
	if m, found := l.Start(); found {
		of.Start = m.Message
		of.From, of.To = progress.VersionsIn(m.Message)
	}
	return of
}

// sameRunAs finds the earlier transcript of a run: after a restart of the API a log may lack
// its beginning.
func sameRunAs(m operation.Memory, l progress.Log) journal.TranscriptRun {
	of := runIn(l)
	last, found, err := m.Unfinished()
	if err == nil && found && of.Start == "" && l.Len() > 0 && of.Began >= last.Began {
		return last.TranscriptRun
	}
	return of
}

// usual reads once for each run: the transcripts of earlier ones do not change.
func (r *recording) usual(kind progress.RunKind, began adminapi.Millis) progress.UsualTimes {
	if kind != "" && (kind != r.usualOf || began != r.usualFor) {
		r.usualOf, r.usualFor, r.usualTimes = kind, began, r.site.Memory.Usual(kind, began)
	}
	return r.usualTimes
}

// UpgradeNow returns the run of a status that was just fetched, with what its transcript and
// those of earlier runs add. Its end is recorded, see [SettleRun].
func UpgradeNow(s operation.Site, status adminapi.UpgradeStatus) Snapshot {
	merger := progress.NewMerger(s.Memory.LogBudget())
	merger.Merge(storable(status.Messages))
	r := Snapshot{Status: status, Meaning: progress.StateOf(status), At: s.Clock.Now()}
	r.Ahead, _ = s.Client.ServerTime()
	if of := runIn(merger.Log()); merger.Log().Len() > 0 {
		r.Transcript = restore(s, merger, of)
	}
	r.Log = merger.Log()
	r.Progress = progress.Of(r.Log, r.Meaning)
	if last := r.Progress.Last; !last.IsZero() {
		r.Quiet = max(0, r.ServerAt().Sub(last.Time()))
	}
	r.Usual = s.Memory.Usual(r.Progress.Kind, r.Progress.Began)
	r.Confirmed = s.Memory.Confirmed(r.Log, nil)
	SettleRun(s.Memory, r.Progress, r.Log)
	return r
}

// restore adds the transcript of a run to a log, and returns its id; empty for none.
func restore(s operation.Site, merger *progress.Merger, of journal.TranscriptRun) (id string) {
	runs, _ := s.Memory.WatchedRuns()
	for _, run := range runs {
		if run.Began != of.Began || run.Start != of.Start {
			continue
		}
		if _, lines, err := s.Memory.Journal.ReadTranscript(run.ID); err == nil {
			merger.Restore(operation.MessagesIn(lines, s.Client))
			return run.ID
		}
	}
	return ""
}
