package upgrade

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// step is a step of an upgrade, as the path above the view shows it.
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
// the steps share the change and its draft.
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

// flowHost is what a flow needs of the view around it.
type flowHost interface {
	leave()                // for the picker, with the answers kept
	choose(string) tea.Cmd // another update, which has to be installed first
	readOffers() tea.Cmd
	began(*operation.UpgradeRun, adminapi.UpgradeStatus) tea.Cmd
	seen(*operation.UpgradeRun) tea.Cmd // began, as far as the site shows before its answer
	answered(began bool) tea.Cmd        // after seen
}

// stepHost is what a step needs of the flow around it.
type stepHost interface {
	flowHost
	open(step) tea.Cmd                            // another step
	watch() tea.Cmd                               // the upgrade that runs
	checked() tea.Cmd                             // the checks were repeated
	recheck() tea.Cmd                             // repeats them
	accepted() tea.Cmd                            // shows what was acknowledged, or is no longer
	stopped(factsRead, []finding.Finding) tea.Cmd // goes to what was found right before the request
}

// stepView is the model of a step, which draws exactly the size that SetSize gave.
type stepView interface {
	Commands() []views.Command // made once
	SetSize(width, height int)
	View() string
}

func newFlow(b base, host flowHost, c *change) *flow {
	f := &flow{base: b, flowHost: host, change: c, draft: &draft{base: b.child(), change: c}}
	f.preflight = newPreflight(b.child(), f, c, f.draft)
	f.settings = newSettings(b.child(), f, c, f.draft)
	f.review = newReview(b.child(), f, c)
	f.start = &start{base: b.child(), host: f, change: c}
	return f
}

// models returns the models of the steps, nil for the picker.
func (f *flow) models() []stepView {
	return []stepView{preflighting: f.preflight, answering: f.settings, reviewing: f.review, starting: f.start}
}

// steps lists the steps of the flow. A rollback has nothing to fill in.
func (f *flow) steps() []step {
	if f.change.ask.Rollback != nil {
		return []step{choosing, preflighting, reviewing, starting}
	}
	return []step{choosing, preflighting, answering, reviewing, starting}
}

// open shows a step.
func (f *flow) open(s step) tea.Cmd {
	before := f.step
	f.step = s
	f.change.answered = s == reviewing || s == starting
	switch s {
	case preflighting:
		f.preflight.show()
	case answering:
		return f.settings.open(before == preflighting)
	case reviewing:
		f.review.open(before != starting)
	case starting:
		return f.start.send()
	}
	return nil
}

// recheck repeats the checks that were made, also those of a review.
func (f *flow) recheck() tea.Cmd {
	if f.change.checked.IsZero() || f.step == choosing || f.step == starting || f.settings.checking {
		return nil
	}
	return f.preflight.read()
}

func (f *flow) healthEnded() tea.Cmd {
	f.change.Forget(upgrade.CheckHealth) // another report is another finding
	f.preflight.show()
	return f.recheck()
}

// outdated reports whether an upgrade has begun or ended since the checks were made.
func (f *flow) outdated() bool {
	status, state := f.change.facts.Status, &f.Env.State
	return status.Known() && f.change.checked.Before(state.Upgrade.At) && !f.change.loading && progress.Runs(status.Value) != state.Runs()
}

// watch leaves the flow and shows the upgrade that runs.
func (f *flow) watch() tea.Cmd {
	f.leave()
	return showWatch()
}

// showWatch goes to the watch of the upgrade that runs.
func showWatch() tea.Cmd { return views.Watch(views.WatchUpgrade{}) }

// Commands makes the rows of the steps.
func (f *flow) Commands() (list []views.Command) {
	for s, model := range f.models()[preflighting:] {
		list = append(list, views.When(func() bool { return f.step == preflighting+step(s) }, model.Commands())...)
	}
	return views.Grouped(flowGroup, list)
}

// checked shows in the review what checks have found that were repeated.
func (f *flow) checked() tea.Cmd { return f.review.rechecked() }

// accepted shows what was acknowledged, or is no longer.
func (f *flow) accepted() tea.Cmd {
	f.preflight.acknowledged()
	f.review.layOut()
	return nil
}

// stopped goes back to the checks, at the first of those that came up right before the request.
func (f *flow) stopped(r factsRead, found []finding.Finding) tea.Cmd {
	f.start.forget()
	taken := f.preflight.take(r)
	_ = f.open(preflighting)
	f.preflight.list.Select(found[0].ID)
	f.preflight.rested()
	what := finding.Count(found) + yesNo(len(found) == 1, " is", " are") + " new"
	if f.change.Changed(found[0]) {
		what += ". " + found[0].Title + " is no longer what you accepted"
	}
	if found[0].Blocks() {
		what = f.change.blockedWords()
	}
	return tea.Batch(taken, views.Tell(views.Warning, "Checked again before sending: "+views.Sentence(what)+" Nothing was sent."))
}

// update takes the messages of the fields.
func (f *flow) update(msg tea.Msg) tea.Cmd {
	if f.step == answering {
		return f.settings.update(msg)
	}
	return nil
}

// typed takes a key that is text or may have been pasted.
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

// takes says how keys are taken: pasted ones answer no question, and enter leads to the next setting.
func (f *flow) takes() views.Takes {
	answers, reviews := f.step == answering, f.step == reviewing
	word := reviews && f.review.typing
	return views.Takes{Question: answers && f.settings.choosesOne() || reviews && !word, Word: word, Lines: answers}
}

// question returns what to ask before the program ends, or "" where nothing would be lost.
func (f *flow) question() string {
	switch noun := f.change.kind().Noun(); {
	case f.start.sending:
		return "The " + noun + " is being sent. Its outcome is not known yet."
	case f.start.searching():
		return "It is not known yet whether the " + noun + " was started."
	case f.draft.unsaved:
		return "The settings for " + f.change.title() + " are not saved."
	}
	return ""
}

// path names the step, and what it leads to.
func (f *flow) path() []string {
	step, c := strings.ToLower(f.step.String()), f.change
	if back := c.ask.Rollback; back != nil {
		return []string{"rollback " + step, back.From + " " + f.Env.Theme.Glyphs.Arrow + " " + c.title()}
	}
	return []string{step, c.title()}
}

func (f *flow) busy() string {
	switch {
	case f.start.sending:
		return "sending the " + f.change.kind().Noun()
	case f.start.searching():
		return f.change.kind().Noun() + ": outcome unknown"
	case f.change.loading:
		return "checking"
	case f.settings.checking:
		return "checking the settings"
	}
	return ""
}

// SetSize gives every step its cells.
func (f *flow) SetSize(width, height int) {
	f.base.SetSize(width, height)
	for _, model := range f.models()[preflighting:] {
		model.SetSize(width, height)
	}
}

// View draws the step that is shown, with the margins.
func (f *flow) View() string { return f.inks.Abreast(f.Height, f.models()[f.step].View()) }

// footers list the rows of the footer at each step.
var footers = [...][]string{
	choosing: {rows.Up, rows.Down, "upgrade.watch", "upgrade.enter", "upgrade.rollback", "upgrade.next-pane", rows.Filter,
		"upgrade.next-list", "upgrade.order", "upgrade.json", "upgrade.import", "upgrade.back"},
	preflighting: {rows.Up, rows.Down, "upgrade.accept", "upgrade.watch", "upgrade.next", "upgrade.health", "upgrade.check-again", "upgrade.explain-check", "upgrade.back"},
	answering: {"upgrade.next", "upgrade.enter", "upgrade.change-answer", "upgrade.complete", "upgrade.hidden", "upgrade.back",
		"upgrade.review", "upgrade.next-page", "upgrade.previous-field"},
	reviewing: {rows.Up, rows.Down, "upgrade.confirm", "upgrade.accept", "upgrade.explain-refusal", "upgrade.check-again", "upgrade.request",
		"upgrade.copy-request", "upgrade.save-request", "upgrade.back"},
	starting: {"upgrade.look-again", "upgrade.watch", "upgrade.explain", "upgrade.back"},
}

var jsonFooter = []string{rows.Up, rows.Down, "upgrade.back", rows.Filter}

// abouts say what the steps are for.
var abouts = [...]string{
	choosing:     "Updates of the site: choose one and go on to its pre-flight.",
	preflighting: "Checks before the start: accept findings, mend what blocks.",
	answering:    "What the upgrade has to know: licence, files, options.",
	reviewing:    "The request as it is sent. Typing the version sends it.",
	starting:     "Whether the site took the request, and what to do next.",
}

// about says what the step is for.
func (m *Model) about() string {
	if m.json.Open {
		return "What the site reports about the row, as JSON."
	}
	return abouts[m.flow.step]
}
