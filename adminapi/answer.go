package adminapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/pattern"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
)

const (
	bodyLimit  = 64 << 20 // bytes of an answer, decompressed
	errorLimit = 1 << 20  // bytes of an error
)

var errTooLarge = errors.New("the answer is larger than this program reads")

// read reads the body to its end and closes it, so that the connection can be
// reused. On an error it keeps nothing of it: half an answer is no answer. The
// prefix that is known from an earlier answer is left out of the body.
func (a *answer) read(ctx context.Context, room bodies, clock *deadline, resp *http.Response, seen *seenPrefix) error {
	a.status, a.refused = resp.StatusCode, isRefusal(resp.StatusCode)
	if seen != nil {
		seen.skipped = false // nothing yet of this answer
	}
	if resp.Body == nil {
		return nil
	}
	defer resp.Body.Close()
	limit := int64(bodyLimit)
	if a.status >= 300 {
		limit = errorLimit
	}
	if resp.ContentLength > limit {
		return errTooLarge
	}
	all := &io.LimitedReader{R: resp.Body, N: limit + 1} // what is left out counts as well
	in, length := io.Reader(all), resp.ContentLength
	if seen != nil && a.status < 300 {
		length = -1 // of what is left of it
		var err error
		if in, err = seen.open(all); err != nil {
			return err
		}
	}
	body, err := room.read(ctx, clock, in, length, limit+1)
	if err == nil && all.N == 0 {
		err = errTooLarge
	}
	if err != nil {
		return err
	}
	a.body = trimmed(body)
	return nil
}

// trimmed returns JSON without what may surround it: blanks, and the mark of some editors.
func trimmed(body []byte) []byte {
	return bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
}

// judge returns the error that an answer holds, in any of its forms.
func (a *answer) judge(k Call, resp *http.Response) *Error {
	if a.status >= 300 && a.status < 400 {
		return redirected(resp)
	}
	if f := findFault(a.body, a.status); f != nil {
		a.refused = f.refuses(a.status)
		return a.fault(f)
	}
	if bytes.HasPrefix(a.body, []byte("<")) {
		return a.webPage()
	}
	if a.status < 200 || a.status >= 400 {
		return a.statusOnly()
	}
	if len(a.body) > 0 && k.repair != nil && !jsontext.Value(a.body).IsValid(tolerant) {
		a.body = k.repair(a.body)
	}
	if len(a.body) > 0 && a.body[0] != '{' && !(k.list && a.body[0] == '[') {
		return notJSON("the answer is not the expected JSON object", nil)
	}
	return nil
}

// fault makes an error of an answer. Secrets are masked before texts are shortened, or a
// part of a secret could remain.
func (a *answer) fault(f *fault) *Error {
	clean := cmp.Or(findFault(a.secrets.JSON(a.body, secrets.Anywhere), a.status), &fault{})
	e := &Error{
		Kind: f.kind(a.status), Code: f.code, MessageCode: clean.messageCode,
		Message: clean.message, Details: clean.details, Explicit: !isGateway(a.status),
	}
	if e.Message == "" && e.MessageCode == "" {
		e.Err = ErrNoReason
	}
	return e
}

// ErrNoReason is the cause of an error that a site answered with without a word, such as
// {"success":false}: it does not say whether it has begun.
var ErrNoReason = errors.New("the site reports a failure and gives no reason")

// ErrPage is the cause of an error where a web page answered, or a redirect to one.
var ErrPage = errors.New("a web page")

func invalid(sentence string) *Error { return &Error{Kind: KindInvalid, Message: sentence} }

func notJSON(sentence string, cause error) *Error {
	return &Error{Kind: KindNotJSON, Message: sentence, Err: cause}
}

// redirected returns an error that names the target of a redirect, without the parts
// that could be secret. A redirect is never followed.
func redirected(resp *http.Response) *Error {
	target := "another place"
	if u, err := resp.Location(); err == nil && u.Host != "" {
		clean := url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path, RawPath: u.RawPath}
		target = clean.String()
	}
	return notJSON("the site redirects to "+target+"; redirects are not followed: use that address if it is right", ErrPage)
}

// The title of a page, of which no more is read than shows whether it is longer than what is told.
var titlePattern = pattern.New(`(?is)<title[^>]{0,200}>\s*([^<]{1,1000})`)

// What is told of who answers in place of the API, in bytes.
const (
	maxTitle = 200
	maxPage  = 500
)

// webPage returns an error for a web page where JSON was expected.
func (a *answer) webPage() *Error {
	page := "a web page"
	head := a.secrets.Text(string(a.body[:min(len(a.body), 64<<10)]), secrets.Anywhere)
	if m := titlePattern().FindStringSubmatch(head); m != nil {
		if title := strings.TrimSpace(html.UnescapeString(m[1])); title != "" {
			page = fmt.Sprintf("a web page (%q)", plain.Cut(title, maxTitle))
		}
	}
	e := notJSON("the answer is "+page+", not the API's; check the address, the proxy and the login page", ErrPage)
	if kindOfCode(a.status) == KindSignIn {
		e.Kind = KindSignIn
	}
	return e
}

// statusOnly returns an error for an HTTP status whose body is none of the platform's
// errors.
func (a *answer) statusOnly() *Error {
	text := http.StatusText(a.status)
	switch a.status {
	case codeBadToken:
		text = "the token is not valid"
	case codeNoToken:
		text = "a token is required"
	}
	if len(a.body) > 0 && a.body[0] != '{' && a.body[0] != '[' {
		said := a.secrets.Text(string(a.body), secrets.Anywhere)
		text = strings.TrimSpace(text + ": " + plain.Cut(said, maxPage))
	}
	e := &Error{Kind: kindOfCode(a.status), Message: text, Explicit: a.status >= 400 && !isGateway(a.status)}
	if len(a.body) > 0 && a.body[0] == '{' && !jsontext.Value(a.body).IsValid(tolerant) {
		e.Err = io.ErrUnexpectedEOF // the reason is cut off
	}
	return e
}

// Unknown holds the members of a JSON object for which this package has no field,
// exactly as the server wrote them.
type Unknown = jsontext.Value

// tolerant reads what the platform really sends, see package jsonx.
var tolerant = jsonx.Tolerant(
	jsonx.Number[Millis](),
	jsonx.List[SuiteResult](),
	jsonx.List[TestResult](),
	jsonx.List[ReportSummary](),
	jsonx.List[Suite](),
	jsonx.List[SuiteTest](),
	jsonx.List[ServiceRef](),
	jsonx.List[UpgradeMessage](),
	jsonx.List[Container](),
	jsonx.List[UserInput](),
	jsonx.List[BackupStore](),
	jsonx.List[Backup](),
)

func decode(body []byte, v any) error { return json.Unmarshal(body, v, tolerant) }

// decodeKept decodes the next value, and returns a copy of its bytes.
func decodeKept(dec *jsontext.Decoder, v any) (jsontext.Value, error) {
	value, err := dec.ReadValue()
	if err != nil {
		return nil, err
	}
	value = bytes.Clone(value)
	return value, decode(value, v)
}

const (
	maxDetails   = 20      // of an error; the rest says nothing new
	maxErrorText = 8 << 10 // bytes of one text in an error
)

// fault is an error in one of the shapes that the platform's family uses.
type fault struct {
	code        int
	messageCode string
	message     string
	details     []string
}

// envelope holds the top-level members that distinguish an error from an answer.
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

// findFault returns the error in an answer of any HTTP status, nil for none: most errors of
// the platform come with 200. A failed job is a regular answer.
func findFault(body []byte, status int) *fault {
	if len(body) == 0 || len(body) > errorLimit || body[0] != '{' {
		return nil
	}
	var e envelope
	if decode(body, &e) != nil {
		return nil
	}
	switch {
	case e.JobID != "" && len(e.Status) > 0 && status < http.StatusBadRequest: // it is a job
		return nil
	case e.Error.Kind() == jsontext.KindBeginObject:
		var inner envelope
		if decode(e.Error, &inner) != nil {
			return nil
		}
		return inner.fault()
	case e.Error.Kind() == jsontext.KindString && textOf(e.Error) != "":
		f := e.fault()
		f.message = textOf(e.Error)
		return f
	case isFailure(e.Status), strings.EqualFold(textOf(e.Success), "false"):
		return e.fault()
	case status >= http.StatusBadRequest && (e.Code != 0 || len(e.Message) > 0 || len(e.Messages) > 0):
		return e.fault()
	}
	return nil
}

// isFailure reports whether a status is that of an error, in lower case: FAILED in
// capitals is the status of a job.
func isFailure(status jsontext.Value) bool {
	return status.Kind() == jsontext.KindString && slices.Contains([]string{"error", "failed", "failure"}, textOf(status))
}

// fault collects the texts and codes of an error object.
func (e envelope) fault() *fault {
	var texts []string
	for _, v := range []jsontext.Value{e.Message, e.Messages, e.StatusMessage, e.Details} {
		texts = append(texts, textsOf(v)...)
	}
	f := &fault{code: e.Code, messageCode: shortened(e.MessageCode)}
	if len(texts) > 0 {
		f.message, f.details = texts[0], texts[1:min(len(texts), maxDetails+1)]
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
	var trimmed []string
	for _, text := range texts[:min(len(texts), maxDetails+1)] {
		for _, part := range unwrapped(text) {
			if part = strings.TrimSpace(shortened(part)); part != "" {
				trimmed = append(trimmed, part)
			}
		}
	}
	return trimmed
}

// unwrapped returns the messages of a text that is itself a JSON object with messages,
// and any other text as it is.
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

func shortened(text string) string { return plain.Cut(text, maxErrorText) }

// refuses reports whether a site that answers this cannot have begun the request. What a
// gateway answers says nothing about the site behind it.
func (f *fault) refuses(status int) bool {
	code := cmp.Or(f.code, status)
	switch {
	case isGateway(status):
		return false
	case isRefusal(code), f.messageCode == noTokenCode:
		return true
	case code == http.StatusRequestTimeout, code == http.StatusTooManyRequests, code >= 500:
		return false // the words may be about this very request
	}
	return readOnlyWords().MatchString(f.message) || busyWords().MatchString(f.message)
}

// isRefusal reports whether a code, of the platform or of HTTP, means that a request
// was rejected before anything was done.
func isRefusal(code int) bool {
	return slices.Contains([]int{
		http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden, http.StatusNotFound, http.StatusMethodNotAllowed,
		http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, codeBadToken, codeNoToken,
	}, code)
}

// isGateway reports whether a code is that of a gateway whose site did not answer.
func isGateway(code int) bool {
	return code == http.StatusBadGateway || code == http.StatusServiceUnavailable || code == http.StatusGatewayTimeout
}

// noTokenCode is the messageCode of a request without a usable token.
const noTokenCode = "GWM_0003"

// The codes of a token that is refused, and of a request without one.
const codeBadToken, codeNoToken = 498, 499

var (
	readOnlyWords = pattern.New(`(?i)read[- ]?only`)
	busyWords     = pattern.New(`(?i)in progress`)
)

// kind returns the kind of an error; the HTTP status counts if the platform gave no code.
func (f *fault) kind(status int) Kind {
	byCode := kindOfCode(cmp.Or(f.code, status))
	if byCode == KindSignIn || f.messageCode == noTokenCode || kindOfCode(status) == KindSignIn {
		return KindSignIn
	}
	words := f.message + " " + strings.Join(f.details, " ")
	switch {
	case byCode == KindNotFound:
		return KindNotFound
	case readOnlyWords().MatchString(words):
		return KindReadOnly
	case busyWords().MatchString(words):
		return KindBusy
	}
	return byCode
}

// kindOfCode returns the kind of an HTTP status or of a code of the platform, which uses
// the same numbers.
func kindOfCode(code int) Kind {
	switch code {
	case http.StatusUnauthorized, codeBadToken, codeNoToken:
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
