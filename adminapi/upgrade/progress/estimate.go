package progress

import (
	"fmt"
	"slices"
	"time"

	"geodeck/adminapi"
)

// Estimate is how long a run still takes, and how that was found out.
type Estimate struct {
	Left time.Duration // zero where Late
	Late bool          // it takes longer than what it is compared with
	Runs int           // earlier runs of its kind; 0: it is the first
	// Done and Total are the deployments whose rate decides; zero where the times of earlier
	// runs do.
	Done, Total int
	Rest        []time.Duration // of each of [Phases], as far as it is known of each
}

const (
	// minCounted is how many deployments a first run has to have for a rate.
	minCounted = 2
	// usualWeight is for how many deployments the rate of earlier runs counts.
	usualWeight = 4
	// paceWeight is for how long earlier runs count against the pace of this one.
	paceWeight = 3 * time.Minute
	// lateAfter is how long a phase may exceed its usual time, or half of that, before the run is
	// late.
	lateAfter = 2 * time.Minute
)

// afterCounted is how long the rest of a first run takes once all deployments are upgraded,
// relative to what came before them. Earlier runs replace it.
var afterCounted = map[RunKind]float64{PatchRun: 1.3, ReleaseRun: 0.8, RollbackRun: 1.1}

// Estimate returns how long a run goes on: by the rate of its deployments, and the usual times
// of the other phases at its pace. A run without earlier ones of its kind is estimated by its
// deployments alone. ok is false where nothing is known to compare with, in a stall, on the way
// back of a patch, and where the run does not go on. now is by the server's clock.
func (u UsualTimes) Estimate(p Progress, now adminapi.Millis) (e Estimate, ok bool) {
	if _, stalls := p.Stalled(u, now); stalls || p.Meaning != StateRunning || p.Current == "" || p.RolledBack {
		return Estimate{}, false
	}
	if u.Runs == 0 {
		return p.estimateFirst(now)
	}
	e = Estimate{Runs: u.Runs, Rest: make([]time.Duration, len(Phases))}
	pace, furthest := u.pace(p), p.furthest()
	var over, late time.Duration // of the current phase: beyond its time, and how far that may be
	for i, phase := range p.Phases {
		if phase.State == PhaseDone || phase.State == PhaseAbsent || phase.State == PhaseAhead && i < furthest {
			continue
		}
		usual, known := u.Of(p, phase.Name)
		if !known || usual == 0 && phase.Name == p.Current {
			return Estimate{}, false
		}
		expected := scaled(usual, pace)
		if phase.Name == PhaseComponents && p.Total > 0 && p.Done > 0 {
			expected = p.CountedIn
			if p.Done < p.Total {
				e.Done, e.Total = p.Done, p.Total
				expected += time.Duration(p.Total-p.Done) * u.rate(p, pace)
			}
			expected += scaled(u.Rest, pace)
		}
		spent := p.SpentBy(phase.Name, now)
		e.Rest[i] = max(0, expected-spent)
		e.Left += e.Rest[i]
		if phase.Name == p.Current {
			over = spent - expected
			late = max(lateAfter, expected/2)
		}
	}
	// What is short of its end is not said to be so again and again.
	if e.Late = over > late || over >= 0 && e.Left < time.Minute; e.Late {
		e.Left = 0
	}
	return e, true
}

// estimateFirst estimates a first run by the rate of its deployments.
func (p Progress) estimateFirst(now adminapi.Millis) (e Estimate, ok bool) {
	if !p.whole() || p.Done < minCounted || p.Total < p.Done || p.CountedIn <= 0 {
		return Estimate{}, false
	}
	components := slices.Index(Phases, PhaseComponents)
	var before time.Duration
	for _, phase := range p.Phases[:components] {
		before += phase.moving(phase.Spent, UsualTimes{})
	}
	each := p.moving(p.CountedIn, UsualTimes{}) / time.Duration(p.Done)
	counting := p.CountedIn + time.Duration(p.Total-p.Done)*each
	after := scaled(before, afterCounted[p.Kind])
	var spent time.Duration
	for _, phase := range p.Phases[components:] {
		spent += p.SpentBy(phase.Name, now)
	}
	e = Estimate{Done: p.Done, Total: p.Total, Left: max(0, counting+after-spent), Rest: make([]time.Duration, len(Phases))}
	e.Rest[components] = max(0, counting-p.SpentBy(PhaseComponents, now))
	if p.Kind != ReleaseRun { // of a release several phases follow
		e.Rest[len(Phases)-1] = e.Left - min(e.Left, e.Rest[components])
	}
	e.Late = e.Left == 0 || p.Done < p.Total && spent-p.CountedIn > each+max(lateAfter, each)
	if e.Late {
		e.Left = 0
	}
	return e, true
}

// rate returns how long a deployment takes: as in this run so far, and as in earlier ones at its
// pace.
func (u UsualTimes) rate(p Progress, pace float64) time.Duration {
	if !p.whole() {
		return scaled(u.Each, pace)
	}
	counted := p.moving(p.CountedIn, u)
	if u.Each == 0 {
		return counted / time.Duration(p.Done)
	}
	return (counted + usualWeight*scaled(min(u.Each, time.Hour), pace)) / time.Duration(p.Done+usualWeight)
}

// pace returns how long this run takes for what it has done, relative to earlier runs.
func (u UsualTimes) pace(p Progress) float64 {
	took, usual := paceWeight, paceWeight
	if !p.whole() {
		return 1
	}
	for _, phase := range p.Phases {
		of, known := u.Of(p, phase.Name)
		switch {
		case !known || phase.Messages == 0:
		case phase.Name == PhaseComponents && phase.State != PhaseDone:
			if p.Total > 0 && u.Each > 0 {
				took += p.moving(p.CountedIn, u)
				usual += time.Duration(p.Done) * min(u.Each, time.Hour)
			}
		case phase.State == PhaseDone:
			took += min(maxOverrun*of, phase.moving(phase.Spent, u))
			usual += of
		}
	}
	return max(1/maxOverrun, min(maxOverrun, float64(took)/float64(usual)))
}

// whole reports whether the log has the beginning of the run: without it the times of phases say
// little.
func (p Progress) whole() bool { return p.phase(PhaseLaunch).Messages > 0 }

// maxOverrun bounds how much slower or faster a run goes than others.
const maxOverrun = 3.

// moving returns how much of a time in Components counts for its rate.
func (p Progress) moving(spent time.Duration, u UsualTimes) time.Duration {
	return p.phase(PhaseComponents).moving(spent, u)
}

// moving returns how much of a time in a phase counts for its pace: without the longest silence,
// as far as that is not usual. Deployments never pause for long.
func (p PhaseProgress) moving(spent time.Duration, u UsualTimes) time.Duration {
	usual, known := u.Silence[p.Name]
	limit := max(2*usual, minSilence)
	if !known && p.Name != PhaseComponents {
		limit = ContainerTimeout
	}
	if p.Silence > limit && p.Silence-usual < spent {
		return spent - p.Silence + usual
	}
	return spent
}

// furthest returns the index of the last phase with messages.
func (p Progress) furthest() (last int) {
	for i, phase := range p.Phases {
		if phase.Messages > 0 {
			last = i
		}
	}
	return last
}

func scaled(d time.Duration, by float64) time.Duration { return time.Duration(by * float64(d)) }

// Basis says how the estimate was made: "51 of 63 deployments", "like the last run".
func (e Estimate) Basis() string {
	switch {
	case e.Total > 0 && e.Done == e.Total:
		return "by its deployments, first run here"
	case e.Total > 0 && e.Runs == 0:
		return fmt.Sprintf("%d of %d deployments, first run here", e.Done, e.Total)
	case e.Total > 0:
		return fmt.Sprintf("%d of %d deployments", e.Done, e.Total)
	case e.Runs == 1:
		return "like the last run"
	}
	return fmt.Sprintf("like the last %d runs", e.Runs)
}

// String writes the estimate: "about 15 min left", "longer than last time".
func (e Estimate) String() string {
	switch left := e.Left + 30*time.Second; {
	case e.Late && e.Runs == 0:
		return "longer than estimated"
	case e.Late:
		return "longer than last time"
	case e.Left < time.Minute:
		return "less than a minute left"
	case left < time.Hour:
		return fmt.Sprintf("about %d min left", left/time.Minute)
	default:
		return fmt.Sprintf("about %d h %02d min left", left/time.Hour, left%time.Hour/time.Minute)
	}
}
