package upgrade_test

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
	"geodeck/ui/views/uitest"
)

// wire counts the requests that a client sends, by method and last segment.
type wire struct {
	below http.RoundTripper
	mu    sync.Mutex
	count map[string]int
}

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.count[r.Method+" "+r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]++
	w.mu.Unlock()
	return w.below.RoundTrip(r)
}

func (w *wire) sent(request string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.count[request]
}

// counted is a simulated site with a journal, whose requests are counted.
func counted(t testing.TB, name string) (operation.Site, *wire) {
	t.Helper()
	s := uitest.NewSite(t, scenario(t, name))
	transport, err := adminapi.NewTransport(adminapi.TLS{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(transport.CloseIdleConnections)
	w := &wire{below: transport, count: map[string]int{}}
	client, err := adminapi.New(adminapi.Config{Base: s.Server.URL(), Clock: s.Steps, Transport: w})
	if err != nil {
		t.Fatal(err)
	}
	user := s.Server.Users()[0]
	if _, err := client.SignIn(context.Background(), user.Username, adminapi.Secret(user.Password), 12*time.Hour); err != nil {
		t.Fatal(err)
	}
	memory, err := journal.OpenThrowaway(journal.WithClock(s.Steps))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = memory.Close() })
	return operation.Site{Client: client, Clock: s.Steps, Journal: memory}, w
}

// licence writes a licence for a version and returns its path.
func licence(t testing.TB, folder, version string) string {
	t.Helper()
	path := filepath.Join(folder, "licence.json")
	if err := os.WriteFile(path, simulator.Licence(version), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
