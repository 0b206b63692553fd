package rows

import (
	"fmt"
	"iter"
	"slices"
)

// viewport is which rows are visible, the cursor among them, and the part of them that
// is on the screen. That of bubbles scrolls text that is drawn already; of these rows only those
// on the screen ever are.
type viewport struct {
	visible []int32 // indices of the source, ascending
	cursor  int     // in visible
	top     int     // in visible: the first row on the screen
	page    int     // how many fit on the screen, at least one
	moving  bool    // keys move the cursor, which rested
	rested  int     // here before, in visible
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
	v.moving = false
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

// Len is the number of visible rows.
func (l *List[K]) Len() int { return len(l.view.visible) }

// Selected returns the row under the cursor as an index of the source, and
// false where the list is empty.
func (l *List[K]) Selected() (int, bool) {
	if l.view.cursor >= len(l.view.visible) {
		return 0, false
	}
	return int(l.view.visible[l.view.cursor]), true
}

// Rested returns, as an index of the source, the row on which the cursor rested last, and
// false where the list is empty. What is shown about a row beside the list is about this
// one, so that a held key draws the cursor and nothing else; what acts on a row takes the
// one that is Selected.
func (l *List[K]) Rested() (int, bool) {
	if !l.view.moving {
		return l.Selected()
	}
	return int(l.view.visible[l.view.rested]), true
}

// Rest says that the cursor rests where it is.
func (l *List[K]) Rest() { l.view.moving = false }

// AtLast reports whether the cursor is on the last row.
func (l *List[K]) AtLast() bool { return l.view.cursor >= len(l.view.visible)-1 }

// Position says where the cursor is: "12 of 340".
func (l *List[K]) Position() string {
	if len(l.view.visible) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", l.view.cursor+1, len(l.view.visible))
}

// Visible goes through the visible rows as indices of the source.
func (l *List[K]) Visible() iter.Seq[int] { return l.view.between(0, len(l.view.visible)) }

// OnScreen goes through the rows that are on the screen as indices of the source,
// for what is only worth reading of those.
func (l *List[K]) OnScreen() iter.Seq[int] {
	return l.view.between(l.view.top, min(l.view.top+l.view.page, len(l.view.visible)))
}

// GoTop goes to the first row.
func (l *List[K]) GoTop() { l.view.goTo(0) }

// GoBottom goes to the last row, and fills the screen up to it.
func (l *List[K]) GoBottom() { l.view.goTo(len(l.view.visible) - 1) }

// GoDown goes to the next row.
func (l *List[K]) GoDown() { l.view.goTo(l.view.cursor + 1) }

// GoNear moves the cursor to a row of a list by its index in the source or, where it
// is hidden, to the next one that is not; to the last one where none follows.
func (l *List[K]) GoNear(i int) {
	at, _ := slices.BinarySearch(l.view.visible, int32(i))
	l.view.goTo(at)
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
