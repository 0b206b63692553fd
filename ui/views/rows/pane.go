package rows

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/ui/views"
)

// indent is the blank under the cursor's marker: what stands in place of rows is
// in line with their text.
var indent = strings.Repeat(" ", markerWidth)

// Beside draws a text with a note at the right end of a line of width cells; a
// note without room is left out.
func (k *Inks) Beside(text, note string, width int) string {
	room := width - ansi.StringWidth(text) - ansi.StringWidth(note)
	if note == "" || room < 2 {
		return text
	}
	return text + strings.Repeat(" ", room) + k.Muted.On(note)
}

// Pane returns a heading, a blank line and a body below it as height lines of
// exactly width cells.
func (k *Inks) Pane(head, body string, width, height int) []string {
	lines := append([]string{head, ""}, strings.Split(body, "\n")...)
	return strings.Split(views.Block(lines, width, height, k.Glyphs.Ellipsis), "\n")
}

// Divider is what stands between two panes, with air around it.
func (k *Inks) Divider() string { return " " + k.Rule.On(k.Glyphs.Divider) + " " }

// Columns joins the lines of two panes of one height.
func (k *Inks) Columns(left, right []string) []string {
	divider := k.Divider()
	for i := range left {
		left[i] += divider + right[i]
	}
	return left
}

// Says draws sentences where rows would stand, in exactly the size of a list.
func (k *Inks) Says(sentences []string, width, height int) string {
	var lines []string
	for _, s := range sentences {
		for _, line := range views.Wrap(s, width-markerWidth-1) {
			lines = append(lines, indent+k.Muted.On(line))
		}
	}
	return views.Block(lines, width, height, k.Glyphs.Ellipsis)
}
