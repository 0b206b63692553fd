package widget

import (
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"geodeck/theme"
	"geodeck/ui/views"
)

// Message shows text that can be scrolled, such as a whole error.
type Message struct {
	Base
	theme         *theme.Theme
	title, text   string
	lines         []string
	top           int
	width, height int
}

// NewMessage returns a dialog with foreign text, which is cleaned and wrapped.
func NewMessage(t *theme.Theme, id, title, text string) *Message {
	m := &Message{Base: NewBase(id), theme: t, title: title, text: text}
	m.Answers = views.Hooks{Keyed: m.commands}
	return m
}

// SetSize lays out the text again and keeps the position in it.
func (m *Message) SetSize(width, height int) {
	if width != m.width || m.lines == nil {
		m.lines = wrapped(m.theme.Plain, m.text, width)
	}
	m.width, m.height = width, height
	m.scroll(0)
}

// Update scrolls, or closes.
func (m *Message) Update(msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyMsg)
	if !ok || key.Paste {
		return nil
	}
	if row, ok := views.Pressed(m.commands(), key.String()); ok {
		return row.Do("")
	}
	return views.Unused(key, views.Keys(" Press {key:page.close} to close."))
}

// commands are the keys of the dialog.
func (m *Message) commands() []views.Command {
	scroll := func(id, hint, help string, by int, keys ...string) views.Command {
		if len(m.lines) <= m.room() {
			hint = "" // all of it is seen
		}
		return views.Command{ID: id, Key: views.JoinKeys(keys...), Word: hint, Help: help, Run: views.Call(func() { m.scroll(by) })}
	}
	return views.Grouped("Pages of text", []views.Command{
		{ID: "page.close", Key: "esc q enter", Word: "close", Help: views.Keys("Closes the page; in the help, {key:filter.clear} clears the filter first."),
			Run: m.Shut},
		scroll("page.up", "scroll", "A line up.", -1, "up", "k"),
		scroll("page.down", "scroll", "A line down.", 1, "down", "j"),
		scroll("page.page-down", "page", "A page down.", m.room()-1, "pgdown", " ", "ctrl+d"),
		scroll("page.page-up", "page back", "A page up.", 1-m.room(), "pgup", "ctrl+u"),
		scroll("page.top", "", "The first line.", -len(m.lines), "g", "home"),
		scroll("page.end", "end", "The last line.", len(m.lines), "G", "end"),
	})
}

// room is how many lines of text are seen below the title and its blank line.
func (m *Message) room() int { return max(m.height-2, 1) }

func (m *Message) scroll(by int) {
	m.top = max(min(m.top+by, len(m.lines)-m.room()), 0)
}

// View draws the title, where in the text the user is, and the visible lines.
func (m *Message) View() string {
	title := m.theme.Heading.Render(m.title)
	if len(m.lines) > m.room() {
		last := min(m.top+m.room(), len(m.lines))
		title += m.theme.Muted.Render(fmt.Sprintf("  lines %d to %d of %d", m.top+1, last, len(m.lines)))
	}
	seen := m.lines[min(m.top, len(m.lines)):min(m.top+m.room(), len(m.lines))]
	return views.Fit(title, m.width, m.theme.Glyphs.Ellipsis) + "\n\n" + theme.CursorMark + strings.Join(seen, "\n")
}

// Hints are the keys for closing and, if not all fits, for scrolling.
func (m *Message) Hints() []views.Hint { return views.Hints(m.commands()) }

// wrapped cleans text, breaks it at width cells and gives each line the style.
func wrapped(style lipgloss.Style, text string, width int) []string {
	lines := views.Wrap(text, width)
	for i, line := range lines {
		lines[i] = style.Render(line)
	}
	return lines
}

func join(lines []string) string { return strings.Join(lines, "\n") }
