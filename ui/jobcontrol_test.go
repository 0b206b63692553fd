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
)

// modes are the modes of the terminal at present.
func (x *terminal) modes() *term.State {
	x.t.Helper()
	modes, err := term.GetState(int(x.theirs.Fd()))
	if err != nil {
		x.t.Fatal(err)
	}
	return modes
}

// takenAgain fails unless the terminal is the dashboard's again since it had written so
// much: its modes, a whole frame, and an answer to a key.
func (x *terminal) takenAgain(modes *term.State, skip int) {
	x.t.Helper()
	x.await("\x1b[?1049h", skip)
	x.await("\x1b[?2004h", skip)
	for _, text := range []string{"offline", "There is no site", "quit"} { // header, view, keys
		x.await(text, skip)
	}
	if !reflect.DeepEqual(x.modes(), modes) {
		x.t.Error("the modes of the terminal are not those of the dashboard")
	}
	answered := len(x.output())
	x.press("?")
	x.await("Help for", answered)
	answered = len(x.output())
	x.press("\x1b")
	x.await("There is no site", answered)
}

func TestADashboardThatWasStoppedTakesTheTerminalAgain(t *testing.T) {
	t.Parallel()
	x := open(t, "dashboard")
	x.await("There is no site", 0)
	raw := x.modes()
	for range 2 {
		if err := x.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
		var status unix.WaitStatus
		if _, err := unix.Wait4(x.cmd.Process.Pid, &status, unix.WUNTRACED, nil); err != nil || !status.Stopped() {
			t.Fatalf("%v, %v", status, err)
		}
		// A shell gives itself a terminal that it can use.
		if err := term.Restore(int(x.theirs.Fd()), x.before); err != nil {
			t.Fatal(err)
		}
		stopped := len(x.output())
		if err := x.cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		x.takenAgain(raw, stopped)
	}
	x.press("q")
	if code := x.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.restored()
}

// The terminal of these tests has no shell: nobody could continue the program.
func TestWithoutAShellADashboardIsNotStopped(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(*terminal){
		"ctrl+z":  func(x *terminal) { x.press("\x1a") },
		"SIGTSTP": func(x *terminal) { _ = x.cmd.Process.Signal(syscall.SIGTSTP) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := open(t, "dashboard")
			x.await("There is no site", 0)
			raw, started := x.modes(), len(x.output())
			stop(x)
			out := x.await("\x1b[?1049l", started)
			x.takenAgain(raw, started+strings.Index(out[started:], "\x1b[?1049l"))
			x.press("q")
			if code := x.exit(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			x.restored()
		})
	}
}

func TestAShellGetsTheTerminalOfAStoppedDashboard(t *testing.T) {
	t.Parallel()
	for name, stop := range map[string]func(x *terminal, pid int){
		"ctrl+z":  func(x *terminal, _ int) { x.press("\x1a") },
		"SIGTSTP": func(_ *terminal, pid int) { _ = syscall.Kill(pid, syscall.SIGTSTP) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := openShell(t, "dashboard")
			x.press("sh -c 'echo pid=$$.; exec \"$0\"' \"$PROGRAM\"\n")
			out := x.await("There is no site", 0)
			_, rest, _ := strings.Cut(out[strings.LastIndex(out, "pid="):], "=")
			pid, err := strconv.Atoi(rest[:strings.Index(rest, ".")])
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = syscall.Kill(pid, syscall.SIGKILL) })
			raw, started := x.modes(), len(out)
			stop(x, pid)
			out = x.await("Stopped", started)
			if left := strings.LastIndex(out, "\x1b[?1049l"); left < started || left > strings.LastIndex(out, "Stopped") ||
				strings.LastIndex(out, "\x1b[?25h") < started || strings.LastIndex(out, "\x1b[?2004l") < started {
				t.Errorf("the screen was not given back: %q", out[started:])
			}
			if reflect.DeepEqual(x.modes(), raw) {
				t.Error("the modes of the terminal are those of the dashboard")
			}
			stopped := len(out)
			x.press("fg\n")
			x.takenAgain(raw, stopped)
			ended := len(x.output())
			x.press("q")
			x.await("\x1b[?1049l", ended)
			x.press("exit 7\n")
			if code := x.exit(); code != 7 {
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
	x.press("\"$PROGRAM\"\n")
	x.await("ready", 0)
	x.press("x")
	x.await("editing", 0) // the editor has the terminal itself
	stopped := len(x.await("Stopped", 0))
	x.press("fg\n")
	back := len(x.await("edited", stopped))
	x.await("ready", back)
	x.press("x") // reaches the dashboard again
	x.await("editing", back)
}

// openShell is a terminal with a shell, whose variable PROGRAM starts the scene.
func openShell(t *testing.T, scene string) *terminal {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	return openCommand(t, exec.Command(shell, "-i"), scene, "PROGRAM="+os.Args[0], "PS1=$ ", "ENV=", "LC_ALL=C")
}
