package watching_test

import (
	"errors"
	"fmt"
	"net/http"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/upgrade/progress"
)

// spell is what a watch has gone through.
type spell struct {
	end          watching.Snapshot
	away, signIn int // how often it was told so
}

// goThrough watches the run of a scenario to its end, whatever the line does, and signs in
// where that is asked for. What was known stays known all the while.
func goThrough(t *testing.T, p *operationtest.Platform) (seen spell) {
	t.Helper()
	watch := watching.NewWatch(p.Site, nil)
	known := 0
	for limit := p.Clock.Now().Add(6 * time.Hour); !seen.end.Ended; {
		if p.Clock.Now().After(limit) {
			t.Fatalf("no end within six hours: %+v", seen.end)
		}
		snapshot, wait, err := operationtest.Stepped(watch.Next(t.Context()))
		bad := snapshot.Unreachable != nil || snapshot.Refused != nil
		switch {
		case errors.Is(snapshot.Refused, adminapi.KindSignIn):
			seen.signIn++
			p.SignInAgain(t)
		case err != nil:
			t.Fatal(err)
		case snapshot.Unreachable != nil:
			seen.away++
		}
		if snapshot.Log.Len() < known || bad && snapshot.Ended || snapshot.Meaning == progress.StateSucceeded && !snapshot.Ended {
			t.Fatalf("%d messages after %d: %+v", snapshot.Log.Len(), known, snapshot)
		}
		known, seen.end = snapshot.Log.Len(), snapshot
		_ = p.Clock.Sleep(t.Context(), wait)
	}
	return seen
}

// wantEachOnce fails unless the log and the transcript of a run hold what the site has told
// of it, each message once.
func wantEachOnce(t *testing.T, p *operationtest.Platform, end watching.Snapshot, want map[line]bool) {
	t.Helper()
	type told struct {
		line
		nth int
	}
	have := map[told]int{}
	for i := range end.Log.Len() {
		m := end.Log.At(i)
		have[told{line{m.Code, m.When, m.Message}, m.Nth}]++
	}
	for m, n := range have {
		if n > 1 || !want[m.line] {
			t.Errorf("%d times in the log: %+v", n, m)
		}
	}
	for l := range want {
		if have[told{l, 1}] != 1 {
			t.Errorf("lost: %+v", l)
		}
	}
	if onDisk(t, p, end.Transcript) != end.Log.Len() {
		t.Errorf("%d messages are on disk, %d in the log", onDisk(t, p, end.Transcript), end.Log.Len())
	}
}

// runningPatch is a patch that runs in a world with more in it, in the words of a scenario.
func runningPatch(t *testing.T, more string) simulator.Scenario {
	t.Helper()
	script, err := simulator.ReadScenario(fmt.Appendf(nil, "name: patch\nupgrades:\n  else: {id: %s, when: running, ago: 1m}\n%s\n", operationtest.PatchID, more))
	if err != nil {
		t.Fatal(err)
	}
	return script
}

// An API that is away, and anything that stands in for its answers, ends no watch and costs
// no message.
func TestAWatchGoesOnWhateverComesInPlaceOfAnAnswer(t *testing.T) {
	t.Parallel()
	once := func(what, lasts string) string {
		return "faults:\n  - {path: admin/**, what: " + what + ", from: {plus: 1m}, for: " + lasts + "}"
	}
	flapping := func(what string) string { // to the end of the run
		return "faults:\n  - {path: admin/**, what: " + what + ", from: {plus: 30s}, for: 20s, every: 50s}"
	}
	want := truth(t, runningPatch(t, "")) // that of each: only the line differs
	for name, world := range map[string]string{
		"away for half a minute":         once("close", "30s"),
		"away for half an hour":          once("close", "30m"),
		"reset while it is upgraded":     once("reset", "20s"),
		"flapping":                       flapping("close"),
		"a page of status 200":           flapping("html, status: 200"),
		"a page of status 502":           flapping("html, status: 502"),
		"an empty body":                  flapping("empty"),
		"half a JSON text":               flapping("half"),
		"cut off in the body":            flapping("cut"),
		"cut off in the headers":         flapping("headers"),
		"refused with 401":               once("status, status: 401", "30s"),
		"refused with 498":               once("status, status: 498", "30s"),
		"refused with 499":               once("status, status: 499", "30s"),
		"a sign-in that ends in between": "events:\n  - {at: 5m, expireTokens: true}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := operationtest.NewOf(t, runningPatch(t, world)).Remembering(t, t.TempDir())
			seen := goThrough(t, p)
			if seen.end.Meaning != progress.StateSucceeded || seen.away+seen.signIn == 0 {
				t.Errorf("ended as %v, %d times away, %d sign-ins", seen.end.Meaning, seen.away, seen.signIn)
			}
			wantEachOnce(t, p, seen.end, want)
		})
	}
}

// The list of messages may come in any order, with repeats, cut, or begin anew.
func TestMessagesAreInTheLogOnceHoweverTheSiteListsThem(t *testing.T) {
	t.Parallel()
	want := truth(t, runningPatch(t, ""))
	for name, told := range map[string]string{
		"repeated":     "  told: [{repeats: 3}]",
		"out of order": "  told: [{shuffled: true}]",
		"the newest":   "  told: [{newest: 5}]",
		"begun anew":   "  told: [{from: {code: 2271}, forgets: true}]",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := operationtest.NewOf(t, runningPatch(t, told)).Remembering(t, t.TempDir())
			seen := goThrough(t, p)
			if seen.end.Meaning != progress.StateSucceeded {
				t.Errorf("ended as %v", seen.end.Meaning)
			}
			wantEachOnce(t, p, seen.end, want)
		})
	}
}

func TestAWatchSurvivesAnOutage(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	watch := watching.NewWatch(p.Site, run)
	if _, _, err := operationtest.Stepped(watch.Next(t.Context())); err != nil {
		t.Fatal(err)
	}
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
	since := p.Clock.Now()
	var waits []time.Duration
	for range 8 {
		snapshot, wait, err := operationtest.Stepped(watch.Next(t.Context()))
		if err != nil || snapshot.Unreachable == nil || snapshot.Ended || snapshot.Log.Len() == 0 {
			t.Fatalf("snapshot %+v, error %v", snapshot, err)
		}
		if snapshot.UnreachableSince.Before(since) {
			t.Errorf("away since %v, want after %v", snapshot.UnreachableSince, since)
		}
		waits = append(waits, wait)
		_ = p.Clock.Sleep(t.Context(), wait)
	}
	if waits[0] > 3*time.Second || waits[7] < 15*time.Second || waits[7] > 36*time.Second {
		t.Errorf("pauses %v do not grow from 2 s to 30 s", waits)
	}
	p.Intercept(nil)
	snapshot := operationtest.Follow(t, p, watch)
	if snapshot.Unreachable != nil || snapshot.Meaning != progress.StateSucceeded {
		t.Errorf("snapshot %+v", snapshot)
	}
	// The absence is known to the watch, and to its record.
	replay, err := watching.Replay(p.Site, snapshot.Transcript)
	if err != nil {
		t.Fatal(err)
	}
	for who, absences := range map[string][]progress.Span{"the watch": snapshot.Absences, "the record": replay.Absences} {
		if len(absences) != 1 || absences[0].Lasted(0) < time.Minute || absences[0].Lasted(0) > 5*time.Minute || absences[0].From < adminapi.MillisOf(since)-1000 {
			t.Errorf("%s knows of %+v since %v", who, absences, since)
		}
	}
}

// What was before a run is nothing that happened in it.
func TestAnAbsenceBeforeARunIsNotOneOfIt(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[]}`)
	watch := watching.NewWatch(p.Site, nil)
	operationtest.Polled(t, p, watch, 1)
	away := func(name string) {
		t.Helper()
		answers := p.Intercepting()
		p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
		if operationtest.Polled(t, p, watch, 3).Unreachable == nil {
			t.Fatal(name + ": the site answers")
		}
		p.Intercept(answers)
		operationtest.Polled(t, p, watch, 1)
	}
	away("before the run")
	p.Clock.Advance(time.Minute)
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(0) + `]}`)
	began := p.Clock.Now()
	if r := operationtest.Polled(t, p, watch, 1); len(r.Absences) != 0 {
		t.Errorf("since %v it was away at %+v", began, r.Absences)
	}
	p.Clock.Advance(time.Minute)
	away("in the run")
	r := operationtest.Polled(t, p, watch, 1)
	if len(r.Absences) != 1 || r.Absences[0].From < adminapi.MillisOf(began) {
		t.Errorf("since %v it was away at %+v", began, r.Absences)
	}
}

// The record of an absence ends when the site answers, also where it refused in between.
func TestAnAbsenceBeforeARefusalIsOverInTheRecordOnceTheSiteAnswers(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	watch, _ := running(t, p)
	answers := p.Intercepting()
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
	operationtest.Polled(t, p, watch, 1)
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(http.StatusForbidden) })
	if r := operationtest.Polled(t, p, watch, 2); r.Refused == nil {
		t.Fatalf("%+v", r)
	}
	p.Intercept(answers)
	last := operationtest.Polled(t, p, watch, 1)
	record, err := watching.Replay(p.Site, last.Transcript)
	if err != nil || len(record.Absences) != 1 || record.Absences[0].To.IsZero() {
		t.Errorf("%+v, %v", record.Absences, err)
	}
}

// The record of a run tells how long the site was away, also where nothing was said right after.
func TestARecordTellsHowLongTheSiteWasAway(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{0, 3 * time.Hour} {
		p := operationtest.WithJournal(t, "healthy")
		p.Ahead.Store(int64(ahead))
		watch, began := running(t, p)
		p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
		operationtest.Polled(t, p, watch, 3)
		p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + began + `]}`)
		seen := operationtest.Polled(t, p, watch, 1)
		_ = operationtest.Polled(t, p, watch, 2)
		kept, err := watching.Replay(p.Site, seen.Transcript)
		if err != nil || len(seen.Absences) != 1 || len(kept.Absences) != 1 || seen.Absences[0].To.IsZero() ||
			(kept.Absences[0].To.Time().Sub(seen.Absences[0].To.Time())).Abs() > 2*time.Second || (kept.Absences[0].From.Time().Sub(seen.Absences[0].From.Time())).Abs() > 2*time.Second {
			t.Errorf("a clock %v ahead: %v as it was seen, %v in its record, %v", ahead, seen.Absences, kept.Absences, err)
		}
		if again := operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 1); len(again.Absences) != 1 || again.Absences[0] != kept.Absences[0] {
			t.Errorf("a clock %v ahead: the next watch knows of %v", ahead, again.Absences)
		}
	}
}
