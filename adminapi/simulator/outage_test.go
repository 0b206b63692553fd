package simulator_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// outage reads the Upgrades resource and names what is wrong with the answer; fine
// where nothing is.
func (s *site) outage() string {
	s.t.Helper()
	status, body, err := s.broken("/system/upgrades")
	switch {
	case status == 0 && strings.Contains(err.Error(), "reset"):
		return "reset"
	case status == 0:
		return "closed"
	case err != nil && body == "":
		return "headers"
	case err != nil:
		return "cut"
	case strings.HasPrefix(body, "<html>"):
		return "page " + http.StatusText(status)
	case body == "":
		return "empty"
	case strings.Contains(body, `"code":498`):
		return "signed out"
	case !strings.HasSuffix(body, "}\n"):
		return "half"
	}
	return "fine"
}

// span is how long the same kind of answer came.
type span struct {
	kind        string
	from, until time.Time
}

// watch reads every step until a moment and returns the spans of equal answers.
func (s *site) watch(until time.Time, step time.Duration) []span {
	s.t.Helper()
	var list []span
	for !s.clock.Now().After(until) {
		now, kind := s.clock.Now(), s.outage()
		if len(list) == 0 || list[len(list)-1].kind != kind {
			list = append(list, span{kind, now, now})
		}
		list[len(list)-1].until = now.Add(step)
		s.clock.Advance(step)
	}
	return list
}

func kinds(list []span) []string {
	var names []string
	for _, s := range list {
		names = append(names, s.kind)
	}
	return names
}

// assertBad checks the only outage of a list.
func assertBad(t *testing.T, list []span, kind string, from time.Time, length time.Duration) {
	t.Helper()
	if !slices.Equal(kinds(list), []string{"fine", kind, "fine"}) {
		t.Fatalf("seen: %v", kinds(list))
	}
	near := func(a, b time.Time) bool { return a.Sub(b).Abs() <= 2*time.Second }
	if bad := list[1]; !near(bad.from, from) || !near(bad.until, from.Add(length)) {
		t.Errorf("%s from %s until %s, want %s for %s", kind, bad.from, bad.until, from, length)
	}
}

func TestTheAPIIsUnreachableWhileItIsUpgraded(t *testing.T) {
	t.Parallel()
	messages := fullLog(t, "api-restarts")
	s := open(t, "api-restarts", "admin")
	i := slices.IndexFunc(messages, func(m message) bool {
		return m.Code == 2134 && m.Message == "Upgrade of the component ENTERPRISE_ADMIN_API begins."
	})
	begins := at(messages[i+1]).Add(5 * time.Second)
	s.advanceTo(begins.Add(-20 * time.Second))
	assertBad(t, s.watch(begins.Add(time.Minute), time.Second), "reset", begins, 20*time.Second)
	if got := s.finish(); !slices.Equal(got, messages) {
		t.Errorf("%d messages, want %d", len(got), len(messages))
	}
}

func TestTheAPIIsUnreachableForHalfAnHour(t *testing.T) {
	t.Parallel()
	begins := first(t, fullLog(t, "api-away-long"), 2108).Add(20 * time.Second)
	s := open(t, "api-away-long", "admin")
	s.advanceTo(begins.Add(-time.Minute))
	assertBad(t, s.watch(begins.Add(40*time.Minute), 2*time.Second), "closed", begins, 30*time.Minute)
}

func TestTheAPIFlaps(t *testing.T) {
	t.Parallel()
	s := open(t, "api-flapping", "admin")
	list := s.watch(noon.Add(5*time.Minute), time.Second)
	if len(list) != 17 {
		t.Fatalf("seen: %v", kinds(list))
	}
	for i, seen := range list[:16] {
		want, length := "fine", 30*time.Second
		if i%2 == 1 {
			want, length = "closed", 6*time.Second
		}
		if seen.kind != want || seen.until.Sub(seen.from) != length {
			t.Errorf("%+v, want %s for %s", seen, want, length)
		}
	}
}

func TestAProxyAnswersWithPages(t *testing.T) {
	t.Parallel()
	begins := first(t, fullLog(t, "api-html"), 2271)
	s := open(t, "api-html", "admin")
	list := s.watch(begins.Add(5*time.Minute), 5*time.Second)
	want := []string{"fine", "page Bad Gateway", "page Service Unavailable", "page OK", "fine"}
	if !slices.Equal(kinds(list), want) || list[3].until.Sub(list[1].from) != 3*time.Minute {
		t.Errorf("seen: %v", list)
	}
}

func TestAnswersAreGarbledForAWhile(t *testing.T) {
	t.Parallel()
	begins := first(t, fullLog(t, "api-garbled"), 2271)
	s := open(t, "api-garbled", "admin")
	list := s.watch(begins.Add(5*time.Minute), 5*time.Second)
	if want := []string{"fine", "half", "empty", "cut", "headers", "fine"}; !slices.Equal(kinds(list), want) {
		t.Errorf("seen: %v", kinds(list))
	}
}

func TestAFaultWithAWindowCountsOnlyRequestsInIt(t *testing.T) {
	t.Parallel()
	s := start(t, readScenario(t, `
name: x
faults:
  - {path: admin/mode, what: status, after: 1, times: 1, from: {plus: 1m}, till: {plus: 3m}}
`), "admin")
	var seen []int
	for range 8 {
		seen = append(seen, s.get("/mode").status)
		s.clock.Advance(30 * time.Second)
	}
	if want := []int{200, 200, 200, 503, 200, 200, 200, 200}; !slices.Equal(seen, want) {
		t.Errorf("seen: %v", seen)
	}
}

func TestAFaultAfterAMessageWaitsForTheUpgrade(t *testing.T) {
	t.Parallel()
	s := start(t, readScenario(t, `
name: x
faults: [{path: admin/mode, what: status, from: {code: 2288}, for: 1m}]
`), "admin")
	s.clock.Advance(10 * time.Minute)
	if got := s.get("/mode"); got.status != 200 {
		t.Errorf("without an upgrade: HTTP %d", got.status)
	}
	started(t, s.upgradeTo(patch6805, "{}"))
	s.clock.Advance(80 * time.Second)
	if got := s.get("/mode"); got.status != 503 {
		t.Errorf("after the message: HTTP %d", got.status)
	}
	s.clock.Advance(time.Minute)
	if got := s.get("/mode"); got.status != 200 {
		t.Errorf("later: HTTP %d", got.status)
	}
}

// TestEightHoursCanBeWatched polls as a watch does and gathers every message, though
// each answer may be bad, cut or in disorder.
func TestEightHoursCanBeWatched(t *testing.T) {
	t.Parallel()
	const step = 50 * time.Second
	messages := fullLog(t, "eight-hours")
	if took := ended(messages); (took - 8*time.Hour).Abs() > time.Second {
		t.Errorf("it takes %s", took)
	}
	s := open(t, "eight-hours", "admin")
	kinds, seen, signIns, gathered := map[string]int{}, map[message]bool{}, 0, noon
	forgets := noon.Add(6 * time.Hour) // the messages so far are no longer shown
	for s.clock.Now().Before(at(messages[len(messages)-1]).Add(time.Minute)) {
		now, kind := s.clock.Now(), s.outage()
		kinds[kind]++
		if kind == "signed out" {
			s.signIn("admin")
			signIns++
		}
		pause := step
		if left := forgets.Sub(now); left > time.Millisecond { // whatever comes before is read
			pause = min(pause, left-time.Millisecond)
		}
		lastBefore := now.Before(forgets) && !now.Add(step).Before(forgets)
		if kind == "fine" && (lastBefore || now.Sub(gathered) > 10*time.Minute) {
			gathered = now
			_, shown := s.log()
			for _, m := range shown {
				seen[m] = true
			}
		}
		s.clock.Advance(pause)
	}
	for _, kind := range []string{"fine", "closed", "page Bad Gateway", "page OK", "half", "empty", "cut"} {
		if kinds[kind] == 0 {
			t.Errorf("never %s: %v", kind, kinds)
		}
	}
	state, shown := s.log()
	for _, m := range shown {
		seen[m] = true
	}
	if signIns != 4 || len(seen) != len(tally(messages)) {
		t.Errorf("signed in %d times; %d messages seen of %d", signIns, len(seen), len(tally(messages)))
	}
	if state != "success" {
		t.Errorf("at the end: %s", state)
	}
}

func tally(messages []message) map[message]int {
	n := map[message]int{}
	for _, m := range messages {
		n[m]++
	}
	return n
}
