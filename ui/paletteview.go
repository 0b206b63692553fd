package ui

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/views"
)

// View draws nothing: the palette lies over the bottom of the view, see over
// and line.
func (p *palette) View() string { return "" }

// over lays the completions over the last lines of the view, the best nearest
// to the line.
func (p *palette) over(lines []string, width int) []string {
	rows := p.rows(min(paletteRows, len(lines)-1), width)
	if len(rows) == 0 {
		return lines
	}
	rule := p.env.Theme.Rule.Render(strings.Repeat(p.env.Theme.Glyphs.Rule, width))
	rows = append([]string{rule}, rows...)
	return append(lines[:max(len(lines)-len(rows), 0)], rows...)
}

// rows draws the completions around the chosen one, from the bottom up.
func (p *palette) rows(most, width int) []string {
	first := max(min(p.at-most/2, len(p.found)-most), 0)
	last := min(first+most, len(p.found))
	var rows []string
	sure := p.sure()
	for i := last - 1; i >= first; i-- {
		rows = append(rows, p.row(p.found[i], i == p.at, sure, width))
	}
	return rows
}

// row draws a completion. The marked one says so where enter does not run it.
func (p *palette) row(c completion, marked, sure bool, width int) string {
	t := p.env.Theme
	marker, style, about := "   ", t.Plain, t.Muted.Render(c.about)
	switch {
	case marked && sure:
		marker, style = " "+t.Cursor.Render(t.Glyphs.Cursor)+" ", t.Selected
	case marked:
		marker, about = " "+t.Muted.Render(t.Glyphs.Cursor)+" ", t.Key.Render("tab")+t.Muted.Render(" takes it  "+c.about)
	}
	names := min(36, width/2)
	return marker + style.Render(views.Fit(c.label, names, t.Glyphs.Ellipsis)) + "  " +
		ansi.Truncate(about, max(width-names-6, 0), t.Glyphs.Ellipsis)
}

// line draws what is typed, and what is wrong with it.
func (p *palette) line(width int) string {
	t := p.env.Theme
	line := t.Accent.Render(":") + p.input.View()
	if p.problem != "" {
		line = t.Accent.Render(":") + t.Plain.Render(p.input.Value()) + "  " + t.Fail.Render(t.Glyphs.Fail+" "+p.problem)
	}
	return views.Fit(line, width, t.Glyphs.Ellipsis)
}
