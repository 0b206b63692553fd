package rows

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/views"
)

// markerWidth is what the cursor takes before a row.
const markerWidth = 2

// cell names one drawing of one row.
type cell struct {
	row     int32
	look    Look
	version uint64
}

// View draws exactly the size that SetSize gave.
func (l *List[K]) View() string {
	if l.width <= 0 || l.height <= 0 {
		return ""
	}
	var b strings.Builder
	b.Grow(l.height * (l.width + 16))
	lines := 0
	if l.filterShown() {
		b.WriteString(l.filterLine())
		lines++
	}
	for at := l.top; lines < l.height; at++ {
		if lines > 0 {
			b.WriteByte('\n')
		}
		if at < len(l.visible) {
			b.WriteString(l.row(at))
		} else {
			writeBlank(&b, l.width)
		}
		lines++
	}
	return b.String()
}

// row returns one drawn row with its marker, from the cache where it can.
func (l *List[K]) row(at int) string {
	i := int(l.visible[at])
	look := Look{
		Width:    max(0, l.width-markerWidth),
		Selected: at == l.cursor,
		Parent:   !l.leaf(i),
	}
	look.Folded = look.Parent && len(l.folded) > 0 && l.folded[l.source.Key(i)]
	c := cell{int32(i), look, l.source.Version(i)}
	if text, ok := l.cache[c]; ok {
		return text
	}
	if len(l.cache) > 16*l.height+64 {
		clear(l.cache)
	}
	marker := l.inks.blank
	switch {
	case look.Selected && l.blurred:
		marker = l.inks.resting
	case look.Selected:
		marker = l.inks.marker
	}
	text := views.Fit(marker+l.source.Draw(i, look), l.width, l.inks.ellipsis)
	l.cache[c] = text
	return text
}

// Filtering tells whether View begins with the line of the filter.
func (l *List[K]) Filtering() bool { return l.filterShown() }

func (l *List[K]) filterShown() bool { return l.height > 1 && (l.filter.typing || l.filter.text != "") }

// leastFilter is the room that the text of a filter keeps beside a note.
const leastFilter = 12

func (l *List[K]) filterLine() string {
	text := l.inks.accent.On("/") + l.filter.text
	if l.filter.typing {
		text += l.inks.caret
	}
	found := fmt.Sprintf("%d of %d", len(l.visible), l.All())
	notes := []string{found}
	if l.filter.typing {
		notes = []string{found + l.inks.dots + "esc clears", found}
	}
	for _, note := range notes {
		if room := l.width - ansi.StringWidth(note) - 1; room >= leastFilter {
			return views.Fit(text, room, l.inks.ellipsis) + " " + l.inks.muted.On(note)
		}
	}
	return views.Fit(text, l.width, l.inks.ellipsis)
}

// Position says where the cursor is: "12 of 340".
func (l *List[K]) Position() string {
	if len(l.visible) == 0 {
		return ""
	}
	return fmt.Sprintf("%d of %d", l.cursor+1, len(l.visible))
}

const blanks = "                                                                                "

func writeBlank(b *strings.Builder, n int) {
	for ; n > len(blanks); n -= len(blanks) {
		b.WriteString(blanks)
	}
	b.WriteString(blanks[:n])
}
