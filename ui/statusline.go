package ui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"geodeck/ui/views"
)

// body draws the view, or the dialog in its place.
func (m *Model) body() string {
	width, height := m.layout.body()
	ellipsis := m.env.Theme.Glyphs.Ellipsis
	switch d := m.dialogs.top().(type) {
	case nil:
		return m.viewBody(width, height)
	case *palette:
		lines := strings.Split(m.viewBody(width, height), "\n")
		return views.Block(d.over(lines, width), width, height, ellipsis)
	default:
		lines := make([]string, dialogTop, height)
		for _, line := range strings.Split(d.View(), "\n") {
			lines = append(lines, strings.Repeat(" ", dialogIndent)+line)
		}
		return views.Block(lines, width, height, ellipsis)
	}
}

// viewBody draws the view that is shown. Its size is its own promise.
func (m *Model) viewBody(width, height int) string {
	v := m.router.active()
	if v == nil {
		return views.Block(nil, width, height, "")
	}
	return v.View()
}

// footer draws the rule, or the notice in its place, so that nothing moves when
// one comes; and below it the hints, or the line of the palette.
func (m *Model) footer() string {
	t, width := m.env.Theme, m.layout.width
	line := t.Rule.Render(strings.Repeat(t.Glyphs.Rule, width))
	if m.notices.shown {
		line = m.noticeLine(width)
	}
	if p, ok := m.dialogs.top().(*palette); ok {
		return line + "\n" + p.line(width)
	}
	return line + "\n" + m.hints(width)
}

// hints draws the keys of this screen. What does not fit is left to the help,
// whose own key is never left out.
func (m *Model) hints(width int) string {
	own, always := m.hinted()
	tail := ""
	for _, c := range always {
		tail += m.hint(c)
	}
	room := width - lipgloss.Width(tail) - 1
	line := ""
	for _, c := range own {
		next := m.hint(c)
		if lipgloss.Width(line)+lipgloss.Width(next) > room {
			break
		}
		line += next
	}
	return views.Fit(line+tail, width, m.env.Theme.Glyphs.Ellipsis)
}

// hinted returns the commands of this screen with a hint, and the root's own
// where they work.
func (m *Model) hinted() (own, always []views.Command) {
	if d := m.dialogs.top(); d != nil {
		return d.Hints(), nil
	}
	texting := false
	if v := m.router.active(); v != nil {
		texting = v.CapturesText()
		own = withHint(views.Usable(v.Commands()))
	}
	if texting {
		return own, nil
	}
	for _, g := range globals() {
		always = append(always, g.Command)
	}
	return own, withHint(always)
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
	slices.SortStableFunc(with, func(a, b views.Command) int { return moves(b) - moves(a) })
	return with
}

// moves is 1 for a command of the arrow keys.
func moves(c views.Command) int {
	if arrows[c.Keys()[0]] {
		return 1
	}
	return 0
}

func (m *Model) hint(c views.Command) string {
	t := m.env.Theme
	return " " + t.Key.Render(m.keyText(c.Keys())) + " " + t.Muted.Render(c.Hint()) + " "
}

// keyText is a command's key in a hint: the first one, or the arrows together.
func (m *Model) keyText(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	ascii := m.env.Theme.Options().ASCII
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

// tooSmall is all there is on a terminal that shows too little.
func (m *Model) tooSmall() string {
	text := fmt.Sprintf("too small, needs %dx%d; ctrl+c quits", minWidth, minHeight)
	return views.Block([]string{text}, m.layout.width, m.layout.height, m.env.Theme.Glyphs.Ellipsis)
}
