package paint

import (
	"strings"
	"unicode"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"

	"geodeck/theme"
)

// cell is one cell of the screen.
type cell struct {
	content string // a character with what combines with it; empty behind a wide one
	style   uv.Style
	width   int // of the content, in cells; 0 behind a wide one
}

var blank = cell{content: " ", width: 1}

// sure reports whether all terminals agree on the width of what the cell holds, or at least
// on where the next one begins once the cursor was placed anew.
func (c *cell) sure() bool {
	return c.width == 1 && (len(c.content) == 1 || utf8.RuneCountInString(c.content) == 1)
}

// line is one line of a frame: its text, and the cells that the text fills.
type line struct {
	text   string
	start  uv.Style // in force where the text begins
	end    uv.Style // in force where it ends
	cells  []cell
	cursor int // the column of [theme.CursorMark], -1 without one
}

// readLine returns the cells of a line of text that is width cells wide; what is longer is cut.
// SGR sequences set the style. Every other sequence and all control characters are dropped:
// a cell never moves the cursor or changes a mode.
func readLine(text string, start uv.Style, width int) line {
	l := line{text: text, start: start, cells: make([]cell, 0, width), cursor: -1}
	parser := ansi.GetParser()
	defer ansi.PutParser(parser)
	style, state := start, byte(0)
	for len(text) > 0 {
		sequence, w, n, next := ansi.DecodeSequence(text, state, parser)
		switch {
		case w > 0 && len(l.cells)+w <= width && drawable(sequence):
			l.cells = append(l.cells, cell{content: sequence, style: style, width: w})
			for range w - 1 {
				l.cells = append(l.cells, cell{})
			}
		case sequence == theme.CursorMark:
			l.cursor = min(len(l.cells), width-1)
		case w == 0 && ansi.HasCsiPrefix(sequence) && parser.Command() == 'm':
			uv.ReadStyle(parser.Params(), &style)
		}
		text, state = text[n:], next
	}
	for len(l.cells) < width {
		l.cells = append(l.cells, blank)
	}
	l.end = style
	return l
}

// drawable reports whether s can be written into a cell.
func drawable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}
