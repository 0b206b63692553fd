package upgrade

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// preflight is the step with the checks before an upgrade.
type preflight struct {
	base
	host   stepHost
	change *change
	draft  *draft
	list   *rows.List[string]
	rows   *checkRows
	shown  string   // the check whose text is on the screen
	seen   string   // the one whose text was there while no key came; "" for none
	told   []string // what is below the checks
}

func newPreflight(b base, host stepHost, c *change, d *draft) *preflight {
	p := &preflight{base: b, host: host, change: c, draft: d, list: rows.New[string](b.Env.Theme), rows: &checkRows{}}
	p.list.SetFocused(true)
	return p
}

// Commands makes the rows of the checks.
func (p *preflight) Commands() []views.Command {
	running := func() bool {
		c, ok := p.selected()
		return ok && c.ID == upgrade.CheckRunning && progress.Runs(p.change.facts.Status.Value)
	}
	writable := func() bool { return !p.change.facts.Mode.Value.ReadOnly && !p.change.facts.SendsNone }
	consents, goesOn := does(acknowledge, p.acknowledge), does(goOn, p.advance)
	consents.Hint, consents.Enabled = p.acknowledgeHint, p.unchecked
	goesOn.Hint, goesOn.Enabled, goesOn.Shown = p.nextHint, p.unchecked, func() bool { return !running() }
	return slices.Concat(
		views.When(running, []views.Command{does(watch, p.host.watch)}),
		[]views.Command{
			consents, goesOn,
			{ID: "upgrade.next-open", Key: "n", Name: "next finding", Enabled: p.noneOpen, Run: views.Call(func() { p.nextOpen(1) }),
				Help: "The next check that blocks or has to be accepted."},
			{ID: "upgrade.previous-open", Key: "N", Name: "previous finding", Enabled: p.noneOpen, Run: views.Call(func() { p.nextOpen(-1) }),
				Help: "The previous check that blocks or has to be accepted."},
			{ID: "upgrade.health", Key: "r", Hint: views.HintIf(writable, "health check"), Name: "run health check first",
				Run:  func() tea.Cmd { return views.Send(views.Navigate{View: "health", Command: "health.run"}) },
				Help: "Run a health check. The checks are repeated when it ends."},
			does(checkAgain, p.read), p.explainRow(),
			does(goBack, func() tea.Cmd { p.host.leave(); return nil }),
		},
		p.list.Moves())
}

// unchecked says why there is no check yet.
func (p *preflight) unchecked() string {
	switch {
	case !p.change.checked.IsZero():
		return ""
	case p.change.loading:
		return stillChecking
	}
	return views.Keys("Nothing is checked yet. Press {key:upgrade.check-again} to check again.")
}

// noneOpen says that no check is in the way.
func (p *preflight) noneOpen() string {
	if why := p.unchecked(); why != "" || slices.ContainsFunc(p.rows.checks, p.isOpen) {
		return why
	}
	return "No check is in the way."
}

// acknowledgeHint says what space does about the check under the cursor, "" where it only goes on.
func (p *preflight) acknowledgeHint() string {
	switch c, ok := p.selected(); {
	case !ok || !c.Open():
		return ""
	case p.change.Has(c):
		return "withdraw"
	}
	return "accept"
}

// nextHint says where enter leads to from the check under the cursor.
func (p *preflight) nextHint() string {
	switch c, ok := p.selected(); {
	case ok && leadsToRequired(c):
		return "required update"
	case p.change.stopped():
		return ""
	}
	return "go on"
}

// factsRead is the result of reading the facts.
type factsRead struct {
	offer       operation.Offer
	offerErr    error
	settings    adminapi.UpgradeSettings
	settingsErr error
	facts       upgrade.Facts
	draft       *loadedDraft
	usual       progress.UsualTimes
}

// freshOffer is the age up to which an offer is not read again for the checks.
const freshOffer = time.Minute

// read reads all facts for the checks, and the first time the draft.
func (p *preflight) read() tea.Cmd {
	p.change.loading = true
	site, ask, offer, withDraft := p.Env.Site, p.change.ask, p.change.offer, !p.draft.loaded && p.change.ask.Rollback == nil
	ask.ToAnswer = !p.change.answered
	kind := p.change.kind()
	fresh := p.change.checked.IsZero() && p.Env.Clock.Now().Sub(p.change.offered) < freshOffer
	return p.Scope.Work("facts", func(ctx context.Context) func() tea.Cmd {
		r := factsRead{offer: offer, usual: site.Memory.Usual(kind, 0)}
		if withDraft {
			r.draft = loadDraft(site, ask.Target.ID)
			r.draft.into(&ask)
		}
		r.read(ctx, site, ask, fresh, false)
		return func() tea.Cmd { return tea.Batch(p.take(r), p.host.checked()) }
	})
}

// read reads the offer and the facts; of a fresh offer, and for a rollback, which needs none,
// only whether an upgrade has begun since. While an upgrade runs, nothing else is read. The settings of a
// request that is to be sent are those that were reviewed.
func (r *factsRead) read(ctx context.Context, site operation.Site, ask operation.UpgradeRequest, fresh, sends bool) {
	status, runs := adminapi.UpgradeStatus{}, false
	if fresh || ask.Rollback != nil {
		var err error
		status, err = site.Client.Upgrades.Status(ctx)
		runs = err == nil && progress.Runs(status)
	} else if offer, err := site.OffersWith(ctx, ask.ManifestPath); err != nil {
		r.offerErr = err
	} else if runs = offer.Running(); runs {
		status = offer.Status
	} else {
		r.offer = offer
	}
	if runs {
		r.facts, r.settingsErr = upgrade.FactsWhileRunning(ask.Target, r.offer.Installed, adminapi.FactOf(site.Clock.Now(), status, nil)), operation.ErrUpgradeRuns
		r.facts.Rollback = ask.Rollback
		return
	}
	if ask.Rollback != nil || sends {
		r.facts, r.settings = site.UpgradeFacts(ctx, r.offer, ask), ask.Settings
		return
	}
	if r.settings, r.settingsErr = site.UpgradeSettings(ctx, ask); r.settingsErr == nil {
		ask = ask.WithSettings(r.settings)
	}
	r.facts = site.UpgradeFacts(ctx, r.offer, ask)
	if r.settingsErr != nil {
		r.facts.Settings = adminapi.Fact[adminapi.UpgradeSettings]{Err: r.settingsErr}
	}
}

// take checks the facts, with the answers of the draft.
func (p *preflight) take(r factsRead) tea.Cmd {
	c := p.change
	c.loading = false
	for _, err := range []error{r.facts.Status.Err, r.settingsErr, r.offerErr} {
		if errors.Is(err, adminapi.KindSignIn) {
			return p.Scope.RetryAfterSignIn(err, "facts", p.read)
		}
	}
	c.facts, c.checked, c.offer, c.usual = r.facts, p.Env.Clock.Now(), r.offer, r.usual
	c.ask.NoUploads = r.facts.NoUploads
	c.compare()
	c.facts.SendsNone = p.Env.Site.Client.ReadOnly()
	restored := p.draft.take(r.draft)
	if r.settingsErr == nil && c.ask.Rollback == nil {
		c.takeSettings(r.settings)
	}
	c.runChecks(p.Env.Times)
	p.show()
	if at := slices.IndexFunc(p.rows.checks, c.Changed); at >= 0 { // what was accepted is to be read anew
		p.shown = p.rows.checks[at].ID
		p.list.Select(p.shown)
		p.tell()
	}
	return restored
}

// show makes the rows of the checks: what needs attention is above the rest.
func (p *preflight) show() {
	first := p.rows.Len() == 0
	p.rows = &checkRows{checks: slices.Clone(p.change.checks), inks: p.inks}
	slices.SortStableFunc(p.rows.checks, func(a, b finding.Finding) int { return cmp.Compare(urgency[a.Strength], urgency[b.Strength]) })
	for _, c := range p.rows.checks {
		p.rows.accepted = append(p.rows.accepted, p.change.Has(c))
		p.rows.changed = append(p.rows.changed, p.change.Changed(c))
	}
	p.list.Set(p.rows)
	p.place()
	if first {
		p.list.GoTop()
		p.rested()
	}
}

// urgency orders the checks.
var urgency = map[finding.Strength]int{
	finding.Block: 0, finding.Danger: 1, finding.Caution: 2, finding.Later: 3, finding.Note: 4, finding.Passed: 4,
}

// rested shows the text of the check under the cursor: from now on it can be acknowledged.
func (p *preflight) rested() {
	p.list.Rest()
	p.seen, _ = p.list.Key()
	p.shown = p.seen
	p.tell()
}

// isOpen reports whether a check is in the way: it blocks, or has to be acknowledged.
func (p *preflight) isOpen(c finding.Finding) bool {
	return c.Blocks() || c.Open() && !p.change.Has(c)
}

// nextOpen moves the cursor to the next check that is in the way, or to the one before.
func (p *preflight) nextOpen(by int) {
	at, _ := p.list.Selected()
	for n := range p.rows.checks {
		i := (at + by*(n+1) + len(p.rows.checks)*2) % len(p.rows.checks)
		if p.isOpen(p.rows.checks[i]) {
			p.list.Select(p.rows.checks[i].ID)
			return
		}
	}
}

// selected returns the check under the cursor.
func (p *preflight) selected() (finding.Finding, bool) {
	i, ok := p.list.Selected()
	if !ok {
		return finding.Finding{}, false
	}
	return p.rows.checks[i], true
}

// acknowledge acknowledges the check under the cursor, once its text was to be read, and goes to the
// next: a key that is held, or typed ahead, acknowledges nothing unread.
func (p *preflight) acknowledge() tea.Cmd {
	c, _ := p.selected()
	read := c.ID == p.seen
	if p.shown = c.ID; !c.Open() {
		p.nextOpen(1)
	} else if !read {
		p.tell()
	}
	return p.change.Press(p.Base, c, read, p.host.accepted)
}

// acknowledged shows what was acknowledged, and goes to the next that is open.
func (p *preflight) acknowledged() {
	c, ok := p.selected()
	p.show()
	if ok && p.change.Has(c) {
		p.nextOpen(1)
	}
}

// leadsToRequired reports whether enter leads from a check to what has to be installed first.
func leadsToRequired(c finding.Finding) bool {
	return c.ID == upgrade.CheckRequired && c.Blocks()
}

// advance goes on to the settings, or to the review of a rollback, where nothing is in the way,
// and else to the check that is; from there to what has to be installed first. It acknowledges nothing. From a check that
// blocks because of the settings, warnings need not be acknowledged first: the review demands
// it too.
func (p *preflight) advance() tea.Cmd {
	c := p.change
	check, ok := p.selected()
	switch {
	case p.change.loading:
		return views.Tell(views.Warning, stillChecking)
	case ok && leadsToRequired(check):
		if entry, found := c.facts.Chain.Value.Find(c.ask.Target.ID); found {
			if first, found := c.facts.Chain.Value.FirstOf(entry); found {
				return p.host.choose(first.ID)
			}
		}
		return views.Tell(views.Warning, c.blockedWords())
	case c.stopped():
		p.list.Select(c.checks[slices.IndexFunc(c.checks, blocks)].ID)
		return views.Tell(views.Warning, c.blockedWords())
	case len(c.left()) > 0 && !(ok && inSettings(check)):
		if !ok || !p.isOpen(check) {
			p.nextOpen(1)
		}
		return views.Tell(views.Info, finding.Count(c.left())+" to accept first") // until the next key that does something
	case c.ask.Rollback != nil:
		return p.host.open(reviewing)
	case !c.settingsRead && adminapi.IsTransient(c.facts.Settings.Err):
		return views.Tell(views.Warning, views.Keys("The settings could not be read. Press {key:upgrade.check-again} to check again."))
	case !c.settingsRead: // as it was accepted
		c.takeSettings(adminapi.UpgradeSettings{})
		c.ask.Unread = true
	}
	return p.host.open(answering)
}

const stillChecking = "The checks are still running."
