package health

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/polling"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

// fakeHost takes the place of the view of a child, and records its calls.
type fakeHost struct {
	calls   []string
	covered bool
	report  *adminapi.Report
}

func (h *fakeHost) note(format string, args ...any) tea.Cmd {
	h.calls = append(h.calls, fmt.Sprintf(format, args...))
	return nil
}

func (h *fakeHost) followNow() tea.Cmd                      { return h.note("follow") }
func (h *fakeHost) forgetKept() tea.Cmd                     { return h.note("forget") }
func (h *fakeHost) removed(key entryKey) tea.Cmd            { return h.note("removed %s", key.id) }
func (h *fakeHost) panesCovered() bool                      { return h.covered }
func (h *fakeHost) showRow()                                { h.note("row") }
func (h *fakeHost) runBegun() tea.Cmd                       { return h.note("begun") }
func (h *fakeHost) runRead(*analysis) tea.Cmd               { return h.note("read") }
func (h *fakeHost) runEnded(r *run, _ *analysis) tea.Cmd    { return h.note("ended %s", r.name) }
func (h *fakeHost) runFailed() tea.Cmd                      { return h.note("failed") }
func (h *fakeHost) opened(path string, _ *analysis) tea.Cmd { return h.note("opened %s", path) }
func (h *fakeHost) noReport() string                        { return "" }
func (h *fakeHost) shownName() string                       { return "report" }
func (h *fakeHost) reportBefore(entry) (entryKey, bool)     { return entryKey{}, false }
func (h *fakeHost) comparing() bool                         { return false }
func (h *fakeHost) handed() (*incident.Handed, tea.Cmd) {
	return &incident.Handed{Report: *h.report}, nil
}
func (h *fakeHost) compareWith(x, y entryKey) tea.Cmd {
	return h.note("compare %s %s", x.id, y.id)
}

func (h *fakeHost) last() string { return h.calls[len(h.calls)-1] }

// newChild returns a child without a view.
func newChild(t *testing.T) child {
	t.Helper()
	env := uitest.Env(t, operation.Site{}, uitest.Theme())
	return child{views.NewBase(env), &shared{inks: newInks(env.Theme), reports: newReportCache()}}
}

// reportOf makes a report of tests that passed, but for those that are named.
func reportOf(id string, start adminapi.Millis, failed ...string) *adminapi.Report {
	test := func(name string) adminapi.TestResult {
		result := "pass"
		for _, f := range failed {
			if f == name {
				result = "fail"
			}
		}
		return adminapi.TestResult{ID: "T-" + name, Name: name, Result: result, State: "completed"}
	}
	result := "passed"
	if len(failed) > 0 {
		result = "failed"
	}
	return &adminapi.Report{
		ID: id, Name: id, State: "completed", Result: result, StartTime: start, EndTime: start + 1000,
		Suites: []adminapi.SuiteResult{{ID: "S", Name: "Suite", Result: result, State: "completed",
			Critical: []adminapi.TestResult{test("one"), test("two")}, General: []adminapi.TestResult{test("three")}}},
	}
}

func noticeText(t *testing.T, cmd tea.Cmd) string {
	t.Helper()
	n, ok := cmd().(views.Notice)
	if !ok {
		t.Fatal("there is no notice")
	}
	return n.Text
}

func TestTheListShowsPagesAsTheyArriveAndMarksReportsToCompare(t *testing.T) {
	t.Parallel()
	host := &fakeHost{}
	l := newReportList(newChild(t), host)
	l.SetSize(60, 8)
	l.addPage(adminapi.ReportPage{NextStart: 3, Runs: []adminapi.ReportSummary{
		{ID: "b", Name: "second", StartTime: 2000}, {ID: "c", Name: "third", StartTime: 3000}}})
	if host.last() != "follow" || l.rows.Len() != 2 || !l.Loading {
		t.Fatalf("after a first page: %v, %d rows", host.calls, l.rows.Len())
	}
	l.addPage(adminapi.ReportPage{NextStart: -1, Runs: []adminapi.ReportSummary{
		{ID: "c", Name: "third", StartTime: 3000}, {ID: "a", Name: "first", StartTime: 1000}}})
	if v := l.View(); l.rows.Len() != 3 || l.Loading || strings.Index(v, "third") > strings.Index(v, "first") {
		t.Errorf("the pages make %d rows:\n%s", l.rows.Len(), v)
	}
	l.rows.Mark()
	if !strings.Contains(l.View(), "1 marked: C compares") {
		t.Errorf("the mark is not shown:\n%s", l.View())
	}
	l.rows.GoBottom()
	if l.compareTo(""); host.last() != "compare c a" {
		t.Errorf("called %q", host.last())
	}
	l.rows.Mark()
	l.rows.GoTop()
	if l.compareTo(""); host.last() != "compare c a" {
		t.Errorf("with two marked, called %q", host.last())
	}
	if ids := l.otherIDs(); len(ids) != 2 || ids[1].Text != "b" && ids[0].Text != "b" || !strings.Contains(ids[0].Note+ids[1].Note, "unknown  second") {
		t.Errorf("it can be compared with %v", ids)
	}
	if keys := l.older(&adminapi.Report{ID: "c", StartTime: 3000}); len(keys) != 2 || keys[0].id != "b" {
		t.Errorf("before the newest report come %v", keys)
	}
}

func TestTheTreeMarksWhatChangedSinceTheReportBefore(t *testing.T) {
	t.Parallel()
	host := &fakeHost{}
	tree := newTestTree(newChild(t), host)
	tree.SetSize(100, 12)
	if failed := tree.Commands()[0]; tree.onScreen() || failed.WhyNot() != "No tests are on the screen." {
		t.Error("a tree without a report can be filtered")
	}
	tree.site = []adminapi.ReportSummary{{ID: "now", StartTime: 90_000_000}, {ID: "before", StartTime: 1000}}
	tree.reports.put(entryKey{fromSite, "before"}, analyse(reportOf("before", 1000), worstFirst))
	key := entryKey{fromFile, "now"}
	tree.reports.put(key, analyse(reportOf("now", 90_000_000, "three"), worstFirst))
	tree.choose(entry{key: key})
	if v := tree.View(); !strings.Contains(v, "2 of 3 passed, 1 failed") || !strings.Contains(v, "failed  was ✓") {
		t.Errorf("the tree is\n%s", v)
	}
	tree.toggleFailed()
	if v := tree.View(); host.last() != "row" || !strings.Contains(v, "[not passed]") || strings.Contains(v, "Critical") {
		t.Errorf("failed only is\n%s", v)
	}
	if host.covered = true; tree.onScreen() {
		t.Error("a tree that is covered is on the screen")
	}
}

func TestADetailKeepsItsPositionWhileItsRowIsUpdated(t *testing.T) {
	t.Parallel()
	tree := newTestTree(newChild(t), &fakeHost{})
	tree.show(analyse(reportOf("now", 1000, "one"), worstFirst))
	d := newDetail(tree.child)
	d.SetSize(30, 4)
	d.show(tree.source())
	first := d.View()
	scroll, _ := views.Find(d.Commands(), "rows.down")
	scroll.Do("")
	scrolled := d.View()
	if scrolled == first || !strings.Contains(scrolled, "2-4 of") {
		t.Fatalf("scrolled to\n%s", scrolled)
	}
	d.show(tree.source())
	if d.View() != scrolled {
		t.Error("the same row shown anew is at another place")
	}
	tree.rows.GoDown()
	if d.show(tree.source()); !strings.Contains(d.View(), "Critical") && !strings.Contains(d.View(), "1-3") {
		t.Errorf("another row begins at\n%s", d.View())
	}
	if d.show(nil); strings.TrimSpace(d.View()) != "" {
		t.Errorf("no row is\n%s", d.View())
	}
}

func TestAComparisonOfCachedReportsSendsNoRequest(t *testing.T) {
	t.Parallel()
	c := newComparison(newChild(t), nil)
	c.SetSize(90, 12)
	a, b := entryKey{fromFile, "a"}, entryKey{fromFile, "b"}
	c.reports.put(a, analyse(reportOf("later", 5000, "two"), worstFirst))
	c.reports.put(b, analyse(reportOf("earlier", 1000), worstFirst))
	unmarked := false
	c.unmark = func() bool { unmarked = true; return true }
	c.with(a, b, "")().(views.Reply).Msg.(views.Retry).Do()
	v := c.View()
	if !c.open || !unmarked || strings.Index(v, "earlier") > strings.Index(v, "later") || !strings.Contains(v, "1 new failure") || strings.Contains(v, "three") {
		t.Errorf("compared:\n%s", v)
	}
	if c.toggleSame(); !strings.Contains(c.View(), "three") {
		t.Errorf("with what is unchanged:\n%s", c.View())
	}
	missing := c.with(a, entryKey{fromFile, "gone"}, "")().(views.Reply).Msg.(views.Retry)
	if text := noticeText(t, missing.Do()); !strings.Contains(text, `"gone" is open`) {
		t.Errorf("told %q", text)
	}
}

func TestARunShowsItsStatusAtEachStep(t *testing.T) {
	t.Parallel()
	host := &fakeHost{}
	r := runner{child: newChild(t), host: host}
	r.start(adminapi.HealthRun{Name: "mine"}, nil)
	if host.last() != "begun" || r.run.status(r.Env.Clock.Now()) != "being sent" || !strings.Contains(r.leave(), "not known yet") {
		t.Fatalf("begun: %v", host.calls)
	}
	if text := noticeText(t, r.start(adminapi.HealthRun{Name: "other"}, nil)); !strings.Contains(text, "running already: mine") {
		t.Errorf("a second run: %q", text)
	}
	r.sent(adminapi.HealthRun{}, &operation.HealthRun{}, operation.Result{Outcome: adminapi.OutcomeUnknown})
	if !r.run.unconfirmed() || !r.run.troubled() || !strings.Contains(r.run.text()[0], "The answer was lost") {
		t.Errorf("a run whose answer is lost says %q", r.run.text())
	}
	r.Env.Times.Mode, r.Env.Times.Ahead = views.RelativeTime, 3*time.Hour // the site's clock
	job := adminapi.Job{ID: "j7", Status: "EXECUTING", UpdatedTime: adminapi.MillisOf(r.Env.Times.Now().Add(3*time.Hour - 5*time.Minute))}
	r.run.last = operation.HealthSnapshot{Job: job}
	if text := strings.Join(r.run.text(), "\n"); !r.run.unconfirmed() || r.run.status(r.Env.Clock.Now()) != "finding it" ||
		!strings.Contains(text, "Job j7 may be it.") || !strings.Contains(r.leave(), "not known yet") {
		t.Errorf("of a job that may be another run it says %q", text)
	}
	r.run.last.Own = true
	if text := strings.Join(r.run.text(), "\n"); !strings.HasSuffix(text, "Job j7") {
		t.Errorf("of its job it says %q", text)
	}
	r.read(runRead{Step: polling.Step[operation.HealthSnapshot]{Done: true}, report: analyse(reportOf("mine", 1000), worstFirst)})
	if host.last() != "ended mine" || r.run != nil || r.leave() != "" {
		t.Errorf("ended: %v", host.calls)
	}
}

func TestAnExportThatCannotBeIsExplained(t *testing.T) {
	t.Parallel()
	host := &fakeHost{report: reportOf("now", 1000)}
	f := files{child: newChild(t), host: host}
	if text := noticeText(t, f.exportAs("pdf")); !strings.Contains(text, "json, csv, md, html, junit") {
		t.Errorf("told %q", text)
	}
	path := filepath.Join(t.TempDir(), "a.json")
	if err := os.WriteFile(path, []byte(`{"id":"a","name":"a","state":"completed","result":"passed","suites":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	f.read(path, false)().(views.Reply).Msg.(views.Retry).Do()
	if host.last() != "opened "+path {
		t.Errorf("opened: %v", host.calls)
	}
}

func TestTheCacheDropsTheOldestReportOfTheSiteFirst(t *testing.T) {
	t.Parallel()
	c := newReportCache()
	file := entryKey{fromFile, "kept"}
	c.put(file, analyse(reportOf("kept", 1), worstFirst))
	for i := range maxReports {
		id := fmt.Sprint(i)
		c.put(entryKey{fromSite, id}, analyse(reportOf(id, 1), worstFirst))
	}
	if c.get(file) == nil || c.get(entryKey{fromSite, "0"}) != nil || c.get(entryKey{fromSite, "1"}) == nil {
		t.Errorf("the cache holds %v", c.keys)
	}
	if c.tests != 3*maxReports {
		t.Errorf("%d tests are counted", c.tests)
	}
	c.drop(file)
	if c.tests != 3*(maxReports-1) || len(c.keys) != maxReports-1 {
		t.Errorf("%d tests of %d reports are counted", c.tests, len(c.keys))
	}
}

// The first page of a site that answers again has the newest reports, the kept list those of yesterday.
func TestTheFirstPageReplacesWhatWasKept(t *testing.T) {
	t.Parallel()
	l := newReportList(newChild(t), &fakeHost{})
	if !l.TakeKept(uitest.Start.Add(-24 * time.Hour)) {
		t.Fatal("what was kept is not taken")
	}
	for _, id := range []string{"kept-1", "kept-2", "kept-3"} {
		l.site = append(l.site, adminapi.ReportSummary{ID: id})
	}
	_ = l.addPage(adminapi.ReportPage{Runs: []adminapi.ReportSummary{{ID: "tonight"}}, Total: 3, Start: 1, NextStart: 2})
	if len(l.site) != 1 || l.site[0].ID != "tonight" || l.Kept {
		t.Errorf("under %v it shows %+v, kept: %t", l.Updated, l.site, l.Kept)
	}
}
