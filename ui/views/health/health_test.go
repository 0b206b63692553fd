package health_test

import (
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
	"geodeck/ui/views/health"
)

// table is what help and README tell of, of a view that has no site.
func table(t *testing.T) []views.Command {
	return uitest.Rows(t, health.Maker, uitest.Env(t, operation.Site{}, uitest.Theme()))
}

func TestAListThatIsOldIsReadAgainWhereItIsShownAgain(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	for _, reads := range []bool{false, true} {
		before := s.Status().Updated
		_ = s.env.Clock.Sleep(t.Context(), time.Minute)
		uitest.Drain(t, s.Model, s.Update(views.Shown))
		if now := s.Status().Updated; now.After(before) != reads {
			t.Errorf("read at %v, then at %v", before, now)
		}
	}
}

func TestEveryKeyMeansOneThingOnEachScreen(t *testing.T) {
	t.Parallel()
	s := degraded(t)
	s.runCheck()
	for _, keys := range []string{"", "enter", "down down enter", "health.json", "esc esc esc health.compare"} {
		s.Press(keys)
		uitest.DistinctKeys(t, "the screen after "+keys, s, table(t))
	}
}

func TestEveryCommandIsExplained(t *testing.T) {
	t.Parallel()
	uitest.Explained(t, table(t))
}

func TestCommandsThatCannotRunAreNotOffered(t *testing.T) {
	t.Parallel()
	old := open(t, siteOf(t, "old"), 80, 19)
	offline := openIn(t, uitest.Env(t, operation.Site{}, uitest.Theme()), 80, 19)
	for name, s := range map[string]*screen{"an old site": old, "no site": offline} {
		for _, id := range []string{"health.run", "health.compare", "health.delete", "health.export", "health.json", "health.enter"} {
			if s.offers(id) {
				t.Errorf("%s offers %s", name, id)
			}
		}
		if s.hint("o") == "" {
			t.Errorf("%s does not say how to open a file", name)
		}
	}
}

func TestAReadOnlyDashboardRefusesBeforeItAsks(t *testing.T) {
	t.Parallel()
	s := readOnly(t)
	s.Shows("1 of 12")
	s.Refuses("read-only", "health.run", "geodeck was started with --read-only: no health check can run.")
	s.Refuses("read-only", "health.delete", "geodeck was started with --read-only: no report can be deleted.")
}

func TestTheFooterSaysWhatEnterDoes(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	if hint := s.hint("enter"); hint != "open" {
		t.Errorf("on a report enter is called %q", hint)
	}
	s.Press("enter")
	if hint := s.hint("enter"); hint != "fold" {
		t.Errorf("on a suite enter is called %q", hint)
	}
	s.Press("enter")
	if hint := s.hint("enter"); hint != "unfold" {
		t.Errorf("on a folded suite enter is called %q", hint)
	}
	s.Press("enter down down")
	if hint := s.hint("enter"); hint != "open" {
		t.Errorf("on a test enter is called %q", hint)
	}
}

func TestEscGoesBackStepByStep(t *testing.T) {
	t.Parallel()
	s := open(t, uitest.NewSite(t, uitest.Scenario(t, "healthy")).Site, 80, 19)
	s.Press("enter down down enter")
	s.Shows("sharing_availability", "Reported")
	s.Press("esc")
	s.Shows("▾ ✓ Critical")
	s.Press("esc")
	s.Shows("Reports")
	for _, c := range s.usable() {
		if c.ID == "health.back" {
			t.Error("esc is taken although there is nothing to go back to")
		}
	}
}

func TestTheIDOfTheSelectedReportOrTestIsCopied(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	if c := uitest.Find[views.Copy](t, s.Press("health.copy")); c.What != "report id" || len(c.Text) < 8 {
		t.Errorf("copied %+v", c)
	}
	if c := uitest.Find[views.Copy](t, s.Press("enter down down health.copy")); c.What != "test id" || !strings.HasPrefix(c.Text, "HC_") {
		t.Errorf("copied %+v", c)
	}
}

// Whatever is done, on whatever screen, the view keeps its size.
func TestEveryCommandOnEveryScreenKeepsTheSize(t *testing.T) {
	t.Parallel()
	for _, size := range uitest.Sizes {
		s := open(t, siteOf(t, "degraded"), size.Width, size.Height)
		for _, way := range []string{"", "enter", "tab", "v", "esc", "C"} {
			s.Press(way)
			for _, c := range s.usable() {
				s.Invoke(c.ID, "")
				s.Focused(s.CapturesText())
			}
		}
	}
}

func TestEveryTerminalSizeIsFilledExactly(t *testing.T) {
	t.Parallel()
	s := degraded(t)
	s.runCheck()
	for _, way := range []string{"", "enter", "down down enter", "health.json", "esc esc esc health.compare", "esc rows.filter esc"} {
		s.Press(way)
		for _, width := range []int{60, 61, 99, 100, 109, 110, 111, 139, 140, 141, 250} {
			for _, height := range []int{9, 10, 19, 25, 26, 27, 80} {
				s.SetSize(width, height)
				uitest.Fits(t, s.View(), width, height)
			}
		}
	}
	for _, tiny := range []int{0, 1, 2, 3, 5, 8} {
		s.SetSize(tiny, tiny)
		_ = s.View()
	}
}

func TestServerTextReachesTheTerminalWithoutControls(t *testing.T) {
	t.Parallel()
	for _, size := range uitest.Sizes {
		s := open(t, uitest.NewSite(t, uitest.Scenario(t, "hostile")).Site, size.Width, size.Height)
		s.runCheck()
		for _, keys := range []string{"", "enter", "health.failed", "health.failed down down down enter", "health.json", "esc esc esc health.compare", "esc"} {
			s.Press(keys)
			uitest.Harmless(t, s.Draw())
		}
	}
}
