package plain

import (
	"unicode"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
)

// cleaner reads a text once and writes what may remain.
type cleaner struct {
	in  string
	at  int
	out []byte

	lines     bool   // keep line breaks
	truncated bool   // a limit of Text is reached, the rest is left out
	noEnd     [2]int // no string sequence ends before this offset: without and with a bell as end

	ended   int // lines ended so far
	textFit int // length of out after which a line with the ellipsis still fits

	// Of the current line.
	cells int
	marks int
	fit   int  // length of out after which the ellipsis still fits
	full  bool // cut: the rest of the line is left out
}

func (c *cleaner) begin() {
	c.fit, c.cells, c.full = len(c.out), 0, false
	c.marks = MaxMarks // a mark at the start has no character to combine with
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
	case printable:
		c.put(r, max(1, ansi.StringWidth(text)))
	case mark:
		c.putMark(r)
	case lineEnd:
		c.lineBreak()
	case noRune:
		c.put(utf8.RuneError, 1)
	case spelled:
		mark, char := spelling(r)
		if mark != 0 {
			c.putMark(mark)
		}
		c.put(char, 1)
	case sequence:
		c.skipC1(r)
	}
}

// broken reads bytes that are not UTF-8. Only the first of a run may open a sequence: text in
// an old encoding would lose letters if every such byte were a control.
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

// put writes a character, or cuts the line if it does not fit.
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

// putMark writes a combining mark if its character does not have too many.
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
	if c.checkSize(); c.truncated {
		return
	}
	c.out = append(c.out, '\n')
	c.ended++
	if c.ended < MaxLines && len(c.out)+len(Ellipsis) <= MaxText {
		c.textFit = len(c.out)
	}
	c.begin()
}

// checkSize cuts the text if the last line exceeds a limit.
func (c *cleaner) checkSize() {
	if c.truncated || c.ended < MaxLines && len(c.out) <= MaxText {
		return
	}
	c.out = append(c.out[:c.textFit], Ellipsis...)
	c.truncated = true
}

// kind is how a character is written.
type kind int

const (
	printable kind = iota
	mark           // combines with the character before it
	dropped        // controls and invisible characters
	lineEnd        // breaks a line
	noRune         // code points that are no characters
	spelled        // replaced by characters whose width is the same in all terminals
	sequence       // opens an escape sequence in its eight-bit form
)

// invisible holds the invisible characters that are not in category Cf: fillers, grapheme
// joiners and variation selectors. They make texts differ that look the same, and move the
// columns of a table in some terminals.
var invisible = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x034f, Hi: 0x034f, Stride: 1}, // combining grapheme joiner
		{Lo: 0x115f, Hi: 0x1160, Stride: 1}, // Hangul fillers
		{Lo: 0x17b4, Hi: 0x17b5, Stride: 1}, // Khmer inherent vowels
		{Lo: 0x180b, Hi: 0x180f, Stride: 1}, // Mongolian selectors
		{Lo: 0x2060, Hi: 0x206f, Stride: 1}, // word joiner and its neighbours
		{Lo: 0x3164, Hi: 0x3164, Stride: 1}, // Hangul filler
		{Lo: 0xfe00, Hi: 0xfe0f, Stride: 1}, // variation selectors
		{Lo: 0xffa0, Hi: 0xffa0, Stride: 1}, // halfwidth Hangul filler
		{Lo: 0xfff0, Hi: 0xfff8, Stride: 1}, // reserved, ignored by rule
	},
	R32: []unicode.Range32{
		{Lo: 0xe0000, Hi: 0xe0fff, Stride: 1}, // tags, more selectors
	},
}

// Terminals disagree on the width of these: a picture with a skin tone, a flag, which is
// two letters, and a vowel that is half a mark. A line with them could be wider than
// measured, and break the screen.
const (
	firstSkin, lastSkin = 0x1f3fb, 0x1f3ff
	flagA, flagZ        = 0x1f1e6, 0x1f1ff
	thaiAM, laoAM       = 0xe33, 0xeb3
)

// spelling returns an equivalent mark, 0 for none, and character.
func spelling(r rune) (mark, char rune) {
	switch r {
	case thaiAM:
		return 0xe4d, 0xe32
	case laoAM:
		return 0xecd, 0xeb2
	}
	return 0, 'A' + r - flagA
}

// kindOf returns the kind of a character that is not ASCII. Common scripts need no search,
// because every row that is drawn passes here.
func kindOf(r rune) kind {
	switch {
	case r < 0xa0:
		return kindOfC1(r)
	case r == 0xad:
		return dropped
	case r < 0x300, r >= 0x3400 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3:
		return printable
	case r == 0x2028 || r == 0x2029:
		return lineEnd
	case r == thaiAM, r == laoAM, r >= flagA && r <= flagZ:
		return spelled
	case r >= firstSkin && r <= lastSkin:
		return dropped
	case r&0xfffe == 0xfffe || r >= 0xfdd0 && r <= 0xfdef:
		return noRune
	case unicode.Is(invisible, r), unicode.Is(unicode.Cf, r):
		return dropped
	case unicode.Is(unicode.M, r):
		return mark
	}
	return printable
}

// kindOfC1 returns the kind of the controls from U+0080 to U+009F.
func kindOfC1(r rune) kind {
	switch r {
	case nextLine:
		return lineEnd
	case dcs, sos, csi, osc, pm, apc:
		return sequence
	}
	return dropped
}

// Controls that open, cancel or end a sequence.
const (
	bell     = 0x07
	cancel   = 0x18
	substit  = 0x1a
	escape   = 0x1b
	nextLine = 0x85
	dcs      = 0x90
	sos      = 0x98
	csi      = 0x9b
	strEnd   = 0x9c
	osc      = 0x9d
	pm       = 0x9e
	apc      = 0x9f
)

// skipEscape skips a sequence that begins with ESC, or only the ESC if no sequence follows.
func (c *cleaner) skipEscape() {
	c.at++
	if c.at == len(c.in) {
		return
	}
	switch b := c.in[c.at]; {
	case b == '[':
		c.at++
		c.skipFinal('@')
	case b == ']':
		c.at++
		c.skipString(true)
	case b == 'P' || b == 'X' || b == '^' || b == '_' || b == 'k':
		// ESC k sets the title of a window in screen and tmux.
		c.at++
		c.skipString(false)
	default:
		c.skipFinal('0')
	}
}

// skipC1 skips what follows an eight-bit introducer.
func (c *cleaner) skipC1(r rune) {
	switch r {
	case csi:
		c.skipFinal('@')
	case osc:
		c.skipString(true)
	default:
		c.skipString(false)
	}
}

// skipFinal skips parameters and intermediate bytes, which are less than the first one that may be
// final, and the final byte.
func (c *cleaner) skipFinal(first byte) {
	for c.at < len(c.in) && c.in[c.at] >= ' ' && c.in[c.at] < first {
		c.at++
	}
	if c.at < len(c.in) && c.in[c.at] >= first && c.in[c.at] <= '~' {
		c.at++
	}
}

// skipString skips the body of a string sequence and its end. Only an OSC may end in a
// bell. A sequence that is aborted or never ends hides the rest of its line, but not the
// lines below, which the administrator may need to read.
func (c *cleaner) skipString(bellEnds bool) {
	noEnd := &c.noEnd[0]
	if bellEnds {
		noEnd = &c.noEnd[1]
	}
	if c.at >= *noEnd { // else an earlier search found no end
		end, ok := stringEnd(c.in, c.at, bellEnds)
		if ok {
			c.at = end
			return
		}
		*noEnd = end
	}
	for c.at < len(c.in) && c.in[c.at] != '\n' && c.in[c.at] != '\r' && c.in[c.at] != escape {
		c.at++
	}
}

// stringEnd returns the offset after the end of a string sequence. A terminal aborts the
// sequence at an ESC that does not end it: then ok is false, and end is where the search
// stopped.
func stringEnd(s string, at int, bellEnds bool) (end int, ok bool) {
	for at < len(s) {
		switch b := s[at]; {
		case b == escape:
			if at+1 < len(s) && s[at+1] == '\\' {
				return at + 2, true
			}
			return at, false
		case b == cancel, b == substit, b == bell && bellEnds:
			return at + 1, true
		case b < utf8.RuneSelf:
			at++
		default:
			r, size := utf8.DecodeRuneInString(s[at:])
			if r == strEnd || size == 1 && b == strEnd {
				return at + size, true
			}
			at += size
		}
	}
	return len(s), false
}
