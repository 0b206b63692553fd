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
	theme         *theme.Theme
	ask           Question
	width, height int
	top           int // the first line of the consequence that is shown, where not all are
	typed         Typed
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

// Replies is nil: a question asks the user only.
func (c *Confirm) Replies() *Scope { return nil }

// SetSize takes the cells: the question and the answers are always in them, what
// follows from yes scrolls where there is no room for it.
func (c *Confirm) SetSize(width, height int) {
	c.width, c.height = width, height
	c.scroll(0)
}

// Update waits for one of the answers.
func (c *Confirm) Update(msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
		return nil
	case c.scrolls(key):
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
	head, tail := c.parts()
	return join(append(append(head, c.seen()...), tail...))
}

// parts are what stays on the screen whatever its size: the question, and below what
// follows from it the answers.
func (c *Confirm) parts() (head, tail []string) {
	head = wrapped(c.theme.Strong, c.ask.Text, c.width)
	if c.ask.Word != "" {
		tail = c.typedLines()
	} else {
		tail = []string{"", c.theme.Key.Render("y") + " " + c.ask.Yes + "   " + c.theme.Key.Render("n") + " " + c.ask.No}
	}
	return head[:min(len(head), max(1, c.height-len(tail)))], tail
}

// Hints are the answers.
func (c *Confirm) Hints() []Command {
	hints := []Command{{Binding: Key(c.ask.Yes, "y")}, {Binding: Key(c.ask.No, "n", "esc")}}
	if c.ask.Word != "" {
		hints = []Command{{Binding: Key(c.ask.Yes, "enter")}, {Binding: Key(c.ask.No, "esc")}}
	}
	if c.hidden() > 0 {
		hints = append(hints, Command{Binding: Key("read on", "up", "down")})
	}
	return hints
}
