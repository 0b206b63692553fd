package health_test

import (
	"testing"

	"geodeck/ui/uitest"
)

func TestACursorKeyAllocatesLittle(t *testing.T) {
	for _, c := range []struct{ screen, keys string }{
		{"the reports", ""}, {"the tree", "enter"}, {"a test", "enter down down enter"},
		{"the comparison", "health.compare"}, {"the JSON", "enter health.json"},
	} {
		t.Run(c.screen, func(t *testing.T) {
			s := openIn(t, uitest.Env(t, siteOf(t, "degraded"), uitest.ColorTheme()), 120, 35)
			s.runCheck()
			s.Press(c.keys)
			s.KeyCosts(uitest.Cursor, "down", "up")
		})
	}
}
