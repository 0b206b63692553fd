package upgrade

import (
	"slices"
	"strings"

	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// The lines above the checks, and those for the check under the cursor.
const (
	checkHead   = 1
	ruleAndText = 7
	roomyHeight = 22 // from which a blank line is above the checks
)

// SetSize gives the step its cells.
func (p *preflight) SetSize(width, height int) {
	p.base.SetSize(width, height)
	p.place()
}

// place divides the lines between the checks and what is told below them.
func (p *preflight) place() {
	p.list.SetSize(p.Width, p.listHeight())
	p.tell()
}

func (p *preflight) listHeight() int {
	return max(3, min(len(p.change.checks), p.Height-checkHead-ruleAndText))
}

// tell lays out what is below the checks: the one under the cursor, and where there is room what the
// upgrade does.
func (p *preflight) tell() {
	k := p.inks
	page := &rows.Page{Inks: k, Width: p.Width, Names: 8}
	page.Line(k.Line(p.Width))
	if i := slices.IndexFunc(p.rows.checks, func(c finding.Finding) bool { return c.ID == p.shown }); i >= 0 {
		c := p.rows.checks[i]
		page.Status(statusOf(c), c.Title+": "+stateOf(c)+yesNo(p.change.Has(c), ", accepted", "")+yesNo(p.change.Changed(c), ", no longer what you accepted", ""))
		page.Fact("Found", below(c))
		page.Fact("Next", c.Do)
		page.Fact("Why", c.Why)
	}
	room := p.Height - p.above() - p.listHeight() - len(page.Lines)
	p.told = append(page.Lines, p.change.below(k, p.Width, room)...)
}

// above is how many lines are above the checks.
func (p *preflight) above() int {
	if p.Height >= roomyHeight {
		return checkHead + 1
	}
	return checkHead
}

// View draws the checks, and what is told below them.
func (p *preflight) View() string {
	k := p.inks
	lines := make([]string, p.above(), p.Height+p.above())
	lines[0] = p.headline()
	switch {
	case p.change.checked.IsZero() && p.change.loading:
		lines = append(lines, "  "+k.Muted.On("Checking the site"+k.Glyphs.Ellipsis))
	case p.change.checked.IsZero():
		lines = append(lines, "  "+k.Muted.On(views.Keys("Nothing could be read. Press {key:upgrade.check-again} to check again.")))
	default:
		lines = append(append(lines, strings.Split(p.list.View(), "\n")...), p.told...)
	}
	return k.Block(lines, p.Width, p.Height)
}

// headline sums up the checks.
func (p *preflight) headline() string {
	c, k := p.change, p.inks
	if c.checked.IsZero() {
		return k.Beside(k.Heading.On("Pre-flight"), yesNo(p.change.loading, "checking"+k.Glyphs.Ellipsis, ""), p.Width)
	}
	line, accepted := "", finding.Count(finding.Those(c.checks, finding.Finding.Open))
	switch {
	case c.stopped():
		line = k.Signed(rows.StatusFailed, c.blockedWords())
	case len(c.left()) > 0:
		line = k.Signed(rows.StatusWarning, finding.Count(c.left())+" to accept")
	case finding.Blocked(c.checks):
		line = k.Signed(rows.StatusWarning, "The settings need correcting.") + k.Muted.On(views.Keys(" Press {key:upgrade.next} to open them."))
	case accepted != "":
		line = k.Signed(rows.StatusWarning, accepted+" accepted; nothing else is in the way.")
	default:
		line = k.Signed(rows.StatusPassed, "Nothing is in the way of this "+c.kind().Noun()+".")
	}
	note := "updated " + p.Env.Times.Clock(c.checked)
	if p.change.loading {
		note = "checking" + k.Glyphs.Ellipsis
	}
	if len(c.checks) > p.listHeight() {
		note = strings.TrimSpace(p.list.Position() + "  " + note)
	}
	return k.Beside(line, note, p.Width)
}

// checkRows are the checks, as rows.
type checkRows struct {
	rows.Flat
	checks   []finding.Finding
	accepted []bool
	changed  []bool // it is no longer what was accepted
	inks     *rows.Inks
}

func (l *checkRows) Len() int                            { return len(l.checks) }
func (l *checkRows) Key(i int) string                    { return l.checks[i].ID }
func (l *checkRows) Matches(int, func(string) bool) bool { return true }

// The columns of the checks, in cells.
const (
	boxWidth   = 4 // "[x] "
	checkWidth = 12
	titleWidth = 17
)

func (l *checkRows) Draw(i int, look rows.Look) string {
	c, k := l.checks[i], l.inks
	box := "    "
	switch {
	case c.Open() && l.accepted[i]:
		box = k.OK.On("[x] ")
	case c.Open():
		box = k.Warn.On("[ ] ")
	}
	glyph, ink := k.Mark(statusOf(c))
	title := k.Fit(plain.Line(c.Title), min(titleWidth, max(8, look.Width-boxWidth-checkWidth)))
	line := box + ink.On(k.Fit(glyph+" "+c.State(), checkWidth)) + title
	if room := look.Width - boxWidth - checkWidth - titleWidth; room >= 12 {
		line += k.Muted.On(plain.Clip(yesNo(l.changed[i], "no longer what you accepted. ", "")+below(c), room))
	}
	return line
}

// below is the finding of a check beside or below its title, which it does not say again.
func below(c finding.Finding) string {
	if rest, again := strings.CutPrefix(c.Text, c.Title+" is "); again {
		return plain.Capital(rest)
	}
	return c.Text
}

// checkStatus is how checks are drawn: one whose word is typed as what failed.
var checkStatus = map[finding.Strength]rows.Status{
	finding.Passed: rows.StatusPassed, finding.Caution: rows.StatusWarning,
	finding.Danger: rows.StatusFailed, finding.Block: rows.StatusFailed, finding.Later: rows.StatusSkipped, finding.Note: rows.StatusSkipped,
}

// statusOf is how a check is drawn.
func statusOf(c finding.Finding) rows.Status {
	if c.Unread {
		return rows.StatusUnknown
	}
	return checkStatus[c.Strength]
}

// stateOf says how a check has ended, and what that weighs.
func stateOf(c finding.Finding) string {
	if c.Unread {
		return c.State() + ", weighs like a " + c.Strength.String()
	}
	return c.State()
}
