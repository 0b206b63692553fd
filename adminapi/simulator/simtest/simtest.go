// Package simtest gives tests a simulated site with the real client in front of it, for
// packages below the screen. Start at [SignIn]; tests of views use ui/uitest.
package simtest

import (
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
)

// SignIn starts a built-in scenario on a clock that moves by hand, and signs a user in.
// The site ends with the test.
func SignIn(t testing.TB, scenario, user string) (*adminapi.Client, *simulator.ManualClock) {
	t.Helper()
	s, ok := simulator.BuiltIn(scenario)
	if !ok {
		t.Fatalf("there is no scenario %s", scenario)
	}
	clock := simulator.NewManualClock(time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC))
	server, err := simulator.New(simulator.Options{Scenario: s, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Close() })
	client, err := adminapi.New(adminapi.Config{Base: server.URL()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	for _, u := range server.Users() {
		if u.Username == user {
			if _, err := client.SignIn(t.Context(), u.Username, adminapi.Secret(u.Password), time.Hour); err != nil {
				t.Fatal(err)
			}
			return client, clock
		}
	}
	t.Fatalf("there is no user %s", user)
	return nil, nil
}
