package views

import (
	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/theme"
)

// Ask is what a [Prompt] asks for.
type Ask struct {
	ID    string
	Title string // "Save the report as"
	Note  string // a sentence below the title; may be empty
	Value string // offered at first
	// Problem is what is wrong with the value offered, shown until a key changes
	// it; may be empty.
	Problem string
	// Check says what is wrong with a value, as a sentence; may be nil.
	Check func(string) error
	// Then runs with the value once it passed the check and the dialog is shut.
	Then func(string) tea.Cmd
	// Left is told what stood there when the prompt is left without an answer;
	// may be nil.
	Left func(string)
}

// Prompt asks for one line of text.
type Prompt struct {
	theme   *theme.Theme
	ask     Ask
	input   textinput.Model
	problem string
	width   int
}

// NewPrompt returns the dialog of an ask.
func NewPrompt(t *theme.Theme, a Ask) *Prompt {
	p := &Prompt{theme: t, ask: a, input: NewInput(t), problem: a.Problem}
	p.input.SetValue(a.Value)
	p.input.CursorEnd()
	return p
}

// NewInput returns a focused line of text in the look of the theme. Its cursor
// stands still: a blinking one would send bytes while nothing happens.
func NewInput(t *theme.Theme) textinput.Model {
	in := textinput.New()
	in.Prompt = ""
	in.TextStyle, in.PromptStyle, in.PlaceholderStyle = t.Plain, t.Accent, t.Muted
	in.Cursor.SetMode(cursor.CursorStatic)
	in.Cursor.Style, in.Cursor.TextStyle = t.Accent, t.Plain
	in.Focus()
	return in
}

// ID names the dialog.
func (p *Prompt) ID() string { return p.ask.ID }

// Init has nothing to start.
func (p *Prompt) Init() tea.Cmd { return nil }

// Scope is nil: a prompt asks the user only.
func (p *Prompt) Scope() *Scope { return nil }

// SetSize takes the width of the line.
func (p *Prompt) SetSize(width, _ int) {
	p.width = width
	p.input.Width = max(min(width, 72)-4, 1)
}

// Update edits the line; enter checks it and closes, esc closes.
func (p *Prompt) Update(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyMsg); ok {
		msg = Pasted(key)
		switch key.String() {
		case "esc":
			if p.ask.Left != nil {
				p.ask.Left(p.input.Value())
			}
			return Send(Shut{ID: p.ask.ID})
		case "enter":
			return p.submit()
		}
		p.problem = ""
	}
	var cmd tea.Cmd
	p.input, cmd = p.input.Update(msg)
	return cmd
}

func (p *Prompt) submit() tea.Cmd {
	value := p.input.Value()
	if p.ask.Check != nil {
		if err := p.ask.Check(value); err != nil {
			p.problem = err.Error()
			return nil
		}
	}
	return Send(Shut{ID: p.ask.ID, Then: p.ask.Then(value)})
}

// View draws the title, the line, and what is wrong with it.
func (p *Prompt) View() string {
	lines := wrapped(p.theme.Heading, p.ask.Title, p.width)
	if p.ask.Note != "" {
		lines = append(lines, wrapped(p.theme.Muted, p.ask.Note, p.width)...)
	}
	lines = append(lines, "", p.theme.Accent.Render(p.theme.Glyphs.Cursor)+" "+p.input.View())
	if p.problem != "" {
		lines = append(lines, "")
		lines = append(lines, wrapped(p.theme.Fail, p.theme.Glyphs.Fail+" "+p.problem, p.width)...)
	}
	return join(lines)
}

// Hints tell how to accept and how to leave.
func (p *Prompt) Hints() []Command {
	return []Command{{Keys: []string{"enter"}, Hint: "accept"}, {Keys: []string{"esc"}, Hint: "cancel"}}
}
