package rows

import (
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
		l.Do(Up)
	case !used && msg.Type == tea.KeyDown:
		l.Do(Down)
	}
	l.scroll()
}

func (l *List[K]) refilter() {
	key, had := l.Key()
	l.arrange(key, had)
}
