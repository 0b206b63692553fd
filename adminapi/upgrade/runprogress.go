package upgrade

import (
	"time"

	"geodeck/adminapi"
)

// RunKind is what sort of upgrade a run is. Runs of different kinds take different
// times.
type RunKind string

// The kinds. It is empty where the log does not tell.
const (
	PatchRun    RunKind = "patch"
	ReleaseRun  RunKind = "release"
	RollbackRun RunKind = "rollback"
)

// PhaseState is how a phase stands by the log.
type PhaseState int

// The states of a phase, from the zero value on.
const (
	PhaseAhead   PhaseState = iota // no message of it yet
	PhaseOpen                      // messages, and it is the newest or something in it was never completed
	PhaseDone                      // a later one goes on and nothing in it is open, or the run has succeeded
	PhaseStopped                   // it was open when the run failed
)

// PhaseProgress is one phase of a run.
type PhaseProgress struct {
	Name  string
	State PhaseState
	Began adminapi.Millis // its first message; zero before it
	// Spent is how long the run was in this phase: from each message of the phase
	// to the next message of a known code, whatever its phase. The time since the newest message is not
	// in it: see [Progress.SpentBy].
	Spent time.Duration
	// Silence is the longest time between two messages that was spent in it.
	Silence  time.Duration
	Messages int
}

// Step is something that was started and not completed.
type Step struct {
	Code
	Since adminapi.Millis
	Text  string // of the message, as the server sent it
}

// ReadOnly is the time in which the site takes no changes.
type ReadOnly struct{ From, To adminapi.Millis } // To is zero while it lasts, both where it never began

// Progress is what the messages of a run tell of how far it is.
type Progress struct {
	Run
	Kind     RunKind
	Phases   []PhaseProgress // all of [Phases], in their order
	Current  string          // phase of the newest message of a known code; empty before one
	Open     []Step          // oldest first, without the run and the read-only time themselves
	Done     int             // deployments that are upgraded, by the newest 2173 or 2175
	Total    int             // of so many; 0 where no message told
	ReadOnly ReadOnly
	Stores   *Table        // of the newest 2153; nil where none could be read
	Took     time.Duration // as the 2011 says; 0 where it does not
	Messages int           // of the run
	Foreign  int           // of those, with codes that are not of the catalogue
}

// Fold makes the progress of the newest run of a log, one message after the other.
// Adding to a log that was only extended costs what was added.
type Fold struct{}

// NewFold returns a fold of an empty log.
func NewFold() *Fold { panic("contract only") }

// Add brings the progress up to a log, which grows between calls, and returns it
// with the phases as the meaning of the status has them.
func (f *Fold) Add(l Log, meaning Reading) Progress { panic("contract only") }

// ProgressOf is the progress of the newest run of a log.
func ProgressOf(l Log, meaning Reading) Progress { return NewFold().Add(l, meaning) }

// Now returns the step that was begun last and goes on, false where none does.
func (p Progress) Now() (Step, bool) { panic("contract only") }

// SpentBy is the time spent in a phase until a moment of the server's clock: while
// the run goes on, the time since its newest message belongs to the current phase.
func (p Progress) SpentBy(phase string, now adminapi.Millis) time.Duration { panic("contract only") }

// ReadOnlyFor is how long the site has taken no changes, until now or its end;
// false where it never stopped.
func (p Progress) ReadOnlyFor(now adminapi.Millis) (time.Duration, bool) { panic("contract only") }
