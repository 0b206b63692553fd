package jsonedit

import (
	tea "github.com/charmbracelet/bubbletea"
)

// mode takes typed keys in place of commands: a field, a set of words, a text.
type mode interface {
	// key takes a key that is neither taking over nor leaving.
	key(e *Editor, msg tea.KeyMsg)
	// take makes what was typed part of the document, or says why it cannot be.
	take(e *Editor)
	// takes tells whether a key takes over.
	takes(msg tea.KeyMsg) bool
	// changed tells whether leaving would lose something.
	changed() bool
	// foot is the line below: what is typed, or what is wrong with it.
	foot(k *inks, width int) string
}

// panel is a mode with rows of its own.
type panel interface {
	mode
	// rows is how many of the free rows it takes.
	rows(free int) int
	// draw returns its lines, of at most width cells.
	draw(k *inks, width, height int) []string
}

// Update takes keys while CapturesText, and messages of the widget that edits.
func (e *Editor) Update(msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
		if found, ok := msg.(checked); ok && found.doc == e.tree.doc {
			e.checked = found
			e.place()
		}
		return nil
	case e.mode == nil:
		e.list.Type(key)
	case e.leaving:
		e.answer(key)
	default:
		e.typed(key)
		e.arrange() // a panel may have grown
	}
	return e.check()
}

// typed gives a key to what is typed into.
func (e *Editor) typed(key tea.KeyMsg) {
	e.strokes++
	switch m := e.mode; {
	case key.Paste:
		m.key(e, key)
	case key.Type == tea.KeyEsc:
		e.leave()
	case m.takes(key):
		m.take(e)
	default:
		m.key(e, key)
	}
}

// leave ends typing; where that loses something it asks first: esc may be a part of
// another key that a slow line has cut off.
func (e *Editor) leave() {
	if m, ok := e.mode.(*words); ok && m.adding != nil && !m.adding.changed() {
		m.adding = nil
		return
	}
	if e.mode.changed() {
		e.leaving = true
		return
	}
	e.begin(nil)
}

// answer takes the answer to what leaving asks. A paste is none.
func (e *Editor) answer(key tea.KeyMsg) {
	if key.Paste {
		return
	}
	e.leaving = false
	if key.String() == "y" {
		e.begin(nil)
		e.note = "What was typed is dropped; the document is as it was."
	}
}

// begin gives the keys to a mode, or with nil back to the commands.
func (e *Editor) begin(m mode) {
	e.mode, e.leaving, e.note = m, false, ""
	e.strokes++
	e.arrange()
}

// entry returns the field that is typed into, or nil.
func (e *Editor) entry() *entry {
	m, _ := e.mode.(*entry)
	return m
}

// typedAt tells whether a line of the tree is typed into.
func (e *Editor) typedAt(line int) bool {
	m := e.entry()
	return m != nil && m.inTree && m.line == line
}
