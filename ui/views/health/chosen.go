package health

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/ui/views/rows"
)

// chosen is the report whose tree is shown.
type chosen struct {
	list    *rows.List[nodeKey]
	tree    *tree
	key     entryKey
	study   *study // nil while the report is read
	summary adminapi.ReportSummary
	before  *study // the report that changes are marked against
	asking  bool
	problem error
	folds   map[entryKey]map[nodeKey]bool // what is folded, in each report by itself
}

// foldsOf returns the folds of a report, for the list to change.
func (c *chosen) foldsOf(key entryKey) map[nodeKey]bool {
	if c.folds[key] == nil {
		c.folds[key] = map[nodeKey]bool{}
	}
	return c.folds[key]
}

// moveFolds gives the folds of a run to the report that it became.
func (c *chosen) moveFolds(from, to entryKey) {
	if folds, ok := c.folds[from]; ok {
		c.folds[to] = folds
		delete(c.folds, from)
	}
}

// choose shows the report of an entry, and reads it where it has to.
func (m *Model) choose(e entry) tea.Cmd {
	c := &m.chosen
	var laid tea.Cmd
	if c.key != e.key || c.study == nil {
		c.key, c.summary, c.problem, c.asking = e.key, e.summary, nil, false
		c.list.SetFolds(c.foldsOf(e.key))
		laid = m.showReport(m.store.get(e.key))
	}
	switch {
	case c.study != nil || e.key.origin != fromSite:
		return tea.Batch(laid, m.readHistory())
	case m.env.Offline:
		return nil
	}
	c.asking = true
	return m.readReport(e.key)
}

// showReport shows a report as it is laid out, and lays it out in the order
// that is wanted; nil shows that there is none yet.
func (m *Model) showReport(s *study) tea.Cmd {
	c := &m.chosen
	c.study = s
	if s == nil {
		c.tree, c.before = nil, nil
		c.list.Set(nothing{})
		m.detail.forget()
		return nil
	}
	c.before = m.earlier(s.report)
	m.layTree()
	return m.reorder()
}

// showsRun tells whether the tree is that of the run that goes on.
func (m *Model) showsRun() bool { return m.run != nil && m.chosen.key == m.run.key() }

// laidOut is a report in another order.
type laidOut struct {
	study *study
	tree  *tree
}

// reorder lays the shown report out in the order that is wanted, where it has
// another one.
func (m *Model) reorder() tea.Cmd {
	s, o := m.chosen.study, m.order
	if s == nil || s.tree.order == o {
		m.scope.Forget("order")
		return nil
	}
	return m.scope.Do("order", func(context.Context) tea.Msg { return laidOut{s, newTree(s, o)} })
}

func (r laidOut) apply(m *Model) tea.Cmd {
	r.study.tree = r.tree
	if m.chosen.study == r.study {
		m.layTree()
	}
	return nil
}

// layTree shows the tree anew, after its report, its order or what it is
// compared with changed.
func (m *Model) layTree() {
	c := &m.chosen
	if c.study == nil {
		return
	}
	c.tree = c.study.tree
	c.tree.inks, c.tree.times, c.tree.before = &m.inks, m.env.Times, nil
	if c.tree.running = m.showsRun(); c.tree.running {
		c.tree.expected = m.run.expected
	}
	if c.before != nil {
		c.tree.before = c.before.ends
	}
	c.list.Set(c.tree)
	m.applyFilters()
	m.detail.show(m.detailSource())
}

// applyFilters shows only the tests that the filters leave.
func (m *Model) applyFilters() {
	f, tree := m.filters, m.chosen.tree
	if tree == nil || f == (filters{}) {
		m.chosen.list.SetKeep(nil)
		return
	}
	m.chosen.list.SetKeep(func(i int) bool {
		n := &tree.nodes[i]
		if n.finding != nil {
			return true
		}
		if f.severity != "" && n.key.severity != f.severity {
			return false
		}
		return !f.failedOnly || n.verdict != health.Passed && n.verdict != health.Skipped
	})
}

// historyDepth is how many stored reports a trend looks back.
const historyDepth = 8

// older lists the reports of the site that came before r, newest first.
func (m *Model) older(r *adminapi.Report) []entryKey {
	var keys []entryKey
	for _, s := range m.catalog.site {
		if s.ID != r.ID && s.StartTime < r.StartTime && len(keys) < historyDepth {
			keys = append(keys, entryKey{fromSite, s.ID})
		}
	}
	return keys
}

// earlier returns the newest report before r of the same suites, as far as
// reports were read; nil where there is none.
func (m *Model) earlier(r *adminapi.Report) *study {
	for _, key := range m.older(r) {
		if before := m.store.get(key); before != nil && operation.SameSuites(*before.report, *r) {
			return before
		}
	}
	return nil
}

// past returns the shown report and those before it that were read.
func (m *Model) past() []adminapi.Report {
	r := m.report()
	reports := []adminapi.Report{*r}
	for _, key := range m.older(r) {
		if before := m.store.get(key); before != nil {
			reports = append(reports, *before.report)
		}
	}
	return reports
}

// nothing is a tree without rows.
type nothing struct{}

func (nothing) Len() int                            { return 0 }
func (nothing) Key(int) nodeKey                     { return nodeKey{} }
func (nothing) Depth(int) int                       { return 0 }
func (nothing) Matches(int, func(string) bool) bool { return false }
func (nothing) Version(int) uint64                  { return 0 }
func (nothing) Draw(int, rows.Look) string          { return "" }
