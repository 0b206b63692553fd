package upgrade_test

import (
	"strings"
	"testing"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestWarningsAreAcknowledgedOneByOneAndBlockersStop(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.choose(false)
	s.Shows("2 warnings to acknowledge")
	notices(t, s.Press("n"), "2 warnings left")
	s.Press("enter enter enter")
	s.Shows("1 warning to acknowledge")
	s.Press("r")
	s.Shows("1 warning to acknowledge")

	s = show(t, "old") // which shows neither health nor placement
	s.choose(false)
	s.Shows("2 open checks to acknowledge")

	s = show(t, "required-patch-first")
	s.Press("G u")
	s.Shows("Something stops this upgrade", "✗ blocking", "What to do")
	s.Press("space enter n")
	s.Shows("Something stops this upgrade")
}

func TestWhatIsSaidOfACheckFollowsAtRest(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	s.choose(false)
	before := s.Line(`": `)
	views.Press(s, "down")
	if now := s.Line(`": `); now != before {
		t.Errorf("while the cursor moves %q becomes %q", before, now)
	}
	s.Rest()
	if s.Line(`": `) == before {
		t.Errorf("at rest it is still %q", before)
	}
}

func TestOnlyAWarningThatWasToBeReadIsAcknowledged(t *testing.T) {
	t.Parallel()
	for _, act := range []string{"space", "enter"} {
		s := show(t, "healthy")
		s.choose(false)
		s.Hurry("space") // the first is shown with its text
		s.Shows("1 warning to acknowledge")
		for range 3 {
			s.Hurry("G " + act)
			before := s.Line(`": `)
			s.Tells(s.Hurry(act), "Read the warning, then press the key again.")
			if s.Shows("1 warning to acknowledge"); before != s.Line(`": `) || !strings.Contains(before, "warning") {
				t.Errorf("with the note there is %q, and then %q", before, s.Line(`": `))
			}
			s.Hurry("g")
		}
		s.Tells(s.Hurry("n "+act), "1 warning left to acknowledge") // which moves there
		s.Shows("1 warning to acknowledge")
		s.Rest()
		s.Hurry(act)
		s.Hides("to acknowledge")
	}
}

func TestAHealthCheckIsRunFromHereAndReadOnTheWayBack(t *testing.T) {
	t.Parallel()
	s := recorded(t, "healthy")
	s.choose(false)
	if to := uitest.Find[views.Navigate](t, s.Press("c")); to.View != "health" || to.Command != "health.run" {
		t.Errorf("leads to %+v", to)
	}
	before := s.wire.Sent("GET mode")
	uitest.Drain(t, s.Model, s.Focus())
	if s.wire.Sent("GET mode") == before {
		t.Error("the facts were not read again")
	}
}

func TestAnUpgradeThatBeganMeanwhileStopsThePreflight(t *testing.T) {
	t.Parallel()
	s := show(t, "elses-upgrade-soon")
	s.Press("u")
	s.Press("r")
	s.Shows("Something stops this upgrade", "An upgrade is running.")
	leadsTo(t, s.Press("w"), "progress")
}

func TestNothingBelowUpgradesIsReadAfterAnUpgradeHasBegun(t *testing.T) {
	t.Parallel()
	s := recorded(t, "healthy")
	s.startElsewhere()
	settings, config := s.wire.Sent("POST getUpgradeSettings"), s.wire.Sent("GET config")
	s.Press("u")
	s.Shows("Something stops this upgrade", "An upgrade is running.")
	if s.wire.Sent("POST getUpgradeSettings") != settings || s.wire.Sent("GET config") != config {
		t.Error("resources below Upgrades were asked while an upgrade runs")
	}
}

func TestABadHealthReportIsAcknowledgedAgainAfterAnotherRun(t *testing.T) {
	t.Parallel()
	s := show(t, "degraded")
	s.choose(false)
	for range 12 { // one by one
		s.Press("n space")
		if !strings.Contains(s.Draw(), "to acknowledge") {
			break
		}
	}
	s.Hides("to acknowledge")
	s.Press("c")
	uitest.Drain(t, s.Model, s.Focus())
	s.Shows("1 warning to acknowledge", "The site is healthy")
}
