package ui

import (
	"slices"

	"github.com/charmbracelet/lipgloss"

	"geodeck/theme"
	"geodeck/ui/views"
)

// drawHints draws the keys of this screen. What does not fit is left to the help,
// whose own key is in always and never left out.
func drawHints(t *theme.Theme, own, always []views.Command, width int) string {
	tail := ""
	for _, c := range always {
		tail += hint(t, c)
	}
	room := width - lipgloss.Width(tail) - 1
	line := ""
	for _, c := range own {
		next := hint(t, c)
		if lipgloss.Width(line)+lipgloss.Width(next) > room {
			break
		}
		line += next
	}
	return views.Fit(line+tail, width, t.Glyphs.Ellipsis)
}

// withHint returns what the footer shows, how to move first; neighbours with the
// same hint share it.
func withHint(commands []views.Command) []views.Command {
	var with []views.Command
	for _, c := range commands {
		if c.Hint() == "" || len(c.Keys()) == 0 {
			continue
		}
		if last := len(with) - 1; last >= 0 && with[last].Hint() == c.Hint() {
			with[last] = with[last].On(c.Hint(), with[last].Keys()[0], c.Keys()[0]) // up and down are one hint
			continue
		}
		with = append(with, c)
	}
	slices.SortStableFunc(with, func(a, b views.Command) int { return arrowsFirst(b) - arrowsFirst(a) })
	return with
}

// arrowsFirst is 1 for a command of the arrow keys.
func arrowsFirst(c views.Command) int {
	if arrows[c.Keys()[0]] {
		return 1
	}
	return 0
}

func hint(t *theme.Theme, c views.Command) string {
	return " " + t.Key.Render(keyText(c.Keys(), t.Options().ASCII)) + " " + t.Muted.Render(c.Hint()) + " "
}

// keyText is a command's key in a hint: the first one, or the arrows together.
func keyText(keys []string, ascii bool) string {
	if len(keys) == 0 {
		return ""
	}
	text := views.KeyLabel(keys[0], ascii)
	if !arrows[keys[0]] {
		return text
	}
	for _, key := range keys[1:] {
		if !arrows[key] {
			break
		}
		if ascii {
			text += "/"
		}
		text += views.KeyLabel(key, ascii)
	}
	return text
}

var arrows = map[string]bool{"up": true, "down": true, "left": true, "right": true}
