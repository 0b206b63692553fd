package jsonedit

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// stroke is one text that took the place of another in a buffer.
type stroke struct {
	row, col int
	old, new string
}

// note remembers a stroke, to be undone. Letters of one word that are typed one after the
// other are one stroke.
func (b *buffer) note(row, col int, old, new string) {
	b.changes++
	if last := b.strokes.Extend(0); last != nil && old == "" && last.continued(row, col, new) {
		b.strokes.Extend(len(new)).new += new
		return
	}
	b.strokes.Add(stroke{row, col, old, new}, len(old)+len(new))
}

// continued reports whether a letter goes on with what was typed before it.
func (s *stroke) continued(row, col int, text string) bool {
	letter, size := utf8.DecodeRuneInString(text)
	if s.old != "" || size != len(text) || unicode.IsSpace(letter) || strings.ContainsRune(s.new, '\n') {
		return false
	}
	return row == s.row && col == s.col+utf8.RuneCountInString(s.new)
}

func (b *buffer) undo() {
	if s, ok := b.strokes.Undo(); ok {
		b.swap(s.row, s.col, s.new, s.old)
	}
}

func (b *buffer) redo() {
	if s, ok := b.strokes.Redo(); ok {
		b.swap(s.row, s.col, s.old, s.new)
	}
}

// swap puts a text in place of the one at a place.
func (b *buffer) swap(row, col int, old, new string) {
	b.changes++
	b.row, b.col = row, col
	for _, r := range old {
		if r == '\n' {
			b.row, b.col = b.row+1, 0
		} else {
			b.col++
		}
	}
	b.remove(row, col)
	b.put(new)
}

// find goes to the next place that holds a text, or with -1 to the one before, round the
// ends; capitals do not matter. It returns at which of how many places the cursor is then.
func (b *buffer) find(text string, by int, here bool) (at, of int) {
	needle := []rune(strings.ToLower(text))
	if len(needle) == 0 {
		return 0, 0
	}
	type place struct{ row, col int }
	var places []place
	for row, line := range b.rows {
		for col := 0; col+len(needle) <= len(line); col++ {
			if sameLetters(line[col:], needle) {
				places = append(places, place{row, col})
			}
		}
	}
	if len(places) == 0 {
		return 0, 0
	}
	at, on := slices.BinarySearchFunc(places, place{b.row, b.col}, func(a, b place) int {
		return cmp.Or(a.row-b.row, a.col-b.col)
	})
	switch {
	case by < 0:
		at--
	case on && !here:
		at++
	}
	at = (at + len(places)) % len(places)
	b.row, b.col = places[at].row, places[at].col
	return at + 1, len(places)
}

func sameLetters(line, needle []rune) bool {
	for i, r := range needle {
		if line[i] != r && unicode.ToLower(line[i]) != r {
			return false
		}
	}
	return true
}
