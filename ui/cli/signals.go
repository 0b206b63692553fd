package cli

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/sys/unix"

	"geodeck/ui"
)

// signalled is why a context ended that SIGQUIT or SIGABRT has ended.
type signalled struct{ ui.SignalError }

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
			end(&signalled{ui.SignalError{Signal: got.(syscall.Signal), Stacks: ui.Stacks()}})
		}
		signal.Stop(ends)
	}()
	return ctx
}

// aborted returns the failure of a program that such a signal ended, and f where none
// did. What f says goes on at the site is said all the same.
func (p *program) aborted(f *failure) *failure {
	var by *signalled
	if !errors.As(context.Cause(p.ctx), &by) {
		return f
	}
	return p.abortedBy(&by.SignalError, f)
}

func (p *program) abortedBy(by *ui.SignalError, f *failure) *failure {
	code := exitSignal + int(by.Signal)
	switch {
	case f == nil:
		f = &failure{err: by}
	case f.code == code:
		return f
	}
	f.code, f.kind = code, "interrupted"
	f.details = append(f.details, p.keepStacks(unix.SignalName(by.Signal), by.Stacks))
	return f
}
