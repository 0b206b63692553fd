package jsonedit

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
)

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
