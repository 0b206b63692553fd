package progress_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
)

// logged is a message: its time in seconds, its code and its text.
type logged struct {
	at   int
	code int
	text string
}

func logOf(messages ...logged) progress.Log {
	m := progress.NewMerger(progress.LogBudget)
	m.Merge(asMessages(messages))
	return m.Log()
}

func asMessages(messages []logged) (list []adminapi.UpgradeMessage) {
	for _, t := range messages {
		list = append(list, adminapi.UpgradeMessage{Code: t.code, Message: t.text, When: at(t.at)})
	}
	return list
}

// at is a moment of the server's clock, some seconds after the test begins.
func at(seconds int) adminapi.Millis { return adminapi.Millis(1_700_000_000_000 + 1000*seconds) }

func secs(n int) time.Duration { return time.Duration(n) * time.Second }

func phaseOf(p progress.Progress, name string) progress.PhaseProgress {
	return p.Phases[slices.IndexFunc(p.Phases, func(one progress.PhaseProgress) bool { return one.Name == name })]
}

func openCodes(p progress.Progress) (codes []int) {
	for _, s := range p.Open {
		codes = append(codes, s.Code.Code)
	}
	return codes
}

// wholeRelease is the log of a small release from its first message to its last.
var wholeRelease = []logged{
	{0, 2010, "Upgrade von 11.5.0.6835 auf 12.0.0.7286"}, {3, 2287, ""}, {60, 2288, ""}, {70, 2270, ""}, {80, 2168, ""},
	{90, 2271, ""}, {100, 2165, ""}, {110, 2108, ""}, {120, 2144, ""}, {400, 2145, ""},
	{402, 2153, `{"stores":[{"name":"relational","status":"completed"}]}`}, {500, 2109, ""},
	{510, 2134, "WEB_PROXY"}, {511, 2101, "web-proxy-1"}, {512, 2101, "web-proxy-2"}, {550, 9876, "Neues von nirgendwo"},
	{600, 2103, "web-proxy-1: 89 s"}, {601, 2175, "1 von 2 nach 10 min"}, {650, 2103, "web-proxy-2"}, {651, 2175, "2 von 2"},
	{652, 2132, "WEB_PROXY"}, {700, 2179, ""}, {710, 2187, ""}, {800, 2188, ""}, {810, 2191, ""}, {1000, 2192, ""},
	{1010, 2166, ""}, {1020, 2012, ""}, {1023, 2011, "17 min 3 s"},
}

func TestAReleaseIsFoldedIntoItsPhases(t *testing.T) {
	t.Parallel()
	p := progress.Of(logOf(wholeRelease...), progress.StateSucceeded)
	if p.Kind != progress.ReleaseRun || p.From != "11.5.0.6835" || p.To != "12.0.0.7286" || p.Began != at(0) || p.Last != at(1023) {
		t.Errorf("%q %+v", p.Kind, p.Run)
	}
	if p.Done != 2 || p.Total != 2 || p.Took != secs(1023) || p.Messages != len(wholeRelease) || p.UnknownCodes != 1 {
		t.Errorf("%d of %d, %v, %d and %d messages", p.Done, p.Total, p.Took, p.Messages, p.UnknownCodes)
	}
	if p.ReadOnly != (progress.ReadOnly{From: at(100), To: at(1010)}) || p.Stores == nil || p.Stores.Rows[0][0] != "relational" {
		t.Errorf("%+v, %+v", p.ReadOnly, p.Stores)
	}
	if len(p.Open) != 0 || p.Current != progress.PhaseFinish {
		t.Errorf("%v in %s", p.Open, p.Current)
	}
	want := map[string]progress.PhaseProgress{
		progress.PhaseLaunch:      {Began: at(0), Spent: secs(13), Silence: secs(10), Messages: 2},
		progress.PhaseDiagnostics: {Began: at(3), Spent: secs(67), Silence: secs(57), Messages: 2},
		progress.PhasePlan:        {Began: at(70), Spent: secs(30), Silence: secs(10), Messages: 3},
		progress.PhasePostgreSQL:  {Began: at(110), Spent: secs(400), Silence: secs(280), Messages: 5},
		progress.PhaseComponents:  {Began: at(510), Spent: secs(190), Silence: secs(50), Messages: 8},
		progress.PhaseContent:     {Began: at(700), Spent: secs(110), Silence: secs(90), Messages: 3},
		progress.PhaseSearch:      {Began: at(810), Spent: secs(200), Silence: secs(190), Messages: 2},
		progress.PhaseFinish:      {Began: at(1010), Spent: secs(13), Silence: secs(10), Messages: 3},
	}
	for i, name := range progress.Phases {
		w := want[name]
		w.Name, w.State = name, progress.PhaseDone
		got := p.Phases[i]
		if got.Spans, got.SilentFrom, got.Counts = nil, 0, 0; !reflect.DeepEqual(got, w) {
			t.Errorf("%+v\nwant %+v", p.Phases[i], w)
		}
	}
	launch := phaseOf(p, progress.PhaseLaunch) // goes on after the plan
	if want := []progress.Span{{From: at(0), To: at(3)}, {From: at(80), To: at(90)}}; !slices.Equal(launch.Spans, want) || launch.SilentFrom != at(80) {
		t.Errorf("%+v, silent from %v", launch.Spans, launch.SilentFrom)
	}
}

// However often a log goes from phase to phase, a phase has few spans, and they cover all of it.
func TestSpansAreFew(t *testing.T) {
	t.Parallel()
	log := []logged{{0, 2010, ""}}
	for i := range 300 {
		log = append(log, logged{10 * (i + 1), []int{2144, 2101}[i%2], ""})
	}
	spans := phaseOf(progress.Of(logOf(log...), progress.StateRunning), progress.PhasePostgreSQL).Spans
	if len(spans) > 8 || spans[0].From != at(10) || spans[len(spans)-1].To != at(3000) {
		t.Errorf("%d spans, %+v", len(spans), spans)
	}
}

func TestAPatchHasNoPhasesOfARelease(t *testing.T) {
	t.Parallel()
	patch := []logged{{0, 2010, "11.5.0.6745 11.5.0.6805"}, {9, 2173, "1 of 13"}}
	if s := phaseOf(progress.Of(logOf(patch...), progress.StateRunning), pg).State; s != progress.PhaseAbsent {
		t.Errorf("PostgreSQL is %v in a patch", s)
	}
	if s := phaseOf(progress.Of(logOf(append(patch, logged{20, 2187, ""})...), progress.StateRunning), progress.PhaseContent).State; s != progress.PhaseOpen {
		t.Errorf("Content is %v in a patch that updates it", s)
	}
	if s := phaseOf(progress.Of(logOf(wholeRelease[:4]...), progress.StateRunning), pg).State; s != progress.PhaseAhead {
		t.Errorf("PostgreSQL is %v in a release", s)
	}
}

func TestWhatWasBegunAndNotCompletedIsOpen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		log  []logged
		open []int
	}{
		"nothing": {nil, nil},
		"the run and its read-only time are no steps":  {[]logged{{0, 2010, ""}, {1, 2165, ""}}, nil},
		"a step within a step":                         {[]logged{{1, 2108, ""}, {2, 2144, ""}}, []int{2108, 2144}},
		"the inner one is done":                        {[]logged{{1, 2108, ""}, {2, 2144, ""}, {3, 2145, ""}}, []int{2108}},
		"the outer one is done, the inner goes on":     {[]logged{{1, 2108, ""}, {2, 2144, ""}, {3, 2109, ""}}, []int{2144}},
		"two of a sort, one done":                      {[]logged{{1, 2101, ""}, {2, 2101, ""}, {3, 2103, ""}}, []int{2101}},
		"sent in the wrong order":                      {[]logged{{5, 2288, ""}, {3, 2287, ""}}, nil},
		"sent in the wrong order at the same time":     {[]logged{{5, 2288, ""}, {5, 2287, ""}}, nil},
		"two reversed at the same time":                {[]logged{{5, 2103, "b-1"}, {5, 2103, "a-1"}, {5, 2101, "a-1"}, {5, 2101, "b-1"}}, nil},
		"another deployment begins as one ends":        {[]logged{{1, 2101, "a-1"}, {5, 2103, "a-1"}, {5, 2101, "b-1"}}, []int{2101}},
		"one ends whose start is lost, another begins": {[]logged{{5, 2103, "a-1"}, {5, 2101, "b-1"}}, []int{2101}},
		"an end without a start":                       {[]logged{{1, 2103, ""}, {2, 2101, ""}}, []int{2101}},
		"the upgrader is launched":                     {[]logged{{1, 2270, ""}, {2, 2168, ""}}, []int{2168}},
		"and the plan goes on":                         {[]logged{{1, 2270, ""}, {2, 2168, ""}, {3, 2271, ""}}, nil},
		"of modules only the last is known to go on":   {[]logged{{1, 2291, "a"}, {2, 2291, "b"}}, []int{2291}},
		"a module until the content":                   {[]logged{{1, 2291, "a"}, {2, 2038, ""}, {3, 2179, ""}}, []int{2179}},
		"a late word of an earlier phase ends nothing": {[]logged{{1, 2291, "a"}, {2, 2151, ""}}, []int{2291}},
		"content until the search":                     {[]logged{{1, 2179, ""}, {2, 2187, ""}, {3, 2191, ""}}, []int{2187, 2191}},
		"unknown codes end nothing":                    {[]logged{{1, 2168, ""}, {2, 9999, ""}}, []int{2168}},
		"only the end has a name":                      {[]logged{{1, 2101, ""}, {2, 2103, "a-1"}}, nil},
	} {
		p := progress.Of(logOf(c.log...), progress.StateRunning)
		if got := openCodes(p); !slices.Equal(got, c.open) {
			t.Errorf("%s: %v, want %v", name, got, c.open)
		}
		now, goesOn := p.Now()
		if goesOn != (len(c.open) > 0) || goesOn && now.Code.Code != c.open[len(c.open)-1] {
			t.Errorf("%s: now %+v, %v", name, now, goesOn)
		}
	}
}

func TestDeploymentsSideBySideAreToldApartByTheirNames(t *testing.T) {
	t.Parallel()
	start := []logged{{1, 2101, "Bereitstellung arcgis-a-1 beginnt"}, {2, 2101, "Bereitstellung arcgis-b-1 beginnt"}, {3, 2101, "Bereitstellung arcgis-c-1 beginnt"}}
	for text, want := range map[string][]string{
		"Bereitstellung arcgis-a-1 fertig nach 45 s": {"arcgis-b-1", "arcgis-c-1"},
		"arcgis-b-1（3秒）":                             {"arcgis-a-1", "arcgis-c-1"},
		"fertig":                                     {"arcgis-a-1", "arcgis-b-1"},
		"Bereitstellung arcgis-z-1 fertig":           {"arcgis-a-1", "arcgis-b-1", "arcgis-c-1"},
	} {
		p := progress.Of(logOf(append(slices.Clone(start), logged{4, 2103, text})...), progress.StateRunning)
		var got []string
		for _, s := range p.Open {
			got = append(got, s.Text[len("Bereitstellung "):len("Bereitstellung arcgis-a-1")])
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: %v go on, want %v", text, got, want)
		}
	}
	plain := progress.Of(logOf(logged{1, 2134, "Portal begins"}, logged{2, 2134, "Ingress begins"}, logged{3, 2132, "Portal ended"}), progress.StateRunning)
	if len(plain.Open) != 1 || plain.Open[0].Text != "Ingress begins" || plain.Open[0].Since != at(2) {
		t.Errorf("%+v", plain.Open)
	}
}

func TestTheStatesOfPhases(t *testing.T) {
	t.Parallel()
	const ahead, open, done, stopped = progress.PhaseAhead, progress.PhaseOpen, progress.PhaseDone, progress.PhaseStopped
	log := logOf(logged{0, 2010, ""}, logged{1, 2108, ""}, logged{2, 2101, "a"})
	for meaning, want := range map[progress.State][]progress.PhaseState{
		progress.StateRunning:   {done, ahead, ahead, open, open, ahead, ahead, ahead},
		progress.StateUnknown:   {done, ahead, ahead, open, open, ahead, ahead, ahead},
		progress.StateFailed:    {done, ahead, ahead, stopped, stopped, ahead, ahead, ahead},
		progress.StateSucceeded: {done, ahead, ahead, done, done, ahead, ahead, ahead},
	} {
		p := progress.Of(log, meaning)
		for i, w := range want {
			if p.Phases[i].State != w {
				t.Errorf("%v, %s: %v, want %v", meaning, p.Phases[i].Name, p.Phases[i].State, w)
			}
		}
		if _, goesOn := p.Now(); goesOn != (meaning == progress.StateRunning || meaning == progress.StateUnknown) {
			t.Errorf("%v: something goes on: %v", meaning, goesOn)
		}
	}
}

// A state that nobody knows leaves what the log says: the run has ended.
func TestTheLastPhaseIsDoneOnceTheLogSaysThatTheRunHasEnded(t *testing.T) {
	t.Parallel()
	log := []logged{{0, 2010, ""}, {1, 2101, "a"}, {2, 2103, "a"}, {3, 2166, ""}, {4, 2012, ""}, {5, 2011, ""}}
	for n, want := range map[int]progress.PhaseState{5: progress.PhaseOpen, 6: progress.PhaseDone} {
		if got := phaseOf(progress.Of(logOf(log[:n]...), progress.StateUnknown), progress.PhaseFinish).State; got != want {
			t.Errorf("after %d messages: %v", n, got)
		}
	}
	never := slices.Delete(slices.Clone(log), 2, 3)
	if got := phaseOf(progress.Of(logOf(never...), progress.StateUnknown), progress.PhaseComponents).State; got != progress.PhaseOpen {
		t.Errorf("with a deployment that nobody has completed: %v", got)
	}
}

func TestAnEarlyMessageMakesNoPhaseDone(t *testing.T) {
	t.Parallel()
	early := []logged{{0, 2010, ""}, {1, 2287, ""}, {2, 2038, ""}, {3, 2288, ""}}
	p := progress.Of(logOf(early...), progress.StateRunning)
	if got := phaseOf(p, progress.PhaseComponents).State; got != progress.PhaseOpen {
		t.Errorf("Components: %v", got)
	}
	p = progress.Of(logOf(append(early, logged{9, 2187, ""})...), progress.StateRunning)
	if got := phaseOf(p, progress.PhaseComponents).State; got != progress.PhaseDone {
		t.Errorf("Components, when the content is updated: %v", got)
	}
}

func TestPhasesMayInterleave(t *testing.T) {
	t.Parallel()
	p := progress.Of(logOf(logged{0, 2108, ""}, logged{10, 2101, "a"}, logged{15, 2090, ""}, logged{40, 2103, "a"}), progress.StateRunning)
	pg, components := phaseOf(p, progress.PhasePostgreSQL), phaseOf(p, progress.PhaseComponents)
	if pg.Spent != secs(35) || pg.Silence != secs(25) || components.Spent != secs(5) || components.Began != at(10) || p.Current != progress.PhaseComponents {
		t.Errorf("%+v %+v in %s", pg, components, p.Current)
	}
	if got := p.SpentBy(progress.PhaseComponents, at(100)); got != secs(65) {
		t.Errorf("the current phase has taken %v", got)
	}
	if got := p.SpentBy(progress.PhasePostgreSQL, at(100)); got != secs(35) {
		t.Errorf("the other phase has taken %v", got)
	}
	failed := progress.Of(logOf(logged{0, 2108, ""}, logged{10, 2101, "a"}), progress.StateFailed)
	if failed.FailedBy = at(70); failed.SpentBy(progress.PhaseComponents, at(1000)) != secs(60) || failed.SpentBy(progress.PhasePostgreSQL, at(1000)) != secs(10) {
		t.Errorf("until its failure was seen: %v and %v", failed.SpentBy(progress.PhaseComponents, at(1000)), failed.SpentBy(progress.PhasePostgreSQL, at(1000)))
	}
	if got := p.SpentBy(progress.PhaseComponents, at(-100)); got != secs(5) {
		t.Errorf("with the clock set back: %v", got)
	}
}

func TestOnlyTheNewestRunCounts(t *testing.T) {
	t.Parallel()
	log := append(slices.Clone(wholeRelease), logged{5000, 2010, "12.0.0.7286 -> 12.0.0.7300"}, logged{5010, 2291, "a"})
	p := progress.Of(logOf(log...), progress.StateRunning)
	if p.Messages != 2 || p.Began != at(5000) || p.To != "12.0.0.7300" || p.Kind != progress.PatchRun || p.Total != 0 || p.Stores != nil ||
		!p.ReadOnly.From.IsZero() || p.Took != 0 || p.UnknownCodes != 0 {
		t.Errorf("%+v", p)
	}
}

func TestTheKindOfARun(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		log  []logged
		want progress.RunKind
	}{
		"no versions":                       {[]logged{{0, 2010, ""}}, ""},
		"another build":                     {[]logged{{0, 2010, "11.5.0.6745 -> 11.5.0.6805"}}, progress.PatchRun},
		"another version":                   {[]logged{{0, 2010, "10.9 -> 10.9.1"}}, progress.ReleaseRun},
		"back":                              {[]logged{{0, 2010, "11.5.0.6805 -> 11.5.0.6745"}, {1, 2291, ""}}, progress.RollbackRun},
		"a module":                          {[]logged{{0, 2291, ""}}, progress.PatchRun},
		"a deployment, with a patch":        {[]logged{{0, 2101, ""}, {1, 2291, ""}}, progress.ReleaseRun},
		"a patch first":                     {[]logged{{0, 2291, ""}, {1, 2101, ""}}, progress.ReleaseRun},
		"a release that names it backwards": {[]logged{{0, 2010, "auf 12.0 von 11.5"}, {1, 2108, ""}}, progress.ReleaseRun},
	} {
		if p := progress.Of(logOf(c.log...), progress.StateRunning); p.Kind != c.want {
			t.Errorf("%s: %q, want %q", name, p.Kind, c.want)
		} else if ahead := p.Phases[slices.Index(progress.Phases, progress.PhaseDiagnostics)].State == progress.PhaseAhead; ahead == (p.Kind == progress.RollbackRun) {
			t.Errorf("%s: diagnostics are ahead: %v", name, ahead)
		}
	}
}

// A patch that fails is taken back by a second plan, whose counts are no progress.
func TestCountsOfTheWayBack(t *testing.T) {
	t.Parallel()
	patch := []logged{{0, 2010, "11.5.0.6745 -> 11.5.0.6805"}, {1, 2271, ""}, {2, 2291, ""}, {3, 2173, "1 of 13"}, {4, 2173, "2 of 13"}}
	back := []logged{{5, 2270, ""}, {6, 2271, ""}, {7, 2291, ""}, {8, 2173, "1 of 2"}}
	for name, c := range map[string]struct {
		log        []logged
		rolledBack bool
		done       int
	}{
		"on the way":                 {patch, false, 2},
		"before it counts back":      {append(slices.Clone(patch), back[:3]...), false, 2},
		"its plan says so":           {append(slices.Clone(patch), logged{5, 2270, "A plan for the rollback from 11.5.0.6805 to 11.5.0.6745 is ready."}), true, 0},
		"it counts back":             {append(slices.Clone(patch), back...), true, 1},
		"it does more on its way":    {append(append(slices.Clone(patch), back...), logged{9, 2180, ""}), true, 1},
		"as many, and it says so":    {append(slices.Clone(patch), logged{5, 2270, "The rollback is planned."}, logged{6, 2271, ""}, logged{8, 2173, "1 of 13"}), true, 1},
		"the same plan, begun anew":  {append(slices.Clone(patch), logged{5, 2270, ""}, logged{6, 2271, ""}, logged{8, 2173, "3 of 13"}), false, 3},
		"read-only mode begins late": {append(slices.Clone(patch), logged{5, 2165, ""}, logged{8, 2173, "3 of 13"}), false, 3},
		"of another release":         {append([]logged{{0, 2010, "11.5.0.6745 -> 12.0.0.7286"}}, append(patch[1:], back...)...), false, 1},
		"the first count is no text": {append(append(slices.Clone(patch[:3]), logged{3, 2173, "one of them"}), logged{5, 2270, ""}, logged{6, 2271, ""}, logged{8, 2173, "3 of 13"}), false, 3},
		"a rollback is one plan":     {[]logged{{0, 2010, "11.5.0.6805 -> 11.5.0.6745"}, {1, 2271, ""}, {3, 2173, "1 of 13"}}, false, 1},
	} {
		if p := progress.Of(logOf(c.log...), progress.StateRunning); p.RolledBack != c.rolledBack || p.Done != c.done {
			t.Errorf("%s: %v, %d of %d", name, p.RolledBack, p.Done, p.Total)
		} else if p.RolledBack != (p.StoppedIn() == progress.PhaseComponents) {
			t.Errorf("%s: it has stopped in %q", name, p.StoppedIn())
		}
		// A plan alone has undone nothing yet.
		if p := progress.Of(logOf(c.log...), progress.StateFailed); p.RolledBack != (c.rolledBack && name != "its plan says so") {
			t.Errorf("%s, and it has failed: %v", name, p.RolledBack)
		}
		if p := progress.Of(logOf(c.log...), progress.StateSucceeded); p.RolledBack {
			t.Errorf("%s, and it has succeeded: rolled back", name)
		}
		if p := progress.Of(logOf(c.log...), progress.StateUnknown); p.StoppedIn() != "" {
			t.Errorf("%s, and its state is unknown: stopped in %s", name, p.StoppedIn())
		}
	}
}

// Whether a rollback that fails has gone back is not known: each phase with messages has its state, and what was counted by
// another plan is on one version or the other.
func TestARollbackThatFailsOnASecondPlan(t *testing.T) {
	t.Parallel()
	log := []logged{{0, 2010, "11.5.0.6835 -> 11.5.0.6805"}, {1, 2270, "A plan is ready."}, {2, 2271, ""}, {3, 2165, ""}, {4, 2291, ""}, {5, 2173, "4 of 13"},
		{6, 2270, "The rollback is planned."}, {7, 2271, ""}, {8, 2173, "5 of 5"}, {9, 2166, ""}}
	p := progress.Of(logOf(log...), progress.StateFailed)
	finish := p.Phases[slices.Index(progress.Phases, progress.PhaseFinish)]
	if p.Kind != progress.RollbackRun || p.RolledBack || p.StoppedIn() != progress.PhaseComponents || finish.Messages != 1 || finish.State != progress.PhaseDone {
		t.Errorf("a %s, undone: %v, stopped in %s, its end is %s with %d messages", p.Kind, p.RolledBack, p.StoppedIn(), finish.State, finish.Messages)
	}
	if p.Total != 0 {
		t.Errorf("%d of %d deployments", p.Done, p.Total)
	}
	if p := progress.Of(logOf(log[:6]...), progress.StateFailed); p.Done != 4 {
		t.Errorf("by its first plan %d of %d deployments", p.Done, p.Total)
	}
}

func TestTheReadOnlyTime(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		log     []logged
		meaning progress.State
		want    progress.ReadOnly
		lasts   time.Duration // by second 100
	}{
		"never":                    {[]logged{{0, 2010, ""}}, progress.StateRunning, progress.ReadOnly{}, 0},
		"it lasts":                 {[]logged{{10, 2165, ""}, {20, 2165, ""}}, progress.StateRunning, progress.ReadOnly{From: at(10)}, secs(90)},
		"it is over":               {[]logged{{10, 2165, ""}, {30, 2166, ""}, {40, 2166, ""}}, progress.StateRunning, progress.ReadOnly{From: at(10), To: at(30)}, secs(20)},
		"twice":                    {[]logged{{10, 2165, ""}, {30, 2166, ""}, {40, 2165, ""}}, progress.StateRunning, progress.ReadOnly{From: at(40)}, secs(60)},
		"twice in a moment":        {[]logged{{10, 2165, ""}, {10, 2166, ""}, {10, 2165, ""}}, progress.StateRunning, progress.ReadOnly{From: at(10), To: at(10)}, 0},
		"its beginning is gone":    {[]logged{{30, 2166, ""}}, progress.StateRunning, progress.ReadOnly{}, 0},
		"failed in it":             {[]logged{{10, 2165, ""}, {50, 2108, ""}}, progress.StateFailed, progress.ReadOnly{From: at(10)}, secs(90)},
		"its end was never told":   {[]logged{{10, 2165, ""}, {50, 2011, ""}}, progress.StateSucceeded, progress.ReadOnly{From: at(10)}, secs(40)},
		"the clock was set back":   {[]logged{{110, 2165, ""}}, progress.StateRunning, progress.ReadOnly{From: at(110)}, 0},
		"set back in the meantime": {[]logged{{90, 2165, ""}, {120, 2108, ""}}, progress.StateRunning, progress.ReadOnly{From: at(90)}, secs(30)},
	} {
		p := progress.Of(logOf(c.log...), c.meaning)
		lasts, ok := p.ReadOnlyFor(at(100))
		if p.ReadOnly != c.want || lasts != c.lasts || ok != !c.want.From.IsZero() {
			t.Errorf("%s: %+v for %v, %v", name, p.ReadOnly, lasts, ok)
		}
	}
}

func TestAStartThatIsSentTwiceBeginsOneStep(t *testing.T) {
	t.Parallel()
	begins := logged{10, 2101, "web-proxy-1"}
	p := progress.Of(logOf(logged{0, 2010, ""}, begins, begins, logged{20, 2103, "web-proxy-1"}), progress.StateRunning)
	if len(p.Open) != 0 {
		t.Errorf("open %v, though it was completed", openCodes(p))
	}
	p = progress.Of(logOf(logged{0, 2010, ""}, begins, logged{10, 2101, "web-proxy-2"}, logged{20, 2103, "web-proxy-1"}), progress.StateRunning)
	if len(p.Open) != 1 || p.Open[0].Text != "web-proxy-2" {
		t.Errorf("open %v, want the other deployment", openCodes(p))
	}
}

func TestThePatchOfAModuleDoesNotTakeTheCountOfTheReleaseBack(t *testing.T) {
	t.Parallel()
	p := progress.Of(logOf(logged{0, 2010, ""}, logged{10, 2175, "63 / 63"}, logged{20, 2291, ""}, logged{30, 2173, "1 / 5"}), progress.StateRunning)
	if p.Done != 63 || p.Total != 63 {
		t.Errorf("%d of %d", p.Done, p.Total)
	}
	p = progress.Of(logOf(logged{0, 2010, ""}, logged{30, 2173, "1 / 5"}), progress.StateRunning)
	if p.Done != 1 || p.Total != 5 {
		t.Errorf("%d of %d", p.Done, p.Total)
	}
}
