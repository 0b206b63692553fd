package plain

import "unicode/utf8"

// Kept reports whether [Line] leaves a character as it is, where it stands by itself.
// Controls, marks, and what has no shape or is written in another way are not kept.
func Kept(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r != 0x7f
	}
	return kindOf(r) == kept
}

// Each gives every character and every escape sequence of s to see, with where it
// stands and what [Line] leaves of it: itself, nothing, or other characters. What is
// left is gone afterwards. Limits on length do not count here.
func Each(s string, see func(from, to int, left []byte)) {
	c := cleaner{in: s}
	for c.at < len(c.in) {
		from := c.at
		c.out, c.cells, c.marks = c.out[:0], 0, 0
		c.step()
		see(from, c.at, c.out)
	}
}
