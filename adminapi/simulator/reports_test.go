package simulator_test

import (
	"archive/zip"
	"bytes"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/simulator"
)

func TestTheListAgreesWithItsReports(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	page := s.get("/healthCheck/reports/query", "num", "9")
	for i := range 9 {
		run := "runs." + string(rune('0'+i)) + "."
		report := s.get("/healthCheck/reports/" + page.text(run+"id"))
		for _, key := range []string{"id", "name", "owner", "createdBy", "result", "state", "startTime", "endTime"} {
			if report.at(key) != page.at(run+key) {
				t.Errorf("%s: %v in the report, %v in the list", key, report.at(key), page.at(run+key))
			}
		}
	}
}

func TestTheSuiteOffersTheTestsOfTheContractInOrder(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	got := s.get("/healthCheck/suites/BSHC-001")
	if got.body != mustTrim(s.get("/healthCheck/suites").body) {
		t.Errorf("one suite %s differs from the list", got.body)
	}
	var names []string
	for _, group := range []string{"criticalTests", "generalTests"} {
		for _, item := range got.at(group).([]any) {
			names = append(names, item.(map[string]any)["name"].(string))
		}
	}
	want := strings.Fields(`sharing_availability healthcheck_relationalDatastore healthcheck_objectStore home_app_availability
		manager_availability healthcheck_spatioTemporalIndexStore healthcheck_ingress healthcheck_publishingService
		healthcheck_sharedMapService healthcheck_spatialanalysis healthcheck_geometryService query_logs_availability healthcheck_index_synced`)
	if !slices.Equal(names, want) {
		t.Errorf("tests: %v", names)
	}
}

// mustTrim takes the only suite out of the list of suites.
func mustTrim(list string) string {
	list = strings.TrimPrefix(list, `{"userSuites":[`)
	return strings.TrimSuffix(list, "]}\n") + "\n"
}

func TestASiteOf12HasAnOperationalSuiteWithWarnings(t *testing.T) {
	t.Parallel()
	s := start(t, simulator.Scenario{Name: "twelve", Version: "12.0.0.7286"}, "admin")
	if got := s.get("/healthCheck/suites"); got.length("userSuites") != 2 {
		t.Fatalf("suites: %s", got.body)
	}
	started := s.post("/healthCheck/run", "suiteIds", "BSHC-001, OPHC-001", "runName", "both", "async", "true")
	s.clock.Advance(3 * time.Minute)
	report := s.get("/jobs/" + started.text("jobid"))
	at := "result.diagnosticHealthReport."
	if report.text(at+"result") != "warning" || report.text(at+"suiteStatus.0.result") != "passed" || report.text(at+"suiteStatus.1.result") != "warning" {
		t.Errorf("report: %s", report.body)
	}
}

func TestARunIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	run := func(params ...string) reply { return s.post("/healthCheck/run", params...) }
	run("runName", "x").refused(400, "suiteIds")
	run("suiteIds", "BSHC-001").refused(400, "runName")
	run("suiteIds", "BSHC-001", "runName", "  ").refused(400, "runName")
	run("suiteIds", ",", "runName", "x").refused(400, "suiteIds")
	run("suiteIds", "BSHC-001,NOPE-7", "runName", "x").refused(400, "NOPE-7")
	run("suiteIds", "BSHC-001", "runName", "x", "async", "maybe").refused(400, "maybe")
	if got := s.get("/healthCheck/reports/query", "num", "1000"); got.number("total") != 12 {
		t.Errorf("a refused run left a report: %s", got.body)
	}
}

func TestASynchronousRunAnswersAtItsEndWithTheReportsPath(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	answered := make(chan reply)
	go func() { answered <- s.post("/healthCheck/run", "suiteIds", "BSHC-001", "runName", "sync") }()
	if err := s.clock.AwaitWaiters(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	if got := s.get("/healthCheck/reports/query", "num", "1"); got.text("runs.0.name") == "sync" {
		t.Error("the report is there before the run has ended")
	}
	s.clock.Advance(3 * time.Minute)
	url := (<-answered).text("statusURL")
	path, ok := strings.CutPrefix(url, "/geodeck/admin")
	if !ok {
		t.Fatalf("statusURL %s", url)
	}
	if got := s.get(path); got.text("name") != "sync" || got.text("state") != "completed" {
		t.Errorf("report: %s", got.body)
	}
}

func TestThePastHoldsReportsOfSystemScheduleAndPeople(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	got := s.get("/healthCheck/reports/query", "num", "1000")
	for _, words := range []string{`"createdBy":"system"`, `"createdBy":"admin"`, `"result":"failed"`, "before-update", "after-update", "scheduled-"} {
		if !strings.Contains(got.body, words) {
			t.Errorf("no report has %s", words)
		}
	}
	if jobs := s.get("/jobs"); jobs.length("jobs") == 0 || s.get("/jobs/"+jobs.text("jobs.0")).text("status") != "COMPLETED" {
		t.Errorf("earlier jobs: %s", jobs.body)
	}
}

func TestReportsComeInPagesNewestFirst(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	var last int64
	seen, start := 0, "1"
	for {
		page := s.get("/healthCheck/reports/query", "num", "5", "start", start)
		for _, run := range page.at("runs").([]any) {
			begun := int64(run.(map[string]any)["startTime"].(float64))
			if last != 0 && begun > last {
				t.Errorf("%d comes after %d", begun, last)
			}
			last, seen = begun, seen+1
		}
		next := page.number("nextStart")
		if next == -1 {
			break
		}
		start = map[int64]string{6: "6", 11: "11"}[next]
	}
	if seen != 12 {
		t.Errorf("%d reports on all pages", seen)
	}
	beyond := s.get("/healthCheck/reports/query", "num", "5", "start", "99")
	if beyond.length("runs") != 0 || beyond.number("nextStart") != -1 || beyond.number("total") != 12 {
		t.Errorf("beyond the end: %s", beyond.body)
	}
}

func TestReportsAreFilteredByResult(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	failed := s.get("/healthCheck/reports/query", "num", "1000", "runResult", "failed,warning")
	if failed.number("total") != 1 || failed.text("runs.0.result") != "failed" {
		t.Errorf("failed: %s", failed.body)
	}
	s.get("/healthCheck/reports/query", "num", "10", "runResult", "good").refused(400, "passed, failed, warning, unknown")
	s.get("/healthCheck/reports/query").refused(400, "num")
	s.get("/healthCheck/reports/query", "num", "none").refused(400, "none")
	s.get("/healthCheck/reports/query", "num", "5", "start", "0").refused(400, "start")
}

func TestReportsAreRenamedAndDeleted(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	page := s.get("/healthCheck/reports/query", "num", "3")
	first, second, third := page.text("runs.0.id"), page.text("runs.1.id"), page.text("runs.2.id")
	s.post("/healthCheck/reports/"+first+"/rename", "name", "kept")
	if got := s.get("/healthCheck/reports/" + first); got.text("name") != "kept" {
		t.Errorf("renamed: %.200s", got.body)
	}
	if got := s.post("/healthCheck/reports/" + first + "/delete"); got.status != http.StatusOK || got.body != "" {
		t.Errorf("delete of one answers %d %q, want no body", got.status, got.body)
	}
	s.post("/healthCheck/reports/delete", "runIds", second+",gone").refused(404, "gone")
	if got := s.post("/healthCheck/reports/delete", "runIds", second+","+third); got.at("success") != true {
		t.Errorf("delete of two: %s", got.body)
	}
	if got := s.get("/healthCheck/reports/query", "num", "1000"); got.number("total") != 9 {
		t.Errorf("left: %s", got.body)
	}
}

func TestAnExportEndsInAZipToDownload(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	page := s.get("/healthCheck/reports/query", "num", "2")
	started := s.post("/healthCheck/reports/export", "runIds", page.text("runs.0.id")+","+page.text("runs.1.id"))
	s.clock.Advance(5 * time.Second)
	item := strings.TrimPrefix(s.get("/jobs/"+started.text("jobid")).text("result.uploadUrl"), s.server.URL())
	if got := s.get(item); got.at("committed") != true || got.text("contentType") != "application/zip" {
		t.Errorf("item: %s", got.body)
	}
	packed := s.get(item + "/download")
	z, err := zip.NewReader(bytes.NewReader([]byte(packed.body)), int64(len(packed.body)))
	if err != nil {
		t.Fatal(err)
	}
	if len(z.File) != 4 {
		t.Errorf("%d files in the zip, want JSON and CSV of two reports", len(z.File))
	}
	s.post("/healthCheck/reports/export").refused(400, "runIds")
	one := s.post("/healthCheck/reports/" + page.text("runs.0.id") + "/export")
	if one.text("status") != "SUBMITTED" {
		t.Errorf("export of one: %s", one.body)
	}
}

func TestARunningJobShowsNoReportWhereTheScenarioSaysSo(t *testing.T) {
	t.Parallel()
	s := start(t, simulator.Scenario{Name: "bare"}, "admin")
	started := s.post("/healthCheck/run", "suiteIds", "BSHC-001", "runName", "x", "async", "true")
	s.clock.Advance(5 * time.Second)
	if got := s.get("/jobs/" + started.text("jobid")); got.text("status") != "EXECUTING" || got.at("result") != nil {
		t.Errorf("job: %s", got.body)
	}
}
