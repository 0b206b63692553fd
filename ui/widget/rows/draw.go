package rows

import (
	"strings"
	"unicode"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/views"
)

// markerWidth is what the cursor takes before a row.
const markerWidth = 2

// cell names one drawing of one row.
type cell struct {
	row     int32
	look    Look
	version uint64
}

// View draws exactly the size that SetSize gave.
func (l *List[K]) View() string {
	if l.width <= 0 || l.height <= 0 {
		return ""
	}
	var b strings.Builder
	b.Grow(l.height * (l.width + 16))
	lines := 0
	if l.Filtering() {
		b.WriteString(l.headLine())
		lines++
	}
	for at := l.view.top; lines < l.height; at++ {
		if lines > 0 {
			b.WriteByte('\n')
		}
		if at < l.Len() {
			l.row(&b, at)
		} else {
			views.WriteFit(&b, "", l.width, "")
		}
		lines++
	}
	return b.String()
}

// Unmatched draws sentences in place of the rows, below the line of the filter, where no row passes that.
func (l *List[K]) Unmatched(sentences ...string) string {
	return l.headLine() + "\n" + l.inks.Sentences(sentences, l.width, max(0, l.height-1))
}

func (l *List[K]) headLine() string { return l.line.draw(&l.inks, l.width, l.view.cursor, !l.blurred) }

// row draws one row with its marker.
func (l *List[K]) row(b *strings.Builder, at int) {
	k, text := &l.inks, l.body(at)
	mark, ink := " ", Ink{}
	if i := int(l.view.visible[at]); l.marked(i) || l.Along != nil && l.Along(i) {
		mark, ink = k.Glyphs.Marked, k.Accent
	}
	switch {
	case l.width < markerWidth:
		b.WriteString(k.Fit(k.Glyphs.Cursor, l.width))
		return
	case at == l.view.cursor && !l.blurred:
		if !l.Typing() && !strings.Contains(text, theme.CursorMark) { // else text is typed above the rows, or in this one
			text = theme.CursorMark + text
		}
		b.WriteString(k.Selected(mark, text, l.width-markerWidth))
		return
	case at == l.view.cursor:
		b.WriteString(k.Resting.On(k.Glyphs.Dot))
	default:
		b.WriteByte(' ')
	}
	b.WriteString(ink.On(mark))
	b.WriteString(text)
}

// body draws a row without its marker, from the cache where it can.
func (l *List[K]) body(at int) string {
	i := int(l.view.visible[at])
	parent := !leaf(l.tree.source, i)
	look := Look{Width: max(0, l.width-markerWidth), Parent: parent, Folded: parent && l.tree.folded(i), Find: l.line.search.needle()}
	c := cell{int32(i), look, l.tree.source.Version(i)}
	if text, ok := l.cache[c]; ok {
		return text
	}
	if len(l.cache) > 16*l.height+64 {
		clear(l.cache)
	}
	text := l.inks.Fit(l.tree.source.Draw(i, look), look.Width)
	l.cache[c] = text
	return text
}

// Selected draws a text of width cells as the selected row of what has the focus, behind a marker
// with a mark of one cell: the marker and the first column are one reversed field. What is behind
// it stays as it is, and is not written when the selection moves. Of a row that is typed into, only
// the marker is reversed: one place has the focus.
func (k *Inks) Selected(mark, text string, width int) string {
	text = views.Fit(text, width, "")
	marker := k.Glyphs.Cursor + mark
	if behind, first := strings.CutPrefix(text, theme.CursorMark); first {
		marker, text = marker+theme.CursorMark, behind
	}
	if strings.Contains(text, theme.CursorMark) {
		return k.Cursor.On(marker) + text
	}
	column := firstColumn(ansi.Strip(text))
	return k.Cursor.On(marker+column) + ansi.TruncateLeft(text, ansi.StringWidth(column), "")
}

// maxColumn and maxSpoken bound what a move writes anew of two rows, and what screen readers speak.
const maxColumn, maxSpoken = 40, 5

// firstColumn returns the beginning of a row up to the gap of two blanks behind a name, or up to
// the colon of a key: at most as many words as may be written anew. A number alone is no name.
func firstColumn(row string) (column string) {
	for words := 0; words < maxSpoken && !strings.HasSuffix(column, ":"); words++ {
		rest := row[len(column):]
		word := strings.TrimLeft(rest, " ")
		gap := len(rest) - len(word)
		if word == "" || gap > 1 && strings.ContainsFunc(column, func(c rune) bool { return c == '.' || unicode.IsLetter(c) }) {
			break
		}
		word, _, _ = strings.Cut(word, " ")
		column = row[:len(column)+gap+len(word)]
	}
	return ansi.Truncate(column, maxColumn, "")
}

// ending returns a text in exactly width cells. Of a long one the end is shown, where it is
// typed.
func (k *Inks) ending(text string, width int) string {
	return k.Fit(plain.End(text, width, k.Glyphs.Ellipsis), width)
}

// Ink is a style rendered once: putting it on a text joins strings and measures
// nothing. For styles without padding, margins and borders.
type Ink struct{ before, after string }

// NewInk renders a style.
func NewInk(style lipgloss.Style) Ink {
	const probe = "x"
	before, after, _ := strings.Cut(style.Render(probe), probe)
	return Ink{before, after}
}

// On returns s in the style.
func (k Ink) On(s string) string {
	if s == "" {
		return ""
	}
	return k.before + s + k.after
}

// Inks are the styles of a theme that views draw with, rendered once.
type Inks struct {
	Glyphs theme.Glyphs

	Plain, Strong, Muted, Accent, Heading, Label       Ink
	Cursor, Resting, Caret, TabOn                      Ink
	OK, Warn, Fail, Unknown, Running, Rule, Key, Match Ink

	JSONKey, JSONString, JSONNumber, JSONWord Ink
}

// NewInks renders them.
func NewInks(t *theme.Theme) Inks {
	return Inks{
		Glyphs: t.Glyphs,
		Strong: NewInk(t.Strong), Muted: NewInk(t.Muted), Accent: NewInk(t.Accent),
		Heading: NewInk(t.Heading), Label: NewInk(t.Label),
		Cursor: NewInk(t.Cursor), Resting: NewInk(t.Resting), Caret: NewInk(t.Caret), TabOn: NewInk(t.TabOn),
		OK: NewInk(t.OK), Warn: NewInk(t.Warn), Fail: NewInk(t.Fail),
		Unknown: NewInk(t.Unknown), Running: NewInk(t.Running), Rule: NewInk(t.Rule),
		Key: NewInk(t.Key), Match: NewInk(t.Match),
		JSONKey: NewInk(t.JSONKey), JSONString: NewInk(t.JSONString),
		JSONNumber: NewInk(t.JSONNumber), JSONWord: NewInk(t.JSONWord),
	}
}

// Signed draws a text behind the glyph of a status, both in its style.
func (k *Inks) Signed(s Status, text string) string {
	glyph, ink := k.Mark(s)
	return ink.On(glyph + " " + text)
}

// Line draws a line of width cells.
func (k *Inks) Line(width int) string { return k.Rule.On(strings.Repeat(k.Glyphs.Rule, width)) }

// Bar draws a bar of which so many of its cells are full. That of bubbles rounds, and would be
// full before all is done; it colours each cell by itself, in three times the bytes and allocations.
func (k *Inks) Bar(cells, full int) string {
	full = max(0, min(cells, full))
	return k.Accent.On(strings.Repeat(k.Glyphs.BarOn, full)) + k.Muted.On(strings.Repeat(k.Glyphs.BarOff, cells-full))
}

// Tab draws the name of a list or a panel among others, as [theme.Theme.Tab] does, with a
// style for the one that is shown.
func (k *Inks) Tab(name string, on bool, ink Ink) string {
	if on {
		return "[" + ink.On(name) + "]"
	}
	return " " + k.Muted.On(name) + " "
}

// Status is what the glyph and the colour of a state stand for. The zero value is
// StatusUnknown.
type Status int

// The statuses.
const (
	StatusUnknown Status = iota
	StatusPassed
	StatusWarning
	StatusFailed
	StatusRunning
	StatusSkipped
)

var toneStatus = map[operation.Tone]Status{
	operation.ToneUnknown: StatusUnknown, operation.ToneBad: StatusFailed, operation.ToneWarn: StatusWarning,
	operation.ToneRunning: StatusRunning, operation.ToneGood: StatusPassed,
}

// Tone returns the glyph of a result and its style.
func (k *Inks) Tone(t operation.Tone) (glyph string, ink Ink) { return k.Mark(toneStatus[t]) }

// Mark returns the glyph of a status and its style.
func (k *Inks) Mark(s Status) (glyph string, ink Ink) {
	switch s {
	case StatusPassed:
		return k.Glyphs.Pass, k.OK
	case StatusWarning:
		return k.Glyphs.Warn, k.Warn
	case StatusFailed:
		return k.Glyphs.Fail, k.Fail
	case StatusRunning:
		return k.Glyphs.Running, k.Running
	case StatusSkipped:
		return k.Glyphs.Skipped, k.Muted
	}
	return k.Glyphs.Unknown, k.Unknown
}

// Weight returns the glyph of what a finding weighs and its style.
func (k *Inks) Weight(s finding.Strength) (glyph string, ink Ink) {
	switch s {
	case finding.Block:
		return k.Glyphs.Fail, k.Fail
	case finding.Danger:
		return k.Glyphs.Alert, k.Fail
	case finding.Caution:
		return k.Glyphs.Warn, k.Warn
	case finding.Note:
		return k.Glyphs.Dot, k.Muted
	}
	return k.Glyphs.Unknown, k.Warn
}

// Fit returns text in exactly width cells.
func (k *Inks) Fit(text string, width int) string { return views.Fit(text, width, k.Glyphs.Ellipsis) }

// Block returns lines as exactly height lines of exactly width cells.
func (k *Inks) Block(lines []string, width, height int) string {
	return views.Block(lines, width, height, k.Glyphs.Ellipsis)
}
