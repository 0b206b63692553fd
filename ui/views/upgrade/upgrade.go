// Package upgrade is the view that leads from choosing an update to the moment an
// upgrade runs: Choose, Pre-flight, Settings, Review, Run.
//
// Start at [Model]. It shows the picker (picker.go), which lists offered and installed
// updates and the history, and for a chosen update its flow (flow.go). The flow shows one
// step at a time (preflight.go, settings.go, review.go, start.go), each its own model, drawn in
// a file beside it where that is long; they share a change (change.go; effects.go says what it
// does). Going back is always possible and loses nothing. Nothing is sent twice: where the answer
// to a request is lost, its outcome is found by polling.
package upgrade

import (
	"cmp"
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/jsonview"
	"geodeck/ui/widget/rows"
)

// Maker offers the view to the dashboard.
var Maker = views.Maker{ID: "upgrade", Title: "Upgrades", New: func(env *views.Env) views.View { return New(env) }}

// base is what the view and its children share.
type base struct {
	views.Base
	inks *rows.Inks
}

func (b *base) child() base { return base{b.Base.Child(), b.inks} }

// Model is the view.
type Model struct {
	base
	picker *picker
	flow   *flow           // of the chosen update; an empty one while choosing
	left   *flow           // the one that was left for the picker; nil for none
	late   *flow           // whose answer has not come, though the site shows the upgrade; nil for none
	json   jsonview.Screen // of an update
	table  []views.Command
}

// New returns the view; Init starts it.
func New(env *views.Env) *Model {
	inks := rows.NewInks(env.Theme)
	m := &Model{base: base{views.NewBase(env), &inks}}
	m.json = jsonview.NewScreen(m.Child())
	m.picker = newPicker(m.child(), m)
	m.show(newFlow(m.child(), m, &change{}))
	m.Answers = views.Hooks{About: m.about, Filtering: m.filtering, Leave: m.Leave, Working: m.working, Takes: m.takes, Freshens: true, Rests: true}
	return m
}

// show makes a flow the current one; an empty one shows the picker. What is read for the one before
// counts no more.
func (m *Model) show(f *flow) {
	m.Scope.Forget("facts")
	m.Scope.Forget("review")
	m.flow = f
	m.tabulate()
	m.place()
}

// Init reads the offers.
func (m *Model) Init() tea.Cmd {
	if m.Env.Offline {
		return nil
	}
	return m.picker.lists.readOffers()
}

// focus repeats the checks, and reads old lists again: what they say may have changed while
// another view was shown.
func (m *Model) focus() tea.Cmd {
	if l := &m.picker.lists; m.choosing() && !m.Env.Offline && l.fetch.Old(m.Env.Clock.Now(), m.Env.Site.Line) {
		return l.refresh()
	}
	return m.flow.recheck()
}

// event follows what the root tells.
func (m *Model) event(e views.Event) tea.Cmd {
	switch e {
	case views.Shown:
		return m.focus()
	case views.Freshen:
		return m.flow.start.lookWhileSending()
	case views.Rested:
		return m.rested()
	case views.StateChanged:
		return m.stateChanged()
	case views.HealthEnded:
		return m.flow.healthEnded()
	}
	return nil
}

// working says that an upgrade is being sent, which goes on while another view is shown.
func (m *Model) working() string {
	if m.flow.start.sending || m.flow.start.searching() {
		return m.flow.busy()
	}
	if m.late != nil {
		return m.late.busy()
	}
	return ""
}

// rested shows the detail of the row, or of the check, under the cursor.
func (m *Model) rested() tea.Cmd {
	m.picker.showDetail()
	m.flow.change.Rested()
	m.flow.preflight.rested()
	return m.flow.settings.rested()
}

// stateChanged reads the lists again after an upgrade, and repeats checks that were made before one
// began or ended.
func (m *Model) stateChanged() tea.Cmd {
	cmd, changed := m.picker.lists.changed()
	if changed {
		m.picker.showList()
	}
	if m.flow.outdated() {
		cmd = tea.Batch(cmd, m.flow.recheck())
	}
	return cmd
}

// Leave returns what to ask before the program ends, or "" where nothing would be lost.
func (m *Model) Leave() string {
	question := m.flow.question()
	for _, other := range []*flow{m.late, m.left} {
		if other != nil {
			question = cmp.Or(question, other.question())
		}
	}
	return question
}

func (m *Model) choosing() bool { return m.flow.step == choosing && !m.json.Open }
func (m *Model) inFlow() bool   { return m.flow.step != choosing }

// CapturesText reports whether keys are text now.
func (m *Model) CapturesText() bool {
	switch {
	case m.json.Open:
		return m.json.Typing()
	case m.inFlow():
		return m.flow.capturesText()
	}
	return m.picker.list.Typing()
}

// filtering reports whether a filter is being typed.
func (m *Model) filtering() bool { return !m.inFlow() && m.CapturesText() }

// takes says how the step that is open takes keys.
func (m *Model) takes() views.Takes { return m.flow.takes() }

// Commands returns the rows of the picker, of the steps, and of the JSON.
func (m *Model) Commands() []views.Command { return m.table }

// Footer lists the rows of the footer.
func (m *Model) Footer() []string {
	if m.json.Open {
		return jsonFooter
	}
	return footers[m.flow.step]
}

// tabulate makes the rows when there are other children.
func (m *Model) tabulate() {
	m.table = views.Guarded(slices.Concat(
		views.When(m.choosing, m.picker.Commands()),
		views.When(m.inFlow, m.flow.Commands()),
		views.When(func() bool { return m.json.Open }, append([]views.Command{does(goBack, views.Call(func() { m.json.Back() }))}, m.json.Commands()...)),
	))
}

// Update takes replies, typed text, and the messages of huh's widgets.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case views.Event:
		return m.event(msg)
	case tea.KeyMsg:
		return m.typed(msg)
	case views.Retry:
		return msg.Do()
	}
	return m.flow.update(msg)
}

func (m *Model) typed(key tea.KeyMsg) tea.Cmd {
	switch {
	case m.inFlow():
		return m.flow.typed(key)
	case !m.CapturesText():
		return nil
	case m.json.Open:
		m.json.Type(key)
	default:
		m.picker.list.Type(key)
	}
	return nil
}

// begin starts the flow of a change; one that was left for the same update continues.
func (m *Model) begin(c *change) tea.Cmd {
	f := m.left
	if f != nil && f.change.continues(c) {
		f.change.ask.Rollback, f.change.offer, m.left = c.ask.Rollback, c.offer, nil // what is installed may have changed
	} else {
		f = newFlow(m.child(), m, c)
	}
	if c = f.change; c.ask.Rollback != nil {
		var err error
		if c.request, err = c.ask.Prepare(m.Env.Site).Request(context.Background()); err != nil { // reads nothing
			c.problem = views.Sentence(err.Error())
		}
	}
	f.open(preflighting)
	m.show(f)
	return m.flow.preflight.read()
}

// choose leaves the flow for another update of the picker.
func (m *Model) choose(id string) tea.Cmd {
	m.leave()
	return m.picker.choose(id)
}

// leave goes back to the picker and keeps the flow.
func (m *Model) leave() {
	m.flow.change.loading = false
	m.flow.start.forget()
	m.left = m.flow
	m.show(newFlow(m.child(), m, &change{}))
}

// began ends the flow and goes to the watch of the upgrade that runs.
func (m *Model) began(run *operation.UpgradeRun, status adminapi.UpgradeStatus) tea.Cmd {
	return tea.Batch(m.flow.draft.discard(), m.watches(run, status))
}

// seen is began for a request without an answer: its flow waits for that with the answers kept.
func (m *Model) seen(run *operation.UpgradeRun) tea.Cmd {
	m.late = m.flow
	return m.watches(run, adminapi.UpgradeStatus{})
}

// answered ends the wait for the answer of an upgrade that was seen. One that did not begin
// can be gone on with.
func (m *Model) answered(began bool) tea.Cmd {
	f := m.late
	m.late = nil
	if began {
		return f.draft.discard()
	}
	if m.left == nil {
		m.left = f
	}
	return nil
}

// watches leaves the flow for the watch of the upgrade that runs.
func (m *Model) watches(run *operation.UpgradeRun, status adminapi.UpgradeStatus) tea.Cmd {
	m.left = nil
	m.show(newFlow(m.child(), m, &change{}))
	m.picker.lists.began(status)
	m.picker.showList()
	return views.Watch(views.WatchUpgrade{Run: run})
}

func (m *Model) readOffers() tea.Cmd { return m.picker.lists.readOffers() }

func (m *Model) showJSON(title string, raw jsontext.Value) tea.Cmd {
	return m.json.Show(title, func(context.Context) ([]byte, error) { return raw, nil })
}

const (
	pathLines = 2 // the path and a blank line below it
	paneHead  = 2 // the heading of a pane and a blank line below it
)

// SetSize gives the view its cells.
func (m *Model) SetSize(width, height int) {
	m.Base.SetSize(width, height)
	m.place()
}

// place gives the children their cells.
func (m *Model) place() {
	width, height := m.Inner(), max(1, m.Height-pathLines)
	m.picker.SetSize(width, height)
	m.flow.SetSize(width, height)
	m.json.SetSize(width, m.Height)
}

// View draws exactly the size that SetSize gave.
func (m *Model) View() string {
	k, width := m.inks, m.Inner()
	if m.json.Open {
		return k.Abreast(m.Height, m.json.Draw())
	}
	body := m.picker.View
	if m.inFlow() {
		body = m.flow.View
	}
	return k.Headed(m.Width, m.Height, body(), " "+m.path(width), "")
}

// path draws the steps, with the target at the right.
func (m *Model) path(width int) string {
	k := m.inks
	var parts []string
	for _, s := range m.flow.steps() {
		switch {
		case s == m.flow.step:
			parts = append(parts, k.Tab(s.String(), true, k.Accent))
		case s < m.flow.step:
			parts = append(parts, k.Glyphs.Pass+" "+s.String())
		default:
			parts = append(parts, k.Muted.On(s.String()))
		}
	}
	line := strings.Join(parts, k.Muted.On(" "+k.Glyphs.Dot+" "))
	note := m.picker.lists.installedVersion()
	if m.inFlow() {
		note = m.flow.change.leadsTo()
	}
	if room := width - ansi.StringWidth(line) - 3; note != "" && room >= 12 {
		note = plain.Clip(note, room)
		return line + strings.Repeat(" ", width-ansi.StringWidth(line)-ansi.StringWidth(note)) + k.Strong.On(note)
	}
	return line
}

// Status returns what the frame shows for the view.
func (m *Model) Status() views.Status {
	fetch := &m.picker.lists.fetch
	status := views.Status{Updated: m.picker.lists.updated(), Unreachable: fetch.Unreachable, Err: fetch.Err, Busy: cmp.Or(m.flow.busy(), m.picker.lists.busy())}
	if m.inFlow() {
		status.Path = m.flow.path()
		if checked := m.flow.change.checked; !checked.IsZero() {
			status.Updated, status.Unreachable = checked, nil
		}
	}
	if m.json.Open {
		status.Path = append(status.Path, "JSON")
	}
	return status
}

// The rows that several children have, each with a handler of its own.

const (
	moveGroup = "Move"
	listGroup = "Updates"
	flowGroup = "Upgrade steps"
)

var (
	goIn = views.Command{ID: "upgrade.enter", Key: "enter", Word: "open", Name: "go in", Group: moveGroup,
		Help: "Go to the next field, or on to the review."}
	goBack = views.Command{ID: "upgrade.back", Key: "esc", Word: "back", Name: "go back", Group: moveGroup,
		Help: "One step back. Answers are kept."}
	watch = views.Command{ID: "upgrade.watch", Key: "enter", Word: "watch", Name: "watch", Group: listGroup,
		Help: "Watch the running upgrade, whoever started it."}
	goOn = views.Command{ID: "upgrade.next", Key: "enter", Word: "go on", Name: "next step",
		Help: "Go to the next step, or to what blocks it."}
	acknowledge = views.Command{ID: "upgrade.accept", Key: "space", Word: "accept", Name: "accept", Alone: true,
		Help: "Accept a caution, or type the word of a danger; again to undo."}
	checkAgain = views.Command{ID: "upgrade.check-again", Key: "R f5", Word: "check again", Name: "check again",
		Help: "Repeat all checks of the pre-flight."}
)

// does is a row with its handler.
func does(row views.Command, run func() tea.Cmd) views.Command {
	row.Run = run
	return row
}
