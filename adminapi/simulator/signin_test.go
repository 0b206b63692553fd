package simulator_test

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

func TestAWrongPasswordIsRefusedAsThePortalDoes(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "")
	got := s.post(s.server.TokenURL(), "username", "admin", "password", "guess", "client", "referer", "referer", referer)
	if got.status != http.StatusOK {
		t.Errorf("HTTP %d", got.status)
	}
	got.refused(400, "Unable to generate token")
	s.post(s.server.TokenURL(), "username", "admin", "referer", referer).refused(400, "password")
	s.post(s.server.TokenURL(), "username", "admin", "password", "guess", "client", "fax").refused(400, "referer, ip, requestip")
	s.post(s.server.TokenURL(), "username", "admin", "password", "guess", "client", "requestip", "expiration", "soon").refused(400, "expiration")
	s.get(s.server.TokenURL(), "username", "admin").refused(405, "use POST")
}

func TestRequestsWithoutAGoodTokenAreRefused(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "")
	got := s.get("/mode")
	if got.status != http.StatusOK || got.text("error.messageCode") != "GWM_0003" {
		t.Errorf("without a token: %d %s", got.status, got.body)
	}
	got.refused(499, "Token Required")
	s.token = "made-up"
	s.get("/mode").refused(498, "Invalid token")
}

func TestATokenEndsOnTheWallWhateverTheWorldsClockSays(t *testing.T) {
	t.Parallel()
	wall := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	clock := simtest.NewManualClock(noon)
	s := startOn(t, simulator.Options{Clock: clock, Wall: func() time.Time { return wall }}, "operator")
	clock.Advance(100 * time.Hour)
	s.isReadOnly(false)
	wall = wall.Add(59 * time.Minute)
	s.isReadOnly(false)
	wall = wall.Add(time.Minute)
	s.get("/mode").refused(498, "expired")
}

func TestTheSiteGrantsNoLongerLifeThanItsScenarioSays(t *testing.T) {
	t.Parallel()
	wall := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	scenario := simulator.Scenario{Name: "short", TokenLife: simulator.Duration{Duration: 5 * time.Minute}}
	s := startOn(t, simulator.Options{Scenario: scenario, Clock: simtest.NewManualClock(noon), Wall: func() time.Time { return wall }}, "")
	u := s.server.Users()[0]
	got := s.post(s.server.TokenURL(), "username", u.Username, "password", u.Password, "client", "requestip", "expiration", "120")
	if want := wall.Add(5 * time.Minute).UnixMilli(); got.number("expires") != want {
		t.Errorf("expires %d, want %d", got.number("expires"), want)
	}
}

func TestTheAdministratorCanHoldATokenFromTheStart(t *testing.T) {
	t.Parallel()
	start := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	for name, scenario := range map[string]simulator.Scenario{
		"default": {},
		"short":   {Name: "short", TokenLife: simulator.Duration{Duration: 5 * time.Minute}},
		"ahead":   {Name: "ahead", ClockAhead: simulator.Duration{Duration: 48 * time.Hour}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wall := start
			o := simulator.Options{Scenario: scenario, Clock: simtest.NewManualClock(noon), Wall: func() time.Time { return wall }}
			token := o.SignIn(time.Hour)
			s := startOn(t, o, "")
			s.token = token.Value.Reveal()
			self := strings.Replace(s.server.TokenURL(), "generateToken", "community/self", 1)
			if got := s.get(self); got.text("username") != simulator.Administrator {
				t.Errorf("self: %s", got.body)
			}
			life := token.Expires.Time().Sub(start) - scenario.ClockAhead.Duration
			if want := min(time.Hour, cmp.Or(scenario.TokenLife.Duration, time.Hour)); life != want {
				t.Errorf("it is valid for %v, want %v", life, want)
			}
			wall = wall.Add(life)
			s.get("/mode").refused(498, "expired")
		})
	}
}

func TestRequestsWaitForASiteThatIsStillMade(t *testing.T) {
	t.Parallel()
	listener, err := simulator.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	o := simulator.Options{}
	client, err := adminapi.New(adminapi.Config{Base: simulator.Root(listener), Token: o.SignIn(time.Hour)})
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan error, 1)
	go func() {
		_, err := client.Session.Self(context.Background())
		answered <- err
	}()
	server, err := simulator.New(o)
	if err == nil {
		err = server.Serve(listener)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := <-answered; err != nil {
		t.Error(err)
	}
	if err := server.Close(); err != nil {
		t.Error(err)
	}
}

func TestThePortalReturnsTheCaller(t *testing.T) {
	t.Parallel()
	s := open(t, "healthy", "")
	self := strings.Replace(s.server.TokenURL(), "generateToken", "community/self", 1)
	s.get(self).refused(499, "Token Required")
	s.signIn("servers")
	got := s.get(self)
	if got.text("username") != "servers" || !strings.Contains(got.body, "portal:admin:manageServers") || strings.Contains(got.body, "manageSecurity") {
		t.Errorf("self: %s", got.body)
	}
}

func TestTheFirstUserHasEveryPrivilegeAndPasswordsFollowFromTheSeed(t *testing.T) {
	t.Parallel()
	one, two, other := open(t, "healthy", ""), open(t, "healthy", ""), open(t, "degraded", "")
	users := one.server.Users()
	if users[0].Username != "admin" || len(users[0].Privileges) != 5 {
		t.Errorf("first user: %v", users[0])
	}
	for i, u := range users {
		if u.Password == "" || u.Password != two.server.Users()[i].Password {
			t.Errorf("%s: passwords differ between worlds of one seed", u.Username)
		}
	}
	if users[0].Password == other.server.Users()[0].Password {
		t.Error("another seed gave the same password")
	}
}

func TestAnotherUserOfTheScenarioCanSignIn(t *testing.T) {
	t.Parallel()
	scenario := simulator.Scenario{Name: "more", Users: []simulator.UserSpec{{Username: "deputy", Privileges: []string{"Security and infrastructure"}}}}
	s := start(t, scenario, "deputy")
	s.post("/mode/update", "isReadOnly", "true").has("status", "success")
}

// zeros is a source of secrets without any.
type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

func TestTokensAreMadeOfTheSecretsThatATestGives(t *testing.T) {
	t.Parallel()
	issue := func(secrets io.Reader) string {
		clock := simtest.NewManualClock(noon)
		s := startOn(t, simulator.Options{Clock: clock, Secrets: secrets}, "admin")
		return s.token
	}
	if a, b := issue(zeros{}), issue(zeros{}); a != b || a == "" {
		t.Errorf("the same secrets make %q and %q", a, b)
	}
	if a, b := issue(nil), issue(nil); a == b {
		t.Errorf("without given secrets two sites issue the same token")
	}
}
