package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui"
)

// The exit codes. Scripts rely on them: they never change their meaning.
const (
	exitDone        = 0
	exitFailed      = 1   // the thing itself failed: health not passed, job failed, an error at the site
	exitUsage       = 2   // usage or bad input
	exitSignIn      = 3   // sign-in needed or refused
	exitRefused     = 4   // privilege, read-only, something else runs, site too old
	exitUnreachable = 5   // no usable answer
	exitUnknown     = 6   // sent, and nobody knows whether it happened
	exitGoingOn     = 7   // still going on when the time was up
	exitSignal      = 128 // and the signal's number: SIGQUIT, SIGABRT
	exitInterrupted = 130 // by the user
)

// codeOfKind gives each kind of error of the site its exit code.
var codeOfKind = map[adminapi.Kind]int{
	adminapi.KindServer:        exitFailed,
	adminapi.KindTooLarge:      exitFailed,
	adminapi.KindInvalid:       exitUsage,
	adminapi.KindNotFound:      exitUsage,
	adminapi.KindSignIn:        exitSignIn,
	adminapi.KindPrivilege:     exitRefused,
	adminapi.KindReadOnly:      exitRefused,
	adminapi.KindBusy:          exitRefused,
	adminapi.KindVersionTooOld: exitRefused,
	adminapi.KindUnreachable:   exitUnreachable,
	adminapi.KindNotJSON:       exitUnreachable,
	adminapi.KindCancelled:     exitInterrupted,
}

// errTimeUp ends the context of a command whose --timeout has passed.
var errTimeUp = errors.New("the time given with --timeout is up")

// failure is why the program does not exit with 0.
type failure struct {
	code   int
	kind   string // in JSON; empty means the code's own name
	err    error
	advice string // what to do next; may be empty

	details []string // more of the reason, a sentence each
}

func (f *failure) Error() string { return f.err.Error() }
func (f *failure) Unwrap() error { return f.err }

// badInput is a failure of whoever typed the command; nothing was sent.
func badInput(advice string, err error) error {
	return &failure{code: exitUsage, kind: "usage", err: err, advice: advice}
}

// notPassed is a result that counts as failed, though everything worked.
func notPassed(why string) error {
	return &failure{code: exitFailed, kind: "failed", err: errors.New(why)}
}

// explain finds the code of an error and what can be done about it.
func (p *program) explain(err error) *failure {
	if known, ok := errors.AsType[*failure](err); ok {
		return known
	}
	if f := p.notSettled(err); f != nil {
		return f
	}
	if refused, ok := errors.AsType[*operation.RefusedError](err); ok {
		f := p.explain(refused.Answer)
		return &failure{code: exitRefused, kind: f.kind, err: err, advice: f.advice}
	}
	if errors.Is(err, operation.ErrOutcomeUnknown) {
		return &failure{code: exitUnknown, kind: "outcome unknown", err: err, advice: adviceUnknown}
	}
	if f := p.ended(err); f != nil {
		return f
	}
	if failed, ok := errors.AsType[*ui.PanicError](err); ok {
		return p.crashed(failed)
	}
	if signalled, ok := errors.AsType[*ui.SignalError](err); ok {
		return p.abortedBy(signalled, nil)
	}
	if errors.Is(err, operation.ErrUpgradeRuns) {
		return &failure{code: exitRefused, kind: kindUpgradeRuns, err: err, advice: adviceStatus}
	}
	if errors.Is(err, operation.ErrJobBroken) {
		return &failure{code: exitFailed, kind: "failed", err: err}
	}
	if kind, ok := adminapi.KindOf(err); ok {
		return &failure{code: codeOfKind[kind], kind: kind.String(), err: err, advice: cmp.Or(operation.Advice(err), p.advice(kind))}
	}
	return &failure{code: exitFailed, kind: "failed", err: err, advice: operation.Advice(err)}
}

// ended explains an error that comes from the end of the command's time or of
// the user's patience, and returns nil for any other.
func (p *program) ended(err error) *failure {
	unread := errors.Is(err, errUnread)
	if p.ctx.Err() == nil || !fromContext(err) && !unread {
		return nil
	}
	if unread && errors.Is(context.Cause(p.ctx), errTimeUp) {
		return &failure{code: exitFailed, kind: "failed", err: errUnread}
	}
	if !errors.Is(context.Cause(p.ctx), errTimeUp) {
		return p.withJob(&failure{code: exitInterrupted, kind: "interrupted", err: errors.New("interrupted")})
	}
	if p.waiting == "" && !p.watching && p.coming == "" {
		return &failure{code: exitUnreachable, kind: adminapi.KindUnreachable.String(),
			err: errors.New("no answer within " + adminapi.Spell(p.flags.timeout) + p.lastCause()), advice: operation.Advice(p.silence())}
	}
	f := p.withJob(&failure{code: exitGoingOn, kind: "going on", err: errors.New("not finished within " + adminapi.Spell(p.flags.timeout))})
	f.err = errors.New(f.err.Error() + p.lastCause())
	return f
}

// unknownOutcome says that what was sent perhaps happened, and which command shows
// it. An interruption by the user keeps its own code.
func (p *program) unknownOutcome(err error, happened, look string) error {
	f := &failure{code: exitUnknown, kind: "outcome unknown", err: err}
	if ended := p.ended(err); ended != nil {
		f.err = ended.err
		if ended.code == exitInterrupted {
			f.code, f.kind = ended.code, ended.kind
		}
	}
	if !errors.Is(err, operation.ErrOutcomeUnknown) {
		f.err = fmt.Errorf("%w; whether %s is not known", f.err, happened)
	}
	f.advice = "Look before you send it again: " + look
	return f
}

// silence is why nothing was heard when the time was up.
func (p *program) silence() error {
	if p.cause != nil {
		return p.cause
	}
	return &adminapi.Error{Kind: adminapi.KindUnreachable}
}

// lastCause continues a message with what was wrong with the site at the end.
func (p *program) lastCause() string {
	if p.cause == nil {
		return ""
	}
	return "; the last attempt: " + p.cause.Error()
}

// withJob adds what goes on at the site though we have stopped waiting.
func (p *program) withJob(f *failure) *failure {
	switch {
	case p.watching:
		f.err = errors.New(f.err.Error() + "; the upgrade goes on at the site")
		f.advice = "Watch on with: geodeck upgrade watch"
		return f
	case p.waiting == "" && p.coming != "":
		f.err = errors.New(f.err.Error() + "; " + p.done + p.pods)
		f.advice = "Wait on with: " + p.coming
		return f
	case p.waiting == "":
		return f
	}
	f.err = errors.New(f.err.Error() + "; job " + p.waiting + " goes on at the site")
	f.advice = "Wait for it with: geodeck job wait " + p.waiting
	return f
}

func fromContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, adminapi.KindCancelled) || errors.Is(err, adminapi.KindUnreachable)
}
