package ui_test

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/charmbracelet/x/exp/teatest"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui"
	"geodeck/ui/uitest"
)

// machine is a state folder, and a site that goes away and comes back at its address.
type machine struct {
	t      *testing.T
	folder string
	server *simulator.Server
	token  adminapi.Token
	port   string
	cut    atomic.Bool // no connection is made
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	return machineOf(t, uitest.Scenario(t, "services-down"))
}

func machineOf(t *testing.T, scenario simulator.Scenario) *machine {
	t.Helper()
	site := uitest.NewSite(t, scenario)
	u, err := url.Parse(site.Server.URL())
	if err != nil {
		t.Fatal(err)
	}
	return &machine{t: t, folder: t.TempDir(), server: site.Server, token: site.Client.Session.Token(), port: u.Port()}
}

// goesAway closes the site.
func (m *machine) goesAway() {
	m.t.Helper()
	if err := m.server.Close(); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if m.cut.Load() {
		return nil, syscall.ECONNREFUSED
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

// later is when somebody comes back who reads "2 h ago", also of what a slow machine has kept some minutes later.
const later = 2*time.Hour + 30*time.Minute

// starts opens the dashboard on the machine, so long after the others.
func (m *machine) starts(width, height int, after time.Duration) (*driver, *simtest.ManualClock) {
	m.t.Helper()
	clock := simtest.NewManualClock(uitest.Start.Add(after))
	j, err := journal.Open(m.folder, m.server.URL(), journal.WithClock(clock), journal.WithoutSync())
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() { _ = j.Close() })
	transport, err := adminapi.NewTransport(adminapi.TLS{})
	if err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(transport.CloseIdleConnections)
	client, err := adminapi.New(adminapi.Config{Base: m.server.URL(), Clock: simtest.NewSteppedClock(clock.Now()), Token: m.token, Transport: transport, Dial: m.dial, Observer: j})
	if err != nil {
		m.t.Fatal(err)
	}
	site := operation.Site{Client: client, Clock: clock, Memory: operation.Memory{Journal: j}}
	return startAs(m.t, ui.Options{Site: site, Name: "prod", Clock: clock}, width, height, func(o ui.Options) dashboard { return ui.New(o) }), clock
}

// reads looks at reports and services, long enough that they are kept.
func (m *machine) reads() {
	m.t.Helper()
	d, clock := m.starts(120, 40, 0)
	d.see("No new failures")
	d.keys("view.services")
	d.see("18 services") // of the last folder
	d.await("states", func() bool {
		return !strings.Contains(d.model.View(), " checked") && strings.Contains(d.model.View(), "started")
	})
	d.idle() // what waits to keep it, too
	clock.Advance(2 * time.Minute)
	d.pace.Advance(2 * time.Minute)
	d.await("snapshots", func() bool { return len(m.snapshots()) == 4 })
	d.close()
}

func (m *machine) snapshots() []string {
	files, err := filepath.Glob(filepath.Join(m.folder, "*", "snapshots", "*.json"))
	if err != nil {
		m.t.Fatal(err)
	}
	return files
}

// asOf is when the services were read, which a slow machine does some rounds of the clock later.
var asOf = regexp.MustCompile(`(as of|from) \d\d:\d\d`)

// screen is what is shown, whatever the port of the site and the minute of the last round.
func (m *machine) screen(d *driver) []byte {
	text := strings.ReplaceAll(d.model.View(), m.port, "40000"[:len(m.port)])
	return asOf.ReplaceAll([]byte(text), []byte("${1} 15:05"))
}

func TestScreenOfASiteThatDoesNotAnswer(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.reads()
	m.goesAway()
	for _, size := range uitest.Sizes[:2] {
		t.Run(size.Name, func(t *testing.T) {
			d, _ := m.starts(size.Width, size.Height+5, later)
			for _, view := range []struct{ key, sees string }{{"view.health", "No new failures"}, {"view.services", "started"}} {
				d.keys(view.key)
				d.see(view.sees)
				d.see("kept from 2 h ago")
				d.gone("reading")
				d.see("The site does not answer.")
				if view.key == "view.services" && size.Width > 100 {
					d.see("Nothing listens at")
				}
				t.Run(view.key, func(t *testing.T) { teatest.RequireEqualOutput(t, m.screen(d)) })
				uitest.Fits(t, d.model.View(), size.Width, size.Height+5)
			}
			d.close()
		})
	}
}

// Who comes to a silent site is told what would explain it.
func TestTheHeaderOfASilentSiteSaysInWhatStateItWas(t *testing.T) {
	t.Parallel()
	readOnly := uitest.Scenario(t, "services-down")
	readOnly.ReadOnly = true
	for name, state := range map[string]struct {
		scenario    simulator.Scenario
		sees, later string
	}{
		"read-only": {readOnly, "READ-ONLY", "was read-only 2 h ago"},
		"upgrade":   {uitest.Scenario(t, "elses-upgrade"), "upgrade:", "an upgrade ran 2 h ago"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := machineOf(t, state.scenario)
			d, clock := m.starts(120, 40, 0)
			d.see(state.sees)
			d.idle() // what waits to keep it, too
			clock.Advance(2 * time.Minute)
			d.pace.Advance(2 * time.Minute)
			d.await("what is kept", func() bool { return len(m.snapshots()) > 0 })
			d.close()
			m.goesAway()
			d, _ = m.starts(120, 40, later)
			d.see(state.later)
			d.close()
		})
	}
}

func TestWhatWasKeptIsReplacedAsSoonAsTheSiteAnswers(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.reads()
	m.cut.Store(true)
	d, clock := m.starts(120, 40, later)
	d.see("Slowest tests")
	d.see("The site does not answer.")
	d.keys("health.delete")
	d.see("has not answered yet")
	d.keys("view.services")
	d.see("started")
	d.see("The site does not answer.")
	d.keys("services.switch")
	d.see("has not answered yet")
	d.see("retrying in")
	d.await("pauses of both views before they try again", func() bool { return clock.Waiters() >= 2 })
	d.timers(1) // and so does the header
	m.cut.Store(false)
	clock.Advance(time.Minute)
	d.pace.Advance(time.Minute)
	d.gone("kept")
	d.gone("does not answer")
	d.see("started")
	d.keys("view.health")
	d.gone("kept from")
	d.see("Slowest tests")
}

func TestNothingKeptSaysSoAndDamagedIsNotShown(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.goesAway()
	d, _ := m.starts(80, 24, 0)
	d.see("No list of reports was kept on this machine.")
	d.keys("view.services")
	d.see("No list of services was kept on this machine.")
	d.close()

	m = newMachine(t)
	m.reads()
	m.goesAway()
	for _, path := range m.snapshots() {
		whole, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, []byte(strings.Replace(string(whole), "2026-", "2027-", 1)), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	d, _ = m.starts(80, 24, later)
	d.see("damaged and is not used")
	d.see("No list of reports was kept on this machine.")
}

// A view that gets no answer any more has the header look again, once.
func TestTheHeaderDoesNotGoOnWhereAViewGetsNoAnswer(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	d, _ := m.starts(120, 30, 0)
	d.see("No new failures")
	m.goesAway()
	d.keys("view.services")
	d.see("no answer for")
	d.keys("view.health")
	d.see("site not reachable")
}

// B18: what is down is told on the first screen, as far as it was read, and as of when.
func TestServicesThatAreDownAreToldOnTheFirstScreen(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.reads()
	d, clock := m.starts(120, 40, later)
	shown := func() string { return string(m.screen(d)) }
	d.await("what was down", func() bool { return strings.Contains(shown(), "▲ as of 15:05: 1 service down") })
	d.keys("view.services")
	d.gone("service down")
	d.see("1 down")
	d.await("states", func() bool { return !strings.Contains(d.model.View(), " checked") })
	d.keys("view.health")
	d.see("▲ 1 service down")
	clock.Advance(10 * time.Minute)
	d.pace.Advance(10 * time.Minute) // the header is drawn anew each second
	d.keys("down")
	d.await("since when", func() bool { return strings.Contains(shown(), "▲ as of 15:05: 1 service down") })
}
