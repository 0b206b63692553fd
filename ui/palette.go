package ui

import (
	"strings"

	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

const paletteID = "palette"

// paletteRows is how many completions are shown at most.
const paletteRows = 8

// palette is the line for commands by name, with completions above it.
type palette struct {
	env     *views.Env
	entries []entry
	typed   []string // what was run before, oldest first
	input   textinput.Model
	found   []completion
	at      int // the chosen completion; -1 for none, while nothing is typed
	problem string
	width   int
}

// ran says that a line of the palette is to be run.
type ran struct {
	line  string
	entry entry
	rest  string
}

func newPalette(env *views.Env, entries []entry, typed []string) *palette {
	p := &palette{env: env, entries: entries, typed: typed, input: views.NewInput(env.Theme)}
	p.complete()
	return p
}

// ID names the dialog.
func (p *palette) ID() string { return paletteID }

// Init has nothing to start.
func (p *palette) Init() tea.Cmd { return nil }

// Scope is nil: the palette asks the user only.
func (p *palette) Scope() *views.Scope { return nil }

// SetSize takes the width of the line.
func (p *palette) SetSize(width, _ int) {
	p.width = width
	p.input.Width = max(width-4, 1)
}

// Update edits the line, chooses among the completions, or runs the line.
func (p *palette) Update(msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyMsg)
	if !ok {
		return nil
	}
	switch key.String() {
	case "esc":
		return views.Send(views.Shut{ID: paletteID})
	case "enter":
		return p.run()
	case "tab":
		p.take()
	case "up", "ctrl+p":
		p.choose(1)
	case "down", "ctrl+n":
		p.choose(-1)
	default:
		return p.edit(views.Pasted(key))
	}
	return nil
}

func (p *palette) edit(key tea.KeyMsg) tea.Cmd {
	before := p.input.Value()
	if key.Type == tea.KeyBackspace && before == "" {
		return views.Send(views.Shut{ID: paletteID})
	}
	var cmd tea.Cmd
	p.input, cmd = p.input.Update(key)
	if p.input.Value() != before {
		p.problem = ""
		p.complete()
	}
	return cmd
}

// choose moves among the completions, which grow upwards from the line.
func (p *palette) choose(by int) {
	switch n := len(p.found); {
	case n == 0:
	case p.at < 0 && by < 0:
		p.at = n - 1
	default:
		p.at = (p.at + by + n) % n
	}
}

// take puts the chosen completion into the line, ready for an argument.
func (p *palette) take() {
	if len(p.found) == 0 {
		return
	}
	c := p.found[max(p.at, 0)]
	line := c.line
	if c.open {
		line += " "
	}
	p.input.SetValue(line)
	p.input.CursorEnd()
	p.complete()
}

// run runs the line as it stands, or the chosen completion where the line is
// not a command by itself. What is not known stays in the line, and where there
// is nothing to run the line closes.
func (p *palette) run() tea.Cmd {
	line := strings.TrimSpace(p.input.Value())
	if line == "" && p.at < 0 {
		return views.Send(views.Shut{ID: paletteID})
	}
	e, rest, ok := resolve(p.entries, line)
	if !ok && len(p.found) > 0 {
		line = p.found[p.at].line
		e, rest, ok = resolve(p.entries, line)
	}
	if !ok {
		p.problem = "there is no command \"" + line + "\"; the help (?) lists them all"
		return nil
	}
	return views.Send(views.Shut{ID: paletteID, Then: views.Send(ran{line, e, rest})})
}

// Hints are drawn by nobody: the line stands in their place.
func (p *palette) Hints() []views.Command { return nil }

// openPalette opens the line.
func (m *Model) openPalette(string) tea.Cmd {
	return m.open(newPalette(m.env, m.entries(), m.typed), false)
}

// ran runs a line of the palette and remembers it.
func (m *Model) ran(r ran) tea.Cmd {
	if last := len(m.typed) - 1; last < 0 || m.typed[last] != r.line {
		m.typed = append(m.typed, r.line)
	}
	m.notices.dismiss()
	return r.entry.run(r.rest)
}
