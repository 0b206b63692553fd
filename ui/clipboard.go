package ui

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// copied is the end of a copy.
type copied struct {
	what string
	err  error
}

var errNoTerminal = errors.New("there is no terminal to copy through")

// copy asks the terminal to take a text.
func (m *Model) copy(c views.Copy) tea.Cmd {
	terminal := m.options.Terminal
	return m.scope.Do("copy", func(context.Context) tea.Msg {
		if terminal == nil {
			return copied{c.What, errNoTerminal}
		}
		return copied{c.What, terminal.Copy(c.Text)}
	})
}

func (m *Model) copied(c copied) tea.Cmd {
	if c.err != nil {
		return m.notify(views.Notice{Level: views.Failure, Text: "cannot copy the " + c.what + ": " + c.err.Error(), Err: c.err})
	}
	return m.notify(views.Notice{Level: views.Success, Text: c.what + " sent to the terminal's clipboard"})
}
