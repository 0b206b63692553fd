package fleet_test

import (
	"runtime"
	"testing"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// What a cursor key and the frame after it may allocate on a screen of 120x40.
const (
	maxAllocs = 100
	maxBytes  = 40 << 10
)

func TestACursorKeyAllocatesLittle(t *testing.T) {
	for _, c := range []struct{ screen, keys string }{
		{"the sites", ""}, {"a comparison", "G space k C"},
	} {
		t.Run(c.screen, func(t *testing.T) {
			s := openIn(t, uitest.ColorTheme(), 120, 35, "staging=healthy", "moving=elses-upgrade", "gone=dead", "production!=healthy")
			s.Press(c.keys)
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
