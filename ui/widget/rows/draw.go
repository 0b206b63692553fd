package rows

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"geodeck/theme"
	"geodeck/ui/views"
)

// markerWidth is what the cursor takes before a row.
const markerWidth = 2

// cell names one drawing of one row.
type cell struct {
	row     int32
	look    Look
	marked  bool
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
	for at := l.top; lines < l.height; at++ {
		if lines > 0 {
			b.WriteByte('\n')
		}
		if at < len(l.visible) {
			b.WriteString(l.row(at))
		} else {
			writeBlank(&b, l.width)
		}
		lines++
	}
	return b.String()
}

// row returns one drawn row with its marker, from the cache where it can.
func (l *List[K]) row(at int) string {
	i := int(l.visible[at])
	look := Look{
		Width:    max(0, l.width-markerWidth),
		Selected: at == l.cursor,
		Parent:   !l.leaf(i),
		Find:     l.search.needle(),
	}
	look.Folded = l.folds(i)
	c := cell{int32(i), look, l.marked(at), l.source.Version(i)}
	if text, ok := l.cache[c]; ok {
		return text
	}
	if len(l.cache) > 16*l.height+64 {
		clear(l.cache)
	}
	marker := l.inks.blank
	switch {
	case look.Selected && l.blurred:
		marker = l.inks.resting
	case look.Selected:
		marker = l.inks.marker
	}
	if c.marked {
		marker += l.inks.marked
	} else {
		marker += l.inks.unmarked
	}
	text := views.Fit(marker+l.source.Draw(i, look), l.width, l.inks.ellipsis)
	l.cache[c] = text
	return text
}

const blanks = "                                                                                "

func writeBlank(b *strings.Builder, n int) {
	for ; n > len(blanks); n -= len(blanks) {
		b.WriteString(blanks)
	}
	b.WriteString(blanks[:n])
}

// Filtering reports whether View begins with the line of the filter and the search.
func (l *List[K]) Filtering() bool {
	return l.height > 1 && (l.filter.used() || l.search.used())
}

// minInput is the least room for the text of a filter next to a note.
const minInput = 12

// headLine draws the filter, the search, and how much they have found.
func (l *List[K]) headLine() string {
	text := ""
	if l.filter.used() {
		text = l.inks.accent.On("/") + l.inks.typed(l.filter.input)
	}
	if l.search.used() {
		if text != "" {
			text += "  "
		}
		text += l.inks.accent.On("find ") + l.inks.typed(l.search.input)
	}
	for _, note := range l.notes() {
		if room := l.width - ansi.StringWidth(note) - 1; room >= minInput {
			return views.Fit(text, room, l.inks.ellipsis) + " " + l.inks.muted.On(note)
		}
	}
	return views.Fit(text, l.width, l.inks.ellipsis)
}

// typed draws a text, with a caret where it is being typed.
func (k *inks) typed(in input) string {
	if in.typing {
		return in.text + k.caret
	}
	return in.text
}

// notes returns the texts for the end of the line, the longest first.
func (l *List[K]) notes() []string {
	found := ""
	if l.filter.used() {
		found = fmt.Sprintf("%d of %d", len(l.visible), l.All())
	}
	if l.search.needle() != "" {
		if found != "" {
			found += l.inks.dots
		}
		found += l.search.note(l.cursor)
	}
	switch {
	case l.Typing() && found != "":
		return []string{found + l.inks.dots + "esc clears", found}
	case l.Typing():
		return []string{"esc clears"}
	}
	return []string{found}
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

	Plain, Strong, Muted, Accent, Heading, Label, Selected Ink
	OK, Warn, Fail, Unknown, Running, Rule, Key, Match     Ink

	JSONKey, JSONString, JSONNumber, JSONWord Ink
}

// NewInks renders them.
func NewInks(t *theme.Theme) Inks {
	return Inks{
		Glyphs: t.Glyphs,
		Strong: NewInk(t.Strong), Muted: NewInk(t.Muted), Accent: NewInk(t.Accent),
		Heading: NewInk(t.Heading), Label: NewInk(t.Label), Selected: NewInk(t.Selected),
		OK: NewInk(t.OK), Warn: NewInk(t.Warn), Fail: NewInk(t.Fail),
		Unknown: NewInk(t.Unknown), Running: NewInk(t.Running), Rule: NewInk(t.Rule),
		Key: NewInk(t.Key), Match: NewInk(t.Match),
		JSONKey: NewInk(t.JSONKey), JSONString: NewInk(t.JSONString),
		JSONNumber: NewInk(t.JSONNumber), JSONWord: NewInk(t.JSONWord),
	}
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

// Fit returns text in exactly width cells.
func (k *Inks) Fit(text string, width int) string { return views.Fit(text, width, k.Glyphs.Ellipsis) }
