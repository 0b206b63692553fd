package ui_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/theme"
	"geodeck/ui"
	"geodeck/ui/keyboard"
	"geodeck/ui/uitest"
	"geodeck/ui/uitest/terminal"
)

// playAsks runs a dashboard that asks for the background of the terminal, and before its end
// waits for the answer as long as it takes, or briefly; or one that knows that it is light.
func playAsks(scene string) error {
	o := ui.Options{Theme: theme.New(theme.Options{}), Background: theme.Light}
	if scene != "light" {
		o.Background = theme.Unknown
		o.Learned = func(b theme.Background) { fmt.Printf(learned, b) }
	}
	if scene == "asks" {
		ui.SetAnswerGrace(time.Hour)
	}
	return ui.Run(context.Background(), o, os.Stdin, os.Stdout)
}

// learned is written for what a terminal says of its background, as its title.
const learned = "\x1b]0;learned %d\a"

// What a terminal is asked, and what it answers.
const (
	asksBackground = "\x1b]11;?"
	isLight        = "\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\\x1b[?62;22c"
)

func TestNothingWaitsForTheAnswerOfTheTerminal(t *testing.T) {
	t.Parallel()
	x := open(t, "asks briefly")
	x.Press("?") // ahead
	x.Shows("Help for")
	x.Press("\x1b")
	x.Shows("There is no site", "quit")
	first, _, _ := strings.Cut(x.Sends(asksBackground, 0), asksBackground)
	for _, text := range []string{"Activity", "quit", "\x1b[?2026l"} {
		if !strings.Contains(first, text) {
			t.Errorf("the terminal was asked before %q stood: %q", text, first)
		}
	}
	x.Press("?")
	x.Shows("Help for")
	x.Press("\x1b")
	x.Shows("There is no site")
	x.Press("q")
	if code := x.End(); code != 0 {
		t.Errorf("exit code %d", code)
	}
	x.Restored()
	if sent := x.Sent(); strings.Count(sent, asksBackground) != 1 || strings.Contains(sent, "learned") {
		t.Errorf("it is not asked once, or learned something: %q", sent)
	}
}

// Whatever is on the screen then looks as if the background had been known from the first
// frame. The answer is no key of it.
func TestTheAnswerOfTheTerminalChangesTheColoursAndNothingElse(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]struct{ keys, shows, then, end string }{
		"a view":             {"", "There is no site", ":help", ":help"},
		"a prompt":           {"o", "Open a saved report", "/tmp/file", "/tmp/file"},
		"the help":           {"?", "Help for", "/mark", "/mark"},
		"a line of commands": {":", "view before", "help", ":help"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x, light := open(t, "asks"), open(t, "light")
			x.Sends(asksBackground, 0)
			for _, y := range []*terminal.Terminal{x, light} {
				y.Shows("There is no site", "quit")
				if at.keys != "" {
					y.Press(at.keys)
				}
				y.Shows(at.shows)
			}
			x.Press(isLight)
			x.Sends(fmt.Sprintf(learned, theme.Light), 0)
			x.Same(light.Display)
			x.Press(at.then)
			x.Shows(at.end)
			if sent := light.Sent(); strings.Contains(sent, asksBackground) {
				t.Error("a background that is known is asked for")
			}
		})
	}
}

// An answer that the program has not read at its end is typed at the shell.
func TestTheEndWaitsForTheAnswerOfTheTerminal(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end  func(*terminal.Terminal)
		code int
	}{
		"q":       {func(x *terminal.Terminal) { x.Press("q") }, 0},
		"SIGTERM": {func(x *terminal.Terminal) { x.Signal(syscall.SIGTERM) }, 143},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := open(t, "asks")
			x.Shows("There is no site", "quit")
			x.Sends(asksBackground, 0)
			c.end(x)
			x.Press(isLight[:9])
			x.Press(isLight[9:])
			if code := x.End(); code != c.code {
				t.Errorf("exit code %d", code)
			}
			x.Restored()
			if n := x.Unread(); n > 0 {
				t.Errorf("the shell gets %d bytes", n)
			}
		})
	}
}

func TestAStoppedDashboardLeavesNoAnswerToTheShell(t *testing.T) {
	t.Parallel()
	x := open(t, "asks")
	x.Shows("There is no site", "quit")
	x.Sends(asksBackground, 0)
	raw, started := x.Modes(), len(x.Sent())
	x.Press("\x1a")
	x.Press("?")
	x.Shows("Help for") // behind ctrl+z
	if sent := x.Sent()[started:]; strings.Contains(sent, "\x1b[?1049l") {
		t.Errorf("the terminal was given back: %q", sent)
	}
	x.Press("\x1b" + isLight)
	out := x.Sends("\x1b[?1049l", started)
	light := open(t, "light")
	light.Shows("There is no site", "quit")
	x.Sends("\x1b[?1049h", started+strings.Index(out[started:], "\x1b[?1049l"))
	x.Same(light.Display)
	if got := x.Modes(); fmt.Sprint(got) != fmt.Sprint(raw) {
		t.Error("the modes of the terminal are not those of the dashboard")
	}
	x.Press("q")
	x.End()
	if n := x.Unread(); n > 0 {
		t.Errorf("the shell gets %d bytes", n)
	}
}

// heard writes down the messages that it gets.
type heard struct {
	all  []tea.Msg
	came chan tea.Msg
}

func (h *heard) Init() tea.Cmd { return nil }
func (h *heard) View() string  { return "" }

func (h *heard) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	h.all = append(h.all, msg)
	h.came <- msg
	return h, nil
}

func TestWhatGivesTheTerminalAwayWaitsForAnExpectedAnswer(t *testing.T) {
	t.Parallel()
	line := uitest.NewLine()
	keys := keyboard.NewReaderOf(line, line.More, line.Now)
	filter, of, stops := ui.NewJobControl(keys)
	h := &heard{came: make(chan tea.Msg, 8)}
	seen := 0
	p := tea.NewProgram(h, tea.WithInput(nil), tea.WithOutput(io.Discard), tea.WithoutRenderer(), tea.WithoutSignalHandler(),
		tea.WithFilter(func(m tea.Model, msg tea.Msg) tea.Msg {
			seen++
			return filter(m, msg)
		}))
	of(p)
	ended := make(chan error)
	go func() {
		_, err := p.Run()
		ended <- err
	}()
	answer := func() {
		line.Pieces = []string{isLight}
		_, _ = keys.Read(make([]byte, 256))
	}
	type note string
	keys.QueryBackground()
	p.Send(tea.SuspendMsg{})
	p.Send(note("behind ctrl+z"))
	if msg := <-h.came; msg != note("behind ctrl+z") {
		t.Errorf("%T came before the answer", msg)
	}
	answer()
	if msg := <-h.came; !stops(msg) {
		t.Errorf("%T came behind it", msg)
	}
	keys.QueryBackground()
	seen = 0 // the program waits for messages
	p.Quit()
	p.Send(note("behind the end"))
	p.Send(tea.SuspendMsg{})
	answer()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if seen < 4 { // the last is the end, once more
		t.Error("it ended before the answer")
	}
	if len(h.all) != 2 {
		t.Errorf("behind the end came %v", h.all[2:])
	}
	filter, of, _ = ui.NewJobControl(keys)
	of(p) // takes no more
	editor := tea.ExecProcess(exec.Command("true"), nil)()
	keys.QueryBackground()
	if msg := filter(nil, editor); msg != nil {
		t.Errorf("an editor gets the terminal before the answer: %T", msg)
	}
	answer()
	if msg := filter(nil, editor); msg == nil {
		t.Error("no editor gets the terminal")
	}
}
