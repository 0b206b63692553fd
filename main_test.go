package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode"

	_ "github.com/charmbracelet/x/exp/teatest" // takes -update, as the packages with golden screens do
	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/cli"
)

// TestMain makes this test binary the program itself where a script asks for
// geodeck, so that scripts run what is shipped.
func TestMain(m *testing.M) {
	if os.Getenv("TZ") == "" {
		os.Setenv("TZ", "UTC")
	}
	os.Setenv("GORACE", atOnce)
	// Slots bound scripts and journeys; what waits for one holds up no other test.
	if err := flag.Set("test.parallel", "100"); err != nil {
		panic(err)
	}
	testscript.Main(withoutLeaks{m}, map[string]func(){"geodeck": geodeck, pictured: picturedProgram})
}

// withoutLeaks fails where goroutines are left when all tests have ended.
type withoutLeaks struct{ m *testing.M }

// Run runs the tests.
func (w withoutLeaks) Run() int {
	ignored := goleak.IgnoreCurrent()
	code := w.m.Run()
	if code != 0 {
		return code
	}
	var err error
	for range 10 { // a text field waits half a second for its cursor's next blink
		if err = goleak.Find(ignored); err == nil {
			return 0
		}
	}
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// slots bounds how many tests of a kind run at once.
type slots chan struct{}

// take waits for a slot, and returns what gives it back.
func (s slots) take() (giveBack func()) {
	s <- struct{}{}
	return func() { <-s }
}

// scripts bounds how many run at once: most of their time they wait for a site.
var scripts = make(slots, 8)

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
//	site SCENARIO|FILE [SPEED]      start a site, sign in as its administrator, and write
//	                                the nodes of its cluster into nodes.json, and who
//	                                signs in into token and password
//	user NAME                       sign in as somebody else
//	exits CODE ARGS... [< FILE]     run geodeck in this process and check its exit code
//	process CODE ARGS...            the same in a process of its own, where the working
//	                                folder, PATH or other programs matter
//	change PART OLD NEW             get a part of the sample service into base.json, and
//	                                with OLD replaced by NEW into edited.json
//	capture NAME REGEXP             put what the group of REGEXP matches in the last output
//	                                into a variable
//	requests N                      the site was asked so often since the last time; any begins anew
//	lastjob                         put the id of the newest job into JOB
//	printed NAME...                 write files as docs/recipes.md and docs/scripting.md print them
//	recipe CODE NAME ARGS...        run a script of these with sh, and check its exit code
//	harmless                        look for what a terminal would obey in the last output
//	private FILE                    check the mode of a file
//
// Every command that one of them prints is run as it stands when its script has ended, without the
// variables that name a site: see [advised].
func TestCommands(t *testing.T) {
	t.Parallel()
	t.Cleanup(func() {
		if flag.Lookup("test.run").Value.String() == "" && advice.ran < 60 {
			t.Errorf("only %d printed commands were tried", advice.ran)
		}
		for _, wrong := range advice.wrong {
			t.Error(wrong)
		}
	})
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		Setup:               setUpScript,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"site": startSite, "user": signInAs, "exits": exits, "process": exitsAsProcess, "change": change,
			"printed": writePrinted, "recipe": recipe, "capture": capture, "lastjob": lastJob, "requests": requests, "harmless": harmless, "private": private,
		},
	})
}

func setUpScript(env *testscript.Env) error {
	env.Defer(scripts.take())
	closed, release, err := simtest.ClosedPort()
	if err != nil {
		return err
	}
	env.Defer(release)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, "/expired/") {
			_, _ = w.Write([]byte(`{"error":{"code":498,"message":"Invalid token.","details":["The token has expired."]}}`))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html><head><title>Welcome to the portal</title></head><body>Hello</body></html>"))
	}))
	env.Defer(page.Close)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	env.Defer(silent.Close)
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	env.Defer(secure.Close)
	env.Setenv("SECURE", secure.Listener.Addr().String())
	env.Setenv("CLOSED", "http://"+closed+"/geodeck/admin")
	env.Setenv("DEAD", "http://"+closed)
	env.Setenv("EXPIRED", page.URL+"/expired/admin")
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
	asked := new(atomic.Int64)
	count := func(site http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			site.ServeHTTP(w, r)
		})
	}
	server, err := simulator.New(simulator.Options{Scenario: scenario, Clock: simulator.NewScaledClock(speed), Watch: count})
	ts.Check(err)
	ts.Check(server.Start("127.0.0.1:0"))
	ts.Defer(func() { _ = server.Close() })
	ts.Setenv("GEODECK_URL", server.URL())
	ts.Setenv("ROOT", server.URL()[:len(server.URL())-len("/admin")])
	ts.Check(os.WriteFile(ts.MkAbs("nodes.json"), server.Nodes(), 0o600))
	sites.Store(ts, server)
	signInAs(ts, false, []string{server.Users()[0].Username})
	asked.Store(0)
	askedSites.Store(ts, asked)
}

// askedSites counts the requests to the site of each running script.
var askedSites sync.Map

func requests(ts *testscript.TestScript, neg bool, args []string) {
	asked, ok := askedSites.Load(ts)
	if neg || !ok || len(args) != 1 {
		ts.Fatalf("usage, after site: requests N")
	}
	if n := asked.(*atomic.Int64).Swap(0); strconv.FormatInt(n, 10) != args[0] && args[0] != "any" {
		ts.Fatalf("%d requests, want %s", n, args[0])
	}
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
		token, err := client.Session.SignIn(context.Background(), user.Username, secrets.Secret(user.Password), time.Hour)
		ts.Check(err)
		ts.Setenv("GEODECK_TOKEN", token.Value.Reveal())
		ts.Check(os.WriteFile(ts.MkAbs("token"), []byte(token.Value.Reveal()+"\n"), 0o600))
		ts.Check(os.WriteFile(ts.MkAbs("password"), []byte(user.Password+"\n"), 0o600))
		return
	}
	ts.Fatalf("the site has no user %s", args[0])
}

func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: exits CODE ARGS... [< FILE]")
	}
	input := ""
	if n := len(args) - 2; n > 0 && args[n] == "<" {
		args, input = args[:n], ts.ReadFile(args[n+1])
	}
	wantCode(ts, args[0], inProcess(ts, input, args[1:]))
}

// inProcess runs geodeck in this process. The working folder is that of the tests: a file
// that a script names is given by its whole path, and printed as the script named it.
func inProcess(ts *testscript.TestScript, input string, args []string) int {
	folder := ts.MkAbs(".") + string(filepath.Separator)
	inFolder := func(name string) string {
		if _, err := os.Lstat(ts.MkAbs(name)); name == "" || err != nil {
			return name
		}
		return ts.MkAbs(name)
	}
	args = slices.Clone(args)
	for i, arg := range args {
		if i == 0 { // the noun, such as token
			continue
		}
		if args[i] = inFolder(arg); slices.Contains([]string{"--out", "--state-dir", "--anchor"}, args[i-1]) && arg != "" && arg != "-" {
			args[i] = ts.MkAbs(arg)
		}
	}
	speed, err := strconv.ParseFloat(ts.Getenv(clockSpeed), 64)
	ts.Check(err)
	var out, errs bytes.Buffer
	code := cli.Run(context.Background(), args, cli.Process{
		In: strings.NewReader(input), Out: &out, Err: &errs, Clock: simulator.NewScaledClock(speed),
		Env: func(name string) string { return inFolder(ts.Getenv(name)) },
	})
	advised(ts, out.String()+errs.String())
	promised(ts, args, out.Bytes(), errs.Bytes())
	for to, from := range map[io.Writer]*bytes.Buffer{ts.Stdout(): &out, ts.Stderr(): &errs} {
		_, err := to.Write(bytes.ReplaceAll(from.Bytes(), []byte(folder), nil))
		ts.Check(err)
	}
	return code
}

func exitsAsProcess(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: process CODE ARGS...")
	}
	ends(ts, args[0], "geodeck", args[1:])
}

// ends runs a program and checks its exit code.
func ends(ts *testscript.TestScript, want, program string, args []string) {
	code := 0
	err := ts.Exec(program, args...)
	if ended, ok := errors.AsType[*exec.ExitError](err); ok {
		code = ended.ExitCode()
	} else if err != nil {
		ts.Fatalf("%s: %v", program, err)
	}
	if program == "geodeck" {
		promised(ts, args, []byte(ts.ReadFile("stdout")), []byte(ts.ReadFile("stderr")))
	}
	wantCode(ts, want, code)
}

func wantCode(ts *testscript.TestScript, want string, code int) {
	if strconv.Itoa(code) != want {
		ts.Fatalf("exit code %d, want %s", code, want)
	}
}

func change(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: change PART OLD NEW")
	}
	wantCode(ts, "0", inProcess(ts, "", []string{args[0], "get", "SampleWorldCities.MapServer"}))
	base := ts.Stdout().(fmt.Stringer).String()
	edited := strings.Replace(base, args[1], args[2], 1)
	if edited == base {
		ts.Fatalf("it does not hold %s", args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs("base.json"), []byte(base), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("edited.json"), []byte(edited), 0o600))
}

func capture(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: capture NAME REGEXP")
	}
	found := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile("stdout"))
	if len(found) != 2 {
		ts.Fatalf("the last output does not match %s", args[1])
	}
	ts.Setenv(args[0], found[1])
}

func lastJob(ts *testscript.TestScript, _ bool, _ []string) {
	client, err := adminapi.New(adminapi.Config{
		Base: ts.Getenv("GEODECK_URL"), Token: adminapi.Token{Value: secrets.Secret(ts.Getenv("GEODECK_TOKEN"))},
	})
	ts.Check(err)
	ids, err := client.Jobs.IDs(context.Background())
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
