package ui

import (
	"time"

	"geodeck/ui/views"
)

// restTime is how long no key comes until what is shown about the selected row follows
// the cursor, and until the key that acknowledges takes the next finding. A held key repeats faster,
// also over a slow line, and a single one still feels immediate.
const restTime = 150 * time.Millisecond

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
