package adminapi

import (
	"crypto/sha256"
	"fmt"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
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

const maxTracedBody = 1 << 20 // bytes

// described makes an exchange of a call and its answer, without the secrets in them. What is found
// in one by its name is masked in those that follow, wherever it stands.
func (c *Client) described(k Call, a answer, e *Error, took time.Duration) Exchange {
	var by secrets.Exchange
	x := Exchange{
		Operation: k.operation.name, Method: k.method, Path: a.path, Fields: tracedFields(&by, k, a),
		Sent: tracedHeaders(&by, a.sent, secrets.RequestHeaders), Headers: tracedHeaders(&by, a.header, append([]string{"Date", "Server", "Retry-After"}, secrets.AnswerHeaders...)),
		Status: a.status, Bytes: len(a.body), Took: took,
	}
	x.Body, x.LeftOut = tracedBody(&by, a)
	switch {
	case e != nil && a.secrets.HidesContent():
		x.Err = fmt.Sprintf("%s (code %d)", e.Kind, e.Code)
	case e != nil:
		x.Err = by.Text(e.Error())
	}
	mask := a.secrets.And(c.secrets.Traced(by.Found))
	x.Err, x.LeftOut = mask.Text(x.Err, secrets.Anywhere), mask.Text(x.LeftOut, secrets.Anywhere)
	for _, named := range []map[string][]string{x.Fields, x.Sent, x.Headers} {
		for _, values := range named {
			for i := range values {
				values[i] = mask.Text(values[i], secrets.Anywhere)
			}
		}
	}
	x.Path, x.Body = mask.Text(x.Path, secrets.InNames), mask.JSON(x.Body, secrets.Anywhere) // names are in a path
	return x
}

// tracedFields are the fields of a request: of the form or the query, or of its parts.
func tracedFields(by *secrets.Exchange, k Call, a answer) map[string][]string {
	fields := url.Values{}
	for name, values := range k.form("") {
		for _, value := range values {
			fields.Add(secrets.Visible(name), by.Value(name, value))
		}
	}
	for _, part := range k.parts {
		value := secrets.Mask
		switch {
		case part.File && part.Secret:
			value = fmt.Sprintf("file %s, %d bytes", part.FileName, len(part.Content))
		case part.File:
			value = fmt.Sprintf("file %s, %d bytes, sha256 %x", part.FileName, len(part.Content), sha256.Sum256(part.Content))
		case !part.Secret:
			value = by.Value(part.Name, string(part.Content))
		}
		fields.Add(secrets.Visible(part.Name), value)
	}
	if k.method == http.MethodPost && a.sentToken != "" && !k.public {
		fields.Set("token", secrets.Mask)
	}
	return fields
}

func tracedHeaders(by *secrets.Exchange, header http.Header, names []string) map[string][]string {
	headers := url.Values{}
	for _, name := range names {
		for _, value := range header.Values(name) {
			headers.Add(name, by.Header(name, value))
		}
	}
	return headers
}

// tracedBody returns the body of an answer if it is JSON, else what it was.
func tracedBody(by *secrets.Exchange, a answer) (body Unknown, leftOut string) {
	switch {
	case len(a.body) == 0:
		return nil, ""
	case a.secrets.HidesContent(): // it may repeat them in any form
		return nil, fmt.Sprintf("the answer to a secret file, %d bytes", len(a.body))
	}
	if len(a.body) <= maxTracedBody {
		if text, ok := by.Body(a.body, secrets.Mask, false); ok {
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

// inLines are the options of a line of JSON: what the server wrote is accepted.
var inLines = json.JoinOptions(jsonx.AsWritten, json.Deterministic(true))

// JSONLine returns a value as JSON on one line, without the line break. Every line of JSON in
// a file or a pipe is made here: text of the site holds no character that a terminal obeys
// or hides, and has the same value when it is read.
func JSONLine(v any) ([]byte, error) {
	raw, err := json.Marshal(v, inLines)
	return plain.SafeJSON(raw), err
}
