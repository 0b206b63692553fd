package watching

import (
	"cmp"
	"strconv"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

// AlarmKind is what an alarm is about.
type AlarmKind string

// The alarms.
const (
	AlarmSucceeded AlarmKind = "succeeded"
	AlarmFailed    AlarmKind = "failed"
	AlarmStalled   AlarmKind = "stalled"
	AlarmUnknown   AlarmKind = "unknown"   // the site reports a state without a known meaning
	AlarmSignIn    AlarmKind = "signIn"    // the watch waits for a sign-in
	AlarmElsewhere AlarmKind = "elsewhere" // the run leads to another version than was confirmed
)

// Alarm tells a user who is not watching something important about an upgrade.
type Alarm struct {
	Kind  AlarmKind       `json:"alarm"`
	Site  string          `json:"site"`
	From  string          `json:"from,omitempty"` // versions; empty where not known
	To    string          `json:"to,omitempty"`
	Phase string          `json:"phase,omitempty"` // where it stalls or has failed; empty where not known
	Began adminapi.Millis `json:"began,omitzero"`
	At    time.Time       `json:"at"`   // by the server's clock, as Began
	Text  string          `json:"text"` // all of it in one clean line
	Known bool            `json:"-"`    // an earlier watch has raised it: nobody is called again
	noun  string          // what the run is called in the text
}

// AlarmOf returns the alarm that a snapshot calls for, false for none. before is the
// snapshot before it, zero for the first. There is one alarm for each silence, for a run that leads
// elsewhere, for an end where [Snapshot.Ended] says that it is news, and for a refusal that
// has lasted. All say where a run leads elsewhere.
func AlarmOf(s operation.Site, before, snapshot Snapshot) (Alarm, bool) {
	a := alarmOf(s, snapshot)
	stall, stalls := snapshot.Stall()
	switch {
	case snapshot.Ended && !before.Ended && snapshot.Meaning == progress.StateSucceeded:
		a.Kind, a.Text = AlarmSucceeded, a.subject()+" has succeeded"
	case snapshot.Ended && !before.Ended:
		a.Kind, a.Phase = AlarmFailed, snapshot.Progress.StoppedIn()
		a.Text = a.subject() + " has failed" + in(a.Phase)
	case snapshot.RefusedLong && !before.RefusedLong:
		return SignInAlarm(s, snapshot), true
	case snapshot.Undecided && !before.Undecided:
		a.Kind, a.Text = AlarmUnknown, "how "+a.subject()+" ended is unknown: "+snapshot.DoubtText()
	case snapshot.Seen && snapshot.Unreachable == nil && snapshot.Meaning == progress.StateUnknown && before.Meaning != progress.StateUnknown:
		a.Kind, a.Text = AlarmUnknown, a.subject()+" has an unknown state: "+
			cmp.Or(plain.Clip(snapshot.Status.State, 60), "not given")+", code "+strconv.Itoa(snapshot.Status.Code)
	case stalls && snapshot.Stalls != before.Stalls:
		a.Kind, a.Phase, a.Known = AlarmStalled, stall.Phase, snapshot.Alarmed
		a.Text = a.subject() + " has been silent for " + adminapi.FormatDuration(stall.Quiet.Truncate(time.Minute)) + in(a.Phase)
	case snapshot.Confirmed != "" && before.Confirmed == "" && snapshot.Seen && !snapshot.Ended:
		a.Kind, a.Text, a.Known = AlarmElsewhere, snapshot.Elsewhere(), snapshot.Resumed
		return a.withSite(), true
	default:
		return Alarm{}, false
	}
	if elsewhere := snapshot.Elsewhere(); elsewhere != "" {
		a.Text += "; " + elsewhere
	}
	return a.withSite(), true
}

// Elsewhere says that the run leads to another version than was confirmed, in words without an end;
// it is empty where it does not.
func (r Snapshot) Elsewhere() string { return r.Progress.Elsewhere(r.Confirmed) }

// SignInAlarm is the alarm of a watch that cannot go on without a sign-in.
func SignInAlarm(s operation.Site, snapshot Snapshot) Alarm {
	a := alarmOf(s, snapshot)
	a.Kind, a.Text = AlarmSignIn, a.subject()+" is not watched until someone signs in again"
	return a.withSite()
}

func alarmOf(s operation.Site, snapshot Snapshot) Alarm {
	p := snapshot.Progress
	return Alarm{Site: s.Client.Base().Host, From: plain.Line(p.From), To: plain.Line(p.To), Began: p.Began, At: s.ServerNow().UTC().Truncate(time.Second), noun: p.Kind.Noun()}
}

// withSite puts the site in front of the text.
func (a Alarm) withSite() Alarm {
	a.Text = plain.Line(a.Site + ": " + a.Text)
	return a
}

// Stall reports whether the run had been silent for too long at the time of a snapshot. While
// the API is unreachable that is not known.
func (r Snapshot) Stall() (progress.Stall, bool) {
	if r.Unreachable != nil || r.At.IsZero() || r.Meaning != progress.StateRunning {
		return progress.Stall{}, false
	}
	return r.Progress.Stalled(r.Usual, r.Progress.Last+adminapi.Millis(r.Quiet/time.Millisecond))
}

func (a Alarm) subject() string {
	if a.To == "" {
		return "the " + a.noun
	}
	return "the " + a.noun + " to " + a.To
}

func in(phase string) string {
	if phase == "" {
		return ""
	}
	return " in " + phase
}
