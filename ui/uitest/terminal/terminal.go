// Package terminal runs programs in a pseudo-terminal with an emulator behind it: tests
// wait for what a user would see, not for bytes in some order. Start at [Open].
//
// The terminal never answers what it is asked, as many do, unless [Terminal.Reply] says so.
package terminal

import (
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// Terminal is a terminal with a program in it.
type Terminal struct {
	*Display
	Cmd *exec.Cmd

	ours, theirs *os.File
	before       *term.State
	after        *term.State // once the program has ended
	unread       int         // bytes, then; below 0 for none
	started      time.Time
	pieces       []Piece // under the lock of the display
	pause        atomic.Pointer[pause]
}

// Open starts a command in a terminal of a size in cells. It is killed when the test ends.
func Open(t testing.TB, cmd *exec.Cmd, width, height int) *Terminal {
	t.Helper()
	blocking, theirs, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	x := &Terminal{Display: newDisplay(t, width, height), Cmd: cmd, ours: pollable(t, blocking), theirs: theirs}
	x.Resize(width, height)
	x.before = x.Modes()
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	x.started = time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	arrived := make(chan Piece, 1<<10)
	go x.read(arrived)
	go x.show(arrived)
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		x.HangUp()
		_ = cmd.Wait()
	})
	return x
}

// pollable returns the file in a form that can be closed during a read.
func pollable(t testing.TB, file *os.File) *os.File {
	t.Helper()
	defer file.Close()
	fd, err := unix.FcntlInt(file.Fd(), unix.F_DUPFD_CLOEXEC, 0) // else a program keeps a terminal alive, its own or that of another test
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fd), "terminal")
}

// Press types keys: the bytes that a terminal sends for them.
func (x *Terminal) Press(keys string) {
	x.t.Helper()
	if _, err := x.ours.WriteString(keys); err != nil {
		x.t.Fatal(err)
	}
}

// Overwrite writes on the screen, as another program with the same terminal would.
func (x *Terminal) Overwrite(text string) {
	x.t.Helper()
	if _, err := x.theirs.WriteString(text); err != nil {
		x.t.Fatal(err)
	}
	x.Sends(text, 0)
}

// Resize gives the terminal another size in cells, and tells the program. A terminal of 0 by
// 0 does not tell its size.
func (x *Terminal) Resize(width, height int) {
	x.t.Helper()
	if width > 0 && height > 0 {
		x.Display.Resize(width, height)
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
	x.GoOn()
}

// End waits for the end of the program and of what it wrote, and returns its exit code.
func (x *Terminal) End() int {
	x.t.Helper()
	limit := time.AfterFunc(patience, func() { _ = x.Cmd.Process.Kill() })
	defer limit.Stop()
	_ = x.Cmd.Wait()
	fd := int(x.theirs.Fd()) // all fails after HangUp
	x.after, _ = term.GetState(fd)
	if _, err := term.MakeRaw(fd); err == nil && syscall.SetNonblock(fd, true) == nil { // else whole lines would be awaited
		x.unread, _ = syscall.Read(fd, make([]byte, 4096))
	}
	_ = x.theirs.Close()
	select {
	case <-x.finished:
	case <-time.After(patience):
		x.t.Errorf("another program holds the terminal after the end of %s:\n%s", x.Cmd, x.Screen())
		x.HangUp()
	}
	return x.Cmd.ProcessState.ExitCode()
}

// Unread returns how many bytes of what was typed no program has read at the end: the shell
// gets them.
func (x *Terminal) Unread() int { return max(0, x.unread) }

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
	x.ModesRestored()
}

// ModesRestored fails unless a program that has ended left the modes of the terminal as it
// found them, whatever is on the screen.
func (x *Terminal) ModesRestored() {
	x.t.Helper()
	if !reflect.DeepEqual(x.before, x.after) {
		x.t.Error("the modes of the terminal are not what they were")
	}
}
