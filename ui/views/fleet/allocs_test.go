package fleet_test

import (
	"testing"

	"geodeck/ui/uitest"
)

func TestACursorKeyAllocatesLittle(t *testing.T) {
	for _, c := range []struct{ screen, keys string }{
		{"the sites", ""}, {"a comparison", "rows.bottom space k fleet.compare"},
	} {
		t.Run(c.screen, func(t *testing.T) {
			s := openIn(t, uitest.ColorTheme(), 120, 35, "staging=healthy", "moving=elses-upgrade", "gone=dead", "production!=healthy")
			s.Press(c.keys)
			s.KeyCosts(uitest.Cursor, "down", "up")
		})
	}
}
