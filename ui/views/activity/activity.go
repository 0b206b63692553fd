// Package activity is the view of what goes on: the jobs of the site, and what this machine
// has sent to change it.
//
// Start at [Model], which routes between its children: jobs.go and records.go are the two
// lists, detail.go shows one row whole, package jsonview what was written of it. jobrows.go and
// recordrows.go draw the rows. Package operation reads the jobs, package journal the record.
package activity

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/ui/views"
	"geodeck/ui/widget/jsonview"
	"geodeck/ui/widget/rows"
)

// Maker offers the view to the dashboard.
var Maker = views.Maker{ID: "activity", Title: "Activity", New: func(env *views.Env) views.View { return New(env) }}

const listGroup = "Jobs and record"

// Model is the view: one of two lists, and the detail of the row under its cursor.
type Model struct {
	child
	table []views.Command

	jobs     jobList
	records  recordList
	onRecord bool // the record is shown, not the jobs
	detail   detail
	inDetail bool // keys scroll the detail
	json     jsonview.Screen
}

// child is the common part of all children.
type child struct {
	views.Base
	inks *rows.Inks
}

// New returns the view; Init starts it.
func New(env *views.Env) *Model {
	inks := rows.NewInks(env.Theme)
	m := &Model{child: child{views.NewBase(env), &inks}}
	c := child{m.Child(), &inks}
	m.jobs = jobList{child: c, rows: rows.New[string](env.Theme)}
	m.jobs.arrange()
	m.records = recordList{child: c, rows: rows.New[string](env.Theme)}
	m.records.arrange()
	m.detail, m.json = detail{child: c, pager: rows.NewPager(c.inks.Glyphs.Ellipsis)}, jsonview.NewScreen(c.Base)
	m.table = m.rows()
	m.Answers = views.Hooks{About: m.about, Freshens: true, Rests: true}
	return m
}

// Init reads nothing: [views.Shown] follows.
func (m *Model) Init() tea.Cmd { return nil }

// event follows what the root tells.
func (m *Model) event(e views.Event) tea.Cmd {
	switch e {
	case views.Shown:
		m.jobs.newest.read = false
		return tea.Batch(m.records.fetch(), m.jobs.focus(), m.jobs.fetchRuns())
	case views.StateChanged:
		return m.jobs.fetchRuns()
	case views.Freshen: // the jobs are polled faster while one runs, and no longer than that after another view is shown
		if m.onRecord {
			return tea.Batch(m.records.fetch(), m.jobs.freshen(), m.jobs.fetchRuns())
		}
		return tea.Batch(m.jobs.freshen(), m.jobs.fetchRuns())
	case views.Rested:
		return m.rested()
	case views.HealthEnded, views.RecordChanged: // the record has changed
		return m.records.fetch()
	}
	return nil
}

// Update handles typed text, and passes replies to the child that requested them.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case views.Event:
		return m.event(msg)
	case tea.KeyMsg:
		switch {
		case m.json.Open && m.json.Typing():
			m.json.Type(msg)
		case m.CapturesText():
			m.list().Type(msg)
			return m.rested()
		}
	case jobsRead:
		return tea.Batch(m.jobs.Update(msg), m.follow())
	case recordsRead:
		return tea.Batch(m.records.Update(msg), m.follow())
	case views.Retry:
		return msg.Do()
	}
	return nil
}

// list is the one that is shown.
func (m *Model) list() *rows.List[string] {
	if m.onRecord {
		return m.records.rows
	}
	return m.jobs.rows
}

// CapturesText reports whether a filter is being typed.
func (m *Model) CapturesText() bool {
	return m.json.Open && m.json.Typing() || !m.json.Open && !m.inDetail && m.list().Typing()
}

// rested shows what the cursor is on, and reads the jobs that have come onto the screen. In the
// detail, and in the JSON, no cursor moves.
func (m *Model) rested() tea.Cmd {
	switch {
	case m.json.Open, m.inDetail:
		return nil
	case m.onRecord:
		return m.follow()
	}
	return tea.Batch(m.jobs.rested(), m.follow())
}

// follow shows the row under the cursor.
func (m *Model) follow() tea.Cmd {
	if m.onRecord {
		r, ok := m.records.selected()
		if !ok {
			m.detail.clear()
			return nil
		}
		return m.detail.showRecord(r, m.jobs.table)
	}
	if row, ok := m.jobs.selected(); ok {
		return m.detail.showJob(row)
	}
	m.detail.clear()
	return nil
}

// turn shows the other list.
func (m *Model) turn() tea.Cmd {
	m.onRecord, m.inDetail = !m.onRecord, false
	m.place()
	return m.rested()
}

// sort sorts the list that is shown in the next way. The cursor stays on its row.
func (m *Model) sort() {
	if m.onRecord {
		m.records.order = (m.records.order + 1) % len(recordOrders)
		m.records.arrange()
		return
	}
	m.jobs.order = (m.jobs.order + 1) % len(jobOrders)
	m.jobs.arrange()
}

// enter opens the detail; in the detail it goes to what that is about.
func (m *Model) enter() tea.Cmd {
	if !m.inDetail {
		followed := m.follow()
		m.inDetail = true
		m.place()
		return followed
	}
	return m.goThere()
}

// subject is what the row under the cursor is about.
func (m *Model) subject() operation.Subject {
	if m.inDetail {
		return m.detail.about
	}
	if m.onRecord {
		r, _ := m.records.selected()
		return subjectOf(r, m.jobs.table)
	}
	row, _ := m.jobs.selected()
	return row.job.About
}

// goThere shows what the row under the cursor is about in its view.
func (m *Model) goThere() tea.Cmd {
	_, to := m.destination()
	if to.View == "progress" && to.Command == "" {
		return views.Watch(views.WatchUpgrade{})
	}
	return views.Send(to)
}

// destination is where goThere leads, in two words and for the root; no words for nowhere.
func (m *Model) destination() (words string, to views.Navigate) {
	row, _ := m.jobs.selected()
	switch about := m.subject(); {
	case !m.onRecord && row.run != nil && !row.run.Newest && row.run.Transcript != "":
		return "to its messages", views.Navigate{View: "progress", Command: "progress.run", Argument: row.run.Transcript}
	case about.Service != "":
		return "to service", views.Navigate{View: "services", Command: "services.status", Argument: about.Service}
	case about.Upgrade:
		return "to progress", views.Navigate{View: "progress"}
	case about.Report != "":
		return "to report", views.Navigate{View: "health", Command: "health.report", Argument: about.Report}
	case about.Health:
		return "to health", views.Navigate{View: "health"}
	}
	return "", views.Navigate{}
}

// back goes one step back. It clears a filter first.
func (m *Model) back() {
	switch {
	case m.json.Back():
	case m.inDetail:
		m.inDetail = false
		m.place()
	default:
		m.list().SetFilter("")
	}
}

// copyID copies the id of the row under the cursor.
func (m *Model) copyID() tea.Cmd {
	id, _ := m.list().Key()
	what := "job id"
	if m.onRecord {
		what = "record id"
	}
	return views.CopyText(id, what)
}

// copyText copies what the detail shows, once that is read.
func (m *Model) copyText() tea.Cmd {
	if followed := m.follow(); followed != nil {
		m.detail.copies = true
		return followed
	}
	return m.detail.copy()
}

// showJSON shows what the site or this machine wrote about the row under the cursor.
func (m *Model) showJSON() tea.Cmd {
	followed := m.follow()
	id, _ := m.list().Key()
	if m.onRecord {
		memory := m.Env.Site.Memory.Journal
		return tea.Batch(followed, m.json.Show("Record "+id, func(context.Context) ([]byte, error) { return linesJSON(memory, id) }))
	}
	row, _ := m.jobs.selected()
	client, job := m.Env.Site.Client, row.job
	return tea.Batch(followed, m.json.Show("Job "+id, func(ctx context.Context) ([]byte, error) {
		if len(job.Raw) > 0 && job.Ended() {
			return job.Raw, nil
		}
		whole, err := client.Jobs.Get(ctx, id)
		return whole.Raw, err
	}))
}

// Commands returns the commands of the view.
func (m *Model) Commands() []views.Command { return m.table }

// The footers of the lists with their detail, and of the JSON.
var (
	footer = []string{rows.Up, rows.Down, "activity.enter", "activity.turn", rows.Filter, "activity.sort", "activity.json", "activity.back"}

	jsonFooter = []string{rows.Up, rows.Down, "activity.back", rows.Filter}
)

// Footer lists the rows of the footer.
func (m *Model) Footer() []string {
	if m.json.Open {
		return jsonFooter
	}
	return footer
}

func (m *Model) rows() []views.Command {
	belowJSON := func() bool { return !m.json.Open && !m.CapturesText() }
	onList := func() bool { return belowJSON() && !m.inDetail }
	ofList := func(l *rows.List[string]) []views.Command {
		return views.When(func() bool { return onList() && m.list() == l && l.All() > 0 }, slices.Concat(l.Filters(), l.Moves()))
	}
	return slices.Concat(
		views.Grouped("Move", []views.Command{
			{ID: "activity.enter", Key: "enter", Hint: m.enterHint, Name: "go in", Shown: belowJSON, Enabled: m.noEntry, Run: m.enter,
				Help: "Show the row whole; there, go to the service, report or upgrade that it is about."},
			{ID: "activity.back", Key: "esc", Word: "back", Name: "go back", Run: views.Call(m.back),
				Shown: func() bool { return (m.json.Open || m.inDetail || m.list().Filter() != "") && !m.CapturesText() },
				Help:  "One step back; clears a filter first."},
			{ID: "activity.turn", Key: "tab shift+tab", Hint: m.turnHint, Name: "next pane", Shown: onList, Run: m.turn,
				Help: "The jobs of the site, or what this machine has sent."},
		}),
		ofList(m.jobs.rows), ofList(m.records.rows),
		views.Grouped(listGroup, []views.Command{
			{ID: "activity.sort", Key: "s", Word: "sort", Name: "sort", Run: views.Call(m.sort),
				Shown: func() bool { return onList() && m.list().All() > 0 },
				Help:  "Sort jobs by start, state, user or duration; records by time or outcome."},
			{ID: "activity.verify", Name: "verify record", Run: m.records.verify,
				Shown:   func() bool { return onList() && m.onRecord },
				Enabled: views.Only(func() bool { return m.Env.Site.Memory.Journal != nil }, noJournal),
				Help:    "Check that nothing in the record was changed, added or removed."},
		}),
		views.When(func() bool { return belowJSON() && m.inDetail }, m.detail.Commands()),
		views.When(belowJSON, views.Grouped(listGroup, []views.Command{
			{ID: "activity.json", Key: "v", Word: "JSON", Name: "view JSON", Enabled: m.noJSON, Run: m.showJSON,
				Help: "Show what was written of the job or the record, as JSON."},
			{ID: "activity.go", Name: "go to its subject", Enabled: m.nowhere, Run: m.goThere,
				Help: "Go to the service, report or upgrade that the row is about."},
			{ID: "activity.copy", Key: "y", Name: "copy id", Enabled: m.noRow, Run: m.copyID,
				Help: "Copy the id of the job or record."},
			{ID: "activity.copy-text", Key: "Y", Name: "copy text", Enabled: m.noRow, Run: m.copyText,
				Help: "Copy what is shown of the job or record."},
			{ID: "activity.refresh", Key: "R f5", Name: "refresh",
				Run: func() tea.Cmd {
					m.jobs.newest.read = false
					return tea.Batch(m.records.fetch(), m.jobs.refresh(), m.jobs.fetchRuns())
				},
				Enabled: m.NoSite,
				Help:    "Refresh the jobs, the upgrades and the record."},
		})),
		views.When(func() bool { return m.json.Open && !m.CapturesText() }, m.json.Commands()),
	)
}

// noRow says why no row is under the cursor.
func (m *Model) noRow() string {
	switch {
	case m.list().Len() > 0:
		return ""
	case m.onRecord:
		return "No record is selected."
	}
	return "No job is selected."
}

// noJSON says why there is no JSON of the row under the cursor.
func (m *Model) noJSON() string {
	if row, _ := m.jobs.selected(); !m.onRecord && row.run != nil {
		return "An upgrade is no job. Progress has its messages."
	}
	return m.noRow()
}

// nowhere says why the row under the cursor leads nowhere.
func (m *Model) nowhere() string {
	why := m.noRow()
	if words, _ := m.destination(); why == "" && words == "" {
		return "No view shows what this is about."
	}
	return why
}

// noEntry says why enter does nothing.
func (m *Model) noEntry() string {
	if m.inDetail {
		return m.nowhere()
	}
	return m.noRow()
}

// enterHint says what enter does.
func (m *Model) enterHint() string {
	if m.inDetail {
		words, _ := m.destination()
		return words
	}
	return "open"
}

// turnHint names the list that is not shown.
func (m *Model) turnHint() string {
	if m.onRecord {
		return "jobs"
	}
	return "record"
}
