package upgrade

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// page collects lines of a text that is read.
type page struct {
	inks  *inks
	times *views.Times
	width int
	lines []string
}

func (m *Model) newPage(width int) *page {
	return &page{inks: &m.inks, times: m.env.Times, width: max(1, width)}
}

func (p *page) line(s string) { p.lines = append(p.lines, s) }
func (p *page) gap()          { p.lines = append(p.lines, "") }

// text adds foreign text, cleaned and wrapped.
func (p *page) text(ink rows.Ink, s string) { p.indented(ink, "", s) }

// indented adds text below a margin of its own.
func (p *page) indented(ink rows.Ink, margin, s string) {
	if s == "" {
		return
	}
	for _, line := range views.Wrap(s, p.width-ansi.StringWidth(margin)) {
		p.line(margin + ink.On(line))
	}
}

// labelWidth is the column of names before values.
const labelWidth = 15

// fact adds a named value; a long name has a line of its own.
func (p *page) fact(name, value string) {
	if value == "" {
		return
	}
	name = plain.Clip(name, p.width)
	label := p.inks.label.On(views.Fit(name, labelWidth, ""))
	if ansi.StringWidth(name) >= labelWidth {
		p.line(p.inks.label.On(name))
		label = strings.Repeat(" ", labelWidth)
	}
	for _, line := range views.Wrap(value, p.width-labelWidth) {
		p.line(label + line)
		label = strings.Repeat(" ", labelWidth)
	}
}

// signed adds a line that begins with a sign; what follows is wrapped beside it.
func (p *page) signed(glyph string, ink rows.Ink, text string) {
	for i, line := range views.Wrap(text, p.width-2) {
		if i == 0 {
			p.line(ink.On(glyph) + " " + line)
			continue
		}
		p.line("  " + line)
	}
}

// heading adds a heading with air above it.
func (p *page) heading(text string) {
	if len(p.lines) > 0 {
		p.gap()
	}
	p.line(p.inks.heading.On(plain.Clip(text, p.width)))
}
