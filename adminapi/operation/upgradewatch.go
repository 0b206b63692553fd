package operation

import (
	"context"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade"
)

// The watch asks every 2 s while messages arrive, growing to 10 s when quiet.
const watchFirst, watchLast = 2 * time.Second, 10 * time.Second

// UpgradeReading is one look at the Upgrades resource.
type UpgradeReading struct {
	Status  adminapi.UpgradeStatus // of the last answer that could be read
	Meaning upgrade.Reading
	At      time.Time // of that answer, by this machine's clock; zero before the first
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
	site Site
	run  *UpgradeRun
	pace pace
	last UpgradeReading
}

// WatchUpgrade returns a watch. run is the upgrade that was just accepted, nil
// where none was: its end is news also where nobody saw it running, while the end
// of the one before it, which a site may tell of for a moment longer, never is.
func (s Site) WatchUpgrade(run *UpgradeRun) *UpgradeWatch {
	return &UpgradeWatch{site: s, run: run, pace: newPace(watchFirst, watchLast)}
}

// Next reads once and says when to read again. An error asks for a sign-in or
// says that it is not allowed; Next can be called again after it. An unknown
// state is neither an end nor success: it is read on.
func (w *UpgradeWatch) Next(ctx context.Context) (UpgradeReading, time.Duration, error) {
	status, err := w.site.Client.UpgradeStatus(ctx)
	switch {
	case err != nil && adminapi.Passing(err):
		return w.away(err)
	case err != nil:
		return w.last, 0, err
	}
	quiet := len(status.Messages) == len(w.last.Status.Messages) && status.State == w.last.Status.State
	w.take(status)
	if !quiet {
		w.pace.running.Reset()
	}
	return w.last, w.pace.afterReading(), nil
}

func (w *UpgradeWatch) away(err error) (UpgradeReading, time.Duration, error) {
	if w.last.Away == nil {
		w.last.AwaySince = w.site.Clock.Now()
	}
	w.last.Away = err
	return w.last, w.pace.afterSilence(), nil
}

func (w *UpgradeWatch) take(status adminapi.UpgradeStatus) {
	meaning := upgrade.ReadStatus(status)
	began := meaning == upgrade.ReadRunning || w.run != nil && upgrade.StartedSince(w.run.before, status, w.run.submitted)
	w.last = UpgradeReading{
		Status: status, Meaning: meaning, At: w.site.Clock.Now(), Seen: w.last.Seen || began,
	}
	w.last.Ended = w.last.Seen && (meaning == upgrade.ReadSuccess || meaning == upgrade.ReadFailed)
}
