package widget

import (
	"errors"
	"path/filepath"
	"strings"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/textinput"
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget/complete"
	"geodeck/ui/widget/rows"
)

// PromptOptions say what a [Prompt] asks for.
type PromptOptions struct {
	ID    string
	Title string // "Save the report as"
	Note  string // a sentence below the title; may be empty
	// Action names what enter does, such as "open".
	Action string
	Value  string // offered at first
	// Problem is what is wrong with the value offered, shown until a key changes
	// it; may be empty.
	Problem string
	// Complete completes what is typed; may be nil.
	Complete *complete.Line
	// Check says what is wrong with a value, as a sentence; may be nil.
	Check func(string) error
	// Then is called once, with the value that has passed the check; what it returns runs once the dialog is shut.
	Then func(string) tea.Cmd
	// Left is called with the text when the prompt is left without an answer; may be
	// nil.
	Left func(string)
}

// PromptFile asks for the path of a new file; the value offered is its name in the working folder.
func PromptFile(env *views.Env, o PromptOptions) tea.Cmd {
	o.Action, o.Value, o.Complete, o.Check = "write", filepath.Join(env.Folder, o.Value), complete.Files(env.Folder), NeedsPath
	return views.Show(NewPrompt(env.Theme, o))
}

// Prompt asks for one line of text.
type Prompt struct {
	Base
	theme   *theme.Theme
	options PromptOptions
	line    *complete.Line
	inks    rows.Inks
	input   textinput.Model
	missed  bool // tab has found nothing
	shut    bool // it was answered or left, and is there for a moment more
	problem string
	width   int
}

// NewPrompt returns the dialog.
func NewPrompt(t *theme.Theme, a PromptOptions) *Prompt {
	p := &Prompt{Base: NewBase(a.ID), theme: t, options: a, line: a.Complete, inks: rows.NewInks(t), input: NewInput(t), problem: a.Problem}
	if p.line == nil {
		p.line = &complete.Line{}
	}
	p.write(a.Value)
	p.line.Typed(a.Value)
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
	if found, ok := msg.(complete.Listed); ok {
		if text, step, ok := p.line.Listed(found, p.input.Value()); ok {
			p.completed(text, step)
		}
		return nil
	}
	if p.shut {
		return nil
	}
	if key, ok := msg.(tea.KeyMsg); ok {
		if row, ok := views.Typed(p.commands(), key); ok {
			return row.Do("")
		}
		msg, p.problem, p.missed = Pasted(key), "", false
	}
	before := p.input.Value()
	var cmd tea.Cmd
	if p.input, cmd = p.input.Update(msg); p.input.Value() != before {
		p.line.Typed(p.input.Value())
	}
	return cmd
}

func (p *Prompt) write(text string) {
	p.input.SetValue(text)
	p.input.CursorEnd()
}

// commands are the keys of the line; every other key is text.
func (p *Prompt) commands() []views.Command {
	const group = "Input line"
	chooses := func() bool { return p.line.OfFiles() || p.line.Completes() && p.line.Len() > 0 }
	return views.Grouped(group, append([]views.Command{
		{ID: "prompt.accept", Key: "enter", Word: p.options.Action, Run: p.submit,
			Help: "Accepts the line, or says what is wrong with it."},
		{ID: "prompt.leave", Key: "esc", Word: "cancel", Run: p.leave, Help: "Leaves the line."},
	}, complete.Keys("prompt", group, p.line.Completes, chooses, p.complete, p.choose)...))
}

func (p *Prompt) leave() tea.Cmd {
	if p.options.Left != nil {
		p.options.Left(p.input.Value())
	}
	p.shut = true
	return p.Shut()
}

func (p *Prompt) submit() tea.Cmd {
	if chosen, ok := p.line.Chosen(); ok {
		p.complete()
		if p.line.OfFiles() && strings.HasSuffix(chosen.Text, "/") {
			return p.choose(1) // in the folder
		}
	}
	value := p.input.Value()
	if p.options.Check != nil {
		if err := p.options.Check(value); err != nil {
			p.problem = views.Sentence(err.Error())
			return nil
		}
	}
	p.shut = true
	return p.ShutThen(p.options.Then(value))
}

// NeedsPath is the Check of a path that has to be typed.
func NeedsPath(path string) error {
	if strings.TrimSpace(path) == "" {
		return errors.New("type the path of a file")
	}
	return nil
}

// View draws the title, the line, and what is wrong with it.
func (p *Prompt) View() string {
	lines := wrapped(p.theme.Heading, p.options.Title, p.width)
	if p.options.Note != "" {
		lines = append(lines, wrapped(p.theme.Muted, p.options.Note, p.width)...)
	}
	lines = append(lines, "", p.theme.Accent.Render(p.theme.Glyphs.Cursor)+" "+p.input.View())
	switch found := p.line.Lines(&p.inks, p.width, maxChoices+1); {
	case p.problem != "":
		lines = append(append(lines, ""), wrapped(p.theme.Fail, p.theme.Glyphs.Fail+" "+p.problem, p.width)...)
	case len(found) > 0:
		lines = append(append(lines, ""), found...)
	case p.missed:
		lines = append(lines, "", p.theme.Muted.Render("  "+complete.NoMatch))
	}
	return join(lines)
}

// maxChoices bounds the candidates that are shown.
const maxChoices = 6

// complete takes what tab leads to.
func (p *Prompt) complete() tea.Cmd {
	text, step, cmd := p.line.Tab(p.input.Value())
	if cmd == nil {
		p.completed(text, step)
	}
	return cmd
}

func (p *Prompt) completed(text string, step complete.Step) {
	if step == complete.Whole && p.line.Len() > 1 { // there is no next field to go to
		c, _ := p.line.Turn()
		text = c.Text
	}
	p.problem, p.missed = "", step == complete.Nothing
	p.write(text)
}

func (p *Prompt) choose(by int) tea.Cmd {
	p.problem = ""
	return p.line.Move(p.input.Value(), by)
}

// Hints are the keys for accepting, leaving and completing.
func (p *Prompt) Hints() []views.Hint { return views.Hints(p.commands()) }

// Pasted returns a paste without the line ends around it, which a copied line
// brings along and a field would take for spaces, as in a password. Other keys
// are returned as they are.
func Pasted(key tea.KeyMsg) tea.KeyMsg {
	if key.Paste {
		key.Runes = []rune(strings.Trim(string(key.Runes), "\r\n"))
	}
	return key
}
