package activity_test

import (
	"testing"

	"geodeck/ui/uitest"
	"geodeck/ui/views/activity"
)

func TestACursorKeyAllocatesLittle(t *testing.T) {
	for _, c := range []struct{ screen, keys string }{
		{"jobs", ""}, {"record", "tab"}, {"a job", "enter"}, {"a record", "tab enter"}, {"the JSON", "activity.json"},
	} {
		t.Run(c.screen, func(t *testing.T) {
			env := uitest.Env(t, worked(t).Site, uitest.ColorTheme())
			m := activity.New(env)
			s := &screen{Model: m, Screen: uitest.NewScreen(t, m, 120, 35), t: t, env: env}
			s.Start()
			s.Press(c.keys)
			s.KeyCosts(uitest.Cursor, "down", "up")
		})
	}
}
