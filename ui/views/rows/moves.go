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

// Moves are the commands of every list, for a view to append to its own.
func Moves() []views.Command {
	return []views.Command{
		{ID: Up, Binding: views.Key(moveHint, "up", "k"), Name: "up", Help: "One row up.", Group: moveGroup, Browses: true},
		{ID: Down, Binding: views.Key(moveHint, "down", "j"), Name: "down", Help: "One row down.", Group: moveGroup, Browses: true},
		{ID: HalfUp, Binding: views.Key("", "ctrl+u"), Name: "half a page up", Help: "Half a page up.", Group: moveGroup, Browses: true},
		{ID: HalfDown, Binding: views.Key("", "ctrl+d"), Name: "half a page down", Help: "Half a page down.", Group: moveGroup, Browses: true},
		{ID: PageUp, Binding: views.Key("", "pgup", "ctrl+b"), Name: "page up", Help: "A page up.", Group: moveGroup, Browses: true},
		{ID: PageDown, Binding: views.Key("", "pgdown", "ctrl+f"), Name: "page down", Help: "A page down.", Group: moveGroup, Browses: true},
		{ID: Top, Binding: views.Key("", "g", "home"), Name: "top", Help: "The first row.", Group: moveGroup, Browses: true},
		{ID: Bottom, Binding: views.Key("", "G", "end"), Name: "bottom", Help: "The last row.", Group: moveGroup, Browses: true},
	}
}

// Filters is the command that starts typing a filter.
func Filters() []views.Command {
	return []views.Command{{
		ID: Search, Binding: views.Key("filter", "/"), Name: "filter", Argument: "text", Group: moveGroup, Browses: true,
		Help: "Show only rows with a text; a leading ! shows those without it. Esc clears.",
	}}
}

// Folds are the commands of a tree.
func Folds() []views.Command {
	return []views.Command{
		{ID: Fold, Binding: views.Key("", "left", "h"), Name: "fold", Help: "Fold the row, or go to its parent.", Group: treeGroup, Browses: true},
		{ID: Unfold, Binding: views.Key("", "right", "l"), Name: "unfold", Help: "Unfold the row.", Group: treeGroup, Browses: true},
		{ID: Toggle, Binding: views.Key("", " "), Name: "fold or unfold", Help: "Fold or unfold the row.", Group: treeGroup, Browses: true},
		{ID: FoldAll, Binding: views.Key("", "-"), Name: "fold all", Help: "Fold everything.", Group: treeGroup, Browses: true},
		{ID: OpenAll, Binding: views.Key("", "+", "="), Name: "unfold all", Help: "Unfold everything.", Group: treeGroup, Browses: true},
	}
}

// Searches are the commands of a search, which jumps where a filter hides.
func Searches() []views.Command {
	return []views.Command{
		{ID: Find, Binding: views.Key("search", "s"), Name: "search", Argument: "text", Help: "Search for a text and mark where it stands; nothing is hidden. Esc clears.", Group: findGroup, Browses: true},
		{ID: Next, Binding: views.Key("", "n"), Name: "next found", Help: "The next row that the search has found.", Group: findGroup, Browses: true},
		{ID: Previous, Binding: views.Key("", "N"), Name: "previous found", Help: "The previous row that the search has found.", Group: findGroup, Browses: true},
	}
}

// Marks are the commands that choose several rows.
func Marks() []views.Command {
	return []views.Command{
		{ID: Mark, Binding: views.Key("", " "), Name: "mark", Help: "Mark the row, or take its mark away, and go to the next one.", Group: findGroup, Browses: true},
		{ID: Range, Binding: views.Key("", "v"), Name: "mark a range", Help: "Mark all rows from this one on to where the cursor goes; again ends it.", Group: findGroup, Browses: true},
	}
}

// Moves are the rows that move the cursor.
func (l *List[K]) Moves() []views.Command { return l.bound(Moves()) }

// Filters is the row that starts typing a filter, or sets the one that the palette took.
func (l *List[K]) Filters() []views.Command {
	list := l.bound(Filters())
	list[0].Run = takes(list[0].Run, l.SetFilter)
	return list
}

// Folds are the rows of a tree.
func (l *List[K]) Folds() []views.Command { return l.bound(Folds()) }

// Searches are the rows of a search, which jumps where a filter hides.
func (l *List[K]) Searches() []views.Command {
	list := l.bound(Searches())
	list[0].Run = takes(list[0].Run, l.SetSearch)
	return list
}

// Marks are the rows that choose several.
func (l *List[K]) Marks() []views.Command { return l.bound(Marks()) }

// takes runs begin where the palette took no text, else set with it.
func takes(begin func(string) tea.Cmd, set func(text string)) func(string) tea.Cmd {
	return func(text string) tea.Cmd {
		if text = strings.TrimSpace(text); text == "" {
			return begin("")
		}
		set(text)
		return nil
	}
}

func (l *List[K]) bound(list []views.Command) []views.Command { return bound(list, l.Do) }

func bound(list []views.Command, do func(id string) bool) []views.Command {
	for i, row := range list {
		list[i].Run = func(string) tea.Cmd {
			do(row.ID)
			return nil
		}
	}
	return list
}

// Do runs a command of Moves, Filters, Searches, Marks or Folds and tells whether it was one.
func (l *List[K]) Do(id string) bool {
	switch id {
	case Search:
		l.filter.typing, l.search.typing = true, false
		l.scroll()
	case Find:
		l.beginSearch()
	case Next:
		l.jump(1)
	case Previous:
		l.jump(-1)
	case Mark:
		l.mark()
	case Range:
		l.markRange()
	case Fold:
		l.FoldOrLeave()
	case Unfold:
		l.fold(false)
	case Toggle:
		if i, ok := l.Selected(); ok {
			l.fold(!l.folded[l.source.Key(i)])
		}
	case FoldAll:
		l.foldAll(true)
	case OpenAll:
		l.foldAll(false)
	default:
		at, ok := moved(id, l.cursor, len(l.visible), l.rows())
		if !ok {
			return false
		}
		if id == PageUp || id == PageDown {
			l.top += at - l.cursor // what is shown goes along, so that no row is passed over unseen
		}
		l.cursor = at
		l.scroll()
	}
	return true
}

// moved returns where a move leads among n rows of which page fit on the screen.
func moved(id string, at, n, page int) (int, bool) {
	switch id {
	case Up:
		at--
	case Down:
		at++
	case HalfUp:
		at -= max(1, page/2)
	case HalfDown:
		at += max(1, page/2)
	case PageUp:
		at -= max(1, page-1)
	case PageDown:
		at += max(1, page-1)
	case Top:
		at = 0
	case Bottom:
		at = n - 1
	default:
		return 0, false
	}
	return max(0, min(at, n-1)), true
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
