package operation

import (
	"context"
	"runtime/debug"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade"
)

// The watch asks every 2 s while messages arrive, growing to 10 s when quiet.
const watchFirst, watchLast = 2 * time.Second, 10 * time.Second

// manyMessages leave so much garbage when they come at once that it is given back to
// the system. That is once in hours; later readings bring few.
const manyMessages = 10_000

// UpgradeReading is one look at the Upgrades resource, and what all looks together
// tell.
type UpgradeReading struct {
	Status  adminapi.UpgradeStatus // of the last answer that could be read, without its messages: they are in Log
	Meaning upgrade.Reading
	At      time.Time // of that answer, by this machine's clock; zero before the first
	// Ahead is the server's clock less ours at that time; of what a transcript holds
	// it is what was known then.
	Ahead time.Duration
	// Away is the error of the last attempt where it failed: the API restarts
	// itself while it is upgraded, so this is no end. AwaySince is when it began.
	Away      error
	AwaySince time.Time
	// Seen tells that the upgrade was seen running, or its own first message; an
	// end that was there already is history, not news.
	Seen bool
	// Ended tells that an upgrade that was seen running has ended, well or not.
	Ended bool

	// Log is every message seen, in this life and, by its transcript, in earlier
	// ones. Progress is what those of the newest run tell, Usual how long such runs
	// take at this site by the transcripts of this machine.
	Log      upgrade.Log
	Added    []upgrade.Message // what this reading has brought, in the order of the log
	Progress upgrade.Progress
	Usual    upgrade.Usual
	// Transcript names the record of the run; empty where nothing runs or none is
	// kept. Unkept is why the last reading is not in it, nil where it is.
	Transcript string
	Unkept     error
	// Resumed tells that the transcript held messages before this watch began.
	Resumed bool
}

// UpgradeWatch reads the Upgrades resource for as long as it is asked to. It
// belongs to one caller at a time.
type UpgradeWatch struct {
	site   Site
	run    *UpgradeRun
	pace   pace
	reader *adminapi.UpgradeReader
	last   UpgradeReading
	merger *upgrade.Merger
	fold   *upgrade.Fold
	record recording
}

// WatchUpgrade returns a watch. run is the upgrade that was just accepted, nil
// where none was: its end is news also where nobody saw it running, while the end
// of the one before it, which a site may tell of for a moment longer, never is.
func (s Site) WatchUpgrade(run *UpgradeRun) *UpgradeWatch {
	return &UpgradeWatch{
		site: s, run: run, pace: newPace(watchFirst, watchLast), reader: s.Client.NewUpgradeReader(),
		merger: upgrade.NewMerger(), fold: upgrade.NewFold(), record: recording{site: s, here: run != nil},
	}
}

// Next reads once and says when to read again. An error asks for a sign-in or
// says that it is not allowed; Next can be called again after it. An unknown
// state is neither an end nor success: it is read on.
//
// What is new is in the transcript before Next returns it.
func (w *UpgradeWatch) Next(ctx context.Context) (UpgradeReading, time.Duration, error) {
	w.resume()
	status, goesOn, err := w.reader.Read(ctx)
	switch {
	case err != nil && adminapi.Passing(err):
		return w.away(err)
	case err != nil:
		w.last.Added = nil
		return w.last, 0, err
	}
	if w.take(status, goesOn) {
		w.pace.running.Reset()
	}
	return w.last, w.pace.afterReading(), nil
}

func (w *UpgradeWatch) away(err error) (UpgradeReading, time.Duration, error) {
	if w.last.Away == nil {
		w.last.AwaySince = w.site.Clock.Now()
		w.record.away(err)
	}
	w.last.Away, w.last.Added, w.last.Unkept = err, nil, w.record.problem
	return w.last, w.pace.afterSilence(), nil
}

// take adds an answer to what is known and tells whether it brought anything new.
func (w *UpgradeWatch) take(status adminapi.UpgradeStatus, goesOn bool) (news bool) {
	before, merge := w.last, w.merger.Merge
	if goesOn {
		merge = w.merger.Extend
	}
	added, told := merge(storable(status.Messages)), status
	status.Messages = nil
	w.last = UpgradeReading{Status: status, Meaning: upgrade.ReadStatus(status), At: w.site.Clock.Now(), Seen: before.Seen, Added: added}
	w.last.Ahead, _ = w.site.Client.ServerTime()
	if w.record.differs(w.merger.Log()) {
		w.last.Seen = false // of another run than this one
	}
	w.last.Seen = w.last.Seen || w.begun(told)
	w.last.Ended = w.last.Seen && (w.last.Meaning == upgrade.ReadSuccess || w.last.Meaning == upgrade.ReadFailed)
	w.keep(added, before)
	w.tell()
	if len(added)+len(before.Added) > manyMessages {
		debug.FreeOSMemory()
	}
	return len(added) > 0 || status.State != before.Status.State || status.Code != before.Status.Code
}

// begun tells whether what the status tells of is an upgrade that runs, or the one
// that was accepted, or the one whose watch was cut off.
func (w *UpgradeWatch) begun(status adminapi.UpgradeStatus) bool {
	return w.last.Meaning == upgrade.ReadRunning ||
		w.run != nil && upgrade.StartedSince(w.run.before, status, w.run.submitted) ||
		w.record.goesOn(w.merger.Log())
}

// tell fills in what follows from the log.
func (w *UpgradeWatch) tell() {
	w.last.Log = w.merger.Log()
	w.last.Progress = w.fold.Add(w.last.Log, w.last.Meaning)
	w.last.Usual = w.record.usual(w.last.Progress.Kind)
	w.last.Transcript, w.last.Unkept, w.last.Resumed = w.record.id(), w.record.problem, w.record.resumed
}
