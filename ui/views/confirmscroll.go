package views

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"
)

// consequence is what follows from yes, at the width of the dialog.
func (c *Confirm) consequence() []string {
	if c.ask.Consequence == "" {
		return nil
	}
	return wrapped(c.theme.Plain, c.ask.Consequence, c.width)
}

// seen is the consequence as it is shown: where there is no room for all of it, which
// part that is stands above it.
func (c *Confirm) seen() []string {
	text, room := c.consequence(), c.room()
	switch {
	case len(text) == 0 || room == 0:
		return nil
	case len(text) <= room:
		return append([]string{""}, text...)
	}
	top := min(c.top, c.hidden())
	where := fmt.Sprintf("lines %d to %d of %d", top+1, top+room, len(text))
	return append([]string{c.theme.Muted.Render(where)}, text[top:top+room]...)
}

// room is how many lines of the consequence are shown, below one that is blank or says
// which they are.
func (c *Confirm) room() int {
	head, tail := c.parts()
	return max(0, c.height-len(head)-len(tail)-1)
}

// hidden is how many lines of the consequence there is no room for.
func (c *Confirm) hidden() int { return max(0, len(c.consequence())-c.room()) }

// scroll moves the consequence by a number of lines.
func (c *Confirm) scroll(by int) { c.top = max(0, min(c.top+by, c.hidden())) }

// scrolls takes a key that moves the consequence, and tells whether it was one. None of
// them answers anything.
func (c *Confirm) scrolls(key tea.KeyMsg) bool {
	switch key.Type {
	case tea.KeyDown:
		c.scroll(1)
	case tea.KeyUp:
		c.scroll(-1)
	case tea.KeyPgDown:
		c.scroll(max(1, c.room()-1))
	case tea.KeyPgUp:
		c.scroll(-max(1, c.room()-1))
	default:
		return false
	}
	return true
}
