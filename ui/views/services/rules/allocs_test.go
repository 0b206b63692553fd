package rules_test

import (
	"testing"

	"geodeck/ui/uitest"
)

func TestACursorKeyAllocatesLittle(t *testing.T) {
	for _, c := range []struct {
		name, before  string
		width, height int
		allocs        float64
		bytes         uint64
	}{
		{"rules", "", 118, 34, 100, 40 << 10},
		{"nodes", "right", 118, 34, 100, 40 << 10},
		{"checks", "rules.panel right", 118, 34, 100, 40 << 10},
		{"advice", "rules.panel rules.panel rules.panel right", 118, 34, 100, 40 << 10},
		{"all panels", "", 198, 50, 130, 100 << 10},
		{"below", "", 78, 17, 100, 40 << 10},
		{"json", "rules.panel rules.panel right", 118, 34, 100, 40 << 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openIn(t, uitest.ColorTheme(), c.width, c.height, file(t, "policy.json"))
			s.Press("g down down down down " + c.before)
			s.KeyCosts(uitest.Cost{Allocs: c.allocs, Bytes: c.bytes}, "down", "up")
		})
	}
}
