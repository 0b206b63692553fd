package upgrade

import (
	"path/filepath"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/views/jsonview"
)

// Maker offers the view to the dashboard.
var Maker = views.Maker{ID: "upgrade", Title: "Upgrades", Table: table(), New: func(env *views.Env) views.View { return New(env) }}

// Model is the view.
type Model struct {
	env    *views.Env
	scope  *views.Scope
	folder string // where files are written and relative names are read from
	inks   inks
	width  int
	height int

	picker picker
	flow   *flow    // of the update that was chosen; nil while choosing
	left   *flow    // the flow that was left for the picker, with what was filled in
	raw    *rawView // JSON, shown in place of everything
}

// rawView is a JSON value and what it is of.
type rawView struct {
	title string
	json  *jsonview.View
}

// New returns the view; Init starts it.
func New(env *views.Env) *Model {
	m := &Model{env: env, scope: views.NewScope(env.Context), folder: env.Folder, inks: newInks(env.Theme)}
	if whole, err := filepath.Abs(env.Folder); err == nil {
		m.folder = whole
	}
	m.picker = newPicker(env.Theme)
	m.showShelf()
	return m
}

// Init reads what the site offers.
func (m *Model) Init() tea.Cmd {
	if m.env.Offline {
		return nil
	}
	return m.readOffers()
}

// Replies is what replies are addressed to.
func (m *Model) Replies() *views.Scope { return m.scope }

// Close cancels what is under way.
func (m *Model) Close() { m.scope.Close() }

// Focus reads the facts again where the user went away to change one.
func (m *Model) Focus() tea.Cmd {
	if f := m.flow; f != nil && f.returning {
		f.returning = false
		delete(f.acked, upgrade.CheckHealth) // another report is another finding
		return m.readFacts()
	}
	return nil
}

// Blur has nothing to stop: what was sent is followed to its end.
func (m *Model) Blur() {}

// Leave asks where something would be lost, or would not be known any more.
func (m *Model) Leave() string {
	for _, f := range []*flow{m.flow, m.left} {
		switch {
		case f == nil:
		case f.run != nil && f.run.sending:
			return "The upgrade is being sent: what becomes of it is not seen here."
		case f.run != nil && f.run.search != nil && f.run.search.finding != operation.FindingForeign:
			return "It is not known yet whether the upgrade was started."
		case f.form != nil && f.form.unsaved:
			return "The settings filled in for " + f.title() + " are not kept."
		}
	}
	return ""
}

// CapturesText tells whether typed keys are text at present.
func (m *Model) CapturesText() bool {
	switch {
	case m.raw != nil:
		return m.raw.json.Typing()
	case m.step() == answering:
		return m.flow.form.dialog != nil
	case m.step() == reviewing:
		return m.flow.review.typing
	case m.step() == choosing:
		return m.picker.list.Typing()
	}
	return false
}

// Update takes replies, typed text, and what the widgets of a form say to
// themselves.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return m.typed(msg)
	case reply:
		return msg.apply(m)
	case views.Retry:
		return msg.Ask()
	}
	if m.step() == answering && m.flow.form.dialog != nil {
		return m.formMessage(msg)
	}
	return nil
}

func (m *Model) typed(key tea.KeyMsg) tea.Cmd {
	switch {
	case m.step() == reviewing && m.raw == nil && !m.flow.review.typing:
		return m.reviewKey(key)
	case !m.CapturesText():
		return nil
	case m.raw != nil:
		m.raw.json.Type(key)
	case m.step() == answering:
		return m.formKey(key)
	case m.step() == reviewing:
		return m.confirmKey(key)
	default:
		m.picker.list.Type(key)
		return m.follow()
	}
	return nil
}

// Watched follows the watch: when an upgrade has ended, the offers are others.
func (m *Model) Watched(w views.Watched) tea.Cmd {
	if m.env.Offline || !w.Reading.Ended || m.picker.Loading || !m.picker.Updated.Before(w.Reading.At) {
		return nil
	}
	m.picker.installed.reading, m.picker.history.reading = time.Time{}, time.Time{}
	return m.readOffers()
}
