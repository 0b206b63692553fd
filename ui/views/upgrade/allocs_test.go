package upgrade_test

import (
	"testing"

	"geodeck/ui/uitest"
)

// ofForms is what a key costs in a form, whose widgets draw themselves.
var ofForms = uitest.Cost{Allocs: 1100, Bytes: 160 << 10}

func TestACursorKeyAllocatesLittle(t *testing.T) {
	moves := []string{"down", "up"}
	for _, c := range []struct {
		screen, scenario string
		way              func(s *screen)
		keys             []string
		form             bool
	}{
		{"the offers", "healthy", func(*screen) {}, moves, false},
		{"5,000 offers", "", func(*screen) {}, moves, false},
		{"the details", "healthy", func(s *screen) { s.Press("tab") }, moves, false},
		{"one pane", "healthy", func(s *screen) { s.Resize(80, 19) }, moves, false},
		{"what is installed", "upgraded", func(s *screen) { s.Press("upgrade.next-list") }, moves, false},
		{"the history", "upgraded", func(s *screen) { s.Press("upgrade.next-list upgrade.next-list") }, moves, false},
		{"the JSON", "healthy", func(s *screen) { s.Press("upgrade.json") }, moves, false},
		{"the pre-flight", "healthy", func(s *screen) { s.choose(true) }, moves, false},
		{"the settings", "healthy", func(s *screen) { s.toSettings(true) }, []string{"x", "backspace"}, true},
		{"a field of the settings", "healthy", func(s *screen) { s.toSettings(true); s.Type("x") }, []string{"left", "right"}, true},
		{"the review", "healthy", func(s *screen) { s.releaseReview() }, moves, false},
		{"the request", "healthy", func(s *screen) { s.releaseReview(); s.Press("upgrade.request"); s.Resize(120, 20) }, moves, false},
		{"the version", "healthy", func(s *screen) { s.releaseReview(); s.Press("enter") }, []string{"1", "backspace"}, false},
	} {
		t.Run(c.screen, func(t *testing.T) {
			site := offering(t, 5000)
			if c.scenario != "" {
				site = siteOf(t, c.scenario)
			}
			s := openIn(t, uitest.Env(t, site, uitest.ColorTheme()), 120, 35)
			c.way(s)
			most := uitest.Cursor
			if c.form {
				most = ofForms
			}
			s.KeyCosts(most, c.keys...)
		})
	}
}
