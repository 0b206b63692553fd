package upgrade_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest/clitest"
)

// What ends geodeck upgrade watch, and with which exit code.

// told is a site that says of its upgrade what a test wants, reading by reading; the last
// is said for ever.
type told struct {
	clock     *simtest.SteppedClock
	installed string        // version.build
	ahead     time.Duration // its clock less ours

	mu    sync.Mutex
	says  []saying
	asked int
	until time.Time // from then on nothing is answered; zero for never
}

type saying struct {
	status int // HTTP; 0 for 200
	body   string
	times  int // so often, 0 for once
}

func (s *told) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if now := s.clock.Now(); !s.until.IsZero() && now.After(s.until) {
		<-r.Context().Done()
		return
	}
	w.Header().Set("Date", s.clock.Now().Add(s.ahead).UTC().Format(http.TimeFormat))
	switch {
	case strings.HasSuffix(r.URL.Path, "/currentVersion"):
		at := strings.LastIndex(s.installed, ".")
		_, _ = fmt.Fprintf(w, `{"id":"pat","version":%q,"build":%q}`, s.installed[:at], s.installed[at+1:])
		return
	case !strings.HasSuffix(r.URL.Path, "/system/upgrades"):
		_, _ = w.Write([]byte(`{"fullVersion":"11.5.0.6745","currentVersion":"11.5"}`))
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	now := s.says[0]
	if now.times--; now.times <= 0 && len(s.says) > 1 {
		s.says = s.says[1:]
	} else {
		s.says[0] = now
	}
	if now.status != 0 {
		w.WriteHeader(now.status)
	}
	_, _ = w.Write([]byte(now.body))
}

const beganAt = 1795176000000 // when the upgrade of these tests begins, in milliseconds

// bodyOf is a status with messages: its 2010, and more of them by code, a minute apart.
func bodyOf(state string, code int, more ...int) string {
	messages := fmt.Sprintf(`{"code":2010,"message":"from 11.5.0.6745 to 11.5.0.6805","when":%d}`, beganAt)
	for i, c := range more {
		messages += fmt.Sprintf(`,{"code":%d,"message":"more","when":%d}`, c, beganAt+60_000*(i+1))
	}
	return fmt.Sprintf(`{"status":{"state":%q,"code":%d,"messages":[%s]}}`, state, code, messages)
}

const noMessages = `{"status":{"state":%q,"code":%d,"messages":[]}}`

// watches runs upgrade watch on a site that says so.
func watches(t *testing.T, installed string, args []string, says ...saying) (clitest.Result, *told, time.Duration) {
	t.Helper()
	s := &told{clock: simtest.NewSteppedClock(time.UnixMilli(beganAt).Add(time.Hour)), installed: installed, says: says}
	return s.watched(t, args)
}

// watched runs upgrade watch on the site.
func (s *told) watched(t *testing.T, args []string) (clitest.Result, *told, time.Duration) {
	t.Helper()
	env, _ := s.serve(t)
	began := s.clock.Now()
	r := clitest.RunInProcess(t, s.clock, env, append([]string{"upgrade", "watch"}, args...)...)
	return r, s, s.clock.Now().Sub(began)
}

// serve returns the environment of commands for the site, and what shuts it down.
func (s *told) serve(t *testing.T) (env map[string]string, shut func()) {
	t.Helper()
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return map[string]string{"GEODECK_URL": server.URL + "/ctx/admin", "GEODECK_TOKEN": "a-token-of-this-test", "XDG_STATE_HOME": t.TempDir()}, server.Close
}

func TestAWatchEndsWithWhatIsKnownOfTheRunItself(t *testing.T) {
	t.Parallel()
	runs := saying{body: bodyOf("in_progress", 1), times: 3}
	done := saying{body: bodyOf("success", 3, 2011, 2012)}
	for name, c := range map[string]struct {
		installed string
		says      []saying
		code      int
		err       string
	}{
		"success with its messages": {"11.5.0.6805", []saying{runs, done}, 0, ""},
		"one no_upgrade in the middle": {"11.5.0.6805",
			[]saying{runs, {body: fmt.Sprintf(noMessages, "no_upgrade", 0)}, runs, done}, 0, "not confirmed yet: the site reports no upgrade"},
		"one success without messages in the middle": {"11.5.0.6745",
			[]saying{runs, {body: fmt.Sprintf(noMessages, "success", 3)}, runs, done}, 0, "not confirmed yet: the site reports success"},
		"success without its end, and the target installed": {"11.5.0.6805",
			[]saying{runs, {body: bodyOf("success", 3)}}, 0, "the installed version shows success; the site reports no end"},
		"success without its end, and the old version installed": {"11.5.0.6745",
			[]saying{runs, {body: bodyOf("success", 3)}}, 6, "how the upgrade ended is unknown"},
		"no_upgrade for good": {"11.5.0.6745",
			[]saying{runs, {body: fmt.Sprintf(noMessages, "no_upgrade", 0)}}, 6, "how the upgrade ended is unknown"},
		"refused for a while":              {"11.5.0.6805", []saying{runs, {status: 401, times: 5}, runs, done}, 0, "refuses now, retrying"},
		"not found while the API restarts": {"11.5.0.6805", []saying{runs, {status: 404, times: 5}, runs, done}, 0, "answers with errors at present, retrying"},
	} {
		t.Run(name, func(t *testing.T) {
			r, _, _ := watches(t, c.installed, nil, c.says...)
			if r.Code != c.code || !strings.Contains(r.Err, c.err) {
				t.Errorf("exit code %d, want %d, it says\n%s", r.Code, c.code, r.Err)
			}
		})
	}
}

func TestAWatchThatIsRefusedForGoodAsksForASignIn(t *testing.T) {
	t.Parallel()
	runs := saying{body: bodyOf("in_progress", 1)}
	for _, status := range []int{401, 403, 498, 499} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			r, s, took := watches(t, "11.5.0.6745", nil, runs, runs, saying{status: status})
			if r.Code != 3 || took < 10*time.Minute || took > 11*time.Minute || s.asked < 20 {
				t.Errorf("exit code %d after %v and %d readings, it says\n%s", r.Code, took, s.asked, r.Err)
			}
			r, s, took = watches(t, "11.5.0.6745", nil, saying{status: status})
			if r.Code != 3 || took > time.Minute {
				t.Errorf("refused at first: exit code %d after %v and %d readings, it says\n%s", r.Code, took, s.asked, r.Err)
			}
		})
	}
}

func TestAWatchWithATokenFileIsRefusedUntilItsTimeIsUp(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("a-token-that-stays"), 0o600); err != nil {
		t.Fatal(err)
	}
	runs := saying{body: bodyOf("in_progress", 1)}
	s := &told{clock: simtest.NewSteppedClock(time.UnixMilli(beganAt).Add(time.Hour)), installed: "11.5.0.6745", says: []saying{runs, runs, {status: 499}}}
	s.until = s.clock.Now().Add(12 * time.Minute) // the rest of the time passes without a reading
	r, _, took := s.watched(t, []string{"--token-file", file, "--timeout", "5s"})
	if r.Code != 3 || took < 11*time.Minute {
		t.Errorf("exit code %d after %v, it says\n%s", r.Code, took, r.Err)
	}
}

// The site's clock is five hours behind ours: every time of the watch is its own.
func TestTheTimesOfAWatchAreThoseOfTheSite(t *testing.T) {
	t.Parallel()
	seen := filepath.Join(t.TempDir(), "seen")
	hook := simtest.Script(t, "hook", "cat >"+seen)
	s := &told{
		clock: simtest.NewSteppedClock(time.UnixMilli(beganAt).Add(5 * time.Hour)), installed: "11.5.0.6745", ahead: -5 * time.Hour,
		says: []saying{{body: bodyOf("in_progress", 1), times: 2}, {body: bodyOf("in_progress", 2)}, {body: bodyOf("success", 3, 2011, 2012)}},
	}
	env, shut := s.serve(t)
	between := func(what string, at time.Time) {
		t.Helper()
		if passed := at.Sub(time.UnixMilli(beganAt)); passed < -time.Second || passed > 10*time.Minute {
			t.Errorf("%s: %v, %v after the begin at the site", what, at.UTC(), passed)
		}
	}
	r := clitest.RunInProcess(t, s.clock, env, "upgrade", "watch", "--from-start", "--hook", hook, "-o", "jsonl")
	states := 0
	for _, line := range strings.Split(strings.TrimSpace(r.Out), "\n") {
		var event struct {
			State string    `json:"state"`
			When  time.Time `json:"when"`
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Fatal(err, line)
		}
		if event.State != "" {
			states++
		}
		between(line, event.When)
	}
	if r.Code != 0 || states != 3 { // a code that contradicts its state is told, too
		t.Errorf("exit code %d, %d states:\n%s%s", r.Code, states, r.Out, r.Err)
	}
	var alarm struct {
		At time.Time `json:"at"`
	}
	if text, err := os.ReadFile(seen); err != nil || json.Unmarshal(text, &alarm) != nil {
		t.Fatalf("%s %v", text, err)
	}
	between("the alarm", alarm.At)
	shut()
	r = clitest.RunInProcess(t, s.clock, env, "upgrade", "transcripts", "-o", "json")
	list := clitest.ItemsOf[struct{ ID, LastSeen string }](t, r)
	if len(list) != 1 {
		t.Fatal(r.Out)
	}
	last, _ := time.Parse(time.RFC3339, list[0].LastSeen)
	between("last seen", last)
	for _, args := range [][]string{{"upgrade", "transcripts"}, {"upgrade", "transcripts", list[0].ID}} {
		r = clitest.RunInProcess(t, s.clock, env, args...)
		for _, text := range regexp.MustCompile(`\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ`).FindAllString(r.Out, -1) {
			at, _ := time.Parse("2006-01-02 15:04:05Z", text)
			between(strings.Join(args, " "), at)
		}
	}
}

func TestTheEvidenceIsWrittenWhileTheSiteCannotBeReached(t *testing.T) {
	t.Parallel()
	s := &told{
		clock: simtest.NewSteppedClock(time.UnixMilli(beganAt)), installed: "11.5.0.6745",
		says: []saying{{body: bodyOf("in_progress", 1), times: 2}, {body: bodyOf("in_progress", 2)}, {body: bodyOf("success", 3, 2011, 2012)}},
	}
	env, shut := s.serve(t)
	file := filepath.Join(t.TempDir(), "evidence.zip")
	if r := clitest.RunInProcess(t, s.clock, env, "upgrade", "watch"); r.Code != 0 {
		t.Fatal(r.Err)
	}
	shut()
	r := clitest.RunInProcess(t, s.clock, env, "upgrade", "evidence", "--out", file)
	for _, want := range []string{"missing from the zip: What the site reports now: unreachable (no answer). The run is that of the transcript 2026-11-20-1200-", "missing from the zip: The health before and after the run: not fetched."} {
		if !strings.Contains(r.Err, want) {
			t.Errorf("it does not say %q:\n%s", want, r.Err)
		}
	}
	if _, err := os.Stat(file); r.Code != 0 || err != nil {
		t.Errorf("exit code %d, %v", r.Code, err)
	}
	r = clitest.RunInProcess(t, s.clock, map[string]string{"GEODECK_URL": env["GEODECK_URL"], "GEODECK_TOKEN": "a-token", "XDG_STATE_HOME": t.TempDir()}, "upgrade", "evidence", "--out", file, "--force")
	if r.Code != 5 || !strings.Contains(r.Err, "  There is no transcript of this site on this machine.\n  Nothing was written.\n") {
		t.Errorf("without a transcript: exit code %d\n%s", r.Code, r.Err)
	}
}

// The hook of a stall runs once, however often the watch is started.
func TestAStallThatWasAlarmedRunsNoHookAgain(t *testing.T) {
	t.Parallel()
	seen := filepath.Join(t.TempDir(), "seen")
	hook := simtest.Script(t, "hook", "cat >>"+seen)
	s := &told{clock: simtest.NewSteppedClock(time.UnixMilli(beganAt).Add(time.Hour)), installed: "11.5.0.6745"}
	env, _ := s.serve(t)
	for i := range 3 {
		s.mu.Lock()
		s.says = []saying{{body: bodyOf("in_progress", 1), times: 4}, {status: 499}} // a refusal ends the watch
		s.mu.Unlock()
		r := clitest.RunInProcess(t, s.clock, env, "upgrade", "watch", "--hook", hook)
		if !strings.Contains(r.Err, "has been silent for 1 h") {
			t.Errorf("watch %d does not tell the stall:\n%s", i, r.Err)
		}
	}
	if alarms, err := os.ReadFile(seen); err != nil || strings.Count(string(alarms), `"alarm":"stalled"`) != 1 {
		t.Errorf("%v\n%s", err, alarms)
	}
}

// breakingClock does something in its first pause.
type breakingClock struct {
	*simtest.SteppedClock
	do func()
}

func (c breakingClock) Sleep(ctx context.Context, d time.Duration) error {
	c.do()
	return c.SteppedClock.Sleep(ctx, d)
}

func TestATranscriptThatCannotBeGoneOnWithIsToldOnce(t *testing.T) {
	t.Parallel()
	s := &told{clock: simtest.NewSteppedClock(time.UnixMilli(beganAt)), installed: "11.5.0.6805", says: []saying{{body: bodyOf("in_progress", 1)},
		{body: bodyOf("in_progress", 1, 2271)}, {body: bodyOf("in_progress", 1, 2271, 2291)}, {body: bodyOf("success", 3, 2011, 2012)}}}
	env, _ := s.serve(t)
	folder := filepath.Join(env["XDG_STATE_HOME"], "geodeck")
	r := clitest.RunInProcess(t, breakingClock{s.clock, sync.OnceFunc(func() {
		if err := os.RemoveAll(folder); err != nil || os.WriteFile(folder, nil, 0o600) != nil {
			t.Error(err)
		}
	})}, env, "upgrade", "watch")
	if n := strings.Count(r.Err, "the transcript cannot be saved"); n != 1 || r.Code != 0 {
		t.Errorf("told %d times, exit code %d:\n%s", n, r.Code, r.Out+r.Err)
	}
}

// waitingClock is a clock whose pauses last until their context ends.
type waitingClock struct{ *simtest.SteppedClock }

func (waitingClock) Sleep(ctx context.Context, _ time.Duration) error {
	<-ctx.Done()
	return ctx.Err()
}

// The time is up in the pause after the first attempt, whose cause is known.
func TestTheEndOfTheTimeNamesTheCauseOfTheLastAttempt(t *testing.T) {
	t.Parallel()
	s := &told{clock: simtest.NewSteppedClock(time.UnixMilli(beganAt)), installed: "11.5.0.6745"}
	env, shut := s.serve(t)
	shut()
	r := clitest.RunInProcess(t, waitingClock{s.clock}, env, "upgrade", "watch", "--timeout", "3s")
	if r.Code != 5 || !strings.Contains(r.Err, "no answer within 3 s; the last attempt: cannot ") || !strings.Contains(r.Err, "refused") {
		t.Errorf("exit code %d, it says\n%s", r.Code, r.Err)
	}
	r = clitest.RunInProcess(t, s.clock, env, "upgrade", "watch", "--timeout", "3s")
	if !strings.Contains(r.Err, "no answer at present, retrying") || strings.Contains(r.Err, "it restarts") {
		t.Errorf("of a site that was never reached it says\n%s", r.Err)
	}
}

func TestTheStatusSaysHowLongTheUpgradeStillTakes(t *testing.T) {
	t.Parallel()
	const minute = 60_000
	body := fmt.Sprintf(`{"status":{"state":"in_progress","code":1,"messages":[{"code":2010,"message":"from 11.5.0.6745 to 11.5.0.6805","when":%d},`+
		`{"code":2291,"message":"begins","when":%d},{"code":2173,"message":"6 of 12 deployments are updated","when":%d}]}}`,
		beganAt, beganAt+50*minute, beganAt+56*minute)
	at := time.UnixMilli(beganAt + 56*minute).UTC() // at the site, whose clock is five hours behind ours
	s := &told{clock: simtest.NewSteppedClock(at.Add(5 * time.Hour)), ahead: -5 * time.Hour, installed: "11.5.0.6745", says: []saying{{body: body}}}
	env, _ := s.serve(t)
	want := `(?s)about \d+ h 1\d min left \(6 of 12 deployments, first run here\)`
	if r := clitest.RunInProcess(t, s.clock, env, "upgrade", "status"); r.Code != 0 || !regexp.MustCompile(`Estimate +`+want).MatchString(r.Out) {
		t.Errorf("%+v", r)
	}
	want = `"leftSeconds": \d{4},\s+"late": false,\s+"text": "about 1 h 1\d min left",\s+"basis": "6 of 12 deployments, first run here"`
	if r := clitest.RunInProcess(t, s.clock, env, "upgrade", "status", "-o", "json"); r.Code != 0 || !regexp.MustCompile(want).MatchString(r.Out) {
		t.Errorf("%+v", r)
	}
	s.says = []saying{{body: body, times: 2}, {body: bodyOf("success", 3, 2011)}}
	want = `"basis":"6 of 12[^"]*"},"when":"` + at.Format("2006-01-02T15:04:")
	if r := clitest.RunInProcess(t, s.clock, env, "upgrade", "watch", "-o", "jsonl"); !regexp.MustCompile(want).MatchString(r.Out) {
		t.Errorf("no %s in %+v", want, r)
	}
	if r := clitest.RunInProcess(t, s.clock, env, "upgrade", "status", "-o", "json"); !strings.Contains(r.Out, `"estimate": null`) {
		t.Errorf("%+v", r)
	}
}

// Without colours and signs, as a screen reader follows it: lines that are never rewritten, and
// each change once.
func TestAPlainWatchSaysEveryChangeOnceInLinesThatStay(t *testing.T) {
	t.Parallel()
	scenario, err := simulator.ReadScenario([]byte(`
name: plain
upgrades:
  else: {id: pat_12082025_6805, when: running, ago: 1m}
  states: [{from: {code: 2271}, for: 1m, state: "waiting\u001b[2J", code: 7}]
faults:
  - {path: admin/**, what: close, from: {plus: 3m}, for: 100s, every: 5m}
`))
	if err != nil {
		t.Fatal(err)
	}
	clock := simtest.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	server := clitest.NewSite(t, simulator.Options{Scenario: scenario, Clock: clock})
	env := map[string]string{"GEODECK_URL": server.URL(), "GEODECK_TOKEN": clitest.TokenOf(t, server, 0)}
	r := clitest.RunInProcess(t, clock, env, "upgrade", "watch", "--from-start", "--plain")
	if r.Code != 0 {
		t.Errorf("exit code %d", r.Code)
	}
	for _, c := range r.Out + r.Err {
		if c != '\n' && (c < ' ' || c > '~') {
			t.Fatalf("%U in\n%s%s", c, r.Out, r.Err)
		}
	}
	count := func(text string, want int) {
		t.Helper()
		if n := strings.Count(r.Out+r.Err, text); n != want {
			t.Errorf("%q is said %d times, want %d:\n%s%s", text, n, want, r.Out, r.Err)
		}
	}
	count("  in progress\n", 2) // before the unknown state and after it
	count("  unknown  waiting", 1)
	count("no answer at present", 3)
	count("the site answers again", 3)
	count("succeeded  asked at", 1)
	lines := map[string]bool{}
	for line := range strings.Lines(r.Out) {
		if lines[line] {
			t.Errorf("twice: %s", line)
		}
		lines[line] = true
	}
}
