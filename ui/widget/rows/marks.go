package rows

import "slices"

// marks are the rows that the user has chosen: some one by one, and all from one to the cursor.
type marks[K comparable] struct {
	chosen  map[K]bool
	ranging bool
	anchor  int // in visible
}

func (m *marks[K]) has(key K) bool { return len(m.chosen) > 0 && m.chosen[key] }

func (m *marks[K]) set(key K, on bool) {
	if m.chosen == nil {
		m.chosen = map[K]bool{}
	}
	put(m.chosen, key, on)
}

// ranged are the visible rows of the range, as indices of the source; none where there is no range.
func (m *marks[K]) ranged(v *viewport) []int32 {
	if !m.ranging {
		return nil
	}
	return v.visible[min(m.anchor, v.cursor):min(max(m.anchor, v.cursor)+1, len(v.visible))]
}

// Mark sets or removes the mark of the row under the cursor and goes to the next.
func (l *List[K]) Mark() {
	if key, ok := l.Key(); ok {
		l.marks.set(key, !l.marks.has(key))
		l.GoDown()
	}
}

// markRange begins a range at the cursor, or ends it: what is in it stays marked.
func (l *List[K]) markRange() {
	for _, i := range l.marks.ranged(&l.view) {
		l.marks.set(l.tree.source.Key(int(i)), true)
	}
	l.marks.ranging = !l.marks.ranging && l.Len() > 0
	l.marks.anchor = l.view.cursor
}

// marked reports whether row i is chosen.
func (l *List[K]) marked(i int) bool {
	_, in := slices.BinarySearch(l.marks.ranged(&l.view), int32(i))
	return in || len(l.marks.chosen) > 0 && l.marks.chosen[l.tree.source.Key(i)]
}

// Chose reports whether the row with a key is chosen.
func (l *List[K]) Chose(key K) bool {
	return l.marks.has(key) || slices.ContainsFunc(l.marks.ranged(&l.view), func(i int32) bool { return l.tree.source.Key(int(i)) == key })
}

// Marked is how many rows are chosen. It costs what the range holds, not what the
// list does: it is called for each frame.
func (l *List[K]) Marked() int {
	n := len(l.marks.chosen)
	for _, i := range l.marks.ranged(&l.view) {
		if !l.marks.has(l.tree.source.Key(int(i))) {
			n++
		}
	}
	return n
}

// Unmark removes all marks and reports whether there were any.
func (l *List[K]) Unmark() bool {
	had := l.marks.ranging || len(l.marks.chosen) > 0
	l.marks = marks[K]{}
	return had
}

// Chosen returns the chosen rows as indices of the source, in its order: those of
// the range, and those that are marked, also where a filter hides them now.
func (l *List[K]) Chosen() (chosen []int) {
	for i := range l.All() {
		if l.marked(i) {
			chosen = append(chosen, i)
		}
	}
	return chosen
}
