package views

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"
)

// Choice is a list of choices of a [Form] that keeps the chosen one on the screen,
// also where choices take several lines.
func Choice[T comparable](list *huh.Select[T]) huh.Field { return &choice[T]{list} }

type choice[T comparable] struct{ *huh.Select[T] }

// Update scrolls back to what is chosen: with every message the list begins at the line
// of that number, as if each choice had one line, and only a key mends that.
func (c *choice[T]) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	_, cmd := c.Select.Update(msg)
	if _, key := msg.(tea.KeyMsg); !key && c.Error() == nil {
		_, _ = c.Select.Update(tea.KeyMsg{Type: tea.KeyNull})
	}
	return c, cmd
}
