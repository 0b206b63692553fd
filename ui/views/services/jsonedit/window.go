package jsonedit

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/ui/views/rows"
)

// window draws the row of the cursor in a number of cells, with what is around the
// cursor in sight.
func (b *buffer) window(k *inks, cells int) string {
	return b.drawRow(k, b.row, b.leftmost(k, cells), cells)
}

// leftmost is the first character that is drawn so that the cursor is in sight.
func (b *buffer) leftmost(k *inks, cells int) int {
	line := b.rows[b.row]
	room := max(1, cells-2)
	from := b.col
	for from > 0 {
		_, width := glyph(k, line[from-1])
		if room -= width; room < 0 {
			break
		}
		from--
	}
	return from
}

// drawRow draws one row from a character on.
func (b *buffer) drawRow(k *inks, row, from, cells int) string {
	line, caret := b.rows[row], -1
	if row == b.row {
		caret = b.col
		cells--
	}
	var out, run strings.Builder
	flush := func() {
		out.WriteString(run.String())
		run.Reset()
	}
	for i := from; ; i++ {
		if i == caret {
			flush()
			out.WriteString(k.Accent.On(k.Glyphs.Divider))
		}
		if i >= len(line) {
			break
		}
		text, width := glyph(k, line[i])
		if cells -= width; cells < 0 {
			break
		}
		run.WriteString(text)
	}
	flush()
	return out.String()
}

// glyph returns what is drawn for one character: what a terminal obeys, or nobody
// sees, is shown as a sign of its own.
func glyph(k *inks, r rune) (text string, cells int) {
	switch {
	case ' ' <= r && r < 0x7f:
		return asciiText[r-' ' : r-' '+1], 1
	case r == '\t':
		return "  ", 2
	}
	text = string(r)
	if cells = ansi.StringWidth(text); cells < 1 || plain.Line(text) != text {
		return hidden(k).On(k.Glyphs.Unknown), 1
	}
	return text, cells
}

// asciiText saves an allocation for each character that is drawn.
var asciiText = func() string {
	var b strings.Builder
	for r := ' '; r < 0x7f; r++ {
		b.WriteRune(r)
	}
	return b.String()
}()

func hidden(k *inks) rows.Ink { return k.Fail }
