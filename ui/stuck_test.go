package ui_test

import (
	"strings"
	"syscall"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/uitest/terminal"
)

// wall is a program that fills the screen with a letter; a key, or each message of a flood,
// changes it.
type wall struct {
	floods        bool
	width, height int
	drawn         int
}

// brick is a message of a flood.
type brick struct{}

func (w *wall) Init() tea.Cmd { return nil }

func (w *wall) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		w.width, w.height = msg.Width, msg.Height
		return w, nil
	case tea.KeyMsg, brick:
		w.drawn++
		if key, ok := msg.(tea.KeyMsg); ok && key.String() == "q" {
			return w, tea.Quit
		}
	}
	if w.floods && w.drawn > 0 {
		return w, func() tea.Msg { return brick{} }
	}
	return w, nil
}

func (w *wall) line() string { return strings.Repeat(letter(w.drawn), w.width) }

func (w *wall) View() string {
	return strings.TrimSuffix(strings.Repeat(w.line()+"\n", w.height), "\n")
}

func letter(n int) string { return string(rune('a' + n%26)) }

// A frame of this size is several times what a terminal holds that nobody reads.
const hugeWidth, hugeHeight = 1000, 300

// openStuck opens a wall in a terminal that is stuck in the middle of the second frame.
func openStuck(t *testing.T, scene string) *terminal.Terminal {
	t.Helper()
	x := open(t, scene)
	x.Shows("a")
	x.Resize(hugeWidth, hugeHeight)
	x.Shows(huge(0))
	skip := len(x.Sent())
	x.StopAt("\x1b[?2026h")
	x.Press("x")
	x.Sends("\x1b[?2026h", skip)
	return x
}

// huge is the end of a whole frame.
func huge(n int) string {
	line := strings.Repeat(letter(n), hugeWidth)
	return strings.TrimSuffix(strings.Repeat(line+"\n", hugeHeight), "\n")
}

func TestATerminalThatIsClosedInTheMiddleOfAFrameEndsTheProgram(t *testing.T) {
	t.Parallel()
	x := openStuck(t, "wall")
	x.HangUp()
	if code := x.End(); code != 129 {
		t.Errorf("exit code %d", code)
	}
}

func TestATerminalThatIsClosedWhileMuchIsDrawnEndsTheProgram(t *testing.T) {
	t.Parallel()
	x := open(t, "flood")
	x.Shows("a")
	skip := len(x.Sent())
	x.Press("x")
	x.Sends("\x1b[?2026h", skip)
	x.HangUp()
	if code := x.End(); code != 129 {
		t.Errorf("exit code %d", code)
	}
}

func TestAProgramEndsWhoseTerminalTakesNothing(t *testing.T) {
	t.Parallel()
	by := func(signal syscall.Signal) func(*terminal.Terminal) {
		return func(x *terminal.Terminal) { x.Signal(signal) }
	}
	for name, end := range map[string]struct {
		scene string // a wall gets all the time it wants: nothing of it may wait for the terminal
		ends  func(*terminal.Terminal)
		code  int
	}{
		"SIGTERM": {"stuck", by(syscall.SIGTERM), 143},
		"SIGINT":  {"stuck", by(syscall.SIGINT), 130},
		"SIGHUP":  {"wall", by(syscall.SIGHUP), 129},
		"a key":   {"stuck", func(x *terminal.Terminal) { x.Press("q") }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := openStuck(t, end.scene)
			end.ends(x)
			_ = x.Cmd.Wait()
			x.GoOn()
			if x.End(); x.Cmd.ProcessState.ExitCode() != end.code {
				t.Errorf("exit code %d instead of %d", x.Cmd.ProcessState.ExitCode(), end.code)
			}
			x.ModesRestored()
		})
	}
}

func TestATerminalThatIsReadAgainShowsTheLastFrame(t *testing.T) {
	t.Parallel()
	x := openStuck(t, "wall")
	x.Press("x")
	x.Resize(80, 24)
	x.GoOn()
	x.Shows(strings.TrimSuffix(strings.Repeat(strings.Repeat(letter(2), 80)+"\n", 24), "\n"))
	x.Signal(syscall.SIGTERM)
	if code := x.End(); code != 143 {
		t.Errorf("exit code %d", code)
	}
	x.Restored()
}
