package cli_test

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"geodeck/adminapi"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/cli"
	"geodeck/ui/uitest/terminal"
)

// TestMain makes this test binary the program itself where a test starts geodeck as a process.
func TestMain(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector else waits a second at the end of each process
	// Nearly all of these tests wait for something rather than compute.
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"geodeck": geodeck})
}

// clockSpeed names the variable that says how fast the clock of a process runs, which
// paces what it waits for. Without it the program is the one that is shipped.
const clockSpeed = "CLOCK_SPEED"

// keyringFolder names the variable with the folder that a process has in place of a keyring.
const keyringFolder = "KEYRING_FOLDER"

func geodeck() {
	process := cli.System()
	if speed, err := strconv.ParseFloat(os.Getenv(clockSpeed), 64); err == nil {
		process.Clock = simulator.NewScaledClock(speed)
	}
	if folder := os.Getenv(keyringFolder); folder != "" {
		process.Keyring = folderVault(folder)
	}
	os.Exit(cli.Run(cli.Interruptible(context.Background()), os.Args[1:], process))
}

// newSite starts a simulated site that ends with the test.
func newSite(t *testing.T, o simulator.Options) *simulator.Server {
	t.Helper()
	server, err := simulator.New(o)
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	})
	return server
}

// tokenOf signs in as one of the site's users.
func tokenOf(t *testing.T, server *simulator.Server, user int) string {
	t.Helper()
	client, err := adminapi.New(adminapi.Config{Base: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	who := server.Users()[user]
	token, err := client.Session.SignIn(context.Background(), who.Username, secrets.Secret(who.Password), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return token.Value.Reveal()
}

// result is what a run of the program left.
type result struct {
	code     int
	out, err string
}

// runInProcess runs a command line on a clock that need not be the machine's.
func runInProcess(t *testing.T, clock simulator.Clock, env map[string]string, args ...string) result {
	t.Helper()
	var out, errs bytes.Buffer
	state := t.TempDir()
	code := cli.Run(context.Background(), args, cli.Process{
		In: strings.NewReader(""), Out: &out, Err: &errs, Clock: clock,
		Env: func(name string) string {
			if value, given := env[name]; given || name != "XDG_STATE_HOME" {
				return value
			}
			return state
		},
	})
	return result{code: code, out: out.String(), err: errs.String()}
}

const cities = "SampleWorldCities.MapServer"

// siteToEdit starts a scenario on a clock that steps by itself, and returns the
// environment of whoever may edit there.
func siteToEdit(t *testing.T, name string) (simulator.Clock, map[string]string) {
	t.Helper()
	scenario, found := simulator.BuiltIn(name)
	if !found {
		t.Fatalf("no scenario %s", name)
	}
	clock := simtest.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	server := newSite(t, simulator.Options{Scenario: scenario, Clock: clock})
	return clock, map[string]string{
		"GEODECK_URL": server.URL(), "GEODECK_TOKEN": tokenOf(t, server, 0), "XDG_STATE_HOME": t.TempDir(),
	}
}

// fileOf writes a file that ends with the test.
func fileOf(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	err := os.Chmod(filepath.Dir(path), 0o700) // whatever the umask
	if err == nil {
		err = os.WriteFile(path, []byte(content), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// forward hands a request on to the site at base.
func forward(w http.ResponseWriter, r *http.Request, base string) {
	host := strings.SplitAfterN(base, "/", 4)
	out, err := http.NewRequestWithContext(r.Context(), r.Method, strings.Join(host[:3], "")+strings.TrimPrefix(r.URL.String(), "/"), r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	out.Header = r.Header.Clone()
	answer, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	for _, name := range []string{"Content-Type", "Date"} {
		w.Header().Set(name, answer.Header.Get(name))
	}
	w.WriteHeader(answer.StatusCode)
	_, _ = io.Copy(w, answer.Body)
}

// startSlowSite returns the environment of a site whose jobs take their time.
func startSlowSite(t *testing.T) []string {
	t.Helper()
	server := newSite(t, simulator.Options{Clock: simulator.NewScaledClock(1)})
	return []string{"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + tokenOf(t, server, 0)}
}

// process is the program as the system runs it.
type process struct {
	t        *testing.T
	cmd      *exec.Cmd
	out, err *bufio.Reader
}

func start(t *testing.T, env []string, args ...string) *process {
	t.Helper()
	name, err := exec.LookPath("geodeck") // put into PATH by TestMain
	if err != nil {
		t.Fatal(err)
	}
	return startCommand(t, env, name, args...)
}

// startCommand starts another program, such as a shell that starts this one.
func startCommand(t *testing.T, env []string, name string, args ...string) *process {
	t.Helper()
	cmd := exec.CommandContext(patience(t), name, args...)
	cmd.Env = append(append(os.Environ(), "XDG_STATE_HOME="+t.TempDir(), "TMPDIR="+t.TempDir()), env...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	errs, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	return &process{t: t, cmd: cmd, out: bufio.NewReader(out), err: bufio.NewReader(errs)}
}

func (p *process) signal(s os.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

func (p *process) wantCode(want int) {
	p.t.Helper()
	_ = p.cmd.Wait()
	if code := p.cmd.ProcessState.ExitCode(); code != want {
		p.t.Errorf("exit code %d, want %d", code, want)
	}
}

// patience ends a program that hangs, so that its test says where.
func patience(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// onTerminal runs the program to its end and returns what it wrote.
func onTerminal(t *testing.T, columns int, env []string, args ...string) string {
	t.Helper()
	x := openTerminal(t, columns, env, args...)
	x.End()
	return x.Sent()
}

// openTerminal starts the program in a terminal of 30 lines.
func openTerminal(t *testing.T, columns int, env []string, args ...string) *terminal.Terminal {
	t.Helper()
	name, err := exec.LookPath("geodeck") // put into PATH by TestMain
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(patience(t), name, args...)
	cmd.Env = append(os.Environ(), append([]string{
		"TERM=xterm-256color", "LANG=en_US.UTF-8", "LC_ALL=", "NO_COLOR=", "COLORTERM=", "GEODECK_URL=", "GEODECK_TOKEN=",
		"COLORFGBG=15;0", "CI=", "CLICOLOR=", "CLICOLOR_FORCE=", // of the machine that tests: they would tell of colours too
		"XDG_STATE_HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir(), // it is killed, and leaves its journal there
	}, env...)...)
	return terminal.Open(t, cmd, columns, 30)
}
