package upgrade

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
)

// step is where the user is on the way to an upgrade.
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

// flow leads from a chosen update to the upgrade that runs. It shows one step at a time;
// what they share is the change and its draft.
type flow struct {
	base
	flowHost
	step   step
	change *change

	draft     *draft
	preflight *preflight
	settings  *settings
	review    *review
	start     *start
}

// flowHost is what a flow asks of the view around it.
type flowHost interface {
	leave() // for the picker; what was filled in is remembered
	readOffers() tea.Cmd
	began(*operation.UpgradeRun, adminapi.UpgradeStatus) tea.Cmd
}

// stepHost is what a step asks of the flow around it.
type stepHost interface {
	flowHost
	open(step) tea.Cmd // another step
	watch() tea.Cmd    // the upgrade that runs
}

func newFlow(b base, host flowHost, c *change) *flow {
	f := &flow{base: b, flowHost: host, change: c, draft: &draft{base: b.child(), change: c}}
	f.preflight = newPreflight(b.child(), f, c, f.draft)
	f.settings = &settings{base: b.child(), host: f, change: c, draft: f.draft}
	f.review = newReview(b.child(), f, c)
	f.start = &start{base: b.child(), host: f, change: c}
	return f
}

// steps lists the steps of the flow: a rollback has nothing to fill in.
func (f *flow) steps() []step {
	if f.change.rollback {
		return []step{choosing, reviewing, starting}
	}
	return []step{choosing, preflighting, answering, reviewing, starting}
}

// open shows a step.
func (f *flow) open(s step) tea.Cmd {
	before := f.step
	f.step = s
	switch s {
	case preflighting:
		f.preflight.show()
	case answering:
		return f.settings.open()
	case reviewing:
		f.review.open(before != starting)
	case starting:
		return f.start.send()
	}
	return nil
}

// watch shows the upgrade that runs, which is in the way of this one.
func (f *flow) watch() tea.Cmd {
	f.leave()
	return tea.Batch(views.Send(views.WatchUpgrade{}), views.Send(views.Navigate{View: "progress"}))
}

// Commands are the rows of the steps.
func (f *flow) Commands() []views.Command {
	at := func(s step, rows []views.Command) []views.Command {
		return views.When(func() bool { return f.step == s }, rows)
	}
	return slices.Concat(
		at(preflighting, f.preflight.Commands()), at(answering, f.settings.Commands()),
		at(reviewing, f.review.Commands()), at(starting, f.start.Commands()))
}

func (f *flow) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case factsRead:
		return f.preflight.take(msg)
	case draftSaved:
		return f.draft.saved(msg)
	case requestSaved:
		return f.review.saved(msg)
	case sent, progressed, found, searchLeft:
		return f.start.update(msg)
	case filesChecked, planned:
		return f.settings.update(msg)
	}
	if f.step == answering {
		return f.settings.update(msg)
	}
	return nil
}

// typed takes a key that is text, or may have been pasted.
func (f *flow) typed(key tea.KeyMsg) tea.Cmd {
	switch {
	case f.step == answering && f.settings.dialog != nil:
		return f.settings.key(key)
	case f.step == reviewing:
		return f.review.key(key)
	}
	return nil
}

func (f *flow) capturesText() bool {
	return f.step == answering && f.settings.dialog != nil || f.step == reviewing && f.review.typing
}

// guardsPaste reports whether pasted keys must arrive as one message: they answer no
// question.
func (f *flow) guardsPaste() bool {
	return f.step == answering && f.settings.choosesOne() || f.step == reviewing
}

// question asks before the program ends where something would be lost, or would not be
// known any more.
func (f *flow) question() string {
	switch {
	case f.start.sending:
		return "The upgrade is being sent: what becomes of it is not seen here."
	case f.start.searching():
		return "It is not known yet whether the upgrade was started."
	case f.draft.unsaved:
		return "The settings filled in for " + f.change.title() + " are not kept."
	}
	return ""
}

func (f *flow) busy() string {
	switch {
	case f.start.sending:
		return "starting the upgrade"
	case f.start.searching():
		return "looking what became of it"
	case f.preflight.loading:
		return "reading the pre-flight"
	case f.settings.checking:
		return "checking the settings"
	}
	return ""
}

// SetSize gives every step the cells.
func (f *flow) SetSize(width, height int) {
	f.base.SetSize(width, height)
	f.preflight.SetSize(width, height)
	f.settings.SetSize(width, height)
	f.review.SetSize(width, height)
	f.start.SetSize(width, height)
}

// View draws the step that is shown.
func (f *flow) View() string {
	switch f.step {
	case preflighting:
		return f.preflight.View()
	case answering:
		return f.settings.View()
	case reviewing:
		return f.review.View()
	case starting:
		return f.start.View()
	}
	return ""
}
