package upgrade_test

import (
	"testing"

	"geodeck/adminapi/simulator"
	"geodeck/ui/views/uitest"
)

// atEachSize runs a story on a fresh site at each size.
func atEachSize(t *testing.T, name string, story func(t *testing.T, s *screen)) {
	t.Helper()
	for _, size := range uitest.Sizes {
		t.Run(size.Name, func(t *testing.T) {
			t.Parallel()
			story(t, open(t, siteOf(t, name), size.Width, size.Height))
		})
	}
}

func TestScreenPicker(t *testing.T) {
	t.Parallel()
	atEachSize(t, "healthy", func(t *testing.T, s *screen) { s.Golden() })
}

func TestScreenPickerDetail(t *testing.T) {
	t.Parallel()
	atEachSize(t, "healthy", func(t *testing.T, s *screen) {
		s.Press("G enter")
		s.Golden()
	})
}

func TestScreenPickerRequiredFirst(t *testing.T) {
	t.Parallel()
	atEachSize(t, "required-patch-first", func(t *testing.T, s *screen) {
		s.Press("G")
		s.Golden()
	})
}

func TestScreenPickerWhileAnUpgradeRuns(t *testing.T) {
	t.Parallel()
	atEachSize(t, "elses-upgrade", func(t *testing.T, s *screen) { s.Golden() })
}

func TestScreenPickerEmpty(t *testing.T) {
	t.Parallel()
	atEachSize(t, "empty-manifest", func(t *testing.T, s *screen) { s.Golden() })
}

func TestScreenPreflight(t *testing.T) {
	t.Parallel()
	atEachSize(t, "healthy", func(t *testing.T, s *screen) {
		s.choose(true)
		s.Golden()
	})
}

func TestScreenPreflightBlocked(t *testing.T) {
	t.Parallel()
	atEachSize(t, "required-patch-first", func(t *testing.T, s *screen) {
		s.choose(true)
		s.Golden()
	})
}

func TestScreenSettings(t *testing.T) {
	t.Parallel()
	atEachSize(t, "healthy", func(t *testing.T, s *screen) {
		s.choose(true)
		s.clear()
		s.Press("ctrl+t")
		s.Write("/no/such/licence.json")
		s.Golden()
	})
}

func TestScreenSettingsOldStyle(t *testing.T) {
	t.Parallel()
	atEachSize(t, "oldest", func(t *testing.T, s *screen) {
		s.choose(true)
		s.clear()
		s.Golden()
	})
}

func TestScreenReview(t *testing.T) {
	t.Parallel()
	atEachSize(t, "healthy", func(t *testing.T, s *screen) {
		releaseReviewed(t, s)
		s.Golden()
	})
}

func TestScreenReviewTyping(t *testing.T) {
	t.Parallel()
	atEachSize(t, "healthy", func(t *testing.T, s *screen) {
		reviewed(t, s)
		s.Press("enter")
		s.Write("11.5")
		s.Press("enter")
		s.Golden()
	})
}

// lost is a site that answers the first upgrade with a page of its proxy, and
// begins nothing.
func lost(t *testing.T) simulator.Scenario {
	sc := uitest.Scenario(t, "answer-lost-not-performed")
	sc.Faults = []simulator.Fault{{Path: "admin/system/upgrades/upgrade", Method: "POST", What: "html", Status: 502, Times: 1}}
	return sc
}

func TestScreenUnknownOutcome(t *testing.T) {
	t.Parallel()
	for _, size := range uitest.Sizes {
		for name, steps := range map[string]int{"first": 17, "later": 233} {
			t.Run(size.Name+"-"+name, func(t *testing.T) {
				t.Parallel()
				s := open(t, uitest.NewSite(t, lost(t)).Site, size.Width, size.Height)
				reviewed(t, s)
				uitest.Run(s.Model, s.confirmed("11.5.0.6805"), steps)
				s.Golden()
			})
		}
	}
}

func TestScreenRefused(t *testing.T) {
	t.Parallel()
	atEachSize(t, "wrong-licence", func(t *testing.T, s *screen) {
		releaseReviewed(t, s)
		uitest.Drain(t, s.Model, s.confirmed("12.0.0"))
		s.Shows("The site refused it:")
	})
}

func TestScreenStarting(t *testing.T) {
	t.Parallel()
	atEachSize(t, "healthy", func(t *testing.T, s *screen) {
		releaseReviewed(t, s)
		_ = s.confirmed("12.0.0")
		s.Golden()
	})
}

func TestScreenInColor(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Env(t, siteOf(t, "required-patch-first"), uitest.ColorTheme()), 120, 35)
	s.choose(true)
	s.Golden()
}
