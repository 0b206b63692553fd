package ui

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// restTime is how long no key comes until what is shown about the selected row follows
// the cursor. A held key repeats faster, and a single one still feels immediate.
const restTime = 80 * time.Millisecond

// rest finds out when the user rests.
type rest struct {
	last    time.Time // of the last key, or command
	due     bool      // the view has not been told since
	waiting bool      // the timer runs
	// The hints of the footer while a cursor moves are those from before, since they may
	// differ from row to row. Keys act on the row that is selected all the same.
	moving views.View // nil for none
	hints  []views.Hint
}

// acted notes that the user did something.
func (r *rest) acted(now time.Time) { r.last, r.due = now, true }

// stop ends the move of a cursor, and returns the view in which it moved.
func (r *rest) stop() (moved views.View) {
	moved, r.moving = r.moving, nil
	return moved
}

// browses keeps the hints of a view in which a row is about to move the cursor; moved is
// where one moved before.
func (r *rest) browses(v, moved views.View) {
	if moved != v {
		r.hints = footerOf(v)
	}
	r.moving = v
}

// footerOf returns the hints of a view.
func footerOf(v views.View) []views.Hint { return views.Footer(v.Commands(), v.Footer()...) }

// hintsOf returns the hints of a view for the footer.
func (r *rest) hintsOf(v views.View) []views.Hint {
	if r.moving == v {
		return r.hints
	}
	return footerOf(v)
}

// awaitRest starts the timer after the user did something. One runs at a time: what is
// done meanwhile only notes when. In a dialog nothing is selected in the view below.
func (m *Model) awaitRest() tea.Cmd {
	if !m.rest.due || m.rest.waiting || !m.router.active().Hooks().Rests && m.rest.moving == nil || m.dialogs.top() != nil {
		return nil
	}
	m.rest.waiting = true
	wait := restTime - m.pace.Now().Sub(m.rest.last)
	return m.scope.Later(m.pace, wait, "rest", m.restOver)
}

// restOver tells the view that is shown, unless the user did something meanwhile.
func (m *Model) restOver() tea.Cmd {
	m.rest.waiting = false
	if m.pace.Now().Sub(m.rest.last) < restTime || m.dialogs.top() != nil {
		return nil
	}
	m.rest.due = false
	m.rest.stop()
	return m.router.active().Update(views.Rested)
}
