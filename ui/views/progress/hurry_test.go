package progress_test

import (
	"testing"

	"geodeck/ui/uitest"
)

func TestKeysActOnTheMessageUnderTheCursorAtOnce(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"up up enter", "up up progress.copy", "up up progress.same-code", "up up progress.previous-phase", "up up space", "up up progress.export"} {
		t.Run(keys, func(t *testing.T) {
			t.Parallel()
			uitest.SameInAHurry(t, func(t *testing.T) *uitest.Part {
				s := open(t, runningSite(t), 120, 35)
				s.next()
				return &s.Part
			}, keys)
		})
	}
}
