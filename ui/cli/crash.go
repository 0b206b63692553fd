package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/plain"
)

// maxPanic is how many bytes of a panic's own text are shown and kept.
const maxPanic = 400

// crash is a panic of the program.
type crash struct {
	where string // "drawing", "a command"
	value any
	stack []byte
}

func (c *crash) Error() string { return "the program has failed in " + c.where }

// crashed says that the program itself has failed. What a programmer needs goes to a
// file, and not to the screen.
func (x *exits) crashed(c *crash) *failure {
	what := x.panicText(c.value)
	return &failure{
		code: exitFailed, kind: "crash", err: errors.New(c.Error() + ": " + what),
		details: []string{
			"Nothing more is sent from here.",
			"An upgrade at the site goes on by itself.",
			x.keepStacks(c.Error()+": "+what, c.stack),
		},
		advice: "Look again with: geodeck upgrade status, geodeck job list",
	}
}

// panicText is what a panic says, without secrets. Of a value that is no text it is the
// type alone: what is inside could be anything.
func (x *exits) panicText(value any) string {
	var text string
	switch value := value.(type) {
	case error:
		text = value.Error()
	case string:
		text = value
	default:
		return fmt.Sprintf("a value of type %T", value)
	}
	text = adminapi.Mask(text, adminapi.Secret(x.conn.env(envToken)))
	if x.conn.opened.Client != nil {
		text = x.conn.opened.Client.Clean(text)
	}
	return plain.Clip(plain.Line(text), maxPanic)
}

// keepStacks writes the stacks to a private file and returns the sentence that names it.
func (x *exits) keepStacks(title string, stacks []byte) string {
	b := thisBuild()
	text := fmt.Appendf(nil, "geodeck %s %s %s %s\n%s\n\n%s", b.Version, b.Revision, b.Go, b.Platform, title, stacks)
	folder, err := x.conn.stateFolder()
	if err != nil {
		folder = ""
	}
	path, err := journal.KeepCrash(folder, x.conn.clock.Now(), text)
	if err != nil {
		return "The stack could not be kept: " + err.Error()
	}
	return "The stack is in " + path
}

// signalled is a signal that ended the program and asks for more than an end.
type signalled struct {
	signal syscall.Signal // SIGQUIT or SIGABRT
	stacks []byte         // where the program stood
}

func (s *signalled) Error() string { return "ended by " + unix.SignalName(s.signal) }

// Interruptible returns a context that the first signal ends: SIGINT, SIGTERM, SIGQUIT
// or SIGABRT. A second SIGINT or SIGTERM ends the program at once, unless it has a
// dashboard on the terminal.
func Interruptible(parent context.Context) context.Context {
	ctx, end := context.WithCancelCause(parent)
	ends, aborts := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(ends, syscall.SIGINT, syscall.SIGTERM)
	signal.Notify(aborts, syscall.SIGQUIT, syscall.SIGABRT) // for good: by itself Go prints every stack
	go func() {
		select {
		case <-ends:
			end(context.Canceled)
		case got := <-aborts:
			stacks := make([]byte, 1<<20)
			end(&signalled{got.(syscall.Signal), stacks[:runtime.Stack(stacks, true)]})
		}
		signal.Stop(ends)
	}()
	return ctx
}

// aborted returns the failure of a program that such a signal ended, and f where none
// did. What f says goes on at the site is said all the same.
func (x *exits) aborted(f *failure) *failure {
	var by *signalled
	if !errors.As(context.Cause(x.ctx), &by) {
		return f
	}
	return x.abortedBy(by, f)
}

func (x *exits) abortedBy(by *signalled, f *failure) *failure {
	code := exitSignal + int(by.signal)
	switch {
	case f == nil:
		f = &failure{err: by}
	case f.code == code:
		return f
	}
	f.code, f.kind = code, "interrupted"
	f.details = append(f.details, x.keepStacks(unix.SignalName(by.signal), by.stacks))
	return f
}
