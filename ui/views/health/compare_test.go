package health_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/operation"
	"geodeck/theme"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestAComparisonContinuesWithAnotherReport(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.Press("down down")
	id := uitest.Find[views.Copy](t, s.Press("health.copy")).Text
	s.Press("rows.top space health.compare")
	s.Shows("Before", "check by hand")
	if !s.offers("health.compare") {
		t.Fatal("no other report can be named")
	}
	s.Invoke("health.compare", id)
	s.Shows("Before", "scheduled-20261114")
}

// A13: a comparison is written and copied whole, with the site, what to do and the lines for its pods.
func TestAComparisonIsExportedAndCopied(t *testing.T) {
	t.Parallel()
	s := degraded(t)
	s.env.SiteName = "production"
	s.runCheck()
	s.Press("health.compare")
	whole := []string{"# Health comparison: geodeck", "- Site: production, http", "- Version: 11.5.0.6745", "- Exported: 2026-11-20 ", " UTC by admin of the site, ",
		"## Since scheduled-20261118-2205", "- 1 new failure, 1 new warning; compared with 2026-11-18 22:05:00 UTC (scheduled-20261118-2205)",
		"- newly failing: healthcheck_objectStore", "- now warning: query_logs_availability", "## What to do", "Check the object store", "kubectl -n NAMESPACE describe pods arcgis-object-store",
		"kubectl -n NAMESPACE logs statefulset/arcgis-object-store", "kubectl -n NAMESPACE get events"}
	for _, key := range []string{"y", "Y"} {
		copied := uitest.Find[views.Copy](t, s.Press(key)).Text
		for _, want := range whole {
			if !strings.Contains(copied, want) {
				t.Errorf("%s copies no %q:\n%s", key, want, copied)
			}
		}
	}
	uitest.Answer(t, s.Model, s.Press("health.export"), uitest.Keys("enter")...)
	files, _ := filepath.Glob(filepath.Join(s.env.Folder, "*.md"))
	if len(files) != 1 {
		t.Fatalf("files %v", files)
	}
	if name := filepath.Base(files[0]); !strings.HasPrefix(name, "health-comparison-geodeck-") {
		t.Errorf("a comparison is named like a report: %s", name)
	}
	page, err := os.ReadFile(files[0])
	for _, want := range whole {
		if err != nil || !strings.Contains(string(page), want) {
			t.Errorf("no %q in the file: %v", want, err)
		}
	}
}

// A14: what stays failing or warned is shown, and one key leads to the last good report.
func TestAStandingFailureAndWarningAreShownAndTheLastGoodReportIsOneKeyAway(t *testing.T) {
	t.Parallel()
	s := degraded(t)
	s.runCheck()
	s.runCheck()
	s.Press("health.compare")
	s.Shows("Before  ✗ failed", "Before is not good: L compares with the last good one.", "No new failures · 1 still failing · 1 still warned",
		"✗ still failing  healthcheck_objectStore", "! still warned   query_logs_availability", "11 unchanged tests hidden")
	s.Press("health.last-good")
	s.Shows("Before  ✓ passed  scheduled-20261118-2205", "Before is the last good report: no test failed.", "1 new failure · 1 new warning")
	s.Press("esc rows.bottom")
	if text := uitest.NoticeText(t, s.Press("health.last-good")); text != "No good report of these suites is listed before it." {
		t.Errorf("told %q", text)
	}
}

// A test under the cursor of a comparison is explained and opened as the newer report has it.
func TestATestOfAComparisonIsExplainedAndOpened(t *testing.T) {
	t.Parallel()
	s := degraded(t)
	s.runCheck()
	s.Press("health.compare")
	s.Shows("✗ newly failing", "healthcheck_objectStore")
	if s.hint("W") != "what now" || s.hint("enter") != "open" {
		t.Errorf("the footer has %q, %q", s.hint("W"), s.hint("enter"))
	}
	panel := uitest.Find[views.Open](t, s.Press("health.explain")).Dialog
	panel.SetSize(80, 40)
	if shown := ansi.Strip(panel.View()); !strings.Contains(shown, "healthcheck_objectStore: failed") {
		t.Error(shown)
	}
	s.Press("enter")
	s.Shows("✗ failed  healthcheck_objectStore")
	if path := s.Status().Path; path[len(path)-1] != "healthcheck_objectStore" {
		t.Errorf("enter opens %v", path)
	}
	s.Press("esc")
	s.Shows("✗ newly failing", "Before")
	s.Invoke("health.test", "healthcheck_objectStore")
	s.Hides("Before ")
	s.Press("esc health.unchanged")
	s.Press("rows.bottom")
	if told := uitest.NoticeText(t, s.Press("health.explain")); told != "This test did not fail in the newer report." {
		t.Errorf("of a test that passed %q is told", told)
	}
	if !s.offers("health.run") {
		t.Error("no check can be run from the comparison")
	}
	s.Press("esc")
	s.Hides("Before")
}

func TestAComparisonKnowsWhatHasPassedSince(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.Press("health.next-failed-report health.compare")
	s.Shows("newly failing", "It has passed since, last on 2026-11-18", "Nothing needs to be done.")
	s.Press("esc rows.top health.compare")
	if strings.Contains(s.Draw(), "f hides them") {
		s.Press("f")
	}
	s.Shows("No test result changed.", "All 13 tests of 2026-11-", " were compared.")
}

func TestASavedReportOpensWithoutASiteAndCanBeCompared(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.Invoke("health.export", "json")
	s.Press("rows.bottom")
	s.Invoke("health.export", "json")
	files, _ := filepath.Glob(filepath.Join(s.env.Folder, "*.json"))
	if len(files) != 2 {
		t.Fatalf("files %v", files)
	}
	offline := openIn(t, uitest.Env(t, operation.Site{}, uitest.Theme()), 120, 35)
	offline.Shows("There is no site.")
	for _, file := range files {
		offline.Invoke("health.open", file)
	}
	offline.Shows("1 of 2", "file", "healthcheck_objectStore")
	offline.Press("space health.compare")
	offline.Shows("Before", "After", "new failure")
}

func TestASCIIArrowsReadAsArrows(t *testing.T) {
	t.Parallel()
	ascii := *uitest.Theme()
	ascii.Glyphs = theme.New(theme.Options{ASCII: true}).Glyphs
	s := openIn(t, uitest.Env(t, siteOf(t, "degraded"), &ascii), 80, 19)
	s.runCheck()
	s.Press("health.compare")
	s.Shows("+ -> x", "s -> 30 s")
}

// What passes at one site says nothing of a report that another site wrote.
func TestAReportOfAnotherSiteHasNoHistoryHere(t *testing.T) {
	t.Parallel()
	s := degraded(t)
	path := filepath.Join(t.TempDir(), "other.json")
	text := `{"id":"elsewhere","name":"of another site","state":"completed","result":"failed","starttime":1000,"endtime":2000,"suites":[{"id":"BSHC-001","name":"Basic health checks","result":"failed",` +
		`"testGroups":[{"name":"General","tests":[{"name":"healthcheck_objectStore","result":"failed","state":"completed"}]}]}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.Invoke("health.open", path)
	if told := uitest.NoticeText(t, s.Press("health.last-good")); told != "This site does not list that report. No last good one is known." {
		t.Errorf("told %q", told)
	}
	s.Hides("passed since", "Nothing needs to be done")
}
