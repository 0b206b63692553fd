package rows

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
	if l.marks.ranging {
		from, to := l.rangeEnds()
		for at := from; at < to; at++ {
			l.keys.mark(int(l.visible[at]), true)
		}
	}
	l.marks.ranging = !l.marks.ranging && len(l.visible) > 0
	l.marks.anchor = l.cursor
}

// marked reports whether a visible row is chosen.
func (l *list) marked(at int) bool {
	if l.marks.ranging && at >= min(l.marks.anchor, l.cursor) && at <= max(l.marks.anchor, l.cursor) {
		return true
	}
	return l.keys.marked(int(l.visible[at]))
}

// Marked is how many rows are chosen. It costs what the range holds, not what the
// list does: it is called for each frame.
func (l *list) Marked() int {
	single := l.keys.marks()
	if !l.marks.ranging {
		return single
	}
	from, to := l.rangeEnds()
	n := single + to - from
	for at := from; at < to && single > 0; at++ {
		if l.keys.marked(int(l.visible[at])) {
			n--
		}
	}
	return n
}

// rangeEnds returns the first visible row of the range and the one behind its last.
func (l *list) rangeEnds() (from, to int) {
	return min(l.marks.anchor, l.cursor), min(max(l.marks.anchor, l.cursor)+1, len(l.visible))
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
func (l *list) Chosen() []int {
	var ranged map[int]bool
	if l.marks.ranging {
		ranged = map[int]bool{}
		from, to := l.rangeEnds()
		for at := from; at < to; at++ {
			ranged[int(l.visible[at])] = true
		}
	}
	if len(ranged)+l.keys.marks() == 0 {
		return nil
	}
	var chosen []int
	for i := range l.All() {
		if ranged[i] || l.keys.marked(i) {
			chosen = append(chosen, i)
		}
	}
	return chosen
}
