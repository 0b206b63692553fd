package upgrade

import (
	"context"
	"errors"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
)

// step is where in the flow the user is.
type step int

// The steps, in order.
const (
	choosing step = iota
	preflighting
	answering
	reviewing
	starting
)

func (s step) String() string {
	return [...]string{"Choose", "Pre-flight", "Settings", "Review", "Run"}[s]
}

// flow is the way from a chosen update to the upgrade that runs. What was filled
// in and acknowledged stays while the user goes back and forth.
type flow struct {
	step      step
	rollback  bool
	along     []string // what a rollback takes back besides its patch
	ask       operation.UpgradeAsk
	offer     operation.Offer
	asking    bool // the facts are being read
	returning bool // the user went to another view for a fact
	asked     bool // the settings were read at least once
	draftRead bool

	facts   upgrade.Facts
	reading time.Time // of the facts; zero where there are none
	checks  []upgrade.PreflightCheck
	acked   map[string]string // id of a check to the finding that was accepted
	flight  preflight

	form     *form
	restored *journal.Draft  // that the answers were restored from; nil for none
	told     journal.Program // that fills in the same, as was said
	notice   string          // what became of the draft
	problem  string          // why the way led back here
	review   *review
	run      *run
}

// step returns where the user is.
func (m *Model) step() step {
	if m.flow == nil {
		return choosing
	}
	return m.flow.step
}

// path lists the steps of the flow: a rollback has nothing to fill in.
func (m *Model) path() []step {
	if m.flow != nil && m.flow.rollback {
		return []step{choosing, reviewing, starting}
	}
	return []step{choosing, preflighting, answering, reviewing, starting}
}

// pathNote says what the flow leads to.
func (m *Model) pathNote() string {
	switch {
	case m.flow == nil && !m.picker.Updated.IsZero() && !m.upgradeRuns():
		return "runs " + plain.Line(m.picker.offer.Installed.FullVersion())
	case m.flow == nil:
		return ""
	case m.flow.rollback:
		return "takes back " + m.flow.title()
	}
	return "to " + m.flow.title()
}

// title is what the update is called.
func (f *flow) title() string { return views.NameOf(f.ask.Target.FullVersion(), f.ask.Target.ID) }

// begin starts the flow for the update under the cursor. The one that was left
// for the same update is gone on with.
func (m *Model) begin() tea.Cmd {
	e, ok := m.entry()
	if !ok {
		return views.Tell(views.Warning, "Choose an update that is offered.")
	}
	if e.ID == "" {
		return views.Tell(views.Warning, "The site gives this update no id: it cannot be asked for.")
	}
	if m.left != nil && !m.left.rollback && m.left.ask.Target.ID == e.ID {
		m.flow, m.left = m.left, nil
	} else {
		m.flow = m.newFlow(e.Update)
	}
	m.flow.step = preflighting
	m.place()
	return m.readFacts()
}

func (m *Model) newFlow(target adminapi.Update) *flow {
	return &flow{
		ask:   operation.UpgradeAsk{Target: target, Answers: upgrade.Answers{}},
		offer: m.picker.offer, acked: map[string]string{}, flight: newPreflight(m.env.Theme),
	}
}

// leaveFlow goes back to the picker and remembers what was filled in.
func (m *Model) leaveFlow() {
	m.left, m.flow = m.flow, nil
	if m.left.run != nil {
		m.left.run = nil
	}
	m.scope.Forget("facts")
	m.left.asking = false
	m.place()
}

// factsRead is what is known before an upgrade.
type factsRead struct {
	target      string
	offer       operation.Offer
	offerErr    error
	settings    adminapi.UpgradeSettings
	settingsErr error
	facts       upgrade.Facts
	draft       *draft
}

// freshOffer is the age up to which an offer is not read again for its checks.
const freshOffer = time.Minute

// readFacts reads all that the pre-flight weighs, and at first the draft.
func (m *Model) readFacts() tea.Cmd {
	f := m.flow
	f.asking = true
	site, ask, offer, withDraft := m.env.Site, f.ask, f.offer, !f.draftRead
	ask.ToAnswer = true
	fresh := f.reading.IsZero() && m.env.Clock.Now().Sub(m.picker.Updated) < freshOffer
	return m.scope.Do("facts", func(ctx context.Context) tea.Msg {
		r := factsRead{target: ask.Target.ID, offer: offer}
		if withDraft {
			r.draft = readDraft(site, ask.Target.ID)
			r.draft.into(&ask)
		}
		if fresh {
			r.readUnlessRunning(ctx, site, ask)
		} else {
			r.read(ctx, site, ask)
		}
		return r
	})
}

// read asks the site from the offer on. While an upgrade runs, that is all there
// is to know.
func (r *factsRead) read(ctx context.Context, site operation.Site, ask operation.UpgradeAsk) {
	now, err := site.Offers(ctx)
	r.offerErr = err
	if err == nil && now.Running() {
		r.whileRunning(ask, now.Status)
		return
	}
	if err == nil {
		r.offer = now
	}
	r.readBelow(ctx, site, ask)
}

// readUnlessRunning trusts the offer that was just read, but not that nothing has
// begun since.
func (r *factsRead) readUnlessRunning(ctx context.Context, site operation.Site, ask operation.UpgradeAsk) {
	if status, err := site.Client.UpgradeStatus(ctx); err == nil && progress.Runs(status) {
		r.whileRunning(ask, status)
		return
	}
	r.readBelow(ctx, site, ask)
}

func (r *factsRead) whileRunning(ask operation.UpgradeAsk, status adminapi.UpgradeStatus) {
	r.facts, r.settingsErr = upgrade.FactsWhileRunning(ask.Target, r.offer.Installed, status), operation.ErrUpgradeRuns
}

// readBelow asks for the settings and for all that is weighed.
func (r *factsRead) readBelow(ctx context.Context, site operation.Site, ask operation.UpgradeAsk) {
	if r.settings, r.settingsErr = site.UpgradeSettings(ctx, ask.Target); r.settingsErr == nil {
		ask.Settings = r.settings
	}
	r.facts = site.UpgradeFacts(ctx, r.offer, ask)
	if r.settingsErr != nil {
		r.facts.Settings = upgrade.Fact[adminapi.UpgradeSettings]{Err: r.settingsErr}
	}
}

func (r factsRead) apply(m *Model) tea.Cmd {
	f := m.flow
	if f == nil || f.ask.Target.ID != r.target {
		return nil
	}
	f.asking = false
	for _, err := range []error{r.facts.Status.Err, r.settingsErr, r.offerErr} {
		if errors.Is(err, adminapi.KindSignIn) {
			retry := m.readFacts()
			f.asking = false
			return m.askSignIn(err, retry)
		}
	}
	f.facts, f.reading, f.offer = r.facts, m.env.Clock.Now(), r.offer
	restored := m.takeDraft(r.draft)
	if r.settingsErr == nil {
		m.takeSettings(r.settings)
	}
	m.weigh()
	return restored
}

// takeSettings notes what the site asks for now; answers to what it still asks
// for are kept.
func (m *Model) takeSettings(now adminapi.UpgradeSettings) {
	f := m.flow
	if f.asked && len(upgrade.SettingsChanged(f.ask.Settings, now)) == 0 {
		return
	}
	f.ask.Settings, f.asked = now, true
	kept := upgrade.Answers{}
	for _, field := range upgrade.Form(now) {
		if a, ok := f.ask.Answers[field.ID]; ok {
			kept[field.ID] = a
		}
	}
	f.ask.Answers, f.form = kept, nil
}

// weigh weighs the facts that are there with the answers as they are.
func (m *Model) weigh() {
	f := m.flow
	f.checks = f.fromDraft(upgrade.Preflight(f.facts), m.env.Times)
	m.showChecks()
}

// unacknowledged returns the checks that a person still has to look at.
func (f *flow) unacknowledged() []upgrade.PreflightCheck {
	var open []upgrade.PreflightCheck
	for _, c := range upgrade.Warnings(f.checks) {
		if f.acked[c.ID] != essence(c) {
			open = append(open, c)
		}
	}
	return open
}

// stopped tells whether something is in the way that no answer can change.
func (f *flow) stopped() bool {
	for _, c := range f.checks {
		if c.State == upgrade.CheckBlocking && c.ID != upgrade.CheckLicence && c.ID != upgrade.CheckSettings {
			return true
		}
	}
	return false
}

// essence is a finding without its numbers: an age that grew is no news.
func essence(c upgrade.PreflightCheck) string {
	kept := []rune{rune('0' + c.State)}
	for _, r := range c.Finding {
		if r < '0' || r > '9' {
			kept = append(kept, r)
		}
	}
	return string(kept)
}

// acknowledge takes a warning as seen, or back.
func (f *flow) acknowledge(c upgrade.PreflightCheck, toggle bool) {
	if f.acked[c.ID] == essence(c) && toggle {
		delete(f.acked, c.ID)
		return
	}
	f.acked[c.ID] = essence(c)
}
