package ui

import (
	"os"
	"os/exec"
	"reflect"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"golang.org/x/term"

	"geodeck/ui/keyboard"
)

// stopped requests that the program be stopped; pid is as for kill(2).
type stopped struct{ pid int }

// continued says that the program was continued, for the count-th time.
type continued struct{ count uint64 }

// jobControl releases the terminal before the program is stopped, and restores it when
// the program continues: after ctrl+z, after SIGTSTP, and after SIGSTOP, which comes
// without notice. Bubble Tea handles only ctrl+z, and hangs where no shell can continue
// the program.
type jobControl struct {
	program *tea.Program
	screen  *os.File
	keys    *keyboard.Reader
	grace   time.Duration // for an answer of the terminal, before it is another program's

	quitting  bool        // of the event loop
	lent      atomic.Bool // another program, such as an editor, has the terminal
	count     atomic.Uint64
	woken     chan uint64 // the last count, for halt
	drawnUpTo uint64      // up to this count the screen was redrawn; of the event loop
}

// filter sees messages before Bubble Tea handles them, in its event loop. One that gives the
// terminal to another program comes again once the terminal has answered. Behind one that ends
// this program nothing else is handled.
func (j *jobControl) filter(msg tea.Msg) tea.Msg {
	if _, ok := msg.(tea.SuspendMsg); ok {
		msg = stopped{pid: 0} // ctrl+z stops the whole group, as a terminal does
	}
	_, stops := msg.(stopped)
	_, quits := msg.(tea.QuitMsg)
	lends := reflect.TypeOf(msg) == execMsgType
	j.quitting = j.quitting || quits
	switch {
	case (stops || quits || lends) && j.keys.Expects():
		go func() {
			j.keys.Settle(j.grace)
			j.program.Send(msg)
		}()
		return nil
	case j.quitting && !quits:
		return nil
	}
	j.lent.Store(lends)
	return msg
}

// execMsgType is the message with which Bubble Tea runs another program; it is not exported.
var execMsgType = reflect.TypeOf(tea.ExecProcess(&exec.Cmd{}, nil)())

// stopSignal is SIGTSTP from outside. The other program gives the terminal back itself.
func (j *jobControl) stopSignal() {
	if j.lent.Load() {
		j.halt(syscall.Getpid())
		return
	}
	go j.program.Send(stopped{pid: syscall.Getpid()})
}

// continueSignal is SIGCONT.
func (j *jobControl) continueSignal() {
	count := j.count.Add(1)
	select {
	case <-j.woken:
	default:
	}
	j.woken <- count
	if !j.lent.Load() {
		go j.program.Send(continued{count})
	}
}

// update handles the messages above in the event loop, while nothing is drawn.
func (j *jobControl) update(msg tea.Msg) (cmd tea.Cmd, ours bool) {
	switch msg := msg.(type) {
	case stopped:
		_ = j.program.ReleaseTerminal()
		j.drawnUpTo = max(j.drawnUpTo, j.halt(msg.pid))
	case continued:
		if msg.count <= j.drawnUpTo || !j.inForeground() {
			return nil, true
		}
		j.drawnUpTo = j.count.Load()
		_ = j.program.ReleaseTerminal() // another program may have left the terminal in any state
	default:
		if reflect.TypeOf(msg) == execMsgType {
			return measure, true // the other program has ended; a resize may have told only that one
		}
		return nil, false
	}
	_ = j.program.RestoreTerminal()
	return tea.Sequence(measure, func() tea.Msg { return tea.ResumeMsg{} }), true
}

// halt stops the program and returns, once it runs again, how often it was continued.
func (j *jobControl) halt(pid int) uint64 {
	select {
	case <-j.woken:
	default:
	}
	// SIGTSTP would not do: a Go program that has asked for a signal once never gets its
	// default again. This one stops a program in the same way.
	_ = syscall.Kill(pid, syscall.SIGTTOU)
	// The system silently ignores the signal where no shell could continue the program, and takes its time on a
	// busy machine. While the program is stopped at most one tick passes.
	ticks := time.NewTicker(haltTick)
	defer ticks.Stop()
	for n := 0; n < haltTicks || n < haltTicksPending && pending(syscall.SIGTTOU); n++ {
		select {
		case count := <-j.woken:
			return count
		case <-ticks.C:
		}
	}
	return j.count.Load()
}

// A program that still runs after so many ticks was not stopped: more of them while its signal waits, but not for ever, as
// who has started it may have blocked that.
const (
	haltTick         = 20 * time.Millisecond
	haltTicks        = 10
	haltTicksPending = 250
)

// pending reports whether a signal to this program was not taken yet, where the system tells.
func pending(s syscall.Signal) bool {
	status, _ := os.ReadFile("/proc/self/status")
	_, mask, _ := strings.Cut(string(status), "\nShdPnd:\t")
	mask, _, _ = strings.Cut(mask, "\n")
	signals, err := strconv.ParseUint(mask, 16, 64)
	return err == nil && signals&(1<<(s-1)) != 0
}

// inForeground waits until the terminal is this program's: setting the modes that it has
// stops a program in the background. It returns false if the terminal is closed.
func (j *jobControl) inForeground() bool {
	fd := int(j.screen.Fd())
	modes, err := term.GetState(fd)
	return err == nil && term.Restore(fd, modes) == nil
}
