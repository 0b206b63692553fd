package uitest

import (
	"testing"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"geodeck/adminapi/simulator"
	"geodeck/ui/views"
)

// Settle makes the look of goldens the one that widgets begin with; for TestMain.
func Settle() {
	lipgloss.SetColorProfile(termenv.Ascii)
	lipgloss.SetHasDarkBackground(true)
}

// Size is a size of a view, by the name of the terminal around it.
type Size struct {
	Name          string
	Width, Height int
}

// Sizes are those of terminals, less the frame around a view.
var Sizes = []Size{{"80x24", 80, 19}, {"120x40", 120, 35}, {"200x60", 200, 55}}

// Scenario returns one of the simulator's, with faults of its own.
func Scenario(t testing.TB, name string, faults ...simulator.Fault) simulator.Scenario {
	t.Helper()
	s, ok := simulator.BuiltIn(name)
	if !ok {
		t.Fatalf("no scenario %q", name)
	}
	s.Faults = append(s.Faults, faults...)
	return s
}

// Screen is a view under test at a size.
type Screen struct {
	Drawn
	shown views.View
}

// Show gives a view its size, and closes it with the test. Nothing is started.
func Show(t testing.TB, view views.View, width, height int) *Screen {
	t.Helper()
	t.Cleanup(view.Close)
	return &Screen{drawn(t, view, width, height), view}
}

// Begin starts the view as the root does and lets it come to rest.
func (s *Screen) Begin() []tea.Msg {
	s.t.Helper()
	return Drain(s.t, s.shown, tea.Batch(s.shown.Init(), s.shown.Focus()))
}

// Press gives keys by name and returns what the view sent upward.
func (s *Screen) Press(keys string) []tea.Msg {
	s.t.Helper()
	return Press(s.t, s.shown, Keys(keys)...)
}

// Write types a text, a key for each character.
func (s *Screen) Write(text string) []tea.Msg {
	s.t.Helper()
	return Press(s.t, s.shown, Text(text)...)
}

// Call runs a command as the palette does.
func (s *Screen) Call(id, argument string) []tea.Msg {
	s.t.Helper()
	return Drain(s.t, s.shown, views.Invoke(s.shown, id, argument))
}

// Answer gives keys to a dialog that the view opened, and then runs what it asks for.
func (s *Screen) Answer(up []tea.Msg, keys string) []tea.Msg {
	s.t.Helper()
	return Answer(s.t, s.shown, up, Keys(keys)...)
}

// Told returns the text of the first notice.
func Told(t testing.TB, up []tea.Msg) string {
	t.Helper()
	return Find[views.Notice](t, up).Text
}
