package ui_test

import (
	"bytes"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/term"
)

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
	return openCommand(t, exec.Command(os.Args[0]), scene)
}

// openCommand is a terminal with any command that starts the program.
func openCommand(t *testing.T, cmd *exec.Cmd, scene string, env ...string) *terminal {
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
	x.cmd = cmd
	x.cmd.Env = append(append(os.Environ(), sceneVariable+"="+scene, "TERM=xterm-256color", "COLORFGBG=",
		"GORACE=atexit_sleep_ms=0"), env...) // the race detector sleeps a second at the end
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
	// A dashboard that was stopped has given the screen back before.
	out := x.await("\x1b[?1049l", max(0, strings.LastIndex(x.output(), "\x1b[?1049h")))
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
