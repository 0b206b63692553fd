package fleet_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest/clitest"
)

// TestMain makes this test binary the program itself where a test starts geodeck as a process.
func TestMain(m *testing.M) { clitest.Main(m) }

// sitesOnAWire are sites of config.yaml, each with a file that holds its token.
type sitesOnAWire struct {
	clock  simulator.Clock
	env    map[string]string
	tokens map[string]string // by name
	config strings.Builder

	mu  sync.Mutex
	got map[string][]string // by name: the requests of its server, with their headers
}

func newSites(t *testing.T) *sitesOnAWire {
	t.Helper()
	f := &sitesOnAWire{
		clock: simtest.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)), env: map[string]string{"XDG_STATE_HOME": t.TempDir()},
		tokens: map[string]string{}, got: map[string][]string{},
	}
	f.config.WriteString("sites:\n")
	return f
}

// add adds a site of a scenario; more are further lines of it.
func (f *sitesOnAWire) add(t *testing.T, name, scenario string, more ...string) {
	t.Helper()
	world, found := simulator.BuiltIn(scenario)
	if !found {
		t.Fatalf("no scenario %s", scenario)
	}
	server := clitest.NewSite(t, simulator.Options{Scenario: world, Clock: f.clock})
	f.tokens[name] = clitest.TokenOf(t, server, 0)
	wire := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var sent strings.Builder
		fmt.Fprintf(&sent, "%s %s ", r.Method, r.URL)
		_ = r.Header.Write(&sent)
		f.mu.Lock()
		f.got[name] = append(f.got[name], sent.String())
		f.mu.Unlock()
		server.ServeHTTP(w, r)
	}))
	t.Cleanup(wire.Close)
	f.addAt(name, wire.URL+"/geodeck/admin", append(more, "signIn: {file: "+clitest.FileOf(t, name, f.tokens[name])+"}")...)
}

func (f *sitesOnAWire) addAt(name, address string, more ...string) {
	fmt.Fprintf(&f.config, "  %s:\n    url: %s\n", name, address)
	for _, line := range more {
		fmt.Fprintf(&f.config, "    %s\n", line)
	}
}

func (f *sitesOnAWire) run(t *testing.T, args ...string) clitest.Result {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	if err := os.WriteFile(path, []byte(f.config.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	f.env["GEODECK_CONFIG"] = path
	return clitest.RunInProcess(t, f.clock, f.env, args...)
}

// posted is how often a health check was sent to a site.
func (f *sitesOnAWire) posted(name string) (times int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, sent := range f.got[name] {
		if strings.HasPrefix(sent, "POST /geodeck/admin/healthCheck/run") {
			times++
		}
	}
	return times
}

type fleetLine struct {
	Name, State, Fact, Version, SignIn string
	Production, Locked                 bool
	Upgrade                            *struct{ Percent *int }
	Error                              *struct{ Kind string }
}

func TestTheFleetIsListedWorstFirst(t *testing.T) {
	t.Parallel()
	closed, release, err := simtest.ClosedPort()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	f := newSites(t)
	f.add(t, "good", "healthy", "maxAge: 7d") // the reports of a simulated site are two days apart
	f.add(t, "moving", "elses-upgrade", "production: true")
	f.add(t, "stiff", "readonly")
	f.addAt("forgotten", "http://"+closed+"/x/admin", "signIn: ask")
	f.addAt("nobody", strings.TrimPrefix(clitest.NewSite(t, simulator.Options{Clock: f.clock}).URL(), ""), "signIn: ask")
	r := f.run(t, "fleet", "-o", "json")
	lines := clitest.ItemsOf[fleetLine](t, r)
	var got []string
	for _, line := range lines {
		got = append(got, line.Name+" "+line.State)
	}
	want := []string{"forgotten unreachable", "nobody signInNeeded", "moving upgrading", "stiff readOnly", "good healthy"}
	if !slices.Equal(got, want) || r.Code != 5 {
		t.Errorf("exit code %d, %q, want %q", r.Code, got, want)
	}
	if moving := lines[2]; !moving.Production || !moving.Locked || moving.Upgrade == nil || moving.Upgrade.Percent == nil || moving.SignIn != "signedIn" {
		t.Errorf("%+v", moving)
	}
	if lines[0].Error == nil || lines[0].Error.Kind != "unreachable" || lines[1].SignIn != "notKept" {
		t.Errorf("%+v, %+v", lines[0], lines[1])
	}
	for args, c := range map[string]struct {
		code  int
		shows string
		hides string
	}{
		"fleet":                             {5, "PRODUCTION", ""},
		"fleet --filter good":               {0, "healthy", "moving"},
		"fleet --filter good --max-age 24h": {1, "outdated", "healthy"},
		"fleet --filter stiff --max-age 7d": {0, "read-only", "good"},
		"fleet --filter stiff --max-age 1d": {1, "read-only", "good"},
		"fleet --filter good --max-age -1h": {2, "", "healthy"},
		"fleet --filter good --max-age 0":   {2, "", "healthy"},
		"fleet --filter production":         {0, "upgrading", "good"},
		"fleet --filter nobody":             {3, "no sign-in is kept", "good"},
		"fleet -o jsonl --filter read":      {0, `"name":"stiff"`, `"good"`},
		"fleet --filter nosuch":             {2, "", "good"},
		"fleet --filter nosuch -o json":     {2, "", "[]"},
		"fleet --filter nosuch -o jsonl":    {2, "", "good"},
		"fleet health run --filter nosuch":  {2, "", "good"},
	} {
		r := f.run(t, strings.Fields(args)...)
		if r.Code != c.code || !strings.Contains(r.Out, c.shows) || c.hides != "" && strings.Contains(r.Out, c.hides) {
			t.Errorf("%s: exit code %d, want %d, it says\n%s%s", args, r.Code, c.code, r.Out, r.Err)
		}
	}
}

func TestWithoutSitesTheFleetSaysHowToAddOne(t *testing.T) {
	t.Parallel()
	f := newSites(t)
	f.config.Reset()
	for _, args := range []string{"fleet", "fleet health run", "fleet compare a b"} {
		if r := f.run(t, strings.Fields(args)...); r.Code != 2 || !strings.Contains(r.Err, "geodeck site add") {
			t.Errorf("%s: exit code %d, it says %s", args, r.Code, r.Err)
		}
	}
}

func TestTheTokenOfTheChosenSiteGoesToNoOther(t *testing.T) {
	t.Parallel()
	const canary = "CANARY-of-the-chosen-site"
	for name, how := range map[string]struct {
		env  map[string]string
		args []string
	}{
		"by flag":        {map[string]string{"GEODECK_TOKEN": canary}, []string{"--site", "b"}},
		"by environment": {map[string]string{"GEODECK_TOKEN": canary, "GEODECK_SITE": "b"}, nil},
		"a token file":   {map[string]string{"GEODECK_SITE": "b"}, []string{"--token-file", clitest.FileOf(t, "token", canary)}},
		"no site of it":  {map[string]string{"GEODECK_TOKEN": canary, "GEODECK_URL": "https://gis.example.org"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newSites(t)
			for _, site := range []string{"a", "b", "c"} {
				f.add(t, site, "healthy")
			}
			for key, value := range how.env {
				f.env[key] = value
			}
			for _, command := range []string{"fleet", "fleet health run", "fleet compare a c"} {
				f.run(t, append(strings.Fields(command), how.args...)...)
			}
			tokens := map[string]string{"a": f.tokens["a"], "b": canary, "c": f.tokens["c"]}
			if name == "no site of it" {
				tokens["b"] = f.tokens["b"]
			}
			for site, requests := range f.got {
				all := strings.Join(requests, "\n")
				if !strings.Contains(all, tokens[site]) {
					t.Errorf("%s did not get its own token", site)
				}
				for other, token := range tokens {
					if other != site && strings.Contains(all, token) {
						t.Errorf("%s got the token of %s", site, other)
					}
				}
			}
		})
	}
}

func TestAHealthCheckOfTheFleetSkipsLockedSites(t *testing.T) {
	t.Parallel()
	f := newSites(t)
	f.add(t, "dev", "healthy")
	f.add(t, "prod", "healthy", "production: true")
	f.add(t, "frozen", "healthy", "readOnly: true")
	r := f.run(t, "fleet", "health", "run")
	if r.Code != 4 || f.posted("dev") != 1 || f.posted("prod")+f.posted("frozen") != 0 || !strings.Contains(r.Out, "--unlock prod") || !strings.Contains(r.Err, "prod (skipped), frozen (skipped)") {
		t.Fatalf("exit code %d, sent %d, %d, %d, it says\n%s%s", r.Code, f.posted("dev"), f.posted("prod"), f.posted("frozen"), r.Out, r.Err)
	}
	f.mu.Lock()
	if len(f.got["prod"]) > 0 {
		t.Errorf("a skipped site was asked: %q", f.got["prod"])
	}
	f.mu.Unlock()
	if r := f.run(t, "fleet", "health", "run", "--unlock", "prod", "--unlock", "nosuch"); r.Code != 2 || f.posted("dev") != 1 {
		t.Errorf("a name that is no site's: exit code %d, it says %s", r.Code, r.Err)
	}
	r = f.run(t, "fleet", "health", "run", "--unlock", "prod", "--unlock", "frozen", "--wait", "-o", "jsonl")
	if r.Code != 0 || f.posted("prod") != 1 || f.posted("frozen") != 1 || strings.Count(r.Out, `"outcome":"done","verdict":"succeeded","exitCode":0,`) != 3 || strings.Count(r.Out, `"result":"passed"`) != 3 {
		t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
	if r := f.run(t, "fleet", "health", "run", "--read-only"); r.Code != 4 || f.posted("dev") != 2 {
		t.Errorf("with --read-only: exit code %d, %d sent, it says %s", r.Code, f.posted("dev"), r.Out)
	}
}

// The name of one site opens that one: the others are asked nothing.
func TestTheNameOfOneSiteUnlocksNoOtherOfTheFleet(t *testing.T) {
	t.Parallel()
	f := newSites(t)
	f.add(t, "prod", "healthy", "production: true")
	f.add(t, "frozen", "healthy", "readOnly: true")
	r := f.run(t, "fleet", "health", "run", "--unlock", "prod")
	if r.Code != 4 || f.posted("prod") != 1 || f.posted("frozen") != 0 {
		t.Errorf("exit code %d, sent %d, %d, it says\n%s%s", r.Code, f.posted("prod"), f.posted("frozen"), r.Out, r.Err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.got["frozen"]) > 0 {
		t.Errorf("a skipped site was asked: %q", f.got["frozen"])
	}
}

func TestALostAnswerOfOneSiteLeavesTheOthersClear(t *testing.T) {
	t.Parallel()
	f := newSites(t)
	f.add(t, "clear", "healthy")
	f.add(t, "lost", "lost")
	f.add(t, "ill", "degraded")
	type siteRun struct {
		Site, Outcome, JobID, Verdict, Result string
		ExitCode                              int
	}
	var runs []siteRun
	look := func(r clitest.Result) map[string]string {
		t.Helper()
		runs = clitest.ItemsOf[siteRun](t, r)
		outcomes := map[string]string{}
		for _, one := range runs {
			outcomes[one.Site] = strings.Join(strings.Fields(fmt.Sprint(one.Outcome, " ", one.Verdict, " ", one.Result, " ", one.ExitCode)), " ")
		}
		return outcomes
	}
	// The answer is lost, and the run is found.
	r := f.run(t, "fleet", "health", "run", "--name", "first", "--wait", "-o", "json")
	if got := look(r); r.Code != 1 || got["clear"] != "done succeeded passed 0" || got["lost"] != "done succeeded passed 0" || got["ill"] != "done succeeded failed 1" {
		t.Errorf("exit code %d, %v, it says %s", r.Code, got, r.Err)
	}
	// The second never began.
	r = f.run(t, "fleet", "health", "run", "--name", "second", "-o", "json")
	if got := look(r); r.Code != 6 || got["clear"] != "done 0" || got["lost"] != "unknown 6" || got["ill"] != "done 0" {
		t.Errorf("exit code %d, %v, it says %s", r.Code, got, r.Err)
	}
	// Only there the next one has to wait until that is settled.
	r = f.run(t, "fleet", "health", "run", "--name", "second", "-o", "json")
	if got := look(r); r.Code != 6 || got["clear"] != "done 0" || got["lost"] != "not sent 6" {
		t.Errorf("exit code %d, %v, it says %s", r.Code, got, r.Err)
	}
	if f.posted("clear") != 3 || f.posted("lost") != 2 || f.posted("ill") != 3 {
		t.Errorf("sent %d, %d and %d times", f.posted("clear"), f.posted("lost"), f.posted("ill"))
	}
}

// A command that is advised looks where the record is, also of a site that is not the chosen one.
func TestWhatTheFleetAdvisesNamesTheStateFolder(t *testing.T) {
	t.Parallel()
	f := newSites(t)
	f.add(t, "clear", "healthy")
	f.add(t, "lost", "lost")
	folder := t.TempDir()
	for _, name := range []string{"first", "second", "second"} { // the first is found, the second never begins, and is in the way then
		r := f.run(t, "fleet", "health", "run", "--name", name, "--state-dir", folder, "-o", "json")
		for _, one := range clitest.ItemsOf[struct{ Site, Advice string }](t, r) {
			if one.Advice != "" && !strings.Contains(one.Advice, " --site "+one.Site+" ") || strings.Count(one.Advice, "geodeck ") != strings.Count(one.Advice, " --state-dir "+folder) {
				t.Errorf("%s of %s: it advises %s", name, one.Site, one.Advice)
			}
			if name == "second" && one.Site == "lost" && one.Advice == "" {
				t.Errorf("no advice: %s%s", r.Out, r.Err)
			}
		}
	}
}

// The request was lost, and another check of the same account began just then: that is not the one that was sent.
func TestAnotherCheckOfTheAccountIsNotTakenForALostOne(t *testing.T) {
	t.Parallel()
	f := newSites(t)
	server := clitest.NewSite(t, simulator.Options{Clock: f.clock})
	wire := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasSuffix(r.URL.Path, "/healthCheck/run") {
			server.ServeHTTP(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		elses := strings.Replace(string(body), "runName=mine", "runName=elses", 1)
		r.Body, r.ContentLength = io.NopCloser(strings.NewReader(elses)), int64(len(elses))
		server.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	}))
	t.Cleanup(wire.Close)
	f.addAt("lost", wire.URL+"/geodeck/admin", "signIn: {file: "+clitest.FileOf(t, "lost", clitest.TokenOf(t, server, 0))+"}")
	r := f.run(t, "fleet", "health", "run", "--name", "mine", "-o", "json")
	if r.Code != 6 || !strings.Contains(r.Out, `"outcome": "unknown"`) {
		t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
	if reports := f.run(t, "health", "reports", "--site", "lost", "-o", "json"); !strings.Contains(reports.Out, `"elses"`) || strings.Contains(reports.Out, `"mine"`) {
		t.Errorf("the reports are %s%s", reports.Out, reports.Err)
	}
}

// waitingClock is one whose pauses last until their context ends.
type waitingClock struct{ simulator.Clock }

func (waitingClock) Sleep(ctx context.Context, _ time.Duration) error {
	<-ctx.Done()
	return ctx.Err()
}

// The time is up between two looks for what became of a check.
func TestALostAnswerOfTheFleetStaysUnknownWhereTheTimeIsUp(t *testing.T) {
	t.Parallel()
	f := newSites(t)
	f.add(t, "lost", "lost")
	f.run(t, "fleet", "health", "run", "--name", "first", "--wait")
	var r clitest.Result
	for limit := time.Second; f.posted("lost") < 2; limit *= 2 { // a busy machine takes longer to send it
		r = clitest.RunInProcess(t, waitingClock{f.clock}, f.env, "fleet", "health", "run", "--name", "second", "--wait", "--timeout", limit.String(), "-o", "json")
	}
	if r.Code != 6 || !strings.Contains(r.Out, `"outcome": "unknown"`) {
		t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
}

func TestAFailureOfTheFleetStaysNewWhoeverSawIt(t *testing.T) {
	t.Parallel()
	f := newSites(t)
	f.add(t, "clear", "healthy")
	f.add(t, "ill", "degraded")
	for _, night := range []string{"first", "second", "third"} {
		r := f.run(t, "fleet", "health", "run", "--fail-on", "new", "--wait", "--name", night)
		if r.Code != 1 || !strings.Contains(r.Out, "2 new failures: healthcheck_objectStore (failed)") ||
			!strings.Contains(r.Err, "geodeck: ill: healthcheck_objectStore passed last on 2026-11-1") || strings.Contains(r.Err, "geodeck: clear: ") {
			t.Errorf("%s night: exit code %d, it says\n%s%s", night, r.Code, r.Out, r.Err)
		}
	}
}

func TestTheNewestReportsOfTwoSitesAreCompared(t *testing.T) {
	t.Parallel()
	f := newSites(t)
	f.add(t, "before", "healthy")
	f.add(t, "after", "degraded")
	f.run(t, "fleet", "health", "run", "--wait")
	r := f.run(t, "fleet", "compare", "before", "after")
	if r.Code != 0 || !strings.Contains(r.Out, "after: ") || !strings.Contains(r.Out, "newly failing") {
		t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
	if r := f.run(t, "fleet", "compare", "before", "after", "-o", "jsonl"); r.Code != 0 || !strings.Contains(r.Out, `"site":"before","other":"after","comparison":{`) {
		t.Errorf("exit code %d, it says\n%s%s", r.Code, r.Out, r.Err)
	}
	if r := f.run(t, "fleet", "compare", "before", "nosuch"); r.Code != 2 {
		t.Errorf("exit code %d, it says %s", r.Code, r.Err)
	}
}
