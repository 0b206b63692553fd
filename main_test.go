package main

import (
	"context"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
	"unicode"

	_ "github.com/charmbracelet/x/exp/teatest" // takes -update, as the packages with golden screens do
	"github.com/rogpeppe/go-internal/testscript"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/ui/cli"
)

// TestMain makes this test binary the program itself where a script asks for
// geodeck, so that scripts run what is shipped.
func TestMain(m *testing.M) {
	if os.Getenv("TZ") == "" {
		os.Setenv("TZ", "UTC")
	}
	os.Setenv("GORACE", atOnce)
	// Nearly all of these tests wait for something rather than compute.
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"geodeck": geodeck})
}

// clockSpeed names the variable that says how fast the clock of a script's geodeck runs,
// which paces what it waits for. Without it the program is the one that is shipped.
const clockSpeed = "CLOCK_SPEED"

func geodeck() {
	speed, err := strconv.ParseFloat(os.Getenv(clockSpeed), 64)
	if err != nil {
		main()
		return
	}
	process := cli.System()
	process.Clock = simulator.NewScaledClock(speed)
	os.Exit(cli.Run(cli.Interruptible(context.Background()), os.Args[1:], process))
}

// atOnce spares each process of the program the second that the race detector
// waits at its end for goroutines to be caught.
const atOnce = "atexit_sleep_ms=0"

// Every command, as a user types it, against a simulated site. Beside the
// commands of testscript the scripts know:
//
//	site SCENARIO|FILE [SPEED]   start a site, sign in as its administrator, and write
//	                             the nodes of its cluster into nodes.json
//	user NAME                    sign in as somebody else
//	exits CODE ARGS...           run geodeck and look at its exit code
//	lastjob                      put the id of the newest job into JOB
//	harmless                     look for what a terminal would obey in the last output
//	private FILE                 look at the mode of a file
func TestCommands(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup:               setUpScript,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"site": startSite, "user": signInAs, "exits": exits,
			"lastjob": lastJob, "harmless": harmless, "private": private,
		},
	})
}

func setUpScript(env *testscript.Env) error {
	closed, release, err := simulator.ClosedPort()
	if err != nil {
		return err
	}
	env.Defer(release)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html><head><title>Welcome to the portal</title></head><body>Hello</body></html>"))
	}))
	env.Defer(page.Close)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	env.Defer(silent.Close)
	env.Setenv("CLOSED", "http://"+closed+"/geodeck/admin")
	env.Setenv("PAGE", page.URL+"/geodeck/admin")
	env.Setenv("SILENT", silent.URL+"/geodeck/admin")
	env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
	env.Setenv("LANG", "en_US.UTF-8")
	env.Setenv("GORACE", atOnce)
	env.Setenv(clockSpeed, "20") // a command looks again after 1 to 5 seconds
	return nil
}

// sites holds the site of each running script.
var sites sync.Map

func startSite(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 || len(args) > 2 {
		ts.Fatalf("usage: site SCENARIO|FILE [SPEED]")
	}
	scenario, ok := simulator.BuiltIn(args[0])
	if !ok {
		var err error
		scenario, err = simulator.ReadScenario([]byte(ts.ReadFile(args[0])))
		ts.Check(err)
	}
	speed := 3600.0 // an hour a second: no job outlives the first look at it
	if len(args) == 2 {
		var err error
		speed, err = strconv.ParseFloat(args[1], 64)
		ts.Check(err)
	}
	server, err := simulator.New(simulator.Options{Scenario: scenario, Clock: simulator.NewScaledClock(speed)})
	ts.Check(err)
	ts.Check(server.Start("127.0.0.1:0"))
	ts.Defer(func() { _ = server.Close() })
	ts.Setenv("GEODECK_URL", server.URL())
	ts.Setenv("ROOT", server.URL()[:len(server.URL())-len("/admin")])
	ts.Check(os.WriteFile(ts.MkAbs("nodes.json"), server.Nodes(), 0o600))
	sites.Store(ts, server)
	signInAs(ts, false, []string{server.Users()[0].Username})
}

func signInAs(ts *testscript.TestScript, neg bool, args []string) {
	found, ok := sites.Load(ts)
	if neg || !ok || len(args) != 1 {
		ts.Fatalf("usage, after site: user NAME")
	}
	server := found.(*simulator.Server)
	for _, user := range server.Users() {
		if user.Username != args[0] {
			continue
		}
		client, err := adminapi.New(adminapi.Config{Base: server.URL()})
		ts.Check(err)
		token, err := client.SignIn(context.Background(), user.Username, adminapi.Secret(user.Password), time.Hour)
		ts.Check(err)
		ts.Setenv("GEODECK_TOKEN", token.Value.Reveal())
		ts.Check(os.WriteFile(ts.MkAbs("token"), []byte(token.Value.Reveal()+"\n"), 0o600))
		return
	}
	ts.Fatalf("the site has no user %s", args[0])
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	code := 0
	err = ts.Exec("geodeck", args[1:]...)
	var ended *exec.ExitError
	switch {
	case errors.As(err, &ended):
		code = ended.ExitCode()
	case err != nil:
		ts.Fatalf("geodeck: %v", err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

func lastJob(ts *testscript.TestScript, _ bool, _ []string) {
	client, err := adminapi.New(adminapi.Config{
		Base: ts.Getenv("GEODECK_URL"), Token: adminapi.Token{Value: adminapi.Secret(ts.Getenv("GEODECK_TOKEN"))},
	})
	ts.Check(err)
	ids, err := client.JobIDs(context.Background())
	ts.Check(err)
	if len(ids) == 0 {
		ts.Fatalf("the site has no job")
	}
	ts.Setenv("JOB", ids[0])
}

func harmless(ts *testscript.TestScript, _ bool, _ []string) {
	for _, stream := range []string{"stdout", "stderr"} {
		for _, r := range ts.ReadFile(stream) {
			if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == unicode.ReplacementChar) {
				ts.Fatalf("%s holds U+%04X", stream, r)
			}
		}
	}
}

func private(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range args {
		info, err := os.Stat(ts.MkAbs(name))
		ts.Check(err)
		if info.Mode() != 0o600 {
			ts.Fatalf("%s has mode %v", name, info.Mode())
		}
	}
}
