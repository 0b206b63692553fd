package diff_test

import (
	"os"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"geodeck/adminapi/document"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/diff"
	"geodeck/ui/views/uitest"
)

func TestMain(m *testing.M) {
	lipgloss.SetColorProfile(termenv.Ascii)
	lipgloss.SetHasDarkBackground(true)
	os.Exit(m.Run())
}

// screen is a review under test, of a size.
type screen struct {
	*diff.Review
	t             testing.TB
	width, height int
}

// sizes are those of terminals, less the frame around the view.
var sizes = []struct {
	name          string
	width, height int
}{{"80x24", 80, 19}, {"120x40", 120, 35}, {"200x60", 200, 55}}

func openIn(t testing.TB, th *theme.Theme, width, height int, plans ...diff.Plan) *screen {
	t.Helper()
	s := &screen{diff.New(th), t, width, height}
	s.SetSize(width, height)
	s.Set(plans...)
	return s
}

func open(t testing.TB, plans ...diff.Plan) *screen {
	t.Helper()
	return openIn(t, uitest.Theme(), 120, 35, plans...)
}

// parse reads a document of a test.
func parse(t testing.TB, text string) *document.Document {
	t.Helper()
	d, err := document.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// planOf compares two texts as an edit does.
func planOf(t testing.TB, before, after string) diff.Plan {
	t.Helper()
	base, edited := parse(t, before), parse(t, after)
	changes := document.Diff(base, edited)
	return diff.Plan{
		Changes: changes, Risks: document.Risks(changes, edited),
		Lost: document.Lost(base, edited), Findings: document.Check(edited, base),
	}
}

// press gives keys as the view around it does, and returns what was sent upward.
func (s *screen) press(names string) (up []tea.Msg) {
	s.t.Helper()
	for _, key := range uitest.Keys(names) {
		up = append(up, s.key(key)...)
	}
	return up
}

func (s *screen) typed(text string) {
	s.t.Helper()
	for _, key := range uitest.Text(text) {
		s.key(key)
	}
}

func (s *screen) key(key tea.KeyMsg) []tea.Msg {
	s.t.Helper()
	var cmd tea.Cmd
	if s.CapturesText() {
		cmd = s.Update(key)
	} else {
		for _, c := range s.Commands() {
			if contains(c, key.String()) {
				cmd, _ = s.Do(c.ID, "")
				break
			}
		}
	}
	if cmd == nil {
		return nil
	}
	return []tea.Msg{cmd()}
}

func contains(c views.Command, key string) bool {
	for _, k := range c.Keys {
		if k == key {
			return true
		}
	}
	return false
}

// view draws, and checks the size and that a terminal obeys nothing of it.
func (s *screen) view() string {
	s.t.Helper()
	v := s.View()
	uitest.Fits(s.t, v, s.width, s.height)
	return v
}

func (s *screen) golden() {
	s.t.Helper()
	uitest.Golden(s.t, s.view())
}

func (s *screen) shows(texts ...string) {
	s.t.Helper()
	v := s.view()
	for _, text := range texts {
		if !strings.Contains(v, text) {
			s.t.Errorf("%q is not shown:\n%s", text, v)
		}
	}
}

func (s *screen) hides(texts ...string) {
	s.t.Helper()
	v := s.view()
	for _, text := range texts {
		if strings.Contains(v, text) {
			s.t.Errorf("%q is shown:\n%s", text, v)
		}
	}
}
