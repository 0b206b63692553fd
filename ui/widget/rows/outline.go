package rows

// outline is a source, which may be a tree, and which of its rows are folded.
type outline[K comparable] struct {
	source Source[K] // nil before the first Set
	folded map[K]bool
}

// len is the number of rows, those inside folded ones included.
func (o *outline[K]) len() int {
	if o.source == nil {
		return 0
	}
	return o.source.Len()
}

// leaf reports whether row i has no children.
func (o *outline[K]) leaf(i int) bool {
	return i+1 >= o.source.Len() || o.source.Depth(i+1) <= o.source.Depth(i)
}

// folds reports whether row i hides rows below it.
func (o *outline[K]) folds(i int) bool {
	return len(o.folded) > 0 && !o.leaf(i) && o.folded[o.source.Key(i)]
}

// fold folds or unfolds row i.
func (o *outline[K]) fold(i int, on bool) {
	if on {
		o.folded[o.source.Key(i)] = true
	} else {
		delete(o.folded, o.source.Key(i))
	}
}

// foldAll folds or unfolds everything.
func (o *outline[K]) foldAll(on bool) {
	clear(o.folded)
	for i := 0; on && i < o.len(); i++ {
		if !o.leaf(i) {
			o.fold(i, true)
		}
	}
}

// parent returns the parent of row i.
func (o *outline[K]) parent(i int) (int, bool) {
	depth := o.source.Depth(i)
	for i--; i >= 0; i-- {
		if o.source.Depth(i) < depth {
			return i, true
		}
	}
	return 0, false
}

// root returns the root of the branch that row i is in.
func (o *outline[K]) root(i int) int {
	for p, ok := o.parent(i); ok; p, ok = o.parent(p) {
		i = p
	}
	return i
}

// unfoldAbove unfolds whatever hides row i, and reports whether anything did.
func (o *outline[K]) unfoldAbove(i int) bool {
	unfolded := false
	for p, ok := o.parent(i); ok; p, ok = o.parent(p) {
		if o.folded[o.source.Key(p)] {
			o.fold(p, false)
			unfolded = true
		}
	}
	return unfolded
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
		if len(o.folded) > 0 && o.folded[o.source.Key(i)] {
			hidden = depth
		}
	}
	return list
}

// addParents lets every row through that has a passing one below it.
func (o *outline[K]) addParents(passes []bool) {
	var below []bool // by depth: something passes between here and the next row of that depth
	for i := len(passes) - 1; i >= 0; i-- {
		depth := o.source.Depth(i)
		for len(below) <= depth+1 {
			below = append(below, false)
		}
		passes[i] = passes[i] || below[depth+1]
		below[depth+1] = false
		below[depth] = below[depth] || passes[i]
	}
}

// foldCursor folds or unfolds the row under the cursor, if it has children.
func (l *List[K]) foldCursor(on bool) {
	if i, ok := l.Selected(); ok && !l.leaf(i) {
		l.fold(i, on)
		l.arrange(l.Key())
	}
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
	if !l.leaf(i) && !l.folds(i) {
		l.foldCursor(true)
		return true
	}
	parent, ok := l.parent(i)
	return ok && l.goToRow(parent)
}

// SetFolds makes folded the set of folded rows, which the list changes from now
// on. It is shown with the next Set: a set goes with its source.
func (l *List[K]) SetFolds(folded map[K]bool) { l.folded = folded }

// Folded reports whether the row under the cursor hides rows below it.
func (l *List[K]) Folded() bool {
	i, ok := l.Selected()
	return ok && l.folds(i)
}

// Leaf reports whether the row under the cursor has nothing below it.
func (l *List[K]) Leaf() bool {
	i, ok := l.Selected()
	return ok && l.leaf(i)
}

// setAllFolds folds or unfolds everything. Of the branch under the cursor its root
// remains when all is folded.
func (l *List[K]) setAllFolds(on bool) {
	i, ok := l.Selected()
	l.foldAll(on)
	if ok && on {
		l.arrange(l.source.Key(l.root(i)), true)
	} else {
		l.arrange(l.Key())
	}
}
