package adminapi_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi"
)

// rawSite speaks TCP, so that it can break off wherever it likes. It counts the
// requests that have arrived whole.
type rawSite struct {
	net.Listener
	posts   atomic.Int32
	arrived chan struct{} // closed with the first of them
	done    chan struct{}
	serving sync.WaitGroup
}

// exchange is one request as it arrived at a raw site: nth on its connection.
type exchange struct {
	net.Conn
	req  *http.Request
	nth  int
	done <-chan struct{} // closed at the end of the test
}

// reply writes a whole answer with the status and the body.
func (x exchange) reply(status int, body string) {
	fmt.Fprintf(x, "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", status, len(body), body)
}

// rawServe hands each request to answer until it returns false, which ends the
// connection.
func rawServe(t *testing.T, answer func(exchange) bool) *rawSite {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &rawSite{Listener: l, arrived: make(chan struct{}), done: make(chan struct{})}
	s.serving.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			s.serving.Go(func() { s.talk(conn, answer) })
		}
	})
	t.Cleanup(func() {
		close(s.done)
		l.Close()
		s.serving.Wait()
	})
	return s
}

func (s *rawSite) talk(conn net.Conn, answer func(exchange) bool) {
	defer conn.Close()
	ended := make(chan struct{})
	defer close(ended)
	s.serving.Go(func() { // an idle client must not keep the test from ending
		select {
		case <-s.done:
			conn.Close()
		case <-ended:
		}
	})
	in := bufio.NewReader(conn)
	for nth := 1; ; nth++ {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			return
		}
		if isRoot(r) {
			exchange{conn, r, nth, s.done}.reply(200, aRoot)
			nth--
			continue
		}
		if r.Method == http.MethodPost && s.posts.Add(1) == 1 {
			close(s.arrived)
		}
		if !answer(exchange{conn, r, nth, s.done}) {
			return
		}
	}
}

// reply is the answer of a site that goes on with the connection.
func reply(status int, body string) func(exchange) bool {
	return func(x exchange) bool { x.reply(status, body); return true }
}

// breakOff writes a text as it is and ends the connection.
func breakOff(text string) func(exchange) bool {
	return func(x exchange) bool { _, _ = io.WriteString(x, text); return false }
}

// timeIsOver is the time of requests that ends as soon as one has arrived.
func (s *rawSite) timeIsOver(d time.Duration, end func()) adminapi.Timer {
	s.serving.Go(func() {
		select {
		case <-s.arrived:
			end()
		case <-s.done:
		}
	})
	return time.NewTimer(d)
}

// keepSilent never answers.
func keepSilent(x exchange) bool { <-x.done; return false }

// evidence is what a site does with a write, and what its outcome may be at best.
type evidence struct {
	name   string
	answer func(exchange) bool
	want   adminapi.Outcome
	kind   adminapi.Kind // where the outcome is not done
	job    string        // that is to be found in the answer
}

// wantOutcomes sends a write by every transport to sites that do different things with
// it. It has to arrive once.
func wantOutcomes(t *testing.T, cases []evidence, send func(context.Context, *adminapi.Client) (job string, outcome adminapi.Outcome, err error)) {
	t.Helper()
	for _, c := range cases {
		for via, transport := range transports(t) {
			t.Run(c.name+"/"+via, func(t *testing.T) {
				t.Parallel()
				s := rawServe(t, c.answer)
				client := newClient(t, s.base(), transport, func(cfg *adminapi.Config) {
					if c.name == "never answered" {
						cfg.AfterFunc = s.timeIsOver
					}
				})
				job, outcome, err := send(t.Context(), client)
				if outcome != c.want || job != c.job || (err == nil) != (c.want == adminapi.OutcomeDone) {
					t.Errorf("outcome %v, job %q, error %v; want %v, %q", outcome, job, err, c.want, c.job)
				}
				if err != nil {
					wantKind(t, err, c.kind)
				}
				if n := s.posts.Load(); n != 1 {
					t.Errorf("%d requests arrived, want 1", n)
				}
			})
		}
	}
}

func (s *rawSite) base() string { return "http://" + s.Addr().String() + "/ctx/admin" }
