// Package edits is what the editors of a definition and of placement rules share: how
// a line is drawn cell by cell, what marks a difference from the base, why rows cannot be used,
// and the steps that can be undone.
//
// Start at [History].
package edits

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// Line is a row as it is drawn: styled text and how many cells it takes.
type Line struct {
	strings.Builder
	Cells int
}

// Put adds a text.
func (l *Line) Put(ink rows.Ink, text string) {
	l.WriteString(ink.On(text))
	l.Cells += ansi.StringWidth(text)
}

// Mark says how a row differs from the base.
type Mark uint8

// The marks, the one that matters most last.
const (
	Same    Mark = iota
	Holds        // something below it was removed or differs
	Altered      // not as in the base
	Added
	Gone // deleted
)

// Draw draws the mark in one cell.
func (m Mark) Draw(l *Line, k *rows.Inks) {
	switch m {
	case Added:
		l.Put(k.OK, "+")
	case Gone:
		l.Put(k.Fail, "-")
	case Altered:
		l.Put(k.Warn, k.Glyphs.Marked)
	case Holds:
		l.Put(k.Warn, k.Glyphs.Dot)
	default:
		l.Put(k.Plain, " ")
	}
}

// Rune returns what is drawn for one character that is typed: a sign of its own for what a
// terminal obeys, or does not show.
func Rune(k *rows.Inks, r rune) (text string, cells int) {
	switch {
	case ' ' <= r && r < 0x7f:
		return string([]byte{byte(r)}), 1 // one byte is a string without an allocation
	case r == '\t':
		return "  ", 2
	}
	text = string(r)
	if cells = ansi.StringWidth(text); cells < 1 || plain.Line(text) != text {
		return k.Fail.On(k.Glyphs.Unknown), 1
	}
	return text, cells
}

// Leftmost returns the first character of a line that is drawn so that the one before
// the cursor is in sight, in a number of cells.
func Leftmost(k *rows.Inks, line []rune, cursor, cells int) int {
	room := max(1, cells-2)
	from := min(cursor, len(line))
	for from > 0 {
		_, width := Rune(k, line[from-1])
		if room -= width; room < 0 {
			break
		}
		from--
	}
	return from
}

// Window draws a line from a character on in a number of cells, with the cursor where it
// is; below zero it is in another line.
func Window(k *rows.Inks, line []rune, from, cursor, cells int) string {
	var b strings.Builder
	WriteWindow(&b, k, line, from, cursor, cells)
	return b.String()
}

// WriteWindow writes what [Window] returns.
func WriteWindow(b *strings.Builder, k *rows.Inks, line []rune, from, cursor, cells int) {
	for i := from; i < len(line) || i == cursor; i++ {
		text, width := " ", 1
		if i < len(line) {
			text, width = Rune(k, line[i])
		}
		if cells -= width; cells < 0 {
			break
		}
		if i == cursor {
			text = k.Caret.On(text)
		}
		b.WriteString(text)
	}
}

// Row makes the row of keys while something is typed, which has no name.
func Row(id, hint, help string, run func(), keys ...string) views.Command {
	return views.Command{ID: id, Key: views.JoinKeys(keys...), Word: hint, Run: views.Call(run), Help: help}
}

// KeptText says that a text which was kept comes before other edits, and before sending.
var KeptText = views.Keys("Finish the text that you kept first: press {key:jsonedit.text}. {key:services.discard} discards it.")

// Unless returns rows with a reason why none of them can be used, before their own.
func Unless(whyNot func() string, list []views.Command) []views.Command {
	for i := range list {
		own := list[i].Enabled
		list[i].Enabled = func() string {
			why := whyNot()
			if why == "" && own != nil {
				why = own()
			}
			return why
		}
	}
	return list
}
