package health_test

import (
	"os"
	"slices"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/health"
)

func TestMain(m *testing.M) {
	uitest.SetUp()
	os.Exit(m.Run())
}

// screen is the view under test.
type screen struct {
	*health.Model
	*uitest.Screen
	t   testing.TB
	env *views.Env
}

// open shows the view on a site and lets it come to rest.
func open(t testing.TB, site operation.Site, width, height int) *screen {
	t.Helper()
	return openIn(t, uitest.Env(t, site, uitest.Theme()), width, height)
}

func openIn(t testing.TB, env *views.Env, width, height int) *screen {
	t.Helper()
	uitest.Refresh(env)
	m := health.New(env)
	s := &screen{Model: m, Screen: uitest.NewScreen(t, m, width, height), t: t, env: env}
	s.Start()
	return s
}

func healthy(t testing.TB) *screen {
	return open(t, uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site, 120, 35)
}

func degraded(t testing.TB) *screen {
	return open(t, uitest.NewSite(t, uitest.Scenario(t, "degraded")).Site, 120, 35)
}

// telling is a site whose jobs show the report of a check while it runs.
func telling(t testing.TB, name string) operation.Site {
	t.Helper()
	scenario := uitest.Scenario(t, name)
	scenario.PartialReports = true
	return uitest.NewSite(t, scenario).Site
}

func siteOf(t testing.TB, name string) operation.Site {
	t.Helper()
	return uitest.NewSite(t, uitest.Scenario(t, name)).Site
}

// Do makes the command of an id, and leaves it to the test when it runs.
func (s *screen) Do(id, argument string) tea.Cmd { return views.Invoke(s.Model, id, argument) }

// usable lists what can be done right now.
func (s *screen) usable() []views.Command { return views.Usable(s.Model.Commands()) }

// offers reports whether a command can be run by its id now.
func (s *screen) offers(id string) bool {
	return slices.ContainsFunc(s.usable(), func(c views.Command) bool { return c.ID == id })
}

// hint returns what the footer says of a key.
func (s *screen) hint(key string) string {
	for _, hint := range views.Footer(s.Model.Commands(), s.Model.Footer()...) {
		if hint.Key == key {
			return hint.Text
		}
	}
	return ""
}

// runCheck runs a health check as a user does, and returns what was told.
func (s *screen) runCheck() []tea.Msg {
	s.t.Helper()
	return s.Answer(s.Press("health.run"), "enter enter")
}

// startRun starts a health check, and returns what is still to do after some steps.
func (s *screen) startRun(steps int) (rest []tea.Cmd) {
	s.t.Helper()
	_, rest = uitest.Run(s.Model, uitest.AnswerOnly(s.t, s.Press("health.run"), uitest.Keys("enter enter")...), steps)
	return rest
}

// signOut spoils the token and returns what puts it right again.
func (s *screen) signOut() (signIn func()) {
	client := s.env.Site.Client
	token := client.Session.Token()
	client.Session.SetToken(adminapi.Token{Value: "stale"})
	return func() { client.Session.SetToken(token) }
}
