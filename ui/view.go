package ui

import (
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"

	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/header"
	"geodeck/ui/views"
)

// View draws the whole screen in exactly its size.
func (m *Model) View() string {
	switch {
	case !m.screen.layout.reported:
		return ""
	case !m.screen.layout.known():
		return views.Keys("the terminal does not report its size (see stty size); {key:interrupt} quits")
	case m.screen.layout.tooSmall():
		return m.screen.layout.tooSmallText(m.env.Theme, m.options.Production)
	}
	text := m.headed.Lines(m.header(), m.pace.Now().Unix()) + "\n" + m.screen.body() + "\n" + m.footer()
	if m.env.Theme.Options().ASCII {
		return strings.ReplaceAll(text, plain.Ellipsis, m.env.Theme.Glyphs.Ellipsis) // of texts that were cut before they were drawn
	}
	return text
}

// header is what the first lines are drawn from.
func (m *Model) header() *header.Header {
	router := &m.screen.router
	h := &header.Header{
		Env: m.env, Name: m.options.Name, Production: m.options.Production, Width: m.screen.layout.width, Unrecorded: m.unrecorded != nil,
		Silent: m.watch.alarms.silent(), SignedOff: m.session.signedOff(), Ended: m.site.ended(), Tabs: router.makers, Shown: router.shown, Down: m.site.down, Working: router.working(),
	}
	for id, v := range router.started() {
		status := v.Status()
		if status.Down.Known() {
			h.Down = status.Down
		}
		if id == router.shown {
			h.Status = status
		} else if h.Elsewhere == "" {
			h.Elsewhere = status.Busy
		}
	}
	if d := m.screen.dialogs.top(); d != nil && d.Hooks().Read != nil {
		if at := d.Hooks().Read(); at.After(h.Status.Updated) { // what is older says so itself
			h.Status.Updated = at
		}
	}
	if h.Elsewhere == h.Working {
		h.Elsewhere = "" // once is enough
	}
	return h
}

// footer draws the rule, or a notice in its place, so that nothing moves when one is
// shown; and below it the hints, or the line of the palette.
func (m *Model) footer() string {
	t, width := m.env.Theme, m.screen.layout.width
	m.foot.at(t, width)
	var line string
	switch waiting, kept := m.session.waiting(m.screen.dialogs.topID(), m.screen.router.shown, m.screen.router.active().CapturesText(), width), m.screen.keptLine(); {
	case m.notices.shown:
		line = m.notices.line(width)
	case waiting != "":
		line = views.Fit(t.Warn.Render(" "+t.Glyphs.Warn+" "+waiting), width, t.Glyphs.Ellipsis)
	case kept != "":
		line = views.Fit(t.Warn.Render(" "+t.Glyphs.Warn+" "+kept), width, t.Glyphs.Ellipsis)
	default:
		line = m.foot.rule
	}
	if d := m.screen.dialogs.top(); d != nil && d.Hooks().Line != nil {
		return line + "\n" + d.Hooks().Line(width)
	}
	own, always := m.screen.hints(m.own)
	return line + "\n" + m.foot.hints(t, own, always, width)
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
