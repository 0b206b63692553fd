package adminapi_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"geodeck/adminapi"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const canary = "CANARY-token/with+signs=42"

// steppedClock moves by itself and notes every pause.
type steppedClock struct {
	mu     sync.Mutex
	now    time.Time
	pauses []time.Duration
}

func (c *steppedClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *steppedClock) Sleep(ctx context.Context, d time.Duration) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
	c.pauses = append(c.pauses, d)
	return ctx.Err()
}

// site serves one handler and offers a client that talks to it.
type site struct {
	*httptest.Server
	clock *steppedClock
}

func serve(t testing.TB, handler http.HandlerFunc) *site {
	t.Helper()
	return serveRoot(t, besideRoot(handler))
}

// besideRoot answers for the administrative root, and has handler answer for the rest.
func besideRoot(handler http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if isRoot(r) {
			says(200, aRoot)(w, r)
			return
		}
		handler(w, r)
	}
}

const aRoot = `{"currentVersion":11.5,"fullVersion":"11.5.0.6745","resources":[]}`

func isRoot(r *http.Request) bool {
	return r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/admin")
}

// serveRoot has handler answer for the administrative root as well.
func serveRoot(t testing.TB, handler http.HandlerFunc) *site {
	t.Helper()
	s := &site{httptest.NewServer(handler), &steppedClock{now: time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)}}
	t.Cleanup(s.Close)
	return s
}

// client returns a client of the site, signed in with the canary.
func (s *site) client(t testing.TB, change ...func(*adminapi.Config)) *adminapi.Client {
	t.Helper()
	return newClient(t, s.URL+"/ctx/admin", append([]func(*adminapi.Config){func(c *adminapi.Config) { c.Clock = s.clock }}, change...)...)
}

func newClient(t testing.TB, base string, change ...func(*adminapi.Config)) *adminapi.Client {
	t.Helper()
	cfg := adminapi.Config{Base: base, Token: adminapi.Token{Value: canary}}
	for _, f := range change {
		f(&cfg)
	}
	c, err := adminapi.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// says answers every request with one body, once it has the request: a connection
// that is closed with something unread in it can take the answer with it.
func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json;charset=UTF-8")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

// recorded returns an answer of the platform from testdata/cases.
func recorded(t testing.TB, name string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", "cases", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// wantKind fails unless err is an *Error of the kind, and returns it.
func wantKind(t *testing.T, err error, kind adminapi.Kind) *adminapi.Error {
	t.Helper()
	var e *adminapi.Error
	if !errors.As(err, &e) {
		t.Fatalf("got %v, want an error of kind %q", err, kind)
	}
	if !errors.Is(err, kind) {
		t.Fatalf("got kind %q (%v), want %q", e.Kind, err, kind)
	}
	return e
}

func mustForm(t *testing.T, body string) url.Values {
	t.Helper()
	form, err := url.ParseQuery(body)
	if err != nil {
		t.Fatal(err)
	}
	return form
}

func mustJSON(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
