package jsonedit_test

import (
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
	s.at("maxWaitTime").Press("e ctrl+u")
	s.Write("90")
	s.Press("enter")
	s.at("minInstancesPerNode").Press("e ctrl+u")
	s.Write("5")
	s.Press("enter")
	s.at("extensions[WMSServer].properties.title").Press("d")
	s.at("extensions[WFSServer]").Press("space")
	s.at("clusterName").Press("a")
	s.Write("x-note")
	s.Press("enter")
	s.Write(`{"by":"ops"}`)
	s.Press("enter")
	return s
}

func TestTheTreeTellsWhatIsNewAndWhatIsWrong(t *testing.T) {
	t.Parallel()
	for _, size := range uitest.Sizes {
		t.Run(size.Name, func(t *testing.T) {
			edited(t, uitest.Theme(), size.Width, size.Height).at("minInstancesPerNode").Golden()
		})
	}
}

func TestAValueIsTypedInItsLine(t *testing.T) {
	t.Parallel()
	for _, size := range uitest.Sizes {
		t.Run(size.Name, func(t *testing.T) {
			s := edited(t, uitest.Theme(), size.Width, size.Height).at("maxIdleTime")
			s.Press("e")
			s.Write("x")
			s.Press("enter left")
			s.Golden()
		})
	}
}

func TestASetIsChecked(t *testing.T) {
	t.Parallel()
	for _, size := range uitest.Sizes {
		t.Run(size.Name, func(t *testing.T) {
			s := edited(t, uitest.Theme(), size.Width, size.Height).at("capabilities")
			s.Press("e down down space")
			s.Golden()
		})
	}
}

func TestASubtreeAsText(t *testing.T) {
	t.Parallel()
	for _, size := range uitest.Sizes {
		t.Run(size.Name, func(t *testing.T) {
			s := edited(t, uitest.Theme(), size.Width, size.Height).at("extensions")
			s.Press("i down down")
			s.Write(",")
			s.Press("ctrl+s")
			s.Golden()
		})
	}
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
	s.Press("z")
	s.Golden()
	for _, r := range s.View() {
		if r > 0x7e {
			t.Fatalf("%q on a terminal that has ASCII only", r)
		}
	}
}

func TestDrawingChangesNothing(t *testing.T) {
	t.Parallel()
	for path, keys := range map[document.Path]string{"description": "e x", "capabilities": "e a x", "extensions": "i down x", "maxIdleTime": "e x enter", "private": "e x esc", "": "/ w", "datasets": "z"} {
		for _, size := range uitest.Sizes {
			s := edited(t, uitest.Theme(), size.Width, size.Height).at(path)
			s.Press(keys)
			uitest.Pure(t, s.Editor)
		}
	}
}
