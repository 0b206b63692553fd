package jsonedit_test

import (
	"testing"

	"geodeck/ui/uitest"
)

func TestKeysActOnTheLineUnderTheCursorAtOnce(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{
		"down down jsonedit.edit", "down down jsonedit.delete", "down down jsonedit.add", "down down jsonedit.text", "down down jsonedit.rename", "down down jsonedit.move-up", "down down jsonedit.move-down",
		"down down jsonedit.copy", "down down jsonedit.copy-path", "down down enter",
	} {
		t.Run(keys, func(t *testing.T) {
			t.Parallel()
			uitest.SameInAHurry(t, func(t *testing.T) *uitest.Part { return open(t, definition(t)).Part }, keys)
		})
	}
}
