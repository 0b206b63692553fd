package rules_test

import (
	"testing"

	"geodeck/ui/uitest"
)

func TestKeysActOnTheRowUnderTheCursorAtOnce(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{
		"down down down rules.edit", "down down down enter", "down down down rules.delete", "down down down rules.add", "down down down rules.add-term",
		"down down down rules.duplicate", "rows.bottom space", "down down down rules.copy", "down down down rules.panel", "down down down right",
		"rows.bottom right", "rows.bottom right", "rows.bottom rules.delete", "rows.bottom rules.edit", "rows.bottom rules.panel",
	} {
		t.Run(keys, func(t *testing.T) {
			t.Parallel()
			uitest.SameInAHurry(t, func(t *testing.T) *uitest.Part { return open(t, file(t, "policy.json")).Part }, keys)
		})
	}
}
