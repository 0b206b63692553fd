package paint

import (
	"strings"
	"unicode"
	"unicode/utf8"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
)

// line is one line of a frame: its text, and the cells that the text fills. A character
// that is two cells wide is followed by a cell of width 0.
type line struct {
	text  string
	start uv.Style // in force where the text begins
	end   uv.Style // in force where it ends
	cells []uv.Cell
}

// readLine returns the cells of a line of text that is width cells wide; what is longer is cut.
// SGR sequences set the style. Every other sequence and all control characters are dropped:
// a cell never moves the cursor or changes a mode.
func readLine(text string, start uv.Style, width int) line {
	l := line{text: text, start: start, cells: make([]uv.Cell, 0, width)}
	p := ansi.GetParser()
	defer ansi.PutParser(p)
	style, state := start, byte(0)
	for len(text) > 0 {
		sequence, w, n, next := ansi.DecodeSequence(text, state, p)
		switch {
		case w > 0 && len(l.cells)+w <= width && isGrapheme(sequence):
			l.cells = append(l.cells, uv.Cell{Content: sequence, Style: style, Width: w})
			for range w - 1 {
				l.cells = append(l.cells, uv.Cell{})
			}
		case w == 0 && ansi.HasCsiPrefix(sequence) && p.Command() == 'm':
			uv.ReadStyle(p.Params(), &style)
		}
		text, state = text[n:], next
	}
	for len(l.cells) < width {
		l.cells = append(l.cells, uv.EmptyCell)
	}
	l.end = style
	return l
}

// isGrapheme reports whether s can be written into a cell.
func isGrapheme(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}
