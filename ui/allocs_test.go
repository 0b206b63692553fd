package ui_test

import (
	"runtime"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/simulator"
	"geodeck/ui"
	"geodeck/ui/uitest"
)

// keyCost is what a cursor key may allocate, the frame after it included.
type keyCost struct {
	screen   string
	scenario string
	keys     []string // lead to the screen; each is followed by rest
	see      string   // is on it
	press    [2]string
	allocs   float64
	bytes    uint64
}

// What is measured is a screen of 120x40, on which the key before has left nothing to read.
var keyCosts = []keyCost{
	{"reports", "", nil, "1 of 12", [2]string{"down", "up"}, 0, 0},
	{"tree of a report", "", []string{"enter"}, "", [2]string{"down", "up"}, 0, 0},
	{"versions", "", []string{"2"}, "", [2]string{"down", "up"}, 0, 0},
	{"services", "", []string{"3"}, "", [2]string{"down", "up"}, 0, 0},
	{"definition", "", []string{"3", "down", "down", "enter"}, "", [2]string{"down", "up"}, 0, 0},
	{"placement", "", []string{"3", "down", "down", "enter", "tab"}, "", [2]string{"down", "up"}, 0, 0},
	{"history", "", []string{"3", "down", "down", "enter", "tab", "tab"}, "", [2]string{"down", "up"}, 0, 0},
	{"status", "", []string{"3", "down", "down", "enter", "tab", "tab", "tab"}, "", [2]string{"down", "up"}, 0, 0},
	{"messages", "patch-succeeds", []string{"4", "tab"}, "", [2]string{"down", "up"}, 0, 0},
	{"activity", "", []string{"5"}, "", [2]string{"down", "up"}, 0, 0},
	{"help", "", []string{"?"}, "", [2]string{"down", "up"}, 0, 0},
}

func TestACursorKeyAllocatesLittle(t *testing.T) {
	for _, c := range keyCosts {
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
			t.Log("\n" + d.model.View())
			keys := []tea.KeyMsg{uitest.Key(c.press[0]), uitest.Key(c.press[1])}
			n := 0
			one := func() {
				_, _ = d.model.Update(keys[n%2])
				_ = d.model.View()
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
			t.Logf("%s: %.0f allocations, %d bytes", c.screen, allocs, (after.TotalAlloc-before.TotalAlloc)/100)
		})
	}
}
