package rows

// outline is a source, which may be a tree, and which of its rows are folded.
type outline[K comparable] struct {
	source Source[K] // nil before the first Set
	folds  map[K]bool
	opened []K // unfolded for a filter
}

// len is the number of rows, those inside folded ones included.
func (o *outline[K]) len() int {
	if o.source == nil {
		return 0
	}
	return o.source.Len()
}

func (o *outline[K]) folded(i int) bool { return len(o.folds) > 0 && o.folds[o.source.Key(i)] }

// hides reports whether row i is folded and has rows below it.
func (o *outline[K]) hides(i int) bool { return !leaf(o.source, i) && o.folded(i) }

func (o *outline[K]) fold(i int, on bool) { put(o.folds, o.source.Key(i), on) }

// foldAll folds or unfolds everything.
func (o *outline[K]) foldAll(on bool) {
	clear(o.folds)
	o.opened = nil
	for i := 0; on && i < o.len(); i++ {
		if !leaf(o.source, i) {
			o.fold(i, true)
		}
	}
}

// unfoldAbove unfolds whatever hides row i, and reports whether anything did.
func (o *outline[K]) unfoldAbove(i int) bool {
	unfolded := false
	for p, ok := parent(o.source, i); ok; p, ok = parent(o.source, p) {
		if o.folded(p) {
			o.fold(p, false)
			unfolded = true
		}
	}
	return unfolded
}

// open unfolds, until refold, whatever hides a row for which on is true.
func (o *outline[K]) open(on []bool) {
	for i, below := range above(o.source, on) {
		if below && o.folded(i) {
			o.opened = append(o.opened, o.source.Key(i))
			o.fold(i, false)
		}
	}
}

func (o *outline[K]) refold() {
	for _, key := range o.opened {
		o.folds[key] = true
	}
	o.opened = nil
}

// unfolded appends to list the passing rows (all where passing is nil) that no folded
// row hides.
func (o *outline[K]) unfolded(list []int32, passing []bool) []int32 {
	hidden := -1 // rows deeper than this are folded; -1 for none
	for i := range o.len() {
		if passing != nil && !passing[i] {
			continue
		}
		depth := o.source.Depth(i)
		if hidden >= 0 && depth > hidden {
			continue
		}
		hidden = -1
		list = append(list, int32(i))
		if o.folded(i) {
			hidden = depth
		}
	}
	return list
}

// find returns which of the visible rows has a key, looking first where the cursor is, and
// cursor where none has.
func (o *outline[K]) find(key K, visible []int32, cursor int) int {
	if cursor < len(visible) && o.source.Key(int(visible[cursor])) == key {
		return cursor
	}
	for at, i := range visible {
		if o.source.Key(int(i)) == key {
			return at
		}
	}
	return cursor
}

// Unfold unfolds the row under the cursor.
func (l *List[K]) Unfold() { l.foldCursor(false) }

// Toggle folds or unfolds the row under the cursor.
func (l *List[K]) Toggle() { l.foldCursor(!l.Folded()) }

// FoldOrLeave folds the row under the cursor, or goes to its parent where there
// is nothing to fold. It returns false where there is no parent either.
func (l *List[K]) FoldOrLeave() bool {
	i, ok := l.Selected()
	if !ok {
		return false
	}
	if !leaf(l.tree.source, i) && !l.tree.folded(i) {
		l.foldCursor(true)
		return true
	}
	above, ok := parent(l.tree.source, i)
	return ok && l.view.goToRow(above)
}

// foldCursor folds or unfolds the row under the cursor, if it has children.
func (l *List[K]) foldCursor(on bool) {
	if i, ok := l.Selected(); ok && !leaf(l.tree.source, i) {
		l.tree.fold(i, on)
		l.arrange()
	}
}

// foldEverything folds or unfolds all rows. Of the branch under the cursor its root remains
// when all is folded.
func (l *List[K]) foldEverything(on bool) {
	l.tree.foldAll(on)
	i, ok := l.Selected()
	if !ok {
		l.arrange()
		return
	}
	for up := on; up; {
		var root int
		if root, up = parent(l.tree.source, i); up {
			i = root
		}
	}
	l.arrangeAt(l.tree.source.Key(i), true)
}

// Folded reports whether the row under the cursor hides rows below it.
func (l *List[K]) Folded() bool {
	i, ok := l.Selected()
	return ok && l.tree.hides(i)
}

// Leaf reports whether the row under the cursor has nothing below it.
func (l *List[K]) Leaf() bool {
	i, ok := l.Selected()
	return ok && leaf(l.tree.source, i)
}

// ShowOpened scrolls the rows below a row that was just unfolded onto the screen, as many
// as fit below it.
func (l *List[K]) ShowOpened() {
	i, ok := l.Selected()
	if !ok {
		return
	}
	v := &l.view
	last := v.cursor
	for last+1 < len(v.visible) && l.tree.source.Depth(int(v.visible[last+1])) > l.tree.source.Depth(i) {
		last++
	}
	v.top = max(v.top, min(last+1-v.page, v.cursor))
	v.scroll()
}

// leaf reports whether row i has no children.
func leaf(rows Content, i int) bool {
	return i+1 >= rows.Len() || rows.Depth(i+1) <= rows.Depth(i)
}

// parent returns the parent of row i.
func parent(rows Content, i int) (int, bool) {
	depth := rows.Depth(i)
	for i--; i >= 0; i-- {
		if rows.Depth(i) < depth {
			return i, true
		}
	}
	return 0, false
}

// above reports for each row whether on is true for one below it.
func above(rows Content, on []bool) []bool {
	parents := make([]bool, len(on))
	var below []bool // by depth: one is on between here and the next row of that depth
	for i := len(on) - 1; i >= 0; i-- {
		depth := rows.Depth(i)
		for len(below) <= depth+1 {
			below = append(below, false)
		}
		parents[i] = below[depth+1]
		below[depth+1] = false
		below[depth] = below[depth] || on[i] || parents[i]
	}
	return parents
}

// put adds a key to a set, or takes it out.
func put[K comparable](keys map[K]bool, key K, on bool) {
	if on {
		keys[key] = true
	} else {
		delete(keys, key)
	}
}
