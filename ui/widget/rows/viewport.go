package rows

import (
	"fmt"
	"iter"
	"slices"
)

// viewport is which rows are visible, the cursor among them, and the part of them that
// is on the screen.
type viewport struct {
	visible []int32 // indices of the source, ascending
	cursor  int     // in visible
	top     int     // in visible: the first row on the screen
	page    int     // how many fit on the screen, at least one
	moving  bool    // keys move the cursor, which rested
	rested  int     // here before, in visible
}

// Len is the number of visible rows.
func (v *viewport) Len() int { return len(v.visible) }

// Selected returns the row under the cursor as an index of the source, and
// false where the list is empty.
func (v *viewport) Selected() (int, bool) {
	if v.cursor >= len(v.visible) {
		return 0, false
	}
	return int(v.visible[v.cursor]), true
}

// Rested returns, as an index of the source, the row on which the cursor rested last, and
// false where the list is empty. What is shown about a row beside the list is about this
// one, so that a held key draws the cursor and nothing else; what acts on a row takes the
// one that is Selected.
func (v *viewport) Rested() (int, bool) {
	if !v.moving {
		return v.Selected()
	}
	return int(v.visible[v.rested]), true
}

// Rest says that the cursor rests where it is.
func (v *viewport) Rest() { v.moving = false }

// AtLast reports whether the cursor is on the last row.
func (v *viewport) AtLast() bool { return v.cursor >= len(v.visible)-1 }

// Position says where the cursor is: "12 of 340".
func (v *viewport) Position() string {
	if len(v.visible) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", v.cursor+1, len(v.visible))
}

// Visible goes through the visible rows as indices of the source.
func (v *viewport) Visible() iter.Seq[int] { return v.between(0, len(v.visible)) }

// OnScreen goes through the rows that are on the screen as indices of the source,
// for what is only worth reading of those.
func (v *viewport) OnScreen() iter.Seq[int] {
	return v.between(v.top, min(v.top+v.page, len(v.visible)))
}

func (v *viewport) between(from, to int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := from; at < to; at++ {
			if !yield(int(v.visible[at])) {
				return
			}
		}
	}
}

// GoTop goes to the first row.
func (v *viewport) GoTop() { v.goTo(0) }

// GoBottom goes to the last row, and fills the screen up to it.
func (v *viewport) GoBottom() { v.goTo(len(v.visible) - 1) }

// GoDown goes to the next row.
func (v *viewport) GoDown() { v.goTo(v.cursor + 1) }

// GoUp goes to the row before.
func (v *viewport) GoUp() { v.goTo(v.cursor - 1) }

// GoNear moves the cursor to a row of a list by its index in the source or, where it
// is hidden, to the next one that is not; to the last one where none follows.
func (v *viewport) GoNear(i int) {
	at, _ := slices.BinarySearch(v.visible, int32(i))
	v.goTo(at)
}

// goToRow moves the cursor to a row by its index in the source, and reports whether it
// is visible.
func (v *viewport) goToRow(i int) bool {
	at, ok := slices.BinarySearch(v.visible, int32(i))
	if ok {
		v.goTo(at)
	}
	return ok
}

// goTo moves the cursor, which rests there.
func (v *viewport) goTo(at int) {
	v.Rest()
	v.put(at)
}

func (v *viewport) put(at int) {
	v.cursor = max(0, min(at, len(v.visible)-1))
	v.scroll()
}

// move moves the cursor as a row of moves says. It does not rest there yet.
func (v *viewport) move(id string, to func(at, n, page int) int) {
	n := len(v.visible)
	if n > 0 && !v.moving {
		v.moving, v.rested = true, v.cursor
	}
	at := max(0, min(to(v.cursor, n, v.page), n-1))
	if id == PageUp || id == PageDown {
		v.top += at - v.cursor // the screen scrolls along, so that no row is skipped unseen
	}
	v.put(at)
}

// scroll brings the cursor onto the screen.
func (v *viewport) scroll() {
	v.top = Scroll(v.top, v.cursor, len(v.visible), v.page)
}

// Scroll returns which of n rows is the first on a screen of page rows that shows the
// cursor: top where it does, else half a screen away from the cursor. Terminals cannot
// scroll one of several panes, and redrawing per row is expensive.
func Scroll(top, cursor, n, page int) int {
	if cursor < top || cursor >= top+page {
		up := cursor < top
		top = cursor - page/2
		if up && cursor < page {
			top = 0
		}
	}
	return max(0, min(top, n-page))
}

// Window is Scroll for a list that remembers no first row, such as one that completes a
// word: the screen goes on by half of it whenever the cursor has crossed half of it.
func Window(cursor, n, page int) (top int) {
	if half := page / 2; half > 0 {
		cursor = (cursor/half - 1) * half
	}
	return max(0, min(cursor, n-page))
}
