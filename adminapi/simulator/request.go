package simulator

import (
	"errors"
	"net/http"
	"net/url"
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
