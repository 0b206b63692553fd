package jsonedit

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/views"
)

// entry is a field of one row: a value in its line of the tree, or a question in the
// line below.
type entry struct {
	field  buffer
	before string
	label  string // what is asked for
	hint   string // what fits
	reason string // why the text was not taken
	values []string
	line   int
	inTree bool
	// accept makes the text part of the document and returns an empty reason, or says
	// why it cannot be. It may begin another mode.
	accept func(text string) (reason string)
}

func newEntry(text, label, hint string, accept func(string) string) *entry {
	m := &entry{field: newBuffer(text, true), before: text, label: label, hint: hint, accept: accept}
	m.field.col = len(m.field.rows[0])
	return m
}

func (m *entry) takes(msg tea.KeyMsg) bool {
	return msg.Type == tea.KeyEnter || msg.Type == tea.KeyCtrlS
}

func (m *entry) changed() bool { return m.field.String() != m.before }

func (m *entry) take(e *Editor) {
	m.reason = m.accept(m.field.String())
	if m.reason == "" && e.mode == mode(m) {
		note := e.note
		e.begin(nil)
		e.note = note
	}
}

func (m *entry) key(_ *Editor, msg tea.KeyMsg) {
	msg = views.Pasted(msg)
	before := m.field.bytes
	switch {
	case msg.Type == tea.KeyTab:
		m.suggest()
	case msg.Type == tea.KeyRunes || msg.Type == tea.KeySpace:
		if msg.Alt {
			return
		}
		if !m.field.insert(string(msg.Runes)) {
			m.reason = "That is more than a document may have."
			return
		}
	case !m.field.key(msg, 1) || m.field.bytes == before:
		return // the text is the same, and so is what is wrong with it
	}
	m.reason = ""
}

// suggest puts the next of the known values in place of the text.
func (m *entry) suggest() {
	if len(m.values) == 0 {
		return
	}
	next := (slices.Index(m.values, m.field.String()) + 1) % len(m.values)
	m.field = newBuffer(m.values[next], true)
	m.field.col = len(m.field.rows[0])
}

// foot shows why the text was not taken, else the question or what fits.
func (m *entry) foot(k *inks, width int) string {
	label := k.Heading.On(m.label)
	if m.reason != "" {
		label = k.Fail.On(k.Glyphs.Fail + " " + m.reason)
	}
	if m.inTree {
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
	return label + "  " + m.field.window(k, max(6, width-ansi.StringWidth(label)-2))
}
