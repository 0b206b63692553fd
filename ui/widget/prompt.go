package widget

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/views"
)

// PromptOptions say what a [Prompt] asks for.
type PromptOptions struct {
	ID    string
	Title string // "Save the report as"
	Note  string // a sentence below the title; may be empty
	Value string // offered at first
	// Problem is what is wrong with the value offered, shown until a key changes
	// it; may be empty.
	Problem string
	// Choices are what can be typed, such as names: those that hold what is typed
	// are shown, and tab takes the first; may be nil.
	Choices func() []string
	// Check says what is wrong with a value, as a sentence; may be nil.
	Check func(string) error
	// Then runs with the value once it passed the check and the dialog is shut.
	Then func(string) tea.Cmd
	// Left is called with the text when the prompt is left without an answer; may be
	// nil.
	Left func(string)
}

// Prompt asks for one line of text.
type Prompt struct {
	Base
	theme   *theme.Theme
	options PromptOptions
	input   textinput.Model
	problem string
	width   int
}

// NewPrompt returns the dialog.
func NewPrompt(t *theme.Theme, a PromptOptions) *Prompt {
	p := &Prompt{Base: Base(a.ID), theme: t, options: a, input: NewInput(t), problem: a.Problem}
	p.input.SetValue(a.Value)
	p.input.CursorEnd()
	return p
}

// The library fails where the word behind the cursor is deleted and has one character:
// no line, and no field of a form, has that key. Alt and a character is esc and a key.
func init() {
	keys := &textinput.DefaultKeyMap
	keys.DeleteWordForward.SetEnabled(false)
	keys.DeleteWordBackward.SetKeys("ctrl+w")
	keys.WordForward.SetKeys("alt+right", "ctrl+right")
	keys.WordBackward.SetKeys("alt+left", "ctrl+left")
}

// NewInput returns a focused line of text in the look of the theme. Its cursor does not
// blink, which would send bytes while nothing happens.
func NewInput(t *theme.Theme) textinput.Model {
	in := textinput.New()
	in.Prompt = ""
	in.TextStyle, in.PromptStyle, in.PlaceholderStyle = t.Plain, t.Accent, t.Muted
	in.Cursor.SetMode(cursor.CursorStatic)
	in.Cursor.Style, in.Cursor.TextStyle = t.Caret, t.Plain
	in.Focus()
	return in
}

// SetSize takes the width of the line.
func (p *Prompt) SetSize(width, _ int) {
	p.width = width
	p.input.Width = max(min(width, 72)-4, 1)
	p.input.SetCursor(p.input.Position()) // shows what is around the cursor in that width
}

// Update edits the line; enter checks it and closes, esc closes.
func (p *Prompt) Update(msg tea.Msg) tea.Cmd {
	if key, ok := msg.(tea.KeyMsg); ok {
		if row, ok := views.Pressed(p.commands(), key.String()); ok {
			return row.Run("")
		}
		msg, p.problem = Pasted(key), ""
	}
	var cmd tea.Cmd
	p.input, cmd = p.input.Update(msg)
	return cmd
}

// commands are the keys of the line; every other key is text.
func (p *Prompt) commands() []views.Command {
	complete := ""
	if p.options.Choices != nil {
		complete = "complete"
	}
	const group = "Input line"
	return []views.Command{
		{ID: "prompt.accept", Binding: views.Key("accept", "enter"), Group: group, Run: views.Do(p.submit),
			Help: "Accepts the line, or says what is wrong with it."},
		{ID: "prompt.leave", Binding: views.Key("cancel", "esc"), Group: group, Run: views.Do(p.leave), Help: "Leaves the line."},
		{ID: "prompt.complete", Binding: views.Key(complete, "tab"), Group: group, Run: views.Do(p.complete),
			Help: "Takes the first suggested value."},
	}
}

func (p *Prompt) leave() tea.Cmd {
	if p.options.Left != nil {
		p.options.Left(p.input.Value())
	}
	return views.Send(views.Shut{ID: p.options.ID})
}

func (p *Prompt) submit() tea.Cmd {
	value := p.input.Value()
	if p.options.Check != nil {
		if err := p.options.Check(value); err != nil {
			p.problem = views.Sentence(err.Error())
			return nil
		}
	}
	return views.Send(views.Shut{ID: p.options.ID, Then: p.options.Then(value)})
}

// View draws the title, the line, and what is wrong with it.
func (p *Prompt) View() string {
	lines := wrapped(p.theme.Heading, p.options.Title, p.width)
	if p.options.Note != "" {
		lines = append(lines, wrapped(p.theme.Muted, p.options.Note, p.width)...)
	}
	lines = append(lines, "", p.theme.Accent.Render(p.theme.Glyphs.Cursor)+" "+p.input.View())
	if p.problem != "" {
		lines = append(lines, "")
		lines = append(lines, wrapped(p.theme.Fail, p.theme.Glyphs.Fail+" "+p.problem, p.width)...)
	}
	if p.problem == "" {
		lines = append(lines, p.drawChoices()...)
	}
	return join(lines)
}

// maxChoices bounds the choices that are shown.
const maxChoices = 6

func (p *Prompt) drawChoices() (lines []string) {
	fitting := p.fitting()
	for _, choice := range fitting[:min(len(fitting), maxChoices)] {
		lines = append(lines, p.theme.Muted.Render("  "+views.Fit(plain.Line(choice), max(p.width-2, 1), p.theme.Glyphs.Ellipsis)))
	}
	if more := len(fitting) - maxChoices; more > 0 {
		lines = append(lines, p.theme.Muted.Render("  and "+strconv.Itoa(more)+" more"))
	}
	if len(lines) > 0 {
		lines = append([]string{""}, lines...)
	}
	return lines
}

// fitting returns the choices that contain what is typed and more.
func (p *Prompt) fitting() (fitting []string) {
	if p.options.Choices == nil {
		return nil
	}
	typed := strings.TrimSpace(p.input.Value())
	for _, choice := range p.options.Choices() {
		if choice != typed && strings.Contains(strings.ToLower(choice), strings.ToLower(typed)) {
			fitting = append(fitting, choice)
		}
	}
	return fitting
}

func (p *Prompt) complete() tea.Cmd {
	if fitting := p.fitting(); len(fitting) > 0 {
		p.input.SetValue(fitting[0])
		p.input.CursorEnd()
		p.problem = ""
	}
	return nil
}

// Hints are the keys for accepting, leaving and completing.
func (p *Prompt) Hints() []views.Command { return views.Hints(p.commands()) }

// Pasted returns a paste without the line ends around it, which a copied line
// brings along and a field would take for spaces, as in a password. Other keys
// are returned as they are.
func Pasted(key tea.KeyMsg) tea.KeyMsg {
	if key.Paste {
		key.Runes = []rune(strings.Trim(string(key.Runes), "\r\n"))
	}
	return key
}
