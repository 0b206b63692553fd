package views

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/theme"
)

// Question is what a [Confirm] asks.
type Question struct {
	ID          string
	Text        string // "Delete this report?"
	Consequence string // what happens then, in a sentence or two; may be empty
	Yes         string // what y does: "delete it"
	// Word has to be typed, key by key, where a y is too little; empty where y is enough.
	Word string
	No   string // what n does; empty means "cancel"
	Then tea.Cmd
	Else tea.Cmd // follows from no; may be nil
}

// Confirm asks a question that only y answers with yes, or a word that is typed.
// Enter alone answers nothing, so that neither a habit nor a pasted line agrees to
// anything.
type Confirm struct {
	theme *theme.Theme
	ask   Question
	width int
	typed Typed
}

// NewConfirm returns the dialog of a question.
func NewConfirm(t *theme.Theme, q Question) *Confirm {
	if q.No == "" {
		q.No = "cancel"
	}
	return &Confirm{theme: t, ask: q}
}

// ID names the dialog.
func (c *Confirm) ID() string { return c.ask.ID }

// Init has nothing to start.
func (c *Confirm) Init() tea.Cmd { return nil }

// Scope is nil: a question asks the user only.
func (c *Confirm) Scope() *Scope { return nil }

// SetSize takes the width for wrapping.
func (c *Confirm) SetSize(width, _ int) { c.width = width }

// Update waits for one of the answers.
func (c *Confirm) Update(msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
		return nil
	case c.ask.Word != "":
		return c.typeKey(key)
	case key.Paste:
		return nil
	}
	switch key.String() {
	case "y":
		return c.yes()
	case "n", "esc":
		return c.no()
	}
	return nil
}

func (c *Confirm) yes() tea.Cmd { return Send(Shut{ID: c.ask.ID, Then: c.ask.Then}) }
func (c *Confirm) no() tea.Cmd  { return Send(Shut{ID: c.ask.ID, Then: c.ask.Else}) }

// View draws the question, what follows from it, and the answers.
func (c *Confirm) View() string {
	lines := wrapped(c.theme.Strong, c.ask.Text, c.width)
	if c.ask.Consequence != "" {
		lines = append(lines, "")
		lines = append(lines, wrapped(c.theme.Plain, c.ask.Consequence, c.width)...)
	}
	if c.ask.Word != "" {
		return join(append(lines, c.typedLines()...))
	}
	answers := c.theme.Key.Render("y") + " " + c.ask.Yes + "   " + c.theme.Key.Render("n") + " " + c.ask.No
	return join(append(lines, "", answers))
}

// Hints are the answers.
func (c *Confirm) Hints() []Command {
	if c.ask.Word != "" {
		return []Command{{Keys: []string{"enter"}, Hint: c.ask.Yes}, {Keys: []string{"esc"}, Hint: c.ask.No}}
	}
	return []Command{{Keys: []string{"y"}, Hint: c.ask.Yes}, {Keys: []string{"n", "esc"}, Hint: c.ask.No}}
}
