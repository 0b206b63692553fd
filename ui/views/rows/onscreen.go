package rows

import "iter"

// OnScreen goes through the rows that are on the screen as indices of the source,
// for what is only worth reading of those.
func (l *List[K]) OnScreen() iter.Seq[int] {
	return func(yield func(int) bool) {
		for at := l.top; at < min(l.top+l.rows(), len(l.visible)); at++ {
			if !yield(int(l.visible[at])) {
				return
			}
		}
	}
}

// ShowOpened scrolls so that what stands below the row under the cursor is on the screen,
// as much of it as there is room for below that row: somebody has just opened it.
func (l *List[K]) ShowOpened() {
	i, ok := l.Selected()
	if !ok {
		return
	}
	last := l.cursor
	for last+1 < len(l.visible) && l.source.Depth(int(l.visible[last+1])) > l.source.Depth(i) {
		last++
	}
	l.top = max(l.top, min(last+1-l.rows(), l.cursor))
	l.scroll()
}
