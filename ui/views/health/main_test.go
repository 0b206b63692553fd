package health_test

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
	"geodeck/ui/views/health"
	"geodeck/ui/views/uitest"
)

func TestMain(m *testing.M) {
	lipgloss.SetColorProfile(termenv.Ascii)
	lipgloss.SetHasDarkBackground(true)
	os.Exit(m.Run())
}

// screen is a view under test, of a size.
type screen struct {
	*health.Model
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

// open shows the view on a site and lets it come to rest.
func open(t testing.TB, site operation.Site, width, height int) *screen {
	t.Helper()
	return openIn(t, uitest.Env(t, site, uitest.Theme()), width, height)
}

func openIn(t testing.TB, env *views.Env, width, height int) *screen {
	t.Helper()
	s := &screen{Model: health.New(env), t: t, env: env, width: width, height: height}
	t.Cleanup(s.Close)
	s.SetSize(width, height)
	uitest.Drain(t, s.Model, s.Init())
	return s
}

// press gives keys by name and returns what the view sent upward.
func (s *screen) press(keys string) []tea.Msg {
	s.t.Helper()
	return uitest.Press(s.t, s.Model, uitest.Keys(keys)...)
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

// runCheck runs a health check as a user does, and returns what was told.
func (s *screen) runCheck() []tea.Msg {
	s.t.Helper()
	return uitest.Answer(s.t, s.Model, s.press("r"), uitest.Keys("enter enter")...)
}

// told returns the text of the first notice.
func told(t testing.TB, up []tea.Msg) string {
	t.Helper()
	return uitest.Find[views.Notice](t, up).Text
}

func siteOf(t testing.TB, name string) operation.Site {
	t.Helper()
	return uitest.NewSite(t, scenario(t, name)).Site
}
