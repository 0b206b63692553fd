package rows

// outline is a source, which may be a tree, and which of its rows are folded.
type outline struct {
	source Content // nil before the first Set
	keys   keys
}

// len is the number of rows, those inside folded ones included.
func (o *outline) len() int {
	if o.source == nil {
		return 0
	}
	return o.source.Len()
}

// leaf reports whether row i has no children.
func (o *outline) leaf(i int) bool {
	return i+1 >= o.source.Len() || o.source.Depth(i+1) <= o.source.Depth(i)
}

// folds reports whether row i hides rows below it.
func (o *outline) folds(i int) bool {
	return !o.leaf(i) && o.keys.folded(i)
}

// parent returns the parent of row i.
func (o *outline) parent(i int) (int, bool) {
	depth := o.source.Depth(i)
	for i--; i >= 0; i-- {
		if o.source.Depth(i) < depth {
			return i, true
		}
	}
	return 0, false
}

// unfoldAbove unfolds whatever hides row i, and reports whether anything did.
func (o *outline) unfoldAbove(i int) bool {
	unfolded := false
	for p, ok := o.parent(i); ok; p, ok = o.parent(p) {
		if o.keys.folded(p) {
			o.keys.fold(p, false)
			unfolded = true
		}
	}
	return unfolded
}

// unfolded appends to list the passing rows (all where passing is nil) that no folded
// row hides.
func (o *outline) unfolded(list []int32, passing []bool) []int32 {
	hidden, folding := -1, o.keys.folding() // rows deeper than this are folded; -1 for none
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
		if folding && o.keys.folded(i) {
			hidden = depth
		}
	}
	return list
}

// above reports for each row whether on is true for one below it.
func (o *outline) above(on []bool) []bool {
	parents := make([]bool, len(on))
	var below []bool // by depth: one is on between here and the next row of that depth
	for i := len(on) - 1; i >= 0; i-- {
		depth := o.source.Depth(i)
		for len(below) <= depth+1 {
			below = append(below, false)
		}
		parents[i] = below[depth+1]
		below[depth+1] = false
		below[depth] = below[depth] || on[i] || parents[i]
	}
	return parents
}

// foldCursor folds or unfolds the row under the cursor, if it has children.
func (l *list) foldCursor(on bool) {
	if i, ok := l.Selected(); ok && !l.leaf(i) {
		l.keys.fold(i, on)
		l.arrange()
	}
}

// Unfold unfolds the row under the cursor.
func (l *list) Unfold() { l.foldCursor(false) }

// Toggle folds or unfolds the row under the cursor.
func (l *list) Toggle() { l.foldCursor(!l.Folded()) }

// FoldOrLeave folds the row under the cursor, or goes to its parent where there
// is nothing to fold. It returns false where there is no parent either.
func (l *list) FoldOrLeave() bool {
	i, ok := l.Selected()
	if !ok {
		return false
	}
	if !l.leaf(i) && !l.folds(i) {
		l.foldCursor(true)
		return true
	}
	parent, ok := l.parent(i)
	return ok && l.goToRow(parent)
}

// Folded reports whether the row under the cursor hides rows below it.
func (l *list) Folded() bool {
	i, ok := l.Selected()
	return ok && l.folds(i)
}

// Leaf reports whether the row under the cursor has nothing below it.
func (l *list) Leaf() bool {
	i, ok := l.Selected()
	return ok && l.leaf(i)
}

// setAllFolds folds or unfolds everything. Of the branch under the cursor its root
// remains when all is folded.
func (l *list) setAllFolds(on bool) {
	at, ok := l.Selected()
	l.keys.unfoldAll()
	for i := 0; on && i < l.len(); i++ {
		if !l.leaf(i) {
			l.keys.fold(i, true)
		}
	}
	for p, inBranch := at, ok && on; inBranch; p, inBranch = l.parent(at) {
		at = p
	}
	l.arrangeAt(at, ok)
}
