package progress

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// Maker offers the view to the dashboard.
var Maker = views.Maker{ID: "progress", Title: "Progress", Table: table(), New: func(env *views.Env) views.View { return New(env) }}

// Model is the view.
type Model struct {
	env    *views.Env
	scope  *views.Scope
	inks   inks
	width  int
	height int

	reading operation.UpgradeReading // the last one that told something
	run     upgrade.Run
	// openPhase is where the run stands by its log, empty where that is not told.
	openPhase string
	ahead     time.Duration // the server's clock less ours
	log       *log
	list      *rows.List[messageKey]
	paused    bool   // the cursor stays where it is when messages come
	passed    int    // messages at the moment of the pause
	whole     *whole // one message, shown in place of the log
}

// New returns the view; Focus starts it.
func New(env *views.Env) *Model {
	m := &Model{env: env, scope: views.NewScope(env.Context), inks: newInks(env.Theme), list: rows.New[messageKey](env.Theme)}
	m.take(env.Upgrade)
	return m
}

// Init has nothing to start: Focus follows.
func (m *Model) Init() tea.Cmd { return nil }

// Focus has the site looked at, unless the watch does so anyway, or has told of
// an end that shall stay on the screen.
func (m *Model) Focus() tea.Cmd {
	if w := m.env.Upgrade; m.env.Offline || w.On || w.Reading.Ended {
		return nil
	}
	return m.watch()
}

// Blur has nothing to stop: the watch goes on.
func (m *Model) Blur() {}

// Leave asks nothing: the upgrade goes on without this program.
func (m *Model) Leave() string { return "" }

// Scope is what replies are addressed to.
func (m *Model) Scope() *views.Scope { return m.scope }

// Close ends the view.
func (m *Model) Close() { m.scope.Close() }

// SetSize gives the view its cells.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.place()
}

// place hands the cells out again after what is shown changed.
func (m *Model) place() {
	m.list.SetSize(m.inner(), m.room())
	if m.whole != nil {
		m.whole.setSize(m.inner(), m.height)
	}
	m.follow()
}

// inner is the width between the margins.
func (m *Model) inner() int { return max(1, m.width-2*margin) }

// room is how many lines of messages there are.
func (m *Model) room() int { return max(0, m.height-headLines-footLines) }

// Watched takes a reading of the watch.
func (m *Model) Watched(w views.Watched) tea.Cmd {
	m.take(w)
	return nil
}

// take shows a reading. One that told nothing leaves the last one on the screen.
func (m *Model) take(w views.Watched) {
	if w.Reading.At.IsZero() || w.Reading.At.Equal(m.reading.At) {
		return
	}
	m.reading, m.run = w.Reading, upgrade.LastRun(w.Reading.Status)
	m.openPhase = upgrade.OpenPhase(w.Reading.Status)
	m.ahead, _ = m.env.Site.Client.ServerTime()
	if m.log == nil || !m.log.holds(w.Reading.Status.Messages) {
		m.log = newLog(w.Reading.Status.Messages, m.env, &m.inks)
		m.list.Set(m.log)
	}
	m.follow()
}

// follow keeps the newest message on the screen.
func (m *Model) follow() {
	if !m.paused {
		m.list.Do(rows.Bottom)
	}
}

// CapturesText tells whether a filter is being typed.
func (m *Model) CapturesText() bool {
	if m.whole != nil {
		return m.whole.typing()
	}
	return m.list.Typing()
}

// Update takes typed text.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyMsg)
	switch {
	case !ok || !m.CapturesText():
	case m.whole != nil:
		m.whole.json.Type(key)
	default:
		m.list.Type(key)
		m.follow()
	}
	return nil
}

// Status says what the frame shows for the view.
func (m *Model) Status() views.Status {
	status := views.Status{Reading: m.reading.At}
	w := m.env.Upgrade
	switch {
	case !w.On || w.Resting != nil:
	case w.Reading.Away != nil:
		status.Away = &views.Away{Since: w.Reading.AwaySince, Next: w.Next, Err: w.Reading.Away}
	case w.Reading.At.IsZero():
		status.Busy = "reading the upgrade"
	case w.Reading.Meaning == upgrade.ReadRunning:
		status.Busy = "upgrade in progress"
	}
	if m.whole != nil {
		status.Path = []string{"message " + m.whole.title}
	}
	return status
}

// selected returns the message under the cursor.
func (m *Model) selected() (adminapi.UpgradeMessage, bool) {
	i, ok := m.list.Selected()
	if !ok {
		return adminapi.UpgradeMessage{}, false
	}
	return m.log.entries[i].UpgradeMessage, true
}
