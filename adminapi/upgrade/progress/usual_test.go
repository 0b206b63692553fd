package progress_test

import (
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

// past is a run of a release that spent so many seconds in its phases, and was
// silent for half of that.
func past(seconds map[string]int) progress.PastRun {
	p := progress.PastRun{
		Kind: progress.ReleaseRun, Success: true,
		Spent: map[string]time.Duration{progress.PhaseLaunch: secs(1)}, Silence: map[string]time.Duration{progress.PhaseLaunch: secs(1)},
	}
	for phase, n := range seconds {
		p.Spent[phase], p.Silence[phase] = secs(n), secs(n)/2
		p.Took += secs(n)
	}
	return p
}

const pg, components, search = progress.PhasePostgreSQL, progress.PhaseComponents, progress.PhaseSearch

// history is what the tests take for usual: 600 s in PostgreSQL, 1000 in
// Components, none in Search, which one run went through.
func history() []progress.PastRun {
	return []progress.PastRun{
		past(map[string]int{pg: 600, components: 1000}),
		past(map[string]int{pg: 500, components: 900, search: 50}),
		past(map[string]int{pg: 9000, components: 5000}),
	}
}

func TestUsualTimesAreTheMiddleOfRunsOfTheSameKindThatSucceeded(t *testing.T) {
	t.Parallel()
	other, failed, cut := past(map[string]int{pg: 1}), past(map[string]int{pg: 2}), past(map[string]int{pg: 3})
	other.Kind, failed.Success = progress.PatchRun, false
	delete(cut.Spent, progress.PhaseLaunch)
	u := progress.UsualTimesOf(progress.ReleaseRun, append(history(), other, failed, cut))
	if u.Runs != 3 || u.Took != secs(1600) || u.Spent[pg] != secs(600) || u.Spent[components] != secs(1000) || u.Spent[search] != 0 {
		t.Errorf("%+v", u)
	}
	if u.Silence[pg] != secs(300) || u.Silence[search] != secs(25) {
		t.Errorf("silences: %v", u.Silence)
	}
	if _, known := u.Silence[progress.PhaseContent]; known {
		t.Error("a phase that no run went through has a usual silence")
	}
	counted := history()
	for i, readOnly := range []int{700, 900, 1000} {
		counted[i].ReadOnly, counted[i].Deployments = secs(readOnly), 60+i
	}
	if u := progress.UsualTimesOf(progress.ReleaseRun, counted); u.ReadOnly != secs(900) || u.Deployments != 61 {
		t.Errorf("read-only for %v, of %d deployments", u.ReadOnly, u.Deployments)
	}
	if u := progress.UsualTimesOf(progress.ReleaseRun, history()[:2]); u.Spent[pg] != secs(550) {
		t.Errorf("of two runs: %v", u.Spent[pg])
	}
	for name, u := range map[string]progress.UsualTimes{
		"nothing": progress.UsualTimesOf(progress.ReleaseRun, nil), "another kind": progress.UsualTimesOf(progress.RollbackRun, history()),
		"an unknown kind": progress.UsualTimesOf("", []progress.PastRun{{Success: true, Spent: map[string]time.Duration{progress.PhaseLaunch: 1}}}),
	} {
		if u.Runs != 0 {
			t.Errorf("%s: %+v", name, u)
		}
	}
}

func TestARunIsRememberedByItsPhases(t *testing.T) {
	t.Parallel()
	p := progress.Of(logOf(logged{0, 2010, "11.5 12.0"}, logged{10, 2108, ""}, logged{70, 2109, ""}, logged{80, 2101, ""}), progress.StateSucceeded).PastRun(true)
	if p.Kind != progress.ReleaseRun || !p.Success || p.Took != secs(80) || len(p.Spent) != 3 || p.Spent[pg] != secs(70) || p.Silence[pg] != secs(60) {
		t.Errorf("%+v", p)
	}
	if p := progress.Of(logOf(), progress.StateUnknown).PastRun(false); p.Took != 0 || len(p.Spent) != 0 {
		t.Errorf("of nothing: %+v", p)
	}
}

func TestWhatIsLeftFollowsFromEarlierRuns(t *testing.T) {
	t.Parallel()
	usual := progress.UsualTimesOf(progress.ReleaseRun, history())
	inPG := []logged{{0, 2010, "11.5 12.0"}, {10, 2108, ""}}
	inSearch := append(inPG[:2:2], logged{100, 2109, ""}, logged{110, 2191, ""})
	for name, c := range map[string]struct {
		log     []logged
		usual   progress.UsualTimes
		meaning progress.State
		now     int
		left    int
		ok      bool
	}{
		"in the first of two":             {inPG, usual, progress.StateRunning, 110, 500 + 1000, true},
		"slower than usual":               {append(inPG[:2:2], logged{500, 2144, ""}), usual, progress.StateRunning, 1000, 0, true},
		"far slower than usual":           {append(inPG[:2:2], logged{1700, 2144, ""}), usual, progress.StateRunning, 1900, 0, true},
		"it stalls":                       {inPG, usual, progress.StateRunning, 10_000, 0, false},
		"the clock was set back":          {inPG, usual, progress.StateRunning, -500, 600 + 1000, true},
		"both at once":                    {append(inPG[:2:2], logged{110, 2101, ""}), usual, progress.StateRunning, 210, 500 + 900, true},
		"a phase was skipped":             {[]logged{{0, 2010, ""}, {10, 2101, ""}}, usual, progress.StateRunning, 110, 900, true},
		"nothing left, and not done":      {[]logged{{0, 2010, ""}, {10, 2101, ""}, {900, 2038, ""}}, usual, progress.StateRunning, 1500, 0, true},
		"no history":                      {inPG, progress.UsualTimes{}, progress.StateRunning, 110, 0, false},
		"a phase without a usual time":    {inSearch, usual, progress.StateRunning, 120, 0, false},
		"history of this phase only":      {inPG, progress.UsualTimes{Runs: 1, Spent: map[string]time.Duration{pg: 1}}, progress.StateRunning, 110, 0, false},
		"it has failed":                   {inPG, usual, progress.StateFailed, 110, 0, false},
		"it has succeeded":                {inPG, usual, progress.StateSucceeded, 110, 0, false},
		"nobody knows whether it goes on": {inPG, usual, progress.StateUnknown, 110, 0, false},
		"nothing told yet":                {nil, usual, progress.StateRunning, 110, 0, false},
	} {
		e, ok := c.usual.Estimate(progress.Of(logOf(c.log...), c.meaning), at(c.now))
		if e.Left < secs(c.left) || e.Left > secs(c.left+c.left/50) || ok != c.ok || e.Late != (ok && c.left == 0) {
			t.Errorf("%s: %+v, %v", name, e, ok)
		}
	}
}

// A15: without earlier runs a run is measured by itself, once it has counted deployments.
func TestARunIsMeasuredByWhatItShowed(t *testing.T) {
	t.Parallel()
	log := []logged{{0, 2010, "11.5 12.0"}, {10, 2101, "arcgis-a"}, {50, 2175, "1 of 59"}, {100, 2175, "2 of 59"}}
	third := append(log[:4:4], logged{190, 2175, "3 of 59"})
	open := append(third[:5:5], logged{191, 2101, "Upgrade of the deployment arcgis-web-proxy-nny8f begins."})
	later := append(open[:6:6], logged{900, 2175, "4 of 59"})
	for name, c := range map[string]struct {
		log    []logged
		limit  int
		before int
		basis  string
	}{
		"two deployments show nothing": {log, 1800, 0, "The platform waits 30 min for a container."},
		"five times its silence":       {third, 450, 90, "Before, this phase was silent for at most 1 min."},
		"a stall that has passed":      {later, 1800, 0, "The platform waits 30 min for a container."},
	} {
		p := progress.Of(logOf(c.log...), progress.StateRunning)
		s, stalls := p.Stalled(progress.UsualTimes{}, p.Last+adminapi.Millis(1000*c.limit+1))
		if !stalls || s.Limit != secs(c.limit) || s.Before != secs(c.before) || s.Basis() != c.basis {
			t.Errorf("%s: %+v, %v: %s", name, s, stalls, s.Basis())
		}
		if _, early := p.Stalled(progress.UsualTimes{}, p.Last+adminapi.Millis(1000*c.limit)); early {
			t.Errorf("%s: it stalls at once", name)
		}
	}
	usual := progress.UsualTimes{Runs: 1, Silence: map[string]time.Duration{progress.PhaseComponents: secs(400)}}
	if s, _ := progress.Of(logOf(open...), progress.StateRunning).Stalled(usual, at(9000)); s.Limit != secs(800) || s.Basis() != "Earlier runs were silent for at most 6 min." {
		t.Errorf("an earlier run does not count: %+v, %s", s, s.Basis())
	}
	if _, stalled := (progress.UsualTimes{}).StallOf(phaseOf(progress.Of(logOf(later...), progress.StateRunning), progress.PhaseComponents)); !stalled {
		t.Error("a stall that has passed is not one any more")
	}
}

func TestARunThatIsSilentForTooLongStalls(t *testing.T) {
	t.Parallel()
	usual := progress.UsualTimesOf(progress.ReleaseRun, history()) // silent for 300 s in PostgreSQL, for 500 s in Components
	inPG := []logged{{0, 2010, "11.5 12.0"}, {10, 2108, ""}}
	quick := progress.UsualTimes{Runs: 1, Silence: map[string]time.Duration{pg: secs(3)}}
	for name, c := range map[string]struct {
		log     []logged
		usual   progress.UsualTimes
		meaning progress.State
		quiet   int
		limit   int
		isUsual bool
		stalls  bool
	}{
		"twice the usual":           {inPG, usual, progress.StateRunning, 601, 600, true, true},
		"not yet":                   {inPG, usual, progress.StateRunning, 600, 600, true, false},
		"at least five minutes":     {inPG, quick, progress.StateRunning, 301, 300, true, true},
		"five minutes are no stall": {inPG, quick, progress.StateRunning, 300, 300, true, false},
		"no history":                {inPG, progress.UsualTimes{}, progress.StateRunning, 1801, 1800, false, true},
		"no history, waiting":       {inPG, progress.UsualTimes{}, progress.StateRunning, 1800, 1800, false, false},
		"history of other phases":   {append(inPG[:2:2], logged{10, 2187, ""}), usual, progress.StateRunning, 1801, 1800, false, true},
		"the clock was set back":    {inPG, usual, progress.StateRunning, -5000, 600, true, false},
		"it has ended":              {inPG, usual, progress.StateSucceeded, 9000, 0, false, false},
		"it has failed":             {inPG, usual, progress.StateFailed, 9000, 0, false, false},
		"its state is unknown":      {inPG, usual, progress.StateUnknown, 9000, 0, false, false},
		"an unknown code is a word": {append(inPG[:2:2], logged{300, 9999, ""}), usual, progress.StateRunning, 601 - 290, 600, true, false},
	} {
		p := progress.Of(logOf(c.log...), c.meaning)
		s, stalls := p.Stalled(c.usual, p.Last+adminapi.Millis(1000*c.quiet))
		if stalls != c.stalls || s.Limit != secs(c.limit) || s.Usual != c.isUsual {
			t.Errorf("%s: %+v, %v", name, s, stalls)
		}
		if stalls && (s.Quiet != secs(c.quiet) || s.Phase != p.Current) {
			t.Errorf("%s: %+v", name, s)
		}
	}
	if s, stalls := progress.Of(logOf(), progress.StateRunning).Stalled(usual, at(99999)); stalls {
		t.Errorf("nothing was told, and yet: %+v", s)
	}
}
