package upgrade_test

import (
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestWarningsAreAcknowledgedOneByOneAndBlockersStop(t *testing.T) {
	t.Parallel()
	s := open(t, siteOf(t, "healthy"), 120, 35)
	s.choose(false)
	s.Shows("2 warnings to acknowledge")
	if text := uitest.NoticeText(t, s.Press("n")); !strings.Contains(text, "2 warnings left") {
		t.Errorf("told %q", text)
	}
	s.Press("enter enter enter")
	s.Shows("1 warning to acknowledge")
	s.Press("r")
	s.Shows("1 warning to acknowledge")

	s = open(t, siteOf(t, "required-patch-first"), 120, 35)
	s.Press("G u")
	s.Shows("Something stops this upgrade", "✗ blocking", "What to do")
	s.Press("space enter n")
	s.Shows("Something stops this upgrade")
}

func TestAHealthCheckIsRunFromHereAndReadOnTheWayBack(t *testing.T) {
	t.Parallel()
	site, wire := counted(t, "healthy")
	s := open(t, site, 120, 35)
	s.choose(false)
	if to := uitest.Find[views.Navigate](t, s.Press("c")); to.View != "health" || to.Command != "health.run" {
		t.Errorf("leads to %+v", to)
	}
	before := wire.Sent("GET mode")
	uitest.Drain(t, s.Model, s.Focus())
	if wire.Sent("GET mode") == before {
		t.Error("the facts were not read again")
	}
}

func TestAnUpgradeThatBeganMeanwhileStopsThePreflight(t *testing.T) {
	t.Parallel()
	s := open(t, siteOf(t, "elses-upgrade-soon"), 120, 35)
	s.Press("u")
	s.Press("r")
	s.Shows("Something stops this upgrade", "An upgrade is running.")
	if to := uitest.Find[views.Navigate](t, s.Press("w")); to.View != "progress" {
		t.Errorf("w leads to %q", to.View)
	}
}

func TestWhatIsBelowUpgradesIsNotAskedOfASiteThatHasBegunOneSinceTheListWasRead(t *testing.T) {
	t.Parallel()
	site, wire := counted(t, "healthy")
	s := open(t, site, 120, 35)
	offer, err := site.Offers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ask := operation.UpgradeRequest{Target: offer.Chain.Entries[0].Update}
	if ask.Settings, err = site.UpgradeSettings(t.Context(), ask.Target); err != nil {
		t.Fatal(err)
	}
	if _, outcome, err := site.StartUpgrade(t.Context(), ask, nil); outcome != adminapi.OutcomeDone {
		t.Fatal(err)
	}
	settings, config := wire.Sent("POST getUpgradeSettings"), wire.Sent("GET config")
	s.Press("u")
	s.Shows("Something stops this upgrade", "An upgrade is running.")
	if wire.Sent("POST getUpgradeSettings") != settings || wire.Sent("GET config") != config {
		t.Error("resources below Upgrades were asked while an upgrade runs")
	}
}

func TestAHealthReportThatIsNotGoodIsAcknowledgedAnewAfterAnotherRun(t *testing.T) {
	t.Parallel()
	s := open(t, siteOf(t, "degraded"), 120, 35)
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
