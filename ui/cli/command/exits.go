package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/exit"
	"geodeck/ui/cli/output"
	"geodeck/ui/cli/session"
)

// errTimeUp ends the context of a command whose --timeout has passed.
var errTimeUp = errors.New("the time given with --timeout is up")

// Exits turns the error of a command into its exit code, with what can be done about it.
type Exits struct {
	ctx      context.Context // of the command: ends with an interruption or --timeout
	untimed  context.Context // ends with an interruption only
	cancel   func()          // ends the time of ctx
	Timeout  time.Duration   // what --timeout was given
	Session  *session.Session
	override string // what --again was given
	Wait     *Waiting
}

// NewExits are those of a command that ctx interrupts.
func NewExits(ctx context.Context) *Exits { return &Exits{ctx: ctx, cancel: func() {}} }

// On are the exits of a command on another session.
func (x Exits) On(s *session.Session) *Exits {
	x.Session = s
	return &x
}

// Alone are the exits of a command on another session, beside others that do not concern it.
func (x Exits) Alone(s *session.Session, out *output.Output) *Exits {
	x.cancel, x.Wait = func() {}, &Waiting{out: out}
	return x.On(s)
}

// Explained is the failure of an error, with the commands of its advice; nil for none.
func (x *Exits) Explained(err error) error {
	if err == nil {
		return nil
	}
	return x.Named(x.Explain(err))
}

// Named is the failure with the commands of its advice as they can be run.
func (x *Exits) Named(f *exit.Failure) *exit.Failure {
	f.Advice = x.Session.Commands(f.Advice)
	return f
}

// afterLoss is how long a command may take beyond --timeout to find what became of a write
// whose answer was lost, and to read it: the search alone ends sooner.
const afterLoss = 2 * time.Minute

// During is the context of the command, as it is now.
func (x *Exits) During() context.Context { return x.ctx }

// Register adds the flag of the time.
func (x *Exits) Register(set *pflag.FlagSet) {
	set.DurationVar(&x.Timeout, "timeout", 0, "longest time that the command may take, such as 90s or 15m; 30 s more to find a request without an answer")
}

// Begin begins the time of the command.
func (x *Exits) Begin(cmd *cobra.Command) {
	x.untimed = operation.WithOverride(cmd.Context(), x.override)
	x.ctx = x.untimed
	if limit := x.limit(cmd); limit > 0 {
		x.ctx, x.cancel = context.WithTimeoutCause(x.untimed, limit, errTimeUp)
	}
	cmd.SetContext(x.ctx)
}

// End ends the time of the command.
func (x *Exits) End() { x.cancel() }

// FlagSync is the flag of a health run whose answer is awaited.
const FlagSync = "sync"

// limit returns how long a command may take as a whole, 0 for any time: --timeout, except
// that it is the wait for the answer of a synchronous health run.
func (x *Exits) limit(cmd *cobra.Command) time.Duration {
	if sync := cmd.Flags().Lookup(FlagSync); sync == nil || sync.Value.String() != "true" {
		return x.Timeout
	}
	x.Timeout = cmp.Or(x.Timeout, operation.SyncTime)
	return x.Timeout + afterLoss
}

// Search returns the context of a search after a lost answer, which --timeout does not end:
// what the site does shows only to who looks.
func (x *Exits) Search() context.Context {
	if !x.TimedOut() && x.Timeout == 0 {
		return x.ctx
	}
	before := x.cancel
	ctx, cancel := context.WithTimeoutCause(x.untimed, afterLoss, errTimeUp)
	x.ctx, x.cancel = ctx, func() { cancel(); before() }
	return ctx
}

// TimedOut reports whether the time that --timeout gave is over.
func (x *Exits) TimedOut() bool { return errors.Is(context.Cause(x.ctx), errTimeUp) }

// Explain finds the code of an error and what can be done about it.
func (x *Exits) Explain(err error) *exit.Failure {
	if known, ok := errors.AsType[*exit.Failure](err); ok {
		return known
	}
	if f := x.NotSettled(err); f != nil {
		return f
	}
	if refused, ok := errors.AsType[*operation.RefusedError](err); ok {
		f := x.Explain(refused.Answer)
		return exit.Refusal(f.Kind, f.Advice, err)
	}
	if errors.Is(err, operation.ErrOutcomeUnknown) {
		return exit.New(exit.Unknown, adviceUnknown, err)
	}
	if f := x.ended(err); f != nil {
		return f
	}
	if failed, ok := errors.AsType[*Crash](err); ok {
		return x.crashed(failed)
	}
	if by, ok := errors.AsType[*Signalled](err); ok {
		return x.abortedBy(by, nil)
	}
	if errors.Is(err, operation.ErrUpgradeRuns) {
		return exit.Refusal(KindUpgradeRuns, AdviceStatus, err)
	}
	if errors.Is(err, operation.ErrJobBroken) {
		return exit.New(exit.Failed, "", err)
	}
	if errors.Is(err, output.ErrUnwritten) {
		return exit.New(exit.Failed, x.Session.Sent(), err)
	}
	if kind, ok := adminapi.KindOf(err); ok {
		return &exit.Failure{Code: exit.CodeOfKind[kind], Kind: kind.String(), Err: err,
			Advice: cmp.Or(operation.Advice(err), listing(err), x.advice(kind))}
	}
	return exit.New(exit.Failed, operation.Advice(err), err)
}

// NotSettled explains an error about an earlier write, nil for any other.
func (x *Exits) NotSettled(err error) *exit.Failure {
	earlier, isEarlier := errors.AsType[*operation.UnresolvedError](err)
	_, isTyped := errors.AsType[*operation.OverrideError](err)
	switch {
	case isEarlier:
		return exit.New(exit.Unknown, x.adviceUnsettled(earlier), err)
	case errors.Is(err, operation.ErrBusyHere):
		return exit.Refusal("busy", "Try again when it has ended.", err)
	case errors.As(err, new(*operation.UnrecordedError)):
		return exit.Refusal(adminapi.KindNotRecorded.String(), operation.Advice(err), err)
	case isTyped:
		return exit.BadInput("", err).(*exit.Failure)
	}
	return nil
}

// adviceUnsettled says where to look, and when it can be sent anyway.
func (x *Exits) adviceUnsettled(e *operation.UnresolvedError) string {
	text := "Check first: " + operation.LookCommand(e.Record.Kind, e.Record.Subject).InText() +
		". To send it anyway: --again " + plain.ShellWord(e.Record.Subject)
	if e.Wait > 0 && x.override != "" {
		text = "--again is too early. " + text
	}
	if e.Wait > 0 {
		text += fmt.Sprintf(", from %s on (in %s)", x.Session.Clock().Now().Add(e.Wait).UTC().Format("15:04:05 UTC"),
			adminapi.FormatDuration(e.Wait))
	}
	return text
}

// ended explains an error that comes from --timeout or from an interruption, and returns
// nil for any other.
func (x *Exits) ended(err error) *exit.Failure {
	x.Wait.NoteEarlier(err)
	unread := errors.Is(err, output.ErrUnread)
	if x.ctx.Err() == nil || !fromContext(err) && !unread {
		return nil
	}
	if unread && x.TimedOut() {
		return exit.New(exit.Failed, "", output.ErrUnread)
	}
	if !x.TimedOut() {
		return x.Wait.goesOn(exit.New(exit.Interrupted, "", errors.New("interrupted")))
	}
	if !x.Wait.Active() {
		last := cmp.Or[error](x.Wait.LastErr, &adminapi.Error{Kind: adminapi.KindUnreachable})
		return exit.New(exit.Unreachable, operation.Advice(last),
			errors.New("no answer within "+adminapi.FormatDuration(x.Timeout)+x.Wait.LastCause()))
	}
	return x.GoingOn()
}

// GoingOn says what was not finished within --timeout.
func (x *Exits) GoingOn() *exit.Failure {
	f := x.Wait.goesOn(exit.New(exit.GoingOn, "", errors.New("not finished within "+adminapi.FormatDuration(x.Timeout))))
	f.Err = errors.New(f.Err.Error() + x.Wait.LastCause())
	return f
}

const acceptedUnseen = "the site accepted it, but its end was not seen"

// UnknownOutcome says that a request may have taken effect, and which command shows it.
// An interruption by the user keeps its own code.
func (x *Exits) UnknownOutcome(r operation.Result, err error) *exit.Failure {
	happened, look := r.Open()
	f := exit.New(exit.Unknown, "Check before you send it again: "+look, err)
	ended := x.ended(err)
	if ended != nil {
		f.Err = ended.Err
		if ended.Code == exit.Interrupted {
			f.Code, f.Kind = ended.Code, ended.Kind
		}
	}
	switch {
	case ended != nil && r.End() == operation.EndUnseen:
		f.Err = fmt.Errorf("%w; %s", f.Err, acceptedUnseen)
	case ended != nil || !errors.Is(err, operation.ErrOutcomeUnknown):
		f.Err = fmt.Errorf("%w; whether %s is unknown", f.Err, happened)
	}
	return f
}

// Of turns the result of a change into the failure of its command; nil where it is done.
func (x *Exits) Of(r operation.Result) error {
	switch r.End() {
	case operation.EndNotSent, operation.EndDrift:
		return x.NotSent("It", r.Err)
	case operation.EndRefused:
		if _, found := errors.AsType[*operation.RefusedError](r.Err); found {
			return x.Explain(r.Err)
		}
		return x.RefusedBySite(r.Err)
	case operation.EndUnseen:
		if x.ctx.Err() == nil || !x.Wait.Active() {
			return x.UnknownOutcome(r, fmt.Errorf("%w: %s: %w", operation.ErrOutcomeUnknown, acceptedUnseen, r.Err))
		}
	case operation.EndLost:
		return x.UnknownOutcome(r, r.Err)
	}
	return r.Err
}

// NotSent explains why a write was not sent. what begins the sentence about it, such as "The edit of Roads.MapServer": of
// several, others may have been sent.
func (x *Exits) NotSent(what string, err error) error {
	f := x.Explain(err)
	if _, answered := adminapi.KindOf(err); f.Code == exit.Failed && answered {
		f.Code = exit.Unreachable
	} else if f.Code == exit.Failed {
		f.Code = exit.Refused // the old one or the request could not be recorded
	}
	if f.Advice == "" {
		f.Advice = what + " was not sent; it is safe to try again."
	}
	return f
}

// RefusedBySite is a change that the site refused. Only a missing sign-in keeps its own
// exit code.
func (x *Exits) RefusedBySite(err error) *exit.Failure {
	f := x.Explain(err)
	if f.Code != exit.SignIn {
		f.Code = exit.Refused
	}
	return f
}

func fromContext(err error) bool {
	return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) ||
		errors.Is(err, adminapi.KindCancelled) || errors.Is(err, adminapi.KindUnreachable)
}

const adviceUnknown = "Check before you send it again: {command:health reports}, {command:job list}"

// WithAdvice ends a warning with what to do about its reason.
func WithAdvice(warning string, err error) string {
	return strings.TrimSpace(warning + err.Error() + ". " + operation.Advice(err))
}

// listing names the command that lists what there is of the kind that the site has none of; empty for
// any other error.
func listing(err error) string {
	missing, is := errors.AsType[*adminapi.Error](err)
	switch {
	case !is || missing.Kind != adminapi.KindNotFound:
	case errors.Is(err, adminapi.ErrMissing) && missing.Operation == "read a folder of services":
		return unlistedServices
	default:
		return listedBy[missing.Operation]
	}
	return ""
}

// unlistedServices is said in place of a list of services that the site does not have.
const unlistedServices = "This site does not list its services. Each is named by its path: {command:service apply NAME.TYPE -f FILE --base BASE --without-reading}"

// listedBy are the commands that list what a read did not find.
var listedBy = map[string]string{
	"read a report":             "The reports: {command:health reports}",
	"read a job":                "The jobs: {command:job list}",
	"read a folder of services": "The services and their folders: {command:service list}",
}

// advice says what to do about an error of a kind, empty if the error says it already.
// [operation.Advice] knows more if no platform was found.
func (x *Exits) advice(kind adminapi.Kind) string {
	switch kind {
	case adminapi.KindSignIn:
		if of, err := x.Session.Settings(); err == nil {
			return x.Session.SignInAdvice(of)
		}
	case adminapi.KindPrivilege:
		return "Use the token of a user who has it, or ask an administrator of the site for it."
	case adminapi.KindReadOnly:
		if x.Session.Flags().ReadOnly {
			return "Leave out --read-only to allow writes."
		}
		return "See why it is read-only: {command:upgrade explain}"
	case adminapi.KindLocked:
		if of, err := x.Session.Settings(); err == nil {
			return of.LockAdvice()
		}
	case adminapi.KindVersionTooOld:
		return "Available updates: {command:upgrade available}"
	case adminapi.KindBusy:
		return "Try again when it has ended. Running jobs: {command:job list}\nA running upgrade: {command:upgrade status}"
	}
	return ""
}

// KindUpgradeRuns is the kind of an error whose reason is an upgrade that runs.
var KindUpgradeRuns = adminapi.KindBusy.String()

// AdviceStatus says where the progress of an upgrade is seen.
const AdviceStatus = "See its progress: {command:upgrade status}"
