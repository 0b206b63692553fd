package rows

import (
	"cmp"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// Page collects the lines of a text that is read, for a [Pager] or as they are.
type Page struct {
	Inks  *Inks
	Width int
	Names int // the column of names before values; zero for the usual one
	Lines []string
}

// Line adds a line of our own, which may hold styles.
func (p *Page) Line(s string) { p.Lines = append(p.Lines, s) }

// Gap adds an empty line.
func (p *Page) Gap() { p.Line("") }

// Text adds foreign text, cleaned and wrapped.
func (p *Page) Text(ink Ink, s string) { p.Indented(ink, "", s) }

// Indented adds foreign text beside a margin of its own.
func (p *Page) Indented(ink Ink, margin, s string) {
	if s == "" {
		return
	}
	for _, line := range views.Wrap(s, p.Width-ansi.StringWidth(margin)) {
		p.Line(margin + ink.On(line))
	}
}

// usualNames is the column of names before values.
const usualNames = 15

// Fact adds a named value, where there is one.
func (p *Page) Fact(name, value string) {
	if value != "" {
		p.Member(name, value)
	}
}

// Member adds a named value, also an empty one; a long name has a line of its own.
func (p *Page) Member(name, value string) {
	column := cmp.Or(p.Names, usualNames)
	name = plain.Clip(name, max(1, p.Width))
	label := p.Inks.Label.On(views.Fit(name, column, ""))
	if ansi.StringWidth(name) >= column {
		p.Line(p.Inks.Label.On(name))
		label = strings.Repeat(" ", column)
	}
	for _, line := range views.Wrap(value, p.Width-column) {
		p.Line(label + line)
		label = strings.Repeat(" ", column)
	}
}

// Signed adds a text that begins with a sign; what follows is wrapped beside it.
func (p *Page) Signed(glyph string, ink Ink, text string) {
	for i, line := range views.Wrap(text, p.Width-2) {
		if i == 0 {
			p.Line(ink.On(glyph) + " " + line)
			continue
		}
		p.Line("  " + line)
	}
}

// Heading adds a heading with air above it.
func (p *Page) Heading(text string) {
	if len(p.Lines) > 0 {
		p.Gap()
	}
	p.Line(p.Inks.Heading.On(plain.Clip(text, p.Width)))
}

// Key adds a key and what it does.
func (p *Page) Key(key, does string) { p.Line(p.Inks.Key.On(key) + " " + does) }
