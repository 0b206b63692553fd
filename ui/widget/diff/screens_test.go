package diff_test

import (
	"os"
	"strings"
	"testing"

	"github.com/charmbracelet/lipgloss"

	"geodeck/adminapi/document"
	"geodeck/theme"
	"geodeck/ui/uitest"
)

// edited is an edit of a map service with a change of every kind.
func edited(t testing.TB) document.Review {
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

func atEachSize(t *testing.T, plans []document.Review, story func(s *screen)) {
	t.Helper()
	for _, size := range uitest.Sizes {
		t.Run(size.Name, func(t *testing.T) {
			story(openIn(t, uitest.Theme(), size.Width, size.Height, plans...))
		})
	}
}

func TestScreenReview(t *testing.T) {
	t.Parallel()
	atEachSize(t, []document.Review{edited(t)}, func(s *screen) { s.Golden() })
}

func TestScreenOpened(t *testing.T) {
	t.Parallel()
	atEachSize(t, []document.Review{edited(t)}, func(s *screen) {
		s.Press("rows.open-all rows.bottom")
		s.Golden()
	})
}

func TestScreenAccepted(t *testing.T) {
	t.Parallel()
	atEachSize(t, []document.Review{edited(t)}, func(s *screen) {
		s.Press("diff.next-open")
		s.Accept(s.clock, "removed-key")
		s.Golden()
	})
}

func TestScreenBroken(t *testing.T) {
	t.Parallel()
	plan := planOf(t, `{"serviceName":"Roads","type":"MapServer","minInstancesPerNode":1,"maxInstancesPerNode":2,"capabilities":"Map,Query"}`,
		`{"serviceName":"Roads","type":"MapServer","minInstancesPerNode":4,"maxInstancesPerNode":2,"capabilities":"Map,,Query"}`)
	atEachSize(t, []document.Review{plan}, func(s *screen) {
		s.Press("down")
		s.Golden()
	})
}

func TestScreenServices(t *testing.T) {
	t.Parallel()
	first, second, third := edited(t), edited(t), planOf(t, `{"a":1}`, `{"a":1}`)
	first.Service, second.Service, third.Service = "Maps/Roads.MapServer", "Maps/Rivers.MapServer", "Utilities/Print.GPServer"
	second.Risks, second.Changes = nil, second.Changes[:2]
	atEachSize(t, []document.Review{first, second, third}, func(s *screen) { s.Golden() })
}

func TestScreenNothing(t *testing.T) {
	t.Parallel()
	open(t, planOf(t, `{"a":1}`, `{"a":1}`)).Golden()
}

func TestScreenInColor(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.ColorTheme(), 120, 35, edited(t))
	s.Press("diff.next-open")
	s.Accept(s.clock, "removed-key")
	s.Press("rows.bottom")
	s.Golden()
}

func TestScreenASCII(t *testing.T) {
	t.Parallel()
	s := openIn(t, theme.New(theme.Options{Renderer: lipgloss.DefaultRenderer(), ASCII: true}), 80, 19, edited(t))
	v := s.Draw()
	if strings.ContainsFunc(v, func(r rune) bool { return r > 126 }) {
		t.Errorf("a sign beyond ASCII:\n%s", v)
	}
}

func TestDrawingChangesNothing(t *testing.T) {
	t.Parallel()
	for _, keys := range []string{"", "c", "n enter x", "rows.open-all rows.bottom", "/ w"} {
		atEachSize(t, []document.Review{edited(t), edited(t)}, func(s *screen) {
			s.Press(keys)
			uitest.Pure(t, s.Review)
		})
	}
}
