package operationtest

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Intercept changes what becomes of requests from now on; nil lets all pass.
func (p *Platform) Intercept(interceptor func(w http.ResponseWriter, r *http.Request, pass func())) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.interceptor = interceptor
}

// Intercepting is what changes the requests now; nil where all pass.
func (p *Platform) Intercepting() func(w http.ResponseWriter, r *http.Request, pass func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.interceptor
}

// WantSent fails unless a request, by its method and the end of its path, was sent so often.
func (p *Platform) WantSent(t *testing.T, request string, want int) {
	t.Helper()
	if n := p.Sent(request); n != want {
		t.Errorf("%s was sent %d times, want %d", request, n, want)
	}
}

// Sent counts the requests of a method and an end of a path: "POST upgrade".
func (p *Platform) Sent(request string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count[request]
}

// Requests counts everything that was sent.
func (p *Platform) Requests() int { return p.Counted("") }

// Counted counts the requests that begin so: "POST ".
func (p *Platform) Counted(prefix string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for request, times := range p.count {
		if strings.HasPrefix(request, prefix) {
			n += times
		}
	}
	return n
}

// HangUp closes the connection without an answer.
func HangUp(w http.ResponseWriter) {
	connection, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = connection.Close()
	}
}

// LoseAnswer lets the server handle a request and drops its answer.
func LoseAnswer(w http.ResponseWriter, r *http.Request, target http.Handler) {
	target.ServeHTTP(httptest.NewRecorder(), r)
	HangUp(w)
}

// SlowToStart makes a service show a state that it takes long to leave, while its jobs cannot be read
// or there are none.
func (p *Platform) SlowToStart(configured string, jobs http.HandlerFunc) {
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, ".MapServer/start"):
			_, _ = io.WriteString(w, `{"error":{"code":500,"message":"Timed out waiting for the upgrader","details":[]}}`)
		case strings.HasSuffix(r.URL.Path, ".MapServer/status"):
			_, _ = fmt.Fprintf(w, `{"configuredState":%q,"realTimeState":"STOPPED"}`, configured)
		case strings.Contains(r.URL.Path, "/jobs"):
			jobs(w, r)
		default:
			pass()
		}
	})
}
