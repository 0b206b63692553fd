package upgrade_test

import (
	"strconv"
	"testing"

	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// ways lead to every screen of the view, one after the other.
var ways = []func(*screen){
	func(*screen) {},
	func(s *screen) { s.Press("tab") },
	func(s *screen) { s.Press("v") },
	func(s *screen) { s.Press("esc esc ]") },
	func(s *screen) { s.Press("]") },
	func(s *screen) { s.Press("esc esc G enter") },
	func(s *screen) { s.clear() },
	func(s *screen) { s.Press("ctrl+t") },
	func(s *screen) { s.Press("esc esc esc g enter"); s.clear() },
	func(s *screen) { s.Press("v") },
	func(s *screen) { s.Press("enter"); s.Type("11.5") },
	func(s *screen) {
		_ = s.Update(uitest.Key("ctrl+u"))
		s.Type("11.5.0.6805")
		_ = s.Update(uitest.Key("enter"))
	},
}

func TestEveryKeyMeansOneThingOnEachScreen(t *testing.T) {
	t.Parallel()
	all := table(t)
	s := show(t, "healthy")
	for n, way := range ways {
		way(s)
		uitest.DistinctKeys(t, "screen "+strconv.Itoa(n), s, all)
	}
}

func TestEveryCommandIsExplained(t *testing.T) {
	t.Parallel()
	uitest.Explained(t, table(t))
}

// Whatever is done, on whatever screen, the view keeps its size and goes on.
func TestEveryCommandOnEveryScreenKeepsTheSize(t *testing.T) {
	t.Parallel()
	for n := range ways {
		s := open(t, siteOf(t, "healthy"), 80, 19)
		for _, way := range ways[:n+1] {
			way(s)
		}
		for _, c := range table(t) {
			s.Invoke(c.ID, "")
			s.Focused(s.CapturesText())
		}
	}
}

func TestEveryTerminalSizeIsFilledExactly(t *testing.T) {
	t.Parallel()
	s := show(t, "healthy")
	for _, way := range ways {
		s.SetSize(120, 35)
		way(s)
		for _, width := range []int{60, 61, 99, 100, 101, 140, 250} {
			for _, height := range []int{9, 10, 19, 26, 80} {
				s.SetSize(width, height)
				uitest.Fits(t, s.View(), width, height)
			}
		}
		for _, tiny := range []int{0, 1, 2, 3, 5, 8} {
			s.SetSize(tiny, tiny)
			_ = s.View()
		}
	}
}

func TestKeysThatCannotWorkSayWhy(t *testing.T) {
	t.Parallel()
	s := show(t, "elses-upgrade")
	for _, key := range []string{"I", "b"} {
		notices(t, s.Press(key), "An upgrade is running")
	}
	s = show(t, "healthy")
	notices(t, s.Press("b"), "under Installed")
	s.Press("]")
	notices(t, s.Invoke("upgrade.begin", ""), "Already installed. Pick one under Offered.")
}

func TestACommandOfAnotherScreenChangesNothingAndSaysSo(t *testing.T) {
	t.Parallel()
	all := table(t)
	s := show(t, "healthy")
	for n, way := range ways {
		way(s)
		before := s.Draw()
		for _, c := range all {
			if _, usable := views.Find(s.Commands(), c.ID); usable {
				continue
			}
			if text := uitest.NoticeText(t, s.Invoke(c.ID, "")); text != `"`+c.Name+`" is not possible right now.` {
				t.Errorf("on screen %d %s told %q", n, c.ID, text)
			}
			if s.Draw() != before {
				t.Fatalf("on screen %d %s has changed it", n, c.ID)
			}
		}
	}
}
