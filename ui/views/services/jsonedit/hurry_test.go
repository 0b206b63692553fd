package jsonedit_test

import (
	"testing"

	"geodeck/ui/uitest"
)

func TestKeysActOnTheLineUnderTheCursorAtOnce(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{
		"down down e", "down down d", "down down a", "down down i", "down down f2", "down down K", "down down J",
		"down down y", "down down Y", "down down enter",
	} {
		t.Run(keys, func(t *testing.T) {
			t.Parallel()
			uitest.SameInAHurry(t, func(t *testing.T) *uitest.Part { return open(t, definition(t)).Part }, keys)
		})
	}
}
