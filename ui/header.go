package ui

import (
	"strings"
	"time"

	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// clockTolerance is how far the server's clock may be off before it is said.
const clockTolerance = 5 * time.Second

// chip is a short fact in the header; the zero one is not shown.
type chip struct {
	text  string
	style lipgloss.Style
}

// chips are what wants attention, the loudest last, where the eye looks first.
func chips() []func(*Model) chip {
	return []func(*Model) chip{clockChip, silentChip, writesChip, modeChip, keptChip, upgradeChip, reachChip}
}

func clockChip(m *Model) chip {
	ahead := m.site.ahead
	switch {
	case ahead > clockTolerance:
		return m.alert("server clock " + adminapi.Took(ahead) + " ahead")
	case ahead < -clockTolerance:
		return m.alert("server clock " + adminapi.Took(-ahead) + " behind")
	}
	return chip{}
}

func writesChip(m *Model) chip {
	if m.env.Offline || !m.env.Site.Client.ReadOnly() && m.options.Unrecorded == nil {
		return chip{}
	}
	return chip{"no writes", m.env.Theme.Accent}
}

func modeChip(m *Model) chip {
	if !m.site.overview.Mode.ReadOnly {
		return chip{}
	}
	return m.alert("READ-ONLY MODE")
}

func reachChip(m *Model) chip {
	if m.site.err == nil {
		return chip{}
	}
	kind, _ := adminapi.KindOf(m.site.err)
	switch kind {
	case adminapi.KindUnreachable:
		return m.alert("site not reachable")
	case adminapi.KindSignIn:
		return chip{} // the user's place says it
	}
	return m.alert("site not read: " + kind.String())
}

func (m *Model) alert(text string) chip {
	return chip{m.env.Theme.Glyphs.Alert + " " + text, m.env.Theme.Warn}
}

// header draws the site and the user, the tabs, and a rule with the way into
// the view.
func (m *Model) header() string {
	width := m.layout.width
	return m.siteLine(width) + "\n" + m.tabLine(width) + "\n" + m.pathLine(width)
}

func (m *Model) siteLine(width int) string {
	t := m.env.Theme
	left := " " + t.Brand.Render("geodeck") + "  " + m.siteName()
	facts := m.facts()
	right := m.joined(facts)
	for len(facts) > 0 && lipgloss.Width(left)+lipgloss.Width(right)+3 > width {
		facts = facts[1:] // the least important comes first
		right = m.joined(facts)
	}
	return spread(left, right, width, t.Glyphs.Ellipsis)
}

func (m *Model) siteName() string {
	t := m.env.Theme
	if m.env.Offline {
		return t.Warn.Render("offline") + t.Muted.Render(" "+t.Glyphs.Dot+" saved files only")
	}
	host := plain.Line(m.env.Site.Client.Base().Host)
	if name := plain.Line(m.options.Name); name != "" && name != m.env.Site.Client.Base().Hostname() {
		return t.Strong.Render(name) + t.Muted.Render(" "+t.Glyphs.Dot+" ") + host
	}
	return t.Strong.Render(host)
}

// facts are the right side of the first line, what is given up first first.
func (m *Model) facts() []string {
	t := m.env.Theme
	var facts []string
	if version := plain.Line(m.site.overview.Root.FullVersion); version != "" {
		facts = append(facts, t.Muted.Render(version))
	}
	if user := m.userFact(); user != "" {
		facts = append(facts, user)
	}
	for _, c := range chips() {
		if c := c(m); c.text != "" {
			facts = append(facts, c.style.Render(c.text))
		}
	}
	return facts
}

func (m *Model) joined(facts []string) string {
	return strings.Join(facts, m.env.Theme.Muted.Render(" "+m.env.Theme.Glyphs.Dot+" ")) + " "
}

// userFact says who is signed in, and until when.
func (m *Model) userFact() string {
	if m.env.Offline {
		return ""
	}
	t, token := m.env.Theme, m.env.Site.Client.Token()
	if m.signedOff() {
		return t.Warn.Render("not signed in")
	}
	user := plain.Clip(m.site.overview.Self.Username, 24)
	if user == "" {
		user = "signed in"
	}
	if token.Expires.IsZero() {
		return user
	}
	return user + m.until(token.Expires.Time())
}

// until says when the sign-in ends, with the day where it is not this one.
func (m *Model) until(end time.Time) string {
	times := m.env.Times
	left, layout := end.Sub(times.Now()), "15:04"
	if left > 20*time.Hour {
		layout = "01-02 15:04"
	}
	switch {
	case left <= 0:
		return m.env.Theme.Warn.Render(" (sign-in has ended)")
	case times.Mode == views.RelativeTime:
		return " for " + strings.TrimPrefix(views.Ago(-left), "in ")
	case times.Mode == views.UTCTime:
		return " until " + end.UTC().Format(layout) + "Z"
	}
	return " until " + end.In(times.Local).Format(layout)
}

// tabLine draws the tabs, and how fresh the screen is.
func (m *Model) tabLine(width int) string {
	t := m.env.Theme
	tabs := make([]string, len(m.router.makers))
	for i, maker := range m.router.makers {
		style := t.TabOff
		if maker.ID == m.router.shown {
			style = t.TabOn
		}
		tabs[i] = style.Render(maker.Title)
	}
	left := " " + strings.Join(tabs, "   ")
	return spread(left, m.freshness(width-lipgloss.Width(left)-2), width, t.Glyphs.Ellipsis)
}

// freshness says how the data on the screen stands. Where the tabs leave too
// little room it gives up what goes on, when it was read, and at last says it
// shortly.
func (m *Model) freshness(room int) string {
	var status views.Status
	if v := m.router.active(); v != nil {
		status = v.Status()
	}
	demo := "DEMO: simulated platform"
	text := m.freshnessOf(demo, status)
	for _, give := range []func(){
		func() { status.Busy = "" },
		func() { status.Updated = time.Time{} },
		func() { demo = "DEMO" },
		func() { status.Away = shortly(status.Away) },
	} {
		if lipgloss.Width(text) <= room {
			return text
		}
		give()
		text = m.freshnessOf(demo, status)
	}
	if lipgloss.Width(text) > room {
		return ""
	}
	return text
}

// shortly leaves out when the site is asked again.
func shortly(a *views.Away) *views.Away {
	if a == nil {
		return nil
	}
	return &views.Away{Since: a.Since, Err: a.Err}
}

func (m *Model) freshnessOf(demo string, status views.Status) string {
	var parts []string
	if m.options.Demo {
		parts = append(parts, m.env.Theme.Demo.Render(demo))
	}
	return strings.Join(append(parts, m.statusParts(status)...), "  ") + " "
}

func (m *Model) statusParts(s views.Status) []string {
	t, times := m.env.Theme, m.env.Times
	var parts []string
	if s.Busy != "" {
		parts = append(parts, t.Running.Render(t.Glyphs.Running+" "+plain.Clip(s.Busy, 40)))
	}
	if s.Away != nil {
		parts = append(parts, t.Warn.Render(m.away(*s.Away)))
	}
	if !s.Updated.IsZero() {
		parts = append(parts, t.Muted.Render("read ")+times.Here(s.Updated))
	}
	return parts
}

func (m *Model) away(a views.Away) string {
	now := m.env.Times.Now()
	text := m.env.Theme.Glyphs.Warn + " " + a.What() + " for " + span(now.Sub(a.Since))
	if a.Next.After(now) {
		text += ", asking in " + span(a.Next.Sub(now))
	}
	return text
}

// span writes an age in whole seconds: a tenth would change with every frame.
func span(d time.Duration) string {
	return strings.Replace(adminapi.Took(max(d, 0).Truncate(time.Second)), ".0 s", " s", 1)
}

// pathLine is a rule that carries where in the view the user is.
func (m *Model) pathLine(width int) string {
	t := m.env.Theme
	v := m.router.active()
	if v == nil || len(v.Status().Path) == 0 {
		return t.Rule.Render(strings.Repeat(t.Glyphs.Rule, width))
	}
	parts := v.Status().Path
	path := make([]string, len(parts))
	for i, part := range parts {
		path[i] = plain.Line(part)
	}
	text := ansi.Truncate(strings.Join(path, " "+t.Glyphs.Cursor+" "), max(width-6, 0), t.Glyphs.Ellipsis)
	rest := max(width-3-ansi.StringWidth(text)-1, 0)
	return t.Rule.Render(strings.Repeat(t.Glyphs.Rule, 2)) + " " + t.Muted.Render(text) + " " +
		t.Rule.Render(strings.Repeat(t.Glyphs.Rule, rest))
}

// spread puts left and right at the edges of a line; left gives way.
func spread(left, right string, width int, ellipsis string) string {
	room := width - lipgloss.Width(right)
	if room < 1 {
		return views.Fit(right, width, ellipsis)
	}
	return views.Fit(left, room, ellipsis) + right
}
