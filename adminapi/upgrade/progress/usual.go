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
	// Deployments is how many there were, 0 where the run did not count them; CountedIn is how
	// long the run was in Components until the last of them was counted.
	Deployments int
	CountedIn   time.Duration
	ReadOnly    time.Duration // how long the site was read-only
}

// PastRun returns the times of a run.
func (p Progress) PastRun(success bool) PastRun {
	past := PastRun{
		Kind: p.Kind, Success: success, Took: toDuration(p.Last - p.Began),
		Spent: map[string]time.Duration{}, Silence: map[string]time.Duration{},
		Deployments: p.Total, CountedIn: p.CountedIn,
	}
	past.ReadOnly, _ = p.ReadOnlyFor(p.Last)
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
	// Each is how long a deployment takes, 0 where no run counted them; Rest is how long
	// Components takes after the last of them.
	Each, Rest time.Duration
	// ReadOnly is how long the site is read-only, 0 where it never was; Deployments is how many
	// the runs had, 0 where no run counted them.
	ReadOnly    time.Duration
	Deployments int
}

// Of returns how long a phase takes in runs of as many deployments as a run has. It is false
// where nothing is usual.
func (u UsualTimes) Of(p Progress, phase string) (time.Duration, bool) {
	usual, known := u.Spent[phase]
	if phase == PhaseComponents && u.Each > 0 && p.Total > 0 {
		usual = min(time.Duration(p.Total), maxCount)*min(u.Each, time.Hour) + u.Rest
	}
	return usual, known && u.Runs > 0
}

// TookFor returns how long runs of as many deployments take as a run has.
func (u UsualTimes) TookFor(p Progress) time.Duration {
	components, _ := u.Of(p, PhaseComponents)
	return max(0, u.Took+components-u.Spent[PhaseComponents])
}

// UsualTimesOf returns the medians of the runs of a kind that have succeeded, without runs
// whose beginning is missing. A phase that a run skipped took it no time, and counts for
// no silence. Nothing is usual for an unknown kind.
func UsualTimesOf(kind RunKind, past []PastRun) UsualTimes {
	u := UsualTimes{Spent: map[string]time.Duration{}, Silence: map[string]time.Duration{}}
	var took, each, rest, readOnly []time.Duration
	var counts []int
	spent, silence := map[string][]time.Duration{}, map[string][]time.Duration{}
	for _, p := range past {
		if _, whole := p.Spent[PhaseLaunch]; kind == "" || p.Kind != kind || !p.Success || !whole {
			continue
		}
		u.Runs++
		took, readOnly = append(took, p.Took), append(readOnly, p.ReadOnly)
		if p.Deployments > 0 {
			counts = append(counts, p.Deployments)
			each = append(each, p.CountedIn/time.Duration(p.Deployments))
			rest = append(rest, max(0, p.Spent[PhaseComponents]-p.CountedIn))
		}
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
	u.Took, u.ReadOnly = median(took), median(readOnly)
	if len(each) > 0 {
		u.Each, u.Rest, u.Deployments = median(each), median(rest), median(counts)
	}
	for phase, all := range spent {
		u.Spent[phase] = median(all)
	}
	for phase, all := range silence {
		u.Silence[phase] = median(all)
	}
	return u
}

// median returns the middle of a list, which it sorts, or the mean of the middle two.
func median[N ~int | ~int64](all []N) N {
	slices.Sort(all)
	low, high := all[(len(all)-1)/2], all[len(all)/2]
	return low + (high-low)/2
}

// Stall describes a run that has been silent for too long.
type Stall struct {
	Phase string // empty where it is not known
	Quiet time.Duration
	Limit time.Duration
	// Before is the longest silence in the phase so far that Limit comes from: where Usual of earlier
	// runs, else of this one. It is 0 where Limit is the platform's timeout of containers.
	Before time.Duration
	Usual  bool
}

// Basis says in a sentence what the limit comes from.
func (s Stall) Basis() string {
	switch {
	case s.Usual:
		return "Earlier runs were silent for at most " + adminapi.FormatCoarse(s.Before) + "."
	case s.Before > 0:
		return "Before, this phase was silent for at most " + adminapi.FormatCoarse(s.Before) + "."
	}
	return "The platform waits " + adminapi.FormatCoarse(ContainerTimeout) + " for a container."
}

// ContainerTimeout is how long the platform waits for a container to start, unless
// administrators have set containerStartUpTimeoutSeconds.
const ContainerTimeout = 1800 * time.Second

// How long a run may be silent: so many times what earlier runs were, else so many times what it was
// itself since it counts deployments. Even a phase with many messages may pause.
const (
	usualTimes  = 2
	ownTimes    = 5
	leastCounts = 3
	minSilence  = 5 * time.Minute
)

// limit returns how long a phase may be silent that was silent for so long before, 0 where that
// shows nothing.
func (u UsualTimes) limit(phase string, before time.Duration) (s Stall) {
	s = Stall{Phase: phase, Limit: ContainerTimeout}
	usual, known := u.Silence[phase]
	switch {
	case known:
		s.Limit, s.Before, s.Usual = max(usualTimes*usual, minSilence), usual, true
	case before > 0 && before < ContainerTimeout/ownTimes:
		s.Limit, s.Before = max(ownTimes*before, minSilence), before
	}
	return s
}

// StallOf returns when a phase was silent for longest, if that was a stall as in
// [Progress.Stalled].
func (u UsualTimes) StallOf(phase PhaseProgress) (Span, bool) {
	limit := u.limit(phase.Name, phase.Before).Limit
	return Span{phase.SilentFrom, phase.SilentFrom + adminapi.Millis(phase.Silence/time.Millisecond)}, phase.Silence > limit
}

// Stalled reports whether there was no message for longer than twice the longest usual
// silence of the phase; where nothing is usual for longer than five times what this run showed
// since it counts deployments (both at least five minutes), else for [ContainerTimeout]. now is by
// the server's clock. Only a run that goes on stalls.
func (p Progress) Stalled(u UsualTimes, now adminapi.Millis) (Stall, bool) {
	if p.Meaning != StateRunning {
		return Stall{}, false
	}
	phase, before := p.phase(p.Current), time.Duration(0)
	if phase.Counts >= leastCounts {
		before = phase.Silence
	}
	s := u.limit(p.Current, before)
	s.Quiet = p.sinceLast(now)
	return s, s.Quiet > s.Limit
}
