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
	// Seen tells that the upgrade was seen running; an end that was there
	// already is history, not news.
	Seen bool
	// Ended tells that an upgrade that was seen running has ended, well or not.
	Ended bool
}

// UpgradeWatch reads the Upgrades resource for as long as it is asked to. It
// belongs to one caller at a time.
type UpgradeWatch struct {
	site Site
	pace pace
	last UpgradeReading
}

// WatchUpgrade returns a watch. started tells that the upgrade was just
// accepted, so that an end found on the first reading counts as news.
func (s Site) WatchUpgrade(started bool) *UpgradeWatch {
	return &UpgradeWatch{site: s, pace: newPace(watchFirst, watchLast), last: UpgradeReading{Seen: started}}
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
	running := meaning == upgrade.ReadRunning
	w.last = UpgradeReading{
		Status: status, Meaning: meaning, At: w.site.Clock.Now(), Seen: w.last.Seen || running,
	}
	w.last.Ended = w.last.Seen && (meaning == upgrade.ReadSuccess || meaning == upgrade.ReadFailed)
}
