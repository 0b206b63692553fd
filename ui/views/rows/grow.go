package rows

import "slices"

// Grow shows a source that begins with the very rows of the one before it, in a
// list without children. What was drawn and found stays as it is; only the new
// rows are looked at, so that it costs the same however many stand before them.
func (l *List[K]) Grow(source Source[K]) {
	if l.source == nil {
		l.Set(source)
		return
	}
	from, shown := l.source.Len(), len(l.visible)
	l.source = source
	finds, invert := l.finds()
	for i := from; i < source.Len(); i++ {
		found := finds == nil || finds(i)
		if l.narrow.found != nil {
			l.narrow.found = append(l.narrow.found, found)
		}
		if (finds == nil || found != invert) && (l.keep == nil || l.keep(i)) {
			l.visible = append(l.visible, int32(i))
		}
	}
	l.searchFrom(shown)
	l.scroll()
}

// Near moves the cursor to a row of a list by its index in the source or, where it
// is hidden, to the next one that is not; to the last one where none follows.
func (l *List[K]) Near(i int) {
	at, _ := slices.BinarySearch(l.visible, int32(i))
	l.cursor = max(0, min(at, len(l.visible)-1))
	l.scroll()
}

// Last tells whether the cursor is on the last row.
func (l *List[K]) Last() bool { return l.cursor >= len(l.visible)-1 }
