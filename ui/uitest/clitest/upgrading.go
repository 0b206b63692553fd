package clitest

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/cli"
)

// Through puts a line between the program and the site; answer takes the requests that it answers itself.
func (u *Upgrading) Through(answer func(http.ResponseWriter, *http.Request) bool) {
	u.T.Helper()
	site, err := url.Parse(u.Wire.URL)
	if err != nil {
		u.T.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: site.Scheme, Host: site.Host})
	line := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !answer(w, r) {
			proxy.ServeHTTP(w, r)
		}
	}))
	u.T.Cleanup(line.Close)
	u.Env["GEODECK_URL"] = line.URL + site.Path
}

// Starts are the requests on the wire that start an upgrade, a rollback or an upload.
func (w *wire) Starts(t *testing.T) (all []*http.Request) {
	t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.lines {
		for from := bufio.NewReader(bytes.NewReader(line.data.Bytes())); ; {
			r, err := http.ReadRequest(from)
			if err != nil {
				break
			}
			body, err := io.ReadAll(r.Body)
			if err != nil {
				t.Fatal(err)
			}
			r.Body = io.NopCloser(bytes.NewReader(body))
			if r.Method != http.MethodGet && slices.Contains([]string{"upgrade", "rollback", "upload"}, filepath.Base(r.URL.Path)) {
				all = append(all, r)
			}
		}
	}
	return all
}

// Release12 is the id of a release that the simulated site offers, LicenceTag stands in a licence that is sent and may be
// nowhere else, and PostLine begins the request of an upgrade.
const (
	Release12  = "rel_11122025_7286"
	LicenceTag = "CANARY-7c2e-licence"
	PostLine   = "POST /geodeck/admin/system/upgrades/upgrade HTTP"
)

// Upgrading is a site, the line to it, and what an upgrade needs.
type Upgrading struct {
	T       *testing.T
	Clock   simulator.Clock
	Wire    *wire
	Env     map[string]string
	Licence string // of 12.0, with the tag in it
}

// NewUpgrading starts a scenario, and a line to it.
func NewUpgrading(t *testing.T, scenario string) *Upgrading {
	t.Helper()
	known, ok := simulator.BuiltIn(scenario)
	if !ok {
		t.Fatalf("there is no scenario %s", scenario)
	}
	clock := simtest.NewSteppedClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	server := NewSite(t, simulator.Options{Scenario: known, Clock: clock})
	u := &Upgrading{T: t, Clock: clock, Wire: newWire(t, server.URL()), Licence: filepath.Join(t.TempDir(), "licence.json")}
	u.Env = map[string]string{
		"GEODECK_URL": u.Wire.URL, "GEODECK_TOKEN": TokenOf(t, server, 0), "XDG_STATE_HOME": t.TempDir(),
	}
	if err := os.WriteFile(u.Licence, []byte(`{"version": "12.0", "key": "`+LicenceTag+`"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	return u
}

// Run runs a command line on the site.
func (u *Upgrading) Run(ctx context.Context, args ...string) Result {
	var out, errs bytes.Buffer
	code := cli.Run(ctx, args, cli.Process{
		In: strings.NewReader(""), Out: &out, Err: &errs, Clock: u.Clock,
		Env: func(name string) string { return u.Env[name] },
	})
	return Result{Code: code, Out: out.String(), Err: errs.String()}
}

// LastWrite is the newest record in the journal of the site.
func (u *Upgrading) LastWrite() journal.Record {
	u.T.Helper()
	site, err := url.Parse(u.Wire.URL)
	if err != nil {
		u.T.Fatal(err)
	}
	j, err := journal.Open(filepath.Join(u.Env["XDG_STATE_HOME"], "geodeck"), journal.SiteOf(site))
	if err != nil {
		u.T.Fatal(err)
	}
	records, err := j.Actions(1)
	if err != nil || len(records) == 0 {
		u.T.Fatalf("%d records, %v", len(records), err)
	}
	return records[0]
}

// ExpectHidden looks for the licence and the token in what was printed and in
// what was recorded.
func (u *Upgrading) ExpectHidden(r Result) {
	u.T.Helper()
	texts := map[string]string{"the standard output": r.Out, "standard error": r.Err}
	err := filepath.WalkDir(u.Env["XDG_STATE_HOME"], func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			var content []byte
			content, err = os.ReadFile(path)
			texts[path] = string(content)
		}
		return err
	})
	if err != nil {
		u.T.Fatal(err)
	}
	for where, text := range texts {
		for _, secret := range []string{LicenceTag, u.Env["GEODECK_TOKEN"]} {
			if strings.Contains(text, secret) {
				u.T.Errorf("%s holds %s", where, secret)
			}
		}
	}
}

// wire is a line to a site that remembers what was sent over it. It breaks where
// the site breaks it.
type wire struct {
	URL string

	mu    sync.Mutex
	lines []*sent
	waits map[string]func()
}

// sent is what one connection carried to the site.
type sent struct {
	wire *wire
	from net.Conn
	data bytes.Buffer
}

func newWire(t *testing.T, site string) *wire {
	t.Helper()
	to, err := url.Parse(site)
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{URL: "http://" + listener.Addr().String() + to.Path, waits: map[string]func(){}}
	var ends sync.WaitGroup
	t.Cleanup(func() {
		listener.Close()
		w.cut()
		ends.Wait()
	})
	ends.Go(func() {
		for {
			from, err := listener.Accept()
			if err != nil {
				return
			}
			ends.Go(func() { w.carry(from, to.Host) })
		}
	})
	return w
}

func (w *wire) carry(from net.Conn, to string) {
	defer from.Close()
	site, err := net.Dial("tcp", to)
	if err != nil {
		return
	}
	defer site.Close()
	line := &sent{wire: w, from: from}
	w.mu.Lock()
	w.lines = append(w.lines, line)
	w.mu.Unlock()
	go func() {
		_, _ = io.Copy(site, io.TeeReader(from, line))
		site.Close()
	}()
	_, _ = io.Copy(from, site)
}

// cut ends every connection.
func (w *wire) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, line := range w.lines {
		line.from.Close()
	}
}

// Write remembers what passes.
func (s *sent) Write(p []byte) (int, error) {
	s.wire.mu.Lock()
	defer s.wire.mu.Unlock()
	s.data.Write(p)
	for text, act := range s.wire.waits {
		if bytes.Contains(s.data.Bytes(), []byte(text)) {
			delete(s.wire.waits, text)
			act()
		}
	}
	return len(p), nil
}

// Count returns how often a text was sent.
func (w *wire) Count(text string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, line := range w.lines {
		n += bytes.Count(line.data.Bytes(), []byte(text))
	}
	return n
}

// OnSeen acts once when a text has been sent.
func (w *wire) OnSeen(text string, act func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waits[text] = act
}
