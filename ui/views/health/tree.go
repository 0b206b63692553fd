package health

import (
	"context"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/health"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
	"geodeck/ui/widget/whatnow"
)

// maxHistoryTests is how many tests a report may have for its whole trend to be fetched; of
// larger ones only the report before is fetched.
const maxHistoryTests = 5_000

// testTree is the tests of the chosen report.
type testTree struct {
	child
	host    treeHost
	rows    *rows.List[nodeKey]
	outline *outline

	key     entryKey
	summary adminapi.ReportSummary
	shown   *analysis // nil while the report is fetched
	before  *analysis // the report that changes are marked against
	changes *changes  // since that one, nil until they are compared
	fresh   bool      // the report was not shown before: its first failure is to be selected
	loading bool
	err     error                         // why the report could not be fetched
	folds   map[entryKey]map[nodeKey]bool // the folded rows of each report
	failed  bool                          // only what did not pass is shown
}

// treeHost is what the tree needs from the view.
type treeHost interface {
	// panesCovered reports whether another screen is shown instead of the panes.
	panesCovered() bool
	// showRow shows the row under the cursor in the detail.
	showRow()
}

func newTestTree(c child, host treeHost) testTree {
	return testTree{child: c, host: host, rows: rows.New[nodeKey](c.Env.Theme), folds: map[entryKey]map[nodeKey]bool{}}
}

// Commands returns the commands that change what the tree shows.
func (t *testTree) Commands() []views.Command {
	onScreen := views.Only(t.onScreen, noTests)
	return []views.Command{
		{ID: "health.failed", Key: "f", Word: "failed only", Name: "failed only", Enabled: onScreen, Run: views.Call(t.toggleFailed),
			Help: "Show only tests that did not pass, or all."},
		{ID: "health.order", Key: "s", Word: "sort", Name: "sort tests", Enabled: onScreen, Run: t.nextOrder,
			Help: "Sort tests: worst first, longest first, as reported."},
	}
}

// noTests is why nothing is done with the tests of a report.
const noTests = "No tests are on the screen."

// jumps returns the commands that go to tests that did not pass.
func (t *testTree) jumps() []views.Command {
	known := views.Only(func() bool { return t.outline != nil }, "No test is known yet.")
	jump := func(by int) func() tea.Cmd {
		return func() tea.Cmd {
			if !t.selectNext(by, (*node).failed) {
				return views.Tell(views.Info, "No other test failed.")
			}
			t.host.showRow()
			return nil
		}
	}
	section := func(by int) func() tea.Cmd {
		return views.Call(func() {
			t.selectNext(by, func(n *node) bool { return n.key.level == suiteLevel || n.key.level == severityLevel })
			t.host.showRow()
		})
	}
	return []views.Command{
		{ID: "health.next-failed", Key: "n", Name: "next failed test", Browses: true, Enabled: known, Run: jump(1),
			Help: "Go to the next test that did not pass."},
		{ID: "health.previous-failed", Key: "N", Name: "previous failed test", Browses: true, Enabled: known, Run: jump(-1),
			Help: "Go to the previous test that did not pass."},
		{ID: "health.next-group", Key: "]", Name: "next group", Browses: true, Enabled: known, Run: section(1),
			Help: "Go to the next suite or group of tests."},
		{ID: "health.previous-group", Key: "[", Name: "previous group", Browses: true, Enabled: known, Run: section(-1),
			Help: "Go to the previous suite or group of tests."},
	}
}

// failed reports whether a row is a test that did not pass.
func (n *node) failed() bool {
	return n.test != nil && n.trouble()
}

// selectNext moves the cursor to the next row below or above it that is wanted, and reports
// whether there is one. With 0 it goes to the first one of all.
func (t *testTree) selectNext(by int, wanted func(*node) bool) bool {
	if t.outline == nil {
		return false
	}
	at, ok := t.rows.Selected()
	if !ok || by == 0 {
		at, by = -1, 1
	}
	for i := at + by; i >= 0 && i < len(t.outline.nodes); i += by {
		if n := &t.outline.nodes[i]; wanted(n) && t.rows.Select(n.key) {
			return true
		}
	}
	return false
}

// SetSize gives the tree its cells.
func (t *testTree) SetSize(width, height int) {
	t.child.SetSize(width, height)
	if width > 0 {
		t.rows.SetSize(width, max(0, height-treeHead))
	}
}

// onScreen reports whether the tests are on the screen, so that they can be filtered.
func (t *testTree) onScreen() bool { return t.Width > 0 && t.shown != nil && !t.host.panesCovered() }

func (t *testTree) nextOrder() tea.Cmd {
	t.order = (t.order + 1) % 3
	return t.sort()
}

// toggleFailed shows failed tests only, or all.
func (t *testTree) toggleFailed() {
	t.failed = !t.failed
	t.applyFilters()
	t.host.showRow()
}

// applyFilters shows only the tests that are wanted.
func (t *testTree) applyFilters() {
	if t.outline == nil || !t.failed {
		t.rows.SetKeep(nil)
		return
	}
	t.rows.SetKeep(func(i int) bool {
		n := &t.outline.nodes[i] // of the report that is shown by then
		return n.finding != nil || n.verdict != health.Passed && n.verdict != health.Skipped
	})
}

// node returns the row under the cursor.
func (t *testTree) node() (*node, bool) {
	i, ok := t.rows.Selected()
	if !ok || t.outline == nil {
		return nil, false
	}
	return &t.outline.nodes[i], true
}

// test returns the test under the cursor, nil for none.
func (t *testTree) test() *adminapi.TestResult {
	if n, ok := t.node(); ok {
		return n.test
	}
	return nil
}

// report returns the report that is shown, nil for none.
func (t *testTree) report() *adminapi.Report {
	if t.shown == nil {
		return nil
	}
	return t.shown.report
}

// telling reports whether there is more to tell than the rows do: why tests failed, or how long
// those of a run took last time.
func (t *testTree) telling() bool {
	return t.showsRun() || t.shown != nil && len(t.shown.worst) > 0
}

// showsRun reports whether the tree is that of the run in progress.
func (t *testTree) showsRun() bool { return t.run != nil && t.key == t.run.key() }

// choose shows the report of an entry, and fetches it if necessary.
func (t *testTree) choose(e entry) tea.Cmd {
	var sorted tea.Cmd
	if t.key != e.key || t.shown == nil {
		t.key, t.summary, t.err, t.loading = e.key, e.summary, nil, false
		if t.folds[e.key] == nil {
			t.folds[e.key] = map[nodeKey]bool{}
			t.fresh = true
		}
		t.rows.SetFolds(t.folds[e.key])
		sorted = t.show(t.reports.get(e.key))
	}
	switch {
	case t.shown != nil || e.key.origin != fromSite:
		return tea.Batch(sorted, t.fetchHistory())
	case t.Env.Offline:
		return nil
	}
	return t.fetch(e.key)
}

// forget shows no report: a filter has left none.
func (t *testTree) forget() {
	t.key, t.loading, t.err = entryKey{}, false, nil
	t.show(nil)
}

// show shows a report, and sorts it if its order is not the chosen one; nil is none.
func (t *testTree) show(a *analysis) tea.Cmd {
	t.shown = a
	if a == nil {
		t.outline, t.before, t.changes = nil, nil, nil
		t.rows.Set(&outline{})
		t.host.showRow()
		return nil
	}
	t.before = t.earlier(a.report)
	t.arrange()
	if t.fresh {
		t.fresh = false
		t.rows.GoTop()
		t.selectNext(0, (*node).failed)
		t.host.showRow()
	}
	return tea.Batch(t.compare(), t.sort())
}

// arrange updates the rows after the report, its order or the report before has changed.
func (t *testTree) arrange() {
	if t.shown == nil {
		return
	}
	o := t.shown.outline
	o.inks, o.times, o.before = &t.inks, t.Env.Times, nil
	if o.running = t.showsRun(); o.running {
		o.expected = t.run.expected
	}
	if t.before != nil {
		o.before = t.before.results
	}
	o.past = t.past()
	t.outline = o
	t.rows.Set(o)
	t.applyFilters()
	t.host.showRow()
}

// sort sorts the shown report if its order is not the chosen one.
func (t *testTree) sort() tea.Cmd {
	a, by := t.shown, t.order
	if a == nil || a.outline.order == by {
		t.Scope.Forget("order")
		return nil
	}
	return t.Scope.Work("order", func(context.Context) func() tea.Cmd {
		sorted := newOutline(a, by)
		return func() tea.Cmd {
			if a.outline = sorted; t.shown == a {
				t.arrange()
			}
			return nil
		}
	})
}

// source returns what the detail shows about the row under the cursor, nil for none.
func (t *testTree) source() *detailSource {
	n, ok := t.node()
	if !ok {
		return nil
	}
	s := &detailSource{node: *n, tests: passedOf(n.count)}
	if t.outline.running {
		s.tests = t.outline.counts(n, wholeWidth)
	}
	if n.test != nil {
		s.trend = health.TrendOf(t.outline.past, n.testKey())
		if n.trouble() {
			s.later = t.later(n.testKey())
			s.explanation = explain.HealthTest(explain.HealthFacts{Report: *t.shown.report, Entry: n.entry(), Worst: t.shown.worst,
				Later: s.later, Site: explain.SiteFacts{Times: whatnow.Around(t.Env).Times}})
		}
	}
	if n.key.level == suiteLevel && len(t.outline.past) > 1 && n.count.Total() <= maxUnsteady {
		s.unsteady = unsteady(n.suite, t.outline.past)
	}
	return s
}

// maxUnsteady is how many tests a suite may have for all of them to be looked up in each report.
const maxUnsteady = 500

// unsteady returns the tests of a suite that did not pass in some of the reports.
func unsteady(s *adminapi.SuiteResult, past []*health.Results) (found []testTrend) {
	for _, tests := range [][]adminapi.TestResult{s.Critical, s.General} {
		for i := range tests {
			trend := health.TrendOf(past, health.TestKey{SuiteID: s.ID, Name: tests[i].Name})
			if slices.ContainsFunc(trend.Points, func(p health.Point) bool { return !p.Missing && !p.Verdict.Good() }) {
				found = append(found, testTrend{tests[i].Name, trend})
			}
		}
	}
	return found
}

// past returns the shown report and those before it that are known, oldest first.
func (t *testTree) past() []*health.Results {
	if t.showsRun() {
		return []*health.Results{t.shown.results}
	}
	return append(t.resultsBefore(t.shown.report), t.shown.results)
}

// resultsBefore returns the reports before r that are known, oldest first.
func (s *shared) resultsBefore(r *adminapi.Report) (known []*health.Results) {
	for _, key := range slices.Backward(s.older(r)) {
		if a := s.reports.get(key); a != nil {
			known = append(known, a.results)
		}
	}
	return known
}

// later returns a test in the newest report of the site, where that is known and from after the
// shown one.
func (t *testTree) later(key health.TestKey) *health.Point {
	if t.key.origin != fromSite {
		return nil
	}
	return t.reports.first(t.newest(t.shown.report)).point(key)
}

// changes are what differs between two reports, as far as it is shown.
type changes struct {
	shown, before *analysis
	parts         []health.Part
	worst         []health.Difference
}

// maxChanges is how many differences are kept.
const maxChanges = 40

// compare compares the shown report with the one before, which takes time for large ones.
func (t *testTree) compare() tea.Cmd {
	shown, before := t.shown, t.before
	if t.changes != nil && (t.changes.shown != shown || t.changes.before != before) {
		t.changes = nil
	}
	if before == nil || t.changes != nil || t.showsRun() {
		return nil
	}
	return t.Scope.Work("changes", func(context.Context) func() tea.Cmd {
		c := health.Compare(*before.report, *shown.report)
		found := c.Differences[:len(c.Differences)-c.Counts[health.Same]]
		made := &changes{shown, before, c.Parts(), slices.Clone(found[:min(len(found), maxChanges)])}
		return func() tea.Cmd {
			if t.shown == shown && t.before == before {
				t.changes = made
			}
			return nil
		}
	})
}
