package upgrade

import (
	"time"

	"geodeck/adminapi"
)

// Past is what is remembered of a run that has ended.
type Past struct {
	Kind    RunKind
	Success bool
	Took    time.Duration            // from its first message to its last, by the server's clock
	Spent   map[string]time.Duration // by phase
	Silence map[string]time.Duration // by phase: the longest without a message
}

// Past returns what is worth remembering of a run.
func (p Progress) Past(success bool) Past { panic("contract only") }

// Usual is how long runs of a kind take at a site.
type Usual struct {
	Runs           int // that it was made of; 0 means nothing is known
	Took           time.Duration
	Spent, Silence map[string]time.Duration
}

// UsualOf takes the medians of the runs of a kind that have succeeded.
func UsualOf(kind RunKind, past []Past) Usual { panic("contract only") }

// Left is how long a run will go on if it goes as usual: for the current phase what
// is left of its usual time, for those ahead their usual times. ok is false without
// history, and where a phase has no usual time. A run that is slower than usual
// has nothing left in its current phase; it is not said to be done.
func (u Usual) Left(p Progress, now adminapi.Millis) (left time.Duration, ok bool) {
	panic("contract only")
}

// Stall says that a run has been silent for too long.
type Stall struct {
	Phase string // where; empty where the log does not tell
	Step  string // meaning of the step that goes on, empty where none does
	Quiet time.Duration
	Limit time.Duration
	Usual bool // Limit comes from earlier runs, not from the platform's time-out of containers
}

// ContainerTimeout is how long the platform waits for a container to start, unless
// its administrators have set containerStartUpTimeoutSeconds.
const ContainerTimeout = 1800 * time.Second

// Stalled tells whether nothing was said for longer than twice the longest usual
// silence of the phase (at least five minutes), or for [ContainerTimeout] where
// nothing is usual. now is by the server's clock. Only a run that goes on stalls.
func (p Progress) Stalled(u Usual, now adminapi.Millis) (Stall, bool) { panic("contract only") }
