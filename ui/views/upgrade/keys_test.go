package upgrade_test

import (
	"slices"
	"strconv"
	"testing"

	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// ways lead to every screen of the view, one after the other.
var ways = []func(*screen){
	func(*screen) {},
	func(s *screen) { s.Press("tab") },
	func(s *screen) { s.Press("upgrade.json") },
	func(s *screen) { s.Press("esc esc upgrade.next-list") },
	func(s *screen) { s.Press("upgrade.next-list") },
	func(s *screen) { s.Press("esc esc rows.bottom enter") },
	func(s *screen) { s.clear() },
	func(s *screen) { s.Press("ctrl+t") },
	func(s *screen) { s.Press("esc esc esc rows.top enter"); s.clear() },
	func(s *screen) { s.Press("upgrade.request") },
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

// offline is the view without a site.
func offline(t testing.TB) *screen {
	t.Helper()
	env := uitest.Env(t, operation.Site{}, uitest.Theme())
	env.Offline = true
	return openIn(t, env, 120, 35)
}

func TestKeysThatCannotWorkSayWhy(t *testing.T) {
	t.Parallel()
	const runs, none, unmatched = "An upgrade is running. Press enter to watch it.", "Nothing is listed.", "Nothing matches."
	for _, c := range []struct {
		on, keys, refused, says string
		byName                  []string
	}{
		{"elses-upgrade", "", "upgrade.rollback tab upgrade.applicable upgrade.order upgrade.json upgrade.import upgrade.copy", runs, []string{"upgrade.begin", "upgrade.import"}},
		{"healthy", "", "upgrade.rollback", "Choose a version under Installed.", nil},
		{"healthy", "upgrade.next-list", "upgrade.rollback", "A release cannot be rolled back.", nil},
		{"healthy", "upgrade.next-list", "upgrade.applicable upgrade.order", "Go to the list Offered first.", nil},
		{"healthy", "upgrade.next-list", "", "Already installed. Pick one under Offered.", []string{"upgrade.begin"}},
		{"healthy", "upgrade.next-list upgrade.next-list", "enter tab upgrade.json upgrade.copy", none, []string{"upgrade.begin"}},
		{"empty-manifest", "", "enter tab upgrade.applicable upgrade.order upgrade.json upgrade.copy", none, []string{"upgrade.begin"}},
		{"healthy", "rows.filter x x x enter", "enter upgrade.json upgrade.copy", unmatched, []string{"upgrade.begin"}},
		{"no id", "", "upgrade.copy", "It has no id.", nil},
		{"no id", "", "", "This update has no id and cannot be installed.", []string{"upgrade.begin"}},
		{"offline", "", "upgrade.refresh", "No site to read from.", nil},
		{"offline", "", "upgrade.import", "There is no site to import a manifest into.", []string{"upgrade.import"}},
	} {
		var s *screen
		switch c.on {
		case "offline":
			s = offline(t)
		case "no id":
			s = open(t, offeringIDs(t, []string{""}), 120, 35)
		default:
			s = show(t, c.on)
		}
		s.Press(c.keys)
		s.Refuses(c.on+" after "+c.keys, c.refused, c.says)
		for _, id := range c.byName {
			if text := uitest.NoticeText(t, s.Invoke(id, "")); text != c.says {
				t.Errorf("%s after %q: %s says %q, not %q", c.on, c.keys, id, text, c.says)
			}
		}
	}
}

// reasonOf reports whether a text is why a row of an id cannot be used.
func reasonOf(s *screen, id, text string) bool {
	return text != "" && slices.ContainsFunc(s.Commands(), func(c views.Command) bool { return c.ID == id && c.WhyNot() == text })
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
			if text := uitest.NoticeText(t, s.Invoke(c.ID, "")); text != `"`+c.Name+`" is not possible right now.` && !reasonOf(s, c.ID, text) {
				t.Errorf("on screen %d %s told %q", n, c.ID, text)
			}
			if s.Draw() != before {
				t.Fatalf("on screen %d %s has changed it", n, c.ID)
			}
		}
	}
}
