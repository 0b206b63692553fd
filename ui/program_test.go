package ui_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/creack/pty"
	"golang.org/x/term"

	"geodeck/theme"
	"geodeck/ui"
)

const sceneVariable = "GEODECK_TEST_SCENE"

// play is the program that the tests below start in a terminal of its own.
func play(scene string) int {
	var err error
	switch scene {
	case "dashboard":
		err = ui.Run(context.Background(), ui.Options{Theme: theme.New(theme.Options{})}, os.Stdin, os.Stdout)
	case "deadline":
		ctx, cancel := context.WithCancel(context.Background())
		err = ui.RunModel(ctx, &fuse{burn: cancel}, os.Stdin, os.Stdout)
	default:
		err = ui.RunModel(context.Background(), &fuse{where: scene}, os.Stdin, os.Stdout)
	}
	var failed *ui.PanicError
	switch {
	case errors.As(err, &failed):
		fmt.Printf("failed in %s: %v, stack %t", failed.Where, failed.Value, len(failed.Stack) > 0)
		return 70
	case errors.Is(err, ui.ErrInterrupted):
		return 130
	case err != nil:
		fmt.Println(err)
		return 1
	}
	return 0
}

// fuse is a program that breaks where it is told to, at the key x.
type fuse struct {
	where string
	burn  func()
	lit   bool
}

func (f *fuse) Init() tea.Cmd { return nil }

func (f *fuse) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	key, ok := msg.(tea.KeyMsg)
	if !ok || key.String() != "x" {
		return f, nil
	}
	burst := func() tea.Msg { panic("the fuse") }
	switch f.where {
	case "update":
		panic("the fuse")
	case "view":
		f.lit = true
	case "command":
		return f, burst
	case "batch":
		return f, tea.Batch(tea.Batch(burst, burst), burst)
	case "sequence":
		return f, tea.Sequence(func() tea.Msg { return nil }, burst)
	}
	if f.burn != nil {
		f.burn()
	}
	return f, nil
}

func (f *fuse) View() string {
	if f.lit {
		panic("the fuse")
	}
	return "ready"
}

// terminal is a terminal that never answers, with a program in it.
type terminal struct {
	t        *testing.T
	cmd      *exec.Cmd
	ours     *os.File
	theirs   *os.File
	before   *term.State
	mu       sync.Mutex
	written  bytes.Buffer
	changed  chan struct{}
	finished chan struct{}
}

func open(t *testing.T, scene string) *terminal {
	t.Helper()
	blocking, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	ours := pollable(t, blocking)
	if err := pty.Setsize(theirs, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	x := &terminal{t: t, ours: ours, theirs: theirs, changed: make(chan struct{}, 1), finished: make(chan struct{})}
	x.before, err = term.GetState(int(theirs.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	x.cmd = exec.Command(os.Args[0])
	x.cmd.Env = append(os.Environ(), sceneVariable+"="+scene, "TERM=xterm-256color", "COLORFGBG=")
	x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = theirs, theirs, theirs
	x.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := x.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go x.read()
	t.Cleanup(func() {
		_ = x.cmd.Process.Kill()
		x.hangUp()
		<-x.finished
	})
	return x
}

// pollable returns the file in a form that can be closed during a read.
func pollable(t *testing.T, file *os.File) *os.File {
	t.Helper()
	defer file.Close()
	fd, err := syscall.Dup(int(file.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	syscall.CloseOnExec(fd) // else the program itself keeps its terminal alive
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), "terminal")
}

func (x *terminal) read() {
	defer close(x.finished)
	buffer := make([]byte, 4096)
	for {
		n, err := x.ours.Read(buffer)
		x.mu.Lock()
		x.written.Write(buffer[:n])
		x.mu.Unlock()
		select {
		case x.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (x *terminal) output() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.written.String()
}

// await waits until text was written after the first skip bytes, and returns
// everything that was written.
func (x *terminal) await(text string, skip int) string {
	x.t.Helper()
	limit := time.After(20 * time.Second)
	for {
		if out := x.output(); strings.Contains(out[min(skip, len(out)):], text) {
			return out
		}
		select {
		case <-x.changed:
		case <-limit:
			x.t.Fatalf("the program did not write %q but %q", text, x.output())
		}
	}
}

func (x *terminal) press(keys string) {
	x.t.Helper()
	if _, err := x.ours.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// exit waits for the end of the program and returns its code.
func (x *terminal) exit() int {
	x.t.Helper()
	limit := time.AfterFunc(20*time.Second, func() { _ = x.cmd.Process.Kill() })
	defer limit.Stop()
	_ = x.cmd.Wait()
	return x.cmd.ProcessState.ExitCode()
}

// hangUp closes the terminal, as a lost SSH connection does.
func (x *terminal) hangUp() {
	_ = x.theirs.Close()
	_ = x.ours.Close()
}

// restored fails unless the terminal is as it was before the program.
func (x *terminal) restored() {
	x.t.Helper()
	out := x.await("\x1b[?1049l", 0)
	for on, off := range map[string]string{"\x1b[?1049h": "\x1b[?1049l", "\x1b[?25l": "\x1b[?25h", "\x1b[?2004h": "\x1b[?2004l"} {
		if strings.LastIndex(out, off) < strings.LastIndex(out, on) {
			x.t.Errorf("%q was not taken back in %q", on, out)
		}
	}
	after, err := term.GetState(int(x.theirs.Fd()))
	if err != nil {
		x.t.Fatal(err)
	}
	if !reflect.DeepEqual(x.before, after) {
		x.t.Error("the modes of the terminal are not what they were")
	}
}

// questions are sequences that a terminal would have to answer: colours, cursor
// position, attributes, modes, keyboard.
var questions = regexp.MustCompile("\x1b\\][0-9;]*\\?|\x1b\\[[0-9;>=?]*[cn]|\x1b\\[\\?u|\x1b\\[\\??[0-9]+\\$p|\x1bP[+$]q")

func TestTerminalIsAskedNothing(t *testing.T) {
	x := open(t, "dashboard")
	x.await("offline", 0)
	x.press("?")
	opened := len(x.await("Help for", 0))
	x.press("\x1b")
	x.await("There is no site", opened)
	x.press("q")
	if code := x.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.restored()
	if asked := questions.FindString(x.output()); asked != "" {
		t.Errorf("the terminal was asked %q", asked)
	}
}

func TestSignalsEndTheDashboardCleanly(t *testing.T) {
	for signal, want := range map[syscall.Signal]int{syscall.SIGTERM: 0, syscall.SIGHUP: 0, syscall.SIGINT: 130} {
		t.Run(signal.String(), func(t *testing.T) {
			x := open(t, "dashboard")
			x.await("offline", 0)
			if err := x.cmd.Process.Signal(signal); err != nil {
				t.Fatal(err)
			}
			if code := x.exit(); code != want {
				t.Errorf("exit code %d instead of %d", code, want)
			}
			x.restored()
		})
	}
}

func TestLostConnectionEndsTheDashboard(t *testing.T) {
	x := open(t, "dashboard")
	x.await("offline", 0)
	x.hangUp()
	if code := x.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestInterruptKeyEndsTheDashboard(t *testing.T) {
	x := open(t, "dashboard")
	x.await("offline", 0)
	x.press("\x03")
	if code := x.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.restored()
}

func TestFailureOfTheProgramRestoresTheTerminalAndIsReported(t *testing.T) {
	where := map[string]string{"update": "a message", "view": "drawing", "command": "a command", "batch": "a command", "sequence": "a command"}
	for scene, want := range where {
		t.Run(scene, func(t *testing.T) {
			x := open(t, scene)
			x.await("ready", 0)
			x.press("x")
			if code := x.exit(); code != 70 {
				t.Errorf("exit code %d", code)
			}
			x.restored()
			out := x.await("failed in "+want+": the fuse, stack true", 0)
			if strings.Contains(out, "goroutine ") {
				t.Errorf("a stack was printed on the screen: %q", out)
			}
		})
	}
}

func TestEndOfTheContextEndsTheDashboard(t *testing.T) {
	x := open(t, "deadline")
	x.await("ready", 0)
	x.press("x")
	if code := x.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.restored()
}

func TestSuspendGivesTheTerminalBackAndResumeDrawsAnew(t *testing.T) {
	x := open(t, "dashboard")
	x.await("offline", 0)
	x.press("\x1a")
	suspended := len(x.await("\x1b[?1049l", 0))
	// Nobody tells when the program listens for the signal that wakes it.
	wake := time.NewTicker(20 * time.Millisecond)
	defer wake.Stop()
	awake := make(chan struct{})
	go func() {
		for {
			select {
			case <-wake.C:
				_ = x.cmd.Process.Signal(syscall.SIGCONT)
			case <-awake:
				return
			}
		}
	}()
	x.await("offline", suspended)
	close(awake)
	x.press("q")
	if code := x.exit(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.restored()
}

func TestResizeIsFollowed(t *testing.T) {
	x := open(t, "dashboard")
	seen := len(x.await("offline", 0))
	if err := pty.Setsize(x.theirs, &pty.Winsize{Rows: 10, Cols: 40}); err != nil {
		t.Fatal(err)
	}
	x.await("too small: 40x10", seen)
}

func TestDashboardNeedsATerminal(t *testing.T) {
	file, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := ui.Run(context.Background(), ui.Options{}, os.Stdin, file); !errors.Is(err, ui.ErrNoTerminal) {
		t.Errorf("error %v", err)
	}
}
