package rules_test

import (
	"testing"

	"github.com/charmbracelet/lipgloss"

	"geodeck/adminapi/placement"
	"geodeck/theme"
	"geodeck/ui/uitest"
)

func atEachSize(t *testing.T, name string, story func(s *screen)) {
	t.Helper()
	for _, size := range uitest.Sizes {
		t.Run(size.Name, func(t *testing.T) {
			s := openIn(t, uitest.Theme(), size.Width, size.Height, file(t, name))
			s.SetNotes(map[string]string{"kq7shared0deployment1": "shared with 3 other services"})
			story(s)
		})
	}
}

func TestScreenOfTwoDeployments(t *testing.T) {
	t.Parallel()
	atEachSize(t, "two.json", func(s *screen) {
		s.on("or term 2  no line")
		s.golden()
	})
}

func TestScreenOfTheLeastRoomForAPanel(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Theme(), 100, 30, file(t, "two.json"))
	s.on("NoExecute").press("e tab tab tab tab")
	s.typed("5")
	s.golden()
}

func TestScreenOfAnEdit(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", func(s *screen) {
		s.on("eu-1c").press("d A")
		s.typed("pool")
		s.press("tab tab")
		s.typed("general")
		s.press("enter")
		s.on("dedicated").press("space c")
		s.on("a100").press("e tab tab")
		s.golden()
	})
}

func TestScreenOfACompletion(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", func(s *screen) {
		s.on("a100").press("a")
		s.typed("o")
		s.press("down down")
		s.golden()
	})
}

func TestScreenOfAWrongToleration(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", func(s *screen) {
		s.on("dedicated").press("e")
		s.typed(" it")
		s.press("enter")
		s.golden()
	})
}

func TestScreenOfAnEffect(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", func(s *screen) {
		s.on("dedicated").press("a")
		s.typed("dedicated")
		s.press("tab space tab space")
		s.golden()
	})
}

func TestScreenOfANode(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", func(s *screen) {
		s.on("a100")
		s.panel("Nodes").press("/")
		s.typed("gpu")
		s.press("enter down down down enter")
		s.golden()
	})
}

func TestScreenOfTheChecks(t *testing.T) {
	t.Parallel()
	atEachSize(t, "broken.json", func(s *screen) {
		s.panel("Checks").press("down down")
		s.golden()
	})
}

func TestScreenOfTheJSON(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", func(s *screen) {
		s.panel("JSON").press("f")
		s.on("eu-1c").press("space")
		s.panel("JSON")
		s.golden()
	})
}

func TestScreenOfTheAdvice(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", func(s *screen) {
		s.panel("Advice").press("down down down")
		s.golden()
	})
}

func TestScreenWithoutNodes(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", func(s *screen) {
		s.SetNodes(nil, "No nodes: start geodeck with --nodes FILE, where FILE is what kubectl get nodes -o json prints.")
		s.settle()
		s.panel("Nodes")
		s.golden()
	})
}

func TestScreenOfNothing(t *testing.T) {
	t.Parallel()
	atEachSize(t, "policy.json", func(s *screen) {
		s.Set(placement.Policy{}, placement.Policy{})
		s.settle()
		s.golden()
	})
}

func TestColoursTellWhatIsWrong(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.ColorTheme(), 120, 35, file(t, "broken.json"))
	uitest.Fits(t, s.View(), 120, 35)
	uitest.Golden(t, s.View())
}

func TestPlainTerminalsGetPlainSigns(t *testing.T) {
	t.Parallel()
	th := theme.New(theme.Options{Renderer: lipgloss.DefaultRenderer(), ASCII: true})
	s := openIn(t, th, 120, 35, file(t, "broken.json"))
	s.press("a")
	s.typed("o")
	s.golden()
	for _, r := range s.View() {
		if r > 0x7e {
			t.Fatalf("%q on a terminal that has ASCII only", r)
		}
	}
}

func TestDrawingChangesNothing(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"", "e", "a x", "A x enter", "e x esc", "p", "f enter", "p f down", "p p f", "p p p f", "/ g"} {
		for _, size := range uitest.Sizes {
			s := openIn(t, uitest.Theme(), size.Width, size.Height, file(t, "two.json")).on("cores")
			s.press(keys)
			uitest.Pure(t, s.Builder)
		}
	}
}
