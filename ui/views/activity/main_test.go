package activity_test

import (
	"net/http"
	"os"
	"sync/atomic"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/activity"
)

func TestMain(m *testing.M) {
	uitest.SetUp()
	os.Exit(m.Run())
}

// screen is the view under test.
type screen struct {
	*activity.Model
	*uitest.Screen
	t    testing.TB
	env  *views.Env
	rest []tea.Cmd // what is still to do
}

// platform is a site whose writes are recorded, with names that are the same in each run.
type platform struct {
	operation.Site
	steps    *simtest.SteppedClock
	requests atomic.Int32
	away     atomic.Bool // no request is answered
	below    http.RoundTripper
}

// chance is the same each time.
type chance struct{ n atomic.Uint64 }

func (c *chance) Uint64() uint64 { return c.n.Add(0x9e3779b97f4a7c15) }

// RoundTrip counts the requests, and drops them while the site is away.
func (p *platform) RoundTrip(r *http.Request) (*http.Response, error) {
	p.requests.Add(1)
	if p.away.Load() {
		return nil, http.ErrServerClosed
	}
	return p.below.RoundTrip(r)
}

func newPlatform(t testing.TB, scenario simulator.Scenario) *platform {
	t.Helper()
	site := uitest.NewSite(t, scenario)
	transport, err := adminapi.NewTransport(adminapi.TLS{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(transport.CloseIdleConnections)
	memory, err := journal.OpenThrowaway(journal.WithClock(site.Steps), journal.WithRand(&chance{}), journal.WithVersion("geodeck/1.4.0"),
		journal.WithSender("gis", []string{"--site", "gis"}, "CHG-123"),
		journal.WithProgram(journal.Program{User: "ada", Host: "adm1", PID: 4711}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = memory.Close() })
	p := &platform{steps: site.Steps, below: transport}
	client, err := adminapi.New(adminapi.Config{Base: site.Server.URL(), Clock: site.Steps, Transport: p, Observer: memory})
	if err != nil {
		t.Fatal(err)
	}
	user := site.Server.Users()[0]
	if _, err := client.Session.SignIn(t.Context(), user.Username, secrets.Secret(user.Password), 12*time.Hour); err != nil {
		t.Fatal(err)
	}
	p.Site = operation.Site{Client: client, Clock: site.Steps, Memory: operation.Memory{Journal: memory}}
	return p
}

var cities = adminapi.ServiceRef{Name: "SampleWorldCities", Type: "MapServer"}

// worked is a site on which a service was stopped and started, and a health check runs.
func worked(t testing.TB) *platform {
	t.Helper()
	p := newPlatform(t, uitest.Scenario(t, "healthy"))
	for _, start := range []bool{false, true} {
		if _, r := p.SwitchService(t.Context(), operation.Switch{Service: cities, Start: start}, nil, nil); r.Err != nil {
			t.Fatal(r.Err)
		}
	}
	if _, r := p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: []string{"BSHC-001"}, Name: "nightly"}); r.Err != nil {
		t.Fatal(r.Err)
	}
	_ = p.steps.Sleep(t.Context(), 3*time.Second)
	return p
}

// open shows the view on a site, and lets it come to rest.
func open(t testing.TB, site operation.Site, width, height int) *screen {
	t.Helper()
	env := uitest.Env(t, site, uitest.Theme())
	m := activity.New(env)
	s := &screen{Model: m, Screen: uitest.NewScreen(t, m, width, height), t: t, env: env}
	s.Start()
	return s
}

// running shows the view as soon as the jobs were read once, while one runs.
func running(t testing.TB, p *platform, width, height int) *screen {
	t.Helper()
	env := uitest.Env(t, p.Site, uitest.Theme())
	m := activity.New(env)
	s := &screen{Model: m, Screen: uitest.NewScreen(t, m, width, height), t: t, env: env}
	_, s.rest = uitest.Run(m, m.Update(views.Shown), 5)
	return s
}

// freshen lets some time pass, after which the view is still shown.
func (s *screen) freshen() []tea.Msg {
	s.t.Helper()
	_ = s.env.Clock.Sleep(s.t.Context(), 10*time.Second)
	s.rest = append(s.rest, s.Model.Update(views.Freshen))
	up := uitest.Drain(s.t, s.Model, tea.Batch(s.rest...))
	s.rest = nil
	return up
}
