package services_test

import (
	"runtime"
	"testing"

	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// What a cursor key and the frame after it may allocate on a screen of 120x40.
const maxAllocs, maxBytes = 100, 40 << 10

func TestACursorKeyAllocatesLittle(t *testing.T) {
	for _, c := range []struct {
		screen, scenario string
		way              func(s *screen)
	}{
		{"list", "healthy", routes["list"]},
		{"3,000 services", "many-services", routes["list"]},
		{"marked", "healthy", routes["marked"]},
		{"down", "no-node", routes["list"]},
		{"filtered", "healthy", func(s *screen) { s.Press("/"); s.Type("map"); s.Press("enter") }},
		{"definition", "healthy", routes["editor"]},
		{"placement", "healthy", routes["rules"]},
		{"pods", "healthy", func(s *screen) { s.rules(); s.Invoke("services.pods", "") }},
		{"history", "healthy", routes["history"]},
		{"status", "healthy", routes["status"]},
		{"status of what is down", "no-node", routes["status"]},
		{"comparison", "healthy", routes["to now"]},
		{"review", "healthy", routes["review"]},
		{"request", "healthy", func(s *screen) { routes["review"](s); s.Press("v") }},
		{"review of several", "healthy", several},
		{"review of rules", "healthy", routes["rules review"]},
		{"result", "healthy", routes["result"]},
		{"result of rules", "healthy", routes["rules result"]},
		{"lost answer", "edit-answer-lost-not-performed", routes["result"]},
		{"conflict", "edit-elses", func(s *screen) { s.cities().set("maxIdleTime", "1000"); s.send() }},
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
			if allocs > maxAllocs || bytes > maxBytes {
				t.Errorf("%.0f allocations, %d bytes", allocs, bytes)
			}
		})
	}
}
