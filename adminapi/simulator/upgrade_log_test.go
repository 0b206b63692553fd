package simulator_test

import (
	"cmp"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

// recorded are the messages of a log that were recorded until a moment.
func recorded(messages []message, until time.Time) []message {
	var list []message
	for _, m := range messages {
		if !at(m).After(until) {
			list = append(list, m)
		}
	}
	return list
}

// alongside polls every three minutes and compares what is shown with what was recorded.
func alongside(t *testing.T, name string, compare func(shown, log []message)) {
	t.Helper()
	messages := fullLog(t, name)
	s := open(t, name, "admin")
	for s.clock.Now().Before(at(messages[len(messages)-1]).Add(time.Hour)) {
		_, shown := s.log()
		compare(shown, recorded(messages, s.clock.Now()))
		if t.Failed() {
			t.Fatalf("at %s", s.clock.Now())
		}
		s.clock.Advance(3 * time.Minute)
	}
}

func TestEveryThirdMessageIsShownTwice(t *testing.T) {
	t.Parallel()
	alongside(t, "messages-repeated", func(shown, log []message) {
		var want []message
		for i, m := range log {
			want = append(want, m)
			if i%3 == 2 {
				want = append(want, m)
			}
		}
		if !slices.Equal(shown, want) {
			t.Errorf("%d shown, %d recorded", len(shown), len(log))
		}
	})
}

func TestAllMessagesAreShownInAnyOrder(t *testing.T) {
	t.Parallel()
	disorder := 0
	alongside(t, "messages-shuffled", func(shown, log []message) {
		if !slices.IsSortedFunc(shown, func(a, b message) int { return cmp.Compare(a.When, b.When) }) {
			disorder++
		}
		if !maps.Equal(tally(shown), tally(log)) {
			t.Error("one is shown twice, or missing")
		}
	})
	if disorder < 5 {
		t.Errorf("only %d readings were in disorder", disorder)
	}
}

func TestTheSameSeedShufflesTheSame(t *testing.T) {
	t.Parallel()
	var shown [2]string
	for i := range shown {
		s := open(t, "messages-shuffled", "admin")
		s.clock.Advance(10 * time.Minute)
		shown[i] = s.get("/system/upgrades").body
		if again := s.get("/system/upgrades").body; again != shown[i] {
			t.Error("the same moment is shown twice in different ways")
		}
	}
	if shown[0] != shown[1] {
		t.Error("two worlds of one seed show different messages")
	}
}

func TestOnlyTheNewestMessagesAreShown(t *testing.T) {
	t.Parallel()
	alongside(t, "messages-cut", func(shown, log []message) {
		if want := log[max(0, len(log)-20):]; !slices.Equal(shown, want) {
			t.Errorf("%d shown, want %d", len(shown), len(want))
		}
	})
}

func TestTheListOfMessagesStartsEmptyAgain(t *testing.T) {
	t.Parallel()
	var starts []int
	alongside(t, "messages-reset", func(shown, log []message) {
		if len(shown) == 0 || !slices.Equal(shown, log[len(log)-len(shown):]) {
			t.Errorf("%d shown, %d recorded", len(shown), len(log))
			return
		}
		if !slices.Contains(starts, shown[0].Code) {
			starts = append(starts, shown[0].Code)
		}
	})
	if want := []int{2010, 2094, 2134}; !slices.Equal(starts, want) {
		t.Errorf("the list began with %v, want %v", starts, want)
	}
	empty := readScenario(t, `
name: x
upgrades:
  else: {id: pat_12082025_6805, when: running}
  told: [{from: {code: 2287, plus: 1s}, forgets: true}]
`)
	s := start(t, empty, "admin")
	s.clock.Advance(5 * time.Second)
	if state, shown := s.log(); state != "in_progress" || len(shown) != 0 {
		t.Errorf("%s: %v", state, shown)
	}
}

func TestTheCurrentVersionShowsTheWholeLog(t *testing.T) {
	t.Parallel()
	s := open(t, "running-patch", "admin")
	messages := s.finish()
	got := s.get("/system/upgrades/currentVersion")
	if got.length("messages") != len(messages) || got.number("messages.0.when") != messages[0].When {
		t.Errorf("%.300s", got.body)
	}
}

func TestAHundredThousandMessagesAreShownAndMoreCome(t *testing.T) {
	t.Parallel()
	s := open(t, "messages-many", "admin")
	list := func(state string) string {
		t.Helper()
		text, ok := strings.CutSuffix(s.get("/system/upgrades").body, `],"state":"`+state+`"}}`+"\n")
		if !ok {
			t.Fatalf("at the end: %s", text[len(text)-100:])
		}
		return text
	}
	before := list("in_progress")
	if n := strings.Count(before, `"code":2038,`); n < 100_000 {
		t.Fatalf("%d messages", n)
	}
	var last int64
	for part := range strings.SplitSeq(before, `,"when":`) {
		digits, _, _ := strings.Cut(part, "}")
		when, err := strconv.ParseInt(digits, 10, 64)
		if err == nil && when < last {
			t.Fatalf("%d comes after %d", when, last)
		}
		last = when
	}
	s.clock.Advance(5 * time.Minute)
	after, same := strings.CutPrefix(list("in_progress"), before)
	if more := strings.Count(after, `"code":`); !same || more < 5 || more > 100 {
		t.Errorf("%d more after five minutes, the others unchanged: %v", more, same)
	}
	s.clock.Advance(time.Hour)
	list("success")
}

func TestMessagesAttackTheTerminal(t *testing.T) {
	t.Parallel()
	s := open(t, "messages-hostile", "admin")
	s.clock.Advance(3 * time.Hour)
	body := s.get("/system/upgrades").body
	if utf8.ValidString(body) {
		t.Error("all of it is UTF-8")
	}
	_, messages := s.log()
	var all strings.Builder
	longest := 0
	for _, m := range messages {
		all.WriteString(m.Message)
		longest = max(longest, len(m.Message))
	}
	for _, attack := range []string{"\x1b[2J", "\x1b]52;c;", "\x1b]8;;", "\u202e", "\n", "\r", "\x00", "\u009b", "👩🏽‍🚒", "e\u0301\u0301", "\u2028", "\ufffd"} {
		if !strings.Contains(all.String(), attack) {
			t.Errorf("nothing attacks with %q", attack)
		}
	}
	if longest < 200_000 {
		t.Errorf("the longest message has %d bytes", longest)
	}
}

func TestOddMessagesComeAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	c := connect(t, "messages-odd", "admin")
	c.sleep(4 * time.Minute)
	status, err := c.Upgrades.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	by := map[int][]adminapi.UpgradeMessage{}
	for _, m := range status.Messages {
		by[m.Code] = append(by[m.Code], m)
	}
	minute := func(m adminapi.UpgradeMessage) time.Duration { return m.When.Time().Sub(noon.Add(-time.Minute)) }
	switch {
	case len(by[2999]) != 2 || minute(by[2999][0]) != 70*time.Second || minute(by[2999][1]) != 180*time.Second:
		t.Errorf("unknown code: %+v", by[2999])
	case len(by[2270]) != 2 || minute(by[2270][0]) != 80*time.Second:
		t.Errorf("a time that is a text: %+v", by[2270])
	case len(by[2998]) != 1 || !by[2998][0].When.IsZero() || !by[2992][0].When.IsZero():
		t.Errorf("no time: %+v", by[2998])
	case !json.Valid(by[2997][0].Unknown) || !strings.Contains(string(by[2997][0].Unknown), `"tries":3`):
		t.Errorf("more keys: %s", by[2997][0].Unknown)
	case len(by[2996]) != 1 || len(by[0]) != 1 || len(by[-1]) != 1 || len(by[2995]) != 1 || by[2995][0].Message != "":
		t.Errorf("codes and texts: %+v", status.Messages)
	case len(by[2991]) != 3 || by[2991][0].When != by[2991][2].When || by[2991][0].Message != by[2991][1].Message:
		t.Errorf("three at one time: %+v", by[2991])
	case !strings.Contains(by[2994][0].Message, `"level":3`) || by[2993][0].When.Time().Year() != 2100:
		t.Errorf("odd values: %+v %+v", by[2994], by[2993])
	}
}

func TestWrongScriptChangesAreRefusedWithTheKey(t *testing.T) {
	t.Parallel()
	for changes, key := range map[string]string{
		"lasts: -1s": "upgrades.lasts",
		"lasts: 1h, stall: {after: {code: 2010}, for: 2h}": "upgrades.lasts",
		"stall: {for: 1h}":                                      "upgrades.stall.after",
		"stall: {after: {code: 2010, plus: 1s}}":                "upgrades.stall.after",
		"stall: {after: {code: 2010}, for: -1s}":                "upgrades.stall.for",
		"also: [{message: {}}, {message: hello}]":               "upgrades.also[1].message",
		"also: [{at: {component: NOPE, code: 1}, message: {}}]": "upgrades.also[0].at.component",
		"notes: {count: 0, for: 1m}":                            "upgrades.notes.count",
		"notes: {count: 5}":                                     "upgrades.notes.for",
		"states: [{for: 1m, code: 4}]":                          "upgrades.states[0].state",
		"states: [{state: x, from: {nth: 2}}]":                  "upgrades.states[0].from",
		"ends: {code: 4}":                                       "upgrades.ends.state",
		"told: [{for: 1m}]":                                     "upgrades.told[0]",
		"told: [{repeats: -1}]":                                 "upgrades.told[0]",
		"told: [{forgets: true}]":                               "upgrades.told[0].from",
		"told: [{shuffled: true, for: 2m, every: 1m}]":          "upgrades.told[0].every",
		"told: [{shuffled: true, till: {code: -1}}]":            "upgrades.told[0].till",
		"told: [{shuffled: true, from: {plus: -1s}}]":           "upgrades.told[0].from.plus",
	} {
		text := "name: x\nupgrades: {" + changes + "}"
		if _, err := simulator.ReadScenario([]byte(text)); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: error %v does not name %s", changes, err, key)
		}
	}
	for text, key := range map[string]string{
		"name: x\nevents: [{at: 1s, after: {plus: 1s}, expireTokens: true}]": "events[0].after",
		"name: x\nfaults: [{path: admin, what: empty, every: 1m}]":           "faults[0].every",
	} {
		if _, err := simulator.ReadScenario([]byte(text)); err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("%s: error %v does not name %s", text, err, key)
		}
	}
}

// newReader serves in memory and returns a function that fetches the log once and
// returns its length.
func newReader(b *testing.B, server *simulator.Server) func() int64 {
	b.Helper()
	send := func(method, path, token string, form url.Values) *httptest.ResponseRecorder {
		r := httptest.NewRequest(method, path, strings.NewReader(form.Encode()))
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Referer", referer)
		r.Header.Set("Authorization", "Bearer "+token)
		w := httptest.NewRecorder()
		server.ServeHTTP(w, r)
		return w
	}
	admin := server.Users()[0]
	signIn := url.Values{"f": {"json"}, "username": {admin.Username}, "password": {admin.Password}, "referer": {referer}}
	var issued struct{ Token string }
	if err := json.Unmarshal(send(http.MethodPost, "/geodeck/sharing/rest/generateToken", "", signIn).Body.Bytes(), &issued); err != nil {
		b.Fatal(err)
	}
	return func() int64 {
		got := send(http.MethodGet, "/geodeck/admin/system/upgrades?f=json", issued.Token, nil)
		if got.Code != http.StatusOK || got.Body.Len() < 10_000_000 {
			b.Fatalf("HTTP %d, %d bytes", got.Code, got.Body.Len())
		}
		return int64(got.Body.Len())
	}
}

func BenchmarkAReadOfManyMessages(b *testing.B) {
	sc, _ := simulator.BuiltIn("messages-many")
	clock := simtest.NewManualClock(noon)
	server, err := simulator.New(simulator.Options{Scenario: sc, Clock: clock})
	if err != nil {
		b.Fatal(err)
	}
	read := newReader(b, server)
	for b.Loop() {
		clock.Advance(time.Millisecond)
		b.SetBytes(read())
	}
}

func BenchmarkAWorldOfManyMessages(b *testing.B) {
	sc, _ := simulator.BuiltIn("messages-many")
	for b.Loop() {
		if _, err := simulator.New(simulator.Options{Scenario: sc, Clock: simtest.NewManualClock(noon)}); err != nil {
			b.Fatal(err)
		}
	}
}
