package simulator

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync"
	"time"

	"geodeck/adminapi/secrets"
)

// exchangeLog writes what the site is asked and what it answers, without secrets, in the form
// of the scripts in testdata/conformance. An exchange is written when it has ended.
type exchangeLog struct {
	out   io.Writer
	world *world

	mu    sync.Mutex
	known *secrets.Known // passwords, and what was masked lately: later answers may repeat it
}

// maxKept is how much of each body is kept for the log.
const maxKept = 256 << 10

// serve answers a request and writes the exchange, also where the answer is cut off.
func (l *exchangeLog) serve(w http.ResponseWriter, r *http.Request, site http.HandlerFunc) {
	x := &exchange{ResponseWriter: w, request: r, at: l.world.clock.Now(), sent: &sentBody{ReadCloser: r.Body}}
	r.Body = x.sent
	defer func() {
		x.took = l.world.clock.Now().Sub(x.at)
		l.write(x)
	}()
	site(x, r)
}

func (l *exchangeLog) write(x *exchange) {
	l.mu.Lock()
	defer l.mu.Unlock()
	t := &exchangeText{site: l.world.url(siteContext)}
	t.exchange(x)
	mask := l.known.Masker().And(l.known.Traced(t.Found))
	_, _ = io.WriteString(l.out, mask.Text(t.String(), secrets.Anywhere))
}

// exchange is a request and its answer, as far as they went.
type exchange struct {
	http.ResponseWriter
	request *http.Request
	sent    *sentBody
	at      time.Time
	took    time.Duration
	status  int // 0 without an answer
	kept    []byte
	size    int // of the body of the answer
}

// Unwrap returns the writer beneath, for those that close the connection.
func (x *exchange) Unwrap() http.ResponseWriter { return x.ResponseWriter }

// WriteHeader notes the status.
func (x *exchange) WriteHeader(status int) {
	if x.status == 0 {
		x.status = status
	}
	x.ResponseWriter.WriteHeader(status)
}

// Write keeps the beginning of the body.
func (x *exchange) Write(p []byte) (int, error) {
	if x.status == 0 {
		x.status = http.StatusOK
	}
	x.kept = append(x.kept, p[:min(len(p), maxKept-len(x.kept))]...)
	x.size += len(p)
	return x.ResponseWriter.Write(p)
}

// sentBody is the body of a request, whose beginning it keeps.
type sentBody struct {
	io.ReadCloser
	kept []byte
	size int
	err  error // that ended it early
}

// Read reads on.
func (b *sentBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.kept = append(b.kept, p[:min(n, maxKept-len(b.kept))]...)
	b.size += n
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}

// exchange writes an exchange.
func (t *exchangeText) exchange(x *exchange) {
	t.line("# " + x.at.UTC().Format("2006-01-02 15:04:05.000") + " UTC, ended after " + x.took.Round(time.Millisecond).String())
	t.line(secrets.Visible(x.request.Method) + " " + t.target(x.request.URL))
	t.headers(secrets.RequestHeaders, x.request.Header)
	t.body(x.request.Header.Get("Content-Type"), x.sent)
	t.line("")
	if x.status == 0 {
		t.line("# There was no answer.\n")
		return
	}
	t.line(fmt.Sprintf("HTTP %d", x.status))
	t.headers(secrets.AnswerHeaders, x.Header())
	t.answer(x)
	t.line("")
}

func (t *exchangeText) headers(names []string, of http.Header) {
	for _, name := range names {
		for _, value := range of.Values(name) {
			t.line(name + ": " + t.Header(name, value))
		}
	}
}

// answer writes the body of an answer: JSON, or how long it is.
func (t *exchangeText) answer(x *exchange) {
	kind, _, _ := mime.ParseMediaType(x.Header().Get("Content-Type"))
	promised := x.Header().Get("Content-Length")
	text, isJSON := "", false
	if x.size <= maxKept && strings.HasSuffix(kind, "json") {
		text, isJSON = t.Body(x.kept, "<text>", true)
	}
	switch {
	case promised != "" && promised != fmt.Sprint(x.size):
		t.line(fmt.Sprintf("# The body ended after %d of %s bytes.\n...", x.size, secrets.Visible(promised)))
	case x.size == 0:
	case isJSON:
		t.line(text)
	default:
		t.line(fmt.Sprintf("# A body of %d bytes.\n...", x.size))
	}
}
