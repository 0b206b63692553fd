package health

import (
	"path/filepath"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/jsonview"
	"geodeck/ui/views/rows"
)

// Maker offers the view to the dashboard.
var Maker = views.Maker{ID: "health", Title: "Health", Table: table(), New: func(env *views.Env) views.View { return New(env) }}

// Model is the view.
type Model struct {
	env    *views.Env
	scope  *views.Scope
	folder string // where files are written and relative names are read from
	inks   inks
	width  int
	height int
	layout layout
	focus  pane

	catalog catalog // the list of reports
	store   *store  // reports that were read
	chosen  chosen  // the report whose tree is shown
	detail  detail
	run     *running
	draft   *draft      // what was left in the form of a run
	typed   string      // what was left in the prompt for a file
	mark    entryKey    // the report chosen first for a comparison
	compare *comparison // shown in place of the panes
	raw     *rawView    // JSON, shown in place of everything

	filters filters
	order   order
}

// filters are what the tree leaves out beside what its text filter does.
type filters struct {
	failedOnly bool
	severity   string // critical, general, or empty for all
}

// rawView is a JSON value and what it is of.
type rawView struct {
	title string
	json  *jsonview.View
}

// New returns the view; Init starts it.
func New(env *views.Env) *Model {
	m := &Model{env: env, scope: views.NewScope(env.Context), folder: env.Folder, inks: newInks(env.Theme), store: newStore()}
	if whole, err := filepath.Abs(env.Folder); err == nil {
		m.folder = whole
	}
	m.catalog.list = rows.New[entryKey](env.Theme)
	m.chosen.list = rows.New[nodeKey](env.Theme)
	m.chosen.folds = map[entryKey]map[nodeKey]bool{}
	m.detail.pager = rows.NewPager(env.Theme.Glyphs.Ellipsis)
	m.showEntries()
	return m
}

// Init reads the list of reports.
func (m *Model) Init() tea.Cmd {
	if m.env.Offline {
		return nil
	}
	return m.readReports()
}

// Replies is what replies are addressed to.
func (m *Model) Replies() *views.Scope { return m.scope }

// Close cancels what is under way.
func (m *Model) Close() { m.scope.Close() }

// Focus has nothing to do: a list that is shown again is read again on request.
func (m *Model) Focus() tea.Cmd { return nil }

// Blur has nothing to stop: a run is watched to its end.
func (m *Model) Blur() {}

// Leave warns while a run is being sent: who leaves then does not learn whether
// the site took it. Of one that goes on it names the job, which finds it again.
func (m *Model) Leave() string {
	switch {
	case m.run == nil:
		return ""
	case m.run.run == nil || m.run.lost():
		return "It is not known yet whether the site took the health check " + m.run.name + "."
	}
	job := ""
	if id := m.run.last.Job.ID; id != "" {
		job = " (job " + plain.Line(id) + ")"
	}
	return "A health check is being watched" + job + ". It goes on at the site."
}

// SetSize gives the view its cells.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.place()
}

// place hands the cells out again after the size or the focus changed.
func (m *Model) place() {
	m.layout = arrange(m.width, m.height, m.focus)
	list, tree, detail := m.layout.panes[listPane], m.layout.panes[treePane], m.layout.panes[detailPane]
	m.catalog.list.SetSize(list.width, max(0, list.height-listHead))
	m.chosen.list.SetSize(tree.width, max(0, tree.height-treeHead))
	m.catalog.list.SetFocused(m.focus == listPane)
	m.chosen.list.SetFocused(m.focus == treePane)
	m.detail.setSize(max(0, detail.width), max(0, detail.height-detailHead))
	if m.compare != nil {
		m.compare.list.SetSize(m.inner(), max(0, m.height-compareHead))
	}
	if m.raw != nil {
		m.raw.json.SetSize(m.inner(), max(0, m.height-rawHead))
	}
}

// inner is the width between the margins.
func (m *Model) inner() int { return max(1, m.width-2*margin) }

// CapturesText tells whether a filter is being typed.
func (m *Model) CapturesText() bool {
	list := m.typist()
	return list != nil && list.Typing()
}

// typist is the list that keys would be typed into.
func (m *Model) typist() interface {
	Typing() bool
	Type(tea.KeyMsg)
} {
	switch {
	case m.raw != nil:
		return m.raw.json
	case m.compare != nil:
		return m.compare.list
	case m.focus == listPane:
		return m.catalog.list
	case m.focus == treePane:
		return m.chosen.list
	}
	return nil
}

// Update takes replies and typed text.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if m.CapturesText() {
			m.typist().Type(msg)
			return m.follow()
		}
	case reply:
		return msg.apply(m)
	case views.Retry:
		return msg.Ask()
	}
	return nil
}

// Status says what the frame shows for the view.
func (m *Model) Status() views.Status {
	status := views.Status{Updated: m.catalog.Updated, Away: m.catalog.Away, Busy: m.busy(), Path: m.path()}
	if m.run != nil && m.run.away != nil {
		status.Away = m.run.away
	}
	if m.run != nil && m.run.read.After(status.Updated) {
		status.Updated = m.run.read
	}
	return status
}

func (m *Model) busy() string {
	switch {
	case m.run != nil:
		return "health check running"
	case m.catalog.Loading && m.catalog.Away == nil:
		return "reading reports"
	case m.chosen.asking:
		return "reading a report"
	}
	return ""
}

func (m *Model) path() []string {
	var path []string
	switch {
	case m.compare != nil:
		path = []string{"comparison"}
	case m.focus != listPane && m.report() != nil:
		path = []string{views.NameOf(m.report().Name, m.report().ID)}
		if n, ok := m.node(); ok && m.focus == detailPane && n.test != nil {
			path = append(path, views.NameOf(n.test.Name, n.test.ID))
		}
	}
	if m.raw != nil {
		path = append(path, "JSON")
	}
	return path
}

// node returns the row of the tree under the cursor.
func (m *Model) node() (*node, bool) {
	i, ok := m.chosen.list.Selected()
	if !ok || m.chosen.tree == nil {
		return nil, false
	}
	return &m.chosen.tree.nodes[i], true
}

// report returns the report that is shown, nil for none.
func (m *Model) report() *adminapi.Report {
	if m.chosen.study == nil {
		return nil
	}
	return m.chosen.study.report
}
