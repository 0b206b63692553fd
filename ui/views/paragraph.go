package views

import (
	"strings"

	"github.com/charmbracelet/lipgloss"
)

// wrapped cleans text, breaks it at width cells and gives each line the style.
func wrapped(style lipgloss.Style, text string, width int) []string {
	lines := Wrap(text, width)
	for i, line := range lines {
		lines[i] = style.Render(line)
	}
	return lines
}

func join(lines []string) string { return strings.Join(lines, "\n") }
