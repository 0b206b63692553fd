package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/output"
)

// The exit codes. Scripts rely on them: they never change their meaning.
const (
	exitDone        = 0
	exitFailed      = 1   // the thing itself failed: health not passed, job failed, an error at the site
	exitUsage       = 2   // usage or bad input
	exitSignIn      = 3   // sign-in needed or refused
	exitRefused     = 4   // privilege, read-only, locked, something else runs, site too old
	exitUnreachable = 5   // no usable answer
	exitUnknown     = 6   // sent, outcome unknown
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
	adminapi.KindNotRecorded:   exitRefused,
	adminapi.KindLocked:        exitRefused,
	adminapi.KindUnreachable:   exitUnreachable,
	adminapi.KindNotJSON:       exitUnreachable,
	adminapi.KindCancelled:     exitInterrupted,
}

// kindUnknown is the kind of an error that leaves open whether something happened.
const kindUnknown = "outcome unknown"

// errTimeUp ends the context of a command whose --timeout has passed.
var errTimeUp = errors.New("the time given with --timeout is up")

// failure is why the program does not exit with 0.
type failure struct {
	code   int
	kind   string // in JSON; empty means the code's own name
	err    error
	advice string // what to do next, a line each; may be empty

	details []string // more of the reason, a sentence each
	printed bool     // the output of the command has it already
}

// Error is the error itself.
func (f *failure) Error() string { return f.err.Error() }

// Unwrap returns the error.
func (f *failure) Unwrap() error { return f.err }

// badInput is a mistake in the command line or in a file; nothing was sent.
func badInput(advice string, err error) error {
	return &failure{code: exitUsage, kind: "usage", err: err, advice: advice}
}

// badInputf is badInput where the mistake says enough.
func badInputf(format string, args ...any) error { return badInput("", fmt.Errorf(format, args...)) }

// notPassed is a result that counts as failed, though everything worked.
func notPassed(advice, why string) error {
	return &failure{code: exitFailed, kind: "failed", err: errors.New(why), advice: advice}
}

// refusal is something that is refused here or by the site.
func refusal(kind, advice string, err error) *failure {
	return &failure{code: exitRefused, kind: kind, err: err, advice: advice}
}

// errorLine is the error of a command in JSON.
type errorLine struct {
	Error errorBody `json:"error"`
}

type errorBody struct {
	Kind      string   `json:"kind"`
	Operation string   `json:"operation"`
	Message   string   `json:"message"`
	Code      int      `json:"code"` // the platform's, 0 where it gave none
	Details   []string `json:"details"`
	Privilege string   `json:"privilege,omitempty"`
	Advice    string   `json:"advice,omitempty"`
	ExitCode  int      `json:"exitCode"`
}

// on are the exits of a command on another session.
func (x exits) on(s *session) *exits {
	x.session = s
	return &x
}

// alone are the exits of a command on another session, beside others: nothing of them concerns it.
func (x exits) alone(s *session, out *output.Output) *exits {
	x.cancel, x.wait = func() {}, &waiting{out: out}
	return x.on(s)
}

// explained is the failure of an error, with the commands of its advice; nil for none.
func (x *exits) explained(err error) error {
	if err == nil {
		return nil
	}
	return x.named(x.explain(err))
}

// named is the failure with the commands of its advice as they can be run.
func (x *exits) named(f *failure) *failure {
	f.advice = x.session.commands(f.advice)
	return f
}

// fail prints why the program does not exit with 0, and returns its code.
func fail(out *output.Output, f *failure) int {
	if f.printed {
		return f.code
	}
	if out.JSON() {
		out.PrintMessage(errorLine{bodyOf(f)})
		return f.code
	}
	fmt.Fprintln(out.Err, "geodeck: "+plain.Line(strings.TrimSpace(f.Error())))
	for _, detail := range f.details {
		fmt.Fprintln(out.Err, "  "+plain.Line(detail))
	}
	for advice := range strings.Lines(f.advice) {
		fmt.Fprintln(out.Err, plain.Line(strings.TrimRight(advice, "\r\n")))
	}
	return f.code
}

func bodyOf(f *failure) errorBody {
	body := errorBody{Kind: f.kind, Message: f.Error(), Details: slices.Clone(f.details), Advice: f.advice, ExitCode: f.code}
	var e *adminapi.Error
	if earlier, is := errors.AsType[*operation.UnresolvedError](f.err); is {
		body.Operation = earlier.Record.Operation
	}
	if !errors.As(f.err, &e) {
		return body
	}
	body.Operation, body.Code, body.Privilege = e.Operation, e.Code, e.Privilege
	if e.Message != "" {
		body.Message = e.Message
	}
	body.Details = append(body.Details, e.Details...)
	return body
}

// exits turns the error of a command into its exit code, with what can be done about it.
type exits struct {
	ctx      context.Context // of the command: ends with an interruption or --timeout
	untimed  context.Context // ends with an interruption only
	cancel   func()          // ends the time of ctx
	timeout  time.Duration   // what --timeout was given
	session  *session
	override string // what --again was given
	wait     *waiting
}

// afterLoss is how long a command may take beyond --timeout to find what became of a write
// whose answer was lost, and to read it: the search alone ends sooner.
const afterLoss = 2 * time.Minute

// newExits are those of a command that ctx interrupts.
func newExits(ctx context.Context) *exits { return &exits{ctx: ctx, cancel: func() {}} }

// during is the context of the command, as it is now.
func (x *exits) during() context.Context { return x.ctx }

func (x *exits) register(set *pflag.FlagSet) {
	set.DurationVar(&x.timeout, "timeout", 0, "longest time that the command may take, such as 90s or 15m; 30 s more to find a request without an answer")
}

// begin begins the time of the command.
func (x *exits) begin(cmd *cobra.Command) {
	x.untimed = operation.WithOverride(cmd.Context(), x.override)
	x.ctx = x.untimed
	if limit := x.limit(cmd); limit > 0 {
		x.ctx, x.cancel = context.WithTimeoutCause(x.untimed, limit, errTimeUp)
	}
	cmd.SetContext(x.ctx)
}

// end ends the time of the command.
func (x *exits) end() { x.cancel() }

const (
	// flagSync is the flag of a health run whose answer is awaited.
	flagSync = "sync"
	// syncTime is how long that answer is awaited without --timeout.
	syncTime = 15 * time.Minute
)

// limit returns how long a command may take as a whole, 0 for any time: --timeout, except
// that it is the wait for the answer of a synchronous health run.
func (x *exits) limit(cmd *cobra.Command) time.Duration {
	if sync := cmd.Flags().Lookup(flagSync); sync == nil || sync.Value.String() != "true" {
		return x.timeout
	}
	x.timeout = cmp.Or(x.timeout, syncTime)
	return x.timeout + afterLoss
}

// search returns the context of a search after a lost answer, which --timeout does not end:
// what the site does shows only to who looks.
func (x *exits) search() context.Context {
	if !x.timedOut() && x.timeout == 0 {
		return x.ctx
	}
	before := x.cancel
	ctx, cancel := context.WithTimeoutCause(x.untimed, afterLoss, errTimeUp)
	x.ctx, x.cancel = ctx, func() { cancel(); before() }
	return ctx
}

// timedOut reports whether the time that --timeout gave is over.
func (x *exits) timedOut() bool { return errors.Is(context.Cause(x.ctx), errTimeUp) }

// explain finds the code of an error and what can be done about it.
func (x *exits) explain(err error) *failure {
	if known, ok := errors.AsType[*failure](err); ok {
		return known
	}
	if f := x.notSettled(err); f != nil {
		return f
	}
	if refused, ok := errors.AsType[*operation.RefusedError](err); ok {
		f := x.explain(refused.Answer)
		return refusal(f.kind, f.advice, err)
	}
	if errors.Is(err, operation.ErrOutcomeUnknown) {
		return &failure{code: exitUnknown, kind: kindUnknown, err: err, advice: adviceUnknown}
	}
	if f := x.ended(err); f != nil {
		return f
	}
	if failed, ok := errors.AsType[*crash](err); ok {
		return x.crashed(failed)
	}
	if by, ok := errors.AsType[*signalled](err); ok {
		return x.abortedBy(by, nil)
	}
	if errors.Is(err, operation.ErrUpgradeRuns) {
		return refusal(kindUpgradeRuns, adviceStatus, err)
	}
	if errors.Is(err, operation.ErrJobBroken) {
		return &failure{code: exitFailed, kind: "failed", err: err}
	}
	if kind, ok := adminapi.KindOf(err); ok {
		return &failure{code: codeOfKind[kind], kind: kind.String(), err: err, advice: cmp.Or(operation.Advice(err), x.advice(kind))}
	}
	return &failure{code: exitFailed, kind: "failed", err: err, advice: operation.Advice(err)}
}

// notSettled explains an error about an earlier write, nil for any other.
func (x *exits) notSettled(err error) *failure {
	earlier, isEarlier := errors.AsType[*operation.UnresolvedError](err)
	_, isTyped := errors.AsType[*operation.OverrideError](err)
	switch {
	case isEarlier:
		return &failure{code: exitUnknown, kind: kindUnknown, err: err, advice: x.adviceUnsettled(earlier)}
	case errors.Is(err, operation.ErrBusyHere):
		return refusal("busy", "Try again when it has ended.", err)
	case errors.As(err, new(*operation.UnrecordedError)):
		return refusal(adminapi.KindNotRecorded.String(), operation.Advice(err), err)
	case isTyped:
		return badInput("", err).(*failure)
	}
	return nil
}

// adviceUnsettled says where to look, and when it can be sent anyway.
func (x *exits) adviceUnsettled(e *operation.UnresolvedError) string {
	text := "Check first: " + operation.LookCommand(e.Record.Kind, e.Record.Subject).InText() + ". To send it anyway: --again " + plain.ShellWord(e.Record.Subject)
	if e.Wait > 0 && x.override != "" {
		text = "--again is too early. " + text
	}
	if e.Wait > 0 {
		text += fmt.Sprintf(", from %s on (in %s)", x.session.clock().Now().Add(e.Wait).UTC().Format("15:04:05 UTC"), adminapi.FormatDuration(e.Wait))
	}
	return text
}

// ended explains an error that comes from --timeout or from an interruption, and returns
// nil for any other.
func (x *exits) ended(err error) *failure {
	x.wait.noteEarlier(err)
	unread := errors.Is(err, output.ErrUnread)
	if x.ctx.Err() == nil || !fromContext(err) && !unread {
		return nil
	}
	if unread && x.timedOut() {
		return &failure{code: exitFailed, kind: "failed", err: output.ErrUnread}
	}
	if !x.timedOut() {
		return x.wait.goesOn(&failure{code: exitInterrupted, kind: "interrupted", err: errors.New("interrupted")})
	}
	if !x.wait.active() {
		return &failure{code: exitUnreachable, kind: adminapi.KindUnreachable.String(),
			err: errors.New("no answer within " + adminapi.FormatDuration(x.timeout) + x.wait.lastCause()), advice: operation.Advice(x.wait.lastFailure())}
	}
	return x.goingOn()
}

// goingOn says what was not finished within --timeout.
func (x *exits) goingOn() *failure {
	f := x.wait.goesOn(&failure{code: exitGoingOn, kind: "going on", err: errors.New("not finished within " + adminapi.FormatDuration(x.timeout))})
	f.err = errors.New(f.err.Error() + x.wait.lastCause())
	return f
}

// unknownOutcome says that a request may have taken effect, and which command shows it.
// An interruption by the user keeps its own code.
func (x *exits) unknownOutcome(r operation.Result, err error) *failure {
	happened, look := r.Open()
	f := &failure{code: exitUnknown, kind: kindUnknown, err: err, advice: "Check before you send it again: " + look}
	ended := x.ended(err)
	if ended != nil {
		f.err = ended.err
		if ended.code == exitInterrupted {
			f.code, f.kind = ended.code, ended.kind
		}
	}
	if ended != nil || !errors.Is(err, operation.ErrOutcomeUnknown) {
		f.err = fmt.Errorf("%w; whether %s is unknown", f.err, happened)
	}
	return f
}

// of turns the result of a change into the failure of its command; nil where it is done.
func (x *exits) of(r operation.Result) error {
	switch r.End() {
	case operation.EndNotSent, operation.EndDrift:
		return x.notSent(r.Err)
	case operation.EndRefused:
		if _, found := errors.AsType[*operation.RefusedError](r.Err); found {
			return x.explain(r.Err)
		}
		return x.refusedBySite(r.Err)
	case operation.EndUnseen:
		if x.ctx.Err() == nil {
			return x.unknownOutcome(r, fmt.Errorf("%w: the site accepted it, but its end was not seen: %w",
				operation.ErrOutcomeUnknown, r.Err))
		}
	case operation.EndLost:
		return x.unknownOutcome(r, r.Err)
	}
	return r.Err
}

func fromContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, adminapi.KindCancelled) || errors.Is(err, adminapi.KindUnreachable)
}

const adviceUnknown = "Check before you send it again: {command:health reports}, {command:job list}"

// withAdvice ends a warning with what to do about its reason.
func withAdvice(warning string, err error) string {
	return strings.TrimSpace(warning + err.Error() + ". " + operation.Advice(err))
}

// advice says what to do about an error of a kind, empty if the error says it already.
// [operation.Advice] knows more if no platform was found.
func (x *exits) advice(kind adminapi.Kind) string {
	switch kind {
	case adminapi.KindSignIn:
		return x.signInAdvice()
	case adminapi.KindPrivilege:
		return "Use the token of a user who has it, or ask an administrator of the site for it."
	case adminapi.KindReadOnly:
		if x.session.flags().readOnly {
			return "Leave out --read-only to allow writes."
		}
		return "See why it is read-only: {command:upgrade explain}"
	case adminapi.KindLocked:
		if of, err := x.session.settings(); err == nil {
			return of.lockAdvice()
		}
	case adminapi.KindVersionTooOld:
		return "Available updates: {command:upgrade available}"
	case adminapi.KindBusy:
		return "Try again when it has ended. Running jobs: {command:job list}\nA running upgrade: {command:upgrade status}"
	}
	return ""
}

func (x *exits) signInAdvice() string {
	of, err := x.session.settings()
	if err != nil {
		return ""
	}
	return of.signInAdvice()
}
