package rows

import (
	"fmt"
	"slices"
	"strings"
)

// search is a text that is searched for among the visible rows, and where it was found.
type search struct {
	input
	from int     // cursor at which it began
	hits []int32 // in visible, ascending
}

// needle is the text in lower case. Unlike a filter, a search hides nothing, so it cannot
// be inverted.
func (s *search) needle() string { return strings.ToLower(s.text) }

// first returns the first hit from where the search began among n rows, that place
// without one.
func (s *search) first(n int) int {
	at := max(0, min(s.from, n-1))
	if len(s.hits) > 0 {
		i, _ := slices.BinarySearch(s.hits, int32(at))
		at = int(s.hits[i%len(s.hits)])
	}
	return at
}

// next returns the next hit, or with -1 the previous one, wrapping at the ends.
func (s *search) next(cursor, by int) int {
	if len(s.hits) == 0 {
		return cursor
	}
	i, on := slices.BinarySearch(s.hits, int32(cursor))
	switch {
	case by < 0:
		i--
	case on:
		i++
	}
	return int(s.hits[(i+len(s.hits))%len(s.hits)])
}

// note says how often the text was found, and at which of these the cursor is.
func (s *search) note(cursor int) string {
	i, on := slices.BinarySearch(s.hits, int32(cursor))
	switch {
	case len(s.hits) == 0:
		return "not found"
	case on:
		return fmt.Sprintf("%d of %d found", i+1, len(s.hits))
	}
	return fmt.Sprintf("%d found", len(s.hits))
}

// on reports whether a text is searched for.
func (s *search) on() bool { return strings.TrimSpace(s.text) != "" }

// find adds the hits among the visible rows from one on: those that have every word.
func (s *search) find(rows Content, visible []int32, at int) {
	words := strings.Fields(s.needle())
	for ; len(words) > 0 && at < len(visible); at++ {
		if !slices.ContainsFunc(words, func(word string) bool { return !rows.Matches(int(visible[at]), Finder(word)) }) {
			s.hits = append(s.hits, int32(at))
		}
	}
}

// Search returns the text that is searched for.
func (l *List[K]) Search() string { return l.line.search.text }

// SetSearch searches for a text and goes to the first row at or below the cursor
// that holds it; an empty text ends the search.
func (l *List[K]) SetSearch(text string) {
	s := &l.line.search
	s.from = l.view.cursor
	s.set(text)
	l.searchAll()
	l.Rest()
	l.show(s.first(l.Len()))
}

// StartSearch starts typing what to search for, which may be folded.
func (l *List[K]) StartSearch() {
	if len(l.tree.folds) > 0 {
		l.foldEverything(false)
	}
	l.line.startSearch(l.view.cursor)
	l.show(l.view.cursor)
}

// Searching reports whether a search marks rows, so that n and N go through these.
func (l *List[K]) Searching() bool { return l.line.search.on() }

// searchAll searches all visible rows.
func (l *List[K]) searchAll() {
	l.line.search.hits = l.line.search.hits[:0]
	l.line.search.find(l.tree.source, l.view.visible, 0)
}

// jump goes to the next match, or with -1 to the previous one.
func (l *List[K]) jump(by int) { l.view.goTo(l.line.search.next(l.view.cursor, by)) }

// Highlight puts base on a text, and match on each place where it holds a word of needle,
// which is in lower case.
func Highlight(text, needle string, base, match Ink) string {
	words := strings.Fields(needle)
	lower := text
	if len(words) > 0 {
		lower = strings.ToLower(text)
	}
	if len(lower) != len(text) { // where capitals take more or fewer bytes than small letters, places differ
		return base.On(text)
	}
	var b strings.Builder
	for {
		at, length := -1, 0
		for _, word := range words {
			if i := strings.Index(lower, word); i >= 0 && (at < 0 || i < at || i == at && len(word) > length) {
				at, length = i, len(word)
			}
		}
		if at < 0 {
			break
		}
		b.WriteString(base.On(text[:at]))
		b.WriteString(match.On(text[at : at+length]))
		text, lower = text[at+length:], lower[at+length:]
	}
	b.WriteString(base.On(text))
	return b.String()
}
