package services_test

import (
	"testing"

	"geodeck/adminapi/operation/nodesource"
	"geodeck/ui/uitest"
)

func TestACursorKeyAllocatesLittle(t *testing.T) {
	for _, c := range []struct {
		screen, scenario string
		way              func(s *screen)
		review           bool // says something else on each row, which costs more
	}{
		{"list", "healthy", routes["list"], false},
		{"3,000 services", "many-services", routes["list"], false},
		{"a site that takes no changes", "readonly", routes["list"], false},
		{"marked", "healthy", routes["marked"], false},
		{"down", "no-node", routes["list"], false},
		{"filtered", "healthy", func(s *screen) { s.Press("rows.filter"); s.Type("map"); s.Press("enter") }, false},
		{"definition", "healthy", routes["editor"], false},
		{"placement", "healthy", routes["rules"], false},
		{"pods", "healthy", func(s *screen) { s.rules(); s.Invoke("services.pods", "") }, false},
		{"history", "healthy", routes["history"], false},
		{"status", "healthy", routes["status"], false},
		{"status of what is down", "no-node", routes["status"], false},
		{"comparison", "healthy", routes["to now"], false},
		{"review", "healthy", routes["review"], true},
		{"request", "healthy", func(s *screen) { routes["review"](s); s.Press("services.request") }, false},
		{"review of several", "healthy", several, true},
		{"review of rules", "healthy", routes["rules review"], true},
		{"result", "healthy", routes["result"], false},
		{"result of rules", "healthy", routes["rules result"], false},
		{"lost answer", "edit-answer-lost-not-performed", routes["result"], false},
		{"conflict", "edit-elses", func(s *screen) { s.cities().set("maxIdleTime", "1000"); s.send() }, false},
	} {
		t.Run(c.screen, func(t *testing.T) {
			sim := uitest.NewSite(t, uitest.Scenario(t, c.scenario))
			site, wire := sim.Counted(t)
			s := openOn(t, &screen{t: t, site: site, wire: wire, theme: uitest.ColorTheme(), nodes: nodesource.Source{Demo: sim.Server.Nodes}}, uitest.Sizes[1])
			c.way(s)
			s.Rest()
			most := uitest.Cursor
			if c.review {
				most.Allocs = 150
			}
			s.KeyCosts(most, "down", "up")
		})
	}
}
