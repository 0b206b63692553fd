package widget

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget/complete"
	"geodeck/ui/widget/rows"
)

// completed is an input of a form whose text is completed: tab goes on to the next field
// where there is nothing to complete.
type completed struct {
	*huh.Input
	line  *complete.Line
	value *string
	inks  rows.Inks
	width int
	// focused says that the candidates are shown, missed that tab has found none.
	focused, missed bool
}

// NewCompleted returns an input bound to value with the candidates of a line below it.
func NewCompleted(t *theme.Theme, input *huh.Input, value *string, line *complete.Line) huh.Field {
	return &completed{Input: input.Value(value), line: line, value: value, inks: rows.NewInks(t)}
}

// Focus shows the words that fit.
func (c *completed) Focus() tea.Cmd {
	c.focused, c.missed = true, false
	c.line.Typed(*c.value)
	return c.Input.Focus()
}

// Blur hides them.
func (c *completed) Blur() tea.Cmd {
	c.focused = false
	return c.Input.Blur()
}

// WithWidth gives the field its cells.
func (c *completed) WithWidth(width int) huh.Field {
	c.width = width
	return c.Input.WithWidth(width)
}

// WithHeight is ignored: candidates make the field higher for a while.
func (c *completed) WithHeight(int) huh.Field { return c }

// Offers reports whether a field shows candidates.
func Offers(field huh.Field) bool {
	c, ok := field.(*completed)
	return ok && c.focused && c.line.Len() > 0
}

// Update completes, and gives every other key to the input.
func (c *completed) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case complete.Listed:
		if text, step, ok := c.line.Listed(msg, *c.value); ok {
			return c, c.take(text, step)
		}
		return c, nil
	case tea.KeyMsg:
		if msg.Type == tea.KeyEnter {
			return c, c.enter(msg)
		}
		if row, ok := views.Typed(c.keys(), msg); ok {
			return c, row.Do("")
		}
	}
	before := *c.value
	_, cmd := c.Input.Update(msg)
	if *c.value != before {
		c.missed = false
		c.line.Typed(*c.value)
	}
	return c, cmd
}

// keys are those that complete.
func (c *completed) keys() []views.Command {
	return complete.Keys("form", "Forms", nil, func() bool { return c.line.OfFiles() || c.line.Len() > 0 }, c.tab, c.choose)
}

// enter takes the candidate that was chosen, and goes on, but into a folder.
func (c *completed) enter(key tea.KeyMsg) tea.Cmd {
	if chosen, ok := c.line.Chosen(); ok {
		text, step, _ := c.line.Tab(*c.value)
		c.take(text, step)
		if c.line.OfFiles() && strings.HasSuffix(chosen.Text, "/") {
			return c.choose(1)
		}
	}
	_, cmd := c.Input.Update(key)
	return cmd
}

// tab completes, and goes on from a candidate that the arrows chose.
func (c *completed) tab() tea.Cmd {
	if c.goesOn() {
		return c.enter(tea.KeyMsg{Type: tea.KeyTab})
	}
	text, step, cmd := c.line.Tab(*c.value)
	if cmd != nil {
		return cmd
	}
	return c.take(text, step)
}

// goesOn reports whether tab may lead to the next field at once.
func (c *completed) goesOn() bool {
	_, chosen := c.line.Chosen()
	return chosen
}

func (c *completed) take(text string, step complete.Step) tea.Cmd {
	c.missed = false
	switch {
	case step == complete.Whole, step == complete.Nothing && !c.line.OfFiles():
		_, cmd := c.Input.Update(tea.KeyMsg{Type: tea.KeyTab})
		return cmd
	case step == complete.Nothing:
		c.missed = true
	case text != *c.value:
		*c.value = text
		c.Input.Value(c.value)
		_, cmd := c.Input.Update(tea.KeyMsg{Type: tea.KeyEnd})
		return cmd
	}
	return nil
}

func (c *completed) choose(by int) tea.Cmd { return c.line.Move(*c.value, by) }

// View draws the input, and the candidates below it.
func (c *completed) View() string {
	view := c.Input.View()
	if !c.focused {
		return view
	}
	lines := c.line.Lines(&c.inks, max(1, c.width-2), maxChoices+1)
	if len(lines) == 0 && c.missed {
		lines = []string{c.inks.Muted.On("  " + complete.NoMatch)}
	}
	return strings.Join(append([]string{view}, lines...), "\n")
}
