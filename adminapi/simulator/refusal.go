package simulator

import (
	"net/http"
	"strings"
)

// refusal is an error as the site words it. Like the real platform it answers
// most of them with HTTP 200 and says what is wrong in the body; only what is
// wrong with the URL or the method is an HTTP status as well.
type refusal struct {
	status      int // HTTP status; 0 means 200
	code        int
	messageCode string
	message     string
	details     []string
	allow       []string // methods that the path takes, with 405
}

func (r *refusal) Error() string { return r.message }

type errorBody struct {
	Error errorFields `json:"error"`
}

type errorFields struct {
	Code        int      `json:"code"`
	Message     string   `json:"message"`
	MessageCode string   `json:"messageCode,omitempty"`
	Details     []string `json:"details"`
}

func (r *refusal) body() errorBody {
	details := r.details
	if details == nil {
		details = []string{}
	}
	return errorBody{Error: errorFields{Code: r.code, Message: r.message, MessageCode: r.messageCode, Details: details}}
}

func invalid(message string, details ...string) *refusal {
	return &refusal{code: http.StatusBadRequest, message: message, details: details}
}

func notFound(message string, details ...string) *refusal {
	return &refusal{status: http.StatusNotFound, code: http.StatusNotFound, message: message, details: details}
}

func wrongMethod(method string, allowed []string) *refusal {
	return &refusal{
		status: http.StatusMethodNotAllowed, code: http.StatusMethodNotAllowed,
		message: "method not allowed", details: []string{method + " is not allowed here; use " + strings.Join(allowed, " or ")},
		allow: allowed,
	}
}

func tokenMissing() *refusal {
	return &refusal{code: 499, message: "Token Required", messageCode: "GWM_0003", details: []string{"Token Required"}}
}

func tokenInvalid(why string) *refusal {
	return &refusal{code: 498, message: "Invalid token.", details: []string{why}}
}

func forbidden(privileges []string) *refusal {
	return &refusal{
		code: http.StatusForbidden, message: "You do not have permissions to access this resource or perform this operation.",
		details: []string{"This operation needs the privilege " + strings.Join(privileges, ", or ") + "."},
	}
}

// siteReadOnly is what a write gets while the site is in read-only mode.
func siteReadOnly(message string) *refusal {
	r := &refusal{code: http.StatusForbidden, message: "The site is in read-only mode (isReadOnly: true); this operation is not accepted."}
	if message != "" {
		r.details = []string{message}
	}
	return r
}
