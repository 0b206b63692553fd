package simulator

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"path"
	"strings"
)

// Fault is something that goes wrong between the site and a client. With a Window
// it is an outage.
type Fault struct {
	Path      string   `json:"path"`                // below /geodeck, with * and, at its end, **
	Method    string   `json:"method,omitempty"`    // GET or POST; default both
	After     int      `json:"after,omitempty"`     // so many requests pass before
	Times     int      `json:"times,omitempty"`     // so many are hit; 0 means all from then on
	What      string   `json:"what"`                // one of the faults below
	Status    int      `json:"status,omitempty"`    // of status and html; default 503
	Delay     Duration `json:"delay,omitempty"`     // of delay, on the world's clock
	Performed bool     `json:"performed,omitempty"` // the site handles the request before the answer goes wrong
	Window             // requests at other times neither count nor are hit
}

// The faults.
const (
	faultDelay   = "delay"   // the answer is late
	faultStatus  = "status"  // an error in the platform's shape
	faultHTML    = "html"    // a page of some proxy
	faultEmpty   = "empty"   // 200 and nothing
	faultHeaders = "headers" // status and headers, then the end of the connection
	faultHalf    = "half"    // half the body, as if it were the whole
	faultCut     = "cut"     // half the body, then the end of the connection
	faultClose   = "close"   // no answer: the connection is closed
	faultReset   = "reset"   // no answer: the connection is reset
	faultSilent  = "silent"  // no answer, and the connection stays until the caller gives up
)

var faultNames = []string{faultDelay, faultStatus, faultHTML, faultEmpty, faultHeaders, faultHalf, faultCut, faultClose, faultReset, faultSilent}

func (f Fault) check() error {
	_, badPattern := path.Match(strings.TrimSuffix(f.Path, "/**"), "")
	switch {
	case f.Path == "" || badPattern != nil:
		return fmt.Errorf("path: %q is no pattern", f.Path)
	case f.Method != "" && f.Method != http.MethodGet && f.Method != http.MethodPost:
		return fmt.Errorf("method: %q is neither GET nor POST", f.Method)
	case f.Status != 0 && (f.Status < 200 || f.Status > 599):
		return fmt.Errorf("status: %d is no HTTP status", f.Status)
	case f.Delay.Duration < 0 || f.What == faultDelay && f.Delay.Duration == 0:
		return fmt.Errorf("delay: %s is no delay", f.Delay)
	}
	return cmp.Or(oneOf("what", f.What, faultNames...), countFrom0("after", f.After), countFrom0("times", f.Times), f.Window.check())
}

// matches reports whether the fault is about a request.
func (f Fault) matches(r *http.Request) bool {
	if f.Method != "" && f.Method != r.Method {
		return false
	}
	pattern := strings.Trim(f.Path, "/")
	have := strings.Trim(strings.TrimPrefix(r.URL.Path, siteContext), "/")
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
	world *world
	list  []Fault
	seen  []int // how many requests each was about
}

func newFaults(w *world) *faults {
	list := w.scenario.Faults
	return &faults{world: w, list: list, seen: make([]int, len(list))}
}

// next returns the fault that hits a request, nil for none. Every fault counts
// the requests it is about, hit by another one or not.
func (f *faults) next(r *http.Request) *Fault {
	f.world.mu.Lock()
	defer f.world.mu.Unlock()
	now := f.world.clock.Now()
	var hit *Fault
	for i := range f.list {
		fault := &f.list[i]
		if !fault.matches(r) || !f.world.within(fault.Window, now) {
			continue
		}
		n := f.seen[i]
		f.seen[i]++
		if hit == nil && n >= fault.After && (fault.Times == 0 || n < fault.After+fault.Times) {
			hit = fault
		}
	}
	return hit
}

func (f *faults) serve(w http.ResponseWriter, r *http.Request, site http.Handler) {
	clock := f.world.clock
	fault := f.next(r)
	if fault == nil {
		site.ServeHTTP(w, r)
		return
	}
	if fault.Delay.Duration > 0 && clock.Sleep(r.Context(), fault.Delay.Duration) != nil {
		return
	}
	if fault.What == faultDelay {
		site.ServeHTTP(w, r)
		return
	}
	answered := newRecorder()
	if fault.Performed || fault.What == faultHalf || fault.What == faultCut || fault.What == faultHeaders {
		site.ServeHTTP(answered, r)
	}
	switch fault.What {
	case faultSilent:
		keepSilent(r)
	case faultClose, faultReset:
	default:
		_, _ = io.Copy(io.Discard, r.Body) // closed with something unread, the connection could take the answer with it
	}
	fault.respond(w, answered, clock)
}

// respond answers as the fault wants it. answered is what the site would have
// answered.
func (f *Fault) respond(w http.ResponseWriter, answered *recorder, clock Clock) {
	w.Header().Set("Date", clock.Now().UTC().Format(http.TimeFormat))
	status := f.Status
	if status == 0 {
		status = http.StatusServiceUnavailable
	}
	switch f.What {
	case faultStatus:
		body, _ := marshal((&refusal{code: status, message: "The service is not available."}).body(), false)
		w.Header().Set("Content-Type", "application/json;charset=UTF-8")
		w.WriteHeader(status)
		_, _ = w.Write(body)
	case faultHTML:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(status)
		_, _ = fmt.Fprintf(w, "<html><head><title>%d</title></head><body><h1>%s</h1></body></html>\n", status, http.StatusText(status))
	case faultEmpty:
		w.WriteHeader(http.StatusOK)
	case faultHalf:
		half(w, answered)
	case faultHeaders:
		cut(w, answered, 0)
	case faultCut:
		cut(w, answered, answered.body.Len()/2)
	default:
		closeConnection(w, f.What == faultReset)
	}
}

// keepSilent holds the connection until the caller gives up or the site stops.
// The server notices a caller who leaves only once the whole request was read.
func keepSilent(r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// half sends the first half of the body as a good answer.
func half(w http.ResponseWriter, answered *recorder) {
	body := answered.body.Bytes()
	maps.Copy(w.Header(), answered.header)
	w.Header().Set("Content-Length", fmt.Sprint(len(body)/2))
	w.WriteHeader(answered.status)
	_, _ = w.Write(body[:len(body)/2])
}

// cut promises the whole body and sends the first bytes of it.
func cut(w http.ResponseWriter, answered *recorder, bytes int) {
	maps.Copy(w.Header(), answered.header)
	body := answered.body.Bytes()
	w.Header().Set("Content-Length", fmt.Sprint(len(body)))
	w.WriteHeader(answered.status)
	_, _ = w.Write(body[:bytes])
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}

// closeConnection ends the connection without an answer; reset drops what is on its way.
func closeConnection(w http.ResponseWriter, reset bool) {
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		panic(http.ErrAbortHandler)
	}
	conn, _, err := hijacker.Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}

// recorder takes an answer that is not sent as it is.
type recorder struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newRecorder() *recorder { return &recorder{header: http.Header{}, status: http.StatusOK} }

// Header returns the recorded headers.
func (r *recorder) Header() http.Header { return r.header }

// WriteHeader records the status.
func (r *recorder) WriteHeader(status int) { r.status = status }

// Write records a part of the body.
func (r *recorder) Write(p []byte) (int, error) { return r.body.Write(p) }
