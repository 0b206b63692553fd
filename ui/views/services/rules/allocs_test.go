package rules_test

import (
	"runtime"
	"testing"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// What a cursor key may allocate, the frame after it included,.
func TestACursorKeyAllocatesLittle(t *testing.T) {
	for _, c := range []struct {
		name, before  string
		width, height int
		allocs        float64
		bytes         uint64
	}{
		{"rules", "", 118, 34, 100, 40 << 10},
		{"nodes", "right", 118, 34, 100, 40 << 10},
		{"checks", "p right", 118, 34, 100, 40 << 10},
		{"advice", "p p p right", 118, 34, 100, 40 << 10},
		{"all panels", "", 198, 50, 130, 100 << 10},
		{"below", "", 78, 17, 100, 40 << 10},
		{"json", "p p right", 118, 34, 100, 40 << 10},
	} {
		s := openIn(t, uitest.ColorTheme(), c.width, c.height, file(t, "policy.json"))
		s.Press("g down down down down " + c.before)
		keys, n := [2]string{"down", "up"}, 0
		one := func() {
			_, _, _ = views.Press(s, keys[n%2])
			views.Footer(s.Commands(), s.Footer()...)
			_ = s.View()
			n++
		}
		for range 8 {
			one()
		}
		allocs := testing.AllocsPerRun(100, one)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range 100 {
			one()
		}
		runtime.ReadMemStats(&after)
		size := (after.TotalAlloc - before.TotalAlloc) / 100
		t.Logf("%s: %.0f allocations, %d bytes", c.name, allocs, size)
		if allocs > c.allocs || size > c.bytes {
			t.Errorf("%s: %.0f allocations and %d bytes are more than %.0f and %d", c.name, allocs, size, c.allocs, c.bytes)
		}
	}
}
