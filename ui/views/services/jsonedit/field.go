package jsonedit

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/widget"
)

// field is a text of one row: a value in its line of the tree, or a question in the
// line below.
type field struct {
	text   buffer
	before string
	label  string // what is asked for
	hint   string // what fits
	reason string // why the text was not taken
	values []string
	line   int
	inLine bool
	// accept makes the text part of the document, which ends typing, or begins another
	// mode; else the text is refused.
	accept func(text string)
}

func newField(text, label, hint string) *field {
	m := &field{text: newBuffer(text, true), before: text, label: label, hint: hint}
	m.text.col = len(m.text.rows[0])
	return m
}

// refuse says why the text cannot be taken.
func (m *field) refuse(err error) { m.reason = reason(err) }

func (m *field) takes(msg tea.KeyMsg) bool {
	return msg.Type == tea.KeyEnter || msg.Type == tea.KeyCtrlS
}

func (m *field) changed() bool { return m.text.String() != m.before }

func (m *field) take() bool {
	m.reason = ""
	m.accept(m.text.String())
	return false
}

func (m *field) key(msg tea.KeyMsg) {
	msg = widget.Pasted(msg)
	before := m.text.bytes
	switch {
	case msg.Type == tea.KeyTab:
		m.suggest()
	case msg.Type == tea.KeyRunes || msg.Type == tea.KeySpace:
		if msg.Alt {
			return
		}
		if !m.text.insert(string(msg.Runes)) {
			m.reason = "That is more than a document may have."
			return
		}
	case !m.text.key(msg, 1) || m.text.bytes == before:
		return // the text is the same, and so is what is wrong with it
	}
	m.reason = ""
}

// suggest puts the next of the known values in place of the text.
func (m *field) suggest() {
	if len(m.values) == 0 {
		return
	}
	next := (slices.Index(m.values, m.text.String()) + 1) % len(m.values)
	m.text = newBuffer(m.values[next], true)
	m.text.col = len(m.text.rows[0])
}

// prompt says why the text was not taken, else the question or what fits.
func (m *field) prompt(k *inks, width int) string {
	label := k.Heading.On(m.label)
	if m.reason != "" {
		label = k.Fail.On(k.Glyphs.Fail + " " + m.reason)
	}
	if m.inLine {
		hint := m.hint
		if hint != "" {
			hint += " " + k.Glyphs.Dot + " "
		}
		if len(m.values) > 0 {
			hint += "tab known values " + k.Glyphs.Dot + " "
		}
		return label + "  " + k.Muted.On(hint+"enter takes it over "+k.Glyphs.Dot+" esc leaves")
	}
	label = ansi.Truncate(label, max(8, width*2/3), k.Glyphs.Ellipsis)
	return label + "  " + m.text.window(k, max(6, width-ansi.StringWidth(label)-2))
}
