package health

import (
	"cmp"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/ui/views"
)

// panesShown reports whether keys act on the panes.
func (m *Model) panesShown() bool { return !m.panesCovered() && !m.CapturesText() }

// reportsShown reports whether keys act on the panes, and there are reports.
func (m *Model) reportsShown() bool { return m.panesShown() && m.list.rows.All() > 0 }

func (m *Model) panesCovered() bool { return m.json.open || m.compare.open }

func (m *Model) jsonShown() bool { return m.json.open && !m.CapturesText() }

func (m *Model) compareShown() bool { return m.compare.open && !m.json.open && !m.CapturesText() }

// at returns a function that reports whether keys act on a pane.
func (m *Model) at(p pane) func() bool {
	return func() bool { return m.focus == p && m.reportsShown() }
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
	case m.json.open:
		return m.json.view
	case m.compare.open:
		return m.compare.rows
	case m.focus == listPane:
		return m.list.rows
	case m.focus == treePane:
		return m.tree.rows
	}
	return nil
}

// enters returns what enter does now, "" for nothing.
func (m *Model) enters() string {
	switch {
	case m.CapturesText():
		return "keep"
	case m.compareShown() && m.compare.rows.Len() > 0:
		return "open"
	case !m.reportsShown():
		return ""
	case m.focus == listPane && m.list.rows.Len() > 0:
		return "open"
	case m.focus != treePane || m.tree.rows.Len() == 0:
		return ""
	case m.tree.rows.Leaf():
		return "open"
	case m.tree.rows.Folded():
		return "unfold"
	}
	return "fold"
}

// enter opens what the cursor is on: in a comparison a test of the newer report.
func (m *Model) enter() tea.Cmd {
	if !m.compareShown() {
		return m.panes.enter()
	}
	e, ok := m.compare.entry()
	if !ok {
		return views.Tell(views.Info, "The newer report does not have this test.")
	}
	shown := m.goToTest(cmp.Or(e.Test.ID, e.Test.Name))
	if m.tree.shown != nil {
		m.goTo(detailPane)
	}
	return shown
}

func (m *Model) canLeavePane() bool {
	return m.reportsShown() && (m.focus != listPane || m.list.rows.Filter() != "" || m.list.rows.Marked() > 0)
}

// back goes one step back. It clears a filter first.
func (m *Model) back() {
	switch {
	case m.json.open && m.json.view.Filter() != "":
		m.json.view.SetFilter("")
	case m.json.open:
		m.json.open = false
	case m.compare.open && m.compare.rows.Filter() != "":
		m.compare.rows.SetFilter("")
	case m.compare.open:
		m.compare.open = false
	case m.focus == treePane && m.tree.rows.Filter() != "":
		m.tree.rows.SetFilter("")
	case m.compare.behind && m.focus != listPane:
		m.compare.open, m.compare.behind = true, false
		m.goTo(listPane)
	case m.focus == detailPane:
		m.goTo(treePane)
	case m.focus == treePane:
		m.goTo(listPane)
	case m.list.rows.Filter() != "":
		m.list.rows.SetFilter("")
	default:
		m.list.rows.Unmark()
	}
}

// cycle moves the focus by a number of panes.
func (m *Model) cycle(steps int) tea.Cmd {
	if m.panesCovered() {
		return nil
	}
	m.compare.behind = false
	return m.goTo((m.focus + pane(steps)) % 3)
}

// Rested shows what the cursor is on: its report, or its row of the tree.
func (m *Model) Rested() tea.Cmd {
	if m.panesCovered() {
		return nil
	}
	if key, _ := m.tree.rows.Key(); key != m.detail.key {
		m.showRow()
	}
	next := m.list.fetchNext()
	e, ok := m.list.selected()
	if m.focus != listPane || !ok || e.key == m.tree.key && m.tree.err == nil {
		return next
	}
	return views.Batch(next, m.tree.choose(e))
}
