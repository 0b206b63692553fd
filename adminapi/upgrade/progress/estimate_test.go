package progress_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/adminapi/upgrade/progress"
)

// randomRun writes the log of a run that goes at a pace, with as many deployments, and with a
// stall where stall is set.
type randomRun struct {
	*rand.Rand
	pace  float64
	phase float64 // how this phase goes, beside the pace
	at    float64 // seconds
	log   []logged
}

// say adds a message some seconds after the last one.
func (r *randomRun) say(after float64, code int, text string) {
	r.at += after * r.pace * r.phase * (0.85 + 0.3*r.Float64())
	r.log = append(r.log, logged{int(r.at), code, text})
}

// steps adds messages with their usual times, as a phase that goes a bit faster or slower.
func (r *randomRun) steps(list ...any) {
	r.phase = 0.9 + 0.2*r.Float64()
	for i := 0; i < len(list); i += 2 {
		r.say(float64(list[i].(int)), list[i+1].(int), "")
	}
}

func simulate(draw *rand.Rand, kind progress.RunKind, deployments int, stall bool) []logged {
	r := &randomRun{Rand: draw, pace: 0.5 + 1.5*draw.Float64(), phase: 1}
	to := map[progress.RunKind]string{progress.PatchRun: "11.5.0.6805", progress.ReleaseRun: "12.0.0.7286"}[kind]
	r.log = []logged{{0, 2010, "from 11.5.0.6745 to " + to}}
	r.steps(3, 2287, 70, 2288, 40, 2270, 15, 2271, 8, 2165)
	counted := 2173
	if kind == progress.ReleaseRun {
		counted = 2175
		r.steps(60, 2094, 10, 2108, 35, 2144, 480, 2145, 30, 2090, 180, 2092, 100, 2148, 5, 2109)
	} else {
		r.say(15, 2291, "Patch of the module system begins.")
	}
	r.phase = 0.9 + 0.2*draw.Float64()
	stallsAt := draw.IntN(deployments)
	for i := range deployments {
		if stall && i == stallsAt {
			r.at += 300 + 900*draw.Float64()
		}
		if kind == progress.ReleaseRun {
			r.say(9, 2101, fmt.Sprintf("arcgis-%d", i))
		}
		r.say(25, 2038, "")
		if kind == progress.ReleaseRun {
			r.say(15, 2103, fmt.Sprintf("arcgis-%d", i))
		}
		r.say(5, counted, fmt.Sprintf("%d of %d deployments", i+1, deployments))
	}
	if kind == progress.ReleaseRun {
		r.steps(20, 2179, 50, 2181, 8, 2178, 180, 2185, 5, 2187, 240, 2188)
		r.steps(5, 2191, 300, 2192)
		r.steps(15, 2166, 30, 2012, 4, 2011)
	} else {
		r.steps(150, 2166, 10, 2012, 4, 2011)
	}
	return r.log
}

// moment is how often a running log is looked at, in seconds.
const moment = 40

// follow calls watch with the progress of a running log, each moment until its end.
func follow(log []logged, watch func(p progress.Progress, now int)) {
	merger, fold, next := progress.NewMerger(progress.LogBudget), progress.NewFold(), 0
	for now := 0; now < log[len(log)-1].at; now += moment {
		from := next
		for next < len(log) && log[next].at <= now {
			next++
		}
		merger.Extend(asMessages(log[from:next]))
		watch(fold.Add(merger.Log(), progress.StateRunning), now)
	}
}

// simulatedRun returns the log of a run of the simulator, which ended long ago.
func simulatedRun(t *testing.T, draw *rand.Rand, kind progress.RunKind, _ int, stall bool) (list []logged) {
	t.Helper()
	updates := []struct {
		site, id   string
		containers int
	}{
		{"11.5.0.6745", "pat_12082025_6805", 13}, {"11.5.0.6805", "pat_11092025_6815", 24}, {"11.5.0.6825", "pat_04122025_6835", 20},
		{"11.4.0.6285", "rel_24062025_6745", 44}, {"11.5.0.6745", "rel_11122025_7286", 47},
	}
	if updates = updates[:3]; kind == progress.ReleaseRun {
		updates = updates[3:5]
	}
	u, none := updates[draw.IntN(len(updates))], 0
	s := simulator.Scenario{Name: "a run", Version: u.site, Services: 8, Reports: &none, Seed: 1 + draw.Int64N(1<<40)}
	s.Upgrades.Other = &simulator.OtherUpgrade{ID: u.id, When: "running", Ago: simulator.Duration{Duration: 20 * time.Hour}}
	usual := 5*time.Minute + time.Duration(u.containers)*49*time.Second
	if kind == progress.ReleaseRun {
		usual = 100 * time.Minute
	}
	s.Upgrades.Lasts.Duration = scaledBy(usual, 0.5+1.5*draw.Float64())
	if stall {
		silent := time.Duration(300+900*draw.Float64()) * time.Second
		s.Upgrades.Lasts.Duration += silent
		s.Upgrades.Stall = &simulator.Stall{After: simulator.Moment{Code: 2038, Nth: 1 + draw.IntN(u.containers)}, For: simulator.Duration{Duration: silent}}
	}
	o := simulator.Options{Scenario: s, Clock: simtest.NewManualClock(at(0).Time())}
	token := o.SignIn(time.Hour)
	site, err := simulator.New(o)
	if err != nil {
		t.Fatal(err)
	}
	r, answer := httptest.NewRequest(http.MethodGet, site.URL()+"/system/upgrades?f=json", nil), httptest.NewRecorder()
	r.Header.Set("Authorization", "Bearer "+string(token.Value))
	site.ServeHTTP(answer, r)
	var shown struct {
		Status struct{ Messages []adminapi.UpgradeMessage }
	}
	if err := json.Unmarshal(answer.Body.Bytes(), &shown); err != nil || len(shown.Status.Messages) == 0 {
		t.Fatalf("%v: %s", err, answer.Body)
	}
	began := shown.Status.Messages[0].When
	for _, m := range shown.Status.Messages {
		list = append(list, logged{int(m.When-began) / 1000, m.Code, m.Message})
	}
	return list
}

// Of 200 runs of any pace, some of which stall, and some of which are the first of their kind,
// the estimate is right within a fifth in the middle, and "less than a minute" is soon over: of
// the simulator, and of sites whose phases go at paces of their own. No moment of the second
// half is left out: one without an estimate, or called late, counts as wrong by all that is left.
func TestTheEstimateIsRightWithinAFifth(t *testing.T) {
	t.Parallel()
	for site, run := range map[string]func(*testing.T, *rand.Rand, progress.RunKind, int, bool) []logged{
		"the simulator": simulatedRun,
		"any site": func(_ *testing.T, draw *rand.Rand, kind progress.RunKind, deployments int, stall bool) []logged {
			return simulate(draw, kind, deployments, stall)
		},
	} {
		t.Run(site, func(t *testing.T) {
			t.Parallel()
			assertEstimates(t, func(draw *rand.Rand, kind progress.RunKind, stall bool) []logged {
				return run(t, draw, kind, 5+draw.IntN(60), stall)
			})
		})
	}
}

func assertEstimates(t *testing.T, run func(draw *rand.Rand, kind progress.RunKind, stall bool) []logged) {
	t.Helper()
	draw := rand.New(rand.NewPCG(14, 2))
	errors := map[string][]float64{}
	earlier := map[progress.RunKind][]progress.PastRun{}
	given := 0
	for i := range 200 {
		kind := []progress.RunKind{progress.PatchRun, progress.ReleaseRun}[i%2]
		past := earlier[kind]
		past = past[len(past)-min(len(past), i/2%4):]
		usual := progress.UsualTimesOf(kind, past)
		log := run(draw, kind, draw.IntN(4) == 0)
		earlier[kind] = append(earlier[kind], progress.Of(logOf(log...), progress.StateSucceeded).PastRun(true))
		end, soon := log[len(log)-1].at, 0
		name := fmt.Sprintf("%s, first run %v", kind, len(past) == 0)
		follow(log, func(p progress.Progress, now int) {
			e, ok := usual.Estimate(p, at(now))
			if soon += moment; !ok || e.Late || e.Left >= time.Minute {
				soon = 0
			}
			if soon > 120 {
				t.Fatalf("run %d (%s) says %q for more than two minutes, after %d of %d s", i, name, e, now, end)
			}
			if now < end/2 {
				return
			}
			left := float64(end - now)
			wrong := 1.
			if ok && !e.Late {
				given++
				if wrong = abs(e.Left.Seconds()-left) / left; e.Left < time.Minute && left < 60 {
					wrong = 0 // "less than a minute left" is right
				}
			}
			errors[name] = append(errors[name], wrong)
			errors[""] = append(errors[""], wrong)
		})
	}
	for name, all := range errors {
		slices.Sort(all)
		t.Logf("%-24s median %4.1f %%, nine of ten below %4.1f %%, %d samples", name, 100*all[len(all)/2], 100*all[len(all)*9/10], len(all))
		if all[len(all)/2] >= 0.2 {
			t.Errorf("%s: the median error is %.1f %%", name, 100*all[len(all)/2])
		}
	}
	if samples := len(errors[""]); 100*given < 80*samples {
		t.Errorf("only %d of %d have an estimate", given, samples)
	}
}

func scaledBy(d time.Duration, by float64) time.Duration { return time.Duration(by * float64(d)) }

func abs(f float64) float64 { return max(f, -f) }

func TestTheEstimateSaysHowItWasMade(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]progress.Estimate{
		"about 15 min left, 51 of 63 deployments":                   {Left: 15 * time.Minute, Runs: 1, Done: 51, Total: 63},
		"about 15 min left, 51 of 63 deployments, first run here":   {Left: 899 * time.Second, Done: 51, Total: 63},
		"about 2 h 05 min left, like the last run":                  {Left: 125 * time.Minute, Runs: 1},
		"less than a minute left, like the last 3 runs":             {Left: 59 * time.Second, Runs: 3},
		"longer than last time, like the last 3 runs":               {Late: true, Runs: 3},
		"longer than estimated, by its deployments, first run here": {Late: true, Done: 13, Total: 13},
	} {
		if got := e.String() + ", " + e.Basis(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// countedPatch is the log of a patch that takes 50 s for each of so many deployments, and 150 s after them.
func countedPatch(deployments int) (list []logged) {
	list = []logged{{0, 2010, "11.5.0.6745 11.5.0.6805"}, {100, 2291, ""}}
	for i := range deployments {
		list = append(list, logged{100 + 50*(i+1), 2173, fmt.Sprintf("%d of %d", i+1, deployments)})
	}
	end := list[len(list)-1].at
	return append(list, logged{end + 150, 2166, ""}, logged{end + 160, 2011, ""})
}

// usualAfter are the times of patches after one with this log.
func usualAfter(log []logged) progress.UsualTimes {
	return progress.UsualTimesOf(progress.PatchRun, []progress.PastRun{progress.Of(logOf(log...), progress.StateSucceeded).PastRun(true)})
}

// A patch for 13 deployments tells how long one for 24 takes.
func TestTheUsualTimeIsThatOfAsManyDeployments(t *testing.T) {
	t.Parallel()
	usual := usualAfter(countedPatch(13))
	p := progress.Of(logOf(countedPatch(24)[:17]...), progress.StateRunning) // 15 of 24
	if of, _ := usual.Of(p, progress.PhaseComponents); of != secs(24*50+150) {
		t.Errorf("Components usually take %v", of)
	}
	if took := usual.TookFor(p); took != secs(100+24*50+160) {
		t.Errorf("the run usually takes %v", took)
	}
	e, ok := usual.Estimate(p, p.Last)
	if !ok || e.Left != secs(9*50+160) || e.Basis() != "15 of 24 deployments" {
		t.Errorf("%v, %s, %v", e.Left, e.Basis(), ok)
	}
}

// Where this run, or the one before it, does not tell how long a deployment takes, the other one does.
func TestARateThatIsNotKnownIsTakenFromElsewhere(t *testing.T) {
	t.Parallel()
	uncounted := []logged{{0, 2010, "11.5.0.6745 11.5.0.6805"}, {100, 2291, ""}, {700, 2166, ""}, {710, 2011, ""}}
	for name, c := range map[string]struct {
		before, now []logged
		left        time.Duration
	}{
		"none is done, and none was counted before": {uncounted, []logged{uncounted[0], uncounted[1], {150, 2173, "0 of 24"}}, secs(550 + 10)},
		"none was counted before":                   {uncounted, []logged{uncounted[0], uncounted[1], {400, 2173, "6 of 24"}}, secs(18*50 + 10)},
		"its beginning is lost":                     {countedPatch(24), []logged{{650, 2173, "11 of 24"}, {655, 2173, "12 of 24"}}, secs(12*50 + 150 + 10)},
	} {
		p := progress.Of(logOf(c.now...), progress.StateRunning)
		if e, ok := usualAfter(c.before).Estimate(p, p.Last); !ok || e.Left != c.left {
			t.Errorf("%s: %v, %v; want %v", name, e.Left, ok, c.left)
		}
	}
}
