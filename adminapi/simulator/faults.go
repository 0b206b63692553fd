package simulator

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Fault is something that goes wrong between the site and a client. One with a Window
// is an outage.
type Fault struct {
	Path      string   `json:"path"`                // below /geodeck, with * and, at its end, **
	Method    string   `json:"method,omitempty"`    // GET or POST; default both
	After     int      `json:"after,omitempty"`     // so many requests pass before
	Times     int      `json:"times,omitempty"`     // so many are hit; 0 means all from then on
	What      string   `json:"what"`                // one of the faults below
	Status    int      `json:"status,omitempty"`    // of status and html, default 503, and of leads, default 302
	Delay     Duration `json:"delay,omitzero"`      // of delay, and between the pieces of slow, on the world's clock
	Performed bool     `json:"performed,omitempty"` // the site handles the request before the answer goes wrong
	Window             // requests at other times neither count nor are hit
}

// The faults.
const (
	faultDelay   = "delay"   // the answer is late
	faultStatus  = "status"  // an error in the platform's shape
	faultHTML    = "html"    // a page of some proxy
	faultEmpty   = "empty"   // 200 and nothing
	faultWithin  = "within"  // the status and a part of the headers, then the end of the connection
	faultHeaders = "headers" // status and headers, then the end of the connection
	faultHalf    = "half"    // half the body, as if it were the whole
	faultCut     = "cut"     // half the body, then the end of the connection
	faultClose   = "close"   // no answer: the connection is closed
	faultReset   = "reset"   // no answer: the connection is reset
	faultSilent  = "silent"  // no answer, and the connection stays until the caller gives up
	faultSlow    = "slow"    // the answer in pieces
	faultAgain   = "again"   // the answer to the GET of this address before; the true one where there was none
	faultToken   = "token"   // the token is refused
	faultLeads   = "leads"   // a redirection to a sign-in page on another host
)

var faultNames = []string{faultDelay, faultStatus, faultHTML, faultEmpty, faultWithin, faultHeaders, faultHalf, faultCut, faultClose, faultReset, faultSilent,
	faultSlow, faultAgain, faultToken, faultLeads}

// garbled are the faults that make something else of the answer of the site.
var garbled = []string{faultWithin, faultHeaders, faultHalf, faultCut, faultSlow}

// slowPieces is in how many pieces a slow answer comes.
const slowPieces = 8

func (f Fault) check() error {
	_, badPattern := path.Match(strings.TrimSuffix(f.Path, "/**"), "")
	switch {
	case f.Path == "" || badPattern != nil:
		return fmt.Errorf("path: %q is no pattern", f.Path)
	case f.Method != "" && f.Method != http.MethodGet && f.Method != http.MethodPost:
		return fmt.Errorf("method: %q is neither GET nor POST", f.Method)
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("status: %d is no HTTP status", f.Status)
	case f.Delay.Duration < 0 || (f.What == faultDelay || f.What == faultSlow) && f.Delay.Duration == 0:
		return fmt.Errorf("delay: %s is no delay", f.Delay)
	}
	return cmp.Or(oneOf("what", f.What, faultNames...), notNegative("after", f.After), notNegative("times", f.Times), f.Window.check())
}

// matches reports whether the fault is about a request.
func (f Fault) matches(r *http.Request) bool {
	if f.Method != "" && f.Method != r.Method {
		return false
	}
	pattern := strings.Trim(f.Path, "/")
	have := strings.Trim(strings.TrimPrefix(path.Clean(r.URL.Path), siteContext), "/")
	if prefix, deep := strings.CutSuffix(pattern, "/**"); deep {
		depth := strings.Count(prefix, "/") + 1
		parts := strings.Split(have, "/")
		if len(parts) < depth {
			return false
		}
		pattern, have = prefix, strings.Join(parts[:depth], "/")
	}
	ok, _ := path.Match(pattern, have)
	return ok
}

// faults counts requests against the faults of a scenario.
type faults struct {
	world  *world
	seen   []int    // how many requests each fault was about
	before sync.Map // the last answer to each GET, a *recorder by address, where a fault gives it again
}

// repeats reports whether a fault gives an answer to such a request again.
func (f *faults) repeats(r *http.Request) bool {
	return slices.ContainsFunc(f.world.scenario.Faults, func(fault Fault) bool { return fault.What == faultAgain && fault.matches(r) })
}

// answer lets the site answer, and keeps what may be given again.
func (f *faults) answer(w http.ResponseWriter, r *http.Request, site http.Handler) {
	if r.Method != http.MethodGet || !f.repeats(r) {
		site.ServeHTTP(w, r)
		return
	}
	answered := newRecorder()
	site.ServeHTTP(answered, r)
	f.before.Store(r.URL.String(), answered)
	answered.sendWhole(w)
}

// next returns the fault that hits a request, nil for none. Every fault counts
// the requests it is about, hit by another one or not.
func (f *faults) next(r *http.Request) (hit *Fault) {
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	now := f.world.clock.Now()
	for i, fault := range f.world.scenario.Faults {
		if !fault.matches(r) || !f.world.within(fault.Window, now) {
			continue
		}
		if hit == nil && hits(f.seen[i], fault.After, fault.Times) {
			hit = &fault
		}
		f.seen[i]++
	}
	if hit == nil && f.world.recovery.away(now) {
		hit = &Fault{What: faultHTML}
	}
	return hit
}

func (f *faults) serve(w http.ResponseWriter, r *http.Request, site http.Handler) {
	fault := f.next(r)
	if fault != nil && fault.What == faultAgain {
		if before, found := f.before.Load(r.URL.String()); found {
			before.(*recorder).sendWhole(w)
			return
		}
		fault = nil
	}
	if fault == nil {
		f.answer(w, r, site)
		return
	}
	if fault.Delay.Duration > 0 && fault.What != faultSlow && f.world.clock.Sleep(r.Context(), fault.Delay.Duration) != nil {
		return
	}
	if fault.What == faultDelay {
		site.ServeHTTP(w, r)
		return
	}
	answered := newRecorder()
	if fault.Performed || slices.Contains(garbled, fault.What) {
		site.ServeHTTP(answered, r)
	}
	if fault.What != faultClose && fault.What != faultReset {
		_, _ = io.Copy(io.Discard, r.Body) // closed with something unread, the connection could take the answer with it
	}
	w.Header().Set("Date", f.world.clock.Now().UTC().Format(http.TimeFormat))
	if fault.What == faultSlow {
		f.drip(w, r, fault.Delay.Duration, answered)
		return
	}
	fault.respond(w, r, answered)
}

// drip sends an answer in pieces with a pause before each, unless the caller leaves.
func (f *faults) drip(w http.ResponseWriter, r *http.Request, pause time.Duration, answered *recorder) {
	body := answered.body.Bytes()
	answered.send(w, len(body), 0)
	for piece := range slowPieces {
		if http.NewResponseController(w).Flush() != nil || f.world.clock.Sleep(r.Context(), pause) != nil {
			panic(http.ErrAbortHandler)
		}
		_, _ = w.Write(body[piece*len(body)/slowPieces : (piece+1)*len(body)/slowPieces])
	}
}

// respond goes wrong with an answer, which the site may have given.
func (f *Fault) respond(w http.ResponseWriter, r *http.Request, answered *recorder) {
	status, body := cmp.Or(f.Status, http.StatusServiceUnavailable), answered.body.Bytes()
	switch f.What {
	case faultStatus:
		refuseWith(w, status, &refusal{code: status, message: "The service is not available."})
	case faultToken:
		refuseWith(w, http.StatusOK, &refusal{code: 498, message: "Invalid token.", details: []string{"The token has expired."}})
	case faultLeads:
		w.Header().Set("Location", "https://sign-in.example.org/?return="+url.QueryEscape(r.URL.Path))
		w.WriteHeader(cmp.Or(f.Status, http.StatusFound))
	case faultHTML:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, "<html><head><title>%d</title></head><body><h1>%s</h1></body></html>\n", status, http.StatusText(status))
	case faultEmpty:
		w.WriteHeader(http.StatusOK)
	case faultHalf:
		answered.send(w, len(body)/2, len(body)/2)
	case faultHeaders, faultCut:
		sent := 0
		if f.What == faultCut {
			sent = len(body) / 2
		}
		answered.send(w, len(body), sent)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case faultSilent:
		// The server notices a client that leaves, since the whole request was read.
		<-r.Context().Done()
		panic(http.ErrAbortHandler)
	case faultClose, faultReset, faultWithin:
		conn, _, err := http.NewResponseController(w).Hijack()
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		if f.What == faultWithin {
			_, _ = fmt.Fprintf(conn, "HTTP/1.1 %d %s\r\nContent-Type: application/", answered.status, http.StatusText(answered.status))
		}
		if secure, ok := conn.(*tls.Conn); ok {
			conn = secure.NetConn()
		}
		if tcp, ok := conn.(*net.TCPConn); ok && f.What == faultReset {
			_ = tcp.SetLinger(0) // drops what is on its way
		}
		_ = conn.Close()
	}
}

// recorder holds an answer that is not sent as it is.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newRecorder() *recorder { return &recorder{header: http.Header{}, status: http.StatusOK} }

// refuseWith sends an error in the platform's shape.
func refuseWith(w http.ResponseWriter, status int, r *refusal) {
	text, _ := marshal(r.body())
	w.Header().Set("Content-Type", "application/json;charset=UTF-8")
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// Header returns the recorded headers.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader records the status.
func (r *recorder) WriteHeader(status int) { r.status = status }

// Write records a part of the body.
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }

func (r *recorder) sendWhole(w http.ResponseWriter) { r.send(w, r.body.Len(), r.body.Len()) }

// send promises a length and sends so many bytes.
func (r *recorder) send(w http.ResponseWriter, promised, sent int) {
	maps.Copy(w.Header(), r.header)
	w.Header().Set("Content-Length", strconv.Itoa(promised))
	w.WriteHeader(r.status)
	_, _ = w.Write(r.body.Bytes()[:sent])
}
