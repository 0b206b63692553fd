package upgrade_test

import (
	"os"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
	"geodeck/ui/views/upgrade"
)

func TestMain(m *testing.M) {
	uitest.Settle()
	os.Exit(m.Run())
}

// screen is the view under test.
type screen struct {
	*upgrade.Model
	*uitest.Screen
	t   testing.TB
	env *views.Env
}

// Do runs a command by its id, as the palette does, and returns what comes of it.
func (s *screen) Do(id, argument string) tea.Cmd { return views.Invoke(s.Model, id, argument) }

// table is every row of the view.
func table(t testing.TB) []views.Command {
	t.Helper()
	env := uitest.Env(t, operation.Site{}, uitest.Theme())
	return upgrade.Maker.Rows(env)
}

func siteOf(t testing.TB, name string) operation.Site {
	t.Helper()
	return uitest.NewSite(t, uitest.Scenario(t, name)).Site
}

// counted is a simulated site with a journal, whose requests are counted.
func counted(t testing.TB, name string) (operation.Site, *uitest.Wire) {
	t.Helper()
	return uitest.NewSite(t, uitest.Scenario(t, name)).Counted(t)
}

// open shows the view on a site and lets it come to rest.
func open(t testing.TB, site operation.Site, width, height int) *screen {
	t.Helper()
	return openIn(t, uitest.Env(t, site, uitest.Theme()), width, height)
}

func openIn(t testing.TB, env *views.Env, width, height int) *screen {
	t.Helper()
	s := made(t, env, width, height)
	s.Begin()
	return s
}

func made(t testing.TB, env *views.Env, width, height int) *screen {
	t.Helper()
	m := upgrade.New(env)
	return &screen{Model: m, Screen: uitest.Show(t, m, width, height), t: t, env: env}
}

// unopened is the view before it has read anything.
func unopened(t testing.TB, env *views.Env) *screen {
	t.Helper()
	return made(t, env, 120, 35)
}

// atEachSize runs a story on a fresh site at each size.
func atEachSize(t *testing.T, name string, story func(t *testing.T, s *screen)) {
	t.Helper()
	for _, size := range uitest.Sizes {
		t.Run(size.Name, func(t *testing.T) {
			story(t, open(t, siteOf(t, name), size.Width, size.Height))
		})
	}
}
