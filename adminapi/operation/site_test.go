package operation_test

import (
	"context"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

func TestMain(m *testing.M) { os.Exit(testMain(m)) }

func testMain(m *testing.M) int {
	code := m.Run()
	if err := goleak.Find(); err != nil && code == 0 {
		println(err.Error())
		return 1
	}
	return code
}

var start = time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC)

// platform is a simulated site behind a line that a test can disturb.
type platform struct {
	operation.Site
	clock *simtest.SteppedClock
	ahead atomic.Int64   // how far the site's clock was set, in nanoseconds
	user  simulator.User // who is signed in
	world *simulator.Server

	direct http.Handler // the site itself, past the line
	killed atomic.Bool  // the program was killed: it records nothing any more
	dialed atomic.Value // the address that new connections go to instead of the site's; "" for none

	mu          sync.Mutex
	count       map[string]int // requests by method and end of path
	interceptor func(w http.ResponseWriter, r *http.Request, pass func())
}

// newPlatform starts the simulator and signs in as its administrator.
func newPlatform(t *testing.T, scenario string) *platform {
	t.Helper()
	script, err := simulator.ReadScenario([]byte(scenario))
	if err != nil {
		t.Fatal(err)
	}
	return newPlatformOf(t, script)
}

func newPlatformOf(t *testing.T, script simulator.Scenario) *platform {
	t.Helper()
	p := &platform{clock: simtest.NewSteppedClock(start), count: map[string]int{}}
	world, err := simulator.New(simulator.Options{Scenario: script, Clock: siteClock{p.clock, &p.ahead}})
	if err != nil {
		t.Fatal(err)
	}
	if err := world.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = world.Close() })
	p.Site = operation.Site{Client: p.connect(t, world), Clock: p.clock}
	p.user, p.world = world.Users()[0], world
	admin := p.user
	if _, err := p.Client.Session.SignIn(t.Context(), admin.Username, secrets.Secret(admin.Password), time.Hour); err != nil {
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

func (p *platform) connect(t *testing.T, world *simulator.Server) *adminapi.Client {
	t.Helper()
	target, err := url.Parse(world.URL())
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: target.Scheme, Host: target.Host})
	direct := &http.Transport{}
	proxy.Transport, proxy.ErrorLog = direct, log.New(io.Discard, "", 0) // broken connections are what is tested
	p.direct = proxy
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
		Base: line.URL + target.Path, Clock: p.clock, Transport: transport, Timeout: time.Minute, Observer: p,
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if other, _ := p.dialed.Load().(string); other != "" {
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

// BeforeWrite records a write in the journal of the site, where it has one.
func (p *platform) BeforeWrite(w adminapi.Write) error {
	if p.Memory.Journal == nil {
		return nil
	}
	return p.Memory.Journal.BeforeWrite(w)
}

// AfterWrite records what became of it.
func (p *platform) AfterWrite(w adminapi.Write, outcome adminapi.Outcome, err error) {
	if p.Memory.Journal != nil && !p.killed.Load() {
		p.Memory.Journal.AfterWrite(w, outcome, err)
	}
}

// intercept changes what becomes of requests from now on; nil lets all pass.
func (p *platform) intercept(interceptor func(w http.ResponseWriter, r *http.Request, pass func())) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.interceptor = interceptor
}

// intercepting is what changes the requests now; nil where all pass.
func (p *platform) intercepting() func(w http.ResponseWriter, r *http.Request, pass func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.interceptor
}

// wantSent fails unless a request, by its method and the end of its path, was sent so often.
func (p *platform) wantSent(t *testing.T, request string, want int) {
	t.Helper()
	if n := p.sent(request); n != want {
		t.Errorf("%s was sent %d times, want %d", request, n, want)
	}
}

// wantResult returns a check of what an operation returned: its outcome, and an error that
// matches wantErr, any for nil.
func wantResult(t *testing.T, want adminapi.Outcome, wantErr error) func(any, operation.Result) {
	t.Helper()
	return func(_ any, r operation.Result) {
		t.Helper()
		if r.Outcome != want || wantErr != nil && !errors.Is(r.Err, wantErr) {
			t.Fatalf("outcome %v, error %v; want %v, %v", r.Outcome, r.Err, want, wantErr)
		}
	}
}

// apart takes apart what an operation returned.
func apart[T any](value T, r operation.Result) (T, adminapi.Outcome, error) {
	return value, r.Outcome, r.Err
}

func (p *platform) sent(request string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.count[request]
}

// posts counts everything that was posted.
func (p *platform) posts() int { return p.counted("POST ") }

// requests counts everything that was sent.
func (p *platform) requests() int { return p.counted("") }

func (p *platform) counted(prefix string) (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for request, times := range p.count {
		if strings.HasPrefix(request, prefix) {
			n += times
		}
	}
	return n
}

// hangUp closes the connection without an answer.
func hangUp(w http.ResponseWriter) {
	connection, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = connection.Close()
	}
}

// loseAnswer lets the server handle a request and drops its answer.
func loseAnswer(w http.ResponseWriter, r *http.Request, target http.Handler) {
	target.ServeHTTP(httptest.NewRecorder(), r)
	hangUp(w)
}

func suiteIDs(t *testing.T, site operation.Site) []string {
	t.Helper()
	suites, err := site.Client.Health.Suites(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, suite := range suites {
		ids = append(ids, suite.ID)
	}
	return ids
}
