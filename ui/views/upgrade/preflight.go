package upgrade

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// preflight is the screen of checks.
type preflight struct {
	list *rows.List[string]
	rows *checkRows
}

func newPreflight(t *theme.Theme) preflight {
	return preflight{list: rows.New[string](t), rows: &checkRows{}}
}

// checkRows are the checks, as rows.
type checkRows struct {
	checks []upgrade.PreflightCheck
	acked  []bool
	inks   *inks
}

func (l *checkRows) Len() int                            { return len(l.checks) }
func (l *checkRows) Key(i int) string                    { return l.checks[i].ID }
func (l *checkRows) Depth(int) int                       { return 0 }
func (l *checkRows) Matches(int, func(string) bool) bool { return true }
func (l *checkRows) Version(int) uint64                  { return 0 }
func (l *checkRows) asks(i int) bool                     { return wantsAcknowledging(l.checks[i]) }
func wantsAcknowledging(c upgrade.PreflightCheck) bool {
	return c.State == upgrade.CheckWarning || c.State == upgrade.CheckNotKnown
}

// The columns of the checks, in cells.
const (
	boxWidth   = 4 // "[x] "
	checkWidth = 12
	titleWidth = 36
)

func (l *checkRows) Draw(i int, look rows.Look) string {
	c, k := &l.checks[i], l.inks
	box := "    "
	switch {
	case l.asks(i) && l.acked[i]:
		box = k.OK.On("[x] ")
	case l.asks(i):
		box = k.Warn.On("[ ] ")
	}
	glyph, ink := k.check(c.State)
	title := k.Fit(plain.Line(c.Title), min(titleWidth, max(8, look.Width-boxWidth-checkWidth)))
	if look.Selected {
		title = k.Selected.On(title)
	}
	line := box + ink.On(k.Fit(glyph+" "+c.State.String(), checkWidth)) + title
	if room := look.Width - boxWidth - checkWidth - titleWidth - 1; room >= 12 {
		line += " " + k.Muted.On(plain.Clip(c.Finding, room))
	}
	return line
}

// showChecks lays the checks out again.
func (m *Model) showChecks() {
	f := m.flow
	l := &checkRows{checks: f.checks, acked: make([]bool, len(f.checks)), inks: &m.inks}
	for i, c := range f.checks {
		l.acked[i] = f.acked[c.ID] == essence(c)
	}
	first := f.flight.rows.Len() == 0
	f.flight.rows = l
	f.flight.list.Set(l)
	if first {
		m.nextOpen()
	}
	m.place()
}

// nextOpen moves the cursor to what is in the way, or has to be looked at.
func (m *Model) nextOpen() bool {
	for _, c := range m.flow.checks {
		if c.State == upgrade.CheckBlocking && m.flow.stopped() {
			return m.flow.flight.list.Select(c.ID)
		}
	}
	if open := m.flow.unacknowledged(); len(open) > 0 {
		return m.flow.flight.list.Select(open[0].ID)
	}
	return false
}

// check returns the check under the cursor.
func (m *Model) check() (upgrade.PreflightCheck, bool) {
	i, ok := m.flow.flight.list.Selected()
	if !ok {
		return upgrade.PreflightCheck{}, false
	}
	return m.flow.flight.rows.checks[i], true
}

// acknowledgeCheck takes the warning under the cursor as seen. Elsewhere it
// leads to what is still open: enter alone never runs through the warnings.
func (m *Model) acknowledgeCheck(toggle bool) tea.Cmd {
	c, ok := m.check()
	if !ok {
		return nil
	}
	if inSettings(c) {
		return m.toSettings()
	}
	if wantsAcknowledging(c) {
		m.flow.acknowledge(c, toggle)
		m.showChecks()
		return nil
	}
	if !m.nextOpen() {
		return m.toSettings()
	}
	return nil
}

// toSettings goes on from the pre-flight where nothing is in the way.
func (m *Model) toSettings() tea.Cmd {
	f := m.flow
	switch {
	case f.asking:
		return views.Tell(views.Warning, "The checks are still being made.")
	case f.reading.IsZero():
		return views.Tell(views.Warning, "Nothing has been checked yet: r reads again.")
	case f.stopped():
		m.nextOpen()
		return views.Tell(views.Warning, "Something stops this upgrade; the checks say what to do.")
	case len(f.unacknowledged()) > 0 && !m.onSettings():
		m.nextOpen()
		return views.Tell(views.Warning, plain.Plural(len(f.unacknowledged()), "warning")+" left to acknowledge, one by one: space.")
	case !f.asked:
		return views.Tell(views.Warning, "What the site wants to know could not be read: r reads again.")
	}
	f.step = answering
	return m.openForm()
}

// inSettings tells whether what a check found is put right in the settings.
func inSettings(c upgrade.PreflightCheck) bool {
	return c.State == upgrade.CheckBlocking && (c.ID == upgrade.CheckLicence || c.ID == upgrade.CheckSettings)
}

// onSettings tells whether the cursor is on such a check. The warnings are asked
// for in the review as well: they need not be acknowledged first.
func (m *Model) onSettings() bool {
	c, ok := m.check()
	return ok && inSettings(c)
}

// fromDraft says of a licence that stands in the way that it was filled in before.
func (f *flow) fromDraft(checks []upgrade.PreflightCheck, times *views.Times) []upgrade.PreflightCheck {
	for i, c := range checks {
		if c.ID == upgrade.CheckLicence && inSettings(c) && f.restored != nil {
			whose := "your draft of " + times.Minute(f.restored.Saved)
			if elsewhere(f.restored) {
				whose = "the draft of " + f.restored.Program.Who()
			}
			checks[i].Finding = views.Sentence(c.Finding) + " It was filled in before: it is from " + whose + "."
			checks[i].Do = strings.TrimSpace(c.Do + " enter or n leads to the settings from here.")
		}
	}
	return checks
}

// runHealthCheck leads to the health view; coming back reads the facts again.
func (m *Model) runHealthCheck() tea.Cmd {
	m.flow.returning = true
	return tea.Sequence(
		views.Send(views.Navigate{View: "health", Command: "health.run"}),
		views.Tell(views.Info, "esc or 2 leads back to the pre-flight, which checks again then."))
}

// The lines above the checks, and those kept for what one of them says.
const (
	checkHead   = 2
	ruleAndText = 8
)

// checksHeight shares the body out between the checks and what one of them says.
func (m *Model) checksHeight() int {
	return max(3, min(len(m.flow.checks), m.body().height-checkHead-ruleAndText))
}

func (m *Model) drawPreflight() []string {
	f, k, size := m.flow, &m.inks, m.body()
	lines := []string{m.checksLine(size.width), ""}
	if f.reading.IsZero() {
		what := "Reading what there is to know before the upgrade" + k.Glyphs.Ellipsis
		if !f.asking {
			what = "Nothing could be read. r reads again."
		}
		return append(lines, "  "+k.Muted.On(what))
	}
	lines = append(lines, splitLines(f.flight.list.View())...)
	lines = append(lines, k.Rule.On(ruleOf(k, size.width)))
	p := m.newPage(size.width)
	if c, ok := m.check(); ok {
		p.check(c, f.acked[c.ID] == essence(c))
	}
	return append(lines, p.Lines...)
}

// checksLine says what the checks come to.
func (m *Model) checksLine(width int) string {
	f, k := m.flow, &m.inks
	line := ""
	switch {
	case f.reading.IsZero():
		line = k.Heading.On("Pre-flight")
	case f.stopped():
		line = k.Fail.On(k.Glyphs.Fail + " Something stops this upgrade")
	case len(f.unacknowledged()) > 0:
		line = k.Warn.On(k.Glyphs.Warn + " " + plain.Plural(len(f.unacknowledged()), "warning") + " to acknowledge, one by one")
	case upgrade.Blocked(f.checks):
		line = k.Warn.On(k.Glyphs.Warn+" The settings have to be put right") + k.Muted.On("; n leads there")
	default:
		line = k.OK.On(k.Glyphs.Pass+" Nothing stops this upgrade") + k.Muted.On("; n goes on")
	}
	note := ""
	switch {
	case f.asking:
		note = "reading" + k.Glyphs.Ellipsis
	case !f.reading.IsZero():
		note = "read " + m.env.Times.Clock(f.reading)
	}
	if !f.reading.IsZero() {
		note = strings.TrimSpace(m.moreChecks() + "  " + note)
	}
	return m.inks.Beside(line, note, width)
}

// moreChecks tells that there are more checks than the list has lines for.
func (m *Model) moreChecks() string {
	f := m.flow
	if len(f.checks) <= m.checksHeight() {
		return ""
	}
	return f.flight.list.Position()
}

// check writes one check whole.
func (p *page) check(c upgrade.PreflightCheck, acked bool) {
	glyph, ink := p.signs.check(c.State)
	p.Signed(glyph, ink, `"`+plain.Line(c.Title)+`": `+c.State.String())
	p.Fact("Found", c.Finding)
	p.Fact("What to do", c.Do)
	p.Fact("Why it matters", c.Why)
	if wantsAcknowledging(c) {
		p.Text(p.Inks.Muted, yesNo(acked, "Acknowledged.", "space acknowledges it."))
	}
}
