package ui

import (
	"fmt"
	"slices"
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
		return views.Keys("the terminal does not report its size (see stty size); {key:interrupt} quits")
	case m.layout.tooSmall():
		return m.layout.tooSmallText(m.env.Theme, m.options.Production)
	}
	text := m.headerLines() + "\n" + m.body() + "\n" + m.footer()
	if m.env.Theme.Options().ASCII {
		return strings.ReplaceAll(text, plain.Ellipsis, m.env.Theme.Glyphs.Ellipsis) // of texts that were cut before they were drawn
	}
	return text
}

// body draws the view, or the dialog in its place.
func (m *Model) body() string {
	width, height := m.layout.body()
	ellipsis := m.env.Theme.Glyphs.Ellipsis
	switch d := m.dialogs.top().(type) {
	case nil:
		return m.router.active().View()
	case *palette:
		lines := strings.Split(theme.WithoutCursor(m.router.active().View()), "\n")
		return views.Block(d.over(lines, width), width, height, ellipsis)
	default:
		lines := make([]string, dialogTop, height)
		for _, line := range strings.Split(d.View(), "\n") {
			lines = append(lines, strings.Repeat(" ", dialogIndent)+line)
		}
		return views.Block(lines, width, height, ellipsis)
	}
}

// footer draws the rule, or a notice in its place, so that nothing moves when one is
// shown; and below it the hints, or the line of the palette.
func (m *Model) footer() string {
	t, width := m.env.Theme, m.layout.width
	m.foot.at(t, width)
	var line string
	switch waiting, kept := m.waiting(), m.keptLine(); {
	case m.notices.shown:
		line = m.notices.line(width)
	case waiting != "":
		line = views.Fit(t.Warn.Render(" "+t.Glyphs.Warn+" "+waiting), width, t.Glyphs.Ellipsis)
	case kept != "":
		line = views.Fit(t.Warn.Render(" "+t.Glyphs.Warn+" "+kept), width, t.Glyphs.Ellipsis)
	default:
		line = m.foot.rule
	}
	if p, ok := m.dialogs.top().(*palette); ok {
		return line + "\n" + p.line(width)
	}
	own, always := m.hints()
	return line + "\n" + m.foot.hints(t, own, always, width)
}

// hints returns the keys of the dialog on top, or of the view, and those that work everywhere.
func (m *Model) hints() (own, always []views.Hint) {
	if d := m.dialogs.top(); d != nil {
		if len(m.keyed()) > 0 {
			always = []views.Hint{{Key: helpKeyName, Text: "keys"}}
		}
		return d.Hints(), always
	}
	v := m.router.active()
	if v.CapturesText() {
		if filtering := v.Hooks().Filtering; filtering == nil || filtering() {
			return rows.TypingHints(), nil
		}
		return footerOf(v), nil
	}
	return m.rest.hintsOf(v), views.Footer(m.own, everywhereFooter...)
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
	text := fmt.Sprintf(views.Keys("too small, needs %dx%d; {key:interrupt} quits"), minWidth, minHeight)
	if production {
		text = t.Production.Render(productionWord) + " " + text
	}
	return views.Block([]string{text}, l.width, l.height, t.Glyphs.Ellipsis)
}

// footer keeps the lines of the footer as they were drawn last: most frames have the same.
type footer struct {
	width       int
	rule        string // the line above the hints
	own, always []views.Hint
	drawn       string
}

// at forgets what was drawn for another width.
func (f *footer) at(t *theme.Theme, width int) {
	if f.width != width {
		*f = footer{width: width, rule: t.RuleOf(width)}
	}
}

// hints returns the keys of this screen. What does not fit is left to the help, whose own key is in
// always and never left out.
func (f *footer) hints(t *theme.Theme, own, always []views.Hint, width int) string {
	if f.drawn == "" || !slices.Equal(f.own, own) || !slices.Equal(f.always, always) {
		f.own, f.always, f.drawn = slices.Clone(own), slices.Clone(always), drawHints(t, own, always, width)
	}
	return f.drawn
}

func drawHints(t *theme.Theme, own, always []views.Hint, width int) string {
	tail := ""
	for _, h := range always {
		tail += drawHint(t, h)
	}
	room := width - lipgloss.Width(tail) // the last hint ends with a space
	drawn := make([]string, len(own))
	for i, h := range own {
		drawn[i] = drawHint(t, h)
	}
	line, n := fitting(drawn, room)
	if n < len(own) { // everybody knows the arrows: another key takes their place where it fits
		var others []string
		for i, h := range own {
			if !h.Moves() || h.Text == views.ScrollHint {
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

func drawHint(t *theme.Theme, h views.Hint) string {
	return " " + t.Key.Render(h.Label(t.Options().ASCII)) + " " + t.Muted.Render(h.Text) + " "
}
