// Package exit has the exit codes of commands, and why a command fails: what is printed, and what
// can be done about it.
//
// Start at [Failure].
package exit

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/cli/output"
)

// The exit codes. Scripts rely on them: they never change their meaning.
const (
	Done        = 0
	Failed      = 1   // the thing itself failed: health not passed, job failed, an error at the site
	Usage       = 2   // usage or bad input
	SignIn      = 3   // sign-in needed or refused
	Refused     = 4   // privilege, read-only, locked, something else runs, site too old
	Unreachable = 5   // no usable answer
	Unknown     = 6   // sent, outcome unknown
	GoingOn     = 7   // still going on when the time was up
	Signal      = 128 // and the signal's number: SIGQUIT, SIGABRT
	Interrupted = 130 // by the user
)

// CodeOfKind gives each kind of error of the site its exit code.
var CodeOfKind = map[adminapi.Kind]int{
	adminapi.KindServer:        Failed,
	adminapi.KindTooLarge:      Failed,
	adminapi.KindInvalid:       Usage,
	adminapi.KindNotFound:      Usage,
	adminapi.KindSignIn:        SignIn,
	adminapi.KindPrivilege:     Refused,
	adminapi.KindReadOnly:      Refused,
	adminapi.KindBusy:          Refused,
	adminapi.KindVersionTooOld: Refused,
	adminapi.KindNotRecorded:   Refused,
	adminapi.KindLocked:        Refused,
	adminapi.KindUnreachable:   Unreachable,
	adminapi.KindNotJSON:       Unreachable,
	adminapi.KindCancelled:     Interrupted,
}

// Failure is why the program does not exit with 0.
type Failure struct {
	Code   int
	Kind   string // in JSON
	Err    error
	Advice string // what to do next, a line each; may be empty

	Details   []string          // more of the reason, a sentence each
	Operation string            // that was refused here, such as "start the upgrade to 12.0.0.7286"; may be empty
	Findings  []finding.Finding // that it was refused for; Details has them for people
	Printed   bool              // the output of the command has it already
}

// Error is the error itself.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the error.
func (f *Failure) Unwrap() error { return f.Err }

// kindOf names the codes in JSON, where the failure has no kind of its own.
var kindOf = map[int]string{
	Failed: "failed", Usage: "usage", SignIn: adminapi.KindSignIn.String(), Refused: adminapi.KindLocked.String(),
	Unreachable: adminapi.KindUnreachable.String(), Unknown: "outcome unknown", GoingOn: "going on", Interrupted: "interrupted",
}

// New is a failure whose kind is that of its code.
func New(code int, advice string, err error) *Failure {
	return &Failure{Code: code, Kind: kindOf[code], Err: err, Advice: advice}
}

// BadInput is a mistake in the command line or in a file; nothing was sent. Without advice it has that
// of the mistake itself.
func BadInput(advice string, err error) error {
	if of, is := errors.AsType[*Failure](err); is {
		advice = cmp.Or(advice, of.Advice)
	}
	if at, _ := os.Getwd(); advice == "" && errors.Is(err, fs.ErrNotExist) {
		advice = "Check its name. This command runs in " + plain.Line(at) + "."
	}
	return New(Usage, advice, err)
}

// BadInputf is BadInput where the mistake says enough.
func BadInputf(format string, args ...any) error { return BadInput("", fmt.Errorf(format, args...)) }

// NotPassed is a result that counts as failed, though everything worked.
func NotPassed(advice, why string) *Failure {
	return New(Failed, advice, errors.New(why))
}

// Refusal is something that is refused here or by the site.
func Refusal(kind, advice string, err error) *Failure {
	return &Failure{Code: Refused, Kind: kind, Err: err, Advice: advice}
}

// ErrorJSON is the error of a command.
type ErrorJSON struct {
	Kind      string   `json:"kind"`
	Operation string   `json:"operation"`
	Message   string   `json:"message"`
	Code      int      `json:"code"` // the platform's, 0 where it gave none
	Details   []string `json:"details"`
	Findings  []Found  `json:"findings,omitempty"`
	Privilege string   `json:"privilege,omitempty"`
	Advice    string   `json:"advice,omitempty"`
	ExitCode  int      `json:"exitCode"`
}

// Found is a finding in JSON.
type Found struct {
	ID     string `json:"id"`
	Title  string `json:"title,omitempty"`
	Place  string `json:"place,omitempty"`
	State  string `json:"state"`
	Weight string `json:"strength"` // "not known" weighs like what it may be
	Found  string `json:"finding"`
	Why    string `json:"why"`
	Do     string `json:"do"`
	Accept string `json:"accept,omitempty"`
}

// FoundOf is a finding for scripts.
func FoundOf(f finding.Finding) Found {
	return Found{f.ID, f.Title, cmp.Or(f.At.Name, f.At.Path), f.State(), f.Strength.String(), f.Text, f.Why, f.Do, f.Accept}
}

// Print prints why the program does not exit with 0, and returns its code.
func Print(out *output.Output, f *Failure) int {
	if f.Printed {
		return f.Code
	}
	if out.JSON() {
		out.PrintMessage("error", bodyOf(f))
		return f.Code
	}
	fmt.Fprintln(out.Err, "geodeck: "+plain.Line(strings.TrimSpace(f.Error())))
	for _, detail := range f.Details {
		fmt.Fprintln(out.Err, "  "+plain.Line(detail))
	}
	for advice := range strings.Lines(f.Advice) {
		fmt.Fprintln(out.Err, plain.Line(strings.TrimRight(advice, "\r\n")))
	}
	return f.Code
}

func bodyOf(f *Failure) ErrorJSON {
	body := ErrorJSON{Kind: f.Kind, Operation: f.Operation, Message: f.Error(), Details: slices.Clone(f.Details), Findings: lists.Each(f.Findings, FoundOf), Advice: f.Advice,
		ExitCode: f.Code}
	var e *adminapi.Error
	if earlier, is := errors.AsType[*operation.UnresolvedError](f.Err); is {
		body.Operation = earlier.Record.Operation
	}
	if !errors.As(f.Err, &e) {
		return body
	}
	body.Operation, body.Code, body.Privilege = cmp.Or(f.Operation, e.Operation), e.Code, e.Privilege
	if e.Message != "" && f.Operation == "" { // else the error says what of the change was not done
		body.Message = e.Message
	}
	body.Details = append(body.Details, e.Details...)
	return body
}

// OneOf refuses a value that is not among the choices.
func OneOf(flag, value string, choices []string) error {
	if slices.Contains(choices, value) {
		return nil
	}
	return BadInputf("%s takes %s, not %q", flag, strings.Join(choices, ", "), value)
}
