package progress_test

import (
	"testing"
	"time"

	"geodeck/ui/views/uitest"
)

// atEachSize runs a story at each size and compares the screen at its end.
func atEachSize(t *testing.T, story func(t *testing.T, width, height int) *screen) {
	t.Helper()
	for _, size := range sizes {
		t.Run(size.name, func(t *testing.T) {
			s := story(t, size.width, size.height)
			uitest.Golden(t, s.view())
		})
	}
}

func TestScreenRunning(t *testing.T) {
	atEachSize(t, func(t *testing.T, width, height int) *screen {
		s := open(t, somebodyElses(t), width, height)
		s.next()
		s.pass(7 * time.Second)
		return s
	})
}

func TestScreenAway(t *testing.T) {
	atEachSize(t, func(t *testing.T, width, height int) *screen {
		s := open(t, somebodyElses(t, away(1, 0)), width, height)
		s.next()
		s.pass(2 * time.Second)
		s.next()
		s.pass(20 * time.Second)
		s.next()
		// The pause after a failure has jitter; its end is at a fixed time here.
		s.env.Upgrade.Next = s.env.Clock.Now().Add(4 * time.Second)
		return s
	})
}

func TestScreenEnded(t *testing.T) {
	atEachSize(t, func(t *testing.T, width, height int) *screen {
		s := open(t, somebodyElses(t), width, height)
		s.next()
		for s.pass(time.Minute); !s.next().Ended; s.pass(time.Minute) {
		}
		return s
	})
}

func TestScreenHistory(t *testing.T) {
	atEachSize(t, func(t *testing.T, width, height int) *screen {
		s := open(t, uitest.NewSite(t, scenario(t, "upgraded")).Site, width, height)
		s.next()
		s.env.Upgrade.On = false
		return s
	})
}

func TestScreenEmpty(t *testing.T) {
	atEachSize(t, func(t *testing.T, width, height int) *screen {
		s := open(t, uitest.NewSite(t, scenario(t, "healthy")).Site, width, height)
		s.next()
		s.env.Upgrade.On = false
		return s
	})
}

func TestScreenStoresOfARelease(t *testing.T) {
	atEachSize(t, func(t *testing.T, width, height int) *screen {
		s := told(t, width, height, statusWith("in_progress", 1, stores))
		s.press("enter")
		return s
	})
}
