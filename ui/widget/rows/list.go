package rows

import (
	"iter"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/theme"
)

// List is the widget: a cursor on the visible rows of a source.
type List[K comparable] struct {
	inks   inks
	source Source[K]
	keep   func(i int) bool
	folded map[K]bool
	filter filter
	narrow narrowing
	search search
	marks  marks[K]

	visible []int32 // rows that are neither folded away nor filtered out
	cursor  int     // in visible
	top     int     // in visible: the first row on the screen
	width   int
	height  int
	cache   map[cell]string
	blurred bool
}

// inks are the styles that the widget itself draws with. The markers are one cell
// wide, and so is what stands beside them.
type inks struct {
	marker, resting, blank string
	marked, unmarked       string
	accent, muted          Ink
	ellipsis, caret, dots  string
}

// New returns an empty list.
func New[K comparable](t *theme.Theme) *List[K] {
	return &List[K]{
		inks:   newInks(t),
		folded: map[K]bool{},
		cache:  map[cell]string{},
	}
}

func newInks(t *theme.Theme) inks {
	return inks{
		marker:   NewInk(t.Cursor).On(t.Glyphs.Cursor),
		resting:  NewInk(t.Muted).On(t.Glyphs.Dot),
		blank:    " ",
		marked:   NewInk(t.Accent).On(t.Glyphs.Marked),
		unmarked: " ",
		accent:   NewInk(t.Accent),
		muted:    NewInk(t.Muted),
		ellipsis: t.Glyphs.Ellipsis,
		caret:    NewInk(t.Accent).On(t.Glyphs.BarOn),
		dots:     " " + t.Glyphs.Dot + " ",
	}
}

// Set shows another source. The cursor stays on the row with the same key, or
// near where it was.
func (l *List[K]) Set(source Source[K]) {
	key, had := l.Key()
	l.source = source
	clear(l.cache)
	l.narrow = narrowing{}
	l.arrange(key, had)
}

// SetKeep shows only leaves for which keep is true, and their parents; nil
// shows all.
func (l *List[K]) SetKeep(keep func(i int) bool) {
	key, had := l.Key()
	l.keep = keep
	l.arrange(key, had)
}

// Redraw forgets what was drawn, after the looks of rows changed at large.
func (l *List[K]) Redraw() { clear(l.cache) }

// SetSize gives the list its cells.
func (l *List[K]) SetSize(width, height int) {
	if width != l.width {
		clear(l.cache)
	}
	l.width, l.height = width, height
	l.scroll()
}

// SetFocused tells whether keys move this list: of several on a screen, one has
// the cursor, the others a dot where it rests.
func (l *List[K]) SetFocused(on bool) {
	if l.blurred == on {
		clear(l.cache)
	}
	l.blurred = !on
}

// Len is the number of visible rows.
func (l *List[K]) Len() int { return len(l.visible) }

// All is the number of rows of the source.
func (l *List[K]) All() int {
	if l.source == nil {
		return 0
	}
	return l.source.Len()
}

// Selected returns the row under the cursor as an index of the source, and
// false where the list is empty.
func (l *List[K]) Selected() (int, bool) {
	if l.cursor >= len(l.visible) {
		return 0, false
	}
	return int(l.visible[l.cursor]), true
}

// Key returns the key of the row under the cursor.
func (l *List[K]) Key() (key K, ok bool) {
	i, ok := l.Selected()
	if ok {
		key = l.source.Key(i)
	}
	return key, ok
}

// Select moves the cursor to a row by its key, opening what hides it, and tells
// whether it is there to be seen.
func (l *List[K]) Select(key K) bool {
	for i := range l.All() {
		if l.source.Key(i) == key {
			l.reveal(i)
			return l.moveTo(i)
		}
	}
	return false
}

// Filter returns the text that rows are filtered by.
func (l *List[K]) Filter() string { return l.filter.text }

// SetFilter filters by a text; an empty one shows all.
func (l *List[K]) SetFilter(text string) {
	l.filter.text = ""
	l.filter.add(text)
	l.refilter()
}

// Typing tells whether keys are text for the filter or the search at present.
func (l *List[K]) Typing() bool { return l.filter.typing || l.search.typing }

// Type takes a key while Typing. Arrows still move the cursor.
func (l *List[K]) Type(msg tea.KeyMsg) {
	if l.search.typing {
		l.typeSearch(msg)
		return
	}
	changed, used := l.filter.key(msg)
	switch {
	case changed:
		l.refilter()
	case !used && msg.Type == tea.KeyUp:
		l.GoUp()
	case !used && msg.Type == tea.KeyDown:
		l.GoDown()
	}
	l.scroll()
}

func (l *List[K]) refilter() {
	key, had := l.Key()
	l.arrange(key, had)
}

// narrowing remembers which rows a filter found, so that one more typed
// character looks at those only.
type narrowing struct {
	needle string
	found  []bool // by row; nil where nothing is remembered
}

// arrange finds out which rows are visible and puts the cursor back on key.
func (l *List[K]) arrange(key K, had bool) {
	at := l.cursor
	l.visible = l.visible[:0]
	if l.source != nil {
		l.show(l.passing())
	}
	l.cursor = max(0, min(at, len(l.visible)-1))
	if had {
		l.find(key)
	}
	l.marks.ranging = false
	l.searchAgain()
	l.scroll()
}

// find puts the cursor on key, looking first where it was.
func (l *List[K]) find(key K) {
	if i, ok := l.Selected(); ok && l.source.Key(i) == key {
		return
	}
	for at, i := range l.visible {
		if l.source.Key(int(i)) == key {
			l.cursor = at
			return
		}
	}
}

// show appends the passing rows (all where passing is nil) that no folded row
// hides.
func (l *List[K]) show(passing []bool) {
	hidden := -1 // rows deeper than this are folded away; -1 for none
	for i := range l.source.Len() {
		if passing != nil && !passing[i] {
			continue
		}
		depth := l.source.Depth(i)
		if hidden >= 0 && depth > hidden {
			continue
		}
		hidden = -1
		l.visible = append(l.visible, int32(i))
		if len(l.folded) > 0 && l.folded[l.source.Key(i)] {
			hidden = depth
		}
	}
}

// passing tells for each row whether filter and keep let it through, nil where
// all pass. A leaf passes by itself or with a parent that the filter finds; a
// parent is there for its leaves.
func (l *List[K]) passing() []bool {
	if l.filter.empty() {
		l.narrow = narrowing{}
		if l.keep == nil {
			return nil
		}
	}
	found, invert := l.found()
	passes := make([]bool, l.source.Len())
	under := -1 // the depth of the found row whose children are looked at
	for i := range passes {
		depth := l.source.Depth(i)
		if depth <= under {
			under = -1
		}
		hit := found == nil || (found[i] || under >= 0) != invert
		if found != nil && found[i] && under < 0 {
			under = depth
		}
		passes[i] = l.leaf(i) && hit && (l.keep == nil || l.keep(i))
	}
	l.addParents(passes)
	return passes
}

// addParents lets every row through that has a passing one below it.
func (l *List[K]) addParents(passes []bool) {
	var below []bool // by depth: something passes between here and the next row of that depth
	for i := len(passes) - 1; i >= 0; i-- {
		depth := l.source.Depth(i)
		for len(below) <= depth+1 {
			below = append(below, false)
		}
		passes[i] = passes[i] || below[depth+1]
		below[depth+1] = false
		below[depth] = below[depth] || passes[i]
	}
}

// found tells for each row whether the filter finds it, nil without one, and
// whether the rows found are the ones to hide.
func (l *List[K]) found() (found []bool, invert bool) {
	finds, invert := l.finds()
	if finds == nil {
		return nil, false
	}
	needle, _ := l.filter.needle()
	earlier := l.narrow.found
	if earlier != nil && !strings.HasPrefix(needle, l.narrow.needle) {
		earlier = nil
	}
	found = make([]bool, l.source.Len())
	for i := range found {
		found[i] = (earlier == nil || earlier[i]) && finds(i)
	}
	if _, asks := l.source.(Asker); !asks {
		l.narrow = narrowing{needle, found}
	}
	return found, invert
}

// finds returns what tells whether the filter finds a row, nil without a filter,
// and whether such rows are the ones to hide.
func (l *List[K]) finds() (finds func(i int) bool, invert bool) {
	if l.filter.empty() {
		return nil, false
	}
	if asker, ok := l.source.(Asker); ok {
		return asker.Ask(l.filter.text), false
	}
	needle, invert := l.filter.needle()
	has := Finder(needle)
	return func(i int) bool { return l.source.Matches(i, has) }, invert
}

func (l *List[K]) leaf(i int) bool {
	return i+1 >= l.source.Len() || l.source.Depth(i+1) <= l.source.Depth(i)
}

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

// Source is what a [List] shows: rows in the order in which they stand, a tree
// with every child below its parent. It stays as it is while it is shown;
// something new is a new Source.
type Source[K comparable] interface {
	// Len is the number of rows, those inside folded ones included.
	Len() int
	// Key tells rows apart, also between one source and the next.
	Key(i int) K
	// Depth is 0 for a list and for the roots of a tree, one more for children.
	Depth(i int) int
	// Matches tells whether a filter finds the row: it asks has about each text
	// of the row that can be looked for.
	Matches(i int, has func(text string) bool) bool
	// Version changes when the row would be drawn differently, such as a time
	// that is shown as an age.
	Version(i int) uint64
	// Draw draws the row, in at most look.Width cells, without a line break.
	Draw(i int, look Look) string
}

// Asker is a source whose filter is more than a text to look for.
type Asker interface {
	// Ask returns what tells whether a row passes a filter, which is not empty.
	Ask(filter string) (passes func(i int) bool)
}

// Look says how a row is drawn.
type Look struct {
	Width    int
	Selected bool   // the cursor is on it: colour a short span, not the whole row
	Parent   bool   // it has rows below it
	Folded   bool   // and hides them
	Find     string // what is searched for, in lower case: see [Highlight]
}
