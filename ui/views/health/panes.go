package health

import (
	"context"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/offline"
	"geodeck/adminapi/operation/reporting"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/jsonview"
)

// panes are the list of reports, the tests of the one under its cursor, and the detail of one of
// these: which has the keys, what they show, and how they share the cells.
type panes struct {
	child
	layout  layout
	focus   pane
	divided bool // the tree shares a narrow terminal with the detail

	list    reportList
	tree    testTree
	detail  detail
	summary summary
	cover   *cover     // shown instead of them
	kept    []entryKey // the whole reports that are shown from what this machine kept
}

func (p *panes) panesCovered() bool { return p.cover.open() }

func (p *panes) comparing() bool { return p.cover.compare.open }

func (p *panes) compareWith(a, b entryKey) tea.Cmd {
	return p.cover.compare.with(a, b, "")
}

func (p *panes) opened(path string, report *analysis) tea.Cmd {
	e := entry{entryKey{fromFile, path}, summaryOf(*report.report)}
	p.reports.put(e.key, report)
	p.list.addFile(e)
	p.uncover(e.key)
	p.tree.key = entryKey{}
	shown := p.followNow()
	if !p.layout.shown(treePane) {
		p.goTo(treePane)
	}
	return tea.Batch(shown, views.Tell(views.Info, "Opened "+plain.Line(path)))
}

// uncover shows the panes with the cursor on a new entry.
func (p *panes) uncover(key entryKey) {
	delete(p.tree.folds, key)
	p.cover.close()
	p.list.reveal(key)
}

func (p *panes) runBegun() tea.Cmd {
	p.uncover(p.run.key())
	p.run.usual = p.usualRun(p.run.suites)
	shown := p.followNow()
	if !p.layout.shown(treePane) {
		p.goTo(treePane)
	}
	return shown
}

// enter opens what the cursor is on; it folds and unfolds rows with children.
func (p *panes) enter() tea.Cmd {
	switch {
	case p.focus == listPane:
		if _, ok := p.list.selected(); !ok {
			return nil
		}
		return p.goTo(treePane)
	case p.focus == treePane && p.tree.rows.Leaf():
		return p.goTo(detailPane)
	case p.focus == treePane:
		p.tree.rows.Toggle()
	}
	return nil
}

func (p *panes) foldOrLeave() {
	if !p.tree.rows.FoldOrLeave() {
		p.goTo(listPane)
	}
}

// goTo moves the focus to another pane. What the list has come to is shown at once: the
// other panes are about it.
func (p *panes) goTo(to pane) (followed tea.Cmd) {
	if p.focus == listPane {
		followed = p.followNow()
	}
	p.focus = to
	p.place()
	if to == detailPane {
		p.showRow()
	}
	return followed
}

// followNow shows the report under the cursor without waiting.
func (p *panes) followNow() tea.Cmd {
	e, ok := p.list.selected()
	if !ok || e.key == p.tree.key {
		return nil
	}
	return p.tree.choose(e)
}

// showRow shows the row under the cursor of the tree. A report with failures shares a narrow
// terminal with why they failed.
func (p *panes) showRow() {
	p.detail.show(p.tree.source())
	if p.tree.telling() != p.divided {
		p.place()
	}
}

// noReport says why there is no report to act on, neither one that is shown nor one that will be.
// A check that runs has none before the site shows some of it.
func (p *panes) noReport() string {
	switch {
	case p.tree.showsRun() && p.tree.shown == nil:
		return noReportYet
	case p.tree.shown != nil && p.list.rows.All() == 0: // else a filter hides the report
		return ""
	}
	return p.list.noneSelected()
}

// Why the chosen report is not shown.
const (
	stillRead = "The report is still being read. Wait until it is shown."
	notRead   = "The report could not be read. Press {key:health.refresh} to refresh."
)

// chosenReport shows the report under the cursor and returns it; where it cannot be had it returns
// nil, and tells why.
func (p *panes) chosenReport() (*adminapi.Report, tea.Cmd) {
	followed, report := p.followNow(), p.tree.report()
	switch {
	case report != nil:
		return report, followed
	case p.tree.loading:
		return nil, tea.Batch(followed, views.Tell(views.Warning, stillRead))
	}
	return nil, tea.Batch(followed, views.Tell(views.Warning, views.Keys(notRead)))
}

func (p *panes) handed() (of *incident.Handed, followed tea.Cmd) {
	of = &incident.Handed{SiteName: p.Env.SiteName}
	if c := &p.cover.compare; c.open {
		of.Report, of.Before, of.Since = c.After, &c.Before, c.since
	} else {
		var report *adminapi.Report
		if report, followed = p.chosenReport(); report == nil {
			return nil, followed
		}
		of.Report = *report
	}
	of.Earlier = p.resultsBefore(&of.Report)
	if _, key := p.explained(); key.origin == fromFile {
		of.File = key.id
	}
	return of, followed
}

// explained returns the report that is acted on, in a comparison the newer one, and its place in the list.
func (p *panes) explained() (*analysis, entryKey) {
	if p.cover.compare.open {
		return p.cover.compare.newer, p.cover.compare.key
	}
	return p.tree.shown, p.tree.key
}

// compareLastGood compares the report, or the newer one of a comparison, with the last good one before it.
func (p *panes) compareLastGood() tea.Cmd {
	of, followed := p.handed()
	if of == nil {
		return followed
	}
	if !p.has(&of.Report) { // what passes at one site says nothing of another
		return tea.Batch(followed, views.Tell(views.Warning, "This site does not list that report. No last good one is known."))
	}
	_, key := p.explained()
	all, by := p.site, p.order
	reader := p.Env.Site.Reports()
	return tea.Batch(followed, p.Scope.Work("compare", func(ctx context.Context) func() tea.Cmd {
		good, err := reader.LastGood(ctx, all, of.Report)
		if good == nil {
			return func() tea.Cmd {
				if err != nil {
					return p.failed(err, "compare", p.compareLastGood)
				}
				return views.Tell(views.Info, "No good report of these suites is listed before it.")
			}
		}
		a := analyse(good, by)
		return func() tea.Cmd {
			before := entryKey{fromSite, good.ID}
			p.reports.put(before, a)
			return p.cover.compare.with(before, key, incident.LastGood)
		}
	}))
}

func (p *panes) shownName() string { return entryName(entry{p.tree.key, p.tree.summary}) }

// reportBefore returns the newest report before an entry; of the same suites, where that is known.
func (p *panes) reportBefore(e entry) (entryKey, bool) {
	if before := p.tree.before; p.tree.key == e.key && before != nil {
		return entryKey{fromSite, before.report.ID}, true
	}
	return p.list.before(e)
}

func (p *panes) removed(key entryKey) tea.Cmd {
	delete(p.tree.folds, key)
	if p.list.rows.Len() == 0 {
		p.tree.key = entryKey{}
		p.tree.show(nil)
	}
	return p.followNow()
}

// usualRun returns the newest report that is known of the same suites, nil for none: how long it
// took is how long a run usually takes.
func (p *panes) usualRun(suites []string) *analysis {
	like := adminapi.Report{}
	for _, id := range suites {
		like.Suites = append(like.Suites, adminapi.SuiteResult{ID: id})
	}
	for _, s := range p.list.site {
		if a := p.reports.get(entryKey{fromSite, s.ID}); a != nil && health.SameSuites(*a.report, like) {
			return a
		}
	}
	return nil
}

func (p *panes) runRead(report *analysis) tea.Cmd {
	if !p.tree.showsRun() {
		return nil
	}
	return p.tree.show(report)
}

func (p *panes) runEnded(ended *run, a *analysis) tea.Cmd {
	key := entryKey{fromSite, a.report.ID}
	p.tree.folds[key] = p.tree.folds[ended.key()] // folded rows remain folded
	delete(p.tree.folds, ended.key())
	p.reports.put(key, a)
	p.list.addSite(summaryOf(*a.report))
	p.list.reveal(key)
	p.tree.fresh = true
	level := views.Warning
	switch {
	case a.verdict == health.Passed:
		level = views.Success
	case a.verdict.Bad():
		level = views.Failure
	}
	text := endedWith(a.verdict, a.count) + "."
	return tea.Batch(p.followNow(), views.Tell(level, text), p.list.fetch())
}

func (p *panes) runFailed() tea.Cmd {
	if p.focus == treePane && p.tree.showsRun() || p.tree.key.origin == fromRun { // there is nothing else to show of it
		p.goTo(listPane)
	}
	p.list.arrange()
	p.tree.key = entryKey{}
	return tea.Batch(p.followNow(), p.list.fetch())
}

// copyID copies the id of the test under the cursor, or of the report.
func (p *panes) copyID() tea.Cmd {
	if test := p.tree.test(); test != nil && p.focus != listPane {
		return views.CopyText(test.ID, "test id")
	}
	e, _ := p.list.selected()
	if e.key.origin == fromFile {
		return views.CopyText(e.key.id, "path of the file")
	}
	return views.CopyText(e.key.id, "report id")
}

// fault returns the test to explain: the one under the cursor of the tree, else the worst.
func (p *panes) fault() (health.Entry, bool) {
	if p.tree.shown == nil || p.noReport() != "" {
		return health.Entry{}, false
	}
	if n, ok := p.tree.node(); ok && p.focus != listPane && n.test != nil {
		return n.entry(), n.trouble()
	}
	if len(p.tree.shown.worst) == 0 {
		return health.Entry{}, false
	}
	return p.tree.shown.worst[0], true
}

// testIDs returns the ids of the tests of the report, each with its verdict and name.
func (p *panes) testIDs() (ids []views.Choice) {
	if p.tree.outline == nil {
		return nil
	}
	for _, n := range p.tree.outline.nodes {
		if n.test != nil {
			ids = append(ids, views.Choice{Text: n.test.ID, Note: n.verdict.String() + "  " + n.test.Name})
		}
	}
	return ids
}

// place sets the sizes of the panes after the size or the focus changed.
func (p *panes) place() {
	p.divided = p.tree.telling()
	p.layout = arrange(p.Width, p.Height, p.focus, p.divided)
	list, tree, detail := p.layout.panes[listPane], p.layout.panes[treePane], p.layout.panes[detailPane]
	p.list.SetSize(list.width, list.height)
	p.tree.SetSize(tree.width, tree.height)
	if tree.width == 0 { // as it will be shown: the cursor moves before that
		later := arrange(p.Width, p.Height, treePane, p.divided).panes[treePane]
		p.tree.rows.SetSize(later.width, max(0, later.height-treeHead))
	}
	p.detail.SetSize(detail.width, detail.height)
	p.list.rows.SetFocused(p.focus == listPane)
	p.tree.rows.SetFocused(p.focus == treePane)
	p.detail.focused = p.focus == detailPane
	p.summary.SetSize(p.layout.summary.width, p.layout.summary.height)
}

// columns draws the panes that are shown, those below each other as one column.
func (p *panes) columns() string {
	var list, tree, detail string
	if p.layout.shown(listPane) {
		list = p.list.View()
	}
	if p.layout.shown(treePane) {
		tree = p.tree.View()
	}
	if p.layout.shown(detailPane) {
		detail = p.detail.View()
	}
	if list != "" && p.layout.summary.width > 0 {
		list = p.above(list, p.summary.View(), p.list.Width)
	}
	if p.layout.below && tree != "" {
		tree, detail = p.above(tree, detail, p.tree.Width), ""
	}
	return p.inks.Abreast(p.Height, list, tree, detail)
}

// above joins two parts of a column with a rule between them.
func (p *panes) above(upper, lower string, width int) string {
	return upper + "\n" + p.inks.Line(width) + "\n" + lower
}

// cover is what is shown instead of the panes: a comparison, or JSON instead of everything.
type cover struct {
	compare comparison
	json    jsonview.Screen
}

func (c *cover) open() bool { return c.json.Open || c.compare.open }

// close shows the panes; nothing leads back to a comparison.
func (c *cover) close() { c.compare.open, c.compare.behind, c.json.Open = false, false, false }

// fresh returns when the list of reports was read.
func (p *panes) fresh() time.Time {
	if p.list.Kept || p.list.Loading && p.list.Unreachable == nil {
		return time.Time{}
	}
	return p.list.Updated
}

// keep keeps the list, and the newest reports that were read.
func (p *panes) keep(when offline.When) func(operation.Site) error {
	list, whole := slices.Clone(p.list.site), []adminapi.Report(nil)
	for key, a := range p.reports.reports {
		if key.origin == fromSite {
			whole = append(whole, *a.report)
		}
	}
	return func(site operation.Site) error { return offline.KeepReports(site, when, list, whole) }
}

// takeKept shows the reports that were kept, where none was read yet.
func (p *panes) takeKept() tea.Cmd {
	kept := p.Env.Kept
	if kept == nil || kept.Reports == nil || !p.list.TakeKept(kept.Reports.Read) {
		return nil
	}
	p.list.site = slices.Clone(kept.Reports.List)
	reporting.NewestFirst(p.list.site)
	p.list.arrange()
	whole, by := kept.Reports.Whole, p.order
	return p.Scope.Work("kept reports", func(context.Context) func() tea.Cmd {
		var read []*analysis
		for _, r := range whole {
			read = append(read, analyse(&r, by))
		}
		return func() tea.Cmd {
			if !p.list.Kept {
				return nil
			}
			for _, a := range read {
				key := entryKey{fromSite, a.report.ID}
				p.reports.put(key, a)
				p.kept = append(p.kept, key)
			}
			return p.followNow()
		}
	})
}

// forgetKept lets go the reports that were kept: the site answers, and they are read again.
func (p *panes) forgetKept() tea.Cmd {
	p.Scope.Forget("kept reports")
	for _, key := range p.kept {
		p.reports.drop(key)
	}
	shown := slices.Contains(p.kept, p.tree.key)
	p.kept = nil
	if !shown {
		return p.tree.retry(p.tree.key)
	}
	p.tree.key = entryKey{}
	return tea.Batch(p.tree.show(nil), p.followNow())
}
