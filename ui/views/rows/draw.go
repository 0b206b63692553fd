package rows

import (
	"fmt"
	"strings"

	"geodeck/ui/views"
)

// markerWidth is what the cursor takes before a row.
const markerWidth = 2

// cell names one drawing of one row.
type cell struct {
	row     int32
	look    Look
	marked  bool
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
	if l.Filtering() {
		b.WriteString(l.headLine())
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
		Find:     l.search.needle(),
	}
	look.Folded = look.Parent && len(l.folded) > 0 && l.folded[l.source.Key(i)]
	c := cell{int32(i), look, l.marked(at), l.source.Version(i)}
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
	if c.marked {
		marker += l.inks.marked
	} else {
		marker += l.inks.unmarked
	}
	text := views.Fit(marker+l.source.Draw(i, look), l.width, l.inks.ellipsis)
	l.cache[c] = text
	return text
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
