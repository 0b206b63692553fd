package progress

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// shown is the run that is on the screen, which the parts of the view share. Only the
// Model changes it.
type shown struct {
	views.Base
	inks     rows.Inks
	snapshot watching.Snapshot // what is shown
	live     watching.Snapshot // the last one of the watch with a state
	record   bool              // snapshot is the record of an earlier run
	log      *log
	// deployments are those that the run has upgraded.
	deployments []progress.Deployment
	reason      reason // of what is shown
	summed      bool   // show the summary in place of the messages
	// gathering says that evidence is being collected.
	gathering bool
	bare      bool // only the log, also where there is room for the picture
}

// place is where the summary is.
type place int

const (
	hidden  place = iota
	alone         // in place of the messages
	columns       // in columns above the messages, on a large terminal
)

func (s *shown) place() place {
	switch {
	case s.nothing():
	case s.wide():
		return columns
	case s.summed && !s.large():
		return alone
	}
	return hidden
}

// nothing reports whether there is no run to show.
func (s *shown) nothing() bool {
	return s.log == nil || s.log.Len() == 0 && s.snapshot.Meaning == progress.StateIdle
}

// over reports whether the run that is shown has ended.
func (s *shown) over() bool {
	return s.snapshot.Meaning.Over()
}

// hampered reports whether the run has failed, or stalls: evidence and earlier runs come first.
func (s *shown) hampered() bool {
	stalls := s.Env.Upgrade.Stall != nil && s.goesOn()
	return (stalls || s.snapshot.Meaning == progress.StateFailed) && !s.awaitsBegin()
}

// awaitsBegin reports whether an upgrade was accepted and the site still reports the one
// before.
func (s *shown) awaitsBegin() bool {
	w := &s.Env.Upgrade
	return !s.record && w.On && w.Started && s.over() && !s.snapshot.Seen
}

// hasBegin reports whether the log has the beginning of the run, which a site may have
// forgotten.
func (s *shown) hasBegin() bool {
	l := s.snapshot.Log
	for i := l.Run(); i < l.Len() && l.At(i).When == s.snapshot.Progress.Began; i++ {
		if progress.IsStart(l.At(i).UpgradeMessage) {
			return true
		}
	}
	return false
}

// phases returns the phases that the run has: once it has succeeded, those that it had.
func (s *shown) phases() []progress.PhaseProgress {
	succeeded := s.snapshot.Meaning == progress.StateSucceeded
	return slices.DeleteFunc(slices.Clone(s.snapshot.Progress.Phases), func(p progress.PhaseProgress) bool {
		return p.State == progress.PhaseAbsent || succeeded && p.State == progress.PhaseAhead
	})
}

// absent names the phases that runs of this kind do not have; empty for none.
func (s *shown) absent() string {
	var names []string
	for _, phase := range s.snapshot.Progress.Phases {
		if phase.State == progress.PhaseAbsent {
			names = append(names, phase.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "not in this " + string(s.snapshot.Progress.Kind) + ": " + strings.Join(names, ", ")
}

// goesOn reports whether the run that is shown is known to be running now.
func (s *shown) goesOn() bool {
	return s.snapshot.Meaning == progress.StateRunning && !s.record && s.trouble() == ""
}

// trouble returns why the watch has nothing new, or "".
func (s *shown) trouble() string {
	w, text := s.Env.Upgrade, ""
	switch {
	case s.record || !w.On:
		return ""
	case w.Refused() != nil:
		text = s.refusal()
	case w.Snapshot.Unreachable != nil:
		text = s.unreachable()
	case w.Snapshot.Undecided:
		text = "Its end is unknown: " + w.Snapshot.DoubtText() + "; the installed version does not show it."
	case w.Snapshot.Doubt != watching.NoDoubt:
		text = "Not confirmed yet: " + w.Snapshot.DoubtText() + "."
	default:
		return ""
	}
	return s.inks.Glyphs.Warn + " " + text
}

// silent reports whether the site tells the watch nothing now.
func (s *shown) silent() bool {
	w := s.Env.Upgrade
	return !s.record && w.On && (w.Refused() != nil || w.Snapshot.Unreachable != nil)
}

// unreachable says how long the API has not answered, and that this is usual. The headline
// tells when it did last.
func (s *shown) unreachable() string {
	w, now := s.Env.Upgrade, s.Env.Clock.Now()
	text := "API unreachable for " + views.Seconds(now.Sub(w.Snapshot.UnreachableSince))
	switch {
	case !s.live.At.IsZero(), w.Started:
		text += "; upgrades restart it."
	default:
		err := w.Snapshot.Unreachable
		text = strings.TrimSpace(views.Sentence(err.Error()) + " " + views.Unreachable{Err: err}.Advice())
	}
	if left := w.Next.Sub(now); left > 0 {
		return text + " Retrying in " + views.Seconds(left+time.Second-time.Nanosecond) + "."
	}
	return text + " Retrying now."
}

// signedOut reports whether the watch needs a sign-in.
func (s *shown) signedOut() bool {
	w := s.Env.Upgrade
	return w.On && errors.Is(w.Refused(), adminapi.KindSignIn)
}

// refusal says why the site gives no state, and what to do.
func (s *shown) refusal() string {
	w := s.Env.Upgrade
	if s.signedOut() {
		return views.Keys("Session expired. Press {key:progress.watch} to sign in.") // the headline says when it was last seen
	}
	text := "The site refuses to answer: " + plain.Clip(w.Refused().Error(), 200)
	if !w.Next.IsZero() {
		text += " Retrying at " + s.Env.Times.Here(w.Next) + "."
	}
	return text
}

// lifted reports whether the site takes changes again, though the log of the run does not say so.
func (s *shown) lifted() bool {
	mode, from := s.Env.State.Mode, s.snapshot.Progress.ReadOnly.From
	return !s.record && s.over() && !mode.Value.ReadOnly && mode.At.Add(s.snapshot.Ahead).After(from.Time())
}

// now returns the time by the server's clock that what is shown is of: of a record that of its
// end, and while the site is silent that of its last answer, as nobody knows what lasts on.
func (s *shown) now() adminapi.Millis {
	if s.record || s.silent() && !s.snapshot.At.IsZero() {
		return adminapi.MillisOf(s.snapshot.ServerAt())
	}
	return s.siteNow()
}

// siteNow returns the time by the server's clock, whatever is known of it.
func (s *shown) siteNow() adminapi.Millis {
	return adminapi.MillisOf(s.Env.Clock.Now().Add(s.snapshot.Ahead))
}

// inner returns the width between the margins.
func (s *shown) inner() int { return max(1, s.Width-2*margin) }

// large reports whether there is room for the picture of the run above the log.
func (s *shown) large() bool { return s.Width >= roomyWidth && s.Height >= roomyHeight }

// roomy reports whether the picture of the run is above the log.
func (s *shown) roomy() bool { return s.large() && !s.bare }

// unpictured reports whether the log has the room of the picture.
func (s *shown) unpictured() bool { return s.large() && s.bare && !s.nothing() }

// wide reports whether the summary is above the log as well, in columns.
func (s *shown) wide() bool { return s.Width >= wideFrom && s.Height >= tallFrom && s.roomy() }

// counted returns how many deployments are done.
func counted(done, total int) string { return fmt.Sprintf("%d of %d deployments", done, total) }

// lineOf returns a message as one line for other programs, with its time in UTC.
func lineOf(m adminapi.UpgradeMessage) string {
	at := "-"
	if !m.When.IsZero() {
		at = m.When.Time().UTC().Format(time.RFC3339)
	}
	return at + " " + strconv.Itoa(m.Code) + " " + plain.Line(m.Message)
}
