package diff_test

import (
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"

	"geodeck/theme"
	"geodeck/ui/views/diff"
	"geodeck/ui/views/uitest"
)

// edited is an edit of a map service with a change of every kind.
func edited(t testing.TB) diff.Plan {
	t.Helper()
	before, err := os.ReadFile("testdata/before.json")
	if err != nil {
		t.Fatal(err)
	}
	after, err := os.ReadFile("testdata/after.json")
	if err != nil {
		t.Fatal(err)
	}
	return planOf(t, string(before), string(after))
}

func atEachSize(t *testing.T, plans []diff.Plan, story func(s *screen)) {
	t.Helper()
	for _, size := range sizes {
		t.Run(size.name, func(t *testing.T) {
			story(openIn(t, uitest.Theme(), size.width, size.height, plans...))
		})
	}
}

func TestScreenReview(t *testing.T) {
	atEachSize(t, []diff.Plan{edited(t)}, func(s *screen) { s.golden() })
}

func TestScreenOpened(t *testing.T) {
	atEachSize(t, []diff.Plan{edited(t)}, func(s *screen) {
		s.press("+ G")
		s.golden()
	})
}

func TestScreenName(t *testing.T) {
	atEachSize(t, []diff.Plan{edited(t)}, func(s *screen) {
		s.press("c enter")
		s.typed("WFS")
		s.press("enter")
		s.golden()
	})
}

func TestScreenBroken(t *testing.T) {
	plan := planOf(t, `{"serviceName":"Roads","type":"MapServer","minInstancesPerNode":1,"maxInstancesPerNode":2,"capabilities":"Map,Query"}`,
		`{"serviceName":"Roads","type":"MapServer","minInstancesPerNode":4,"maxInstancesPerNode":2,"capabilities":"Map,,Query"}`)
	atEachSize(t, []diff.Plan{plan}, func(s *screen) {
		s.press("down")
		s.golden()
	})
}

func TestScreenServices(t *testing.T) {
	first, second, third := edited(t), edited(t), planOf(t, `{"a":1}`, `{"a":1}`)
	first.Service, second.Service, third.Service = "Maps/Roads.MapServer", "Maps/Rivers.MapServer", "Utilities/Print.GPServer"
	second.Lost, second.Changes = nil, second.Changes[:2]
	atEachSize(t, []diff.Plan{first, second, third}, func(s *screen) { s.golden() })
}

func TestScreenNothing(t *testing.T) {
	open(t, planOf(t, `{"a":1}`, `{"a":1}`)).golden()
}

func TestScreenInColor(t *testing.T) {
	s := openIn(t, uitest.ColorTheme(), 120, 35, edited(t))
	s.press("c enter")
	s.typed("maxWaitTime")
	s.press("enter G")
	s.golden()
}

func TestScreenASCII(t *testing.T) {
	s := openIn(t, theme.New(theme.Options{Renderer: lipgloss.DefaultRenderer(), ASCII: true}), 80, 19, edited(t))
	v := s.view()
	if strings.ContainsFunc(v, func(r rune) bool { return r > 126 }) {
		t.Errorf("a sign beyond ASCII:\n%s", v)
	}
}
