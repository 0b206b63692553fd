package progress

import (
	"errors"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
)

// shown is the run that is on the screen: what the parts of the view share. Only the
// Model changes it.
type shown struct {
	views.Base
	inks    inks
	reading operation.UpgradeSnapshot // what is shown
	live    operation.UpgradeSnapshot // the last one of the watch with a state
	record  bool                      // reading is the record of an earlier run
	log     *log
	place   place // of the summary
}

// place is where the summary stands.
type place int

const (
	hidden place = iota
	alone        // in place of the messages
	beside       // on a wide terminal
)

// nothing reports whether there is no run to show.
func (s *shown) nothing() bool {
	return s.log == nil || s.log.Len() == 0 && s.reading.Meaning == progress.StateIdle
}

// over reports whether what is shown has ended.
func (s *shown) over() bool {
	return s.reading.Meaning == progress.StateSucceeded || s.reading.Meaning == progress.StateFailed
}

// waits reports whether the watch goes on for an upgrade that was accepted while the
// site still reports the one before.
func (s *shown) waits() bool {
	w := s.Env.Upgrade
	return !s.record && w.On && w.Started && s.over() && !s.reading.Seen
}

// begins reports whether the log holds the beginning of the run: a site may have
// forgotten it, and then nobody knows its time.
func (s *shown) begins() bool {
	l := s.reading.Log
	for i := l.Run(); i < l.Len() && l.At(i).When == s.reading.Progress.Began; i++ {
		if progress.IsStart(l.At(i).UpgradeMessage) {
			return true
		}
	}
	return false
}

// goesOn reports whether the run that is shown is known to go on now.
func (s *shown) goesOn() bool {
	return s.reading.Meaning == progress.StateRunning && !s.record && s.trouble() == ""
}

// trouble says why the watch has nothing new, empty where it has.
func (s *shown) trouble() string {
	w := s.Env.Upgrade
	switch {
	case s.record:
	case w.On && w.Refused() != nil:
		return s.inks.Glyphs.Warn + " " + s.refusal()
	case w.On && w.Snapshot.Away != nil:
		return s.inks.Glyphs.Warn + " " + s.unreachable()
	case w.On && w.Snapshot.Undecided:
		return s.inks.Glyphs.Warn + " nobody knows how it ended: " + w.Snapshot.DoubtText() + ", nor does the installed version tell."
	case w.On && w.Snapshot.Doubt != operation.NoDoubt:
		return s.inks.Glyphs.Warn + " not taken at its word yet: " + w.Snapshot.DoubtText() + "."
	}
	return ""
}

// unreachable says since when the API does not answer, and that this is usual.
func (s *shown) unreachable() string {
	w, now := s.Env.Upgrade, s.Env.Clock.Now()
	text := "the API has been away for " + span(now.Sub(w.Snapshot.AwaySince)) + "; it restarts during an upgrade."
	if !s.live.At.IsZero() {
		text += " Last reading " + s.Env.Times.Here(s.live.At) + "."
	}
	if left := w.Next.Sub(now); left > 0 {
		return text + " Asking again in " + span(left+time.Second-time.Nanosecond) + "."
	}
	return text + " Asking now."
}

// refusal says why the site gives no state.
func (s *shown) refusal() string {
	w := s.Env.Upgrade
	text := "the watch waits: " + strings.TrimRight(plain.Line(w.Refused().Error()), ". ") + "."
	if !w.Next.IsZero() {
		text += " Asking again at " + s.Env.Times.Here(w.Next) + "."
		if errors.Is(w.Refused(), adminapi.KindSignIn) {
			text += " :sign in renews the sign-in."
		}
		return text
	}
	return text + " Sign in to go on (:sign in)."
}

// now is the moment up to which things last, by the server's clock: of a record the
// moment at which it ends.
func (s *shown) now() adminapi.Millis {
	at := s.Env.Clock.Now()
	if s.record {
		at = s.reading.At
	}
	return adminapi.MillisOf(at.Add(s.reading.Ahead))
}

// inner is the width between the margins.
func (s *shown) inner() int { return max(1, s.Width-2*margin) }

func (s *shown) wide() bool { return s.Width >= wideFrom }
