package upgrade_test

import (
	"regexp"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
)

// extremes are the smallest and the largest terminal.
var extremes = []uitest.Size{uitest.Sizes[0], uitest.Sizes[2]}

var touching = regexp.MustCompile(`\.\d+20\d\d-\d\d-\d\d`)

func TestOf300UpdatesTheOneToTakeAndWhatItIncludesAreRead(t *testing.T) {
	t.Parallel()
	for _, size := range extremes {
		scenario := uitest.Scenario(t, "healthy")
		scenario.Upgrades.Patches = 300
		s := open(t, uitest.NewSite(t, scenario).Site, size.Width, size.Height)
		s.Shows("305 of 306", "11.5.0.8335 ", "2026-09-30", "recommended", "Newest patch of 11.5, with the 304 before it.")
		if line := touching.FindString(s.Draw()); line != "" {
			t.Errorf("%s: a version touches its day: %s", size.Name, line)
		}
		s.Invoke("upgrade.begin", "")
		s.Shows("to 11.5.0.8335", "2 cautions to accept", "It includes the 304 updates before it, up")
		s.clear()
		s.Shows("From           11.5.0.6745", "To             11.5.0.8335", "304 earlier updates: 11.5.0.6805", "and more", "Undo           A patch", "Nothing has been sent yet.")
	}
}

func TestAClockThatIsHoursOffIsWarnedOfBeforeAnUpgrade(t *testing.T) {
	t.Parallel()
	for said, ahead := range map[string]time.Duration{
		"The site's clock is 3 h 30 min ahead of this machine's.": 3*time.Hour + 30*time.Minute,
		"The site's clock is 5 h 00 min behind this machine's.":   -5 * time.Hour,
	} {
		scenario := uitest.Scenario(t, "healthy")
		scenario.ClockAhead = simulator.Duration{Duration: ahead}
		site := uitest.NewSite(t, scenario).Site
		for _, size := range extremes {
			s := open(t, site, size.Width, size.Height)
			s.choose(false)
			s.Shows("3 cautions to accept", "! caution   Clocks", "2 days old")
			s.Press("j j")
			s.Shows("Found   "+said, "Allow for it when reading times, or correct the clock.")
		}
	}
}
