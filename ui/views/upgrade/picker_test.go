package upgrade_test

import (
	"strings"
	"testing"

	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
)

func TestOffersAreAChainThatCanBeFilteredAndSorted(t *testing.T) {
	s := open(t, siteOf(t, "required-patch-first"), 120, 35)
	s.Shows("11.5.0.6805", "12.0.0.7286", "required first", "brings 3 upd")
	s.Press("f")
	s.Hides("12.0.0.7286  ")
	s.Shows("applicable only")
	s.Press("esc s")
	s.Shows("newest first")
	s.Press("/")
	s.Write("release")
	s.Press("enter")
	s.Shows("1 of 6")
	s.Hides("11.5.0.6805")
}

func TestTheDetailTellsWhatComesAlongAndWhatIsWantedFirst(t *testing.T) {
	s := open(t, siteOf(t, "required-patch-first"), 200, 55)
	s.Press("G")
	s.Shows("Wants first", "pat_07102025_6820", "a new one is needed", "Containers: 47", "Left out")
}

func TestInstalledAndHistoryAreReadWhenTheyAreLookedAt(t *testing.T) {
	s := open(t, siteOf(t, "healthy"), 120, 35)
	s.Press("]")
	s.Shows("Release 11.5", "A release cannot be taken back.")
	s.Press("]")
	s.Shows("No upgrade and no rollback is recorded.")
	s.Press("esc")
	s.Shows("11.5.0.6805")
}

func TestWhileAnUpgradeRunsTheTabOffersToWatchIt(t *testing.T) {
	s := open(t, siteOf(t, "elses-upgrade"), 120, 35)
	s.Shows("An upgrade is running")
	up := s.Press("w")
	if to := uitest.Find[views.Navigate](t, up); to.View != "progress" {
		t.Errorf("w leads to %q", to.View)
	}
}

func TestTheJSONOfAnUpdateIsShownAndLeft(t *testing.T) {
	s := open(t, siteOf(t, "healthy"), 120, 35)
	s.Press("v")
	s.Shows(`"pat_12082025_6805"`)
	s.Press("esc")
	s.Shows("Offered")
}

func TestNothingOfTheSiteReachesTheTerminalUncleaned(t *testing.T) {
	s := open(t, siteOf(t, "hostile"), 200, 55)
	for range 8 {
		uitest.Harmless(t, s.Draw())
		s.Press("down")
	}
	if strings.Contains(s.Draw(), "\x1b") {
		t.Error("an escape sequence is on the screen")
	}
}
