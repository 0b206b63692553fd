// Package progress is the view of an upgrade while it runs: its state and its clocks, its
// phases, and its messages, which can be filtered, searched, copied and saved. A summary
// follows its end. When nothing runs the view shows the last run, or on request the record
// of an earlier one.
//
// The root polls the site for all views, see [views.Watched]. Start at [Model]. The parts
// share the run (run.go), which knows the room of the view (layout.go); board.go draws what is above
// the log, messages.go the log, summary.go the summary.
package progress

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/jsonview"
	"geodeck/ui/widget/rows"
)

// Maker offers the view to the dashboard.
var Maker = views.Maker{ID: "progress", Title: "Progress", New: func(env *views.Env) views.View { return New(env) }}

// Model is the view: it routes, lays out, and holds the run that its parts show.
type Model struct {
	views.Base
	run      run
	board    board
	band     band
	messages messages
	summary  summary
	earlier  earlier
	message  *message // one message, shown in place of everything else
	table    []views.Command
	revision int                           // counts what changes the lines above the log, but for keys and the time
	cache    views.Drawn[moment, []string] // what is above the log
}

// New returns the view; Init starts it.
func New(env *views.Env) *Model {
	m := &Model{Base: views.NewBase(env)}
	m.run = run{Base: m.Child(), inks: rows.NewInks(env.Theme)}
	m.earlier.run = &m.run
	m.board = board{&m.run}
	m.messages = messages{run: &m.run, open: m.open,
		list: rows.New[messageKey](env.Theme)}
	m.summary = summary{run: &m.run, pager: rows.NewPager(env.Theme.Glyphs.Ellipsis)}
	m.band = band{&m.run, &m.summary}
	m.tabulate()
	m.Answers = views.Hooks{About: m.about, Arrange: m.arrange}
	return m
}

// Init takes the snapshot of the watch so far; [views.Shown] follows.
func (m *Model) Init() tea.Cmd {
	m.take(m.Env.Upgrade)
	return nil
}

// focus polls the site, unless the watch does, or has seen an end that stays on the screen.
func (m *Model) focus() tea.Cmd {
	m.summary.health.expire()
	m.earlier.asked = m.earlier.asked && m.earlier.err == nil
	if w := m.Env.Upgrade; m.Env.Offline || w.On || w.Snapshot.Ended {
		return m.summary.fetchHealth()
	}
	return tea.Batch(m.watch(), m.summary.fetchHealth())
}

// SetSize gives the view its cells.
func (m *Model) SetSize(width, height int) {
	m.Base.SetSize(width, height)
	m.run.SetSize(width, height)
	m.arrange()
	m.messages.follow()
}

// event follows what the root tells.
func (m *Model) event(e views.Event) tea.Cmd {
	switch e {
	case views.Shown:
		return m.focus()
	case views.UpgradeRead:
		return m.upgradeRead()
	case views.StateChanged: // the site may be read-only no longer
		m.revision++
		m.arrange()
	}
	return nil
}

// upgradeRead takes a snapshot of the watch.
func (m *Model) upgradeRead() tea.Cmd {
	m.revision++
	m.take(m.Env.Upgrade)
	m.arrange()
	return tea.Batch(m.summary.fetchHealth(), m.earlier.fetch(), m.run.followPanel())
}

// take keeps a new snapshot of the watch, and shows it unless a record is shown.
func (m *Model) take(w views.Watched) {
	if w.Snapshot.At.IsZero() || w.Snapshot.At.Equal(m.run.live.At) {
		return
	}
	before := m.run.live
	m.run.live = w.Snapshot
	if m.run.record {
		return
	}
	m.chooseSummary(before)
	m.show(w.Snapshot)
}

// chooseSummary shows the summary when a run succeeds, and the log when the next one
// begins. After a failure the last messages stay, since they say more. A user who reads is
// not disturbed.
func (m *Model) chooseSummary(before watching.Snapshot) {
	switch {
	case m.run.live.Ended && m.run.live.Meaning == progress.StateSucceeded && !before.Ended && !m.messages.paused && m.message == nil && !m.CapturesText():
		m.run.summed = true
	case m.run.live.Meaning == progress.StateRunning && before.Ended:
		m.run.summed = false
	}
}

// show shows a snapshot.
func (m *Model) show(r watching.Snapshot) {
	m.run.snapshot, m.run.deployments = r, progress.Deployments(r.Log)
	m.messages.show(newLog(&m.run))
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
	if e, is := msg.(views.Event); is {
		return m.event(e)
	}
	defer m.arrange()
	if _, key := msg.(tea.KeyMsg); !key {
		m.revision++
	}
	switch msg := msg.(type) {
	case tea.KeyMsg:
		switch {
		case !m.CapturesText():
		case m.message != nil:
			m.message.json.Type(msg)
		default:
			m.messages.typed(msg)
		}
	case views.Retry:
		return msg.Do()
	}
	return nil
}

// Status returns what the frame shows for the view.
func (m *Model) Status() views.Status {
	status := views.Status{Updated: m.run.live.At}
	switch w := m.Env.Upgrade; { // what the watch knows is told above the log
	case m.messages.gathering:
		status.Busy = "gathering the evidence"
	case w.On && w.Refused() == nil && w.Snapshot.At.IsZero() && w.Snapshot.Unreachable == nil:
		status.Busy = "reading the upgrade"
	}
	if m.run.record {
		status.Path = append(status.Path, "earlier run")
	}
	switch {
	case m.message != nil:
		status.Path = append(status.Path, "message "+m.message.title)
	case m.run.place() == alone:
		status.Path = append(status.Path, strings.TrimSpace("board  "+m.summary.pager.Position()))
	}
	return status
}

const (
	group    = "Messages"
	runGroup = "Run"
	copyHelp = "Copy the message, or the marked ones, as lines: time in UTC, code, text."
)

// Commands returns the rows of the view.
func (m *Model) Commands() []views.Command { return m.table }

// The rows of the footer: of the log, of the log of a run that has failed or stalls, of the board
// alone, and of one message. Where there is no run, those of the log that are left.
var (
	logFooter = []string{rows.Up, rows.Down, "progress.explain", "progress.open", rows.Filter, "progress.summary", "progress.follow", "progress.copy", "progress.next-phase",
		"progress.attention", "progress.health", "progress.open-earlier", "progress.export", "progress.watch", "progress.back"}
	hamperedFooter = []string{rows.Up, rows.Down, "progress.explain", "progress.health", "progress.export", "progress.watch",
		"progress.open", rows.Filter, "progress.summary", "progress.follow", "progress.copy", "progress.next-phase", "progress.attention", "progress.back"}
	boardFooter = []string{rows.Up, rows.Down, "progress.explain", "progress.summary", "progress.health", "progress.export", "progress.watch",
		"progress.attention", rows.Filter, "progress.back"}
	messageFooter = []string{rows.Up, rows.Down, "progress.back", "progress.copy", "progress.form", rows.Filter}
)

// Footer lists the rows of the footer.
func (m *Model) Footer() []string {
	switch {
	case m.message != nil:
		return messageFooter
	case m.run.place() == alone:
		return boardFooter
	case m.run.hampered():
		return hamperedFooter
	}
	return logFooter
}

// tabulate makes the rows, of which those of an open message are its own.
func (m *Model) tabulate() {
	run := func() bool { return m.message == nil }
	logged := func() bool { return run() && !m.empty() }
	m.table = views.Guarded(views.Then(slices.Concat(
		views.When(run, m.explainRows()),
		views.When(logged, m.messages.Commands()),
		views.When(logged, m.boardRows()),
		views.When(run, m.runRows()),
		views.When(func() bool { return logged() && m.run.place() == alone }, m.summary.pager.Moves()),
		views.When(func() bool {
			return run() && (m.run.record || m.messages.list.Narrowed() || m.run.place() == alone || m.run.unpictured())
		}, []views.Command{m.backRow()}),
		m.namedRows(),
		views.When(func() bool { return m.message != nil }, m.messageRows())), // behind the log, whose filter has more words
		func() tea.Cmd { // what is shown has changed
			m.arrange()
			return m.summary.fetchHealth()
		}))
}

// empty reports whether there is no message to show.
func (m *Model) empty() bool { return m.run.nothing() || m.run.log.Len() == 0 }

// boardRows lead to the messages alone where the board is shown, and to the board where it is not,
// and from a run that has ended to a health check.
func (m *Model) boardRows() []views.Command {
	return views.Grouped(runGroup, []views.Command{
		{ID: "progress.summary", Key: "tab", Hint: m.pageHint, Name: "board",
			Help: "Switch between the messages and the board: phases, times, health.",
			Run: views.Call(func() {
				if m.run.large() {
					m.run.bare = !m.run.bare
				} else {
					m.run.summed = !m.run.summed
				}
			})},
		{ID: "progress.health", Key: "r", Hint: views.HintIf(func() bool { return !m.leftReadOnly() }, "check health"), Name: "check health now",
			Enabled: m.noCheck, Run: func() tea.Cmd {
				m.summary.health.expire()
				return views.Send(views.Navigate{View: "health", Command: "health.run"})
			},
			Help: "Run a health check after the upgrade."},
	})
}

// pageHint names what the messages and the board make room for.
func (m *Model) pageHint() string {
	if m.run.place() == alone || m.run.roomy() {
		return "messages"
	}
	return "board"
}

// noCheck says why health is not checked after this run.
func (m *Model) noCheck() string {
	switch {
	case m.run.record:
		return "This is an earlier run. Check health under Health."
	case !m.run.over() || m.run.awaitsBegin():
		return "Check health once the upgrade has ended."
	}
	return ""
}

// runRows are the rows about the run as a whole; without one there is no evidence.
func (m *Model) runRows() []views.Command {
	written := views.Only(func() bool { return !m.empty() }, "There is no run to export.")
	return views.Grouped(runGroup, []views.Command{
		{ID: "progress.open-earlier", Key: "enter", Word: "open", Name: "open earlier run", Shown: m.earlier.openable,
			Run:  func() tea.Cmd { return m.openRecord(m.earlier.newest()) },
			Help: "Where no run is shown: show the record of the newest that was watched here."},
		{ID: "progress.export", Key: "x", Word: "export", Name: "export", Enabled: written,
			Run:  m.messages.export,
			Help: "Write the evidence of the run, or messages, to a file."},
		{ID: "progress.watch", Key: "R f5", Word: "refresh", Name: "watch upgrade", Run: m.refresh,
			Help: "Refresh now and watch a running upgrade. Signs in first if the session has expired."},
		{ID: "progress.evidence", Name: "write evidence", Enabled: written, Run: m.messages.gather,
			Help: "Write one zip: messages, phases, settings without secrets, health, checksums."},
	})
}

func (m *Model) backRow() views.Command {
	return views.Command{ID: "progress.back", Key: "esc", Word: "back", Name: "go back", Group: group,
		Run:  m.back,
		Help: "One step back: message, marks, search, filter, board, earlier run."}
}

// messageRows are the rows while one message is open.
func (m *Model) messageRows() []views.Command {
	own := jsonview.New(m.Env.Theme).Commands() // for help, while none is open
	if m.message != nil {
		own = m.message.Commands()
	}
	return append([]views.Command{
		m.backRow(),
		{ID: "progress.copy", Key: "y", Word: "copy", Name: "copy message", Group: group, Help: copyHelp,
			Run: func() tea.Cmd { return copied(m.message.UpgradeMessage) }},
		{ID: "progress.form", Key: "v", Word: "table/tree/text", Name: "table, tree or text", Group: group,
			Help:    "In an open message: its JSON as table, tree or original text.",
			Enabled: views.Only(func() bool { return m.message == nil || len(m.message.forms) > 1 }, "This message is only text."),
			Run:     views.Call(func() { m.message.next() })},
	}, own...)
}

// back goes one step back towards the log.
func (m *Model) back() tea.Cmd {
	switch {
	case m.message != nil && m.message.unfilter():
	case m.message != nil:
		m.message = nil
	case m.run.place() == alone:
		m.run.summed = false
	case m.messages.list.Clear():
	case m.run.unpictured():
		m.run.bare = false
	case m.run.record:
		m.switchTo(m.run.live, false)
	}
	m.messages.follow()
	return nil
}

func (m *Model) open(message adminapi.UpgradeMessage) {
	m.message = newMessage(message, &m.run)
	m.tabulate()
}

// watch asks the root to poll the site: an upgrade that runs is watched to its end, and
// one that has ended is reported once.
func (m *Model) watch() tea.Cmd { return views.Send(views.WatchUpgrade{}) }

func (m *Model) refresh() tea.Cmd {
	m.summary.health.expire()
	m.earlier.asked = false
	if m.run.signedOut() {
		return views.Send(views.SignIn{Reason: "Sign in to keep watching." + m.Env.LastSeen()})
	}
	return m.watch()
}

// leftReadOnly reports whether the run has failed and left the site read-only.
func (m *Model) leftReadOnly() bool {
	p := &m.run.snapshot.Progress
	return p.Meaning == progress.StateFailed && p.ReadOnly.Lasts() && !m.run.lifted()
}
