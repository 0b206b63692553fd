package rows

// fold folds or unfolds the row under the cursor, if it has children.
func (l *List[K]) fold(on bool) {
	i, ok := l.Selected()
	if !ok || l.leaf(i) {
		return
	}
	key := l.source.Key(i)
	if on {
		l.folded[key] = true
	} else {
		delete(l.folded, key)
	}
	l.arrange(key, true)
}

// Unfold unfolds the row under the cursor.
func (l *List[K]) Unfold() { l.fold(false) }

// Toggle folds or unfolds the row under the cursor.
func (l *List[K]) Toggle() {
	if i, ok := l.Selected(); ok {
		l.fold(!l.folded[l.source.Key(i)])
	}
}

// FoldOrLeave folds the row under the cursor, or goes to its parent where there
// is nothing to fold. It returns false where there is no parent either.
func (l *List[K]) FoldOrLeave() bool {
	i, ok := l.Selected()
	if !ok {
		return false
	}
	if !l.leaf(i) && !l.folded[l.source.Key(i)] {
		l.fold(true)
		return true
	}
	parent, ok := l.parent(i)
	if ok {
		l.moveTo(parent)
	}
	return ok
}

// SetFolds makes folded the set of folded rows, which the list changes from now
// on. It is shown with the next Set: a set goes with its source.
func (l *List[K]) SetFolds(folded map[K]bool) { l.folded = folded }

// Folded tells whether the row under the cursor hides rows below it.
func (l *List[K]) Folded() bool {
	i, ok := l.Selected()
	return ok && !l.leaf(i) && l.folded[l.source.Key(i)]
}

// Leaf tells whether the row under the cursor has nothing below it.
func (l *List[K]) Leaf() bool {
	i, ok := l.Selected()
	return ok && l.leaf(i)
}

func (l *List[K]) foldAll(on bool) {
	key, had := l.Key()
	clear(l.folded)
	if on {
		for i := range l.All() {
			if !l.leaf(i) {
				l.folded[l.source.Key(i)] = true
			}
		}
		key, had = l.rootKey(key, had)
	}
	l.arrange(key, had)
}

// rootKey returns the key of the root above the cursor, which is what remains
// of its branch when all is folded.
func (l *List[K]) rootKey(key K, had bool) (K, bool) {
	i, ok := l.Selected()
	for ok && l.source.Depth(i) > 0 {
		if i, ok = l.parent(i); ok {
			key = l.source.Key(i)
		}
	}
	return key, had
}

// parent returns the row that row i stands below.
func (l *List[K]) parent(i int) (int, bool) {
	depth := l.source.Depth(i)
	for i--; i >= 0; i-- {
		if l.source.Depth(i) < depth {
			return i, true
		}
	}
	return 0, false
}

// reveal unfolds whatever hides row i.
func (l *List[K]) reveal(i int) {
	opened := false
	for p, ok := l.parent(i); ok; p, ok = l.parent(p) {
		if key := l.source.Key(p); l.folded[key] {
			delete(l.folded, key)
			opened = true
		}
	}
	if opened {
		key, had := l.Key()
		l.arrange(key, had)
	}
}

func (l *List[K]) moveTo(i int) bool {
	for at, row := range l.visible {
		if int(row) == i {
			l.cursor = at
			l.scroll()
			return true
		}
	}
	return false
}
