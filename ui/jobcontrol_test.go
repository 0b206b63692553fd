package ui_test

import (
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"geodeck/ui/uitest/terminal"
)

// takenAgain fails unless the terminal is the dashboard's again since it had written so
// much: its modes, a whole frame, and an answer to a key.
func takenAgain(t *testing.T, x *terminal.Terminal, modes *term.State, skip int) {
	t.Helper()
	x.Sends("\x1b[?1049h", skip)
	x.Sends("\x1b[?2004h", skip)
	x.Shows("offline", "There is no site", "quit") // header, view, keys
	if !reflect.DeepEqual(x.Modes(), modes) {
		t.Error("the modes of the terminal are not those of the dashboard")
	}
	x.Press("?")
	x.Shows("Help for")
	x.Press("\x1b")
	x.Shows("There is no site")
	fresh := open(t, "dashboard")
	fresh.Shows("offline", "There is no site", "quit")
	x.Same(fresh.Display)
}

func TestADashboardThatWasStoppedTakesTheTerminalAgain(t *testing.T) {
	t.Parallel()
	x := open(t, "dashboard")
	x.Shows("There is no site")
	raw := x.Modes()
	for range 2 {
		x.Signal(syscall.SIGSTOP)
		var status unix.WaitStatus
		if _, err := unix.Wait4(x.Cmd.Process.Pid, &status, unix.WUNTRACED, nil); err != nil || !status.Stopped() {
			t.Fatalf("%v, %v", status, err)
		}
		// A shell gives itself a terminal that it can use.
		x.SetModes(x.Before())
		stopped := len(x.Sent())
		x.Signal(syscall.SIGCONT)
		takenAgain(t, x, raw, stopped)
	}
	x.Press("q")
	if code := x.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.Restored()
}

// The terminal of these tests has no shell: nobody could continue the program.
func TestWithoutAShellADashboardIsNotStopped(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(*terminal.Terminal){
		"ctrl+z":  func(x *terminal.Terminal) { x.Press("\x1a") },
		"SIGTSTP": func(x *terminal.Terminal) { _ = x.Cmd.Process.Signal(syscall.SIGTSTP) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := open(t, "dashboard")
			x.Shows("There is no site")
			raw, started := x.Modes(), len(x.Sent())
			stop(x)
			out := x.Sends("\x1b[?1049l", started)
			takenAgain(t, x, raw, started+strings.Index(out[started:], "\x1b[?1049l"))
			x.Press("q")
			if code := x.End(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			x.Restored()
		})
	}
}

func TestAShellGetsTheTerminalOfAStoppedDashboard(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(x *terminal.Terminal, pid int){
		"ctrl+z":  func(x *terminal.Terminal, _ int) { x.Press("\x1a") },
		"SIGTSTP": func(_ *terminal.Terminal, pid int) { _ = syscall.Kill(pid, syscall.SIGTSTP) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := openShell(t, "dashboard")
			x.Press("sh -c 'echo pid=$$.; exec \"$0\"' \"$PROGRAM\"\n")
			x.Shows("There is no site")
			out := x.Sent()
			_, rest, _ := strings.Cut(out[strings.LastIndex(out, "pid="):], "=")
			pid, err := strconv.Atoi(rest[:strings.Index(rest, ".")])
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
			raw, started := x.Modes(), len(out)
			stop(x, pid)
			out = x.Sends("Stopped", started)
			if left := strings.LastIndex(out, "\x1b[?1049l"); left < started || left > strings.LastIndex(out, "Stopped") ||
				strings.LastIndex(out, "\x1b[?25h") < started || strings.LastIndex(out, "\x1b[?2004l") < started {
				t.Errorf("the screen was not given back: %q", out[started:])
			}
			if reflect.DeepEqual(x.Modes(), raw) {
				t.Error("the modes of the terminal are those of the dashboard")
			}
			stopped := len(out)
			x.Press("fg\n")
			takenAgain(t, x, raw, stopped)
			ended := len(x.Sent())
			x.Press("q")
			x.Sends("\x1b[?1049l", ended)
			x.Press("exit 7\n")
			if code := x.End(); code != 7 {
				t.Errorf("exit code %d", code)
			}
		})
	}
}

// An editor stops itself and the program that waits for it, as for ctrl+z: a shell sees
// the latter alone.
func TestAnEditorInTheDashboardCanBeStopped(t *testing.T) {
	t.Parallel()
	x := openShell(t, "editor")
	x.Press("\"$PROGRAM\"\n")
	x.Shows("ready")
	x.Press("x")
	x.Shows("editing") // the editor has the terminal itself
	stopped := len(x.Sends("Stopped", 0))
	x.Press("fg\n")
	x.Sends("edited", stopped)
	back := len(x.Sends("\x1b[?1049h", stopped))
	x.Shows("ready")
	x.Press("x") // reaches the dashboard again
	x.Sends("editing", back)
}

// openShell is a terminal with a shell, whose variable PROGRAM starts the scene.
func openShell(t *testing.T, scene string) *terminal.Terminal {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	return openCommand(t, exec.Command(shell, "-i"), scene, "PROGRAM="+os.Args[0], "PS1=$ ", "ENV=", "LC_ALL=C")
}
