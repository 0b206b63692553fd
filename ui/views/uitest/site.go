package uitest

import (
	"context"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
	"geodeck/theme"
	"geodeck/ui/views"
)

// Site is a simulated platform with a signed-in client.
type Site struct {
	operation.Site
	Server *simulator.Server
	Steps  *simulator.SteppedClock
}

// tokenLife outlasts every upgrade that a test steps through, on the clock of the site.
const tokenLife = 12 * time.Hour

// NewSite starts the simulator with a scenario on a clock that steps by itself,
// and signs its first user in. It ends with the test.
func NewSite(t testing.TB, scenario simulator.Scenario) *Site {
	t.Helper()
	return NewSiteAt(t, scenario, Start)
}

// NewSiteAt is NewSite with a clock that begins at a moment of the caller's.
func NewSiteAt(t testing.TB, scenario simulator.Scenario, begin time.Time) *Site {
	t.Helper()
	clock := simulator.NewSteppedClock(begin)
	server, err := simulator.New(simulator.Options{Scenario: scenario, Clock: clock, Wall: clock.Now})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	s := &Site{Server: server, Steps: clock}
	s.Site = s.As(t, server.Users()[0])
	return s
}

// As signs another user in.
func (s *Site) As(t testing.TB, user simulator.User) operation.Site {
	t.Helper()
	transport, err := adminapi.NewTransport(adminapi.TLS{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(transport.CloseIdleConnections)
	client, err := adminapi.New(adminapi.Config{Base: s.Server.URL(), Clock: s.Steps, Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	if _, err := client.SignIn(ctx, user.Username, adminapi.Secret(user.Password), tokenLife); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Root(ctx); err != nil {
		t.Fatal(err)
	}
	return operation.Site{Client: client, Clock: s.Steps}
}

// Env returns what a view gets, in a folder of its own.
func Env(t testing.TB, site operation.Site, th *theme.Theme) *views.Env {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	clock := site.Clock
	if clock == nil {
		clock = simulator.NewSteppedClock(Start)
	}
	return &views.Env{
		Context: ctx, Site: site, Clock: clock, Theme: th, Times: Times(clock.Now),
		Offline: site.Client == nil, Folder: t.TempDir(),
	}
}
