package upgrade_test

import (
	"runtime"
	"testing"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// What a key and the frame after it may allocate on a screen of 120x40. The widgets of a form draw
// themselves, which takes more.
const (
	maxAllocs, maxBytes = 100, 40 << 10
	maxOfForms          = 1100
)

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
		{"what is installed", "upgraded", func(s *screen) { s.Press("]") }, moves, false},
		{"the history", "upgraded", func(s *screen) { s.Press("] ]") }, moves, false},
		{"the JSON", "healthy", func(s *screen) { s.Press("v") }, moves, false},
		{"the pre-flight", "healthy", func(s *screen) { s.choose(true) }, moves, false},
		{"the settings", "healthy", func(s *screen) { s.toSettings(true) }, []string{"x", "backspace"}, true},
		{"a field of the settings", "healthy", func(s *screen) { s.toSettings(true); s.Type("x") }, []string{"left", "right"}, true},
		{"the review", "healthy", func(s *screen) { s.releaseReview() }, moves, false},
		{"the request", "healthy", func(s *screen) { s.releaseReview(); s.Press("v"); s.Resize(120, 20) }, moves, false},
		{"the version", "healthy", func(s *screen) { s.releaseReview(); s.Press("enter") }, []string{"1", "backspace"}, false},
	} {
		t.Run(c.screen, func(t *testing.T) {
			site := offering(t, 5000)
			if c.scenario != "" {
				site = siteOf(t, c.scenario)
			}
			s := openIn(t, uitest.Env(t, site, uitest.ColorTheme()), 120, 35)
			c.way(s)
			n := 0
			one := func() {
				if key := c.keys[n%len(c.keys)]; s.CapturesText() {
					_ = s.Update(uitest.Key(key))
				} else {
					_, _, _ = views.Press(s.Model, key)
				}
				_ = s.View()
				n++
			}
			for range 4 {
				one()
			}
			allocs := testing.AllocsPerRun(100, one)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			for range 100 {
				one()
			}
			runtime.ReadMemStats(&after)
			bytes := (after.TotalAlloc - before.TotalAlloc) / 100
			t.Logf("%.0f allocations, %d bytes", allocs, bytes)
			if !c.form && (allocs > maxAllocs || bytes > maxBytes) || allocs > maxOfForms {
				t.Errorf("%.0f allocations, %d bytes", allocs, bytes)
			}
		})
	}
}
