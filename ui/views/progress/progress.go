package progress

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/jsonview"
	"geodeck/ui/widget/rows"
)

// Maker offers the view to the dashboard.
var Maker = views.Maker{ID: "progress", Title: "Progress", New: func(env *views.Env) views.View { return New(env) }}

// Model is the view: it routes, lays out, and holds the run that its parts show.
type Model struct {
	shown
	board    board
	messages messages
	summary  summary
	message  *message // one message, shown in place of all else
	cache    rowsCache
	summed   bool // the summary is wanted in place of the messages
}

// New returns the view; Focus starts it.
func New(env *views.Env) *Model {
	m := &Model{shown: shown{Base: views.NewBase(env), inks: newInks(env.Theme)}}
	m.board = board{&m.shown}
	m.messages = messages{shown: &m.shown, host: m, list: rows.New[messageKey](env.Theme)}
	m.summary = summary{shown: &m.shown, pager: rows.NewPager(env.Theme.Glyphs.Ellipsis)}
	return m
}

// Init takes what the watch has read so far; Focus follows.
func (m *Model) Init() tea.Cmd {
	m.take(m.Env.Upgrade)
	m.Arrange()
	return nil
}

// Focus has the site looked at, unless the watch does so anyway, or has told of
// an end that shall stay on the screen.
func (m *Model) Focus() tea.Cmd {
	m.summary.health.expire()
	if w := m.Env.Upgrade; m.Env.Offline || w.On || w.Snapshot.Ended {
		return m.summary.fetchHealth()
	}
	return tea.Batch(m.watch(), m.summary.fetchHealth())
}

// SetSize gives the view its cells.
func (m *Model) SetSize(width, height int) {
	m.Base.SetSize(width, height)
	m.Arrange()
	m.messages.follow()
}

// Watched takes a reading of the watch.
func (m *Model) Watched(w views.Watched) tea.Cmd {
	m.take(w)
	m.Arrange()
	return m.summary.fetchHealth()
}

// take notes a reading, and shows it unless an earlier run is looked at. One that
// told nothing leaves the last one on the screen.
func (m *Model) take(w views.Watched) {
	if w.Snapshot.At.IsZero() || w.Snapshot.At.Equal(m.live.At) {
		return
	}
	before := m.live
	m.live = w.Snapshot
	if m.record {
		return
	}
	m.turnPage(before)
	m.show(w.Snapshot)
}

// turnPage shows the summary at a success that comes while somebody watches, and
// the log again when the next run begins. Of a failure the last messages tell more.
// Who reads is not disturbed.
func (m *Model) turnPage(before operation.UpgradeSnapshot) {
	switch {
	case m.live.Ended && m.live.Meaning == progress.StateSucceeded && !before.Ended && !m.messages.paused && m.message == nil && !m.CapturesText():
		m.summed = true
	case m.live.Meaning == progress.StateRunning && before.Ended:
		m.summed = false
	}
}

// show shows a reading.
func (m *Model) show(r operation.UpgradeSnapshot) {
	m.reading = r
	m.messages.show(newLog(&m.shown))
}

// CapturesText reports whether a filter or a search is being typed.
func (m *Model) CapturesText() bool {
	if m.message != nil {
		return m.message.typing()
	}
	return m.messages.list.Typing()
}

// Update takes typed text, and replies.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	cmd := m.update(msg)
	m.Arrange()
	return cmd
}

func (m *Model) update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		switch {
		case !m.CapturesText():
		case m.message != nil:
			m.message.json.Type(msg)
		default:
			m.messages.typed(msg)
		}
	case healthRead:
		return m.summary.take(msg)
	case healthDue:
		m.summary.health.expire()
		return m.summary.fetchHealth()
	case runsRead:
		return m.chooseRecord(msg)
	case recordRead:
		return m.openRecord(msg)
	case evidenceMade:
		return m.askEvidence(msg)
	case written:
		if msg.err == nil {
			m.messages.list.Unmark()
		}
		return msg.tell()
	}
	return nil
}

// Status says what the frame shows for the view.
func (m *Model) Status() views.Status {
	status := views.Status{Updated: m.live.At}
	w := m.Env.Upgrade
	switch {
	case !w.On || w.Refused() != nil:
	case w.Snapshot.Away != nil:
		status.Away = &views.Away{Since: w.Snapshot.AwaySince, Next: w.Next, Err: w.Snapshot.Away}
	case w.Snapshot.At.IsZero():
		status.Busy = "reading the upgrade"
	case w.Snapshot.Meaning == progress.StateRunning:
		status.Busy = "upgrade in progress"
	}
	if m.record {
		status.Path = append(status.Path, "earlier run")
	}
	switch {
	case m.message != nil:
		status.Path = append(status.Path, "message "+m.message.title)
	case m.place == alone:
		status.Path = append(status.Path, "summary")
	}
	return status
}

const (
	group    = "Messages"
	runGroup = "Run"
	copyHelp = "Copy the message, or the marked ones, as lines: time in UTC, code, text."
)

// rowsCache are the rows as they were made last: only an open message, and the form in
// which it is written, make them anew.
type rowsCache struct {
	rows []views.Command
	of   *message
	form int
}

// Commands are the rows of the view, those of what is on the screen first.
func (m *Model) Commands() []views.Command {
	form := 0
	if m.message != nil {
		form = m.message.form
	}
	if c := &m.cache; c.rows == nil || c.of != m.message || c.form != form {
		*c = rowsCache{m.makeRows(), m.message, form}
	}
	return m.cache.rows
}

func (m *Model) makeRows() []views.Command {
	open := func() bool { return m.message != nil }
	empty := func() bool { return m.nothing() || m.log.Len() == 0 }
	summed := func() bool { return m.message == nil && !empty() && m.place == alone }
	listed := func() bool { return m.message == nil && !empty() && m.place != alone }
	run := func() bool { return m.message == nil }
	return views.Guarded(views.Then(slices.Concat(
		views.When(listed, m.messages.Commands(views.When(func() bool { return !m.wide() }, []views.Command{m.pageRow()}))),
		views.When(summed, []views.Command{m.pageRow().Hinted("messages")}),
		views.When(func() bool { return (summed() || listed()) && m.over() && !m.record && !m.waits() }, m.healthRows()),
		views.When(summed, m.messages.onSummary("progress.phase")),
		views.When(run, m.runRows(empty)),
		views.When(summed, m.messages.onSummary("progress.save", "progress.copy-all", "progress.attention",
			rows.Filter, rows.Search, rows.Next, rows.Previous)),
		views.When(summed, m.summary.Commands()),
		views.When(func() bool { return run() && (m.record || m.messages.narrowed() || m.place == alone) }, m.backRows()),
		views.When(open, m.messageRows())), // behind the log, whose filter knows more words
		m.after))
}

// after is what follows each command: what is shown has changed.
func (m *Model) after() tea.Cmd {
	m.Arrange()
	return m.summary.fetchHealth()
}

func (m *Model) pageRow() views.Command {
	return views.Command{ID: "progress.summary", Binding: views.Key("summary", "tab"), Name: "summary", Group: runGroup,
		Help: "Show phases, times and health in place of the messages, or the messages again. Wide terminals show both.",
		Run: views.Do(func() tea.Cmd {
			m.summed = !m.summed
			return nil
		})}
}

func (m *Model) healthRows() []views.Command {
	return []views.Command{{ID: "progress.health", Binding: views.Key("check health", "h"), Name: "check health now", Group: runGroup, Run: views.Do(m.checkHealth),
		Help: "After a run: run a health check in the view Health."}}
}

// runRows are about the run as a whole; without one there is no evidence.
func (m *Model) runRows(empty func() bool) []views.Command {
	return []views.Command{
		{ID: "progress.watch", Binding: views.Key("read again", "R", "ctrl+r"), Name: "watch upgrade", Group: runGroup, Run: views.Do(m.refresh),
			Help: "Read the site again at once; an upgrade that runs is watched from then on."},
		{ID: "progress.record", Binding: views.Key("", "T"), Name: "earlier runs", Group: runGroup, Run: views.Do(m.fetchRecords),
			Help: "Choose among the runs that were watched from this machine, and show its record."},
		{ID: "progress.evidence", Binding: views.Key("", "E"), Name: "write evidence", Group: runGroup, Run: views.Do(m.gather),
			Enabled: func() bool { return !empty() },
			Help:    "Write what is known of the run into one zip: messages, phases, settings without secrets, health, checksums."},
	}
}

func (m *Model) backRows() []views.Command {
	return []views.Command{{ID: "progress.back", Binding: views.Key("back", "esc"), Name: "go back", Group: group, Run: views.Do(m.back),
		Help: "One step back: the message, the marks, the search, the filter, the summary, the record of an earlier run."}}
}

// messageRows are the rows while one message is open.
func (m *Model) messageRows() []views.Command {
	own := jsonview.New(m.Env.Theme).Commands() // for help, while none is open
	if m.message != nil {
		own = m.message.Commands()
	}
	form := views.Command{ID: "progress.form", Binding: views.Key("table/tree/text", "v"), Name: "table, tree or text", Group: group,
		Help:    "In an open message: its JSON as a table, as a tree, or the text as it came.",
		Enabled: func() bool { return m.message != nil && len(m.message.forms) > 1 },
		Run: views.Do(func() tea.Cmd {
			m.message.next()
			return nil
		})}
	text := views.Command{ID: "progress.copy", Binding: views.Key("copy", "y"), Name: "copy message", Group: group, Help: copyHelp,
		Run: views.Do(func() tea.Cmd {
			return views.Send(views.Copy{Text: lineOf(m.message.UpgradeMessage), What: "message"})
		})}
	return slices.Concat(m.backRows(), []views.Command{text, form}, own)
}

// back undoes the last thing that stands in front of the log.
func (m *Model) back() tea.Cmd {
	switch {
	case m.message != nil && m.message.unfilter():
	case m.message != nil:
		m.message = nil
	case m.place == alone:
		m.summed = false
	case m.messages.back():
	case m.record:
		m.closeRecord()
	}
	m.messages.follow()
	return nil
}

func (m *Model) showMessages() { m.summed = false }

func (m *Model) open(message adminapi.UpgradeMessage) { m.message = newMessage(message, &m.shown) }

// watch has the site looked at. The root reads for every view: an upgrade that
// runs is watched to its end, and one that has ended is reported once.
func (m *Model) watch() tea.Cmd { return views.Send(views.WatchUpgrade{}) }

func (m *Model) refresh() tea.Cmd {
	m.summary.health.expire()
	return m.watch()
}

// The view that runs health checks, and its command.
const (
	healthView = "health"
	healthRun  = "health.run"
)

// checkHealth leads to where a health check is run.
func (m *Model) checkHealth() tea.Cmd {
	m.summary.health.expire()
	return views.Send(views.Navigate{View: healthView, Command: healthRun})
}
