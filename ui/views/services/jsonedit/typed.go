package jsonedit

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
)

// Typed is a text that is typed in place of a value, and is not in the document yet.
type Typed struct {
	Path     document.Path
	Text     string
	Line     bool // in the line of the value, without the quotes of a string
	Row, Col int  // of the cursor, from 0
}

// Strokes grows with each change of what is typed, and where typing begins or ends.
func (e *Editor) Strokes() int {
	switch m := e.typing.mode.(type) {
	case *area:
		return e.typing.turn + m.text.changes
	case *field:
		return e.typing.turn + m.text.changes
	}
	return e.typing.turn
}

// Typing returns the text that is being typed in place of a value; false where there is
// none, or nothing was typed yet.
func (e *Editor) Typing() (t Typed, ok bool) {
	switch m := e.typing.mode.(type) {
	case *area:
		if m.changed() {
			return Typed{Path: m.path, Text: m.text.String(), Row: m.text.row, Col: m.text.col}, true
		}
	case *field:
		if m.inLine && m.changed() {
			return Typed{Path: m.path, Text: m.text.String(), Line: true, Col: m.text.col}, true
		}
	}
	return Typed{}, false
}

// ResumeTyping goes on with a text that was typed before, at its place; false where the
// document has no such place.
func (e *Editor) ResumeTyping(t Typed) (tea.Cmd, bool) {
	n, ok := e.Document().Find(t.Path)
	if !ok {
		return nil, false
	}
	if !t.Line {
		e.startText(n, &t)
		return e.follow(), true
	}
	m := e.editLine(n, document.WidgetFor(n))
	m.text = newBuffer(t.Text, true)
	m.text.col = max(0, min(t.Col, len(m.text.rows[0])))
	e.tree.strokes++
	return e.follow(), true
}
