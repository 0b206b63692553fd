package views

import (
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
)

// Typed is a word that is typed, key by key, to confirm something.
type Typed struct {
	Text string
	Hint string // why what was typed confirms nothing; a key takes it away
}

const (
	// mostTypedAtOnce is how many characters may come in one go: a slow line gathers
	// what is typed fast. More is pasted by a terminal that does not say so.
	mostTypedAtOnce = 3
	mostTyped       = 80 // bytes
)

// Key takes a key. What was pasted, or came in one go, was not typed to confirm: then
// it is false, and the key means nothing.
func (t *Typed) Key(key tea.KeyMsg) bool {
	if key.Paste || len(key.Runes) > mostTypedAtOnce {
		t.Hint = "Pasted text confirms nothing: type it."
		return false
	}
	t.Hint = ""
	switch key.Type {
	case tea.KeyBackspace:
		_, size := utf8.DecodeLastRuneInString(t.Text)
		t.Text = t.Text[:len(t.Text)-size]
	case tea.KeyCtrlU:
		t.Text = ""
	case tea.KeyRunes, tea.KeySpace:
		if !key.Alt && len(t.Text) < mostTyped {
			t.Text += string(key.Runes)
		}
	}
	return true
}

// typeKey takes a key of the word that agrees.
func (c *Confirm) typeKey(key tea.KeyMsg) tea.Cmd {
	if !c.typed.Key(key) {
		return nil
	}
	switch key.Type {
	case tea.KeyEsc:
		return c.no()
	case tea.KeyEnter:
		if c.typed.Text == c.ask.Word {
			return c.yes()
		}
		c.typed.Hint = `Only the word "` + c.ask.Word + `" confirms it.`
	}
	return nil
}

// typedLines are where the word is typed, and why it does not agree.
func (c *Confirm) typedLines() []string {
	t := c.theme
	prompt := "Type " + t.Strong.Render(c.ask.Word) + " and enter to " + c.ask.Yes + ": "
	typed := plain.Line(c.typed.Text)
	if over := ansi.StringWidth(prompt+typed) + 1 - c.width; over > 0 { // its end is what is typed
		typed = ansi.TruncateLeft(typed, over+1, t.Glyphs.Ellipsis)
	}
	lines := []string{"", prompt + t.Accent.Render(typed+t.Glyphs.BarOn), t.Key.Render("esc") + " " + c.ask.No}
	if c.typed.Hint != "" {
		lines = append(lines, "")
		lines = append(lines, wrapped(t.Warn, t.Glyphs.Warn+" "+c.typed.Hint, c.width)...)
	}
	return lines
}
