package rows

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

// Go moves the cursor to a visible row by its place, and tells whether there is
// one.
func (l *List[K]) Go(at int) bool {
	if at < 0 || at >= len(l.visible) {
		return false
	}
	l.cursor = at
	l.scroll()
	return true
}

// At is the place of the cursor among the visible rows.
func (l *List[K]) At() int { return l.cursor }
