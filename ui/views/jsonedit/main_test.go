package jsonedit_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"geodeck/adminapi/document"
	"geodeck/theme"
	"geodeck/ui/views/jsonedit"
	"geodeck/ui/views/uitest"
)

func TestMain(m *testing.M) {
	lipgloss.SetColorProfile(termenv.Ascii)
	lipgloss.SetHasDarkBackground(true)
	os.Exit(m.Run())
}

// screen is an editor under test, of a size.
type screen struct {
	*jsonedit.Editor
	t             testing.TB
	width, height int
}

func openIn(t testing.TB, th *theme.Theme, width, height int, text string) *screen {
	t.Helper()
	s := &screen{jsonedit.New(th), t, width, height}
	s.SetSize(width, height)
	d := parse(t, text)
	s.Set(d, d)
	return s
}

func open(t testing.TB, text string) *screen {
	t.Helper()
	return openIn(t, uitest.Theme(), 120, 35, text)
}

// definition is a definition as a site sends it.
func definition(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/mapserver.json")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func parse(t testing.TB, text string) *document.Document {
	t.Helper()
	d, err := document.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func (s *screen) at(path document.Path) *screen {
	s.t.Helper()
	if !s.Go(path) || s.Path() != path {
		s.t.Fatalf("the cursor is on %q instead of %q", s.Path(), path)
	}
	return s
}

// press gives keys as the view around it does, and returns what was sent upward.
func (s *screen) press(names string) (up []tea.Msg) {
	s.t.Helper()
	for _, name := range strings.Fields(names) {
		key := uitest.Key(name)
		switch name {
		case "ctrl+s":
			key = tea.KeyMsg{Type: tea.KeyCtrlS}
		case "ctrl+j":
			key = tea.KeyMsg{Type: tea.KeyCtrlJ}
		case "ctrl+k":
			key = tea.KeyMsg{Type: tea.KeyCtrlK}
		case "ctrl+end":
			key = tea.KeyMsg{Type: tea.KeyCtrlEnd}
		}
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
			if slices.Contains(c.Keys, key.String()) {
				cmd, _ = s.Do(c.ID, "")
				break
			}
		}
	}
	if cmd == nil {
		return nil
	}
	msg := cmd()
	s.Update(msg)
	return []tea.Msg{msg}
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

// is checks the document byte for byte.
func (s *screen) is(want string) {
	s.t.Helper()
	if got := s.Document().Text(); got != want {
		s.t.Errorf("the document is\n%s\ninstead of\n%s", got, want)
	}
}
