// Package terminal runs programs in a pseudo-terminal with an emulator behind it: tests
// wait for what a user would see, not for bytes in some order. Start at [Open].
//
// The terminal never answers what it is asked, as many do, unless [Terminal.Reply] says so.
package terminal

import (
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/vt"
	"github.com/creack/pty"
	"golang.org/x/term"
)

// patience is how long a test waits for a program before it fails.
const patience = time.Minute

// Terminal is a terminal with a program in it.
type Terminal struct {
	Cmd *exec.Cmd

	t            testing.TB
	ours, theirs *os.File
	before       *term.State
	after        *term.State // once the program has ended
	started      time.Time
	replies      atomic.Pointer[func(reply string)]
	finished     chan struct{}

	mu      sync.Mutex
	screen  *vt.Emulator
	sent    strings.Builder
	pieces  []Piece
	changed chan struct{} // closed at the next change
}

// Open starts a command in a terminal of a size in cells. It is killed when the test ends.
func Open(t testing.TB, cmd *exec.Cmd, width, height int) *Terminal {
	t.Helper()
	blocking, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	x := &Terminal{
		Cmd: cmd, t: t, ours: pollable(t, blocking), theirs: theirs, finished: make(chan struct{}),
		screen: vt.NewEmulator(width, height), changed: make(chan struct{}),
	}
	x.Resize(width, height)
	x.before = x.Modes()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	x.started = time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := make(chan struct{})
	go func() {
		defer close(answers)
		x.passReplies()
	}()
	arrived := make(chan Piece, 1<<10)
	go x.read(arrived)
	go x.show(arrived)
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		x.HangUp()
		<-x.finished
		_ = x.screen.InputPipe().(io.Closer).Close() // ends the replies; Close of the emulator races with them
		<-answers
		_ = cmd.Wait()
	})
	return x
}

// pollable returns the file in a form that can be closed during a read.
func pollable(t testing.TB, file *os.File) *os.File {
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

// show gives what arrives to the screen. It does so beside the reading, which tells the times.
func (x *Terminal) show(arrived <-chan Piece) {
	defer close(x.finished)
	for piece := range arrived {
		x.mu.Lock()
		x.sent.WriteString(piece.Text)
		x.pieces = append(x.pieces, piece)
		_, _ = x.screen.Write([]byte(piece.Text))
		close(x.changed)
		x.changed = make(chan struct{})
		x.mu.Unlock()
	}
}

// Screen returns the text that the screen shows, a line each.
func (x *Terminal) Screen() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.screen.String()
}

// Colored is Screen with the colours, as escape sequences.
func (x *Terminal) Colored() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.screen.Render()
}

// Cursor returns the column and the line of the cursor, from 0.
func (x *Terminal) Cursor() (column, line int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	at := x.screen.CursorPosition()
	return at.X, at.Y
}

// Sent returns every byte that the program has written.
func (x *Terminal) Sent() string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.sent.String()
}

// Shows waits until the screen shows each of the texts, and returns it.
func (x *Terminal) Shows(texts ...string) string {
	x.t.Helper()
	var screen string
	for _, text := range texts {
		x.until("show "+text, func() bool {
			screen = x.screen.String()
			return strings.Contains(screen, text)
		})
	}
	return screen
}

// Sends waits until the program has written text behind its first skip bytes, and
// returns everything that it has written.
func (x *Terminal) Sends(text string, skip int) string {
	x.t.Helper()
	var sent string
	x.until("write "+text, func() bool {
		sent = x.sent.String()
		return strings.Contains(sent[min(skip, len(sent)):], text)
	})
	return sent
}

// until waits for something that the program does. It looks under the lock.
func (x *Terminal) until(what string, done func() bool) {
	x.t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	for {
		x.mu.Lock()
		ok, changed := done(), x.changed
		x.mu.Unlock()
		if ok {
			return
		}
		select {
		case <-changed:
		case <-x.finished:
			x.mu.Lock()
			ok = done()
			x.mu.Unlock()
			if !ok {
				x.t.Fatalf("the program ended and did not %q; it wrote %q, and shows\n%s", what, x.Sent(), x.Screen())
			}
			return
		case <-limit.C:
			x.t.Fatalf("the program did not %q; it wrote %q, and shows\n%s", what, x.Sent(), x.Screen())
		}
	}
}

// Press types keys: the bytes that a terminal sends for them.
func (x *Terminal) Press(keys string) {
	x.t.Helper()
	if _, err := x.ours.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// Resize gives the terminal another size in cells, and tells the program. A terminal of 0 by
// 0 does not tell its size.
func (x *Terminal) Resize(width, height int) {
	x.t.Helper()
	if width > 0 && height > 0 {
		x.mu.Lock()
		x.screen.Resize(width, height)
		x.mu.Unlock()
	}
	if err := pty.Setsize(x.theirs, &pty.Winsize{Rows: uint16(height), Cols: uint16(width)}); err != nil {
		x.t.Fatal(err)
	}
}

// Modes returns the modes of the terminal at present.
func (x *Terminal) Modes() *term.State {
	x.t.Helper()
	modes, err := term.GetState(int(x.theirs.Fd()))
	if err != nil {
		x.t.Fatal(err)
	}
	return modes
}

// SetModes changes the modes of the terminal, as another program would.
func (x *Terminal) SetModes(modes *term.State) {
	x.t.Helper()
	if err := term.Restore(int(x.theirs.Fd()), modes); err != nil {
		x.t.Fatal(err)
	}
}

// Before returns the modes that the terminal had before the program.
func (x *Terminal) Before() *term.State { return x.before }

// Signal sends the program a signal.
func (x *Terminal) Signal(s os.Signal) {
	x.t.Helper()
	if err := x.Cmd.Process.Signal(s); err != nil {
		x.t.Fatal(err)
	}
}

// HangUp closes the terminal, as a lost SSH connection does.
func (x *Terminal) HangUp() {
	_ = x.theirs.Close()
	_ = x.ours.Close()
}

// End waits for the end of the program and of what it wrote, and returns its exit code.
func (x *Terminal) End() int {
	x.t.Helper()
	limit := time.AfterFunc(patience, func() { _ = x.Cmd.Process.Kill() })
	defer limit.Stop()
	_ = x.Cmd.Wait()
	x.after, _ = term.GetState(int(x.theirs.Fd())) // fails after HangUp
	_ = x.theirs.Close()
	<-x.finished
	return x.Cmd.ProcessState.ExitCode()
}

// Restored fails unless a program that has ended left the terminal as it found it.
func (x *Terminal) Restored() {
	x.t.Helper()
	sent := x.Sent()
	for on, off := range map[string]string{
		"\x1b[?1049h": "\x1b[?1049l", "\x1b[?25l": "\x1b[?25h", "\x1b[?2004h": "\x1b[?2004l", "\x1b[?7l": "\x1b[?7h",
	} {
		if strings.LastIndex(sent, off) < strings.LastIndex(sent, on) {
			x.t.Errorf("%q was not taken back in %q", on, sent)
		}
	}
	if !reflect.DeepEqual(x.before, x.after) {
		x.t.Error("the modes of the terminal are not what they were")
	}
}
