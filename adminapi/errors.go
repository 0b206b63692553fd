package adminapi

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
)

// Kind is what an administrator can do about an error. It is an error itself, for
// errors.Is(err, adminapi.KindSignIn).
type Kind int

// The kinds. KindServer is any other error of the platform.
const (
	KindServer        Kind = iota
	KindSignIn             // no token, or one that is no longer valid
	KindPrivilege          // signed in, but not allowed
	KindReadOnly           // the site, or this client, accepts no writes
	KindBusy               // something else is running: an upgrade, another edit
	KindNotFound           // no such resource
	KindInvalid            // a value that the platform, or this client, does not accept
	KindNotJSON            // HTML, nothing, half an answer, or JSON of another shape
	KindTooLarge           // more than the limit of this client
	KindUnreachable        // no answer: name, network, TLS, time
	KindCancelled          // cancelled by the caller
	KindVersionTooOld      // the site lacks this operation
	KindNotRecorded        // a write that the observer refused, so that nothing was sent
	KindLocked             // a write of a client that is locked, so that nothing was sent
)

var kindNames = [...]string{
	KindServer: "server", KindSignIn: "sign-in", KindPrivilege: "privilege", KindReadOnly: "read-only",
	KindBusy: "busy", KindNotFound: "not found", KindInvalid: "invalid", KindNotJSON: "not JSON",
	KindTooLarge: "too large", KindUnreachable: "unreachable", KindCancelled: "cancelled", KindVersionTooOld: "version too old",
	KindNotRecorded: "not recorded", KindLocked: "locked",
}

// String returns the kind in words, as JSON output shows it.
func (k Kind) String() string {
	if k < 0 || int(k) >= len(kindNames) {
		return "unknown"
	}
	return kindNames[k]
}

// Error makes a Kind usable as the target of errors.Is.
func (k Kind) Error() string { return k.String() }

// Error describes why one call failed. Its text is fit for a terminal and contains no
// token, no password and no content of a file.
type Error struct {
	Kind        Kind
	Operation   string   // such as "run a health check"
	Method      string   // HTTP method, empty where nothing was sent
	Path        string   // path of the request, without query
	Status      int      // HTTP status, 0 without an answer
	Code        int      // the platform's own code, 0 where it gave none
	MessageCode string   // the platform's messageCode, such as GWM_0003
	Message     string   // the platform's words, or ours where it gave none
	Details     []string // the platform's details
	Privilege   string   // that the operation requires, with KindPrivilege
	// Explicit is true where the site itself answered with this error, and not a gateway
	// or a broken connection. The site may still have begun the request.
	Explicit bool
	Err      error // the cause below, if any
	// Earlier is why the attempt before failed, where the caller's time ended a retry.
	Earlier *Error
}

// Error returns one line: the operation, what happened, and the platform's details.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("cannot " + e.Operation + ": " + e.what())
	if e.Privilege != "" {
		b.WriteString(" (needs the privilege " + e.Privilege + ")")
	}
	for _, d := range e.Details {
		if d = plain.Line(d); d != "" && e.Code != codeBadToken && !strings.Contains(b.String(), d) {
			separator := "; "
			if strings.HasSuffix(b.String(), ")") { // behind the code it says more
				separator = ": "
			}
			b.WriteString(separator + d)
		}
	}
	return unmarked(b.String())
}

// unmarked breaks what would make a command of geodeck out of the words of a site, see
// operation.NameCommands.
func unmarked(text string) string { return strings.ReplaceAll(text, "{command:", "{command :") }

// words is what happened, without the platform's code.
func (e *Error) words() string {
	text := plain.Line(e.Message)
	if e.Code == codeBadToken && strings.EqualFold(strings.TrimSuffix(text, "."), "invalid token") {
		return "the token has expired or is not valid"
	}
	if text == "" && e.Err != nil {
		text = plain.Line(e.Err.Error())
	}
	return cmp.Or(text, e.Kind.String())
}

func (e *Error) what() string {
	text := e.words()
	switch {
	case e.Code == codeBadToken:
		return text
	case e.Code != 0:
		return fmt.Sprintf("%s (code %d)", strings.TrimSuffix(text, "."), e.Code)
	case e.Status >= 400:
		return fmt.Sprintf("%s (HTTP %d)", strings.TrimSuffix(text, "."), e.Status)
	}
	return text
}

// masked masks secrets in all texts of the error.
func (e *Error) masked(mask secrets.ByValue) *Error {
	clean := func(text string) string { return mask.Text(text, secrets.Anywhere) }
	e.Message = clean(e.Message)
	if !secrets.IsCode(e.MessageCode) {
		e.MessageCode = clean(e.MessageCode)
	}
	e.Path = mask.Text(e.Path, secrets.InNames) // names are in it
	for i := range e.Details {
		e.Details[i] = clean(e.Details[i])
	}
	if e.Err != nil {
		if cause, text := e.Err, e.Err.Error(); clean(text) != text {
			e.Err = maskedCause{text: clean(text), is: func(target error) bool { return errors.Is(cause, target) }}
		}
	}
	return e
}

// maskedCause stands in place of a cause whose text held a secret: it matches the same targets and
// cannot be unwrapped. It keeps that cause in a function, where not even %#v finds it.
type maskedCause struct {
	text string
	is   func(target error) bool
}

// Error returns the masked text.
func (m maskedCause) Error() string { return m.text }

// Is matches what the masked error matches.
func (m maskedCause) Is(target error) bool { return m.is(target) }

// Is matches a [Kind].
func (e *Error) Is(target error) bool {
	kind, ok := target.(Kind)
	return ok && kind == e.Kind
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// ErrMissing is the cause of a 404 without a word of the platform, where the platform answers at its root:
// the resource is missing, not the site.
var ErrMissing = errors.New("the site has no such resource")

// IsNotOffered reports whether a site answered that it lacks what was asked for, or refuses it to this user.
// What it would have told may be known in another way.
func IsNotOffered(err error) bool {
	e, ok := errors.AsType[*Error](err)
	switch {
	case !ok || !e.Explicit:
		return false
	case e.Kind == KindNotFound:
		return e.Code != 0 || errors.Is(err, ErrMissing)
	}
	return e.Kind == KindPrivilege || isCode(e, http.StatusMethodNotAllowed)
}

// IsMissing reports whether nothing was found at an address, whoever said so: the platform, or what stands
// before it. Only [Client.Reach] knows which.
func IsMissing(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && (e.Kind == KindNotFound || isCode(e, http.StatusNotFound))
}

// KindOf returns the kind of err and whether it has one.
func KindOf(err error) (Kind, bool) {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind, true
	}
	return KindServer, false
}

// IsAnswer reports whether an error is an answer of the site itself, not of a gateway or of
// the transport.
func IsAnswer(err error) bool {
	api, ok := errors.AsType[*Error](err)
	return ok && api.Explicit
}

// IsTransient reports whether an error may go away by itself and is not about the
// request: the platform restarts, or a proxy answers in its place.
func IsTransient(err error) bool {
	kind, known := KindOf(err)
	switch kind {
	case KindUnreachable, KindNotJSON, KindServer, KindBusy:
		return known
	}
	return false
}

// SignInText returns why a sign-in is needed, in a sentence.
func SignInText(err error) string {
	e, ok := errors.AsType[*Error](err)
	switch {
	case !ok:
	case e.Operation == opSignIn.name:
		return "Wrong user name or password."
	case e.Code == codeNoToken || e.MessageCode == noTokenCode:
		return "You are not signed in."
	}
	return "Session expired."
}

// IsCut reports whether an answer of the API ended in its middle: it is no other program's.
func IsCut(err error) bool {
	e, ok := errors.AsType[*Error](err)
	return ok && e.Kind != KindUnreachable && errors.Is(e.Err, io.ErrUnexpectedEOF)
}

// UnreachableText returns in a few words why a site cannot be used: "no answer", or what
// answers in its place.
func UnreachableText(err error) string {
	kind, known := KindOf(err)
	switch {
	case IsCertificate(err):
		return "certificate refused"
	case !known || kind == KindUnreachable:
		return "no answer"
	case IsCut(err):
		return "half an answer"
	case kind == KindNotJSON:
		return "answers with a web page"
	case kind == KindSignIn:
		return "sign-in needed"
	}
	return "answers with errors"
}
