package health

import (
	"context"
	"errors"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// historyDepth is how many stored reports a trend shows.
const historyDepth = 8

// maxHistoryTests is how many tests a report may have for its whole trend to be fetched; of
// larger ones only the report before is fetched.
const maxHistoryTests = 5_000

// testTree is the tests of the chosen report.
type testTree struct {
	child
	host    treeHost
	focused bool
	alone   bool // the list of reports is not shown
	rows    *rows.List[nodeKey]
	outline *outline

	key     entryKey
	summary adminapi.ReportSummary
	shown   *analysis // nil while the report is fetched
	before  *analysis // the report that changes are marked against
	loading bool
	err     error                         // why the report could not be fetched
	folds   map[entryKey]map[nodeKey]bool // the folded rows of each report
	filters filters
}

// treeHost is what the tree needs from the view.
type treeHost interface {
	// older returns the reports of the site from before r, newest first.
	older(r *adminapi.Report) []entryKey
	// panesCovered reports whether another screen is shown instead of the panes.
	panesCovered() bool
	// showRow shows the row under the cursor in the detail.
	showRow()
}

// filters are the filters of the tree, in addition to that of its text.
type filters struct {
	failedOnly bool
	severity   string // health.Critical, health.General, or empty for all
}

// words returns what the filters show.
func (f filters) words(suffix string) []string {
	var words []string
	if f.failedOnly {
		words = append(words, "not passed"+suffix)
	}
	if f.severity != "" {
		words = append(words, f.severity+suffix)
	}
	return words
}

func newTestTree(c child, host treeHost) testTree {
	return testTree{child: c, host: host, rows: rows.New[nodeKey](c.Env.Theme), folds: map[entryKey]map[nodeKey]bool{}}
}

// Commands returns the commands that change what the tree shows, while it is shown.
func (t *testTree) Commands() []views.Command {
	focused := func() bool { return t.focused }
	return views.When(t.onScreen, views.Concat(
		views.HintedWhen(focused, views.Command{ID: "health.failed", Binding: views.Key("failed only", "f"), Name: "failed only", Group: treeGroup,
			Run: t.shownOnly(t.toggleFailed), Help: "Show only tests that did not pass, or all."}),
		views.HintedWhen(focused, views.Command{ID: "health.order", Binding: views.Key("sort", "s"), Name: "sort tests", Group: treeGroup,
			Run: t.shownOnly(t.nextOrder), Help: "Sort tests: worst first, longest first, as reported."}),
		[]views.Command{
			{ID: "health.severity", Binding: views.Key("", "i"), Name: "severity", Group: treeGroup, Run: t.shownOnly(t.nextSeverity),
				Help: "Show all tests, critical ones, or general ones."},
			{ID: "health.all", Binding: views.Key("", "a"), Name: "show all", Group: treeGroup, Run: views.Do(t.showAll),
				Help: "Clear all filters of the tree."},
		}))
}

// SetSize gives the tree its cells.
func (t *testTree) SetSize(width, height int) {
	t.child.SetSize(width, height)
	t.rows.SetSize(width, max(0, height-treeHead))
}

// SetFocused sets whether the tree has the focus.
func (t *testTree) SetFocused(on bool) {
	t.focused = on
	t.rows.SetFocused(on)
}

// onScreen reports whether the tests are on the screen, so that they can be filtered.
func (t *testTree) onScreen() bool { return t.Width > 0 && t.shown != nil && !t.host.panesCovered() }

func (t *testTree) shownOnly(f func() tea.Cmd) func(string) tea.Cmd {
	return func(string) tea.Cmd {
		if !t.onScreen() {
			return views.Tell(views.Warning, "No tests are on the screen.")
		}
		return f()
	}
}

func (t *testTree) nextOrder() tea.Cmd {
	t.order = (t.order + 1) % 3
	return t.sort()
}

func (t *testTree) toggleFailed() tea.Cmd {
	t.filters.failedOnly = !t.filters.failedOnly
	return t.filtered()
}

// nextSeverity switches from all tests to critical ones, and to general ones.
func (t *testTree) nextSeverity() tea.Cmd {
	steps := []string{"", health.Critical, health.General}
	t.filters.severity = steps[(slices.Index(steps, t.filters.severity)+1)%len(steps)]
	return t.filtered()
}

func (t *testTree) showAll() tea.Cmd {
	t.filters = filters{}
	t.rows.SetFilter("")
	return t.filtered()
}

func (t *testTree) filtered() tea.Cmd {
	t.applyFilters()
	t.host.showRow()
	return nil
}

// applyFilters shows only the tests that pass the filters.
func (t *testTree) applyFilters() {
	f, outline := t.filters, t.outline
	if outline == nil || f == (filters{}) {
		t.rows.SetKeep(nil)
		return
	}
	t.rows.SetKeep(func(i int) bool {
		n := &outline.nodes[i]
		if n.finding != nil {
			return true
		}
		if f.severity != "" && n.key.severity != f.severity {
			return false
		}
		return !f.failedOnly || n.verdict != health.Passed && n.verdict != health.Skipped
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

// showsRun reports whether the tree is that of the run in progress.
func (t *testTree) showsRun() bool { return t.run != nil && t.key == t.run.key() }

// choose shows the report of an entry, and fetches it if necessary.
func (t *testTree) choose(e entry) tea.Cmd {
	var sorted tea.Cmd
	if t.key != e.key || t.shown == nil {
		t.key, t.summary, t.err, t.loading = e.key, e.summary, nil, false
		if t.folds[e.key] == nil {
			t.folds[e.key] = map[nodeKey]bool{}
		}
		t.rows.SetFolds(t.folds[e.key])
		sorted = t.show(t.reports.get(e.key))
	}
	switch {
	case t.shown != nil || e.key.origin != fromSite:
		return views.Batch(sorted, t.fetchHistory())
	case t.Env.Offline:
		return nil
	}
	t.loading = true
	return t.Scope.Do("report", t.fetch(e.key))
}

// show shows a report, and sorts it if its order is not the chosen one; nil is none.
func (t *testTree) show(a *analysis) tea.Cmd {
	t.shown = a
	if a == nil {
		t.outline, t.before = nil, nil
		t.rows.Set(&outline{})
		t.host.showRow()
		return nil
	}
	t.before = t.earlier(a.report)
	t.arrange()
	return t.sort()
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
		o.before = t.before.ends
	}
	t.outline = o
	t.rows.Set(o)
	t.applyFilters()
	t.host.showRow()
}

// sortedTree is a report in another order.
type sortedTree struct {
	report  *analysis
	outline *outline
}

// sort sorts the shown report if its order is not the chosen one.
func (t *testTree) sort() tea.Cmd {
	a, by := t.shown, t.order
	if a == nil || a.outline.order == by {
		t.Scope.Forget("order")
		return nil
	}
	return t.Scope.Do("order", func(context.Context) tea.Msg { return sortedTree{a, newOutline(a, by)} })
}

// reportRead is one whole report.
type reportRead struct {
	key    entryKey
	report *analysis
	err    error
}

// historyRead is a report from before the shown one.
type historyRead struct{ reportRead }

func (t *testTree) fetch(key entryKey) func(context.Context) tea.Msg {
	client, by := t.Env.Site.Client, t.order
	return func(ctx context.Context) tea.Msg {
		report, err := client.Report(ctx, key.id)
		if err != nil {
			return reportRead{key: key, err: err}
		}
		return reportRead{key: key, report: analyse(&report, by)}
	}
}

// retry fetches the shown report again if that failed.
func (t *testTree) retry(key entryKey) tea.Cmd {
	if t.key != key || t.err == nil {
		return nil
	}
	t.err, t.loading = nil, true
	return t.Scope.Do("report", t.fetch(key))
}

// Update handles the replies for the tree.
func (t *testTree) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case reportRead:
		return t.read(msg)
	case historyRead:
		return t.readEarlier(msg)
	case sortedTree:
		msg.report.outline = msg.outline
		if t.shown == msg.report {
			t.arrange()
		}
	}
	return nil
}

func (t *testTree) read(r reportRead) tea.Cmd {
	if r.err == nil && finished(r.report.report) {
		t.reports.put(r.key, r.report)
	}
	if t.key != r.key {
		return nil
	}
	t.loading = false
	switch {
	case r.err == nil:
		return views.Batch(t.show(r.report), t.fetchHistory())
	case errors.Is(r.err, adminapi.KindCancelled):
		return nil
	}
	t.err = r.err
	if errors.Is(r.err, adminapi.KindSignIn) {
		return t.Scope.RetryAfterSignIn(r.err, "report", func() tea.Cmd { return t.retry(r.key) })
	}
	return nil
}

// fetchHistory fetches the next report before the shown one, for marks and trends.
func (t *testTree) fetchHistory() tea.Cmd {
	r := t.report()
	if r == nil || t.Env.Offline || t.key.origin == fromRun {
		return nil
	}
	older := t.host.older(r)
	if t.shown.count.Total() > maxHistoryTests {
		older = older[:min(1, len(older))]
	}
	for _, key := range older {
		if t.reports.get(key) == nil && !t.reports.unfinished[key] {
			fetch := t.fetch(key)
			return t.Scope.Do("history", func(ctx context.Context) tea.Msg {
				one, _ := fetch(ctx).(reportRead)
				return historyRead{one}
			})
		}
	}
	return nil
}

// readEarlier marks what changed and continues. An error ends the history without a
// message: the user did not request it.
func (t *testTree) readEarlier(r historyRead) tea.Cmd {
	switch {
	case r.err != nil:
		return nil
	case !finished(r.report.report):
		t.reports.unfinished[r.key] = true
		return t.fetchHistory()
	}
	t.reports.put(r.key, r.report)
	if shown := t.report(); shown != nil {
		if before := t.earlier(shown); before != t.before {
			t.before = before
			t.arrange()
		}
		t.host.showRow()
	}
	return t.fetchHistory()
}

// earlier returns the newest report before r with the same suites, among those in the
// cache; nil for none.
func (t *testTree) earlier(r *adminapi.Report) *analysis {
	for _, key := range t.host.older(r) {
		if before := t.reports.get(key); before != nil && operation.SameSuites(*before.report, *r) {
			return before
		}
	}
	return nil
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
		reports := []adminapi.Report{*t.shown.report}
		for _, key := range t.host.older(t.shown.report) {
			if before := t.reports.get(key); before != nil {
				reports = append(reports, *before.report)
			}
		}
		s.trend = health.TrendOf(reports, n.suite.ID, n.test.Name)
	}
	return s
}
