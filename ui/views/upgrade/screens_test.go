package upgrade_test

import (
	"slices"
	"testing"

	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest"
)

// The sizes of which a screen has a golden: the usual and the smallest, and the largest where
// there is more room to fill.
var (
	usual = []string{"120x40", "80x24"}
	wide  = []string{"120x40", "80x24", "200x60"}
)

// atEachSize runs a story on a fresh site at each size. What counts is in sight everywhere,
// and a golden holds the rest at some sizes.
func atEachSize(t *testing.T, goldens []string, scenario simulator.Scenario, story func(s *screen), inSight ...string) {
	t.Helper()
	for _, size := range uitest.Sizes {
		t.Run(size.Name, func(t *testing.T) {
			t.Parallel()
			s := open(t, uitest.NewSite(t, scenario).Site, size.Width, size.Height)
			story(s)
			s.Shows(inSight...)
			if size.Name == usual[0] {
				uitest.Pure(t, s.Model)
			}
			if slices.Contains(goldens, size.Name) {
				s.Golden()
			}
		})
	}
}

func TestScreenPicker(t *testing.T) {
	t.Parallel()
	atEachSize(t, wide, uitest.Scenario(t, "healthy"), func(*screen) {}, "installed 11.5.0.6745", "Offered", "11.5.0.6805", "recommended", "12.0.0.7286", "no new")
}

func TestScreenPickerDetail(t *testing.T) {
	t.Parallel()
	atEachSize(t, wide, uitest.Scenario(t, "healthy"), func(s *screen) { s.Press("rows.bottom tab") }, "Details", "Release 12.0", "Skips")
}

func TestScreenPickerRequiredFirst(t *testing.T) {
	t.Parallel()
	atEachSize(t, usual, uitest.Scenario(t, "required-patch-first"), func(s *screen) { s.Press("rows.bottom") }, "12.0.0.7286", "! requires 6820")
}

func TestScreenPickerWhileAnUpgradeRuns(t *testing.T) {
	t.Parallel()
	atEachSize(t, usual, uitest.Scenario(t, "elses-upgrade"), func(*screen) {}, "An upgrade is running", "enter watch it", "R refresh")
}

func TestScreenPickerEmpty(t *testing.T) {
	t.Parallel()
	atEachSize(t, usual, uitest.Scenario(t, "empty-manifest"), func(*screen) {}, "Nothing is offered", "press I")
}

func TestScreenPreflight(t *testing.T) {
	t.Parallel()
	atEachSize(t, usual, uitest.Scenario(t, "healthy"), func(s *screen) { s.choose(true) },
		"2 cautions to accept  ", "updated 15:05:00", "› [ ] ! caution   Health", "Next ", "Existing faults")
}

func TestScreenPreflightBlocked(t *testing.T) {
	t.Parallel()
	atEachSize(t, usual, uitest.Scenario(t, "required-patch-first"), func(s *screen) { s.choose(true) },
		"1 check blocks this upgrade.", "›     ✗ blocking  Required updates", "Install that one, then come back.")
}

func TestScreenSettings(t *testing.T) {
	t.Parallel()
	atEachSize(t, usual, uitest.Scenario(t, "healthy"), func(s *screen) {
		s.toSettings(true)
		s.Press("ctrl+t")
		s.Type("/no/such/licence.json")
	}, "Upgrade settings", "Install the latest patch too", "Licence file *", "There is no file /no/such/licence.json.", "Drafts are not saved")
}

func TestScreenSettingsOldStyle(t *testing.T) {
	t.Parallel()
	atEachSize(t, usual, uitest.Scenario(t, "oldest"), func(s *screen) { s.toSettings(true) }, "Upgrade settings", "Licence file *", "not answered")
}

func TestScreenReview(t *testing.T) {
	t.Parallel()
	atEachSize(t, wide, uitest.Scenario(t, "healthy"), func(s *screen) { s.releaseReview() },
		"11.5.0.6745", "12.0.0.7286 (Release 12.0)", "Findings", "licence.json", "Only a backup restores it", "(v)", "Press enter, then type 12.0.0.7286 or 12.0.0 to confirm")
}

func TestScreenReviewTyping(t *testing.T) {
	t.Parallel()
	atEachSize(t, usual, uitest.Scenario(t, "healthy"), func(s *screen) {
		s.patchReview()
		s.Press("enter")
		s.Type("11.5")
		s.Press("enter")
	}, "To start, type 11.5.0.6805", ": 11.5", "The version does not match.")
}

// lost is a site that answers the first upgrade with a page of its proxy, and
// begins nothing.
func lost(t *testing.T) simulator.Scenario {
	sc := uitest.Scenario(t, "answer-lost-not-performed")
	sc.Faults = []simulator.Fault{{Path: "admin/system/upgrades/upgrade", Method: "POST", What: "html", Status: 502, Times: 1}}
	return sc
}

// unknownOutcome starts an upgrade whose answer is lost, and runs that many commands.
func unknownOutcome(commands int) func(*screen) {
	return func(s *screen) {
		s.patchReview()
		uitest.Run(s.Model, s.confirmed("11.5.0.6805"), commands)
	}
}

func TestScreenUnknownOutcome(t *testing.T) {
	t.Parallel()
	atEachSize(t, usual, lost(t), unknownOutcome(18), "No answer came: the outcome is unknown", "Sent           15:05:00", "R look for it now", "esc stop waiting")
}

func TestScreenUnknownOutcomeLater(t *testing.T) {
	t.Parallel()
	atEachSize(t, usual, lost(t), unknownOutcome(234), "No upgrade was seen to start", "A slow site may still start it", "R look for it now", "esc stop waiting")
}

func TestScreenRefused(t *testing.T) {
	t.Parallel()
	atEachSize(t, nil, uitest.Scenario(t, "wrong-licence"), func(s *screen) {
		s.releaseReview()
		s.confirm("12.0.0")
	}, "The site refused it:")
}

func TestScreenStarting(t *testing.T) {
	t.Parallel()
	atEachSize(t, usual, uitest.Scenario(t, "healthy"), func(s *screen) {
		s.releaseReview()
		_ = s.confirmed("12.0.0")
	}, "Starting 12.0.0.7286", "Preparing", "Sent once, never retried.")
}

func TestScreenInColor(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Env(t, siteOf(t, "required-patch-first"), uitest.ColorTheme()), 120, 35)
	s.choose(true)
	s.Golden()
}
