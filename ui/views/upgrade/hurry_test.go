package upgrade_test

import (
	"testing"

	"geodeck/ui/uitest"
)

func TestKeysActOnTheRowUnderTheCursorAtOnce(t *testing.T) {
	t.Parallel()
	for _, on := range []struct {
		scenario, before string
		keys             []string
	}{
		{"healthy", "", []string{ // the picker
			"up up enter", "up up tab", "up up b", "up up v", "up up y", "up up s", "up up f",
		}},
		{"upgraded", "]", []string{"down enter", "down b", "down v", "down y"}}, // what is installed
		{"healthy", "enter", []string{"down n", "down enter", "down esc"}},      // the pre-flight
	} {
		for _, keys := range on.keys {
			t.Run(on.before+" "+keys, func(t *testing.T) {
				t.Parallel()
				uitest.SameInAHurry(t, func(t *testing.T) *uitest.Part {
					s := show(t, on.scenario)
					s.Press(on.before)
					return &s.Part
				}, keys)
			})
		}
	}
}
