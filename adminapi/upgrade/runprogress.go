package upgrade

import (
	"time"

	"geodeck/adminapi"
)

// PhaseState is how a phase stands by the log.
type PhaseState int

// The states of a phase, from the zero value on.
const (
	PhaseAhead   PhaseState = iota // no message of it yet; at the end, and before phases with messages: it was skipped
	PhaseOpen                      // messages, and it is the newest, or something in it was never completed, or nothing later has begun
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
	Meaning  Reading // of the status; what goes on, and what time it takes, follows from it
	Kind     RunKind
	Phases   []PhaseProgress // all of [Phases], in their order
	Current  string          // phase of the newest message of a known code; empty before one
	Open     []Step          // oldest first, without the run and the read-only time themselves; none after success
	Done     int             // deployments that are upgraded, by the newest 2175, else 2173
	Total    int             // of so many; 0 where no message told
	ReadOnly ReadOnly
	Stores   *Table        // of the newest 2153; nil where none could be read
	Took     time.Duration // as the 2011 says; 0 where it does not
	Messages int           // of the run
	Foreign  int           // of those, with codes that are not of the catalogue
}

// ProgressOf is the progress of the newest run of a log.
func ProgressOf(l Log, meaning Reading) Progress { return NewFold().Add(l, meaning) }

// Now returns the step that was begun last and goes on, false where none does.
func (p Progress) Now() (Step, bool) {
	if len(p.Open) == 0 || p.Meaning == ReadFailed {
		return Step{}, false
	}
	return p.Open[len(p.Open)-1], true
}

// SpentBy is the time spent in a phase until a moment of the server's clock: while
// the run goes on, the time since its newest message belongs to the current phase.
func (p Progress) SpentBy(phase string, now adminapi.Millis) time.Duration {
	spent := p.phase(phase).Spent
	if phase == p.Current && p.Meaning == ReadRunning {
		spent += p.quiet(now)
	}
	return spent
}

// ReadOnlyFor is how long the site has taken no changes, until now or its end;
// false where it never stopped. Where the run has succeeded and no message told
// the end, it is until its last message.
func (p Progress) ReadOnlyFor(now adminapi.Millis) (time.Duration, bool) {
	end := p.ReadOnly.To
	switch {
	case p.ReadOnly.From.IsZero():
		return 0, false
	case end.IsZero() && p.Meaning == ReadSuccess:
		end = p.Last
	case end.IsZero():
		end = max(now, p.Last) // a clock that was set back takes no time away
	}
	return inTime(max(0, end-p.ReadOnly.From)), true
}

// quiet is the time since the newest message, 0 where the clock has been set back.
func (p Progress) quiet(now adminapi.Millis) time.Duration {
	if p.Last.IsZero() {
		return 0
	}
	return inTime(max(0, now-p.Last))
}

func (p Progress) phase(name string) PhaseProgress {
	for _, phase := range p.Phases {
		if phase.Name == name {
			return phase
		}
	}
	return PhaseProgress{Name: name}
}
