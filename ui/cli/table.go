package cli

import (
	"bufio"
	"strings"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
)

const (
	gap       = 2 // spaces between two columns
	leastCell = 8 // a column is never cut below this
)

// cell is one field of a table.
type cell struct {
	text  string // cleaned when it is drawn
	style lipgloss.Style
}

// words makes a row of cells without a style.
func (l *look) words(texts ...string) []cell {
	row := make([]cell, len(texts))
	for i, text := range texts {
		row[i] = cell{text: text, style: l.theme.Plain}
	}
	return row
}

// printTable prints rows under their headings, aligned.
func (p *program) printTable(headings []string, rows [][]cell) error {
	l := p.appearance()
	head := make([]cell, len(headings))
	for i, text := range headings {
		head[i] = cell{text: text, style: l.theme.Label}
	}
	return p.printRows(append([][]cell{head}, rows...))
}

// printRows prints rows, aligned.
func (p *program) printRows(rows [][]cell) error {
	l := p.appearance()
	for _, row := range rows {
		for i := range row {
			row[i].text = plain.Line(row[i].text)
		}
	}
	widths := l.widths(rows)
	out := bufio.NewWriter(p.Out)
	for _, row := range rows {
		if _, err := out.WriteString(l.line(row, widths) + "\n"); err != nil {
			return err
		}
	}
	return out.Flush()
}

// widths gives every column what its longest cell needs; where the terminal is
// too narrow, the widest columns give way.
func (l *look) widths(rows [][]cell) []int {
	var widths []int
	for _, row := range rows {
		for len(widths) < len(row) {
			widths = append(widths, 0)
		}
		for i, c := range row {
			widths[i] = max(widths[i], ansi.StringWidth(c.text))
		}
	}
	if l.width == 0 {
		return widths
	}
	for {
		total, widest := gap*(len(widths)-1), 0
		for i, w := range widths {
			total += w
			if w > widths[widest] {
				widest = i
			}
		}
		if total <= l.width || widths[widest] <= leastCell {
			return widths
		}
		widths[widest] = max(leastCell, widths[widest]-(total-l.width))
	}
}

func (l *look) line(row []cell, widths []int) string {
	var b strings.Builder
	for i, c := range row {
		text := ansi.Truncate(c.text, widths[i], l.theme.Glyphs.Ellipsis)
		if i == len(row)-1 {
			text = strings.TrimRight(text, " ")
		} else {
			text += strings.Repeat(" ", widths[i]-ansi.StringWidth(text))
		}
		if l.colours {
			text = c.style.Render(text)
		}
		b.WriteString(text)
		if i < len(row)-1 {
			b.WriteString(strings.Repeat(" ", gap))
		}
	}
	return strings.TrimRight(b.String(), " ")
}
