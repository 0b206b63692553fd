//go:build !race

package services_test

import (
	"runtime"
	"testing"

	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// What a cursor key and the frame after it may allocate on a screen of 120x40. Widgets that say
// something else on each row take more.
const maxAllocs, maxOfWidgets, maxBytes = 100, 200, 40 << 10

func TestACursorKeyAllocatesLittle(t *testing.T) {
	for _, c := range []struct {
		screen, scenario string
		way              func(s *screen)
		widget           bool
	}{
		{"list", "healthy", routes["list"], false},
		{"3,000 services", "many-services", routes["list"], false},
		{"a site that takes no changes", "readonly", routes["list"], false},
		{"marked", "healthy", routes["marked"], false},
		{"down", "no-node", routes["list"], false},
		{"filtered", "healthy", func(s *screen) { s.Press("/"); s.Type("map"); s.Press("enter") }, false},
		{"definition", "healthy", routes["editor"], false},
		{"placement", "healthy", routes["rules"], true},
		{"pods", "healthy", func(s *screen) { s.rules(); s.Invoke("services.pods", "") }, false},
		{"history", "healthy", routes["history"], false},
		{"status", "healthy", routes["status"], false},
		{"status of what is down", "no-node", routes["status"], false},
		{"comparison", "healthy", routes["to now"], false},
		{"review", "healthy", routes["review"], true},
		{"request", "healthy", func(s *screen) { routes["review"](s); s.Press("v") }, false},
		{"review of several", "healthy", several, false},
		{"review of rules", "healthy", routes["rules review"], true},
		{"result", "healthy", routes["result"], false},
		{"result of rules", "healthy", routes["rules result"], false},
		{"lost answer", "edit-answer-lost-not-performed", routes["result"], false},
		{"conflict", "edit-elses", func(s *screen) { s.cities().set("maxIdleTime", "1000"); s.send() }, false},
	} {
		t.Run(c.screen, func(t *testing.T) {
			sim := uitest.NewSite(t, uitest.Scenario(t, c.scenario))
			site, wire := sim.Counted(t)
			s := openOn(t, &screen{t: t, site: site, wire: wire, theme: uitest.ColorTheme(), nodes: operation.NodeSource{Demo: sim.Server.Nodes}}, uitest.Sizes[1])
			c.way(s)
			s.Rest()
			keys, n := []string{"down", "up"}, 0
			one := func() {
				_, _, _ = views.Press(s.Model, keys[n%2])
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
			most := map[bool]float64{false: maxAllocs, true: maxOfWidgets}[c.widget]
			if allocs > most || bytes > maxBytes {
				t.Errorf("%.0f allocations, %d bytes", allocs, bytes)
			}
		})
	}
}
