package simulator

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// Options says which world to make.
type Options struct {
	Scenario Scenario         // the zero Scenario is "healthy"
	Seed     int64            // 0 means the scenario's own
	Clock    Clock            // nil means NewScaledClock(1)
	Wall     func() time.Time // what the life of tokens is counted on; nil means time.Now
	Log      io.Writer        // where the HTTP server complains; nil means nowhere
}

// Server is a simulated site.
type Server struct {
	world  *world
	clock  Clock
	routes []route
	faults *faults
	log    *log.Logger

	mu       sync.Mutex
	running  *running
	stopping bool
}

// running is what there is to end when the server stops.
type running struct {
	http        *http.Server
	origin      string
	cancel      context.CancelFunc
	served      chan struct{} // closed when the accept loop has returned
	connections sync.WaitGroup
}

// User is somebody who can sign in to the simulated site.
type User struct {
	Username   string   `json:"username"`
	Password   string   `json:"password"`
	Privileges []string `json:"privileges"` // the spec's words; the first user has all
}

// New makes the world. The error says what a scenario got wrong.
func New(o Options) (*Server, error) {
	scenario, err := o.Scenario.orDefault()
	if err != nil {
		return nil, err
	}
	if o.Seed != 0 {
		scenario.Seed = o.Seed
	}
	if o.Clock == nil {
		o.Clock = NewScaledClock(1)
	}
	if o.Wall == nil {
		o.Wall = time.Now
	}
	if o.Log == nil {
		o.Log = io.Discard
	}
	ahead := scenario.ClockAhead.Duration
	w := newWorld(scenario, shifted{o.Clock, ahead}, func() time.Time { return o.Wall().Add(ahead) })
	if err := w.checkServices(); err != nil {
		return nil, err
	}
	return &Server{
		world:  w,
		clock:  o.Clock,
		routes: allRoutes(w),
		faults: newFaults(w),
		log:    log.New(o.Log, "simulator: ", 0),
	}, nil
}

// Start serves on address, such as 127.0.0.1:0, until Close. Only loopback
// addresses are taken.
func (s *Server) Start(address string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil || s.stopping {
		return errors.New("the simulator was started before")
	}
	if err := checkLoopback(address); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("the simulator cannot listen: %w", err)
	}
	s.running = s.serve(listener)
	return nil
}

func (s *Server) serve(listener net.Listener) *running {
	ctx, cancel := context.WithCancel(context.Background())
	r := &running{origin: "http://" + listener.Addr().String(), cancel: cancel, served: make(chan struct{})}
	s.world.setOrigin(r.origin)
	r.http = &http.Server{
		Handler:           s,
		ReadHeaderTimeout: 10 * time.Second,
		ReadTimeout:       5 * time.Minute,
		IdleTimeout:       time.Minute,
		MaxHeaderBytes:    64 << 10,
		ErrorLog:          s.log,
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ConnState:         r.count,
	}
	go func() {
		defer close(r.served)
		_ = r.http.Serve(listener)
	}()
	return r
}

// count follows connections so that Close can wait for the last one.
func (r *running) count(_ net.Conn, state http.ConnState) {
	switch state {
	case http.StateNew:
		r.connections.Add(1)
	case http.StateClosed, http.StateHijacked:
		r.connections.Done()
	}
}

// checkLoopback refuses to offer a simulated site to a network: its passwords
// are printed on a screen.
func checkLoopback(address string) error {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return fmt.Errorf("the simulator cannot listen on %q: %w", address, err)
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return fmt.Errorf("the simulator listens on loopback only, such as 127.0.0.1:0, not on %q", address)
	}
	return nil
}

// URL returns the administrative root of the running server,
// http://127.0.0.1:PORT/geodeck/admin.
func (s *Server) URL() string { return s.world.adminURL() }

// TokenURL returns where tokens are issued.
func (s *Server) TokenURL() string { return s.world.origin() + sharingRoot + "/generateToken" }

// Users returns who can sign in; the first one is the administrator.
func (s *Server) Users() []User { return s.world.users.list() }

// Clock returns the clock that the world runs on, as it was given to New. Where
// the scenario sets the site's own clock wrong, what the site says is off it.
func (s *Server) Clock() Clock { return s.clock }

// Close stops serving and waits until no request and no goroutine is left.
// Whoever sleeps on the world's clock on behalf of a request is woken.
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
	grace, done := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer done()
	if r.http.Shutdown(grace) != nil {
		_ = r.http.Close()
	}
	<-r.served
	r.connections.Wait()
	return nil
}
