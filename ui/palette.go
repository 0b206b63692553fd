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
	at      int    // the marked completion; -1 for none, while nothing is typed
	picked  bool   // the user went to it by the arrows
	taken   *entry // whose name tab has put into the line
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

// Replies is nil: the palette asks the user only.
func (p *palette) Replies() *views.Scope { return nil }

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
	n := len(p.found)
	if n == 0 {
		return
	}
	if p.at < 0 && by < 0 {
		p.at = 0
	}
	p.at = (p.at + by + n) % n
	p.picked, p.problem = true, ""
}

// take puts the marked completion into the line, ready for an argument.
func (p *palette) take() {
	if len(p.found) == 0 {
		return
	}
	c := p.found[max(p.at, 0)]
	line := c.line
	if c.open {
		line += " "
	}
	p.write(line)
	p.taken, p.problem = c.entry, ""
	p.complete()
}

func (p *palette) write(line string) {
	p.input.SetValue(line)
	p.input.CursorEnd()
}

// run runs what is meant. What is not clear stays in the line, and where there is
// nothing to run the line closes.
func (p *palette) run() tea.Cmd {
	if strings.TrimSpace(p.input.Value()) == "" && !p.picked {
		return views.Send(views.Shut{ID: paletteID})
	}
	r, problem := p.meant()
	if problem != "" {
		p.write(r.line)
		p.complete()
		p.problem = problem
		return nil
	}
	return views.Send(views.Shut{ID: paletteID, Then: views.Send(r)})
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
	m.notices.deed(r.entry.Command)
	return r.entry.run(r.rest)
}
