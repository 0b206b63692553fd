package rows

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// Page collects the lines of a text that is read, for a [Pager] or as they are.
type Page struct {
	Inks  *Inks
	Width int
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

// labelWidth is the column of names before values.
const labelWidth = 15

// Fact adds a named value; a long name has a line of its own.
func (p *Page) Fact(name, value string) {
	if value == "" {
		return
	}
	name = plain.Clip(name, p.Width)
	label := p.Inks.Label.On(views.Fit(name, labelWidth, ""))
	if ansi.StringWidth(name) >= labelWidth {
		p.Line(p.Inks.Label.On(name))
		label = strings.Repeat(" ", labelWidth)
	}
	for _, line := range views.Wrap(value, p.Width-labelWidth) {
		p.Line(label + line)
		label = strings.Repeat(" ", labelWidth)
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
