package adminapi

import (
	"crypto/sha256"
	"fmt"
	"mime"
	"net/http"
	"strings"
	"time"

	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/redact"
)

// Exchange is one request and its result, for those who maintain the program. Its texts hold
// no token, no password, no content of a secret file, and nothing that stands where secrets
// do. Bodies are left out where they are no JSON, or long.
type Exchange struct {
	Operation string // "read the list of reports"
	Method    string
	Path      string              // without the query
	Fields    map[string][]string // of the query of a GET, of the form of a POST; files by name and size
	Sent      map[string][]string // headers that say who sends it
	Status    int                 // of HTTP; 0 without an answer
	Headers   map[string][]string // of the answer, those that matter to a client
	Bytes     int                 // of the answer
	Body      Unknown             // of the answer; nil where it is left out
	LeftOut   string              // what is known of a body that is left out
	Took      time.Duration
	Err       string // empty where there was none
}

// Limits of a trace.
const (
	maxTracedBody = 1 << 20 // bytes
	minTraced     = 12      // bytes of a secret that is masked in later exchanges, too: short ones are words of other texts
)

// tracer describes exchanges without the secrets in them. What it has found in one by its name
// is masked in those that follow, wherever it stands.
type tracer struct {
	client *Client
	known  *secretStore
}

// describe makes an exchange of a call and its answer.
func (t tracer) describe(k call, a answer, e *Error, took time.Duration) Exchange {
	var by redact.Exchange
	x := Exchange{
		Operation: k.operation.name, Method: k.method, Path: a.path, Fields: tracedFields(&by, k, a),
		Sent: tracedHeaders(&by, a.sent, redact.RequestHeaders), Headers: tracedHeaders(&by, a.header, append([]string{"Date", "Server", "Retry-After"}, redact.AnswerHeaders...)),
		Status: a.status, Bytes: len(a.body), Took: took,
	}
	x.Body, x.LeftOut = tracedBody(&by, a)
	switch {
	case e != nil && len(a.secrets.contents) > 0:
		x.Err = fmt.Sprintf("%s (code %d)", e.Kind, e.Code)
	case e != nil:
		x.Err = by.Text(e.Error())
	}
	found := make([]Secret, len(by.Found))
	var long []Secret
	for i, secret := range by.Found {
		if found[i] = Secret(secret); len(secret) >= minTraced {
			long = append(long, found[i])
		}
	}
	t.known.addOther(long...)
	stores := []*secretStore{t.client.secrets, t.known, newScrubber(found...).known}
	text := func(s string) string {
		s = a.secrets.text(s)
		for _, store := range stores {
			s = store.current.Load().text(s, anywhere)
		}
		return s
	}
	x.Err, x.LeftOut = text(x.Err), text(x.LeftOut)
	for _, named := range []map[string][]string{x.Fields, x.Sent, x.Headers} {
		for _, values := range named {
			for i := range values {
				values[i] = text(values[i])
			}
		}
	}
	for _, store := range stores {
		x.Path = store.current.Load().text(x.Path, tokens) // names are in it
		x.Body = store.current.Load().json(x.Body, anywhere)
	}
	return x
}

// tracedFields are the fields of a request: of the form or the query, or of its parts.
func tracedFields(by *redact.Exchange, k call, a answer) map[string][]string {
	fields := map[string][]string{}
	for name, values := range k.form("") {
		for _, value := range values {
			fields[redact.Visible(name)] = append(fields[redact.Visible(name)], by.Value(name, value))
		}
	}
	for _, part := range k.parts {
		value := masked
		switch {
		case part.File && part.Secret:
			value = fmt.Sprintf("file %s, %d bytes", part.FileName, len(part.Content))
		case part.File:
			value = fmt.Sprintf("file %s, %d bytes, sha256 %x", part.FileName, len(part.Content), sha256.Sum256(part.Content))
		case !part.Secret:
			value = by.Value(part.Name, string(part.Content))
		}
		fields[redact.Visible(part.Name)] = append(fields[redact.Visible(part.Name)], value)
	}
	if k.method == http.MethodPost && a.sentToken != "" && !k.public {
		fields["token"] = []string{masked}
	}
	return fields
}

func tracedHeaders(by *redact.Exchange, header http.Header, names []string) map[string][]string {
	headers := map[string][]string{}
	for _, name := range names {
		for _, value := range header.Values(name) {
			headers[name] = append(headers[name], by.Header(name, value))
		}
	}
	return headers
}

// tracedBody returns the body of an answer if it is JSON, else what it was.
func tracedBody(by *redact.Exchange, a answer) (body Unknown, leftOut string) {
	switch {
	case len(a.body) == 0:
		return nil, ""
	case len(a.secrets.contents) > 0: // it may repeat them in any form
		return nil, fmt.Sprintf("the answer to a secret file, %d bytes", len(a.body))
	}
	if len(a.body) <= maxTracedBody {
		if text, ok := by.JSON(a.body, redact.Mask, false); ok && Unknown(text).IsValid(jsonx.AsWritten) {
			return Unknown(text), ""
		}
	}
	kind, _, err := mime.ParseMediaType(a.header.Get("Content-Type"))
	if err != nil || strings.HasSuffix(kind, "json") {
		kind = "no JSON as a whole"
	}
	if len(a.body) > maxTracedBody {
		kind = "long"
	}
	return nil, fmt.Sprintf("%s, %d bytes, sha256 %x", kind, len(a.body), sha256.Sum256(a.body))
}
