package jsonedit_test

import (
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi/document"
	"geodeck/theme"
	"geodeck/ui/uitest"

	"github.com/charmbracelet/lipgloss"
)

// edited is a definition in which things are new, different, gone and wrong.
func edited(t *testing.T, th *theme.Theme, width, height int) *screen {
	t.Helper()
	s := openIn(t, th, width, height, definition(t))
	s.at("maxWaitTime").Press("jsonedit.edit ctrl+u")
	s.Type("90")
	s.Press("enter")
	s.at("minInstancesPerNode").Press("jsonedit.edit ctrl+u")
	s.Type("5")
	s.Press("enter")
	s.at("extensions[WMSServer].properties.title").Press("jsonedit.delete")
	s.at("extensions[WFSServer]").Press("space")
	s.at("clusterName").Press("jsonedit.add")
	s.Type("x-note")
	s.Press("enter")
	s.Type(`{"by":"ops"}`)
	s.Press("enter")
	return s
}

// atEachSize ends on a screen at each size of a terminal. At the sizes that are kept it is
// compared as a whole; at all of them it fits, and what matters of it is in sight.
func atEachSize(t *testing.T, kept string, story func(s *screen), inSight ...string) {
	t.Helper()
	for _, size := range uitest.Sizes {
		t.Run(size.Name, func(t *testing.T) {
			s := edited(t, uitest.Theme(), size.Width, size.Height)
			story(s)
			s.Shows(inSight...)
			if slices.Contains(strings.Fields(kept), size.Name) {
				s.Golden()
			}
		})
	}
}

func TestTheTreeTellsWhatIsNewAndWhatIsWrong(t *testing.T) {
	t.Parallel()
	atEachSize(t, "120x40 200x60", func(s *screen) {
		s.at("minInstancesPerNode")
	}, `   + 11   "x-note": {`, `› ✗◆ 14   "minInstancesPerNode": 5,`, "Description", "a number · restart likely · was 1", "1 finding · 14 of 86", "Added: x-note")
}

func TestAValueIsTypedInItsLine(t *testing.T) {
	t.Parallel()
	atEachSize(t, "120x40", func(s *screen) {
		s.at("maxIdleTime").Press("jsonedit.edit")
		s.Type("x")
		s.Press("enter left")
		s.Typed(`"maxIdleTime": 1800`)
	}, `›    19   "maxIdleTime": 1800x`, "✗ Enter a whole number, such as 60.", "1 finding · 19 of 86")
}

func TestASetIsChecked(t *testing.T) {
	t.Parallel()
	atEachSize(t, "80x24", func(s *screen) {
		s.at("capabilities").Press("jsonedit.edit down down space")
	}, `·     9   "capabilities": "Map,Query,Data"`, "    [x] Query", "  › [ ] Data", "    [ ] Uploads", "2 words")
}

func TestASubtreeAsText(t *testing.T) {
	t.Parallel()
	atEachSize(t, "120x40", func(s *screen) {
		s.at("extensions").Press("jsonedit.text down down")
		s.Type(",")
		s.Press("ctrl+s")
		s.Typed(`✗ 3 `)
	}, `✗ 3 ,    "typeName": "WMSServer",`, " 16   }", "extensions  a list, 2 elements", "✗ Line 3, column 1: an extra comma")
}

func TestColoursTellWhatIsNewAndWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := edited(t, uitest.ColorTheme(), 100, 30).at("minInstancesPerNode")
	uitest.Fits(t, s.View(), 100, 30)
	uitest.Golden(t, s.View())
}

func TestPlainTerminalsGetPlainSigns(t *testing.T) {
	t.Parallel()
	th := theme.New(theme.Options{Renderer: lipgloss.DefaultRenderer(), ASCII: true})
	s := edited(t, th, 80, 24).at("extensions[WMSServer]")
	s.Press("rows.toggle")
	s.Golden()
	for _, r := range s.View() {
		if r > 0x7e {
			t.Fatalf("%q on a terminal that has ASCII only", r)
		}
	}
}

func TestDrawingChangesNothing(t *testing.T) {
	t.Parallel()
	for path, keys := range map[document.Path]string{"description": "jsonedit.edit x", "capabilities": "jsonedit.edit jsonedit.add x", "extensions": "jsonedit.text down x", "maxIdleTime": "jsonedit.edit x enter", "private": "jsonedit.edit x esc", "": "rows.filter w", "datasets": "rows.toggle"} {
		for _, size := range uitest.Sizes {
			s := edited(t, uitest.Theme(), size.Width, size.Height).at(path)
			s.Press(keys)
			uitest.Pure(t, s.part)
		}
	}
}
