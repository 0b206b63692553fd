package adminapi_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
)

// rawSite speaks TCP, so that it can break off wherever it likes. It counts the
// requests that have arrived whole.
type rawSite struct {
	net.Listener
	posts   atomic.Int32
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
	s := &rawSite{Listener: l, done: make(chan struct{})}
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
		if r.Method == http.MethodPost {
			s.posts.Add(1)
		}
		if !answer(exchange{conn, r, nth, s.done}) {
			return
		}
	}
}

func (s *rawSite) base() string { return "http://" + s.Addr().String() + "/ctx/admin" }
