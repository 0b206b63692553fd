// Package operationtest is what the tests of operation and of the packages below it share: a simulated site over
// real HTTP, behind a line that a test can disturb. Start at [Platform].
package operationtest

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

// Start is when every platform starts, by its clock.
var Start = time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)

// Platform is a simulated site behind a line that a test can disturb, with the real client of it. New ones
// come from [BuiltIn], [WithJournal], [New] and [NewOf].
type Platform struct {
	operation.Site
	Clock *simtest.SteppedClock // that of Site: a test advances it
	Ahead atomic.Int64          // how far the site's clock was set, in nanoseconds
	User  simulator.User        // who is signed in
	World *simulator.Server

	Direct http.Handler // the site itself, past the line
	Killed atomic.Bool  // the program was killed: it records nothing any more
	Dialed atomic.Value // the address that new connections go to instead of the site's; "" for none

	mu          sync.Mutex
	count       map[string]int // requests by method and end of path
	interceptor func(w http.ResponseWriter, r *http.Request, pass func())
}

// BuiltIn is [New] of a scenario that the simulator has by this name.
func BuiltIn(t *testing.T, name string) *Platform {
	t.Helper()
	script, found := simulator.BuiltIn(name)
	if !found {
		t.Fatalf("no scenario %s", name)
	}
	return NewOf(t, script)
}

// WithJournal is [BuiltIn] with a journal that ends with the test.
func WithJournal(t *testing.T, scenario string) *Platform {
	t.Helper()
	return BuiltIn(t, scenario).Remembering(t, t.TempDir())
}

// New starts the simulator with a scenario of its own text, and signs in as its administrator.
func New(t *testing.T, scenario string) *Platform {
	t.Helper()
	script, err := simulator.ReadScenario([]byte(scenario))
	if err != nil {
		t.Fatal(err)
	}
	return NewOf(t, script)
}

// NewOf is [New] of a scenario that a test has changed.
func NewOf(t *testing.T, script simulator.Scenario) *Platform {
	t.Helper()
	p := &Platform{Clock: simtest.NewSteppedClock(Start), count: map[string]int{}}
	world, err := simulator.New(simulator.Options{Scenario: script, Clock: siteClock{p.Clock, &p.Ahead}})
	if err != nil {
		t.Fatal(err)
	}
	if err := world.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = world.Close() })
	p.Site = operation.Site{Client: p.connect(t, world), Clock: p.Clock}
	p.User, p.World = world.Users()[0], world
	name, password := p.User.Username, secrets.Secret(p.User.Password)
	if _, err := p.Client.Session.SignIn(t.Context(), name, password, time.Hour); err != nil {
		t.Fatal(err)
	}
	return p
}

// siteClock is a clock of a site that can be set.
type siteClock struct {
	*simtest.SteppedClock
	ahead *atomic.Int64
}

// Now returns the time that the clock shows.
func (c siteClock) Now() time.Time { return c.SteppedClock.Now().Add(time.Duration(c.ahead.Load())) }

func (p *Platform) connect(t *testing.T, world *simulator.Server) *adminapi.Client {
	t.Helper()
	target, err := url.Parse(world.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: target.Scheme, Host: target.Host})
	direct := &http.Transport{}
	proxy.Transport, proxy.ErrorLog = direct, log.New(io.Discard, "", 0) // broken connections are what is tested
	p.Direct = proxy
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.count[r.Method+" "+r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]]++
		interceptor := p.interceptor
		p.mu.Unlock()
		pass := func() { proxy.ServeHTTP(w, r) }
		if interceptor == nil {
			pass()
			return
		}
		interceptor(w, r, pass)
	}))
	transport, err := adminapi.NewTransport(adminapi.TLS{})
	if err != nil {
		t.Fatal(err)
	}
	client, err := adminapi.New(adminapi.Config{
		Base: line.URL + target.Path, Clock: p.Clock, Transport: transport, Timeout: time.Minute, Observer: p,
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if other, _ := p.Dialed.Load().(string); other != "" {
				address = other
			}
			return (&net.Dialer{}).DialContext(ctx, network, address)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		line.Close()
		direct.CloseIdleConnections()
	})
	return client
}

// Remembering gives the platform the journal in a folder, as a program does that starts: the next one may open
// it again.
func (p *Platform) Remembering(t *testing.T, folder string, options ...journal.Option) *Platform {
	t.Helper()
	options = append([]journal.Option{journal.WithClock(p.Clock), journal.WithoutSync()}, options...)
	j, err := journal.Open(folder, "https://gis.example.org/ctx", options...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = j.Close() })
	p.Memory.Journal = j
	return p
}

// BeforeWrite records a write in the journal of the site, where it has one.
func (p *Platform) BeforeWrite(w adminapi.Write) error {
	if p.Memory.Journal == nil {
		return nil
	}
	return p.Memory.Journal.BeforeWrite(w)
}

// AfterWrite records what became of it.
func (p *Platform) AfterWrite(w adminapi.Write, outcome adminapi.Outcome, err error) {
	if p.Memory.Journal != nil && !p.Killed.Load() {
		p.Memory.Journal.AfterWrite(w, outcome, err)
	}
}

// SignInAgain is what the user does when the site wants to know who it is.
func (p *Platform) SignInAgain(t *testing.T) {
	t.Helper()
	ctx, password := context.WithoutCancel(t.Context()), secrets.Secret(p.User.Password)
	if _, err := p.Client.Session.SignIn(ctx, p.User.Username, password, 12*time.Hour); err != nil {
		t.Fatal(err)
	}
}
