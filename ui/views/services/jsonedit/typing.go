package jsonedit

import (
	tea "github.com/charmbracelet/bubbletea"
)

// mode takes typed keys in place of commands: a field, a set of words, a text. It is made
// with what makes its text part of the document.
type mode interface {
	// key takes a key that is neither taking over nor leaving.
	key(msg tea.KeyMsg)
	// take makes what was typed part of the document, or says why it cannot be. It
	// reports whether nothing else is to be done: typing is over.
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

// typing is what takes typed keys at present, and the question before that is left.
type typing struct {
	mode    mode // nil where keys are commands
	leaving bool // it asks whether what was typed is discarded
}

// outcome is what a key leads to.
type outcome int

const (
	goesOn    outcome = iota
	ended             // nothing was typed, or it was taken over
	discarded         // what was typed goes, as was confirmed
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

// leave ends typing; where that loses something it asks first: esc may be a part of
// another key that a slow line has cut off.
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
