package upgrade_test

import (
	"strings"
	"testing"

	"geodeck/ui/views"
	"geodeck/ui/views/uitest"
)

func TestOffersAreAChainThatCanBeFilteredAndSorted(t *testing.T) {
	s := open(t, siteOf(t, "required-patch-first"), 120, 35)
	s.shows("11.5.0.6805", "12.0.0.7286", "required first", "brings 3 upd")
	s.press("f")
	s.hides("12.0.0.7286  ")
	s.shows("applicable only")
	s.press("esc s")
	s.shows("newest first")
	s.press("/")
	s.write("release")
	s.press("enter")
	s.shows("1 of 6")
	s.hides("11.5.0.6805")
}

func TestTheDetailTellsWhatComesAlongAndWhatIsWantedFirst(t *testing.T) {
	s := open(t, siteOf(t, "required-patch-first"), 200, 55)
	s.press("G")
	s.shows("Wants first", "pat_07102025_6820", "a new one is needed", "Containers: 47", "Left out")
}

func TestInstalledAndHistoryAreReadWhenTheyAreLookedAt(t *testing.T) {
	s := open(t, siteOf(t, "healthy"), 120, 35)
	s.press("]")
	s.shows("Release 11.5", "A release cannot be taken back.")
	s.press("]")
	s.shows("No upgrade and no rollback is recorded.")
	s.press("esc")
	s.shows("11.5.0.6805")
}

func TestWhileAnUpgradeRunsTheTabOffersToWatchIt(t *testing.T) {
	s := open(t, siteOf(t, "elses-upgrade"), 120, 35)
	s.shows("An upgrade is running")
	up := s.press("w")
	if to := uitest.Find[views.Navigate](t, up); to.View != "progress" {
		t.Errorf("w leads to %q", to.View)
	}
}

func TestTheJSONOfAnUpdateIsShownAndLeft(t *testing.T) {
	s := open(t, siteOf(t, "healthy"), 120, 35)
	s.press("v")
	s.shows(`"pat_12082025_6805"`)
	s.press("esc")
	s.shows("Offered")
}

func TestNothingOfTheSiteReachesTheTerminalUncleaned(t *testing.T) {
	s := open(t, siteOf(t, "hostile"), 200, 55)
	for range 8 {
		uitest.Harmless(t, s.view())
		s.press("down")
	}
	if strings.Contains(s.view(), "\x1b") {
		t.Error("an escape sequence is on the screen")
	}
}
