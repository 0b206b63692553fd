package ui_test

import (
	"runtime"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/simulator"
	"geodeck/ui"
	"geodeck/ui/uitest"
)

// What a cursor key and the frame after it may allocate, in the whole program at 120x40. The text
// of a frame alone has 10 to 25 KB.
const (
	maxKeyAllocs = 120
	maxKeyBytes  = 48 << 10
)

func TestACursorKeyAllocatesLittle(t *testing.T) {
	for _, c := range []struct {
		screen   string
		scenario string
		keys     []string // lead to the screen; each is followed by rest
	}{
		{"reports", "", nil},
		{"tree of a report", "", []string{"enter"}},
		{"versions", "", []string{"2"}},
		{"installed versions", "", []string{"2", "]"}},
		{"services", "", []string{"3"}},
		{"3,000 services", "many-services", []string{"3"}},
		{"definition", "", []string{"3", "down", "down", "enter"}},
		{"placement", "", []string{"3", "down", "down", "enter", "tab"}},
		{"status", "", []string{"3", "down", "down", "enter", "tab", "tab", "tab"}},
		{"jobs", "", []string{"5"}},
		{"help", "", []string{"?", "down", "down"}},
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
			keys, n := []tea.KeyMsg{uitest.Key("down"), uitest.Key("up")}, 0
			one := func() {
				_, _ = d.model.Update(keys[n%2])
				_ = d.model.View()
				n++
			}
			for range 4 { // the first begin the wait for rest
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
			if allocs > maxKeyAllocs || bytes > maxKeyBytes {
				t.Errorf("a key allocates %.0f times, %d bytes; at most %d and %d", allocs, bytes, maxKeyAllocs, maxKeyBytes)
			}
		})
	}
}
