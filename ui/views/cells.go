package views

import (
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// Fit returns s in exactly width cells: cut with an ellipsis, or padded with
// spaces. s may hold styles.
func Fit(s string, width int, ellipsis string) string {
	if width <= 0 {
		return ""
	}
	have := ansi.StringWidth(s)
	if have > width {
		s = ansi.Truncate(s, width, ellipsis)
		have = ansi.StringWidth(s)
	}
	return s + strings.Repeat(" ", max(0, width-have))
}

// Block returns lines as exactly height lines of exactly width cells.
func Block(lines []string, width, height int, ellipsis string) string {
	var b strings.Builder
	for i := range height {
		if i > 0 {
			b.WriteByte('\n')
		}
		line := ""
		if i < len(lines) {
			line = lines[i]
		}
		b.WriteString(Fit(line, width, ellipsis))
	}
	return b.String()
}
