package adminapi

import (
	"net/http"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	mostDetails = 20      // of an error; the rest says nothing new
	longestText = 8 << 10 // bytes of one text in an error
)

// fault is an error in one of the shapes that the platform's family uses.
type fault struct {
	code        int
	messageCode string
	message     string
	details     []string
}

// envelope holds the top-level members that tell an error from an answer.
type envelope struct {
	Error         jsontext.Value `json:"error"`
	Status        jsontext.Value `json:"status"`
	Success       jsontext.Value `json:"success"`
	JobID         string         `json:"jobid"`
	Code          int            `json:"code"`
	MessageCode   string         `json:"messageCode"`
	Message       jsontext.Value `json:"message"`
	Messages      jsontext.Value `json:"messages"`
	StatusMessage jsontext.Value `json:"statusMessage"`
	Details       jsontext.Value `json:"details"`
}

// findFault looks for an error in an answer, whatever its HTTP status: most
// errors of the platform come with 200. A job that has failed is no error but
// the answer that was asked for.
func findFault(body []byte, status int) (fault, bool) {
	if len(body) == 0 || len(body) > errorLimit || body[0] != '{' {
		return fault{}, false
	}
	var e envelope
	if decode(body, &e) != nil {
		return fault{}, false
	}
	isJob := e.JobID != "" && len(e.Status) > 0 && status < http.StatusBadRequest
	switch {
	case isJob:
		return fault{}, false
	case e.Error.Kind() == jsontext.KindBeginObject:
		var inner envelope
		if decode(e.Error, &inner) != nil {
			return fault{}, false
		}
		return inner.fault(), true
	case e.Error.Kind() == jsontext.KindString && textOf(e.Error) != "":
		f := e.fault()
		f.message = textOf(e.Error)
		return f, true
	case isFailure(e.Status), isFalse(e.Success):
		return e.fault(), true
	case status >= http.StatusBadRequest && (e.Code != 0 || len(e.Message) > 0 || len(e.Messages) > 0):
		return e.fault(), true
	}
	return fault{}, false
}

// isFailure takes the words of the error shape, which are in lower case: FAILED
// is the status of a job.
func isFailure(status jsontext.Value) bool {
	switch textOf(status) {
	case "error", "failed", "failure":
		return status.Kind() == jsontext.KindString
	}
	return false
}

func isFalse(v jsontext.Value) bool { return len(v) > 0 && strings.EqualFold(textOf(v), "false") }

// fault collects what an error object says.
func (e envelope) fault() fault {
	var texts []string
	for _, v := range []jsontext.Value{e.Message, e.Messages, e.StatusMessage, e.Details} {
		texts = append(texts, textsOf(v)...)
	}
	f := fault{code: e.Code, messageCode: shortened(e.MessageCode)}
	if len(texts) > 0 {
		f.message, f.details = texts[0], texts[1:min(len(texts), mostDetails+1)]
	}
	return f
}

// textOf returns the content of a JSON string, and other values as written.
func textOf(v jsontext.Value) string {
	var text string
	if len(v) == 0 || decode(v, &text) != nil {
		return ""
	}
	return shortened(text)
}

// textsOf returns the texts of a value that may be a string, an array or null.
func textsOf(v jsontext.Value) []string {
	var texts []string
	if len(v) == 0 || decode(v, &texts) != nil {
		return nil
	}
	var spoken []string
	for _, text := range texts[:min(len(texts), mostDetails+1)] {
		for _, part := range unwrapped(text) {
			if part = strings.TrimSpace(shortened(part)); part != "" {
				spoken = append(spoken, part)
			}
		}
	}
	return spoken
}

// unwrapped returns the message of a text that is itself a JSON object with
// one, be it written into a string or not; any other text as it is.
func unwrapped(text string) []string {
	if !strings.HasPrefix(text, "{") {
		return []string{text}
	}
	var inner struct {
		Message  string   `json:"message"`
		Messages []string `json:"messages"`
	}
	if decode([]byte(text), &inner) != nil {
		return []string{text}
	}
	switch {
	case inner.Message != "":
		return append([]string{inner.Message}, inner.Messages...)
	case len(inner.Messages) > 0:
		return inner.Messages
	}
	return []string{text}
}

func shortened(text string) string {
	if len(text) <= longestText {
		return text
	}
	return strings.ToValidUTF8(text[:longestText], "") + "…"
}

// err turns a fault into an error; the HTTP status counts where the platform
// gave no code of its own.
func (f fault) err(status int) *Error {
	return &Error{
		Kind: f.kind(status), Code: f.code, MessageCode: f.messageCode,
		Message: f.message, Details: f.details, Explicit: !isGateway(status),
	}
}

// refuses reports whether a site that answers so cannot have begun what it was asked
// for. A gateway knows nothing of the site behind it, whatever it says.
func (f fault) refuses(status int) bool {
	code := f.code
	if code == 0 {
		code = status
	}
	switch {
	case isGateway(status):
		return false
	case isRefusal(code), f.messageCode == noTokenCode:
		return true
	case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500:
		return false // whatever the words: they may be about this very request
	}
	return readOnlyWords.MatchString(f.message) || busyWords.MatchString(f.message)
}

// isRefusal knows the codes, of the platform or of HTTP, that judge a request before
// anything is done for it.
func isRefusal(code int) bool {
	switch code {
	case http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, 498, 499:
		return true
	}
	return false
}

// isGateway reports whether a code speaks of a site that did not answer the one who
// gives it.
func isGateway(code int) bool {
	return code == http.StatusBadGateway || code == http.StatusServiceUnavailable || code == http.StatusGatewayTimeout
}

// noTokenCode is the messageCode of a request without a usable token.
const noTokenCode = "GWM_0003"

var (
	readOnlyWords = regexp.MustCompile(`(?i)read[- ]?only`)
	busyWords     = regexp.MustCompile(`(?i)in progress`)
)

func (f fault) kind(status int) Kind {
	code := f.code
	if code == 0 {
		code = status
	}
	byCode := kindOfCode(code)
	if byCode == KindSignIn || f.messageCode == noTokenCode || kindOfCode(status) == KindSignIn {
		return KindSignIn
	}
	words := f.words()
	switch {
	case byCode == KindNotFound:
		return KindNotFound
	case readOnlyWords.MatchString(words):
		return KindReadOnly
	case busyWords.MatchString(words):
		return KindBusy
	}
	return byCode
}

func (f fault) words() string { return f.message + " " + strings.Join(f.details, " ") }

// kindOfCode reads an HTTP status or a code of the platform, which uses the
// same numbers.
func kindOfCode(code int) Kind {
	switch code {
	case http.StatusUnauthorized, 498, 499:
		return KindSignIn
	case http.StatusForbidden:
		return KindPrivilege
	case http.StatusNotFound, http.StatusGone:
		return KindNotFound
	case http.StatusConflict, http.StatusLocked, http.StatusTooManyRequests:
		return KindBusy
	case http.StatusProxyAuthRequired:
		return KindUnreachable
	case http.StatusRequestEntityTooLarge:
		return KindTooLarge
	}
	if code >= 400 && code < 500 {
		return KindInvalid
	}
	return KindServer
}
