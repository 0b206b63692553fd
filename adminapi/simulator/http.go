package simulator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// maxBody bounds what one request may send: uploads are the largest.
const maxBody = 64 << 20

// request is one request as a handler sees it: checked, signed in, and alone in
// the world until it returns.
type request struct {
	http   *http.Request
	vars   map[string]string // from the path
	params url.Values        // body before query
	format string            // html, json or pjson
	user   *account          // nil on public routes
	now    time.Time
	err    error // the first refusal of a parameter that the handler read
}

// parse reads the parameters of a request in any form they come in: some programs send
// the form of a GET in its body. Like the real platform it answers with a page where f
// is missing.
func parse(w http.ResponseWriter, r *http.Request) (*request, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	method := r.Method
	if method == http.MethodGet {
		r.Method = http.MethodPost // the standard library reads a body of these only
	}
	var err error
	if strings.HasPrefix(strings.ToLower(r.Header.Get("Content-Type")), "multipart/form-data") {
		if err = r.ParseMultipartForm(8 << 20); r.MultipartForm != nil {
			query := r.URL.Query()
			for name, values := range r.MultipartForm.Value {
				r.Form[name] = slices.Concat(values, query[name])
			}
		}
	} else {
		err = r.ParseForm()
	}
	r.Method = method
	q := &request{http: r, params: r.Form, format: cmp.Or(r.Form.Get("f"), "html")}
	if format := q.format; !slices.Contains([]string{"html", "json", "pjson"}, format) {
		q.format = "json"
		return q, invalid("unknown response format", "f is "+strconv.Quote(format)+"; allowed: html, json, pjson")
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return q, &refusal{status: http.StatusRequestEntityTooLarge, code: http.StatusRequestEntityTooLarge, message: "the request is too large"}
	case err != nil:
		return q, invalid("the request cannot be read", "the body or the query is not a form")
	}
	return q, nil
}

// refuse keeps the first refusal. A handler reads all of its parameters and then
// looks at q.err once.
func (q *request) refuse(r *refusal) {
	if q.err == nil {
		q.err = r
	}
}

// single returns a parameter that has one value, however often it is given.
func (q *request) single(name string) string {
	values := q.params[name]
	if len(values) > 1 && len(slices.Compact(slices.Clone(values))) > 1 {
		q.refuse(notAllowed(name + " is given with different values; one is wanted"))
	}
	return q.params.Get(name)
}

// required returns a parameter that must be given.
func (q *request) required(name string) string {
	value := q.single(name)
	if strings.TrimSpace(value) == "" {
		q.refuse(missing("parameter " + name + " is required"))
	}
	return value
}

// boolean returns a parameter that is true, false, or left out, which is false. Python
// writes True.
func (q *request) boolean(name string) bool {
	value := q.single(name)
	on := strings.EqualFold(value, "true")
	if value != "" && !on && !strings.EqualFold(value, "false") {
		q.refuse(notAllowed(name + " is " + strconv.Quote(value) + "; allowed: true, false"))
	}
	return on
}

// positive returns a parameter that is a whole number from 1 on.
func (q *request) positive(name string, otherwise int) int {
	value := q.params.Get(name)
	if value == "" {
		return otherwise
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		q.refuse(notAllowed(name + " is " + strconv.Quote(value) + "; a whole number from 1 on is wanted"))
		return otherwise
	}
	return n
}

// defaultPage is how many entries a page has where the request does not say.
const defaultPage = 1000

// page cuts the page that a request wants out of a list; start counts from 1.
func page[T any](q *request, name string, list []T) object {
	num, start := q.positive("num", defaultPage), q.positive("start", 1)
	rest, next := list[min(start-1, len(list)):], -1
	if len(rest) > num {
		rest, next = rest[:num], start+num
	}
	return object{"total": len(list), "num": num, "start": start, "nextStart": next, name: rest}
}

// readObject reads a parameter that is a JSON object; null changes nothing.
func (q *request) readObject(name string, into any) {
	text := q.required(name)
	if err := json.Unmarshal([]byte(text), into); q.err == nil && err != nil {
		q.refuse(invalid("The JSON of a parameter is not valid.", name+": "+whyNotJSON(err)))
	}
}

// list returns the parts of a comma-separated parameter, in order.
func (q *request) list(name string) []string {
	var parts []string
	for part := range strings.SplitSeq(q.params.Get(name), ",") {
		if part = strings.TrimSpace(part); part != "" {
			parts = append(parts, part)
		}
	}
	return parts
}

// files are the files of a part; a form that is not multipart has none.
func (q *request) files(part string) []*multipart.FileHeader {
	if q.http.MultipartForm == nil {
		return nil
	}
	return q.http.MultipartForm.File[part]
}

// filePart reads a file of a multipart form; an absent or empty one is empty, also
// where it was sent as a plain field without a value.
func (q *request) filePart(name string) []byte {
	files := q.files(name)
	switch {
	case len(files) == 0 && strings.TrimSpace(q.params.Get(name)) != "":
		q.refuse(notAllowed(name + " has to be sent as a file with a name (multipart/form-data)"))
		return nil
	case len(files) > 1:
		q.refuse(notAllowed(name + " has to be sent once"))
		return nil
	case len(files) == 0:
		return nil
	}
	var content []byte
	f, err := files[0].Open()
	if err == nil {
		defer f.Close()
		content, err = io.ReadAll(f)
	}
	if err != nil {
		q.refuse(refusalOf(err))
	}
	return content
}

// textPart reads a plain field of a form.
func (q *request) textPart(name string) string {
	if len(q.files(name)) > 0 {
		q.refuse(notAllowed(name + " has to be sent as a field, not as a file"))
	}
	return q.single(name)
}

// output writes one answer in the format that the request wants.
type output struct {
	w   http.ResponseWriter
	q   *request
	now time.Time
}

func (o output) refuse(err error) {
	r := refusalOf(err)
	if len(r.allow) > 0 {
		o.w.Header().Set("Allow", strings.Join(r.allow, ", "))
	}
	o.sendBody(cmp.Or(r.status, http.StatusOK), "Error: "+r.message, r.body())
}

// write writes a body as its type says, and as JSON or on a page where that says nothing.
func (o output) write(r *route, a answer) {
	if a.redirect != "" && o.q.format == "html" {
		o.head("")
		http.Redirect(o.w, o.q.http, a.redirect, http.StatusSeeOther)
		return
	}
	switch body := a.body.(type) {
	case error:
		o.refuse(body)
	case download:
		o.head(body.contentType)
		o.w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": body.name}))
		_, _ = o.w.Write(body.content)
	case webPage:
		o.head("text/html; charset=utf-8")
		_, _ = io.WriteString(o.w, string(body))
	case location:
		o.head("")
		o.w.Header().Set("Location", string(body))
		o.w.WriteHeader(http.StatusFound)
	case pieces:
		o.send(http.StatusOK, r.name, body...)
	case nil:
		o.head("")
		o.w.WriteHeader(http.StatusOK)
	default:
		if r.htmlOnly {
			o.q.format = "html"
		}
		o.sendBody(http.StatusOK, r.name, body)
	}
}

func (o output) sendBody(status int, title string, body any) {
	text, err := marshal(body)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":{"code":500,"message":"the answer cannot be written","details":[]}}`)
	}
	o.send(status, title, text)
}

const pageText = `<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>%[1]s · geodeck simulator</title></head>
<body>
<p><strong>This is a simulator, not a real site.</strong> Nothing here touches a platform.</p>
<h1>%[1]s</h1>
<p><code>%[2]s</code> · the same as JSON: add <code>f=json</code> or <code>f=pjson</code></p>
<pre>%[3]s</pre>
</body>
</html>
`

// send writes JSON, in pieces so that a long one is not copied. Only pages and
// pjson add white space.
func (o output) send(status int, title string, text ...[]byte) {
	if o.q.format != "json" {
		text = [][]byte{indented(bytes.Join(text, nil))}
	}
	if o.q.format == "html" {
		o.head("text/html; charset=utf-8")
		o.w.WriteHeader(status)
		_, _ = fmt.Fprintf(o.w, pageText, html.EscapeString(title), html.EscapeString(o.q.http.URL.Path), html.EscapeString(string(text[0])))
		return
	}
	length := 0
	for _, piece := range text {
		length += len(piece)
	}
	o.head("application/json;charset=UTF-8")
	o.w.Header().Set("Content-Length", strconv.Itoa(length))
	o.w.WriteHeader(status)
	for _, piece := range text {
		_, _ = o.w.Write(piece)
	}
}

// head sets what every answer carries; the date is the world's.
func (o output) head(contentType string) {
	h := o.w.Header()
	h.Set("Date", o.now.UTC().Format(http.TimeFormat))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	if contentType != "" {
		h.Set("Content-Type", contentType)
	}
}

// marshal writes JSON without escaping for HTML: pages escape by themselves.
func marshal(body any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(body)
	return b.Bytes(), err
}

// whyNotJSON says what is wrong with a JSON text; nil is that of one that is null, or no
// UTF-8.
func whyNotJSON(err error) string {
	var other *json.UnmarshalTypeError
	switch {
	case err == nil:
		return "it is null, or no UTF-8"
	case errors.As(err, &other):
		return strings.TrimPrefix(other.Field+" is of another type: ", " ") + other.Value
	}
	return err.Error()
}

// indented returns JSON with line breaks, and anything else unchanged.
func indented(text []byte) []byte {
	var pretty bytes.Buffer
	if json.Indent(&pretty, text, "", "  ") != nil {
		return text
	}
	return pretty.Bytes()
}

// appendText writes a text as a JSON string, with the escapes that JSON needs. Bytes that are
// no UTF-8 stay: some servers send them.
func appendText(to []byte, text string) []byte {
	to = append(to, '"')
	for i := range len(text) {
		switch c := text[i]; {
		case c < ' ':
			to = fmt.Appendf(to, `\u%04x`, c)
		case c == '"', c == '\\':
			to = append(to, '\\', c)
		default:
			to = append(to, c)
		}
	}
	return append(to, '"')
}

// refusal is an error as the site words it. Like the real platform it answers
// most of them with HTTP 200 and says what is wrong in the body; only what is
// wrong with the URL or the method is an HTTP status as well.
type refusal struct {
	status      int // HTTP status; 0 means 200
	code        int
	messageCode string
	oauth       string // the kind of error in OAuth's words
	message     string
	details     []string
	allow       []string // methods that the path takes, with 405
}

// Error returns the message.
func (r *refusal) Error() string { return r.message }

// refusalOf words an error that no handler worded.
func refusalOf(err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	return &refusal{status: http.StatusInternalServerError, code: http.StatusInternalServerError, message: err.Error()}
}

func (r *refusal) body() object {
	e := object{"code": r.code, "message": r.message, "details": append([]string{}, r.details...)}
	if r.messageCode != "" {
		e["messageCode"] = r.messageCode
	}
	if r.oauth != "" {
		e["error"], e["error_description"] = r.oauth, r.message
	}
	return object{"error": e}
}

func invalid(message string, details ...string) *refusal {
	return &refusal{code: http.StatusBadRequest, message: message, details: details}
}

func missing(detail string) *refusal { return invalid("a required parameter is missing", detail) }

func notAllowed(detail string) *refusal {
	return invalid("a parameter has a value that is not allowed", detail)
}

func notFound(message string, details ...string) *refusal {
	return &refusal{status: http.StatusNotFound, code: http.StatusNotFound, message: message, details: details}
}

// conflict is for what is in the way of something else.
func conflict(message string, details ...string) *refusal {
	return &refusal{code: http.StatusConflict, message: message, details: details}
}

// forbidden names what the refused operation requires, as the contract does: that of publishers is a role.
func forbidden(privileges []string) *refusal {
	needs := strings.ReplaceAll(strings.Join(privileges, ", or "), privPublisher, "the Publisher role")
	return &refusal{
		code: http.StatusForbidden, message: "You do not have permissions to access this resource or perform this operation.",
		details: []string{"This operation needs the privilege " + needs + "."},
	}
}

// refusedReadOnly is what a write gets while the site is in read-only mode.
func refusedReadOnly(message string) *refusal {
	r := &refusal{code: http.StatusForbidden, message: "The site is in read-only mode (isReadOnly: true); this operation is not accepted."}
	if message != "" {
		r.details = []string{message}
	}
	return r
}
