package rows

// marks are the rows that the user has chosen: some one by one, and all from one
// to the cursor.
type marks[K comparable] struct {
	set     map[K]bool
	ranging bool
	anchor  int // in visible
}

// Mark sets or removes the mark of the row under the cursor and goes to the next.
func (l *List[K]) Mark() {
	key, ok := l.Key()
	if !ok {
		return
	}
	if l.marks.set == nil {
		l.marks.set = map[K]bool{}
	}
	if l.marks.set[key] {
		delete(l.marks.set, key)
	} else {
		l.marks.set[key] = true
	}
	l.GoDown()
}

// markRange begins a range at the cursor, or ends it: what is in it stays marked.
func (l *List[K]) markRange() {
	if l.marks.ranging {
		from, to := l.rangeEnds()
		if l.marks.set == nil {
			l.marks.set = map[K]bool{}
		}
		for at := from; at < to; at++ {
			l.marks.set[l.source.Key(int(l.visible[at]))] = true
		}
	}
	l.marks.ranging = !l.marks.ranging && len(l.visible) > 0
	l.marks.anchor = l.cursor
}

// marked reports whether a visible row is chosen.
func (l *List[K]) marked(at int) bool {
	if l.marks.ranging && at >= min(l.marks.anchor, l.cursor) && at <= max(l.marks.anchor, l.cursor) {
		return true
	}
	return len(l.marks.set) > 0 && l.marks.set[l.source.Key(int(l.visible[at]))]
}

// Marked is how many rows are chosen. It costs what the range holds, not what the
// list does: it is called for each frame.
func (l *List[K]) Marked() int {
	n := len(l.marks.set)
	if !l.marks.ranging {
		return n
	}
	from, to := l.rangeEnds()
	n += to - from
	for at := from; at < to && len(l.marks.set) > 0; at++ {
		if l.marks.set[l.source.Key(int(l.visible[at]))] {
			n--
		}
	}
	return n
}

// rangeEnds returns the first visible row of the range and the one behind its last.
func (l *List[K]) rangeEnds() (from, to int) {
	return min(l.marks.anchor, l.cursor), min(max(l.marks.anchor, l.cursor)+1, len(l.visible))
}

// Unmark removes all marks and reports whether there were any.
func (l *List[K]) Unmark() bool {
	had := l.marks.ranging || len(l.marks.set) > 0
	l.marks = marks[K]{}
	return had
}

// Chosen returns the chosen rows as indices of the source, in its order: those of
// the range, and those that are marked, also where a filter hides them now.
func (l *List[K]) Chosen() []int {
	var ranged map[int]bool
	if l.marks.ranging {
		ranged = map[int]bool{}
		from, to := l.rangeEnds()
		for at := from; at < to; at++ {
			ranged[int(l.visible[at])] = true
		}
	}
	if len(ranged)+len(l.marks.set) == 0 {
		return nil
	}
	var chosen []int
	for i := range l.All() {
		if ranged[i] || len(l.marks.set) > 0 && l.marks.set[l.source.Key(i)] {
			chosen = append(chosen, i)
		}
	}
	return chosen
}
