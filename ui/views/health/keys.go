package health

import (
	"cmp"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// Commands returns the commands of the view.
func (m *Model) Commands() []views.Command { return m.table }

// The footer of each pane, and of the screens that cover them.
var (
	listFooter = []string{rows.Up, rows.Down, "health.enter", rows.Filter, "health.explain", "health.run",
		"health.compare", "health.export", "health.last-good", "health.open", "health.back"}
	treeFooter = []string{rows.Up, rows.Down, "health.enter", "health.explain", "health.compare", "health.export", rows.Filter,
		"health.failed", "health.order", "health.run", "health.json", "health.open", "health.back"}
	detailFooter = []string{rows.Up, rows.Down, "health.explain", "health.run", "health.compare", "health.export",
		"health.json", "health.open", "health.back"}
	compareFooter = []string{rows.Up, rows.Down, "health.enter", "health.back", "health.explain", "health.export", "health.last-good",
		"health.copy-page", "health.unchanged", rows.Filter, "health.run"}
	jsonFooter = []string{rows.Up, rows.Down, "health.back", rows.Filter}
)

// Footer lists the rows of the footer. In a tree the filter, whose key is the same everywhere, gives
// way to what is of the report.
func (m *Model) Footer() []string {
	switch {
	case m.cover.json.Open:
		return jsonFooter
	case m.cover.compare.open:
		return compareFooter
	case m.panes.focus == treePane:
		return treeFooter
	case m.panes.focus == detailPane:
		return detailFooter
	}
	return listFooter
}

func (m *Model) rows() []views.Command {
	step := func(id, name, key, help string, by int) views.Command {
		return views.Command{ID: id, Key: key, Name: name, Group: moveGroup, Help: help,
			Run: func() tea.Cmd {
				if m.cover.open() {
					return nil
				}
				m.cover.compare.behind = false
				return m.panes.goTo((m.panes.focus + pane(by)) % 3)
			}}
	}
	folds := m.panes.tree.rows.Folds()
	folds[slices.IndexFunc(folds, func(row views.Command) bool { return row.ID == rows.Fold })].Run = views.Call(m.panes.foldOrLeave)
	return views.Grouped(reportGroup, slices.Concat(
		[]views.Command{
			{ID: "health.enter", Key: "enter", Hint: m.enterHint, Name: "go in", Group: moveGroup,
				Shown: m.enters, Enabled: m.nothingToEnter, Run: m.enter,
				Help: "Open the report or the test under the cursor; fold or unfold a suite."},
			{ID: "health.back", Key: "esc", Word: "back", Name: "go back", Group: moveGroup, Shown: m.canGoBack,
				Run:  views.Call(m.back),
				Help: "One step back; clears a filter first."},
		},
		views.When(m.reportsShown, []views.Command{
			step("health.next-pane", "next pane", "tab", "Go to the next pane.", 1),
			step("health.previous-pane", "previous pane", "shift+tab", "Go to the previous pane.", 2),
		}),
		views.When(m.at(listPane), slices.Concat(m.panes.list.rows.Moves(), m.panes.list.rows.Filters(), m.panes.list.marks())),
		views.When(m.at(treePane), m.panes.tree.rows.Moves()),
		views.When(m.at(detailPane), m.panes.detail.Commands()),
		[]views.Command{m.explainRow()},
		views.When(func() bool { return m.panes.focus != listPane && m.reportsShown() }, views.Grouped(treeGroup, m.panes.tree.jumps())),
		views.When(m.belowJSON, []views.Command{
			{ID: "health.run", Key: "r", Word: "run", Name: "run health check", Enabled: m.cannotRun,
				Run:  func() tea.Cmd { return m.runner.fetchSuites(nil) },
				Help: "Run a health check at the site: choose suites and a name."},
		}),
		views.When(m.reportsShown, m.panes.list.Commands()),
		views.When(m.at(treePane), m.panes.tree.rows.Filters()),
		views.When(m.reportsShown, views.Grouped(treeGroup, m.panes.tree.Commands())),
		views.When(m.at(treePane), folds),
		views.When(m.panesShown, []views.Command{
			{ID: "health.json", Key: "v", Word: "JSON", Name: "view JSON", Enabled: m.panes.noReport,
				Run:  m.showJSON,
				Help: "Show what the site wrote, as JSON."},
			{ID: "health.copy", Key: "y", Name: "copy id", Enabled: m.panes.list.noReport,
				Run:  m.panes.copyID,
				Help: "Copy the id of the report or test."},
			{ID: "health.refresh", Key: "R f5", Name: "refresh",
				Enabled: m.NoSite, Run: m.refresh,
				Help: "Refresh the list of reports."},
		}),
		views.When(m.belowJSON, append(m.files.Commands(), views.Command{ID: "health.last-good", Key: "L", Word: "last good", Name: "last good",
			Enabled: m.panes.list.cannotCompareGood, Run: m.panes.compareLastGood,
			Help: "Compare with the last good report: the newest one before of the same suites without a failure."})),
		views.When(m.belowJSON, []views.Command{
			{ID: "health.test", Name: "go to test", Argument: "id or name", Choices: m.panes.testIDs, Group: treeGroup,
				With: m.goToTest,
				Help: "Go to a test of the report by its id or name."},
			{ID: "health.report", Name: "go to report", Argument: "id", Choices: m.panes.list.siteIDs, With: m.goToReport,
				Help: "Go to a report of the list by its id."},
		}),
		views.When(m.compareShown, slices.Concat(m.cover.compare.Commands(), []views.Command{
			m.panes.list.compareRow(),
			{ID: "health.copy", Key: "y", Name: "copy comparison", Run: m.files.copyPage,
				Help: "Copy the comparison as Markdown."},
		})),
		views.When(m.jsonShown, m.cover.json.Commands()),
	))
}

// panesShown reports whether keys act on the panes.
func (m *Model) panesShown() bool { return !m.cover.open() && !m.CapturesText() }

// reportsShown reports whether keys act on the panes, and there are reports.
func (m *Model) reportsShown() bool { return m.panesShown() && m.panes.list.rows.All() > 0 }

func (m *Model) jsonShown() bool { return m.cover.json.Open && !m.CapturesText() }

// belowJSON reports whether keys act on the panes, or on a comparison.
func (m *Model) belowJSON() bool { return !m.cover.json.Open && !m.CapturesText() }

func (m *Model) compareShown() bool {
	return m.cover.compare.open && !m.cover.json.Open && !m.CapturesText()
}

// at returns a function that reports whether keys act on a pane.
func (m *Model) at(p pane) func() bool {
	return func() bool { return m.panes.focus == p && m.reportsShown() }
}

// CapturesText reports whether a filter is being typed.
func (m *Model) CapturesText() bool {
	list := m.typist()
	return list != nil && list.Typing()
}

// typist returns the list whose filter keys are typed into, nil for none.
func (m *Model) typist() interface {
	Typing() bool
	Type(tea.KeyMsg)
} {
	switch {
	case m.cover.json.Open:
		return m.cover.json
	case m.cover.compare.open:
		return m.cover.compare.rows
	case m.panes.focus == listPane:
		return m.panes.list.rows
	case m.panes.focus == treePane:
		return m.panes.tree.rows
	}
	return nil
}

// enters reports whether enter means the row under a cursor.
func (m *Model) enters() bool {
	return m.compareShown() || m.panes.focus != detailPane && m.reportsShown()
}

// nothingToEnter says why enter does nothing.
func (m *Model) nothingToEnter() string {
	switch {
	case m.cover.compare.open:
		switch i, ok := m.cover.compare.rows.Selected(); {
		case !ok:
			return "No test is selected."
		case m.cover.compare.Differences[i].After == nil:
			return "The newer report does not have this test."
		}
		return ""
	case m.panes.focus != treePane:
		return m.panes.list.noneSelected()
	case m.panes.tree.rows.Len() == 0:
		return noTests
	}
	return ""
}

// enterHint says what enter does.
func (m *Model) enterHint() string {
	switch tree := m.panes.tree.rows; {
	case m.cover.compare.open || m.panes.focus != treePane || tree.Leaf():
		return "open"
	case tree.Folded():
		return "unfold"
	}
	return "fold"
}

// enter opens what the cursor is on: in a comparison a test of the newer report.
func (m *Model) enter() tea.Cmd {
	if !m.compareShown() {
		return m.panes.enter()
	}
	e, _ := m.cover.compare.entry()
	shown := m.goToTest(cmp.Or(e.Test.ID, e.Test.Name))
	if m.panes.tree.shown != nil {
		m.panes.goTo(detailPane)
	}
	return shown
}

func (m *Model) canGoBack() bool {
	return m.jsonShown() || m.compareShown() || m.reportsShown() && (m.panes.focus != listPane || m.panes.list.rows.Filter() != "" || m.panes.list.rows.Marked() > 0)
}

// back goes one step back. It clears a filter first.
func (m *Model) back() {
	switch {
	case m.cover.json.Back():
	case m.cover.compare.open && m.cover.compare.rows.Filter() != "":
		m.cover.compare.rows.SetFilter("")
	case m.cover.compare.open:
		m.cover.compare.open = false
	case m.panes.focus == treePane && m.panes.tree.rows.Filter() != "":
		m.panes.tree.rows.SetFilter("")
	case m.cover.compare.behind && m.panes.focus != listPane:
		m.cover.compare.open, m.cover.compare.behind = true, false
		m.panes.goTo(listPane)
	case m.panes.focus == detailPane:
		m.panes.goTo(treePane)
	case m.panes.focus == treePane:
		m.panes.goTo(listPane)
	case m.panes.list.rows.Filter() != "":
		m.panes.list.rows.SetFilter("")
	default:
		m.panes.list.rows.Unmark()
	}
}

// rested shows what the cursor is on: its report, or its row of the tree.
func (m *Model) rested() tea.Cmd {
	if m.cover.open() {
		return nil
	}
	if key, _ := m.panes.tree.rows.Key(); key != m.panes.detail.key {
		m.panes.showRow()
	}
	next := m.panes.list.fetchNext()
	e, ok := m.panes.list.selected()
	if m.panes.focus == listPane && !ok {
		m.panes.tree.forget()
	}
	if m.panes.focus != listPane || !ok || e.key == m.panes.tree.key && m.panes.tree.err == nil {
		return next
	}
	return tea.Batch(next, m.panes.tree.choose(e))
}
