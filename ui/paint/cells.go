package paint

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"geodeck/theme"
)

// cell is one cell of the screen.
type cell struct {
	content string // a character with what combines with it; empty behind a wide one
	style   style
	width   int8 // of the content, in cells; 0 behind a wide one
}

var blank = cell{content: " ", width: 1}

// sure reports whether all terminals agree on the width of what the cell holds.
func (c *cell) sure() bool {
	if c.width != 1 || len(c.content) == 1 {
		return c.width == 1
	}
	r, size := utf8.DecodeRuneInString(c.content)
	return size == len(c.content) && agreed(r)
}

// agreed reports whether r is one cell in every terminal that is not told to take ambiguous
// characters for wide: letters of Europe; punctuation, arrows, lines and blocks. Of others new
// versions of Unicode change the width, or join them with what stands before.
func agreed(r rune) bool {
	switch {
	case r < 0x2500:
		return r >= ' ' && r < 0x7f || r >= 0xa0 && r < 0x300 && r != 0xad || r >= 0x370 && r < 0x483 || r >= 0x48a && r < 0x590 ||
			r >= 0x1e00 && r < 0x2000 || r >= 0x2010 && r < 0x2028 || r >= 0x2030 && r < 0x205f || r >= 0x2100 && r < 0x231a
	case r < 0x25fd:
		return true
	}
	return r == '✓' || r == '✗'
}

// line is one line of a frame: its text, and the cells that the text fills.
type line struct {
	text   string // as the frame has it
	start  style  // in force where the text begins
	end    style  // in force where it ends
	cells  []cell
	cursor int // the column of [theme.CursorMark], -1 without one
}

// joiner joins two characters. After one that joins nothing, tmux takes the next character
// for the second, wherever it is written.
const joiner = "\u200d"

// readLine returns the cells of a line of text that is width cells wide; what is longer is cut.
// SGR sequences set the style. Every other sequence and all control characters are dropped:
// a cell never moves the cursor or changes a mode.
func readLine(text string, start style, width int) line {
	l := line{start: start, cells: make([]cell, 0, width), cursor: -1}
	pen, full := start, false
	for len(text) > 0 {
		if content, w := character(text); w > 0 {
			text = text[len(content):]
			if full = full || len(l.cells)+w > width; full {
				continue
			}
			content = strings.TrimRight(content, joiner)
			l.cells = append(l.cells, cell{content: content, style: pen, width: int8(w)})
			for range w - 1 {
				l.cells = append(l.cells, cell{})
			}
			continue
		}
		sequence, _, n, _ := ansi.DecodeSequence(text, ansi.NormalState, nil)
		if sequence == theme.CursorMark {
			l.cursor = min(len(l.cells), width-1)
		} else if ansi.HasCsiPrefix(sequence) {
			pen = pen.read(sequence)
		}
		text = text[n:]
	}
	for len(l.cells) < width {
		l.cells = append(l.cells, blank)
	}
	l.end = pen
	return l
}

// character returns what the first cell of text holds, and its width: 0 where it is no text.
func character(text string) (content string, width int) {
	first, size := utf8.DecodeRuneInString(text)
	if agreed(first) {
		if next, _ := utf8.DecodeRuneInString(text[size:]); next < utf8.RuneSelf || agreed(next) || size == len(text) {
			return text[:size], 1 // nothing combines with it
		}
	} else if first < utf8.RuneSelf {
		return "", 0
	}
	if content, width = ansi.FirstGraphemeCluster(text, ansi.GraphemeWidth); drawable(content) {
		return content, width
	}
	return "", 0
}

// drawable reports whether s can be written into a cell.
func drawable(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}
