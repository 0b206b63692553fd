package clitest

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/zalando/go-keyring"

	"geodeck/adminapi/simulator"
	"geodeck/ui/cli"
	"geodeck/ui/uitest/terminal"
)

// Main makes this test binary the program itself where a test starts geodeck as a process.
func Main(m *testing.M) {
	os.Setenv("GORACE", "atexit_sleep_ms=0") // the race detector else waits a second at the end of each process
	// Nearly all of these tests wait for something rather than compute.
	if err := flag.Set("test.parallel", "12"); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"geodeck": geodeck})
}

// ClockSpeed names the variable that says how fast the clock of a process runs, which
// paces what it waits for. Without it the program is the one that is shipped.
const ClockSpeed = "CLOCK_SPEED"

// KeyringFolder names the variable with the folder that a process has in place of a keyring.
const KeyringFolder = "KEYRING_FOLDER"

func geodeck() {
	process := cli.System()
	if speed, err := strconv.ParseFloat(os.Getenv(ClockSpeed), 64); err == nil {
		process.Clock = simulator.NewScaledClock(speed)
	}
	if folder := os.Getenv(KeyringFolder); folder != "" {
		process.Keyring = FolderVault(folder)
	}
	os.Exit(cli.Run(cli.Interruptible(context.Background()), os.Args[1:], process))
}

// StartSlowSite returns the environment of a site whose jobs take their time.
func StartSlowSite(t *testing.T) []string {
	t.Helper()
	server := NewSite(t, simulator.Options{Clock: simulator.NewScaledClock(1)})
	return []string{"GEODECK_URL=" + server.URL(), "GEODECK_TOKEN=" + TokenOf(t, server, 0)}
}

// Process is the program as the system runs it.
type Process struct {
	t        *testing.T
	Cmd      *exec.Cmd
	Out, Err *bufio.Reader
}

// Start starts the program.
func Start(t *testing.T, env []string, args ...string) *Process {
	t.Helper()
	name, err := exec.LookPath("geodeck") // put into PATH by TestMain
	if err != nil {
		t.Fatal(err)
	}
	return StartCommand(t, env, name, args...)
}

// StartCommand starts another program, such as a shell that starts this one.
func StartCommand(t *testing.T, env []string, name string, args ...string) *Process {
	t.Helper()
	cmd := exec.CommandContext(Patience(t), name, args...)
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
	return &Process{t: t, Cmd: cmd, Out: bufio.NewReader(out), Err: bufio.NewReader(errs)}
}

// Signal sends a signal to the process.
func (p *Process) Signal(s os.Signal) {
	p.t.Helper()
	if err := p.Cmd.Process.Signal(s); err != nil {
		p.t.Fatal(err)
	}
}

// WantCode waits for the end of the process, and compares its exit code.
func (p *Process) WantCode(want int) {
	p.t.Helper()
	_ = p.Cmd.Wait()
	if code := p.Cmd.ProcessState.ExitCode(); code != want {
		p.t.Errorf("exit code %d, want %d", code, want)
	}
}

// Patience ends a program that hangs, so that its test says where.
func Patience(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// OnTerminal runs the program to its end and returns what it wrote.
func OnTerminal(t *testing.T, columns int, env []string, args ...string) string {
	t.Helper()
	x := OpenTerminal(t, columns, env, args...)
	x.End()
	return x.Sent()
}

// OpenTerminal starts the program in a terminal of 30 lines.
func OpenTerminal(t *testing.T, columns int, env []string, args ...string) *terminal.Terminal {
	t.Helper()
	name, err := exec.LookPath("geodeck") // put into PATH by TestMain
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(Patience(t), name, args...)
	cmd.Env = append(os.Environ(), append([]string{
		"TERM=xterm-256color", "LANG=en_US.UTF-8", "LC_ALL=", "NO_COLOR=", "COLORTERM=", "GEODECK_URL=", "GEODECK_TOKEN=",
		"COLORFGBG=15;0", "CI=", "CLICOLOR=", "CLICOLOR_FORCE=", // of the machine that tests: they would tell of colours too
		"XDG_STATE_HOME=" + t.TempDir(), "TMPDIR=" + t.TempDir(), // it is killed, and leaves its journal there
	}, env...)...)
	return terminal.Open(t, cmd, columns, 30)
}

// FolderVault is a keyring for several processes: a folder.
type FolderVault string

func (v FolderVault) path(name string) string { return filepath.Join(string(v), url.QueryEscape(name)) }

// Get reads an entry.
func (v FolderVault) Get(_, name string) (string, error) {
	text, err := os.ReadFile(v.path(name))
	if errors.Is(err, fs.ErrNotExist) {
		err = keyring.ErrNotFound
	}
	return string(text), err
}

// Set writes an entry.
func (v FolderVault) Set(_, name, secret string) error {
	whole := fmt.Sprintf("%s.%d", v.path(name), os.Getpid()) // nobody reads half of it
	return errors.Join(os.WriteFile(whole, []byte(secret), 0o600), os.Rename(whole, v.path(name)))
}

// Delete removes an entry.
func (v FolderVault) Delete(_, name string) error { return os.Remove(v.path(name)) }
