package rows

import "geodeck/theme"

// Source is what a [List] shows. It must not change while it is shown; new content is a new
// Source.
type Source[K comparable] interface {
	Content
	// Key identifies a row, also in the next source.
	Key(i int) K
}

// New returns an empty list.
func New[K comparable](t *theme.Theme) *List[K] {
	keys := &keysOf[K]{folds: map[K]bool{}}
	return &List[K]{list: list{outline: outline{keys: keys}, viewport: viewport{page: 1}, inks: NewInks(t), cache: map[cell]string{}}, keys: keys}
}

// Set shows another source. The cursor stays on the row with the same key, or
// near where it was.
func (l *List[K]) Set(source Source[K]) {
	i, had := l.Selected()
	if had {
		l.keys.hold(i)
	}
	l.keys.source = source
	l.set(source, had)
}

// Grow shows a source that begins with the very rows of the one before it, in a
// list without children. What was drawn and found stays as it is; only the new
// rows are checked, so that it costs the same however many precede them. Who follows
// them calls GoBottom.
func (l *List[K]) Grow(source Source[K]) {
	if l.source == nil {
		l.Set(source)
		return
	}
	l.keys.source = source
	l.grow(source)
}

// Key returns the key of the row under the cursor.
func (l *List[K]) Key() (key K, ok bool) {
	i, ok := l.Selected()
	if ok {
		key = l.keys.source.Key(i)
	}
	return key, ok
}

// Select moves the cursor to a row by its key, unfolding what hides it, and reports
// whether it is visible.
func (l *List[K]) Select(key K) bool {
	for i := range l.len() {
		if l.keys.source.Key(i) == key {
			return l.selectRow(i)
		}
	}
	return false
}

// SetFolds makes folded the set of folded rows, which the list changes from now
// on. It is shown with the next Set: a set goes with its source.
func (l *List[K]) SetFolds(folded map[K]bool) { l.keys.folds, l.keys.opened = folded, nil }

// keys is what a list remembers of rows by their keys, which are the same in the next source.
type keys interface {
	// folding reports whether any row is folded.
	folding() bool
	folded(i int) bool
	fold(i int, on bool)
	unfoldAll()
	// open unfolds a row until refold.
	open(i int)
	refold()

	// marks is how many rows are marked.
	marks() int
	marked(i int) bool
	mark(i int, on bool)
	unmark()

	// hold remembers the key of row i for find.
	hold(i int)
	// find returns which of the visible rows has the key, looking first where the cursor is,
	// and cursor where none has.
	find(visible []int32, cursor int) int
}

// keysOf are keys of one type.
type keysOf[K comparable] struct {
	source Source[K]
	folds  map[K]bool
	opened []K // unfolded for a filter
	chosen map[K]bool
	held   K
}

func (k *keysOf[K]) folding() bool       { return len(k.folds) > 0 }
func (k *keysOf[K]) folded(i int) bool   { return len(k.folds) > 0 && k.folds[k.source.Key(i)] }
func (k *keysOf[K]) fold(i int, on bool) { set(k.folds, k.source.Key(i), on) }
func (k *keysOf[K]) unfoldAll()          { clear(k.folds); k.opened = nil }

func (k *keysOf[K]) open(i int) {
	k.opened = append(k.opened, k.source.Key(i))
	k.fold(i, false)
}

func (k *keysOf[K]) refold() {
	for _, key := range k.opened {
		k.folds[key] = true
	}
	k.opened = nil
}

func (k *keysOf[K]) marks() int        { return len(k.chosen) }
func (k *keysOf[K]) marked(i int) bool { return len(k.chosen) > 0 && k.chosen[k.source.Key(i)] }
func (k *keysOf[K]) unmark()           { k.chosen = nil }

func (k *keysOf[K]) mark(i int, on bool) {
	if k.chosen == nil {
		k.chosen = map[K]bool{}
	}
	set(k.chosen, k.source.Key(i), on)
}

func (k *keysOf[K]) hold(i int) { k.held = k.source.Key(i) }

func (k *keysOf[K]) find(visible []int32, cursor int) int {
	if cursor < len(visible) && k.source.Key(int(visible[cursor])) == k.held {
		return cursor
	}
	for at, i := range visible {
		if k.source.Key(int(i)) == k.held {
			return at
		}
	}
	return cursor
}

func set[K comparable](keys map[K]bool, key K, on bool) {
	if on {
		keys[key] = true
	} else {
		delete(keys, key)
	}
}

// Flat is embedded by a source of rows that are no tree and change only with the source.
type Flat struct{}

// Depth returns 0: no row is below another.
func (Flat) Depth(int) int { return 0 }

// Version returns 0: no row changes.
func (Flat) Version(int) uint64 { return 0 }
