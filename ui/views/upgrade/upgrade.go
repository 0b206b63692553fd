package upgrade

import (
	"path/filepath"
	"time"

	tea "github.com/charmbracelet/bubbletea"

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

// Scope is what replies are addressed to.
func (m *Model) Scope() *views.Scope { return m.scope }

// Close cancels what is under way.
func (m *Model) Close() { m.scope.Close() }

// Focus has nothing to do yet.
func (m *Model) Focus() tea.Cmd { return nil }

// Blur has nothing to stop.
func (m *Model) Blur() {}

// Leave asks nothing: nothing here is lost by leaving.
func (m *Model) Leave() string { return "" }

// CapturesText tells whether typed keys are text at present.
func (m *Model) CapturesText() bool {
	return m.raw != nil && m.raw.json.Typing() || m.raw == nil && m.picker.list.Typing()
}

// Update takes replies and typed text.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		return m.typed(msg)
	case reply:
		return msg.apply(m)
	}
	return nil
}

func (m *Model) typed(key tea.KeyMsg) tea.Cmd {
	switch {
	case m.raw != nil:
		m.raw.json.Type(key)
	case m.picker.list.Typing():
		m.picker.list.Type(key)
		return m.follow()
	}
	return nil
}

// Watched follows the watch: when an upgrade has ended, the offers are others.
func (m *Model) Watched(w views.Watched) tea.Cmd {
	if m.env.Offline || !w.Reading.Ended || m.picker.asking || !m.picker.reading.Before(w.Reading.At) {
		return nil
	}
	m.picker.installed.reading, m.picker.history.reading = time.Time{}, time.Time{}
	return m.readOffers()
}
