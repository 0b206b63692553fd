package health_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"geodeck/ui/uitest"
)

// known shows a site of which the first reports have been read.
func known(t *testing.T, folder string) *screen {
	t.Helper()
	env := uitest.Env(t, siteOf(t, "degraded"), uitest.Theme())
	env.Folder = folder
	s := openIn(t, env, 120, 35)
	s.Press("down down down up up up")
	return s
}

func TestKeysActOnTheRowUnderTheCursorAtOnce(t *testing.T) {
	t.Parallel()
	for focus, keys := range map[string][]string{
		"": {
			"down down enter", "down down tab", "down down shift+tab", "down down health.export", "down down health.json", "down down health.copy",
			"down down health.compare", "down down health.delete", "down down health.failed", "down down health.order", "down down health.explain",
		},
		"enter": {
			"down down enter", "down down tab", "down down shift+tab", "down down health.json", "down down health.copy", "down down left",
			"down down health.failed", "down health.export", "rows.bottom health.export",
		},
	} {
		for _, keys := range keys {
			t.Run(focus+" "+keys, func(t *testing.T) {
				t.Parallel()
				folder := t.TempDir()
				uitest.SameInAHurry(t, func(t *testing.T) *uitest.Part {
					s := known(t, folder)
					s.Press(focus)
					return &s.Part
				}, keys)
			})
		}
	}
}

func TestTheTreeFollowsWhoLeavesTheListAtOnce(t *testing.T) {
	t.Parallel()
	for _, leave := range []string{"tab", "shift+tab", "enter"} {
		slow, fast := degraded(t), degraded(t)
		slow.Press("down down " + leave)
		fast.Hurry("down down " + leave)
		fast.Rest()
		if slow.Draw() != fast.Draw() {
			t.Errorf("%s without a rest leads to\n%s", leave, fast.Draw())
		}
		fast.Asks(fast.Press("health.export"), "Export the report scheduled-20261113")
	}
}

func TestAnExportIsOfTheReportThatWasChosenWithItsKey(t *testing.T) {
	t.Parallel()
	s := known(t, t.TempDir())
	up := s.Hurry("down down health.export")
	s.Asks(up, "Export the report scheduled-20261113")
	s.Press("up up") // such as a page of the list that comes while the dialog is open
	uitest.Answer(t, s.Model, up, uitest.Key("enter"))
	files, _ := filepath.Glob(filepath.Join(s.env.Folder, "*"))
	if len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	if text, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(text), "scheduled-20261113") {
		t.Errorf("%s has another report: %v", files[0], err)
	}
}

func TestAReportThatIsStillReadIsNeitherExportedNorShown(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"health.export", "health.json", "health.explain"} {
		s := degraded(t)
		s.Tells(s.Hurry("G "+key), "still being read")
		s.Rest()
		s.Asks(s.Press("health.export"), "Export the report scheduled-20261027")
	}
}
