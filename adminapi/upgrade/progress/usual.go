package progress

import (
	"slices"
	"time"

	"geodeck/adminapi"
)

// PastRun holds the times of a run that has ended.
type PastRun struct {
	Kind    RunKind
	Success bool
	Took    time.Duration            // from its first message to its last, by the server's clock
	Spent   map[string]time.Duration // by phase
	Silence map[string]time.Duration // by phase: the longest without a message
}

// PastRun returns the times of a run.
func (p Progress) PastRun(success bool) PastRun {
	past := PastRun{
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

// UsualTimes is how long runs of a kind take at a site.
type UsualTimes struct {
	Runs           int // earlier runs; with 0 nothing is known
	Took           time.Duration
	Spent, Silence map[string]time.Duration
}

// UsualTimesOf returns the medians of the runs of a kind that have succeeded, without runs
// whose beginning is missing. A phase that a run skipped took it no time, and counts for
// no silence. Nothing is usual for an unknown kind.
func UsualTimesOf(kind RunKind, past []PastRun) UsualTimes {
	u := UsualTimes{Spent: map[string]time.Duration{}, Silence: map[string]time.Duration{}}
	var took []time.Duration
	spent, silence := map[string][]time.Duration{}, map[string][]time.Duration{}
	for _, p := range past {
		if _, whole := p.Spent[PhaseLaunch]; kind == "" || p.Kind != kind || !p.Success || !whole {
			continue
		}
		u.Runs++
		took = append(took, p.Took)
		for _, phase := range Phases {
			spent[phase] = append(spent[phase], p.Spent[phase])
			if d, found := p.Silence[phase]; found {
				silence[phase] = append(silence[phase], d)
			}
		}
	}
	if u.Runs == 0 {
		return UsualTimes{}
	}
	u.Took = median(took)
	for phase, all := range spent {
		u.Spent[phase] = median(all)
	}
	for phase, all := range silence {
		u.Silence[phase] = median(all)
	}
	return u
}

// median returns the middle of a list, which it sorts, or the mean of the middle two.
func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	low, high := all[(len(all)-1)/2], all[len(all)/2]
	return low + (high-low)/2
}

// maxOverrun is how many times its usual time a phase may take before the time that is left
// counts as unknown.
const maxOverrun = 3

// Left returns how long a run goes on if it goes as usual: the rest of the usual times of
// the open phases, and the usual times of those ahead. Phases before one that has begun
// were skipped. ok is false without earlier runs, where a phase has no usual time, in a
// stall, where the current phase takes more than [maxOverrun] times its usual time, and
// where the run does not go on. A result of 0 does not mean that the run is done.
func (u UsualTimes) Left(p Progress, now adminapi.Millis) (left time.Duration, ok bool) {
	if u.Runs == 0 || p.Meaning != StateRunning || u.Spent[p.Current] == 0 {
		return 0, false
	}
	if _, stalls := p.Stalled(u, now); stalls || p.SpentBy(p.Current, now) > maxOverrun*u.Spent[p.Current] {
		return 0, false
	}
	furthest := 0 // the last phase with messages
	for i, phase := range p.Phases {
		if phase.Messages > 0 {
			furthest = i
		}
	}
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

// Stall describes a run that has been silent for too long.
type Stall struct {
	Phase string // empty where it is not known
	Step  string // meaning of the open step that was begun last, empty where there is none
	Quiet time.Duration
	Limit time.Duration
	Usual bool // Limit comes from earlier runs, not from the platform's timeout of containers
}

// ContainerTimeout is how long the platform waits for a container to start, unless
// administrators have set containerStartUpTimeoutSeconds.
const ContainerTimeout = 1800 * time.Second

// minSilence is the shortest limit by earlier runs: even a phase with many messages may
// pause.
const minSilence = 5 * time.Minute

// Stalled reports whether there was no message for longer than twice the longest usual
// silence of the phase (at least five minutes), or for [ContainerTimeout] where nothing is
// usual. now is by the server's clock. Only a run that goes on stalls.
func (p Progress) Stalled(u UsualTimes, now adminapi.Millis) (Stall, bool) {
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
