package watching

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strconv"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/program"
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
		a.Text = a.subject() + " has failed" + plain.Joined(" in ", a.Phase)
	case snapshot.RefusedLong && !before.RefusedLong:
		return SignInAlarm(s, snapshot), true
	case snapshot.Undecided && !before.Undecided:
		a.Kind, a.Text = AlarmUnknown, "how "+a.subject()+" ended is unknown: "+snapshot.DoubtText()
	case snapshot.Seen && snapshot.Unreachable == nil && snapshot.Meaning == progress.StateUnknown && before.Meaning != progress.StateUnknown:
		a.Kind, a.Text = AlarmUnknown, a.subject()+" has an unknown state: "+
			cmp.Or(plain.Clip(snapshot.Status.State, 60), "not given")+", code "+strconv.Itoa(snapshot.Status.Code)
	case stalls && snapshot.Stalls != before.Stalls:
		a.Kind, a.Phase, a.Known = AlarmStalled, stall.Phase, snapshot.Alarmed
		a.Text = a.subject() + " has been silent for " + adminapi.FormatDuration(stall.Quiet.Truncate(time.Minute)) + plain.Joined(" in ", a.Phase)
		if step, found := snapshot.Progress.Now(); found {
			a.Text += ": " + step.Doing()
		}
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

// silence measures how long a run has been silent, by the site's clock alone: that may run at
// another pace than ours, or be hours off. It may also be set while we watch, which passes
// no time: the one step that differs most from our clock does not count until there are more of
// its kind.
type silence struct {
	server, local time.Time     // of the last answer
	here          time.Duration // of the silence, by our clock
	gain          time.Duration // of the server's clock on ours in it
	ahead, back   time.Duration // the largest gain of a step, and the largest step back
}

// begin starts at the first answer about a run, which has been silent since a time of the
// server's clock; zero where it has said nothing yet.
func (s *silence) begin(server, local time.Time, since adminapi.Millis) {
	*s = silence{server: server, local: local}
	if !since.IsZero() {
		s.here = max(0, server.Sub(since.Time()))
	}
}

// step adds the time since the last answer. spoke is the newest of the messages that are new
// in this one, zero where there is none; later reports whether it is also newer than all
// before: it was written since the last answer then.
func (s *silence) step(server, local time.Time, spoke adminapi.Millis, later bool) {
	there, here := server.Sub(s.server), max(0, local.Sub(s.local))
	s.server, s.local = server, local
	if later {
		s.here, s.gain, s.ahead, s.back = 0, 0, 0, 0
	}
	s.here += here
	s.gain += there - here
	s.ahead = max(s.ahead, there-here)
	if there < 0 {
		s.back = min(s.back, there-here)
	}
	if spoke.IsZero() {
		return
	}
	if since := max(0, server.Sub(spoke.Time())); since < max(s.here+s.gain, s.lasts()) || there < 0 {
		here = min(s.here, since)
		s.here, s.gain, s.ahead, s.back = here, since-here, since-here, 0
	}
}

// lasts returns how long the run has been silent.
func (s *silence) lasts() time.Duration {
	gain := s.gain
	if s.ahead > 0 && 2*gain > 5*s.ahead { // of many steps: that is the pace of the clock
		return s.here + gain
	}
	for _, without := range []time.Duration{s.gain - s.ahead, s.gain - s.back} {
		if without.Abs() < gain.Abs() {
			gain = without
		}
	}
	return max(0, s.here+gain)
}

// Calls say how a user who is not looking at the screen is alerted when a watched upgrade ends or
// stalls.
type Calls struct {
	Bell   bool  // rings the bell of the terminal
	Notify bool  // notifies through the terminal (OSC 9)
	Hook   *Hook // is run; nil for none
}

// hookTime is how long a hook may take.
const hookTime = 30 * time.Second

// Hook is a program that is run at an alarm, without a shell and without arguments. It gets
// the alarm as JSON on its standard input, and in its environment GEODECK_ALARM (the kind),
// GEODECK_ALARM_SITE and GEODECK_ALARM_TEXT, but not GEODECK_TOKEN. Its output is dropped.
type Hook struct{ Program string }

// Check returns an error where the program cannot be run.
func (h Hook) Check() error {
	if _, err := exec.LookPath(h.Program); err != nil {
		return fmt.Errorf("the hook %s cannot be run: %w", plain.Line(h.Program), errors.Unwrap(err))
	}
	return nil
}

// Run runs the hook and waits for its end, 30 s at most.
func (h Hook) Run(ctx context.Context, a Alarm) error {
	limited, cancel := context.WithTimeout(ctx, hookTime)
	defer cancel()
	input, err := adminapi.JSONLine(a)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(limited, h.Program)
	cmd.Stdin = bytes.NewReader(input)
	cmd.Env = append(program.Environment(), "GEODECK_ALARM="+string(a.Kind), "GEODECK_ALARM_SITE="+a.Site, "GEODECK_ALARM_TEXT="+a.Text)
	cmd.WaitDelay = time.Second // children of it may hold on to the input
	err = cmd.Run()
	name := plain.Line(h.Program)
	switch {
	case err == nil:
		return nil
	case errors.Is(limited.Err(), context.DeadlineExceeded):
		return fmt.Errorf("the hook %s was stopped after %s", name, adminapi.FormatDuration(hookTime))
	case ctx.Err() != nil:
		return ctx.Err()
	}
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		return fmt.Errorf("the hook %s failed: %s", name, ended)
	}
	if reason := errors.Unwrap(err); reason != nil {
		err = reason // without the name
	}
	return fmt.Errorf("the hook %s could not be run: %w", name, err)
}
