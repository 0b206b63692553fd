package jsonedit_test

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
		{"tree", "", 118, 34, 100, 40 << 10},
		{"changed", "jsonedit.delete down jsonedit.delete", 118, 34, 100, 40 << 10},
		{"search", "rows.filter rows.filter s e t enter", 118, 34, 100, 40 << 10},
		{"text", "rows.top jsonedit.text down down", 118, 34, 100, 40 << 10},
		{"beside", "", 198, 50, 100, 80 << 10},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := openIn(t, uitest.ColorTheme(), c.width, c.height, long(1000))
			s.Press("g down down down down " + c.before)
			s.KeyCosts(uitest.Cost{Allocs: c.allocs, Bytes: c.bytes}, "down", "up")
		})
	}
}
