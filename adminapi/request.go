package adminapi

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"mime/multipart"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"
	"unicode"
	"unicode/utf8"

	"geodeck/adminapi/secrets"
)

// referer is sent with every request, and tokens are requested for it: a token that is
// bound to a referer is valid only together with it.
const referer = "geodeck"

const maxID = 512 // bytes; the ids of the platform have about 40

// Call is one request before it is sent. See [Client.Preview].
type Call struct {
	operation  operation
	method     string
	portal     bool       // below the root of the portal, not the administrative root
	path       []string   // segments, not escaped
	fields     url.Values // query of a GET, form of a POST; f and token are added
	parts      []Part     // of a multipart POST, instead of fields
	progress   func(sent, total int64)
	target     string              // of a write: what it changes at the site
	invalid    *Error              // of a write: why it cannot be sent
	chosen     bool                // of a write: a person chose whether it runs in a job
	secrets    []secrets.Secret    // of a sign-in, see signIn
	maskAnswer bool                // secrets are masked in the answer, which is never sent back
	kept       bool                // with maskAnswer: only as in what is kept
	public     bool                // sent without a token
	timeout    time.Duration       // 0 for that of the client
	extra      time.Duration       // beyond that of the client
	list       bool                // the answer may be a JSON array
	repair     func([]byte) []byte // makes valid JSON of an answer with a known fault
	prefix     *seenPrefix         // of an earlier answer, not decoded again; nil for none
}

// masked makes it a request whose answer is masked.
func (k Call) masked() Call {
	k.maskAnswer = true
	return k
}

// answer is the response to one request.
type answer struct {
	method, path string
	unsent       bool        // it is certain that nothing was sent
	status       int         // 0 without an answer
	sent, header http.Header // of the request and of the answer
	body         []byte
	refused      bool // an error of a site that cannot have begun the request
	sentToken    secrets.Secret
	secrets      secrets.ByValue
}

// exchange sends a call once and reads its answer. Every request of this package is sent
// here. A write waits for no slot.
func (c *Client) exchange(ctx context.Context, k Call, write bool) (answer, *Error) {
	var token secrets.Secret
	if !k.public {
		c.Session.renewEarly(ctx)
		token = c.Session.Token().Value
		c.secrets.SendToken(token)
	}
	via := c.writes
	if !write {
		via = c.reads
		free, e := c.slots.take(ctx, k)
		if e != nil {
			a := answer{unsent: true, sentToken: token, secrets: c.Secrets()}
			return a, a.explain(k, e)
		}
		defer free()
	}
	began := c.config.Clock.Now()
	a, e := c.roundTrip(ctx, k, token, via)
	if !k.public {
		c.Session.noteToken(a.sentToken, e)
	}
	if c.config.Trace != nil {
		c.config.Trace(c.described(k, a, e, c.config.Clock.Now().Sub(began)))
	}
	if !k.public {
		c.secrets.TokenSent(secrets.Answer{Taken: e == nil, Refused: e != nil && e.Kind == KindSignIn}, token, c.Session.Token().Value)
	}
	return a, e
}

func (c *Client) roundTrip(ctx context.Context, k Call, token secrets.Secret, via http.RoundTripper) (answer, *Error) {
	a := answer{unsent: true, sentToken: token, secrets: c.Secrets()}
	for _, part := range k.parts {
		c.secrets.Add(part.Secrets...)
		if part.Secret && len(part.Content) > 0 {
			a.secrets = a.secrets.WithContent(part.Content)
		}
	}
	limited, limit := startDeadline(ctx, c.config.AfterFunc, cmp.Or(k.timeout, c.config.Timeout+k.extra))
	defer limit.end()
	var conn connection
	req, e := c.build(httptrace.WithClientTrace(limited, conn.trace()), k, token)
	if e != nil {
		return a, a.explain(k, e)
	}
	if k.parts != nil {
		limit.progress, limit.total = k.progress, req.ContentLength
		req.Body = trackedBody{req.Body, limit}
	}
	a.method, a.path, a.sent = k.method, req.URL.EscapedPath(), req.Header
	resp, err := via.RoundTrip(req)
	a.unsent = err != nil && conn.neverObtained(via)
	if err == nil {
		c.noteDate(resp.Header)
		a.header = resp.Header
		err = a.read(limited, c.bodies, limit, resp, k.prefix)
	}
	if err != nil {
		return a, a.explain(k, transportError(ctx, limited, limit.allowed(), err))
	}
	e = a.explain(k, a.judge(k, resp))
	if e == nil && k.maskAnswer {
		rule := secrets.Anywhere
		if k.kept {
			rule = secrets.InKept
		}
		a.body = a.secrets.JSON(a.body, rule)
	}
	return a, e
}

// explain adds the operation and the request to an error, and masks secrets in it.
func (a answer) explain(k Call, e *Error) *Error {
	if e == nil {
		return nil
	}
	e.Operation, e.Method, e.Path, e.Status = k.operation.name, a.method, a.path, a.status
	if e.Kind == KindPrivilege {
		e.Privilege = k.operation.privilege.String()
	}
	return e.masked(a.secrets)
}

// build returns the HTTP request of a call. The token is in the form of a POST or in a
// header of a GET, never in the URL. X-Esri-Authorization is in a POST too: there, the
// proxy in front of the site knows no forms.
func (c *Client) build(ctx context.Context, k Call, token secrets.Secret) (*http.Request, *Error) {
	if ctx.Err() != nil {
		return nil, cancelled(ctx)
	}
	u, e := c.url(k)
	if e != nil {
		return nil, e
	}
	if strings.ContainsFunc(token.Reveal(), func(r rune) bool { return r <= ' ' || r > '~' }) {
		return nil, &Error{Kind: KindSignIn, Message: "the token contains invalid characters"}
	}
	req := (&http.Request{
		Method: k.method, URL: u, Host: u.Host, Header: c.header(k.method, token),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}).WithContext(ctx)
	switch {
	case k.parts != nil:
		parts := append(slices.Clip(k.parts), Part{Name: "f", Content: []byte(k.operation.format())})
		if token != "" {
			parts = append(parts, Part{Name: "token", Content: []byte(token.Reveal())})
		}
		contentType, body, size := multipartBody(parts)
		req.Header.Set("Content-Type", contentType)
		req.Body, req.ContentLength = onceOnly{body}, size
	case k.method == http.MethodPost:
		form := k.form(token.Reveal()).Encode()
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Body, req.ContentLength = onceOnly{strings.NewReader(form)}, int64(len(form))
	default:
		u.RawQuery = k.form("").Encode()
	}
	return req, nil
}

// form returns the fields of a call as they are sent; without a token there is none.
func (k Call) form(token string) url.Values {
	fields := url.Values{"f": {k.operation.format()}}
	maps.Copy(fields, k.fields)
	if token != "" {
		fields.Set("token", token)
	}
	return fields
}

// onceOnly is a body that a transport cannot rewind, so that no transport can send a write
// a second time.
type onceOnly struct{ io.Reader }

// Close does nothing.
func (onceOnly) Close() error { return nil }

func (c *Client) header(method string, token secrets.Secret) http.Header {
	h := http.Header{}
	h.Set("Accept", "application/json")
	h.Set("Referer", referer)
	h.Set("User-Agent", c.config.UserAgent)
	if name := c.config.AuthHeader; token != "" && (method != http.MethodPost || name == esriHeader) {
		h.Set(name, "Bearer "+token.Reveal())
	}
	return h
}

// url joins the root and the segments of a call. Segments are escaped, so that no id can
// lead to another resource.
func (c *Client) url(k Call) (*url.URL, *Error) {
	root := *c.base
	if k.portal {
		root = *c.portal
	}
	escaped := strings.TrimSuffix(root.EscapedPath(), "/")
	for _, segment := range k.path {
		if e := checkSegment(segment); e != nil {
			return nil, e
		}
		escaped += "/" + url.PathEscape(segment)
	}
	setPath(&root, escaped)
	return &root, nil
}

func checkSegment(id string) *Error {
	switch {
	case id == "":
		return invalid("the id is empty")
	case id == "." || id == "..":
		return invalid("an id cannot be . or ..")
	case len(id) > maxID:
		return invalid("the id is too long")
	case hasControl(id):
		return invalid("the id contains control characters or invalid UTF-8")
	}
	return nil
}

func hasControl(s string) bool {
	return !utf8.ValidString(s) || strings.IndexFunc(s, unicode.IsControl) >= 0
}

// connection records the trace of a transport's connection.
type connection struct{ requested, obtained atomic.Bool }

func (c *connection) trace() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn: func(string) { c.requested.Store(true) },
		GotConn: func(httptrace.GotConnInfo) { c.obtained.Store(true) },
	}
}

// neverObtained reports whether it is certain that nothing was sent: a transport that
// traces connections, as that of the standard library does, has obtained none.
func (c *connection) neverObtained(via http.RoundTripper) bool {
	_, standard := via.(*http.Transport)
	return !c.obtained.Load() && (standard || c.requested.Load())
}

// checkParts returns an error for parts that would not arrive as they are.
func checkParts(parts []Part) *Error {
	if len(parts) == 0 {
		return invalid("there is nothing to send")
	}
	for _, part := range parts {
		switch {
		case part.Name == "" || hasControl(part.Name):
			return invalid("the name of a part is empty or contains control characters")
		case part.Name == "f" || part.Name == "token":
			return invalid("the part " + part.Name + " is added by this client")
		case hasControl(part.FileName):
			return invalid("the name of a file contains control characters or invalid UTF-8")
		}
	}
	return nil
}

// multipartBody joins parts without copying their content.
func multipartBody(parts []Part) (contentType string, body io.Reader, size int64) {
	var head bytes.Buffer
	var pieces []io.Reader
	piece := func(b []byte) {
		pieces = append(pieces, bytes.NewReader(b))
		size += int64(len(b))
	}
	// Writing to a buffer does not fail.
	w := multipart.NewWriter(&head)
	for _, part := range parts {
		_, _ = w.CreatePart(part.header())
		piece(bytes.Clone(head.Bytes()))
		head.Reset()
		piece(part.Content)
	}
	_ = w.Close()
	piece(head.Bytes())
	return w.FormDataContentType(), io.MultiReader(pieces...), size
}

// header returns the header of a part, as a browser sends it. A file without a name has an
// empty file name: without any, the part would be a plain field.
func (p Part) header() textproto.MIMEHeader {
	disposition := "form-data; name=" + quoted(p.Name)
	h := textproto.MIMEHeader{}
	if p.File {
		disposition += "; filename=" + quoted(p.FileName)
		h.Set("Content-Type", "application/octet-stream")
		if strings.EqualFold(path.Ext(p.FileName), ".json") {
			h.Set("Content-Type", "application/json")
		}
	}
	h.Set("Content-Disposition", disposition)
	return h
}

// quoted escapes a name as browsers do.
func quoted(name string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, "%22", "\r", "%0D", "\n", "%0A").Replace(name) + `"`
}

// masked describes a part: a field by its value, a file by name and size.
func (p Part) masked() string {
	switch {
	case p.File:
		return strings.TrimRight("file "+p.FileName, " ") + fmt.Sprintf(", %d bytes", len(p.Content))
	case p.Secret:
		return secrets.Secret(p.Content).String()
	}
	return string(p.Content)
}
