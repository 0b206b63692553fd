package rows

import "geodeck/theme"

// List is the widget: a cursor on the visible rows of a source.
type List[K comparable] struct {
	// Along reports whether a row is chosen with another, such as that of its folder; nil for none.
	Along func(i int) bool

	tree  outline[K]
	view  viewport
	line  line
	marks marks[K]

	inks          Inks
	width, height int
	cache         map[cell]string // rows without what the cursor and the marks draw
	blurred       bool
}

// New returns an empty list.
func New[K comparable](t *theme.Theme) *List[K] {
	return &List[K]{tree: outline[K]{folds: map[K]bool{}}, view: viewport{page: 1}, inks: NewInks(t), cache: map[cell]string{}}
}

// Set shows another source. The cursor stays on the row with the same key, or
// near where it was.
func (l *List[K]) Set(source Source[K]) {
	key, had := l.Key()
	l.tree.source = source
	clear(l.cache)
	l.line.filter.forget()
	l.arrangeAt(key, had)
}

// Grow shows a source that begins with the very rows of the one before it, in a
// list without children. What was drawn and found stays as it is; only the new
// rows are checked, so that it costs the same however many precede them. Who follows
// them calls GoBottom.
func (l *List[K]) Grow(source Source[K]) {
	if l.tree.source == nil {
		l.Set(source)
		return
	}
	from, shown := l.tree.len(), l.Len()
	l.tree.source = source
	if l.line.filter.similar { // what comes may have the very words
		l.arrange()
		return
	}
	l.view.visible = l.line.filter.grow(l.view.visible, source, from)
	l.line.search.find(source, l.view.visible, shown)
	l.view.scroll()
}

// SetFolds makes folded the set of folded rows, which the list changes from now
// on. It is shown with the next Set: a set goes with its source.
func (l *List[K]) SetFolds(folded map[K]bool) { l.tree.folds, l.tree.opened = folded, nil }

// SetKeep shows only leaves for which keep is true, and their parents; nil
// shows all.
func (l *List[K]) SetKeep(keep func(i int) bool) {
	l.line.filter.keep = keep
	l.arrange()
}

// Redraw clears the cache after the look of many rows has changed.
func (l *List[K]) Redraw() { clear(l.cache) }

// SetSize gives the list its cells.
func (l *List[K]) SetSize(width, height int) {
	if width != l.width {
		clear(l.cache)
	}
	l.width, l.height = width, height
	l.show(l.view.cursor)
}

// SetFocused says whether keys move this list: of several on a screen, one has
// the cursor, the others a dot where it rests.
func (l *List[K]) SetFocused(on bool) { l.blurred = !on }

// Focused reports whether they do.
func (l *List[K]) Focused() bool { return !l.blurred }

// All is the number of rows of the source.
func (l *List[K]) All() int { return l.tree.len() }

// Key returns the key of the row under the cursor.
func (l *List[K]) Key() (key K, ok bool) {
	i, ok := l.Selected()
	if ok {
		key = l.tree.source.Key(i)
	}
	return key, ok
}

// Select moves the cursor to a row by its key, unfolding what hides it, and reports
// whether it is visible.
func (l *List[K]) Select(key K) bool {
	for i := range l.tree.len() {
		if l.tree.source.Key(i) == key {
			if l.tree.unfoldAbove(i) {
				l.arrange()
			}
			return l.view.goToRow(i)
		}
	}
	return false
}

// Steady runs set, which shows another source, so that the row of the cursor stays in its line
// of the screen. At the top of a list its first rows stay in sight.
func (l *List[K]) Steady(set func()) {
	v := &l.view
	line, scrolled := v.cursor-v.top, v.top > 0
	if set(); scrolled {
		v.top = v.cursor - line
		v.scroll()
	}
}

// arrange finds out which rows are visible. The cursor stays on its row where it can.
func (l *List[K]) arrange() { l.arrangeAt(l.Key()) }

// arrangeAt is arrange for a cursor that belongs on the row with a key, if it had one.
func (l *List[K]) arrangeAt(key K, had bool) {
	v := &l.view
	v.visible = l.tree.unfolded(v.visible[:0], l.line.filter.passing(l.tree.source))
	v.cursor = max(0, min(v.cursor, len(v.visible)-1))
	if had {
		v.cursor = l.tree.find(key, v.visible, v.cursor)
	}
	l.marks.ranging, v.moving = false, false
	l.searchAll()
	l.show(v.cursor)
}

// show puts the cursor at a visible row and brings it onto the screen, of which the
// filter and the search may take a line.
func (l *List[K]) show(at int) {
	l.view.page = max(1, l.height)
	if l.Filtering() {
		l.view.page = max(1, l.height-1)
	}
	l.view.put(at)
}
