package uitest

import (
	"context"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/theme"
	"geodeck/ui/views"
)

// Site is a simulated platform with a signed-in client.
type Site struct {
	operation.Site
	Server *simulator.Server
	Steps  *simtest.SteppedClock
	// Recorded has [Site.Counted] record each write, as the program does.
	Recorded bool
}

// tokenLife outlasts every upgrade that a test steps through, on the clock of the site.
const tokenLife = 12 * time.Hour

// NewSite starts the simulator with a scenario on a clock that steps by itself,
// and signs its first user in. It ends with the test.
func NewSite(t testing.TB, scenario simulator.Scenario) *Site {
	t.Helper()
	return NewSiteAt(t, scenario, Start)
}

// NewSiteAt is NewSite with a clock that begins at a moment of the caller's.
func NewSiteAt(t testing.TB, scenario simulator.Scenario, begin time.Time) *Site {
	t.Helper()
	clock := simtest.NewSteppedClock(begin)
	server, err := simulator.New(simulator.Options{Scenario: scenario, Clock: clock, Wall: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	s := &Site{Server: server, Steps: clock}
	s.Site = s.As(t, server.Users()[0])
	return s
}

// As signs another user in.
func (s *Site) As(t testing.TB, user simulator.User) operation.Site {
	t.Helper()
	transport, err := adminapi.NewTransport(adminapi.TLS{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(transport.CloseIdleConnections)
	client, err := adminapi.New(adminapi.Config{Base: s.Server.URL(), Clock: s.Steps, Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if _, err := client.Session.SignIn(ctx, user.Username, secrets.Secret(user.Password), tokenLife); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Root(ctx); err != nil && !adminapi.IsNotOffered(err) { // a site may show no root
		t.Fatal(err)
	}
	return operation.Site{Client: client, Clock: s.Steps}
}

// Edit is a change of one value of the definition that the site has of a service, as it is planned.
func Edit(t testing.TB, site operation.Site, service adminapi.ServiceRef, path document.Path, raw string) batching.PlannedEdit {
	t.Helper()
	read, err := editing.Read(t.Context(), site.Client, editing.DefinitionOf(service))
	if err != nil {
		t.Fatal(err)
	}
	edited, err := read.Document.SetValue(path, raw)
	if err != nil {
		t.Fatal(err)
	}
	edit := editing.Edit{Target: editing.DefinitionOf(service), Base: read.Document, Edited: edited}
	return batching.PlannedEdit{Edit: edit, Plan: edit.Plan()}
}

// Env returns what a view gets, in a folder of its own.
func Env(t testing.TB, site operation.Site, th *theme.Theme) *views.Env {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	clock := site.Clock
	if clock == nil {
		clock = simtest.NewSteppedClock(Start)
	}
	return &views.Env{
		Context: ctx, Site: site, Clock: clock, Theme: th, Times: Times(clock.Now),
		Offline: site.Client == nil, Folder: t.TempDir(), Getenv: os.Getenv,
	}
}

// Refresh fetches the state of the site, as the root does beside its views.
func Refresh(env *views.Env) {
	if !env.Offline {
		env.State = watching.NewStateReader(env.Site).Read(env.Context, env.State, watching.Refresh{Site: true, Upgrade: true})
	}
}

// Wire counts the requests that a client sends, by method and last segment.
type Wire struct {
	Before func(*http.Request) // is called before each request; nil for nothing

	below http.RoundTripper
	mu    sync.Mutex
	count map[string]int
}

// RoundTrip counts and passes on.
func (w *Wire) RoundTrip(r *http.Request) (*http.Response, error) {
	w.mu.Lock()
	w.count[r.Method+" "+r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]]++
	w.mu.Unlock()
	if w.Before != nil {
		w.Before(r)
	}
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
	w, memory := &Wire{below: transport, count: map[string]int{}}, Journal(t, s.Steps)
	config := adminapi.Config{Base: s.Server.URL(), Clock: s.Steps, Transport: w}
	if s.Recorded {
		config.Observer = memory
	}
	client, err := adminapi.New(config)
	if err != nil {
		t.Fatal(err)
	}
	user := s.Server.Users()[0]
	if _, err := client.Session.SignIn(context.Background(), user.Username, secrets.Secret(user.Password), tokenLife); err != nil {
		t.Fatal(err)
	}
	return operation.Site{Client: client, Clock: s.Steps, Memory: operation.Memory{Journal: memory}}, w
}

// Journal opens a journal that is removed with the test.
func Journal(t testing.TB, clock adminapi.Clock) *journal.Journal {
	t.Helper()
	memory, err := journal.OpenThrowaway(journal.WithClock(clock))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = memory.Close() })
	return memory
}
