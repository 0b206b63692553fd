package simulator

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// refusalOf words an error that no handler worded.
func refusalOf(err error) *refusal {
	var r *refusal
	if errors.As(err, &r) {
		return r
	}
	return &refusal{status: http.StatusInternalServerError, code: http.StatusInternalServerError, message: err.Error()}
}

// maxBody bounds what one request may send: uploads are the largest.
const maxBody = 64 << 20

// request is one request as a handler sees it: checked, signed in, and alone in
// the world until it returns.
type request struct {
	http   *http.Request
	vars   map[string]string // from the path
	params url.Values        // body before query
	format string
	user   *account // nil on public routes
	now    time.Time
}

// parse reads the parameters of a request, from whatever form they came in.
func parse(w http.ResponseWriter, r *http.Request) (*request, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	var err error
	if strings.HasPrefix(r.Header.Get("Content-Type"), "multipart/form-data") {
		err = r.ParseMultipartForm(8 << 20)
	} else {
		err = r.ParseForm()
	}
	q := &request{http: r, params: r.Form, format: "html"}
	if bad := q.chooseFormat(); bad != nil {
		return q, bad
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

// chooseFormat reads f; a page is the default, as in the real platform.
func (q *request) chooseFormat() error {
	switch f := q.params.Get("f"); f {
	case "", "html":
	case "json", "pjson":
		q.format = f
	default:
		q.format = "json"
		return invalid("unknown response format", "f is "+strconv.Quote(f)+"; allowed: html, json, pjson")
	}
	return nil
}

// required returns a parameter that must be given.
func (q *request) required(name string) (string, error) {
	value := q.params.Get(name)
	if strings.TrimSpace(value) == "" {
		return "", invalid("a required parameter is missing", "parameter "+name+" is required")
	}
	return value, nil
}

// boolean returns a parameter that is true, false, or left out.
func (q *request) boolean(name string, missing bool) (bool, error) {
	switch value := q.params.Get(name); value {
	case "":
		return missing, nil
	case "true":
		return true, nil
	case "false":
		return false, nil
	default:
		return false, invalid("a parameter has a value that is not allowed",
			name+" is "+strconv.Quote(value)+"; allowed: true, false")
	}
}

// positive returns a parameter that is a whole number from 1 on.
func (q *request) positive(name string, missing int) (int, error) {
	value := q.params.Get(name)
	if value == "" {
		return missing, nil
	}
	n, err := strconv.Atoi(value)
	if err != nil || n < 1 {
		return 0, invalid("a parameter has a value that is not allowed",
			name+" is "+strconv.Quote(value)+"; a whole number from 1 on is wanted")
	}
	return n, nil
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

// output writes one answer in the format that the request wants.
type output struct {
	w   http.ResponseWriter
	q   *request
	now time.Time
}

func (o output) refuse(err error) {
	r := refusalOf(err)
	status := r.status
	if status == 0 {
		status = http.StatusOK
	}
	if len(r.allow) > 0 {
		o.w.Header().Set("Allow", strings.Join(r.allow, ", "))
	}
	o.send(status, "Error", r.body())
}

func (o output) write(r route, a answer) {
	switch {
	case a.file != nil:
		o.save(a.file)
	case a.redirect != "" && o.q.format == "html":
		o.head("")
		http.Redirect(o.w, o.q.http, a.redirect, http.StatusSeeOther)
	case r.htmlOnly:
		o.q.format = "html"
		o.send(http.StatusOK, r.name, a.body)
	case a.text != nil:
		o.sendText(r.name, a.text)
	case a.body == nil:
		o.head("")
		o.w.WriteHeader(http.StatusOK)
	default:
		o.send(http.StatusOK, r.name, a.body)
	}
}

func (o output) send(status int, title string, body any) {
	if pieces, ok := body.(rawJSON); ok && o.q.format == "json" {
		o.sendRaw(pieces)
		return
	}
	text, err := marshal(body, o.q.format != "json")
	if err != nil {
		status, text = http.StatusInternalServerError, []byte(`{"error":{"code":500,"message":"the answer cannot be written","details":[]}}`)
	}
	o.sendJSON(status, title, text)
}

// sendText sends JSON as it stands; only pages and pjson get it with white
// space.
func (o output) sendText(title string, text []byte) {
	var pretty bytes.Buffer
	if o.q.format != "json" && json.Indent(&pretty, text, "", "  ") == nil {
		text = pretty.Bytes()
	}
	o.sendJSON(http.StatusOK, title, text)
}

func (o output) sendJSON(status int, title string, text []byte) {
	if o.q.format == "html" {
		o.head("text/html; charset=utf-8")
		o.w.WriteHeader(status)
		_ = writePage(o.w, title, o.q.http.URL.Path, text)
		return
	}
	o.head("application/json;charset=UTF-8")
	o.w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	o.w.WriteHeader(status)
	_, _ = o.w.Write(text)
}

func (o output) sendRaw(pieces rawJSON) {
	o.head("application/json;charset=UTF-8")
	o.w.Header().Set("Content-Length", strconv.Itoa(pieces.size()+1))
	for _, piece := range pieces {
		_, _ = o.w.Write(piece)
	}
	_, _ = io.WriteString(o.w, "\n")
}

func (o output) save(f *download) {
	o.head(f.contentType)
	o.w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": f.name}))
	_, _ = o.w.Write(f.content)
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
func marshal(body any, indent bool) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if indent {
		enc.SetIndent("", "  ")
	}
	err := enc.Encode(body)
	return b.Bytes(), err
}

const page = `<!DOCTYPE html>
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

// writePage writes what an answer holds as a page.
func writePage(w io.Writer, title, path string, body []byte) error {
	_, err := fmt.Fprintf(w, page, html.EscapeString(title), html.EscapeString(path), html.EscapeString(string(body)))
	return err
}

// rawJSON is JSON as it stands, in pieces: what is long and was written before is
// not copied for each answer.
type rawJSON [][]byte

// MarshalJSON joins the pieces.
func (p rawJSON) MarshalJSON() ([]byte, error) { return bytes.Join(p, nil), nil }

func (p rawJSON) size() int {
	n := 0
	for _, piece := range p {
		n += len(piece)
	}
	return n
}

// appendText writes a text as a JSON string. Bytes that are no UTF-8 stay as they
// are: some servers send them.
func appendText(to []byte, text string) []byte {
	to = append(to, '"')
	if simple(text) {
		return append(append(to, text...), '"')
	}
	for len(text) > 0 {
		good := 0
		for good < len(text) {
			r, size := utf8.DecodeRuneInString(text[good:])
			if r == utf8.RuneError && size == 1 {
				break
			}
			good += size
		}
		if good > 0 {
			quoted, _ := json.Marshal(text[:good])
			to = append(to, quoted[1:len(quoted)-1]...)
		}
		if good < len(text) {
			to = append(to, text[good])
			good++
		}
		text = text[good:]
	}
	return append(to, '"')
}

// simple reports whether a text is written as it stands: nearly every one is, and
// there may be a hundred thousand.
func simple(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

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

// Error returns the message.
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

// refusedReadOnly is what a write gets while the site is in read-only mode.
func refusedReadOnly(message string) *refusal {
	r := &refusal{code: http.StatusForbidden, message: "The site is in read-only mode (isReadOnly: true); this operation is not accepted."}
	if message != "" {
		r.details = []string{message}
	}
	return r
}

// multipart refuses what is not sent as multipart/form-data.
func (q *request) multipart() error {
	if q.http.MultipartForm == nil {
		return invalid("The request is of the wrong kind.", "this operation takes multipart/form-data")
	}
	return nil
}

// filePart reads a file of the form; an absent or empty one is nil, also where
// it was sent as a plain field without a value.
func (q *request) filePart(name string) ([]byte, error) {
	files := q.http.MultipartForm.File[name]
	if len(files) == 0 {
		if strings.TrimSpace(q.params.Get(name)) != "" {
			return nil, invalid("a parameter has a value that is not allowed", name+" has to be sent as a file")
		}
		return nil, nil
	}
	f, err := files[0].Open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(f)
}

// textPart reads a plain field.
func (q *request) textPart(name string) (string, error) {
	if len(q.http.MultipartForm.File[name]) > 0 {
		return "", invalid("a parameter has a value that is not allowed", name+" has to be sent as a field, not as a file")
	}
	return q.params.Get(name), nil
}
