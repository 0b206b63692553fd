package sweep

import (
	"bytes"
	"context"
	"hash/fnv"
	"net"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"

	"geodeck/ui/uitest/sweep/oracle"
)

// end is the site's end of a connection, named for the program that dialled.
type end struct {
	net.Conn
	site *site
	name string
}

// begins is how a request begins. The client writes its head at once, and a pipe keeps what
// was written at once together.
var begins = regexp.MustCompile(`^(GET|POST) (\S+) HTTP/1\.1\r\n`)

// Read counts the requests.
func (e end) Read(p []byte) (int, error) {
	n, err := e.Conn.Read(p)
	if head := begins.FindSubmatch(p[:n]); head != nil {
		e.site.mu.Lock()
		where, _, _ := strings.Cut(string(head[2]), "?")
		e.site.comes(requestOf(string(head[1]), where))
		e.site.mu.Unlock()
	}
	return n, err
}

// notTaken and refusal are how the head and the body of an answer say that a token is not taken. They are two: each begins
// with what can be searched for fast.
var notTaken, refusal = regexp.MustCompile(`^HTTP/1\.1 4(?:0[13]|9[89])`), regexp.MustCompile(`"code":\s*49[89]`)

// Write keeps when a program was told that its token is not taken.
func (e end) Write(p []byte) (int, error) {
	if notTaken.Match(p) || refusal.Match(p) {
		e.site.mu.Lock()
		e.site.notTaken[e.name] = time.Now()
		e.site.mu.Unlock()
	}
	return e.Conn.Write(p)
}

// RemoteAddr is the program.
func (e end) RemoteAddr() net.Addr { return program(e.name) }

// begin is the program's end of a connection.
type begin struct {
	net.Conn
	site  *site
	leave *int // bytes of a request until its sending fails, though all of it has left; 0 for one that does not
}

// Write lets no two different requests arrive in the same moment: which comes first would not
// be the seed's choice. Each asks the site to end the connection: where one that served before breaks,
// net/http sends what reads again at once, and untold, and which of two requests got it would be chance, too.
func (b begin) Write(p []byte) (int, error) {
	head := begins.Find(p)
	if head == nil {
		n, err := b.Conn.Write(p)
		return b.left(n, err)
	}
	if b.site.tears(string(head)) {
		_, body, _ := bytes.Cut(p, []byte("\r\n\r\n"))
		if long := bodyLength.FindSubmatch(p); long != nil {
			whole, _ := strconv.Atoi(string(long[1]))
			*b.leave = whole - len(body) + len(p) - len(head)
		}
	}
	h := fnv.New32a()
	_, _ = h.Write(head)
	now := time.Now()
	time.Sleep(now.Truncate(time.Millisecond).Add(time.Millisecond + time.Duration(h.Sum32()%997)*time.Microsecond).Sub(now))
	if n, err := b.Conn.Write(append(head[:len(head):len(head)], "Connection: close\r\n"...)); err != nil {
		return min(n, len(head)), err
	}
	n, err := b.Conn.Write(p[len(head):])
	n, err = b.left(n, err)
	return len(head) + n, err
}

// bodyLength is how long the body of a request is.
var bodyLength = regexp.MustCompile(`\r\nContent-Length: (\d+)\r\n`)

// left counts what has left of a request, and lets its sending fail once that is all of it.
func (b begin) left(n int, err error) (int, error) {
	if *b.leave == 0 {
		return n, err
	}
	if *b.leave -= n; *b.leave > 0 || err != nil {
		return n, err
	}
	*b.leave = 0
	time.Sleep(time.Millisecond) // until it has arrived
	_ = b.Conn.Close()
	return n, syscall.ECONNRESET
}

// tears reports whether the sending of a request fails as it has left: the n-th that changes the site.
func (s *site) tears(head string) bool {
	where, _, _ := strings.Cut(strings.TrimPrefix(head, "POST "), " ")
	if s.day.plan.torn == 0 || where == head || !(&oracle.Write{Path: below(where)}).Changes() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.leaving++
	return s.leaving == s.day.plan.torn
}

type program string

// Network is the name of the kind of address.
func (p program) Network() string { return "pipe" }

// String is the name of the program.
func (p program) String() string { return string(p) }

// dial opens a connection for a program, which must want no other address.
func (s *site) dial(ctx context.Context, r *run, address string) (net.Conn, error) {
	r.calls.Store(true)
	if conn, found, err := s.day.machine.dialBranch(ctx, r, address); found {
		return conn, err
	}
	if address != s.Addr().String() {
		s.day.fail("%s connects to another origin: %s", r.name, address)
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	if r.dead.Load() || s.day.away(time.Now()) || s.refuses() {
		s.day.oracle.TurnedAway(r.name, time.Now())
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	near, far := net.Pipe()
	s.mu.Lock()
	s.from[r.name] = r
	s.mu.Unlock()
	select {
	case s.arrivals <- end{far, s, r.name}:
		r.opened(near)
		return begin{near, s, new(int)}, nil
	case <-s.closed:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// serve is the platform behind the faults: it keeps the ledger, and lets happen what the day
