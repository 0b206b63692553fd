package rows

import "slices"

// marks are the rows that the user has chosen: some one by one, which the keys remember, and
// all from one to the cursor.
type marks struct {
	ranging bool
	anchor  int // in visible
}

// Mark sets or removes the mark of the row under the cursor and goes to the next.
func (l *list) Mark() {
	if i, ok := l.Selected(); ok {
		l.keys.mark(i, !l.keys.marked(i))
		l.GoDown()
	}
}

// markRange begins a range at the cursor, or ends it: what is in it stays marked.
func (l *list) markRange() {
	for _, i := range l.ranged() {
		l.keys.mark(int(i), true)
	}
	l.marks.ranging = !l.marks.ranging && len(l.visible) > 0
	l.marks.anchor = l.cursor
}

// marked reports whether a visible row is chosen.
func (l *list) marked(at int) bool {
	inRange := l.marks.ranging && at >= min(l.marks.anchor, l.cursor) && at <= max(l.marks.anchor, l.cursor)
	return inRange || l.keys.marked(int(l.visible[at]))
}

// Marked is how many rows are chosen. It costs what the range holds, not what the
// list does: it is called for each frame.
func (l *list) Marked() int {
	n := l.keys.marks()
	for _, i := range l.ranged() {
		if !l.keys.marked(int(i)) {
			n++
		}
	}
	return n
}

// ranged are the visible rows of the range, as indices of the source; none where there is no range.
func (l *list) ranged() []int32 {
	if !l.marks.ranging {
		return nil
	}
	return l.visible[min(l.marks.anchor, l.cursor):min(max(l.marks.anchor, l.cursor)+1, len(l.visible))]
}

// Unmark removes all marks and reports whether there were any.
func (l *list) Unmark() bool {
	had := l.marks.ranging || l.keys.marks() > 0
	l.marks = marks{}
	l.keys.unmark()
	return had
}

// Chosen returns the chosen rows as indices of the source, in its order: those of
// the range, and those that are marked, also where a filter hides them now.
func (l *list) Chosen() (chosen []int) {
	ranged := l.ranged()
	for i := range l.All() {
		if _, in := slices.BinarySearch(ranged, int32(i)); in || l.keys.marked(i) {
			chosen = append(chosen, i)
		}
	}
	return chosen
}
