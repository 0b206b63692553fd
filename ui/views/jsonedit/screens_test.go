package jsonedit_test

import (
	"testing"

	"geodeck/theme"
	"geodeck/ui/views/uitest"

	"github.com/charmbracelet/lipgloss"
)

// sizes are those of terminals, less the frame around the view.
var sizes = []struct {
	name          string
	width, height int
}{{"80x24", 80, 19}, {"120x40", 120, 35}, {"200x60", 200, 55}}

// edited is a definition in which things are new, different, gone and wrong.
func edited(t *testing.T, th *theme.Theme, width, height int) *screen {
	t.Helper()
	s := openIn(t, th, width, height, definition(t))
	s.at("maxWaitTime").press("e ctrl+u")
	s.typed("90")
	s.press("enter")
	s.at("minInstancesPerNode").press("e ctrl+u")
	s.typed("5")
	s.press("enter")
	s.at("extensions[WMSServer].properties.title").press("d")
	s.at("extensions[WFSServer]").press("space")
	s.at("clusterName").press("a")
	s.typed("x-note")
	s.press("enter")
	s.typed(`{"by":"ops"}`)
	s.press("enter")
	return s
}

func TestTheTreeTellsWhatIsNewAndWhatIsWrong(t *testing.T) {
	for _, size := range sizes {
		t.Run(size.name, func(t *testing.T) {
			edited(t, uitest.Theme(), size.width, size.height).at("minInstancesPerNode").golden()
		})
	}
}

func TestAValueIsTypedInItsLine(t *testing.T) {
	for _, size := range sizes {
		t.Run(size.name, func(t *testing.T) {
			s := edited(t, uitest.Theme(), size.width, size.height).at("maxIdleTime")
			s.press("e")
			s.typed("x")
			s.press("enter left")
			s.golden()
		})
	}
}

func TestASetIsChecked(t *testing.T) {
	for _, size := range sizes {
		t.Run(size.name, func(t *testing.T) {
			s := edited(t, uitest.Theme(), size.width, size.height).at("capabilities")
			s.press("e down down space")
			s.golden()
		})
	}
}

func TestASubtreeAsText(t *testing.T) {
	for _, size := range sizes {
		t.Run(size.name, func(t *testing.T) {
			s := edited(t, uitest.Theme(), size.width, size.height).at("extensions")
			s.press("i down down")
			s.typed(",")
			s.press("ctrl+s")
			s.golden()
		})
	}
}

func TestColoursTellWhatIsNewAndWhatIsWrong(t *testing.T) {
	s := edited(t, uitest.ColorTheme(), 100, 30).at("minInstancesPerNode")
	uitest.Fits(t, s.View(), 100, 30)
	uitest.Golden(t, s.View())
}

func TestPlainTerminalsGetPlainSigns(t *testing.T) {
	th := theme.New(theme.Options{Renderer: lipgloss.DefaultRenderer(), ASCII: true})
	s := edited(t, th, 80, 24).at("extensions[WMSServer]")
	s.press("z")
	s.golden()
	for _, r := range s.View() {
		if r > 0x7e {
			t.Fatalf("%q on a terminal that has ASCII only", r)
		}
	}
}
