package progress

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// What a table takes of the screen at most: its cells are foreign text, and the
// tree has all of it.
const (
	mostCell = 40 // cells
	mostRows = 2_000
)

// tableLines draws the table of a message: a line of column names, then the rows.
func tableLines(k *inks, t progress.Table) []string {
	cells := [][]string{clean(t.Columns)}
	for _, row := range t.Rows[:min(len(t.Rows), mostRows)] {
		cells = append(cells, clean(row))
	}
	widths := make([]int, len(t.Columns))
	for _, row := range cells {
		for i := range min(len(row), len(widths)) {
			widths[i] = max(widths[i], ansi.StringWidth(row[i]))
		}
	}
	lines := []string{tableLine(k.Label, cells[0], widths, k.Glyphs.Ellipsis)}
	for _, row := range cells[1:] {
		lines = append(lines, tableLine(rows.Ink{}, row, widths, k.Glyphs.Ellipsis))
	}
	return lines
}

func tableLine(ink rows.Ink, row []string, widths []int, ellipsis string) string {
	var b strings.Builder
	for i, width := range widths {
		cell := ""
		if i < len(row) {
			cell = row[i]
		}
		b.WriteString(ink.On(views.Fit(cell, width, ellipsis)) + "  ")
	}
	return b.String()
}

func clean(row []string) []string {
	out := make([]string, len(row))
	for i, cell := range row {
		out[i] = plain.Clip(cell, mostCell)
	}
	return out
}
