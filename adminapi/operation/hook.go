package operation

import (
	"context"
	"time"

	"geodeck/adminapi"
)

// AlarmKind is what an alarm is about.
type AlarmKind string

// The alarms.
const (
	AlarmSucceeded AlarmKind = "succeeded"
	AlarmFailed    AlarmKind = "failed"
	AlarmStalled   AlarmKind = "stalled"
)

// Alarm is what a user who looks elsewhere wants to be told of an upgrade.
type Alarm struct {
	Kind  AlarmKind
	Site  string // its address
	From  string // versions; empty where not told
	To    string
	Phase string // where it stalls or has failed; empty where not told
	Began adminapi.Millis
	At    time.Time
	Text  string // one clean line that says all of it
}

// hookTime is how long a hook may take.
const hookTime = 30 * time.Second

// Hook is a program that is run at an alarm, without a shell and without arguments.
// It gets the alarm as JSON on its standard input, and in its environment
// GEODECK_ALARM (the kind), GEODECK_ALARM_SITE and GEODECK_ALARM_TEXT. Nothing of
// what it prints reaches the screen; no secret is in its input or in what is added to its environment.
type Hook struct{ Program string }

// Run runs the hook and waits for its end, 30 s at most. The error says what became of it.
func (h Hook) Run(ctx context.Context, a Alarm) error { panic("contract only") }

// AlarmOf returns what is to be told after a reading, false where nothing is. before
// is the reading before it; now is by this machine's clock. A stall is told once for
// each silence, an end only where [UpgradeReading.Ended] says that it is news.
func (s Site) AlarmOf(before, reading UpgradeReading, now time.Time) (Alarm, bool) {
	panic("contract only")
}
