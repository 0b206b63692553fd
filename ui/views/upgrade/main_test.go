package upgrade_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/upgrade"
)

func TestMain(m *testing.M) {
	uitest.SetUp()
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
	return uitest.Rows(t, upgrade.Maker, env)
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
	s.Start()
	return s
}

func made(t testing.TB, env *views.Env, width, height int) *screen {
	t.Helper()
	m := upgrade.New(env)
	return &screen{Model: m, Screen: uitest.NewScreen(t, m, width, height), t: t, env: env}
}

// unopened is the view before it has read anything.
func unopened(t testing.TB, env *views.Env) *screen {
	t.Helper()
	return made(t, env, 120, 35)
}

// choose goes from the picker to the pre-flight of the last offer, or the first.
func (s *screen) choose(last bool) {
	s.t.Helper()
	if last {
		s.Press("G")
	}
	s.Press("u")
	s.Shows("Pre-flight")
}

// clear acknowledges every warning, one by one, and goes on.
func (s *screen) clear() []tea.Msg {
	s.t.Helper()
	for range 12 {
		if !strings.Contains(s.Draw(), "to acknowledge") {
			break
		}
		s.Press("g")
		for range 11 {
			if strings.Contains(s.Line("› "), "[ ]") {
				s.Press("space")
			}
			s.Press("down")
		}
	}
	return s.Press("n")
}

// reviewed leads to the review of the first patch.
func reviewed(t testing.TB, s *screen) {
	t.Helper()
	s.choose(false)
	s.clear()
	s.Press("n")
	s.Shows("The request: POST system/upgrades/upgrade")
}

// releaseReviewed leads to the review of the release, with its licence.
func releaseReviewed(t testing.TB, s *screen) {
	t.Helper()
	path := licence(t, s.env.Folder, "12.0.0")
	s.choose(true)
	s.clear()
	s.Type(path)
	s.Press("ctrl+s")
	s.Shows("A dry run ends here")
}

// licence writes a licence for a version and returns its path.
func licence(t testing.TB, folder, version string) string {
	t.Helper()
	path := filepath.Join(folder, "licence.json")
	if err := os.WriteFile(path, simulator.Licence(version), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// confirmed types the version in the review and returns the command that sends.
func (s *screen) confirmed(version string) tea.Cmd {
	s.t.Helper()
	s.Press("enter")
	s.Type(version)
	return s.Update(uitest.Key("enter"))
}

// started tells that a start led to the watch.
func started(t testing.TB, up []tea.Msg) {
	t.Helper()
	if watch := uitest.Find[views.WatchUpgrade](t, up); watch.Run == nil {
		t.Error("the watch takes the end of this upgrade for history")
	}
	if to := uitest.Find[views.Navigate](t, up); to.View != "progress" {
		t.Errorf("it leads to %q", to.View)
	}
}
