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
			"up up enter", "up up tab", "up up upgrade.rollback", "up up upgrade.json", "up up upgrade.copy", "up up upgrade.order", "up up upgrade.applicable",
		}},
		{"upgraded", "upgrade.next-list", []string{"down enter", "down upgrade.rollback", "down upgrade.json", "down upgrade.copy"}}, // what is installed
		{"healthy", "enter", []string{"down upgrade.next-open", "down enter", "down esc"}},                                           // the pre-flight
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
