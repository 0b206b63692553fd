package rows

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// The ids of the commands that lists, trees and pagers know.
const (
	Up       = "rows.up"
	Down     = "rows.down"
	HalfUp   = "rows.half-up"
	HalfDown = "rows.half-down"
	PageUp   = "rows.page-up"
	PageDown = "rows.page-down"
	Top      = "rows.top"
	Bottom   = "rows.bottom"
	Search   = "rows.filter"
	Find     = "rows.find"
	Next     = "rows.next"
	Previous = "rows.previous"
	Mark     = "rows.mark"
	Range    = "rows.range"
	Fold     = "rows.fold"
	Unfold   = "rows.unfold"
	Toggle   = "rows.toggle"
	FoldAll  = "rows.fold-all"
	OpenAll  = "rows.open-all"
)

const (
	moveGroup = "Move"
	treeGroup = "Tree"
	findGroup = "Find and choose"
	moveHint  = "move" // one hint for both arrows
)

// moves are the rows that move a cursor, and where each leads from at among n rows of
// which page fit on the screen.
var moves = []struct {
	row views.Command
	to  func(at, n, page int) int
}{
	{move(Up, moveHint, "up", "One row up.", "up", "k"), func(at, _, _ int) int { return at - 1 }},
	{move(Down, moveHint, "down", "One row down.", "down", "j"), func(at, _, _ int) int { return at + 1 }},
	{move(HalfUp, "", "half a page up", "Half a page up.", "ctrl+u"), func(at, _, page int) int { return at - max(1, page/2) }},
	{move(HalfDown, "", "half a page down", "Half a page down.", "ctrl+d"), func(at, _, page int) int { return at + max(1, page/2) }},
	{move(PageUp, "", "page up", "A page up.", "pgup", "ctrl+b"), func(at, _, page int) int { return at - max(1, page-1) }},
	{move(PageDown, "", "page down", "A page down.", "pgdown", "ctrl+f"), func(at, _, page int) int { return at + max(1, page-1) }},
	{move(Top, "", "top", "The first row.", "g", "home"), func(_, _, _ int) int { return 0 }},
	{move(Bottom, "", "bottom", "The last row.", "G", "end"), func(_, n, _ int) int { return n - 1 }},
}

func move(id, hint, name, help string, keys ...string) views.Command {
	return views.Command{ID: id, Binding: views.Key(hint, keys...), Name: name, Help: help, Group: moveGroup, Browses: true}
}

// movesBy are the rows that move a cursor by going.
func movesBy(going func(id string, to func(at, n, page int) int)) []views.Command {
	list := make([]views.Command, len(moves))
	for i, m := range moves {
		list[i] = m.row
		list[i].Run = does(func() { going(m.row.ID, m.to) })
	}
	return list
}

// does makes a handler of what neither takes nor sends anything.
func does(f func()) func(string) tea.Cmd {
	return func(string) tea.Cmd {
		f()
		return nil
	}
}

// takes makes a handler that runs begin where the palette took no text, else set with it.
func takes(begin func(), set func(text string)) func(string) tea.Cmd {
	return func(text string) tea.Cmd {
		if text = strings.TrimSpace(text); text == "" {
			begin()
		} else {
			set(text)
		}
		return nil
	}
}

// Moves are the rows that move the cursor.
func (l *List[K]) Moves() []views.Command { return movesBy(l.going) }

// Filters is the row that starts typing a filter, or sets the one that the palette took.
func (l *List[K]) Filters() []views.Command {
	return []views.Command{{
		ID: Search, Binding: views.Key("filter", "/"), Name: "filter", Argument: "text", Group: moveGroup, Browses: true, Run: takes(l.StartFilter, l.SetFilter),
		Help: "Show only rows with a text; a leading ! shows those without it. Esc clears.",
	}}
}

// Folds are the rows of a tree.
func (l *List[K]) Folds() []views.Command {
	return []views.Command{
		{ID: Fold, Binding: views.Key("", "left", "h"), Name: "fold", Help: "Fold the row, or go to its parent.", Group: treeGroup, Browses: true, Run: does(func() { l.FoldOrLeave() })},
		{ID: Unfold, Binding: views.Key("", "right", "l"), Name: "unfold", Help: "Unfold the row.", Group: treeGroup, Browses: true, Run: does(l.Unfold)},
		{ID: Toggle, Binding: views.Key("", " "), Name: "fold or unfold", Help: "Fold or unfold the row.", Group: treeGroup, Browses: true, Run: does(l.Toggle)},
		{ID: FoldAll, Binding: views.Key("", "-"), Name: "fold all", Help: "Fold everything.", Group: treeGroup, Browses: true, Run: does(func() { l.foldAll(true) })},
		{ID: OpenAll, Binding: views.Key("", "+", "="), Name: "unfold all", Help: "Unfold everything.", Group: treeGroup, Browses: true, Run: does(func() { l.foldAll(false) })},
	}
}

// Searches are the rows of a search, which jumps where a filter hides.
func (l *List[K]) Searches() []views.Command {
	return []views.Command{
		{ID: Find, Binding: views.Key("search", "s"), Name: "search", Argument: "text", Group: findGroup, Browses: true, Run: takes(l.StartSearch, l.SetSearch),
			Help: "Search for a text and mark where it stands; nothing is hidden. Esc clears."},
		{ID: Next, Binding: views.Key("", "n"), Name: "next found", Help: "The next row that the search has found.", Group: findGroup, Browses: true, Run: does(func() { l.jump(1) })},
		{ID: Previous, Binding: views.Key("", "N"), Name: "previous found", Help: "The previous row that the search has found.", Group: findGroup, Browses: true, Run: does(func() { l.jump(-1) })},
	}
}

// Marks are the rows that choose several.
func (l *List[K]) Marks() []views.Command {
	return []views.Command{
		{ID: Mark, Binding: views.Key("", " "), Name: "mark", Help: "Mark the row, or take its mark away, and go to the next one.", Group: findGroup, Browses: true, Run: does(l.Mark)},
		{ID: Range, Binding: views.Key("", "v"), Name: "mark a range", Help: "Mark all rows from this one on to where the cursor goes; again ends it.", Group: findGroup, Browses: true, Run: does(l.markRange)},
	}
}

// going moves the cursor.
func (l *List[K]) going(id string, to func(at, n, page int) int) {
	n := len(l.visible)
	at := max(0, min(to(l.cursor, n, l.rows()), n-1))
	if id == PageUp || id == PageDown {
		l.top += at - l.cursor // what is shown goes along, so that no row is passed over unseen
	}
	l.cursor = at
	l.scroll()
}

// GoTop goes to the first row, GoBottom to the last, GoDown by one, GoUp by one back.
func (l *List[K]) GoTop()    { l.goTo(0) }
func (l *List[K]) GoBottom() { l.goTo(len(l.visible) - 1) }
func (l *List[K]) GoDown()   { l.goTo(l.cursor + 1) }
func (l *List[K]) GoUp()     { l.goTo(l.cursor - 1) }

func (l *List[K]) goTo(at int) {
	l.cursor = max(0, min(at, len(l.visible)-1))
	l.scroll()
}

// StartFilter starts typing a filter.
func (l *List[K]) StartFilter() {
	l.filter.typing, l.search.typing = true, false
	l.scroll()
}

// scroll brings the cursor onto the screen: by half a screen, because terminals
// cannot scroll one of several panes and a redraw a row is dear.
func (l *List[K]) scroll() {
	rows := l.rows()
	if l.cursor < l.top || l.cursor >= l.top+rows {
		up := l.cursor < l.top
		l.top = l.cursor - rows/2
		if up && l.cursor < rows {
			l.top = 0
		}
	}
	l.top = max(0, min(l.top, len(l.visible)-rows))
}

// rows is the number of rows that fit on the screen.
func (l *List[K]) rows() int {
	if l.Filtering() {
		return max(1, l.height-1)
	}
	return max(1, l.height)
}
