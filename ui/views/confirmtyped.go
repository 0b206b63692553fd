package views

import (
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
)

// mostTypedAtOnce is how many characters may come in one go: a slow line gathers what
// is typed fast. More is pasted by a terminal that does not say so.
const mostTypedAtOnce = 3

// typeKey takes a key of the word that agrees. What was pasted was not typed to agree.
func (c *Confirm) typeKey(key tea.KeyMsg) tea.Cmd {
	if key.Paste || len(key.Runes) > mostTypedAtOnce {
		c.hint = "Pasted text confirms nothing: type it."
		return nil
	}
	c.hint = ""
	switch key.Type {
	case tea.KeyEsc:
		return c.no()
	case tea.KeyEnter:
		if c.typed == c.ask.Word {
			return c.yes()
		}
		c.hint = `Only the word "` + c.ask.Word + `" confirms it.`
	case tea.KeyBackspace:
		_, size := utf8.DecodeLastRuneInString(c.typed)
		c.typed = c.typed[:len(c.typed)-size]
	case tea.KeyCtrlU:
		c.typed = ""
	case tea.KeyRunes, tea.KeySpace:
		if !key.Alt && len(c.typed) <= len(c.ask.Word) {
			c.typed += string(key.Runes)
		}
	}
	return nil
}

// typedLines are where the word is typed, and why it does not agree.
func (c *Confirm) typedLines() []string {
	t := c.theme
	lines := []string{"", "Type " + t.Strong.Render(c.ask.Word) + " and enter to " + c.ask.Yes + ": " + t.Accent.Render(c.typed+t.Glyphs.BarOn),
		t.Key.Render("esc") + " " + c.ask.No}
	if c.hint != "" {
		lines = append(lines, "")
		lines = append(lines, wrapped(t.Warn, t.Glyphs.Warn+" "+c.hint, c.width)...)
	}
	return lines
}
