package upgrade

import (
	"context"
	"errors"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// preflight is the step with the checks before an upgrade.
type preflight struct {
	base
	host      stepHost
	change    *change
	draft     *draft
	list      *rows.List[string]
	rows      *checkRows
	loading   bool   // the facts are being read
	returning bool   // the user went to another view to change a fact
	seen      string // the check whose text was on the screen while no key came; "" for none
}

func newPreflight(b base, host stepHost, c *change, d *draft) *preflight {
	p := &preflight{base: b, host: host, change: c, draft: d, list: rows.New[string](b.Env.Theme), rows: &checkRows{}}
	p.list.SetFocused(true)
	return p
}

// Commands returns the rows of the checks.
func (p *preflight) Commands() []views.Command {
	runs := func() bool { return progress.Runs(p.change.facts.Status.Value) }
	list := []views.Command{
		pressedAlone(acknowledge(func() tea.Cmd { return p.acknowledge(true) })),
		goOn(p.toSettings),
		{ID: "upgrade.check-again", Binding: views.Key("check again", "r"), Name: "check again", Group: flowGroup, Run: views.Do(p.read),
			Help: "Make all checks of the pre-flight again."},
		{ID: "upgrade.health", Binding: views.Key("health check", "c"), Name: "run health check first", Group: flowGroup, Run: views.Do(p.runHealthCheck),
			Help: "Run a health check; coming back makes the checks again."},
		goBack(p.back),
		pressedAlone(goIn(func() tea.Cmd { return p.acknowledge(false) })).Quiet(),
		refresh(p.read),
	}
	list = append(list, views.When(runs, []views.Command{watch(p.host.watch)})...)
	return append(list, p.list.Moves()...)
}

// factsRead is the result of reading the facts.
type factsRead struct {
	target      string
	offer       operation.Offer
	offerErr    error
	settings    adminapi.UpgradeSettings
	settingsErr error
	facts       upgrade.Facts
	draft       *loadedDraft
}

// freshOffer is the age up to which an offer is not read again for the checks.
const freshOffer = time.Minute

// read reads all facts for the checks, and the first time the draft.
func (p *preflight) read() tea.Cmd {
	p.loading = true
	site, ask, offer, withDraft := p.Env.Site, p.change.ask, p.change.offer, !p.draft.loaded
	ask.ToAnswer = true
	fresh := p.change.checked.IsZero() && p.Env.Clock.Now().Sub(p.change.offered) < freshOffer
	return p.Scope.Do("facts", func(ctx context.Context) tea.Msg {
		r := factsRead{target: ask.Target.ID, offer: offer}
		if withDraft {
			r.draft = loadDraft(site, ask.Target.ID)
			r.draft.into(&ask)
		}
		r.read(ctx, site, ask, fresh)
		return r
	})
}

// read reads the offer and the facts; of a fresh offer, only whether an upgrade has begun
// since. While an upgrade runs, nothing else is read.
func (r *factsRead) read(ctx context.Context, site operation.Site, ask operation.UpgradeRequest, fresh bool) {
	status, runs := adminapi.UpgradeStatus{}, false
	if fresh {
		var err error
		status, err = site.Client.UpgradeStatus(ctx)
		runs = err == nil && progress.Runs(status)
	} else if offer, err := site.Offers(ctx); err != nil {
		r.offerErr = err
	} else if runs = offer.Running(); runs {
		status = offer.Status
	} else {
		r.offer = offer
	}
	if runs {
		r.facts, r.settingsErr = upgrade.FactsWhileRunning(ask.Target, r.offer.Installed, status), operation.ErrUpgradeRuns
		return
	}
	if r.settings, r.settingsErr = site.UpgradeSettings(ctx, ask.Target); r.settingsErr == nil {
		ask.Settings = r.settings
	}
	r.facts = site.UpgradeFacts(ctx, r.offer, ask)
	if r.settingsErr != nil {
		r.facts.Settings = upgrade.Fact[adminapi.UpgradeSettings]{Err: r.settingsErr}
	}
}

// take checks the facts, with the answers of the draft.
func (p *preflight) take(r factsRead) tea.Cmd {
	c := p.change
	if c.ask.Target.ID != r.target {
		return nil
	}
	p.loading = false
	for _, err := range []error{r.facts.Status.Err, r.settingsErr, r.offerErr} {
		if errors.Is(err, adminapi.KindSignIn) {
			return p.Scope.RetryAfterSignIn(err, "facts", p.read)
		}
	}
	c.facts, c.checked, c.offer = r.facts, p.Env.Clock.Now(), r.offer
	restored := p.draft.take(r.draft)
	if r.settingsErr == nil {
		c.takeSettings(r.settings)
	}
	c.runChecks(p.Env.Times)
	p.show()
	return restored
}

// focus reads the facts again after a health check in its view.
func (p *preflight) focus() tea.Cmd {
	if !p.returning {
		return nil
	}
	p.returning = false
	delete(p.change.acknowledged, upgrade.CheckHealth) // another report is another finding
	return p.read()
}

// runHealthCheck goes to the health view. Coming back reads the facts again.
func (p *preflight) runHealthCheck() tea.Cmd {
	p.returning = true
	return views.Sequence(
		views.Send(views.Navigate{View: "health", Command: "health.run"}),
		views.Tell(views.Info, "esc or 2 leads back to the pre-flight, which checks again then."))
}

// show makes the rows of the checks.
func (p *preflight) show() {
	first := p.rows.Len() == 0
	p.rows = &checkRows{checks: p.change.checks, inks: p.inks}
	for _, c := range p.rows.checks {
		p.rows.accepted = append(p.rows.accepted, p.change.accepted(c))
	}
	p.list.Set(p.rows)
	if first {
		p.nextOpen()
		p.rested()
	}
	p.place()
}

// rested shows the text of the check under the cursor: from now on it can be acknowledged.
func (p *preflight) rested() {
	p.list.Rest()
	p.seen, _ = p.list.Key()
}

// nextOpen moves the cursor to a check that blocks, or to a warning that is left to
// acknowledge, and reports whether there is one.
func (p *preflight) nextOpen() bool {
	if p.change.stopped() {
		for _, c := range p.change.checks {
			if c.State == upgrade.CheckBlocking {
				return p.list.Select(c.ID)
			}
		}
	}
	if open := p.change.unacknowledged(); len(open) > 0 {
		return p.list.Select(open[0].ID)
	}
	return false
}

// selected returns the check under the cursor.
func (p *preflight) selected() (upgrade.PreflightCheck, bool) {
	i, ok := p.list.Selected()
	if !ok {
		return upgrade.PreflightCheck{}, false
	}
	return p.rows.checks[i], true
}

// acknowledge acknowledges the warning under the cursor, once its text was to be read: a key
// that is held, or typed ahead, acknowledges nothing unread. From another check it goes to
// the next warning, so that enter alone never acknowledges all.
func (p *preflight) acknowledge(toggle bool) tea.Cmd {
	c, ok := p.selected()
	switch {
	case !ok:
		return nil
	case c.NeedsAcknowledging() && !p.change.accepted(c) && c.ID != p.seen:
		p.list.Rest()
		return views.Tell(views.Warning, "Read the warning, then press the key again.")
	case c.NeedsAcknowledging():
		p.change.acknowledge(c, toggle)
		p.show()
		return nil
	case inSettings(c) || !p.nextOpen():
		return p.toSettings()
	}
	return nil
}

// toSettings opens the settings unless a check stops it. From a check that blocks because
// of the settings, warnings need not be acknowledged first: the review demands it too.
func (p *preflight) toSettings() tea.Cmd {
	c := p.change
	check, ok := p.selected()
	open := len(c.unacknowledged())
	switch {
	case p.loading:
		return views.Tell(views.Warning, "The checks are still being made.")
	case c.checked.IsZero():
		return views.Tell(views.Warning, "Nothing has been checked yet: r checks again.")
	case c.stopped():
		p.nextOpen()
		return views.Tell(views.Warning, "Something stops this upgrade; the checks say what to do.")
	case open > 0 && !(ok && inSettings(check)):
		p.nextOpen()
		return views.Tell(views.Warning, c.openWords()+" left to acknowledge, one by one: space.")
	case !c.settingsRead:
		return views.Tell(views.Warning, "What the site wants to know could not be read: r checks again.")
	}
	return p.host.open(answering)
}

func (p *preflight) back() tea.Cmd {
	p.host.leave()
	return nil
}

// The lines above the checks, and those for the check under the cursor.
const (
	checkHead   = 2
	ruleAndText = 8
)

// SetSize gives the step its cells.
func (p *preflight) SetSize(width, height int) {
	p.base.SetSize(width, height)
	p.place()
}

// place divides the lines between the checks and the one under the cursor.
func (p *preflight) place() { p.list.SetSize(p.Width, p.listHeight()) }

func (p *preflight) listHeight() int {
	return max(3, min(len(p.change.checks), p.Height-checkHead-ruleAndText))
}

// View draws the checks, and below them the one under the cursor.
func (p *preflight) View() string {
	k := p.inks
	lines := []string{p.headline(), ""}
	if p.change.checked.IsZero() {
		text := "Reading what there is to know before the upgrade" + k.Glyphs.Ellipsis
		if !p.loading {
			text = "Nothing could be read. r checks again."
		}
		return strings.Join(append(lines, "  "+k.Muted.On(text)), "\n")
	}
	lines = append(lines, p.list.View(), k.Rule.On(ruleOf(k, p.Width)))
	if i, ok := p.list.Rested(); ok {
		c := p.rows.checks[i]
		text := &rows.Page{Inks: k, Width: p.Width}
		glyph, ink := k.Mark(checkStatus[c.State])
		text.Signed(glyph, ink, `"`+plain.Line(c.Title)+`": `+c.State.String())
		text.Fact("Found", c.Finding)
		text.Fact("What to do", c.Do)
		text.Fact("Why it matters", c.Why)
		if c.NeedsAcknowledging() {
			text.Text(k.Muted, yesNo(p.change.accepted(c), "Acknowledged.", "space acknowledges it."))
		}
		lines = append(lines, text.Lines...)
	}
	return strings.Join(lines, "\n")
}

// headline sums up the checks.
func (p *preflight) headline() string {
	c, k := p.change, p.inks
	if c.checked.IsZero() {
		return k.Beside(k.Heading.On("Pre-flight"), yesNo(p.loading, "reading"+k.Glyphs.Ellipsis, ""), p.Width)
	}
	line := ""
	switch open := len(c.unacknowledged()); {
	case c.stopped():
		line = k.Fail.On(k.Glyphs.Fail + " Something stops this upgrade")
	case open > 0:
		line = k.Warn.On(k.Glyphs.Warn + " " + c.openWords() + " to acknowledge, one by one")
	case upgrade.Blocked(c.checks):
		line = k.Warn.On(k.Glyphs.Warn+" The settings have to be put right") + k.Muted.On("; n leads there")
	default:
		line = k.OK.On(k.Glyphs.Pass+" Nothing stops this upgrade") + k.Muted.On("; n goes on")
	}
	note := "updated " + p.Env.Times.Clock(c.checked)
	if p.loading {
		note = "reading" + k.Glyphs.Ellipsis
	}
	if len(c.checks) > p.listHeight() {
		note = strings.TrimSpace(p.list.Position() + "  " + note)
	}
	return k.Beside(line, note, p.Width)
}

// checkRows are the checks, as rows.
type checkRows struct {
	checks   []upgrade.PreflightCheck
	accepted []bool
	inks     *rows.Inks
}

func (l *checkRows) Len() int                            { return len(l.checks) }
func (l *checkRows) Key(i int) string                    { return l.checks[i].ID }
func (l *checkRows) Depth(int) int                       { return 0 }
func (l *checkRows) Matches(int, func(string) bool) bool { return true }
func (l *checkRows) Version(int) uint64                  { return 0 }

// The columns of the checks, in cells.
const (
	boxWidth   = 4 // "[x] "
	checkWidth = 12
	titleWidth = 36
)

func (l *checkRows) Draw(i int, look rows.Look) string {
	c, k := l.checks[i], l.inks
	box := "    "
	switch {
	case c.NeedsAcknowledging() && l.accepted[i]:
		box = k.OK.On("[x] ")
	case c.NeedsAcknowledging():
		box = k.Warn.On("[ ] ")
	}
	glyph, ink := k.Mark(checkStatus[c.State])
	title := k.Fit(plain.Line(c.Title), min(titleWidth, max(8, look.Width-boxWidth-checkWidth)))
	line := box + ink.On(k.Fit(glyph+" "+c.State.String(), checkWidth)) + title
	if room := look.Width - boxWidth - checkWidth - titleWidth - 1; room >= 12 {
		line += " " + k.Muted.On(plain.Clip(c.Finding, room))
	}
	return line
}

var checkStatus = map[upgrade.CheckState]rows.Status{
	upgrade.CheckOK: rows.StatusPassed, upgrade.CheckWarning: rows.StatusWarning,
	upgrade.CheckBlocking: rows.StatusFailed, upgrade.CheckPending: rows.StatusSkipped,
}
