package upgrade_test

import (
	"os"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
	"geodeck/ui/views/upgrade"
)

func TestMain(m *testing.M) {
	lipgloss.SetColorProfile(termenv.Ascii)
	lipgloss.SetHasDarkBackground(true)
	os.Exit(m.Run())
}

// screen is a view under test, of a size.
type screen struct {
	*upgrade.Model
	t             testing.TB
	env           *views.Env
	width, height int
}

// sizes are those of terminals, less the frame around the view.
var sizes = []struct {
	name          string
	width, height int
}{{"80x24", 80, 19}, {"120x40", 120, 35}, {"200x60", 200, 55}}

func scenario(t testing.TB, name string) simulator.Scenario {
	t.Helper()
	s, ok := simulator.BuiltIn(name)
	if !ok {
		t.Fatalf("no scenario %q", name)
	}
	return s
}

func siteOf(t testing.TB, name string) operation.Site {
	t.Helper()
	return uitest.NewSite(t, scenario(t, name)).Site
}

// open shows the view on a site and lets it come to rest.
func open(t testing.TB, site operation.Site, width, height int) *screen {
	t.Helper()
	return openIn(t, uitest.Env(t, site, uitest.Theme()), width, height)
}

func openIn(t testing.TB, env *views.Env, width, height int) *screen {
	t.Helper()
	s := made(t, env, width, height)
	uitest.Drain(t, s.Model, tea.Batch(s.Init(), s.Focus()))
	return s
}

func made(t testing.TB, env *views.Env, width, height int) *screen {
	t.Helper()
	s := &screen{Model: upgrade.New(env), t: t, env: env, width: width, height: height}
	t.Cleanup(s.Close)
	s.SetSize(width, height)
	return s
}

// unopened is the view before it has read anything.
func unopened(t testing.TB, env *views.Env) *screen {
	t.Helper()
	return made(t, env, 120, 35)
}

// atEachSize runs a story on a fresh site at each size.
func atEachSize(t *testing.T, name string, story func(t *testing.T, s *screen)) {
	t.Helper()
	for _, size := range sizes {
		t.Run(size.name, func(t *testing.T) {
			story(t, open(t, siteOf(t, name), size.width, size.height))
		})
	}
}

// press gives keys by name and returns what the view sent upward.
func (s *screen) press(keys string) []tea.Msg {
	s.t.Helper()
	return uitest.Press(s.t, s.Model, uitest.Keys(keys)...)
}

// write types a text, a key for each character.
func (s *screen) write(text string) []tea.Msg {
	s.t.Helper()
	return uitest.Press(s.t, s.Model, uitest.Text(text)...)
}

// do runs a command as the palette does.
func (s *screen) do(id, argument string) []tea.Msg {
	s.t.Helper()
	return uitest.Drain(s.t, s.Model, s.Do(id, argument))
}

// view draws, and checks the size.
func (s *screen) view() string {
	s.t.Helper()
	v := s.View()
	uitest.Fits(s.t, v, s.width, s.height)
	return v
}

func (s *screen) golden() {
	s.t.Helper()
	uitest.Golden(s.t, s.view())
}

func (s *screen) shows(texts ...string) {
	s.t.Helper()
	v := s.view()
	for _, text := range texts {
		if !strings.Contains(v, text) {
			s.t.Fatalf("the screen does not show %q:\n%s", text, v)
		}
	}
}

func (s *screen) hides(texts ...string) {
	s.t.Helper()
	v := s.view()
	for _, text := range texts {
		if strings.Contains(v, text) {
			s.t.Fatalf("the screen shows %q:\n%s", text, v)
		}
	}
}

// told returns the text of the first notice.
func told(t testing.TB, up []tea.Msg) string {
	t.Helper()
	return uitest.Find[views.Notice](t, up).Text
}
