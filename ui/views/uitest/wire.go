package uitest

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
)

// Wire counts the requests that a client sends, by method and last segment.
type Wire struct {
	below http.RoundTripper
	mu    sync.Mutex
	count map[string]int
}

// RoundTrip counts and passes on.
func (w *Wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.count[r.Method+" "+r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]++
	w.mu.Unlock()
	return w.below.RoundTrip(r)
}

// Sent is how often a request was sent, such as "POST edit".
func (w *Wire) Sent(request string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count[request]
}

// Counted returns the site with a journal, seen by its first user through a client
// whose requests are counted.
func (s *Site) Counted(t testing.TB) (operation.Site, *Wire) {
	t.Helper()
	transport, err := adminapi.NewTransport(adminapi.TLS{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(transport.CloseIdleConnections)
	w := &Wire{below: transport, count: map[string]int{}}
	client, err := adminapi.New(adminapi.Config{Base: s.Server.URL(), Clock: s.Steps, Transport: w})
	if err != nil {
		t.Fatal(err)
	}
	user := s.Server.Users()[0]
	if _, err := client.SignIn(context.Background(), user.Username, adminapi.Secret(user.Password), 12*time.Hour); err != nil {
		t.Fatal(err)
	}
	return operation.Site{Client: client, Clock: s.Steps, Journal: Journal(t, s.Steps)}, w
}

// Journal opens a journal that is gone with the test.
func Journal(t testing.TB, clock adminapi.Clock) *journal.Journal {
	t.Helper()
	memory, err := journal.OpenThrowaway(journal.WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = memory.Close() })
	return memory
}
