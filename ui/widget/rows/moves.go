package rows

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// The ids of the commands that lists, trees and pagers know.
const (
	Up        = "rows.up"
	Down      = "rows.down"
	HalfUp    = "rows.half-up"
	HalfDown  = "rows.half-down"
	PageUp    = "rows.page-up"
	PageDown  = "rows.page-down"
	Top       = "rows.top"
	Bottom    = "rows.bottom"
	Filter    = "rows.filter"
	Search    = "rows.find"
	Next      = "rows.next"
	Previous  = "rows.previous"
	Mark      = "rows.mark"
	Range     = "rows.range"
	Fold      = "rows.fold"
	Unfold    = "rows.unfold"
	Toggle    = "rows.toggle"
	FoldAll   = "rows.fold-all"
	UnfoldAll = "rows.open-all"
)

const (
	moveGroup = "Move"
	treeGroup = "Tree"
	findGroup = "Find and choose"
	lineGroup = "The filter line"
	moveHint  = "move" // one hint for both arrows
)

// moves are the rows that move a cursor, and where each moves it from at among n rows of
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

// movesBy returns the rows of moves, with a handler that moves the cursor.
func movesBy(move func(id string, to func(at, n, page int) int)) []views.Command {
	list := make([]views.Command, len(moves))
	for i, m := range moves {
		list[i] = m.row
		list[i].Run = views.Call(func() { move(m.row.ID, m.to) })
	}
	return list
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
func (l *list) Moves() []views.Command { return movesBy(l.move) }

// Filters is the row that starts typing a filter, or sets the one that the palette took.
func (l *list) Filters() []views.Command {
	return []views.Command{{
		ID: Filter, Binding: views.Key("filter", "/"), Name: "filter", Argument: "text", Group: moveGroup, Browses: true, Run: takes(l.StartFilter, l.SetFilter),
		Help: "Show only rows with a text; a leading ! shows those without it. Esc clears.",
	}}
}

// Folds are the rows of a tree.
func (l *list) Folds() []views.Command {
	return []views.Command{
		{ID: Fold, Binding: views.Key("", "left", "h"), Name: "fold", Help: "Fold the row, or go to its parent.", Group: treeGroup, Browses: true, Run: views.Call(func() { l.FoldOrLeave() })},
		{ID: Unfold, Binding: views.Key("", "right", "l"), Name: "unfold", Help: "Unfold the row.", Group: treeGroup, Browses: true, Run: views.Call(l.Unfold)},
		{ID: Toggle, Binding: views.Key("", " "), Name: "fold or unfold", Help: "Fold or unfold the row.", Group: treeGroup, Browses: true, Run: views.Call(l.Toggle)},
		{ID: FoldAll, Binding: views.Key("", "-"), Name: "fold all", Help: "Fold everything.", Group: treeGroup, Browses: true, Run: views.Call(func() { l.setAllFolds(true) })},
		{ID: UnfoldAll, Binding: views.Key("", "+", "="), Name: "unfold all", Help: "Unfold everything.", Group: treeGroup, Browses: true, Run: views.Call(func() { l.setAllFolds(false) })},
	}
}

// Searches are the rows of a search, which jumps where a filter hides.
func (l *list) Searches() []views.Command {
	return []views.Command{
		{ID: Search, Binding: views.Key("search", "s"), Name: "search", Argument: "text", Group: findGroup, Browses: true, Run: takes(l.StartSearch, l.SetSearch),
			Help: "Search for a text and mark each match; nothing is hidden. Esc clears."},
		{ID: Next, Binding: views.Key("", "n"), Name: "next found", Help: "The next row that the search has found.", Group: findGroup, Browses: true, Run: views.Call(func() { l.jump(1) })},
		{ID: Previous, Binding: views.Key("", "N"), Name: "previous found", Help: "The previous row that the search has found.", Group: findGroup, Browses: true, Run: views.Call(func() { l.jump(-1) })},
	}
}

// Marks are the rows that choose several.
func (l *list) Marks() []views.Command {
	return []views.Command{
		{ID: Mark, Binding: views.Key("", " "), Name: "mark", Help: "Mark the row, or take its mark away, and go to the next one.", Group: findGroup, Browses: true, Run: views.Call(l.Mark)},
		{ID: Range, Binding: views.Key("", "v"), Name: "mark a range", Help: "Mark all rows from this one on to where the cursor goes; again ends it.", Group: findGroup, Browses: true, Run: views.Call(l.markRange)},
	}
}
