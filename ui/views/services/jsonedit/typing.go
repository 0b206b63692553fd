package jsonedit

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
	"geodeck/ui/widget"
)

// mode takes typed keys in place of commands: a field, a set of words, a text. It is made
// with what makes its text part of the document.
type mode interface {
	// key takes a key that is neither taking over nor leaving.
	key(msg tea.KeyMsg)
	// take makes what was typed part of the document, or says why it cannot be. It
	// reports whether there is nothing to take: typing is over.
	take() (over bool)
	// takes reports whether a key takes over.
	takes(msg tea.KeyMsg) bool
	// changed reports whether leaving would lose something.
	changed() bool
	// prompt is the line below: what is typed, or what is wrong with it.
	prompt(k *inks, width int) string
}

// panel is a mode with rows of its own.
type panel interface {
	mode
	// rows takes some of the free rows, and returns how many.
	rows(free int) int
	// draw returns its lines, of at most width cells.
	draw(k *inks, width, height int) []string
}

// typing is the mode that takes typed keys, and the question before it is left.
type typing struct {
	mode    mode // nil where keys are commands
	leaving bool // it asks whether what was typed is discarded
}

// outcome is what a key leads to.
type outcome int

const (
	goesOn    outcome = iota
	ended             // nothing was typed, or it was taken over
	discarded         // what was typed is given up, as was confirmed
)

// key gives a key to what is typed into.
func (t *typing) key(key tea.KeyMsg) outcome {
	switch m := t.mode; {
	case t.leaving && key.Paste: // answers nothing
	case t.leaving:
		if t.leaving = false; key.String() == "y" {
			return discarded
		}
	case key.Paste:
		m.key(key)
	case key.Type == tea.KeyEsc:
		return t.leave()
	case m.takes(key):
		return t.take()
	default:
		m.key(key)
	}
	return goesOn
}

// take takes over what is typed.
func (t *typing) take() outcome {
	if t.leaving = false; t.mode.take() {
		return ended
	}
	return goesOn
}

// leave ends typing; where that loses something it asks first: esc may be the beginning
// of another key, cut off by a slow line.
func (t *typing) leave() outcome {
	if m, ok := t.mode.(*words); ok && m.adding != nil && !m.adding.changed() {
		m.adding = nil
		return goesOn
	}
	if t.mode.changed() {
		t.leaving = true
		return goesOn
	}
	return ended
}

// prompt is the line below.
func (t *typing) prompt(k *inks, width int) string {
	if t.leaving {
		return k.Warn.On("Drop what was typed?") + "  y drops it, any other key goes on"
	}
	return t.mode.prompt(k, width)
}

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

// prompt says why the text was not taken, else the question or what may be typed.
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

// words edits a comma list as a set that is checked on and off.
type words struct {
	before []string
	items  []word
	cursor int
	adding *field
	accept func(chosen []string) // makes them the list, which ends typing
	asText func()                // edits the list in its line instead
}

type word struct {
	text string
	on   bool
}

// add adds words that are not there yet.
func (m *words) add(on bool, texts ...string) {
	for _, text := range texts {
		if !slices.ContainsFunc(m.items, func(w word) bool { return w.text == text }) {
			m.items = append(m.items, word{text, on})
		}
	}
}

func (m *words) chosen() []string {
	var chosen []string
	for _, w := range m.items {
		if w.on {
			chosen = append(chosen, w.text)
		}
	}
	return chosen
}

func (m *words) takes(msg tea.KeyMsg) bool {
	return msg.Type == tea.KeyEnter || msg.Type == tea.KeyCtrlS
}

func (m *words) changed() bool {
	if m.adding != nil && m.adding.changed() {
		return true
	}
	before := slices.Clone(m.before) // a word that is there twice is one
	slices.Sort(before)
	chosen := m.chosen()
	slices.Sort(chosen)
	return !slices.Equal(slices.Compact(before), chosen)
}

// take adopts the words that are typed, or takes the list over.
func (m *words) take() (over bool) {
	switch {
	case m.adding != nil:
		m.adopt()
		return false
	case !m.changed():
		return true
	}
	m.accept(m.chosen())
	return false
}

// adopt makes what was typed words of the list.
func (m *words) adopt() {
	m.add(true, document.Items(m.adding.text.String())...)
	for _, text := range document.Items(m.adding.text.String()) {
		m.cursor = slices.IndexFunc(m.items, func(w word) bool { return w.text == text })
		m.items[m.cursor].on = true
	}
	m.adding = nil
}

func (m *words) key(msg tea.KeyMsg) {
	switch {
	case m.adding != nil:
		m.adding.key(msg)
		return
	case msg.Paste:
		return
	}
	switch msg.String() {
	case "up", "k":
		m.cursor--
	case "down", "j":
		m.cursor++
	case " ", "x":
		if m.cursor < len(m.items) {
			m.items[m.cursor].on = !m.items[m.cursor].on
		}
	case "a":
		m.adding = newField("", "Words to add, with commas between them", "")
	case "e":
		if !m.changed() {
			m.asText()
		}
	}
	m.cursor = max(0, min(m.cursor, len(m.items)-1))
}

func (m *words) rows(free int) int { return max(0, min(len(m.items), free-2, free*2/3+1)) }

func (m *words) draw(k *inks, width, height int) []string {
	top := max(0, min(m.cursor-height/2, len(m.items)-height))
	var lines []string
	for i := top; i < len(m.items) && len(lines) < height; i++ {
		cursor, box, ink := "    ", "[ ] ", k.Muted
		if m.items[i].on {
			box, ink = "[x] ", k.JSONString
		}
		if i == m.cursor {
			cursor = "  " + k.Accent.On(k.Glyphs.Cursor) + " "
		}
		lines = append(lines, cursor+box+ink.On(k.clean(m.items[i].text, width-8)))
	}
	return lines
}

func (m *words) prompt(k *inks, width int) string {
	if m.adding != nil {
		return m.adding.prompt(k, width)
	}
	dot := " " + k.Glyphs.Dot + " "
	return k.Heading.On(plain.Plural(len(m.chosen()), "word")) + "  " +
		k.Muted.On(strings.Join([]string{"space checks", "a adds", "e as text", "enter takes it over", "esc leaves"}, dot))
}
