package health_test

import (
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// atEachSize shows a screen at each size, on a site of its own. At 80x24 and 120x40 the whole of it
// is held, and where the widest has more to show, also that; at the others it fits, and
// what is named is in sight.
func atEachSize(t *testing.T, sc simulator.Scenario, keys func(s *screen), whole []string, inSight ...string) {
	t.Helper()
	for _, size := range uitest.Sizes {
		t.Run(size.Name, func(t *testing.T) {
			t.Parallel()
			s := open(t, uitest.NewSite(t, sc).Site, size.Width, size.Height)
			keys(s)
			s.Shows(inSight...)
			for _, name := range whole {
				if name == size.Name {
					s.Golden()
				}
			}
		})
	}
}

// Which sizes of a screen are held whole.
var (
	one    = []string{"80x24", "120x40"}
	widest = []string{"80x24", "120x40", "200x60"}
)

func press(keys string) func(s *screen) { return func(s *screen) { s.Press(keys) } }

// checked runs a health check first.
func checked(keys string) func(s *screen) {
	return func(s *screen) {
		s.runCheck()
		s.Press(keys)
	}
}

// running begins a health check, of which some tests have ended.
func running(s *screen) {
	s.startRun(18)
}

func TestScreenHealthyList(t *testing.T) {
	t.Parallel()
	atEachSize(t, uitest.Scenario(t, "healthy"), press(""), widest, "Reports", "1 of 12", "✓ passed", "scheduled-20261114")
}

func TestScreenHealthyTree(t *testing.T) {
	t.Parallel()
	atEachSize(t, uitest.Scenario(t, "healthy"), press("enter"), one, "13 of 13 passed", "▾ ✓ Critical", "▾ ✓ General", "home_app_availability")
}

func TestScreenDegradedTree(t *testing.T) {
	t.Parallel()
	atEachSize(t, uitest.Scenario(t, "degraded"), checked("esc enter"), widest, "✗ failed", "11 of 13 passed", "healthcheck_objectStore", "query_logs_availability", "No answer from the object")
}

func TestScreenDetailOfAFailedTest(t *testing.T) {
	t.Parallel()
	atEachSize(t, uitest.Scenario(t, "degraded"), checked("esc enter f enter"), widest, "No answer from the object store within 30 s; 0 of 2 pods are", "Next      Check the object store", "Took")
}

func TestScreenTooOld(t *testing.T) {
	t.Parallel()
	atEachSize(t, uitest.Scenario(t, "old"), press(""), one, "No health checks at this site", "health checks need 11.2")
}

func TestScreenEmpty(t *testing.T) {
	t.Parallel()
	sc := uitest.Scenario(t, "healthy")
	none := 0
	sc.Reports = &none
	atEachSize(t, sc, press(""), one, "No reports yet.", "Press r to run a health check.", "Press o to open a saved report.")
}

func TestScreenComparison(t *testing.T) {
	t.Parallel()
	atEachSize(t, uitest.Scenario(t, "degraded"), checked("C"), widest, "Before", "After", "1 new failure", "11 unchanged tests")
}

func TestScreenRunning(t *testing.T) {
	t.Parallel()
	atEachSize(t, uitest.Scenario(t, "degraded"), running, one, "last time", "● running")
}

func TestScreenRunningTree(t *testing.T) {
	t.Parallel()
	s := open(t, telling(t, "degraded"), 80, 19)
	running(s)
	s.Golden()
}

func TestScreenJSON(t *testing.T) {
	t.Parallel()
	s := open(t, siteOf(t, "degraded"), 80, 19)
	checked("enter health.json")(s)
	s.Golden()
}

func TestScreenFilter(t *testing.T) {
	t.Parallel()
	s := degraded(t)
	s.Press("enter rows.filter")
	s.Type("store")
	s.Golden()
}

func TestScreenInColor(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Env(t, siteOf(t, "degraded"), uitest.ColorTheme()), 120, 35)
	checked("enter down down down down down")(s)
	s.Golden()
}

func TestScreenRunForm(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	dialog := uitest.Find[views.Open](t, s.Press("health.run")).Dialog
	dialog.SetSize(78, 16)
	uitest.Drain(t, dialog, dialog.Init())
	uitest.Golden(t, dialog.View())
}

// Drawing changes nothing but what is cached, on no screen.
func TestDrawingChangesNothing(t *testing.T) {
	t.Parallel()
	for _, size := range uitest.Sizes {
		s := open(t, siteOf(t, "degraded"), size.Width, size.Height)
		for _, step := range []func(s *screen){
			press(""), running, press("enter down down enter down"), press("t v"), press("esc esc esc health.compare"), press("esc / x"),
		} {
			step(s)
			uitest.Pure(t, s.Model)
		}
		offline := openIn(t, uitest.Env(t, operation.Site{}, uitest.Theme()), size.Width, size.Height)
		uitest.Pure(t, offline.Model)
	}
}

// What was kept of earlier frames is what would be drawn without them: at another width nothing is.
func TestAFrameIsTheSameWithoutThoseBeforeIt(t *testing.T) {
	t.Parallel()
	for _, size := range []uitest.Size{{Width: 80, Height: 19}, {Width: 120, Height: 35}, {Width: 200, Height: 55}} {
		s := openIn(t, uitest.Env(t, siteOf(t, "degraded"), uitest.ColorTheme()), size.Width, size.Height)
		next := func(s *screen) { s.env.Times.Next() }
		later := func(s *screen) { _ = s.env.Clock.Sleep(t.Context(), time.Hour) }
		for i, step := range []func(s *screen){
			press(""), press("down"), press("space"), next, press("space"), next, later, press("health.run"), func(s *screen) { s.runCheck() }, next,
			press("enter"), press("f"), press("health.order"), press("down down"), press("enter"), press("down"), next, next, later,
			press("esc esc esc"), press("health.compare"), press("f"), press("down"), press("f"), next, later, press("down"), press("enter"), press("health.json"),
			press("esc esc"), press("rows.filter q q enter"), press("esc"), press("rows.bottom"),
		} {
			step(s)
			kept := s.Draw()
			s.Resize(size.Width+1, size.Height)
			s.Draw()
			s.Resize(size.Width, size.Height)
			if drawn := s.Draw(); drawn != kept {
				t.Fatalf("at %d, step %d, is kept\n%s\nand drawn\n%s", size.Width, i, kept, drawn)
			}
		}
	}
}

func TestTheFooterOfTheTreeBeginsWithWhatIsOfTheReport(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{"enter": "move · fold · compare · export", "health.next-failed-report enter": "move · open · what now · compare · export"} {
		s := healthy(t) // with an old report that failed
		s.Press(keys)
		var hints []string
		for _, hint := range views.Footer(s.Commands(), s.Footer()...) {
			hints = append(hints, hint.Text)
		}
		if text := strings.Join(hints, " · "); !strings.HasPrefix(text, want) {
			t.Errorf("the footer says %q", text)
		}
	}
}
