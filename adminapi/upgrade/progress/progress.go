// Package progress follows an upgrade that runs: it keeps the log of its messages and
// finds out how far it is, what it does now and whether it stalls. It does no I/O and has
// no clock.
//
// Start at [StateOf], which says what a status means. A [Merger] makes one [Log] of many
// snapshots of the messages (log.go), a [Fold] makes the [Progress] of its newest run
// (fold.go), [UsualTimesOf] compares it with earlier runs (usual.go), and [Summary] writes
// a page about it (summary.go).
package progress

import (
	"time"

	"geodeck/adminapi"
)

// PhaseState is the state of a phase, by the log.
type PhaseState int

// The states of a phase.
const (
	PhaseAhead   PhaseState = iota // has no message yet, or was skipped
	PhaseOpen                      // is the newest, has an open step, or nothing later has begun
	PhaseDone                      // a later one has begun and no step is open, or the run has ended by its status or its log
	PhaseStopped                   // was open when the run failed
	PhaseAbsent                    // belongs to releases, and the run is none
)

// String returns the state in one word.
func (s PhaseState) String() string {
	return [...]string{"ahead", "open", "done", "stopped", "absent"}[s]
}

// PhaseProgress is the progress of one phase of a run.
type PhaseProgress struct {
	Name  string
	State PhaseState
	Began adminapi.Millis // its first message; zero before it
	// Spent is how long the run was in this phase: from each of its messages to the next
	// message of a known code. The time since the newest message is not included, see
	// [Progress.SpentBy].
	Spent time.Duration
	// Silence is the longest time between two messages in this phase, from SilentFrom on.
	Silence    time.Duration
	SilentFrom adminapi.Millis
	// Before is the longest silence before that one, once [leastCounts] deployments were counted.
	Before   time.Duration
	Counts   int    // of deployments
	Spans    []Span // when the run was in this phase, in order; at most [maxSpans]
	Messages int
}

// Span is a time by the server's clock. To is zero while it lasts.
type Span struct{ From, To adminapi.Millis }

// Lasted returns how long a span took, until now where it lasts.
func (s Span) Lasted(now adminapi.Millis) time.Duration {
	if s.To.IsZero() {
		s.To = now
	}
	return toDuration(max(0, s.To-s.From))
}

// maxSpans bounds the spans of a phase: beyond, the last one grows. A run seldom returns to
// a phase.
const maxSpans = 8

// Step is something that was started and not completed.
type Step struct {
	Code
	Since adminapi.Millis
	Text  string // of the message, as the server sent it

	back bool // of a rollback, or of a patch that has failed and is rolled back
}

// ReadOnly is the time in which the site accepts no changes. To is zero while it lasts, both
// are zero where it has not begun.
type ReadOnly struct{ From, To adminapi.Millis }

// Lasts reports whether it has begun and not ended.
func (r ReadOnly) Lasts() bool { return !r.From.IsZero() && r.To.IsZero() }

// Progress is how far a run is, by its messages.
type Progress struct {
	Run
	Meaning      State // of the status
	Kind         RunKind
	Phases       []PhaseProgress // all of [Phases], in their order
	Current      string          // phase of the newest message of a known code; empty before one
	Open         []Step          // oldest first, without the run and the read-only time; none after success
	Done         int             // deployments that are upgraded, by the newest 2175, else 2173
	Total        int             // deployments; 0 where no message has counted them
	CountedIn    time.Duration   // of the time in Components, that until the newest of these counts
	RolledBack   bool            // a patch has failed and goes back, or did; Done and Total are of that
	ReadOnly     ReadOnly
	Stores       *Table        // of the newest 2153; nil where none could be parsed
	Took         time.Duration // by the 2011; 0 where it has none
	Messages     int           // of the run
	UnknownCodes int           // of those, with codes that are not in the catalogue

	// FailedBy is when a watch first saw that the run has failed, by the server's clock: its last
	// message may be of long before. Zero where none has seen it; a [Fold] does not know it.
	FailedBy adminapi.Millis

	image   Step   // the deployment that has got a new image and is not counted yet; zero for none
	stopped string // see [Progress.StoppedIn]
}

// Of returns the progress of the newest run of a log.
func Of(l Log, meaning State) Progress { return NewFold().Add(l, meaning) }

// Now returns the open step that was begun last, and false where there is none or the run
// has failed. A patch is at the deployment that has got its image.
func (p Progress) Now() (Step, bool) {
	if len(p.Open) == 0 || p.Meaning == StateFailed {
		return Step{}, false
	}
	if last := p.Open[len(p.Open)-1]; last.Code.Code != codeModule || p.image.Since < last.Since {
		return last, true
	}
	return p.image, true
}

// Between reports whether the run has failed after it began to change the stores, and did not go
// back: they may be between two releases.
func (p Progress) Between() bool {
	return p.Meaning == StateFailed && !p.RolledBack && p.phase(PhasePostgreSQL).Messages > 0
}

// SpentBy returns the time spent in a phase until now, by the server's clock: while the
// run goes on, the time since its newest message belongs to the current phase, and after a
// failure that until it was seen.
func (p Progress) SpentBy(phase string, now adminapi.Millis) time.Duration {
	spent := p.phase(phase).Spent
	switch {
	case phase != p.Current:
	case p.Meaning == StateRunning:
		spent += p.sinceLast(now)
	case p.Meaning == StateFailed:
		spent += p.sinceLast(p.FailedBy)
	}
	return spent
}

// ChangesFrom returns when the run began to change the site; where it has not, when it spoke
// last. What the site checks first is of before.
func (p Progress) ChangesFrom() adminapi.Millis {
	from := p.Last
	if !p.ReadOnly.From.IsZero() {
		from = min(from, p.ReadOnly.From)
	}
	preparing := true
	for _, phase := range p.Phases {
		preparing = preparing && phase.Name != PhasePostgreSQL
		if !preparing && phase.Messages > 0 {
			from = min(from, phase.Began)
		}
	}
	return from
}

// ReadOnlyFor returns how long the site has been read-only, until now or its end, and
// false where it has not been. Where the run has succeeded without a message of the end,
// it counts until the last message.
func (p Progress) ReadOnlyFor(now adminapi.Millis) (time.Duration, bool) {
	end := p.ReadOnly.To
	switch {
	case p.ReadOnly.From.IsZero():
		return 0, false
	case end.IsZero() && p.Meaning == StateSucceeded:
		end = p.Last
	case end.IsZero():
		end = max(now, p.Last) // the clock may have been set back
	}
	return toDuration(max(0, end-p.ReadOnly.From)), true
}

// sinceLast returns the time since the newest message, 0 where the clock was set back.
func (p Progress) sinceLast(now adminapi.Millis) time.Duration {
	if p.Last.IsZero() {
		return 0
	}
	return toDuration(max(0, now-p.Last))
}

func (p Progress) phase(name string) PhaseProgress {
	for _, phase := range p.Phases {
		if phase.Name == name {
			return phase
		}
	}
	return PhaseProgress{Name: name}
}
