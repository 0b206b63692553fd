// Package health is the view of health checks: the list of reports, the tree of the
// chosen one, the detail of a test, the comparison of two reports, and the run in
// progress.
//
// Start at [Model], which routes between its children: list.go, tree.go, detail.go,
// compare.go, run.go and files.go, each with its state, commands, requests and
// drawing; panes.go has those that stand side by side and what covers them, keys.go
// who gets a key. Package adminapi/health interprets reports; this one shows them.
package health

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/jsonview"
)

// Maker offers the view to the dashboard.
var Maker = views.Maker{ID: "health", Title: "Health", New: func(env *views.Env) views.View { return New(env) }}

const (
	moveGroup   = "Move"
	reportGroup = "Reports"
	treeGroup   = "Tree"
)

// Model is the view.
type Model struct {
	child
	table  []views.Command
	panes  panes
	cover  cover // shown instead of the panes
	runner runner
	files  files

	upgrading, upgraded bool // an upgrade runs, or has ended, by the watch
}

// shared is what the children have in common.
type shared struct {
	inks    inks
	reports reportCache
	site    []adminapi.ReportSummary // the reports of the site, newest first
	order   order                    // how tests are sorted
	run     *run                     // the health check in progress, nil for none
}

// child is the common part of all children.
type child struct {
	views.Base
	*shared
}

// readOnly reports whether the dashboard may not change anything at the site.
func (c *child) readOnly() bool { return c.Env.Site.Client != nil && c.Env.Site.Client.ReadOnly() }

// failed shows why a request of the user failed; retry is called after a sign-in.
func (c *child) failed(err error, kind string, retry func() tea.Cmd) tea.Cmd {
	switch {
	case errors.Is(err, adminapi.KindCancelled):
		return nil
	case errors.Is(err, adminapi.KindSignIn):
		return c.Scope.RetryAfterSignIn(err, kind, retry)
	}
	return views.TellError(err)
}

// New returns the view; Init starts it.
func New(env *views.Env) *Model {
	base := views.NewBase(env)
	s := &shared{inks: newInks(env.Theme), reports: newReportCache()}
	m := &Model{child: child{base, s}}
	c := child{base.Child(), s}
	p := &m.panes
	p.child, p.cover = c, &m.cover
	p.list, p.tree, p.detail, p.summary = newReportList(c, p), newTestTree(c, p), newDetail(c), summary{child: c, tree: &p.tree}
	m.runner, m.files = runner{child: c, host: p}, files{child: c, host: p}
	m.cover = cover{newComparison(c, p.list.rows.Unmark), jsonview.NewScreen(c.Base)}
	m.table = m.rows()
	m.Answers = views.Hooks{About: m.about, Leave: m.runner.leave, Fresh: p.fresh, Keep: p.keep, Freshens: true, Rests: true}
	return m
}

// Init fetches the list of reports.
func (m *Model) Init() tea.Cmd {
	if m.Env.Offline {
		return nil
	}
	return tea.Batch(m.panes.list.fetch(), m.panes.takeKept())
}

// event follows what the root tells.
func (m *Model) event(e views.Event) tea.Cmd {
	switch list := &m.panes.list; e {
	case views.Shown:
		return list.freshen(false)
	case views.Freshen:
		if list.Err == nil { // until a fetch is refused
			return list.freshen(true)
		}
	case views.Rested:
		return m.rested()
	case views.UpgradeRead:
		return m.upgradeRead()
	case views.KeptRead:
		return m.panes.takeKept()
	}
	return nil
}

// upgradeRead fetches the reports that the platform makes by itself before and after an upgrade.
func (m *Model) upgradeRead() tea.Cmd {
	w := &m.Env.Upgrade
	s := &w.Snapshot
	if m.Env.Offline || s.At.IsZero() || s.Unreachable != nil {
		return nil
	}
	running := w.On && !s.Ended && s.Progress.Meaning == progress.StateRunning
	began, ended := running && !m.upgrading, s.Ended && !m.upgraded || m.upgrading && !running
	m.upgrading, m.upgraded = running, s.Ended
	switch {
	case ended:
		return tea.Batch(m.panes.list.fetch(), m.panes.list.expectAfter(0))
	case began:
		return m.panes.list.fetch()
	}
	return nil
}

// Update takes typed text, and goes on from what was read.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case views.Event:
		return m.event(msg)
	case tea.KeyMsg:
		if m.CapturesText() {
			m.typist().Type(msg)
		}
	case views.Retry:
		return msg.Do()
	}
	return nil
}

// refresh fetches the list, and the report if it could not be fetched.
func (m *Model) refresh() tea.Cmd {
	cmds := []tea.Cmd{m.panes.list.fetch(), m.runner.resume()}
	if m.panes.tree.key.origin == fromSite {
		cmds = append(cmds, m.panes.tree.retry(m.panes.tree.key))
	}
	return tea.Batch(cmds...)
}

// showJSON shows the JSON of the test under the cursor, or of the whole report.
func (m *Model) showJSON() tea.Cmd {
	r, followed := m.panes.chosenReport()
	if r == nil {
		return followed
	}
	title, raw := views.NameOf(r.Name, r.ID), r.Raw
	if test := m.panes.tree.test(); test != nil && m.panes.focus != listPane {
		title, raw = views.NameOf(test.Name, test.ID), test.Raw
	}
	return tea.Batch(followed, m.cover.json.Show(title, func(context.Context) ([]byte, error) { return raw, nil }))
}
