package rules_test

import (
	"testing"

	"geodeck/ui/uitest"
)

func TestKeysActOnTheRowUnderTheCursorAtOnce(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{
		"down down down e", "down down down enter", "down down down d", "down down down a", "down down down A",
		"down down down c", "G space", "down down down y", "down down down p", "down down down right",
		"G right", "G right", "G d", "G e", "G p",
	} {
		t.Run(keys, func(t *testing.T) {
			t.Parallel()
			uitest.SameInAHurry(t, func(t *testing.T) *uitest.Part { return open(t, file(t, "policy.json")).Part }, keys)
		})
	}
}
