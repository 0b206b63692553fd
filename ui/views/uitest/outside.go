package uitest

import (
	"reflect"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// outsider is the smallest program: it gives the terminal away once, and ends with
// the message that comes of it.
type outsider struct {
	give tea.Msg
	got  tea.Msg
}

func (o *outsider) Init() tea.Cmd { return func() tea.Msg { return o.give } }
func (o *outsider) View() string  { return "" }

func (o *outsider) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	if reflect.TypeOf(msg).PkgPath() == reflect.TypeFor[tea.WindowSizeMsg]().PkgPath() {
		return o, nil // Bubble Tea's own
	}
	o.got = msg
	return o, tea.Quit
}

// givesTerminal tells whether a message hands the terminal to another program; its
// type belongs to Bubble Tea.
func givesTerminal(msg tea.Msg) bool {
	t := reflect.TypeOf(msg)
	return t != nil && t.Name() == "execMsg" && t.PkgPath() == reflect.TypeFor[tea.WindowSizeMsg]().PkgPath()
}

// runOutside runs what a message hands the terminal to, in a program without one,
// and returns the message that tells of its end.
func runOutside(msg tea.Msg) tea.Msg {
	o := &outsider{give: msg}
	p := tea.NewProgram(o, tea.WithInput(strings.NewReader("")), tea.WithOutput(silent{}), tea.WithoutRenderer(), tea.WithoutSignalHandler())
	if _, err := p.Run(); err != nil {
		return nil
	}
	return o.got
}

// silent takes what the other program prints.
type silent struct{}

func (silent) Write(p []byte) (int, error) { return len(p), nil }
