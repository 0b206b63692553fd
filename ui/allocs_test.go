package ui_test

import (
	"testing"

	"geodeck/adminapi/simulator"
	"geodeck/ui"
	"geodeck/ui/uitest"
)

// wholeProgram is what a cursor key costs with all that is around a view.
var wholeProgram = uitest.Cost{Allocs: 120, Bytes: 48 << 10}

func TestACursorKeyAllocatesLittle(t *testing.T) {
	for _, c := range []struct {
		screen   string
		scenario string
		keys     []string // lead to the screen; each is followed by rest
	}{
		{"reports", "", nil},
		{"tree of a report", "", []string{"enter"}},
		{"versions", "", []string{"view.upgrade"}},
		{"installed versions", "", []string{"view.upgrade", "upgrade.next-list"}},
		{"services", "", []string{"view.services"}},
		{"3,000 services", "many-services", []string{"view.services"}},
		{"definition", "", []string{"view.services", "down", "down", "enter"}},
		{"placement", "", []string{"view.services", "down", "down", "enter", "tab"}},
		{"status", "", []string{"view.services", "down", "down", "enter", "tab", "tab", "tab"}},
		{"jobs", "", []string{"view.activity"}},
		{"help", "", []string{"help", "down", "down"}},
	} {
		t.Run(c.screen, func(t *testing.T) {
			scenario := simulator.Scenario{Name: "frame"}
			if c.scenario != "" {
				scenario = uitest.Scenario(t, c.scenario)
			}
			site := signedInSite(t, scenario)
			d := start(t, ui.Options{Site: site, Clock: site.Clock, Theme: uitest.ColorTheme()}, 120, 40, ui.Makers()...)
			d.idle()
			for _, key := range c.keys {
				d.keys(key)
				d.idle()
			}
			wholeProgram.Holds(t, func(key string) {
				_, _ = d.model.Update(uitest.Key(key))
				_ = d.model.View()
			}, "down", "up")
		})
	}
}
