package cli

import (
	"errors"
	"fmt"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
)

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

// fail prints why the program does not exit with 0, and returns its code.
func (p *program) fail(f *failure) int {
	if p.json() {
		p.messageLine(errorLine{bodyOf(f)})
		return f.code
	}
	fmt.Fprintln(p.Err, "geodeck: "+plain.Line(strings.TrimSpace(f.Error())))
	for _, detail := range f.details {
		fmt.Fprintln(p.Err, "  "+plain.Line(detail))
	}
	if f.advice != "" {
		fmt.Fprintln(p.Err, plain.Line(f.advice))
	}
	return f.code
}

func bodyOf(f *failure) errorBody {
	body := errorBody{Kind: f.kind, Message: f.Error(), Details: append([]string{}, f.details...), Advice: f.advice, ExitCode: f.code}
	var e *adminapi.Error
	if earlier, is := errors.AsType[*operation.UnsettledError](f.err); is {
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
