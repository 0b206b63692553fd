package progress

import (
	"slices"
	"time"

	"geodeck/adminapi"
)

// Past is the record of a run that has ended.
type Past struct {
	Kind    RunKind
	Success bool
	Took    time.Duration            // from its first message to its last, by the server's clock
	Spent   map[string]time.Duration // by phase
	Silence map[string]time.Duration // by phase: the longest without a message
}

// Past returns the record of a run.
func (p Progress) Past(success bool) Past {
	past := Past{
		Kind: p.Kind, Success: success, Took: toDuration(p.Last - p.Began),
		Spent: map[string]time.Duration{}, Silence: map[string]time.Duration{},
	}
	for _, phase := range p.Phases {
		if phase.Messages > 0 {
			past.Spent[phase.Name], past.Silence[phase.Name] = phase.Spent, phase.Silence
		}
	}
	return past
}

// Usual is how long runs of a kind take at a site.
type Usual struct {
	Runs           int // that it was made of; 0 means nothing is known
	Took           time.Duration
	Spent, Silence map[string]time.Duration
}

// UsualOf takes the medians of the runs of a kind that have succeeded. A run whose
// beginning is missing is no measure, and of an unknown kind nothing is usual. A
// phase that a run did not go through took it no time, and had no silence to
// compare with.
func UsualOf(kind RunKind, past []Past) Usual {
	past = slices.DeleteFunc(slices.Clone(past), func(p Past) bool {
		_, whole := p.Spent[PhaseLaunch]
		return kind == "" || p.Kind != kind || !p.Success || !whole
	})
	if len(past) == 0 {
		return Usual{}
	}
	u := Usual{Runs: len(past), Spent: map[string]time.Duration{}, Silence: map[string]time.Duration{}}
	u.Took = median(past, func(p Past) (time.Duration, bool) { return p.Took, true })
	for _, phase := range Phases {
		u.Spent[phase] = median(past, func(p Past) (time.Duration, bool) { return p.Spent[phase], true })
		if slices.ContainsFunc(past, func(p Past) bool { _, had := p.Silence[phase]; return had }) {
			u.Silence[phase] = median(past, func(p Past) (time.Duration, bool) { s, had := p.Silence[phase]; return s, had })
		}
	}
	return u
}

// median is the middle of what runs have of something, and between the middle two.
func median(past []Past, of func(Past) (time.Duration, bool)) time.Duration {
	var all []time.Duration
	for _, p := range past {
		if d, had := of(p); had {
			all = append(all, d)
		}
	}
	slices.Sort(all)
	low, high := all[(len(all)-1)/2], all[len(all)/2]
	return low + (high-low)/2
}

// maxOverrun is how many times its usual time a phase takes before nothing is said any
// more of the time that is left.
const maxOverrun = 3

// Left is how long a run will go on if it goes as usual: for the current phase, and
// any other that is open, what is left of its usual time, for those ahead their
// usual times. What lies before a phase that was entered was skipped. ok is false
// without history, where a phase has no usual time, in a stall, where the current
// phase takes more than three times its usual time, and unless the run goes on. A run
// that is slower than usual has nothing left in its current phase; it is not said to
// be done.
func (u Usual) Left(p Progress, now adminapi.Millis) (left time.Duration, ok bool) {
	if u.Runs == 0 || p.Meaning != StateRunning || u.Spent[p.Current] == 0 {
		return 0, false
	}
	if _, stalls := p.Stalled(u, now); stalls || p.SpentBy(p.Current, now) > maxOverrun*u.Spent[p.Current] {
		return 0, false // nothing goes as usual any more
	}
	furthest := p.furthest()
	for i, phase := range p.Phases {
		if phase.State == PhaseDone || phase.State == PhaseAhead && i < furthest {
			continue
		}
		usual, known := u.Spent[phase.Name]
		if !known {
			return 0, false
		}
		left += max(0, usual-p.SpentBy(phase.Name, now))
	}
	return left, true
}

// furthest is the index of the last phase, in their order, that has messages.
func (p Progress) furthest() int {
	for i, phase := range slices.Backward(p.Phases) {
		if phase.Messages > 0 {
			return i
		}
	}
	return 0
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

// minSilence is the silence that is never called a stall where one is usual: a
// phase that was quick to talk may pause for a moment.
const minSilence = 5 * time.Minute

// Stalled reports whether nothing was said for longer than twice the longest usual
// silence of the phase (at least five minutes), or for [ContainerTimeout] where
// nothing is usual. now is by the server's clock. Only a run that goes on stalls.
func (p Progress) Stalled(u Usual, now adminapi.Millis) (Stall, bool) {
	if p.Meaning != StateRunning {
		return Stall{}, false
	}
	s := Stall{Phase: p.Current, Quiet: p.sinceLast(now), Limit: ContainerTimeout}
	if usual, known := u.Silence[p.Current]; known {
		s.Limit, s.Usual = max(2*usual, minSilence), true
	}
	if step, goesOn := p.Now(); goesOn {
		s.Step = step.Meaning
	}
	return s, s.Quiet > s.Limit
}
