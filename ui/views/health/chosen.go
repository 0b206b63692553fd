package health

import (
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
	report  *adminapi.Report // nil while it is read
	summary adminapi.ReportSummary
	before  *adminapi.Report // the one that changes are marked against
	count   health.Count
	verdict health.Verdict
	asking  bool
	problem error
}

// choose shows the report of an entry, and reads it where it has to.
func (m *Model) choose(e entry) tea.Cmd {
	c := &m.chosen
	if c.key != e.key || c.report == nil {
		c.key, c.summary, c.problem, c.asking = e.key, e.summary, nil, false
		m.showReport(m.store.get(e.key))
	}
	switch {
	case c.report != nil || e.key.origin != fromSite:
		return m.readHistory()
	case m.env.Offline:
		return nil
	}
	c.asking = true
	return m.readReport(e.key)
}

// showReport lays a report out; nil shows that there is none yet.
func (m *Model) showReport(r *adminapi.Report) {
	c := &m.chosen
	c.report = r
	if r == nil {
		c.tree, c.before = nil, nil
		c.list.Set(nothing{})
		m.detail.forget()
		return
	}
	c.count, c.verdict = health.CountReport(*r), health.Overall(*r)
	c.before = m.earlier(r)
	m.layTree()
}

// layTree lays the tree out again, after its report or the order changed.
func (m *Model) layTree() {
	c := &m.chosen
	if c.report == nil {
		return
	}
	c.tree = newTree(c.report, c.before, m.order, &m.inks, m.env.Times)
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
func (m *Model) earlier(r *adminapi.Report) *adminapi.Report {
	for _, key := range m.older(r) {
		if before := m.store.get(key); before != nil && operation.SameSuites(*before, *r) {
			return before
		}
	}
	return nil
}

// past returns the shown report and those before it that were read.
func (m *Model) past() []adminapi.Report {
	r := m.chosen.report
	reports := []adminapi.Report{*r}
	for _, key := range m.older(r) {
		if before := m.store.get(key); before != nil {
			reports = append(reports, *before)
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
