// Package simulator is the platform in one process: the whole administrative
// API over real HTTP in front of one small, coherent world. `geodeck demo` and
// `geodeck serve` ship it, and every test talks to it with the real client.
//
// It simulates what the documented API shows, refuses what the platform would
// refuse, and says on every page that it is a simulator. Start reading at [New].
//
// It has three parts.
//
// The world (world.go, clock.go) owns the clock, the lock, the random numbers,
// the areas and what several areas share: version, read-only mode, components.
// Nothing in it runs on its own: what happens later is scheduled, and takes effect
// with the first request after its time. A request comes in through server.go and
// faults.go to route.go, which finds its route and enforces the rules of it: method,
// privilege, read or write, the version that brought it. A handler has the world
// for itself and never waits: its answer says how long it takes. http.go reads
// requests and writes answers; exchange_log.go records both for who wants it, in the
// form of the scripts in testdata/conformance, which say what the site answers.
//
// The areas of the API are types of their own, each with its routes, its state
// and its rules: accounts (signin.go), sharing and oauth (the portal's
// side), platform (site.go, overview.go, logs.go), documents (what data/documents.yaml
// lists), recovery, jobs, uploads, health
// (health.go, reports.go), services (services.go, definition.go,
// service_edit.go), pods (deployments.go, placement.go), updates, and upgrades
// (upgrade_start.go, upgrade_run.go). What they begin with is in data/.
//
// The scenarios are YAML in scenarios/: scenario.go reads and checks them,
// scenario_plans.go holds what they say of each area, scenario_events.go when
// something happens. Outages and events are bound to times and to messages of the
// upgrade rather than to requests, so that they are the same however often a client
// polls. An upgrade follows a script: upgrade_script.go plays data/upgrade_*.yaml
// with the changes that a scenario makes, and upgrade_log.go decides which messages
// the site shows at a moment.
//
// Time comes from a clock: the demo's runs at the wall's pace or faster, a
// test's moves when the test moves it. Only tokens expire by the wall's time. The
// same seed gives the same world.
package simulator

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/secrets"
)

// Options says which world to make.
type Options struct {
	Scenario Scenario         // the zero Scenario is "healthy"
	Seed     int64            // 0 means the scenario's own
	Clock    Clock            // nil means NewScaledClock(1)
	Wall     func() time.Time // the time that tokens expire by; nil means the machine's
	Secrets  io.Reader        // the randomness of tokens; nil means crypto/rand
	Log      io.Writer        // for errors of the HTTP server; nil means nowhere
	// Exchanges gets every request and answer, without secrets, each in one write and in the
	// form of testdata/conformance; nil means nowhere.
	Exchanges io.Writer
	// Watch wraps the site behind its faults: what it returns sees the requests that reach the
	// site, and the true answers. Nil means that nobody watches.
	Watch func(site http.Handler) http.Handler
	TLS   bool // https, with a certificate that is made for it; see [Server.Certificate]

	token adminapi.Token // that the administrator holds from the start; see SignIn
}

// SignIn gives the administrator of the world that will be made a token, as if issued now
// for life, and returns it.
func (o *Options) SignIn(life time.Duration) adminapi.Token {
	o.setDefaults()
	life = min(life, cmp.Or(o.Scenario.TokenLife.Duration, maxTokenLife))
	o.token = adminapi.Token{
		Value:   secrets.Secret(tokenText(o.Secrets)),
		Expires: adminapi.Millis(o.Wall().Add(o.Scenario.ClockAhead.Duration + life).UnixMilli()),
	}
	return o.token
}

func (o *Options) setDefaults() {
	o.Clock = cmp.Or(o.Clock, NewScaledClock(1))
	o.Secrets = cmp.Or(o.Secrets, rand.Reader)
	o.Log = cmp.Or(o.Log, io.Discard)
	if o.Wall == nil {
		o.Wall = adminapi.SystemClock{}.Now
	}
}

// Server is a simulated site.
type Server struct {
	world  *world
	clock  Clock
	routes []*route
	faults *faults
	site   http.Handler // behind the faults
	log    *log.Logger
	record *exchangeLog // nil where nobody wants it
	tls    *tls.Config  // nil over http

	mu       sync.Mutex
	running  *running
	stopping bool
}

// running is what ends when the server stops.
type running struct {
	http        *http.Server
	cancel      context.CancelFunc
	served      chan struct{} // closed when the accept loop has returned
	connections sync.WaitGroup
	requests    sync.WaitGroup // handlers: some have taken their connection from the server
	unused      sync.Map       // connections without a request so far: an [http.Server] that stops waits for them
}

// User is a person who can sign in to the simulated site.
type User struct {
	Username   string   `json:"username"`
	Password   string   `json:"password"`
	Privileges []string `json:"privileges"` // the spec's words; the first user has all
}

// New makes the world. The error says what is wrong with the scenario.
func New(o Options) (*Server, error) {
	var err error
	if o.Scenario, err = o.Scenario.orDefault(); err != nil {
		return nil, err
	}
	o.Scenario.Seed = cmp.Or(o.Seed, o.Scenario.Seed)
	o.setDefaults()
	w := newWorld(o)
	if err := w.services.checkNamed(); err != nil {
		return nil, err
	}
	s := &Server{world: w, clock: o.Clock, faults: &faults{world: w, seen: make([]int, len(w.scenario.Faults))}, log: log.New(o.Log, "simulator: ", 0)}
	s.site = http.HandlerFunc(s.answer)
	if o.Watch != nil {
		s.site = o.Watch(s.site)
	}
	if o.Exchanges != nil {
		l := &exchangeLog{out: o.Exchanges, world: w, known: secrets.New(w.random("the masks of exchanges").Uint64())}
		for _, user := range w.accounts.users {
			l.known.Add(secrets.Secret(user.Password))
		}
		s.record = l
	}
	for _, a := range w.areas() {
		s.routes = append(s.routes, a.routes()...)
	}
	if only := o.Scenario.ContractOnly; only != "" {
		s.routes = contractRoutes(s.routes, only)
	}
	if o.TLS {
		certificate, err := newCertificate(o.Wall())
		if err != nil {
			return nil, err
		}
		s.tls = &tls.Config{Certificates: []tls.Certificate{certificate}}
	}
	return s, nil
}

// Listen opens an address such as 127.0.0.1:0 for [Server.Serve]. Only loopback addresses
// are accepted: the passwords of the site are printed on the screen.
func Listen(address string) (net.Listener, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("the simulator cannot listen on %q: %w", address, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return nil, fmt.Errorf("the simulator listens on loopback only, such as 127.0.0.1:0, not on %q", address)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("the simulator cannot listen: %w", err)
	}
	return listener, nil
}

// Root returns the administrative root of the site that is served on a listener over http,
// http://127.0.0.1:PORT/geodeck/admin. Requests that come earlier wait for it.
func Root(listener net.Listener) string { return "http://" + listener.Addr().String() + adminRoot }

// Start serves on address, see [Listen], until Close.
func (s *Server) Start(address string) error {
	listener, err := Listen(address)
	if err != nil {
		return err
	}
	return s.Serve(listener)
}

// Serve serves on listener until Close, which closes it too. It returns at once.
func (s *Server) Serve(listener net.Listener) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil || s.stopping {
		_ = listener.Close()
		return errors.New("the simulator was started before")
	}
	scheme := "http://"
	if s.tls != nil {
		scheme, listener = "https://", tls.NewListener(listener, s.tls)
	}
	s.world.origin.Store(scheme + listener.Addr().String())
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{cancel: cancel, served: make(chan struct{})}
	r.http = &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, request *http.Request) {
			r.requests.Add(1)
			defer r.requests.Done()
			s.ServeHTTP(w, request)
		}),
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       5 * time.Minute,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          s.log,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnState: func(conn net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				r.connections.Add(1)
				r.unused.Store(conn, nil)
				return
			case http.StateClosed, http.StateHijacked:
				r.connections.Done()
			}
			r.unused.Delete(conn)
		},
	}
	s.running = r
	go func() {
		defer close(r.served)
		_ = r.http.Serve(listener)
	}()
	return nil
}

// URL returns the administrative root of the running server,
// http://127.0.0.1:PORT/geodeck/admin, or https.
func (s *Server) URL() string { return s.world.url(adminRoot) }

// TokenURL returns where tokens are issued.
func (s *Server) TokenURL() string { return s.world.url(sharingRoot + "/generateToken") }

// Users returns who can sign in; the first one is the administrator.
func (s *Server) Users() []User {
	return lists.Each(s.world.accounts.users, func(account *account) User {
		user := account.User
		user.Privileges = slices.Clone(user.Privileges)
		return user
	})
}

// Clock returns the clock that was given to New. The site's own clock differs from it
// where the scenario says so.
func (s *Server) Clock() Clock { return s.clock }

// Close stops serving, wakes the requests that sleep on the world's clock, and waits
// until no request and no goroutine is left.
func (s *Server) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping = true
	r := s.running
	if r == nil {
		return nil
	}
	s.running = nil
	r.cancel()
	r.unused.Range(func(conn, _ any) bool {
		_ = conn.(net.Conn).Close()
		return true
	})
	grace, done := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer done()
	if r.http.Shutdown(grace) != nil {
		_ = r.http.Close()
	}
	<-r.served
	r.connections.Wait()
	r.requests.Wait()
	return nil
}

// ServeHTTP answers one request: the scenario's faults first, then the site.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.record != nil {
		s.record.serve(w, r, s.serve)
		return
	}
	s.serve(w, r)
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	if latency := s.world.scenario.Latency.Duration; latency > 0 && s.world.clock.Sleep(r.Context(), latency) != nil {
		return
	}
	s.faults.serve(w, r, s.site)
}

// answer handles a request and writes the answer.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	q, err := parse(w, r)
	var found *route
	a := answer{body: err}
	if err == nil {
		found, a = s.handle(q)
	}
	if a.after > 0 && s.world.clock.Sleep(r.Context(), a.after) != nil {
		return
	}
	output{w, q, s.world.clock.Now()}.write(found, a)
}
