package simulator_test

import (
	"encoding/json"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// codeTable is the one table of the platform's codes, which the catalogue of geodeck is compared with, too.
const codeTable = "../upgrade/progress/testdata/codes.txt"

// contract reads the codes of the contract; two of a line belong together.
func contract(t *testing.T) (all []int, pairs map[int]int) {
	t.Helper()
	text, err := os.ReadFile(codeTable)
	if err != nil {
		t.Fatal(err)
	}
	pairs = map[int]int{}
	for line := range strings.Lines(string(text)) {
		var codes []int
		for _, field := range strings.Fields(line) {
			n, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			codes = append(codes, n)
		}
		all = append(all, codes...)
		if len(codes) == 2 {
			pairs[codes[0]] = codes[1]
		}
	}
	return all, pairs
}

func TestEveryMessageOfTheContractComes(t *testing.T) {
	t.Parallel()
	patch, release := fullLog(t, "running-patch"), fullLog(t, "running-release")
	back := start(t, builtIn(t, "upgraded"), "admin")
	started(t, back.post("/system/upgrades/rollback", "versionManifest", named(patch6815), "rollbackSettings", "{}"))
	seen := codes(slices.Concat(patch, release, back.finish()))
	all, pairs := contract(t)
	for _, code := range all {
		if seen[code] == 0 {
			t.Errorf("code %d of %s never comes: add a step to data/upgrade_release.yaml", code, codeTable)
		}
	}
	for name, messages := range map[string][]message{"patch": patch, "release": release} {
		for begin, end := range pairs {
			assertPaired(t, name, messages, begin, end)
		}
	}
	if n := codes(patch); n[2173] == 0 || n[2175] != 0 {
		t.Errorf("a patch counts by %v", n)
	}
}

func assertPaired(t *testing.T, name string, messages []message, begin, end int) {
	t.Helper()
	open := 0
	for _, m := range messages {
		switch m.Code {
		case begin:
			open++
		case end:
			open--
		}
		if open < 0 {
			t.Fatalf("the %s ends with %d what has not begun with %d", name, end, begin)
		}
	}
	if open != 0 {
		t.Errorf("the %s leaves %d of %d open", name, open, begin)
	}
}

func TestTheOutcomeOfPostgreSQLIsATableOfStores(t *testing.T) {
	t.Parallel()
	messages := fullLog(t, "running-release")
	i := slices.IndexFunc(messages, func(m message) bool { return m.Code == 2153 })
	var table struct {
		Stores map[string]struct{ Status, FromVersion, ToVersion string }
	}
	if err := json.Unmarshal([]byte(messages[i].Message), &table); err != nil || len(table.Stores) != 3 {
		t.Fatalf("%v: %s", err, messages[i].Message)
	}
	for name, store := range table.Stores {
		if store.Status == "" || store.FromVersion == store.ToVersion {
			t.Errorf("%s: %+v", name, store)
		}
	}
}

func TestAStallIsSilenceAndThenGoesOn(t *testing.T) {
	t.Parallel()
	messages := fullLog(t, "upgrade-stalls")
	i := slices.IndexFunc(messages, func(m message) bool { return m.Code == 2144 })
	if silence := at(messages[i+1]).Sub(at(messages[i])); silence < 45*time.Minute || silence > 60*time.Minute {
		t.Errorf("silence of %s", silence)
	}
	s := open(t, "upgrade-stalls", "admin")
	s.advanceTo(at(messages[i]).Add(44 * time.Minute))
	if state, seen := s.log(); state != "in_progress" || len(seen) != i+1 {
		t.Errorf("%s with %d messages, want %d", state, len(seen), i+1)
	}
	if last := messages[len(messages)-1]; last.Code != 2011 || !strings.Contains(last.Message, " h ") {
		t.Errorf("at the end: %+v", last)
	}
}

func TestAStallForGoodNeverEnds(t *testing.T) {
	t.Parallel()
	s := open(t, "upgrade-stalls-for-good", "admin")
	s.clock.Advance(3 * time.Hour)
	state, messages := s.log()
	if n := codes(messages); state != "in_progress" || n[2101] != 10 || messages[len(messages)-1].Code != 2101 {
		t.Fatalf("%s: %v", state, n)
	}
	s.clock.Advance(30 * 24 * time.Hour)
	s.signIn("admin")
	if state, later := s.log(); state != "in_progress" || len(later) != len(messages) {
		t.Errorf("a month later: %s, %d messages", state, len(later))
	}
}

func TestUpgradesThatRunMayFail(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		last     int
		readOnly bool
	}{"running-patch-fails": {2166, false}, "running-release-fails": {2144, true}, "running-release-fails-late": {2101, true}} {
		s := open(t, name, "admin")
		messages := s.finish()
		if got := s.get("/system/upgrades"); got.text("status.state") != "failed" || messages[len(messages)-1].Code != want.last {
			t.Errorf("%s: %.200s, last %+v", name, got.body, messages[len(messages)-1])
		}
		s.get("").has("fullVersion", "11.5.0.6745")
		s.isReadOnly(want.readOnly)
	}
}

func TestAnUnknownStatePasses(t *testing.T) {
	t.Parallel()
	messages := fullLog(t, "state-unknown")
	begin := first(t, messages, 2271)
	s := open(t, "state-unknown", "admin")
	seen := map[string]int{}
	for s.clock.Now().Before(at(messages[len(messages)-1])) {
		state, _ := s.log()
		seen[state]++
		if odd := state != "in_progress"; odd != (!s.clock.Now().Before(begin) && s.clock.Now().Before(begin.Add(6*time.Minute))) {
			t.Fatalf("%q at %s", state, s.clock.Now())
		}
		s.post("/system/upgrades/available").refused(409, "in progress")
		s.clock.Advance(20 * time.Second)
	}
	if len(seen) != 3 || seen["waiting_for_resources"] != 12 || seen["PAUSED "] != 6 {
		t.Errorf("states: %v", seen)
	}
	s.isUpgrade("success")
}

func TestAnUnknownEndIsNotSuccess(t *testing.T) {
	t.Parallel()
	s := open(t, "ends-unknown", "admin")
	messages := s.finish()
	if got := s.get("/system/upgrades"); got.text("status.state") != "completed_with_warnings" || got.number("status.code") != 4 || messages[len(messages)-1].Code != 2011 {
		t.Errorf("%.200s", got.body)
	}
	s.upgrade(patch6815, "{}")
	s.isUpgrade("success")
}

func TestTheSitesClockMayBeOffByHours(t *testing.T) {
	t.Parallel()
	for name, ahead := range map[string]time.Duration{"clock-ahead": 3*time.Hour + 30*time.Minute, "clock-behind": -5 * time.Hour} {
		s := open(t, name, "admin")
		if s.server.Clock().Now() != s.clock.Now() {
			t.Errorf("%s: the clock of the server is not the one that it was given", name)
		}
		got := s.get("/system/upgrades")
		date, err := time.Parse(time.RFC1123, got.header.Get("Date"))
		if err != nil || !date.Equal(noon.Add(ahead)) {
			t.Errorf("%s: Date is %s, %v", name, date, err)
		}
		if when := time.UnixMilli(got.number("status.messages.0.when")); !when.Equal(noon.Add(ahead - time.Minute)) {
			t.Errorf("%s: the first message is of %s", name, when)
		}
		s.clock.Advance(5 * time.Minute)
		_, messages := s.log()
		if age := s.clock.Now().Add(ahead).Sub(at(messages[len(messages)-1])); age < 0 || age > 2*time.Minute {
			t.Errorf("%s: the last message is %s old", name, age)
		}
		s.finish()
		s.get("/system/upgrades/history").has("history.0.status", "success")
	}
}

func TestASignInEndsOnceMidway(t *testing.T) {
	t.Parallel()
	messages := fullLog(t, "sign-in-ends-midway")
	s := open(t, "sign-in-ends-midway", "admin")
	s.advanceTo(first(t, messages, 2109).Add(4 * time.Second))
	s.get("/system/upgrades").has("status.state", "in_progress")
	s.clock.Advance(2 * time.Second)
	s.get("/system/upgrades").refused(498, "expired")
	s.signIn("admin")
	if got := s.finish(); !slices.Equal(got, messages) {
		t.Errorf("%d messages, want %d", len(got), len(messages))
	}
}

func TestTheUpgradeOfYesterdayGoesAsUsual(t *testing.T) {
	t.Parallel()
	s := start(t, readScenario(t, `
name: x
version: 11.5.0.6805
upgrades:
  past: pat_12082025_6805
  ends: {state: odd, code: 9}
  hostile: true
`), "admin")
	if state, messages := s.log(); state != "success" || len(messages) == 0 || strings.Contains(messages[0].Message, "\x1b") {
		t.Errorf("%s: %+v", state, messages)
	}
	messages := s.upgrade(patch6815, "{}")
	if state := s.state(); state != "odd" || !strings.Contains(messages[0].Message, "\x1b") {
		t.Errorf("the one after it: %s: %+v", state, messages[0])
	}
}

// What a message says of how long something took is what its own time says: from the message
// that began it, in whole seconds.
func TestDurationsInMessagesAreThoseOfTheirTimes(t *testing.T) {
	t.Parallel()
	begins := map[int]int{2288: 2287, 2103: 2101, 2132: 2134, 2011: 2010}
	for name, counts := range map[string]int{"running-patch": 2010, "running-release": 2010, "running-patch-fails": 2270} {
		began, checked := map[int]time.Time{}, 0
		for _, m := range fullLog(t, name) {
			began[m.Code] = at(m)
			from := begins[m.Code]
			if strings.Contains(m.Message, " of ") && strings.Contains(m.Message, "deployments are") {
				from = 2010
				if strings.Contains(m.Message, "back") {
					from = counts
				}
			}
			_, text, found := strings.Cut(m.Message, "after ")
			text, _, _ = strings.Cut(strings.TrimSuffix(text, "."), ":")
			if !found || from == 0 {
				continue
			}
			checked++
			said, err := time.ParseDuration(strings.NewReplacer(" min", "m", " h", "h", " s", "s", " ", "").Replace(text))
			if took := at(m).Sub(began[from]); err != nil || said != took.Truncate(time.Second) {
				t.Errorf("%s: %d took %v and says %q, %v", name, m.Code, took, text, err)
			}
		}
		if checked < 3 {
			t.Errorf("%s: %d durations", name, checked)
		}
	}
}
