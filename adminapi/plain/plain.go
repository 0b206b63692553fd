// Package plain makes foreign text fit for a person's terminal. It is the one
// cleaner of server text: whatever a server, a file or a node label says passes
// here before it is drawn, printed, or written into a table.
//
// Start at [Line] and [Text].
package plain

import (
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// What is kept of a text at most. Longer ones end in an ellipsis.
const (
	MaxLine  = 4_000   // cells of a line
	MaxLines = 10_000  // lines of a text
	MaxText  = 1 << 20 // bytes of a text, about what a person might still page through
	MaxMarks = 4       // combining marks on one character
)

// Ellipsis stands where a text was cut.
const Ellipsis = "…"

// Line returns s as a single line: no control characters, no escape sequences,
// no bidirectional or zero-width marks, line breaks and tabs as spaces, broken
// UTF-8 replaced, at most MaxLine cells kept. A string that is clean already
// comes back as it is, without an allocation.
func Line(s string) string {
	if isClean(s) {
		return s
	}
	c := cleaner{in: s, out: make([]byte, 0, min(len(s), MaxLine)+len(Ellipsis))}
	c.begin()
	for c.at < len(c.in) && !c.full {
		c.step()
	}
	return string(c.out)
}

// Text returns s with its lines kept, each as clean as [Line] leaves it. Line
// breaks of every kind become "\n", tabs are spaces up to the next fourth
// column. At most MaxLines lines and MaxText bytes are kept.
func Text(s string) string {
	if isClean(s) {
		return s
	}
	c := cleaner{in: s, lines: true, out: make([]byte, 0, min(len(s), MaxText)+len(Ellipsis))}
	c.begin()
	for c.at < len(c.in) && !c.over {
		c.step()
	}
	c.checkSize()
	return string(c.out)
}

// Clip returns [Line] of s cut to a number of cells; what was cut ends in an
// ellipsis.
func Clip(s string, cells int) string {
	return ansi.Truncate(Line(s), max(cells, 0), Ellipsis)
}

// isClean reports whether Line has nothing to do. No character takes more cells
// than bytes, so a short string needs no measuring; a long one is measured by
// the slow way.
func isClean(s string) bool {
	if len(s) > MaxLine {
		return false
	}
	marks := MaxMarks // a mark at the start has nothing to stand on
	for i := 0; i < len(s); {
		if b := s[i]; b < utf8.RuneSelf {
			if b < ' ' || b == 0x7f {
				return false
			}
			marks = 0
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && size == 1 {
			return false
		}
		switch kindOf(r) {
		case kept:
			marks = 0
		case mark:
			marks++
		default:
			return false
		}
		if marks > MaxMarks {
			return false
		}
		i += size
	}
	return true
}
