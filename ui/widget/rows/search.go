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

// look adds the hits among the visible rows from one on.
func (s *search) look(visible []int32, from int, matches func(i int, has func(string) bool) bool) {
	needle := s.needle()
	if needle == "" {
		return
	}
	has := Finder(needle)
	for at := from; at < len(visible); at++ {
		if matches(int(visible[at]), has) {
			s.hits = append(s.hits, int32(at))
		}
	}
}

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

// Search returns the text that is searched for.
func (l *list) Search() string { return l.search.text }

// SetSearch searches for a text and goes to the first row at or below the cursor
// that holds it; an empty text ends the search.
func (l *list) SetSearch(text string) {
	l.search.from = l.cursor
	l.search.set(text)
	l.searchAll()
	l.Rest()
	l.show(l.search.first(len(l.visible)))
}

// StartSearch starts typing what to search for.
func (l *list) StartSearch() {
	l.search.typing, l.filter.typing, l.search.from = true, false, l.cursor
	l.show(l.cursor)
}

// searchAll searches all visible rows.
func (l *list) searchAll() {
	l.search.hits = l.search.hits[:0]
	l.searchFrom(0)
}

func (l *list) searchFrom(at int) {
	if l.source != nil {
		l.search.look(l.visible, at, l.source.Matches)
	}
}

func (l *list) jump(by int) { l.goTo(l.search.next(l.cursor, by)) }

// Highlight puts base on a text, and match on each place where it holds needle,
// which is in lower case.
func Highlight(text, needle string, base, match Ink) string {
	lower := text
	if needle != "" {
		lower = strings.ToLower(text)
	}
	// Where capitals take more or fewer bytes than small letters, places differ.
	if needle == "" || len(lower) != len(text) || !strings.Contains(lower, needle) {
		return base.On(text)
	}
	var b strings.Builder
	for {
		at := strings.Index(lower, needle)
		if at < 0 {
			break
		}
		b.WriteString(base.On(text[:at]))
		b.WriteString(match.On(text[at : at+len(needle)]))
		text, lower = text[at+len(needle):], lower[at+len(needle):]
	}
	b.WriteString(base.On(text))
	return b.String()
}
