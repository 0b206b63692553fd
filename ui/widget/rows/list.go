package rows

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/theme"
	"geodeck/ui/views"
)

// List is the widget: a cursor on the visible rows of a source.
type List[K comparable] struct {
	outline[K]
	viewport
	filter filter[K]
	search search
	marks  marks[K]

	// The keys of the line while it is typed; nil before the first one.
	filterKeys, searchKeys []views.Command

	inks          Inks
	width, height int
	cache         map[cell]string // rows without what the cursor and the marks draw
	blurred       bool
}

// New returns an empty list.
func New[K comparable](t *theme.Theme) *List[K] {
	return &List[K]{
		outline:  outline[K]{folded: map[K]bool{}},
		viewport: viewport{page: 1},
		inks:     NewInks(t),
		cache:    map[cell]string{},
	}
}

// Set shows another source. The cursor stays on the row with the same key, or
// near where it was.
func (l *List[K]) Set(source Source[K]) {
	key, had := l.Key()
	l.source = source
	clear(l.cache)
	l.filter.forget()
	l.arrange(key, had)
}

// SetKeep shows only leaves for which keep is true, and their parents; nil
// shows all.
func (l *List[K]) SetKeep(keep func(i int) bool) {
	l.filter.keep = keep
	l.arrange(l.Key())
}

// Redraw clears the cache after the look of many rows has changed.
func (l *List[K]) Redraw() { clear(l.cache) }

// SetSize gives the list its cells.
func (l *List[K]) SetSize(width, height int) {
	if width != l.width {
		clear(l.cache)
	}
	l.width, l.height = width, height
	l.show(l.cursor)
}

// SetFocused says whether keys move this list: of several on a screen, one has
// the cursor, the others a dot where it rests.
func (l *List[K]) SetFocused(on bool) { l.blurred = !on }

// All is the number of rows of the source.
func (l *List[K]) All() int { return l.len() }

// Key returns the key of the row under the cursor.
func (l *List[K]) Key() (key K, ok bool) {
	i, ok := l.Selected()
	if ok {
		key = l.source.Key(i)
	}
	return key, ok
}

// Select moves the cursor to a row by its key, unfolding what hides it, and reports
// whether it is visible.
func (l *List[K]) Select(key K) bool {
	for i := range l.len() {
		if l.source.Key(i) == key {
			if l.unfoldAbove(i) {
				l.arrange(l.Key())
			}
			return l.goToRow(i)
		}
	}
	return false
}

// Typing reports whether keys are text for the filter or the search at present.
func (l *List[K]) Typing() bool { return l.filter.typing || l.search.typing }

// Type takes a key while Typing: of the line, or text. The list follows what is typed; a
// cancelled search goes back to where it began.
func (l *List[K]) Type(msg tea.KeyMsg) {
	in, keys := &l.filter.input, &l.filterKeys
	if l.search.typing {
		in, keys = &l.search.input, &l.searchKeys
	}
	if *keys == nil {
		*keys = l.typingCommands(in)
	}
	before := in.text
	if row, ok := views.Typed(*keys, msg); ok {
		row.Run("")
	} else if text := views.TextOf(msg); text != "" {
		in.add(text)
	}
	switch {
	case in.text == before:
	case in == &l.search.input:
		l.searchAll()
		l.cursor = l.search.first(len(l.visible))
	default:
		l.arrange(l.Key())
	}
	l.Rest()
	l.show(l.cursor)
}

// typingCommands are the keys while a filter or a search is typed. Arrows still move the
// cursor.
func (l *List[K]) typingCommands(in *input) []views.Command {
	up, down := l.GoUp, l.GoDown
	if in == &l.search.input {
		up, down = func() { l.jump(-1) }, func() { l.jump(1) }
	}
	return append(in.commands(),
		views.Command{ID: "filter.up", Binding: views.Key("", "up"), Group: lineGroup, Run: views.Call(up), Help: "Moves the cursor up; in a search, to the previous match."},
		views.Command{ID: "filter.down", Binding: views.Key("", "down"), Group: lineGroup, Run: views.Call(down), Help: "Moves the cursor down; in a search, to the next match."})
}

// TypingCommands are the keys while a filter or a search is typed, for help and the footer.
func TypingCommands() []views.Command {
	var l List[int]
	return l.typingCommands(&l.filter.input)
}

// arrange finds out which rows are visible and puts the cursor back on key.
func (l *List[K]) arrange(key K, had bool) {
	l.visible = l.unfolded(l.visible[:0], l.filter.passing(&l.outline))
	l.cursor = max(0, min(l.cursor, len(l.visible)-1))
	if had {
		l.find(key)
	}
	l.marks.ranging, l.ahead, l.moving = false, false, false
	l.searchAll()
	l.show(l.cursor)
}

// find puts the cursor on key, looking first where it was.
func (l *List[K]) find(key K) {
	if now, ok := l.Key(); ok && now == key {
		return
	}
	for at, i := range l.visible {
		if l.source.Key(int(i)) == key {
			l.cursor = at
			return
		}
	}
}

// show puts the cursor at a visible row and brings it onto the screen, of which the
// filter and the search may take a line.
func (l *List[K]) show(at int) {
	page := max(1, l.height)
	if l.Filtering() {
		page = max(1, l.height-1)
	}
	l.ahead = l.ahead && page == l.page
	l.page = page
	l.put(at)
}

// ShowOpened scrolls the rows below a row that was just unfolded onto the screen, as many
// as fit below it.
func (l *List[K]) ShowOpened() {
	i, ok := l.Selected()
	if !ok {
		return
	}
	last := l.cursor
	for last+1 < len(l.visible) && l.source.Depth(int(l.visible[last+1])) > l.source.Depth(i) {
		last++
	}
	l.top = max(l.top, min(last+1-l.page, l.cursor))
	l.scroll()
}

// Grow shows a source that begins with the very rows of the one before it, in a
// list without children. What was drawn and found stays as it is; only the new
// rows are checked, so that it costs the same however many precede them. Who follows
// them calls GoTail.
func (l *List[K]) Grow(source Source[K]) {
	if l.source == nil {
		l.Set(source)
		return
	}
	from, shown := l.source.Len(), len(l.visible)
	l.source = source
	l.visible = l.filter.grow(l.visible, source, from)
	l.searchFrom(shown)
	l.scroll()
}

// Source is what a [List] shows: rows in order, a tree with every child below its parent.
// It must not change while it is shown; new content is a new Source.
type Source[K comparable] interface {
	// Len is the number of rows, those inside folded ones included.
	Len() int
	// Key identifies a row, also in the next source.
	Key(i int) K
	// Depth is 0 for a list and for the roots of a tree, one more for children.
	Depth(i int) int
	// Matches reports whether a filter finds the row: it calls has with each text of
	// the row that can be searched.
	Matches(i int, has func(text string) bool) bool
	// Version changes when the row would be drawn differently, such as a time
	// that is shown as an age.
	Version(i int) uint64
	// Draw draws the row, in at most look.Width cells, without a line break.
	Draw(i int, look Look) string
}

// Filterer is a source whose filter is more than a text to search for.
type Filterer interface {
	// Filter returns what reports whether a row passes a filter, which is not empty.
	Filter(text string) (passes func(i int) bool)
}

// Look says how a row is drawn.
type Look struct {
	Width  int
	Parent bool   // it has rows below it
	Folded bool   // and hides them
	Find   string // what is searched for, in lower case: see [Highlight]
}
