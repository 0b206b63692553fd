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
	"geodeck/ui/widget/whatnow"
)

// run is the one that is shown: the newest, or the record of an earlier one. Only the Model changes it.
type run struct {
	views.Base
	inks     rows.Inks
	snapshot watching.Snapshot // what is shown
	live     watching.Snapshot // the last one of the watch with a state
	record   bool              // snapshot is the record of an earlier run
	log      *log
	// deployments are those that the run has upgraded.
	deployments []progress.Deployment
	reason      reason         // of what is shown
	panel       *whatnow.Panel // opened last; nil before
	summed      bool           // show the summary in place of the messages
	bare        bool           // only the log, also where there is room for the picture
}

// nothing reports whether there is no run to show.
func (r *run) nothing() bool {
	return r.log == nil || r.log.Len() == 0 && r.snapshot.Meaning == progress.StateIdle || r.outdated()
}

// outdated reports whether what is shown is the end of a run, and another one is known to go on since, of which the watch has
// read nothing yet.
func (r *run) outdated() bool {
	w, known := &r.Env.Upgrade, r.Env.State.Upgrade
	return w.On && !r.record && r.over() && !r.awaitsBegin() && r.Env.State.Runs() && known.At.After(r.live.At)
}

// over reports whether the run that is shown has ended.
func (r *run) over() bool {
	return r.snapshot.Meaning.Over()
}

// hampered reports whether the run has failed, or stalls: its evidence comes first.
func (r *run) hampered() bool {
	stalls := r.Env.Upgrade.Stall != nil && r.goesOn()
	return (stalls || r.snapshot.Meaning == progress.StateFailed) && !r.awaitsBegin()
}

// awaitsBegin reports whether an upgrade was accepted and the site still reports the one
// before.
func (r *run) awaitsBegin() bool {
	w := &r.Env.Upgrade
	return !r.record && w.On && w.Started && r.over() && !r.snapshot.Seen
}

// hasBegin reports whether the log has the beginning of the run, which a site may have
// forgotten.
func (r *run) hasBegin() bool {
	l := r.snapshot.Log
	for i := l.Run(); i < l.Len() && l.At(i).When == r.snapshot.Progress.Began; i++ {
		if progress.IsStart(l.At(i).UpgradeMessage) {
			return true
		}
	}
	return false
}

// phases returns the phases that the run has: once it has succeeded, those that it had.
func (r *run) phases() []progress.PhaseProgress {
	succeeded := r.snapshot.Meaning == progress.StateSucceeded
	return slices.DeleteFunc(slices.Clone(r.snapshot.Progress.Phases), func(p progress.PhaseProgress) bool {
		return p.State == progress.PhaseAbsent || succeeded && p.State == progress.PhaseAhead
	})
}

// absent names the phases that runs of this kind do not have; empty for none.
func (r *run) absent() string {
	var names []string
	for _, phase := range r.snapshot.Progress.Phases {
		if phase.State == progress.PhaseAbsent {
			names = append(names, phase.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return "not in this " + string(r.snapshot.Progress.Kind) + ": " + strings.Join(names, ", ")
}

// goesOn reports whether the run that is shown is known to be running now.
func (r *run) goesOn() bool {
	return r.snapshot.Meaning == progress.StateRunning && !r.record && r.trouble() == ""
}

// trouble returns why the watch has nothing new, or "".
func (r *run) trouble() string {
	w, text := r.Env.Upgrade, ""
	switch {
	case r.record || !w.On:
		return ""
	case w.Refused() != nil:
		text = r.refusal()
	case w.Snapshot.Unreachable != nil:
		text = r.unreachable()
	case w.Snapshot.Undecided:
		text = "Its end is unknown: " + w.Snapshot.DoubtText() + "; the installed version does not show it."
	case w.Snapshot.Doubt != watching.NoDoubt:
		text = "Not confirmed yet: " + w.Snapshot.DoubtText() + "."
	default:
		return ""
	}
	return r.inks.Glyphs.Warn + " " + text
}

// silent reports whether the site tells the watch nothing now, or has told nothing for so long that what is shown no longer
// stands for the present.
func (r *run) silent() bool {
	w := r.Env.Upgrade
	old := !r.Env.State.Upgrade.At.IsZero() && views.AsOf(r.Env, r.Env.State.Upgrade) != ""
	return !r.record && (w.On && (w.Refused() != nil || w.Snapshot.Unreachable != nil) || old)
}

// unreachable says how long the API has not answered, and that this is usual. The headline
// tells when it did last.
func (r *run) unreachable() string {
	w, now := r.Env.Upgrade, r.Env.Clock.Now()
	text := "API unreachable for " + views.Seconds(now.Sub(w.Snapshot.UnreachableSince))
	switch {
	case !r.live.At.IsZero(), w.Started:
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
func (r *run) signedOut() bool {
	w := r.Env.Upgrade
	return w.On && errors.Is(w.Refused(), adminapi.KindSignIn)
}

// refusal says why the site gives no state, and what to do.
func (r *run) refusal() string {
	w := r.Env.Upgrade
	if r.signedOut() {
		return views.Keys("Session expired. Press {key:progress.watch} to sign in.") // the headline says when it was last seen
	}
	text := "The site refuses to answer: " + plain.Clip(w.Refused().Error(), 200)
	if !w.Next.IsZero() {
		text += " Retrying at " + r.Env.Times.Here(w.Next) + "."
	}
	return text
}

// lifted reports whether the site takes changes again, though the log of the run does not say so.
func (r *run) lifted() bool {
	mode, from := r.Env.State.Mode, r.snapshot.Progress.ReadOnly.From
	return !r.record && r.over() && !mode.Value.ReadOnly && mode.At.Add(r.snapshot.Ahead).After(from.Time())
}

// now returns the time by the server's clock that what is shown is of: of a record that of its
// end, and while the site is silent that of its last answer, as nobody knows what lasts on.
func (r *run) now() adminapi.Millis {
	if r.record || r.silent() && !r.snapshot.At.IsZero() {
		return adminapi.MillisOf(r.snapshot.ServerAt())
	}
	return r.siteNow()
}

// siteNow returns the time by the server's clock, whatever is known of it.
func (r *run) siteNow() adminapi.Millis {
	return adminapi.MillisOf(r.Env.Clock.Now().Add(r.snapshot.Ahead))
}

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
