package rows

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// List is the widget: a cursor on the visible rows of a source. Only what compares keys
// knows their type: code that does is in the program once for each.
type List[K comparable] struct {
	list
	keys *keysOf[K]
}

// list is what all lists have in common.
type list struct {
	outline
	viewport
	filter filter
	search search
	marks  marks

	// The keys of the line while it is typed; nil before the first one.
	filterKeys, searchKeys []views.Command

	inks          Inks
	width, height int
	searchable    bool            // the view has the rows of Searches
	opened        bool            // the line of the filter, and no key has come since
	cache         map[cell]string // rows without what the cursor and the marks draw
	blurred       bool
}

// set shows another source; had is whether the key of the cursor's row in the one before is
// held.
func (l *list) set(source Content, had bool) {
	l.source = source
	clear(l.cache)
	l.filter.forget()
	l.arrangeHeld(had)
}

// SetKeep shows only leaves for which keep is true, and their parents; nil
// shows all.
func (l *list) SetKeep(keep func(i int) bool) {
	l.filter.keep = keep
	l.arrange()
}

// Redraw clears the cache after the look of many rows has changed.
func (l *list) Redraw() { clear(l.cache) }

// SetSize gives the list its cells.
func (l *list) SetSize(width, height int) {
	if width != l.width {
		clear(l.cache)
	}
	l.width, l.height = width, height
	l.show(l.cursor)
}

// SetFocused says whether keys move this list: of several on a screen, one has
// the cursor, the others a dot where it rests.
func (l *list) SetFocused(on bool) { l.blurred = !on }

// All is the number of rows of the source.
func (l *list) All() int { return l.len() }

// selectRow moves the cursor to row i, unfolding what hides it, and reports whether it is
// visible.
func (l *list) selectRow(i int) bool {
	if l.unfoldAbove(i) {
		l.arrange()
	}
	return l.goToRow(i)
}

// Typing reports whether keys are text for the filter or the search at present.
func (l *list) Typing() bool { return l.filter.typing || l.search.typing }

// Type takes a key while Typing: of the line, or text. The list follows what is typed; a
// cancelled search goes back to where it began.
func (l *list) Type(msg tea.KeyMsg) {
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
	} else if text := views.TextOf(msg); text != "" && !(text == "/" && in == &l.filter.input && (l.opened || in.text == "")) {
		if l.opened { // a filter from before is typed over
			in.text = ""
		}
		in.add(text) // a second / is no text where nothing is searched
	}
	l.opened = false
	switch {
	case in.text == before:
	case in == &l.search.input:
		l.searchAll()
		l.cursor = l.search.first(len(l.visible))
	default:
		l.filtered()
	}
	l.Rest()
	l.show(l.cursor)
}

// typingCommands are the keys while a filter or a search is typed. Arrows still move the
// cursor.
func (l *list) typingCommands(in *input) []views.Command {
	up, down := l.GoUp, l.GoDown
	if in == &l.search.input {
		up, down = func() { l.jump(-1) }, func() { l.jump(1) }
	}
	return views.Grouped("The filter line", append(in.commands(), []views.Command{
		{ID: TypedSearch, Binding: views.Key("search", "/"), Run: views.Call(l.StartSearch),
			Shown: func() bool { return l.searchable && in == &l.filter.input && (l.opened || in.text == "") },
			Help:  "First on the line, searches instead: marks each match and hides nothing."},
		{ID: "filter.up", Binding: views.Key("", "up"), Run: views.Call(up), Help: "Moves the cursor up; in a search, to the previous match."},
		{ID: "filter.down", Binding: views.Key("", "down"), Run: views.Call(down), Help: "Moves the cursor down; in a search, to the next match."},
	}...))
}

// TypingCommands are the keys while a filter or a search is typed, for help and the footer.
func TypingCommands() []views.Command {
	l := list{searchable: true}
	return l.typingCommands(&l.filter.input)
}

// TypingHints are those of [TypingCommands] that keep and clear what is typed.
func TypingHints() []views.Hint { return views.Footer(TypingCommands(), keepID, clearID) }

// arrange finds out which rows are visible. The cursor stays on its row where it can.
func (l *list) arrange() { l.arrangeAt(l.Selected()) }

// arrangeAt is arrange for a cursor that belongs on row i.
func (l *list) arrangeAt(i int, had bool) {
	if had {
		l.keys.hold(i)
	}
	l.arrangeHeld(had)
}

// arrangeHeld is arrange for a cursor that belongs on the row whose key is held, if it had
// one.
func (l *list) arrangeHeld(had bool) {
	l.visible = l.unfolded(l.visible[:0], l.filter.passing(&l.outline))
	l.cursor = max(0, min(l.cursor, len(l.visible)-1))
	if had {
		l.cursor = l.keys.find(l.visible, l.cursor)
	}
	l.marks.ranging, l.moving = false, false
	l.searchAll()
	l.show(l.cursor)
}

// show puts the cursor at a visible row and brings it onto the screen, of which the
// filter and the search may take a line.
func (l *list) show(at int) {
	l.page = max(1, l.height)
	if l.Filtering() {
		l.page = max(1, l.height-1)
	}
	l.put(at)
}

// ShowOpened scrolls the rows below a row that was just unfolded onto the screen, as many
// as fit below it.
func (l *list) ShowOpened() {
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

// Steady runs set, which shows another source, so that the row of the cursor stays in its line
// of the screen. At the top of a list its first rows stay in sight.
func (l *list) Steady(set func()) {
	line, scrolled := l.cursor-l.top, l.top > 0
	if set(); scrolled {
		l.top = l.cursor - line
		l.scroll()
	}
}

// grow shows a source of which the first rows are those of the one before.
func (l *list) grow(source Content) {
	from, shown := l.source.Len(), len(l.visible)
	l.source = source
	if l.filter.similar { // what comes may have the very words
		l.arrange()
		return
	}
	l.visible = l.filter.grow(l.visible, source, from)
	l.searchFrom(shown)
	l.scroll()
}

// Content is what a list draws: rows in order, a tree with every child below its parent.
type Content interface {
	// Len is the number of rows, those inside folded ones included.
	Len() int
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

// Counter is a source where other rows than those without children are counted.
type Counter interface {
	// Counts reports whether a row is one of those that are counted.
	Counts(i int) bool
}

// Look says how a row is drawn.
type Look struct {
	Width  int
	Parent bool   // it has rows below it
	Folded bool   // and hides them
	Find   string // what is searched for, in lower case: see [Highlight]
}
