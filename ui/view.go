package ui

import (
	"fmt"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// View draws the whole screen in exactly its size.
func (m *Model) View() string {
	switch {
	case !m.layout.reported:
		return ""
	case !m.layout.known():
		return "the terminal does not report its size (see stty size); ctrl+c quits"
	case m.layout.tooSmall():
		return m.layout.tooSmallText(m.env.Theme, m.options.Production)
	}
	screen := m.header().View() + "\n" + m.body() + "\n" + m.footer()
	if m.env.Theme.Options().ASCII {
		screen = strings.ReplaceAll(screen, plain.Ellipsis, m.env.Theme.Glyphs.Ellipsis) // of texts that were cut before they were drawn
	}
	return screen
}

// body draws the view, or the dialog in its place.
func (m *Model) body() string {
	width, height := m.layout.body()
	ellipsis := m.env.Theme.Glyphs.Ellipsis
	switch d := m.dialogs.top().(type) {
	case nil:
		return m.viewBody(width, height)
	case *palette:
		lines := strings.Split(theme.WithoutCursor(m.viewBody(width, height)), "\n")
		return views.Block(d.over(lines, width), width, height, ellipsis)
	default:
		lines := make([]string, dialogTop, height)
		for _, line := range strings.Split(d.View(), "\n") {
			lines = append(lines, strings.Repeat(" ", dialogIndent)+line)
		}
		return views.Block(lines, width, height, ellipsis)
	}
}

// viewBody draws the view that is shown, which keeps to its size.
func (m *Model) viewBody(width, height int) string {
	v := m.router.active()
	if v == nil {
		return views.Block(nil, width, height, "")
	}
	return v.View()
}

// footer draws the rule, or a notice in its place, so that nothing moves when one is
// shown; and below it the hints, or the line of the palette.
func (m *Model) footer() string {
	t, width := m.env.Theme, m.layout.width
	line := t.Rule.Render(strings.Repeat(t.Glyphs.Rule, width))
	if waiting := m.waiting(); waiting != "" {
		line = views.Fit(t.Warn.Render(" "+t.Glyphs.Warn+" "+waiting), width, t.Glyphs.Ellipsis)
	}
	if kept := m.keptLine(); kept != "" && m.waiting() == "" {
		line = views.Fit(t.Warn.Render(" "+t.Glyphs.Warn+" "+kept), width, t.Glyphs.Ellipsis)
	}
	if m.notices.shown {
		line = m.notices.line(width)
	}
	if p, ok := m.dialogs.top().(*palette); ok {
		return line + "\n" + p.line(width)
	}
	return line + "\n" + m.hints(width)
}

// hints draws the keys of the dialog on top, or of the view and what works everywhere.
func (m *Model) hints(width int) string {
	if d := m.dialogs.top(); d != nil {
		var always []views.Command
		if len(m.keyed()) > 0 {
			always = []views.Command{{Binding: views.Key("keys", helpKeyName)}}
		}
		return drawHints(m.env.Theme, d.Hints(), always, width)
	}
	v := m.router.active()
	switch {
	case v == nil:
		return drawHints(m.env.Theme, nil, views.Hints(m.commands()), width)
	case v.CapturesText():
		return drawHints(m.env.Theme, arrowsFirst(typingHints(v)), nil, width)
	}
	return drawHints(m.env.Theme, arrowsFirst(m.rest.hintsOf(v)), views.Hints(m.commands()), width)
}

// typingHints are the hints of a view while keys are text.
func typingHints(v views.View) []views.Command {
	if f, ok := v.(views.Filterer); ok && f.Filtering() {
		return rows.TypingHints()
	}
	return views.Hints(v.Commands())
}

// The smallest terminal in which the screens say what they have to.
const (
	minWidth  = 60
	minHeight = 15
)

// The lines of the frame around a view: two of the header, a rule, and at the
// bottom a rule, which carries notices, and the hints.
const (
	headerLines = 3
	footerLines = 2
)

// Dialogs are indented from the edges of the view.
const (
	dialogIndent = 2
	dialogTop    = 1
)

// layout divides the size of the screen.
type layout struct {
	width, height int
	reported      bool // even if width or height is zero
}

// known reports whether the terminal has a size.
func (l layout) known() bool { return l.width > 0 && l.height > 0 }

func (l layout) tooSmall() bool { return l.width < minWidth || l.height < minHeight }

// body is what views get. It never falls below what the smallest terminal
// offers: nothing is drawn there, and no view has to think about it.
func (l layout) body() (width, height int) {
	return max(l.width, minWidth), max(l.height, minHeight) - headerLines - footerLines
}

// dialog is what dialogs get.
func (l layout) dialog() (width, height int) {
	width, height = l.body()
	return width - 2*dialogIndent, height - dialogTop
}

// tooSmallText is drawn instead of everything else on a terminal that is too small.
func (l layout) tooSmallText(t *theme.Theme, production bool) string {
	text := fmt.Sprintf("too small, needs %dx%d; ctrl+c quits", minWidth, minHeight)
	if production {
		text = t.Production.Render(productionWord) + " " + text
	}
	return views.Block([]string{text}, l.width, l.height, t.Glyphs.Ellipsis)
}

// drawHints draws the keys of this screen. What does not fit is left to the help,
// whose own key is in always and never left out.
func drawHints(t *theme.Theme, own, always []views.Command, width int) string {
	tail := ""
	for i := range always {
		tail += hint(t, &always[i])
	}
	room := width - lipgloss.Width(tail) // the last hint ends with a space
	drawn := make([]string, len(own))
	for i := range own {
		drawn[i] = hint(t, &own[i])
	}
	line, n := fitting(drawn, room)
	if n < len(own) { // everybody knows the arrows: another key takes their place where it fits
		var others []string
		for i := range own {
			if !moves(&own[i]) || own[i].Hint() == views.ScrollHint {
				others = append(others, drawn[i])
			}
		}
		if other, m := fitting(others, room); m >= n {
			line = other
		}
	}
	return views.Fit(line+tail, width, t.Glyphs.Ellipsis)
}

// fitting joins the first hints that fit, and returns how many these are.
func fitting(drawn []string, room int) (line string, n int) {
	for _, next := range drawn {
		if room -= lipgloss.Width(next); room < 0 {
			break
		}
		line, n = line+next, n+1
	}
	return line, n
}

// moves reports whether the first key of a row is an arrow.
func moves(c *views.Command) bool {
	keys := c.Binding.Keys()
	return len(keys) > 0 && arrows[keys[0]]
}

// arrowsFirst puts how to move before the other hints.
func arrowsFirst(hints []views.Command) []views.Command {
	sorted := make([]views.Command, 0, len(hints))
	for _, first := range []bool{true, false} {
		for i := range hints {
			if moves(&hints[i]) == first {
				sorted = append(sorted, hints[i])
			}
		}
	}
	return sorted
}

func hint(t *theme.Theme, c *views.Command) string {
	return " " + t.Key.Render(keyText(c.Binding.Keys(), t.Options().ASCII)) + " " + t.Muted.Render(c.Hint()) + " "
}

// keyText is a command's key in a hint: the first one, or the arrows together.
func keyText(keys []string, ascii bool) string {
	if len(keys) == 0 {
		return ""
	}
	label := views.KeyLabel(keys[0], ascii)
	if !arrows[keys[0]] {
		return label
	}
	for _, key := range keys[1:] {
		if !arrows[key] {
			break
		}
		if ascii {
			label += "/"
		}
		label += views.KeyLabel(key, ascii)
	}
	return label
}

var arrows = map[string]bool{"up": true, "down": true, "left": true, "right": true}
