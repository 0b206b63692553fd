package progress

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade/progress"
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

	reading operation.UpgradeReading // what is shown
	live    operation.UpgradeReading // the last one of the watch that told something
	record  bool                     // reading is the record of an earlier run
	log     *log
	list    *rows.List[messageKey]
	paused  bool   // the cursor stays where it is when messages come
	passed  int    // messages at the moment of the pause
	whole   *whole // one message, shown in place of all else
	summary bool   // phases and health are shown in place of the log
	pager   *rows.Pager
	around  around
}

// New returns the view; Focus starts it.
func New(env *views.Env) *Model {
	m := &Model{
		env: env, scope: views.NewScope(env.Context), inks: newInks(env.Theme),
		list: rows.New[messageKey](env.Theme), pager: rows.NewPager(env.Theme.Glyphs.Ellipsis),
	}
	m.take(env.Upgrade)
	return m
}

// Init has nothing to start: Focus follows.
func (m *Model) Init() tea.Cmd { return nil }

// Focus has the site looked at, unless the watch does so anyway, or has told of
// an end that shall stay on the screen.
func (m *Model) Focus() tea.Cmd {
	m.around.again()
	if w := m.env.Upgrade; m.env.Offline || w.On || w.Reading.Ended {
		return m.wantHealth()
	}
	return tea.Batch(m.watch(), m.wantHealth())
}

// Blur has nothing to stop: the watch goes on.
func (m *Model) Blur() {}

// Leave asks nothing: the upgrade goes on without this program.
func (m *Model) Leave() string { return "" }

// Replies is what replies are addressed to.
func (m *Model) Replies() *views.Scope { return m.scope }

// Close ends the view.
func (m *Model) Close() { m.scope.Close() }

// SetSize gives the view its cells.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.place()
}

// Watched takes a reading of the watch.
func (m *Model) Watched(w views.Watched) tea.Cmd {
	m.take(w)
	return m.wantHealth()
}

// take notes a reading, and shows it unless an earlier run is looked at. One that
// told nothing leaves the last one on the screen.
func (m *Model) take(w views.Watched) {
	if w.Reading.At.IsZero() || w.Reading.At.Equal(m.live.At) {
		return
	}
	before := m.live
	m.live = w.Reading
	if m.record {
		return
	}
	m.turnPage(before)
	m.show(w.Reading)
}

// turnPage shows the summary at a success that comes while somebody watches, and
// the log again when the next run begins. Of a failure the last messages tell more.
// Who reads is not disturbed.
func (m *Model) turnPage(before operation.UpgradeReading) {
	switch {
	case m.live.Ended && m.live.Meaning == progress.StateSucceeded && !before.Ended && !m.paused && m.whole == nil && !m.CapturesText():
		m.summary = true
	case m.live.Meaning == progress.StateRunning && before.Ended:
		m.summary = false
	}
}

// show shows a reading. What was drawn of the log stays where it only grew.
func (m *Model) show(r operation.UpgradeReading) {
	m.reading = r
	next := newLog(m)
	if m.log != nil && next.goesOnFrom(m.log) && !m.asksForOpen() {
		m.log = next
		m.list.Grow(next)
	} else {
		m.log = next
		m.list.Set(next)
	}
	m.follow()
}

// now is the moment up to which things last, by the server's clock: of a record the
// moment at which it ends.
func (m *Model) now() adminapi.Millis {
	at := m.env.Clock.Now()
	if m.record {
		at = m.reading.At
	}
	return adminapi.MillisOf(at.Add(m.reading.Ahead))
}

// follow keeps the newest message on the screen.
func (m *Model) follow() {
	if !m.paused {
		m.list.Do(rows.Bottom)
	}
}

// CapturesText tells whether a filter or a search is being typed.
func (m *Model) CapturesText() bool {
	if m.whole != nil {
		return m.whole.typing()
	}
	return m.list.Typing()
}

// Update takes typed text, and replies.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case interface{ apply(*Model) tea.Cmd }:
		return msg.apply(m)
	case tea.KeyMsg:
		if m.CapturesText() {
			m.typed(msg)
		}
	}
	return nil
}

// typed gives a key to what is typed into. A search leads away from the newest
// message.
func (m *Model) typed(key tea.KeyMsg) {
	if m.whole != nil {
		m.whole.json.Type(key)
		return
	}
	searched := m.list.Searched()
	m.list.Type(key)
	if m.list.Searched() != searched {
		m.setPaused(m.paused || !m.list.Last())
	}
	m.follow()
}

// Status says what the frame shows for the view.
func (m *Model) Status() views.Status {
	status := views.Status{Updated: m.live.At}
	w := m.env.Upgrade
	switch {
	case !w.On || w.Refused() != nil:
	case w.Reading.Away != nil:
		status.Away = &views.Away{Since: w.Reading.AwaySince, Next: w.Next, Err: w.Reading.Away}
	case w.Reading.At.IsZero():
		status.Busy = "reading the upgrade"
	case w.Reading.Meaning == progress.StateRunning:
		status.Busy = "upgrade in progress"
	}
	if m.record {
		status.Path = append(status.Path, "earlier run")
	}
	switch {
	case m.whole != nil:
		status.Path = append(status.Path, "message "+m.whole.title)
	case m.summaryPage():
		status.Path = append(status.Path, "summary")
	}
	return status
}

// selected returns the message under the cursor.
func (m *Model) selected() (adminapi.UpgradeMessage, bool) {
	i, ok := m.list.Selected()
	if !ok {
		return adminapi.UpgradeMessage{}, false
	}
	return m.log.At(i).UpgradeMessage, true
}
