package rows

import (
	"fmt"

	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/views"
)

// Filtering tells whether View begins with the line of the filter and the search.
func (l *List[K]) Filtering() bool {
	return l.height > 1 && (l.filter.typing || l.filter.text != "" || l.search.typing || l.search.text != "")
}

// leastFilter is the room that the text of a filter keeps beside a note.
const leastFilter = 12

// headLine draws the filter, the search, and how much they have found.
func (l *List[K]) headLine() string {
	text := ""
	if l.filter.typing || l.filter.text != "" {
		text = l.inks.accent.On("/") + l.filter.text + l.caret(l.filter)
	}
	if l.search.typing || l.search.text != "" {
		if text != "" {
			text += "  "
		}
		text += l.inks.accent.On("find ") + l.search.text + l.caret(l.search.filter)
	}
	for _, note := range l.notes() {
		if room := l.width - ansi.StringWidth(note) - 1; room >= leastFilter {
			return views.Fit(text, room, l.inks.ellipsis) + " " + l.inks.muted.On(note)
		}
	}
	return views.Fit(text, l.width, l.inks.ellipsis)
}

func (l *List[K]) caret(f filter) string {
	if f.typing {
		return l.inks.caret
	}
	return ""
}

// notes are what stands at the end of the line, the longest first.
func (l *List[K]) notes() []string {
	found := ""
	if l.filter.typing || l.filter.text != "" {
		found = fmt.Sprintf("%d of %d", len(l.visible), l.All())
	}
	if l.search.needle() != "" {
		if found != "" {
			found += l.inks.dots
		}
		found += l.searchNote()
	}
	switch {
	case l.Typing() && found != "":
		return []string{found + l.inks.dots + "esc clears", found}
	case l.Typing():
		return []string{"esc clears"}
	}
	return []string{found}
}
