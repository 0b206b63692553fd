package help

import (
	"strings"

	"geodeck/ui/cli/output"
)

// How wide the first column gets: below that the columns of several topics are one, and what is wider
// has a line of its own.
const narrowest, widest = 11, 26

// text is the topic for a terminal.
func (t Topic) text(l *output.Renderer) string {
	var parts []string
	for _, p := range t.parts {
		parts = append(parts, p.text(l))
	}
	return t.Title + ":\n" + strings.Join(parts, "\n\n")
}

func (p part) text(l *output.Renderer) string {
	var lines []string
	add := func(first, indent, text string) {
		lines = append(lines, first+strings.Join(l.Wrapped(bare(text), len(indent)), "\n"+indent))
	}
	if p.prose != "" {
		add("", "", p.prose)
	}
	if p.block != "" {
		lines = append(lines, p.block)
	}
	for _, item := range p.list {
		add("- ", "  ", item)
	}
	width := narrowest
	for _, row := range p.rows {
		width = min(max(width, len(bare(row[0]))), widest)
	}
	indent := strings.Repeat(" ", 2+width+output.Gap)
	for _, row := range p.rows {
		word := "  " + bare(row[0])
		if gap := len(indent) - len(word); gap >= output.Gap {
			word += strings.Repeat(" ", gap)
		} else {
			word += "\n" + indent
		}
		add(word, indent, row[1])
	}
	return strings.Join(lines, "\n")
}

// bare is a text without the marks of what is typed.
func bare(text string) string { return strings.ReplaceAll(text, "`", "") }
