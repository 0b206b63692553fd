package plain

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// cleaner walks once over a text and writes what may stay.
type cleaner struct {
	in  string
	at  int
	out []byte

	lines bool   // keep line breaks
	over  bool   // Text: a limit is reached, the rest is left out
	noEnd [2]int // no string sequence ends before this offset: without, with bell

	ended   int // lines ended so far
	textFit int // length of out after which a line with the ellipsis would still fit

	// Of the current line.
	cells int
	marks int
	fit   int  // length of out after which the ellipsis would still fit
	full  bool // cut: the rest of the line is left out
}

func (c *cleaner) begin() {
	c.fit, c.cells, c.full = len(c.out), 0, false
	c.marks = MaxMarks // a mark at the start has nothing to stand on
}

// step reads one character or one sequence.
func (c *cleaner) step() {
	switch b := c.in[c.at]; {
	case b == escape:
		c.skipEscape()
	case b < ' ' || b == 0x7f:
		c.at++
		c.control(b)
	case b < utf8.RuneSelf:
		c.at++
		c.put(rune(b), 1)
	default:
		c.stepWide()
	}
}

func (c *cleaner) control(b byte) {
	switch b {
	case '\t':
		c.tab()
	case '\r':
		if c.at < len(c.in) && c.in[c.at] == '\n' {
			c.at++
		}
		c.lineBreak()
	case '\n', '\v', '\f':
		c.lineBreak()
	}
}

// stepWide reads a character beyond ASCII.
func (c *cleaner) stepWide() {
	r, size := utf8.DecodeRuneInString(c.in[c.at:])
	if r == utf8.RuneError && size == 1 {
		c.broken()
		return
	}
	text := c.in[c.at : c.at+size]
	c.at += size
	switch kindOf(r) {
	case kept:
		c.put(r, max(1, ansi.StringWidth(text)))
	case mark:
		c.putMark(r)
	case lineEnd:
		c.lineBreak()
	case noRune:
		c.put(utf8.RuneError, 1)
	case spelled:
		c.spell(r)
	case sequence:
		c.skipC1(r)
	}
}

// broken reads bytes that are not UTF-8. Text in an old encoding would lose
// letters if every such byte were a control, so only the first of a run may
// open a sequence.
func (c *cleaner) broken() {
	if first := rune(c.in[c.at]); first < 0xa0 && kindOfC1(first) == sequence {
		c.at++
		c.skipC1(first)
		return
	}
	for c.at < len(c.in) {
		if r, size := utf8.DecodeRuneInString(c.in[c.at:]); r != utf8.RuneError || size != 1 {
			break
		}
		c.at++
	}
	c.put(utf8.RuneError, 1)
}

// put writes a character, or cuts the line where it does not fit.
func (c *cleaner) put(r rune, cells int) {
	if c.full {
		return
	}
	if c.cells+cells > MaxLine {
		c.out = append(c.out[:c.fit], Ellipsis...)
		c.full = true
		return
	}
	c.marks = 0
	c.write(r, cells)
}

// putMark writes a combining mark if the character under it can take one more.
func (c *cleaner) putMark(r rune) {
	if c.marks >= MaxMarks || c.full {
		return
	}
	marks := c.marks + 1
	if unicode.Is(unicode.Mc, r) { // takes a cell in some terminals
		c.put(r, 1)
	} else {
		c.write(r, 0)
	}
	c.marks = marks
}

// spell writes a character with others.
func (c *cleaner) spell(r rune) {
	mark, char := spelling(r)
	if mark != 0 {
		c.putMark(mark)
	}
	c.put(char, 1)
}

func (c *cleaner) write(r rune, cells int) {
	c.out = utf8.AppendRune(c.out, r)
	c.cells += cells
	if c.cells < MaxLine {
		c.fit = len(c.out)
	}
}

func (c *cleaner) tab() {
	if !c.lines {
		c.put(' ', 1)
		return
	}
	for range 4 - c.cells%4 {
		c.put(' ', 1)
	}
}

func (c *cleaner) lineBreak() {
	if !c.lines {
		c.put(' ', 1)
		return
	}
	if c.checkSize(); c.over {
		return
	}
	c.out = append(c.out, '\n')
	c.ended++
	if c.ended < MaxLines && len(c.out)+len(Ellipsis) <= MaxText {
		c.textFit = len(c.out)
	}
	c.begin()
}

// checkSize cuts the text where the line just written passes a limit.
func (c *cleaner) checkSize() {
	if c.over || c.ended < MaxLines && len(c.out) <= MaxText {
		return
	}
	c.out = append(c.out[:c.textFit], Ellipsis...)
	c.over = true
}
