package health_test

import (
	"slices"
	"testing"

	"geodeck/adminapi/operation"
	"geodeck/ui/views"
	"geodeck/ui/views/health"
	"geodeck/ui/views/uitest"
)

// global are the keys that belong to the dashboard around the view.
var global = []string{"q", "?", ":", "t", "!", "@", "ctrl+c", "ctrl+z", "1", "2", "3", "4"}

// table is what help and README tell of, of a view that has no site.
func table(t *testing.T) []views.Command {
	return health.Maker.Rows(uitest.Env(t, operation.Site{}, uitest.Theme()))
}

func TestEveryKeyMeansOneThingOnEachScreen(t *testing.T) {
	s := degraded(t)
	s.runCheck()
	for _, keys := range []string{"", "enter", "down down enter", "v", "esc esc esc c down c"} {
		s.Press(keys)
		means := map[string]string{}
		for _, c := range s.usable() {
			for _, key := range c.Keys() {
				if other, taken := means[key]; taken && other != c.ID {
					t.Errorf("after %q %s means %s and %s", keys, key, other, c.ID)
				}
				if slices.Contains(global, key) {
					t.Errorf("after %q %s takes the key %s of the dashboard", keys, c.ID, key)
				}
				means[key] = c.ID
			}
			if !slices.ContainsFunc(table(t), func(in views.Command) bool { return in.ID == c.ID }) {
				t.Errorf("%s is not in the table", c.ID)
			}
		}
	}
}

func TestEveryCommandIsExplained(t *testing.T) { uitest.Explained(t, table(t)) }

// Whatever is done, on whatever screen, the view keeps its size.
func TestEveryCommandOnEveryScreenKeepsTheSize(t *testing.T) {
	for _, size := range uitest.Sizes {
		s := open(t, siteOf(t, "degraded"), size.Width, size.Height)
		for _, way := range []string{"", "enter", "tab", "v", "esc", "c down c"} {
			s.Press(way)
			for _, c := range s.usable() {
				s.Call(c.ID, "")
				s.Draw()
			}
		}
	}
}

func TestEveryTerminalSizeIsFilledExactly(t *testing.T) {
	s := degraded(t)
	s.runCheck()
	for _, way := range []string{"", "enter", "down down enter", "v", "esc esc esc c down c", "esc / esc"} {
		s.Press(way)
		for _, width := range []int{60, 61, 99, 100, 109, 110, 111, 139, 140, 141, 250} {
			for _, height := range []int{9, 10, 19, 25, 26, 27, 80} {
				s.SetSize(width, height)
				uitest.Fits(t, s.View(), width, height)
			}
		}
	}
	for _, tiny := range []int{0, 1, 2, 3, 5, 8} {
		s.SetSize(tiny, tiny)
		_ = s.View()
	}
}
