package rows

import (
	"fmt"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// search is a text that is looked for among the visible rows, and where it stands.
type search struct {
	filter         // what is typed
	from   int     // cursor at which it began
	hits   []int32 // in visible, ascending
}

// needle is what is looked for, in lower case: unlike a filter it hides nothing, so
// nothing can be turned round either.
func (s *search) needle() string { return strings.ToLower(s.text) }

// Searched returns the text that is searched for.
func (l *List[K]) Searched() string { return l.search.text }

// SetSearch searches for a text and goes to the first row at or below the cursor
// that holds it; an empty text ends the search.
func (l *List[K]) SetSearch(text string) {
	l.search.text, l.search.from = "", l.cursor
	l.search.add(text)
	l.searchAgain()
	l.toHit()
	l.scroll()
}

func (l *List[K]) beginSearch() {
	l.search.typing, l.filter.typing, l.search.from = true, false, l.cursor
	l.scroll()
}

// typeSearch goes along with what is typed, and back where it is given up.
func (l *List[K]) typeSearch(msg tea.KeyMsg) {
	changed, used := l.search.key(msg)
	switch {
	case changed:
		l.searchAgain()
		l.toHit()
	case !used && msg.Type == tea.KeyUp:
		l.jump(-1)
	case !used && msg.Type == tea.KeyDown:
		l.jump(1)
	}
	l.scroll()
}

// searchAgain looks at all visible rows.
func (l *List[K]) searchAgain() {
	l.search.hits = l.search.hits[:0]
	l.searchFrom(0)
}

// searchFrom looks at the visible rows from one on.
func (l *List[K]) searchFrom(at int) {
	needle := l.search.needle()
	if needle == "" || l.source == nil {
		return
	}
	has := Finder(needle)
	for ; at < len(l.visible); at++ {
		if l.source.Matches(int(l.visible[at]), has) {
			l.search.hits = append(l.search.hits, int32(at))
		}
	}
}

// toHit goes to the first hit from where the search began, back there without one.
func (l *List[K]) toHit() {
	l.cursor = max(0, min(l.search.from, len(l.visible)-1))
	if hits := l.search.hits; len(hits) > 0 {
		i, _ := slices.BinarySearch(hits, int32(l.cursor))
		l.cursor = int(hits[i%len(hits)])
	}
}

// jump goes to the next hit, or with -1 to the previous one, round the ends.
func (l *List[K]) jump(by int) {
	hits := l.search.hits
	if len(hits) == 0 {
		return
	}
	i, on := slices.BinarySearch(hits, int32(l.cursor))
	switch {
	case by < 0:
		i--
	case on:
		i++
	}
	l.cursor = int(hits[(i+len(hits))%len(hits)])
	l.scroll()
}

// searchNote says how often the text was found, and at which of these the cursor is.
func (l *List[K]) searchNote() string {
	hits := l.search.hits
	i, on := slices.BinarySearch(hits, int32(l.cursor))
	switch {
	case len(hits) == 0:
		return "not found"
	case on:
		return fmt.Sprintf("%d of %d found", i+1, len(hits))
	}
	return fmt.Sprintf("%d found", len(hits))
}

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
