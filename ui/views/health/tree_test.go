package health_test

import (
	"strings"
	"testing"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation"
	"geodeck/ui/uitest"
	"geodeck/ui/views"
)

func TestTheTreeSaysWhyATestFailed(t *testing.T) {
	t.Parallel()
	s := open(t, siteOf(t, "degraded"), 200, 55)
	s.runCheck()
	s.Press("enter")
	s.Shows("healthcheck_objectStore  No answer from the object store within 30 s; 0 of 2 pods are ready.", "✓✗  ▁")
	s.Press("rows.filter")
	uitest.Press(t, s.Model, uitest.Text("0 of 2 pods")...)
	s.Shows("healthcheck_objectStore", "General")
	s.Hides("▾ ✓ Critical")
}

func TestFiltersKeepMatchingTestsAndTheirParents(t *testing.T) {
	t.Parallel()
	s := degraded(t)
	s.runCheck()
	s.Press("enter health.failed")
	s.Shows("healthcheck_objectStore", "query_logs_availability", "General")
	s.Hides("home_app_availability", "▾ ✓ Critical")
	s.Press("health.failed")
	s.Press("rows.filter")
	uitest.Press(t, s.Model, uitest.Text("critical")...)
	s.Shows("sharing_availability")
	s.Hides("home_app_availability")
	s.Press("enter esc rows.filter")
	if !s.CapturesText() {
		t.Fatal("the filter takes no text")
	}
	uitest.Press(t, s.Model, uitest.Text("INGRESS")...)
	s.Shows("healthcheck_ingress", "General")
	s.Hides("home_app_availability")
	s.Press("enter esc")
	s.Shows("home_app_availability")
}

func TestFiltersAreShownBeforeAllOtherFacts(t *testing.T) {
	t.Parallel()
	s := open(t, siteOf(t, "degraded"), 60, 19)
	s.Press("enter health.failed health.order")
	s.Shows("[not passed · longest first]")
}

// The tree of a report with more rows follows while a filter is on.
func TestAFilterStaysOnInTheNextReport(t *testing.T) {
	t.Parallel()
	s, path := bigScreen(t, 40)
	s.Invoke("health.open", path)
	report := `{"id":"small","name":"small","result":"passed","state":"completed","startTime":1795183500000,"endTime":1795183600000,"suiteStatus":[]}`
	writeReport(t, s.env.Folder, "small.json", report)
	s.Invoke("health.open", "small.json")
	s.Press("health.failed down")
	s.Shows("[not passed]", "test_number_000007")
	s.Hides("test_number_000006")
}

func TestOneEscClearsTheTextAndTheSentenceNamesTheOtherFilters(t *testing.T) {
	t.Parallel()
	s := degraded(t)
	s.runCheck()
	s.Press("enter health.failed rows.filter")
	if !s.CapturesText() || len(s.usable()) > 0 {
		t.Errorf("while a filter is typed these can be used: %v", s.usable())
	}
	uitest.Press(t, s.Model, uitest.Text("sharing")...)
	s.Shows("not passed only", "esc clears the text; then f shows all.")
	s.Press("enter esc")
	s.Shows("healthcheck_objectStore", "[not passed]")
	s.Hides("home_app_availability")
	s.Press("health.failed")
	s.Shows("home_app_availability")
}

func TestFoldsBelongToOneReport(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.Press("enter")
	s.Invoke("rows.fold-all", "")
	s.Hides("▾ ✓ Critical")
	s.Press("esc down enter")
	s.Shows("▾ ✓ Critical")
	s.Press("esc up enter")
	s.Hides("▾ ✓ Critical")
	s.Press("esc")
	s.runCheck()
	s.Shows("▾ ✓ Critical")
}

func TestFoldsOfARunStayWithItsReport(t *testing.T) {
	t.Parallel()
	s := open(t, telling(t, "healthy"), 120, 35)
	rest := s.startRun(9)
	s.Press("enter")
	s.Invoke("rows.fold-all", "")
	s.Hides("▾ ✓ Critical")
	uitest.Drain(t, s.Model, tea.Batch(rest...))
	s.Shows("✓ passed  geodeck 2026-11-20")
	s.Hides("▾ ✓ Critical")
}

func TestKeysOfTheTreeDoNothingWhileItIsNotOnTheScreen(t *testing.T) {
	t.Parallel()
	s := open(t, siteOf(t, "degraded"), 80, 19)
	for _, id := range []string{"health.failed", "health.order"} {
		if s.offers(id) {
			t.Errorf("%s is offered beside a list alone", id)
		}
	}
	uitest.NoticeText(t, s.Invoke("health.failed", ""))
	s.Press("enter")
	s.Hides("[")
	if !s.offers("health.failed") {
		t.Error("the tree cannot be filtered")
	}
}

func TestTheOrderOfTestsCanBeChosen(t *testing.T) {
	t.Parallel()
	s := degraded(t)
	s.runCheck()
	at := func(name string) int { return strings.Index(s.Draw(), name) }
	s.Press("enter")
	if at("query_logs_availability") > at("home_app_availability") {
		t.Error("the worst is not first")
	}
	s.Press("health.order")
	s.Shows("longest first")
	s.Press("health.order")
	s.Shows("as reported")
	if at("query_logs_availability") < at("home_app_availability") {
		t.Error("not the order of the report")
	}
}

func TestTheLastChosenOrderIsShown(t *testing.T) {
	t.Parallel()
	s := degraded(t)
	s.Press("enter")
	worstFirst := s.Draw()
	slow := []tea.Cmd{s.Do("health.order", ""), s.Do("health.order", "")}
	slow = append(slow, s.Do("health.order", ""))
	uitest.Drain(t, s.Model, tea.Batch(slow...))
	if v := s.Draw(); v != worstFirst {
		t.Errorf("an order that nobody wants any more is shown:\n%s", v)
	}
}

func TestSortingAndLayingOutJSONDoNotBlockKeys(t *testing.T) {
	t.Parallel()
	s := degraded(t)
	s.Press("enter")
	for _, id := range []string{"health.order", "health.json"} {
		before := s.Draw()
		cmd := s.Do(id, "")
		if s.Draw() != before {
			t.Errorf("%s was done while keys wait", id)
		}
		uitest.Drain(t, s.Model, cmd)
		if s.Draw() == before {
			t.Errorf("%s came to nothing", id)
		}
	}
}

func TestAnUnknownResultIsShownAsUnknown(t *testing.T) {
	t.Parallel()
	s := openIn(t, uitest.Env(t, operation.Site{}, uitest.Theme()), 120, 35)
	report := `{"id":"odd","name":"odd","result":"passed","state":"completed","startTime":1795183500000,"endTime":1795183400000,
		"suiteStatus":[{"id":"S","name":"Suite","result":"passed","state":"completed","criticalTestStatus":[
		{"id":"T1","name":"one","severity":"critical","result":"splendid","state":"completed"}]}]}`
	writeReport(t, s.env.Folder, "odd.json", report)
	s.Invoke("health.open", "odd.json")
	s.Shows("? unknown  file  odd", "contradiction", "0 of 1 passed")
	s.Press("enter rows.bottom")
	s.Shows(`"splendid"`, "? unknown")
}

func TestAReportThatAFilterHidesHasNoKeys(t *testing.T) {
	t.Parallel()
	s := degraded(t)
	s.runCheck()
	s.Press("rows.filter")
	uitest.Press(t, s.Model, uitest.Text("no such report")...)
	s.Press("enter")
	s.Shows("No report matches")
	s.Tells(s.Press("health.explain"), "No report is selected.")
	s.Tells(s.Press("health.export"), "No report is selected.")
}

// An old report is not the last word where a newer one is listed.
func TestWhatNowOfAGoodReportNamesANewerOne(t *testing.T) {
	t.Parallel()
	s := degraded(t)
	s.Press("down")
	s.Tells(s.Press("health.explain"), "A newer report is in the list.")
}

func TestWhatNowOfAnOldGoodReportIsAHealthCheck(t *testing.T) {
	t.Parallel()
	s := degraded(t)
	up := s.Press("health.explain")
	if len(up) != 1 {
		t.Fatalf("W opened %v", up)
	}
	open, is := up[0].(views.Open)
	if !is {
		t.Fatalf("W told %v", up[0])
	}
	open.Dialog.SetSize(80, 24)
	if text := open.Dialog.View(); !strings.Contains(text, "but the report is") || !strings.Contains(text, "Run a health check") {
		t.Errorf("%s", text)
	}
}
