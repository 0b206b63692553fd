package ui

import (
	"strings"

	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// helpRows are the lines of the help: titles of groups, and below each its commands.
// A sentence that is wrapped has several rows, which a filter finds together.
type helpRows []helpRow

type helpRow struct {
	text  string   // as it is drawn
	finds []string // what a filter looks at
	depth int
}

// Len is the number of lines.
func (h helpRows) Len() int { return len(h) }

// Key is the place of a line.
func (h helpRows) Key(i int) int { return i }

// Depth is 0 for titles.
func (h helpRows) Depth(i int) int { return h[i].depth }

// Version never changes.
func (h helpRows) Version(int) uint64 { return 0 }

// Matches asks for keys, name and sentence.
func (h helpRows) Matches(i int, has func(string) bool) bool {
	for _, text := range h[i].finds {
		if has(text) {
			return true
		}
	}
	return false
}

// Draw draws the line.
func (h helpRows) Draw(i int, _ rows.Look) string { return h[i].text }

func newHelpRows(t *theme.Theme, groups []Group, width int) helpRows {
	var list helpRows
	for i, group := range groups {
		if i > 0 {
			list = append(list, helpRow{depth: 1}) // an empty line
		}
		list = append(list, helpRow{text: t.Heading.Render(group.Title), finds: []string{group.Title}})
		for _, c := range group.Commands {
			list = append(list, commandRows(t, c, width)...)
		}
	}
	return list
}

// The columns of help: keys, then names, then a sentence that may wrap.
const (
	helpKeys  = 12
	helpNames = 22
)

func commandRows(t *theme.Theme, c views.Command, width int) helpRows {
	labels := make([]string, len(c.Keys()))
	for i, key := range c.Keys() {
		labels[i] = views.KeyLabel(key, t.Options().ASCII)
	}
	keys, name := strings.Join(labels, " "), ""
	if c.Name != "" {
		name = ":" + c.Name
	}
	if c.Argument != "" {
		name += " <" + c.Argument + ">"
	}
	head := "  " + t.Key.Render(views.Fit(keys, helpKeys, t.Glyphs.Ellipsis)) + " " +
		t.Muted.Render(views.Fit(name, helpNames, t.Glyphs.Ellipsis)) + " "
	indent := helpKeys + helpNames + 4
	var list helpRows
	for _, line := range views.Wrap(c.Help, max(width-indent, 10)) {
		list = append(list, helpRow{text: head + line, finds: []string{keys, name, c.Help}, depth: 1})
		head = strings.Repeat(" ", indent)
	}
	return list
}
