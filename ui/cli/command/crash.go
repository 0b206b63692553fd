package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/session"
)

// maxPanic is how many bytes of a panic's text are shown and saved.
const maxPanic = 400

// Crash is a panic of the program.
type Crash struct {
	Where string // "drawing", "a command"
	Value any
	Stack []byte
	Of    *adminapi.Client // of the site that is shown; may be nil
}

// Error says what failed, without the value.
func (c *Crash) Error() string { return "the program failed in " + c.Where }

// crashed says that the program itself has failed. The stack goes to a file, not to the
// screen.
func (x *Exits) crashed(c *Crash) *exit.Failure {
	what := x.panicText(c)
	return &exit.Failure{
		Code: exit.Failed, Kind: "crash", Err: errors.New(c.Error() + ": " + what),
		Details: []string{
			"Nothing more is sent from here.",
			"A running upgrade continues at the site.",
			x.keepStacks(c.Error()+": "+what, c.Stack),
		},
		Advice: x.Session.CommandsNow("Check with: {command:upgrade status}, {command:job list}"),
	}
}

// panicText is the text of a panic, without secrets. For a value that is neither an error
// nor a string it is the type alone, since the value could hold anything.
func (x *Exits) panicText(c *Crash) string {
	var text string
	switch value := c.Value.(type) {
	case error:
		text = value.Error()
	case string:
		text = value
	default:
		return fmt.Sprintf("a value of type %T", value)
	}
	mask := secrets.Of(secrets.Secret(x.Session.Env(session.EnvToken)))
	if client := cmp.Or(c.Of, x.Session.Client()); client != nil {
		mask = mask.And(client.Secrets())
	}
	return plain.Clip(plain.Line(mask.Text(text, secrets.Anywhere)), maxPanic)
}

// keepStacks writes the stacks to a private file and returns the sentence that names it.
func (x *Exits) keepStacks(title string, stacks []byte) string {
	b := ThisBuild()
	text := fmt.Appendf(nil, "geodeck %s %s %s %s\n%s\n\n%s", b.Version, b.Revision, b.Go, b.Platform, title, stacks)
	folder, err := x.Session.StateFolder()
	if err != nil {
		folder = ""
	}
	path, err := journal.SaveCrash(folder, x.Session.Clock().Now(), text)
	if err != nil {
		return "The stack could not be saved: " + err.Error()
	}
	return "The stack is in " + path
}

// Signalled is a signal other than SIGINT that ended the program.
type Signalled struct {
	Signal syscall.Signal
	Stacks []byte // of every goroutine, for SIGQUIT and SIGABRT
}

// Error names the signal.
func (s *Signalled) Error() string { return "ended by " + unix.SignalName(s.Signal) }

// Aborted returns the failure of a program that such a signal ended, otherwise f. It
// keeps what f says about work that continues at the site. SIGTERM has the code of its own
// only where it ended the work.
func (x *Exits) Aborted(f *exit.Failure) *exit.Failure {
	by := SignalIn(x.ctx)
	if by == nil || by.Stacks == nil && (f == nil || f.Code != exit.Interrupted) {
		return f
	}
	return x.abortedBy(by, f)
}

// SignalIn returns the signal that ended a context, nil for none and for SIGINT.
func SignalIn(ctx context.Context) *Signalled {
	by, _ := errors.AsType[*Signalled](context.Cause(ctx))
	return by
}

func (x *Exits) abortedBy(by *Signalled, f *exit.Failure) *exit.Failure {
	code := exit.Signal + int(by.Signal)
	switch {
	case f == nil:
		f = &exit.Failure{Err: by}
	case f.Code == code:
		return f
	}
	f.Code, f.Kind = code, "interrupted"
	if by.Stacks != nil {
		f.Details = append(f.Details, x.keepStacks(unix.SignalName(by.Signal), by.Stacks))
	}
	return f
}
