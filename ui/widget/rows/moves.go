package rows

import (
	"slices"
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
	Clear     = "rows.clear"
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
	// TypedSearch is the key of a filter line that searches instead.
	TypedSearch = "filter.search"
)

const (
	moveGroup = "Move"
	findGroup = "Find and choose"
	moveHint  = "move" // one hint for both arrows
)

// moves are the rows that move a cursor, and where each moves it from at among n rows of
// which page fit on the screen.
var moves = []struct {
	row views.Command
	to  func(at, n, page int) int
}{
	{move(Up, moveHint, "up", "One row up.", "up k"), func(at, _, _ int) int { return at - 1 }},
	{move(Down, moveHint, "down", "One row down.", "down j"), func(at, _, _ int) int { return at + 1 }},
	{move(HalfUp, "", "half a page up", "Half a page up.", "ctrl+u"), func(at, _, page int) int { return at - max(1, page/2) }},
	{move(HalfDown, "", "half a page down", "Half a page down.", "ctrl+d"), func(at, _, page int) int { return at + max(1, page/2) }},
	{move(PageUp, "", "page up", "A page up.", "pgup ctrl+b"), func(at, _, page int) int { return at - max(1, page-1) }},
	{move(PageDown, "", "page down", "A page down.", "pgdown ctrl+f"), func(at, _, page int) int { return at + max(1, page-1) }},
	{move(Top, "", "top", "The first row.", "g home"), func(_, _, _ int) int { return 0 }},
	{move(Bottom, "", "bottom", "The last row.", "G end"), func(_, n, _ int) int { return n - 1 }},
}

func move(id, hint, name, help string, keys string) views.Command {
	return views.Command{ID: id, Key: keys, Word: hint, Name: name, Help: help}
}

// browsing makes rows a group of which each only moves around on the screen.
func browsing(group string, list []views.Command) []views.Command {
	for i := range list {
		list[i].Browses = true
	}
	return views.Grouped(group, list)
}

// movesBy returns the rows of moves, with a handler that moves the cursor.
func movesBy(move func(id string, to func(at, n, page int) int)) []views.Command {
	list := make([]views.Command, len(moves))
	for i, m := range moves {
		list[i] = m.row
		list[i].Run = views.Call(func() { move(m.row.ID, m.to) })
	}
	return browsing(moveGroup, list)
}

// Moving reports whether a row of an id only moves the cursor, folds or unfolds.
func Moving(id string) bool {
	for _, m := range moves {
		if m.row.ID == id {
			return true
		}
	}
	return slices.Contains([]string{Fold, Unfold, Toggle, FoldAll, UnfoldAll}, id)
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
func (l *List[K]) Moves() []views.Command { return movesBy(l.view.move) }

// Filters are the rows that start typing a filter, or set the one that the palette took, and
// clear what narrows the list.
func (l *List[K]) Filters() []views.Command {
	return browsing(moveGroup, []views.Command{{
		ID: Filter, Key: "/", Word: "filter", Name: "filter", Argument: "text", With: takes(l.StartFilter, l.SetFilter),
		Help: "Show only rows with all words, in any order; a leading ! hides those instead.",
	}, {
		ID: Clear, Name: "clear filter", Shown: l.Narrowed, Run: views.Call(func() { l.Clear() }),
		Help: "Clear the search, then the filter, then the marks: one per press.",
	}})
}

// Narrowed reports whether Clear would clear something.
func (l *List[K]) Narrowed() bool { return l.line.used() || l.Marked() > 0 }

// Clear ends the search, else the filter, else removes all marks, and reports whether there
// was one.
func (l *List[K]) Clear() bool {
	switch {
	case l.line.search.used():
		l.line.search.input = input{}
		l.SetSearch("")
	case l.line.filter.used():
		l.line.filter.typing = false
		l.SetFilter("")
	default:
		return l.Unmark()
	}
	return true
}

// Folds are the rows of a tree.
func (l *List[K]) Folds() []views.Command {
	return browsing("Tree", []views.Command{
		{ID: Fold, Key: "left h", Name: "fold", Help: "Fold the row, or go to its parent.", Run: views.Call(func() { l.FoldOrLeave() })},
		{ID: Unfold, Key: "right l", Name: "unfold", Help: "Unfold the row.", Run: views.Call(l.Unfold)},
		{ID: Toggle, Key: "z", Name: "fold or unfold", Help: "Fold or unfold the row.", Run: views.Call(l.Toggle)},
		{ID: FoldAll, Key: "_", Name: "fold all", Help: "Fold everything.", Run: views.Call(func() { l.foldEverything(true) })},
		{ID: UnfoldAll, Key: "+ =", Name: "unfold all", Help: "Unfold everything.", Run: views.Call(func() { l.foldEverything(false) })},
	})
}

// Searches are the rows of a search, which jumps where a filter hides. A list whose view has
// them is searched by a second / on the empty line of the filter. Where a view has n and N of
// its own, they come behind these, which are there only in a search.
func (l *List[K]) Searches() []views.Command {
	l.line.searchable = true
	found := func(id, name, key, help string, by int) views.Command {
		return views.Command{ID: id, Key: key, Name: name, Help: help,
			Shown: l.Searching, Run: views.Call(func() { l.jump(by) })}
	}
	return browsing(findGroup, []views.Command{
		{ID: Search, Name: "search", Argument: "text", With: takes(l.StartSearch, l.SetSearch),
			Help: "Mark each row with all words and hide nothing: / twice, then n and N."},
		found(Next, "next match", "n", "The next match of the search.", 1),
		found(Previous, "previous match", "N", "The previous match of the search.", -1),
	})
}

// Marks are the rows that choose several.
func (l *List[K]) Marks() []views.Command {
	return browsing(findGroup, []views.Command{
		{ID: Mark, Key: "space", Name: "mark", Help: "Mark or unmark the row, and go to the next one.", Run: views.Call(l.Mark)},
		{ID: Range, Key: "V", Name: "mark a range", Help: "Mark all rows from here to the cursor; again ends it.", Run: views.Call(l.markRange)},
	})
}
