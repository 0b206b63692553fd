package plain

import "unicode"

// kind says what becomes of a character.
type kind int

const (
	kept     kind = iota
	mark          // combines with the character before it
	dropped       // controls, and what has no shape of its own
	lineEnd       // breaks a line in one script or another
	noRune        // code points that are no characters
	spelled       // written with other characters, of whose width no terminal doubts
	sequence      // opens an escape sequence in its eight-bit form
)

// invisible holds the characters without a shape that are not in category Cf:
// fillers, joiners of graphemes and variation selectors. They make equal
// texts differ, or move the columns of a table in some terminals only.
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

// Terminals disagree on the cells of these beside others: of a picture with a colour
// of skin, of a flag, which is two letters, and of a vowel that is half a mark. A
// line of them would be longer than it was measured, and break the screen.
const (
	firstSkin, lastSkin = 0x1f3fb, 0x1f3ff
	flagA, flagZ        = 0x1f1e6, 0x1f1ff
	thaiAM, laoAM       = 0xe33, 0xeb3
)

// spelling returns a mark, 0 for none, and a character that say the same.
func spelling(r rune) (mark, char rune) {
	switch r {
	case thaiAM:
		return 0xe4d, 0xe32
	case laoAM:
		return 0xecd, 0xeb2
	}
	return 0, 'A' + r - flagA
}

// kindOf sorts a character that is not ASCII. Common scripts are answered
// without a search, because every row drawn passes here.
func kindOf(r rune) kind {
	switch {
	case r < 0xa0:
		return kindOfC1(r)
	case r == 0xad:
		return dropped
	case r < 0x300, r >= 0x3400 && r <= 0x9fff, r >= 0xac00 && r <= 0xd7a3:
		return kept
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
	return kept
}

// kindOfC1 sorts the controls from U+0080 to U+009F.
func kindOfC1(r rune) kind {
	switch r {
	case nextLine:
		return lineEnd
	case dcs, sos, csi, osc, pm, apc:
		return sequence
	}
	return dropped
}
