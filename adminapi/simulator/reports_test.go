package simulator_test

import (
	"archive/zip"
	"bytes"
	"cmp"
	"fmt"
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
	page := s.reports("9")
	for i := range 9 {
		run := "runs." + string(rune('0'+i)) + "."
		report := s.get("/healthCheck/reports/" + page.text(run+"id"))
		for key := range strings.FieldsSeq("id name owner createdBy result state startTime endTime") {
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
	if list := s.get("/healthCheck/suites").body; list != `{"userSuites":[`+strings.TrimSpace(got.body)+"]}\n" {
		t.Errorf("one suite %s differs from the list %s", got.body, list)
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

func TestASiteOf12HasAnOperationalSuiteWithWarnings(t *testing.T) {
	t.Parallel()
	s := start(t, simulator.Scenario{Name: "twelve", Version: "12.0.0.7286"}, "admin")
	s.get("/healthCheck/suites").has("userSuites", 2)
	started := s.post("/healthCheck/run", "suiteIds", "BSHC-001, OPHC-001", "runName", "both", "async", "true")
	s.clock.Advance(3 * time.Minute)
	report := s.get("/jobs/" + started.text("jobid"))
	at := "result.diagnosticHealthReport."
	report.has(at+"result", "warning", at+"suiteStatus.0.result", "passed", at+"suiteStatus.1.result", "warning")
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
	s.reports("1000").has("total", 12)
}

func TestASynchronousRunAnswersAtItsEndWithTheReportsPath(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	url := s.waitFor(3*time.Minute, func() reply {
		return s.post("/healthCheck/run", "suiteIds", "BSHC-001", "runName", "sync")
	}, func() {
		if got := s.reports("1"); got.text("runs.0.name") == "sync" {
			t.Error("the report is there before the run has ended")
		}
	}).text("statusURL")
	s.get(strings.TrimPrefix(url, "/geodeck/admin")).has("name", "sync", "state", "completed")
}

func TestThePastHoldsReportsOfSystemScheduleAndPeople(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	got := s.reports("1000")
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
	var begun []float64
	for start := int64(1); start != -1; {
		page := s.reports("5", "start", fmt.Sprint(start))
		for _, run := range value[[]any](page, "runs") {
			begun = append(begun, run.(map[string]any)["startTime"].(float64))
		}
		start = page.number("nextStart")
	}
	if !slices.IsSortedFunc(begun, func(a, b float64) int { return cmp.Compare(b, a) }) || len(begun) != 12 {
		t.Errorf("reports on all pages: %v", begun)
	}
	beyond := s.reports("5", "start", "99")
	beyond.has("runs", 0, "nextStart", -1, "total", 12)
}

func TestReportsAreFilteredByResult(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	failed := s.reports("1000", "runResult", "failed,warning")
	failed.has("total", 1, "runs.0.result", "failed")
	s.reports("10", "runResult", "good").refused(400, "passed, failed, warning, unknown")
	s.get("/healthCheck/reports/query").has("num", 1000, "start", 1, "nextStart", -1, "runs", 12)
	s.reports("none").refused(400, "none")
	s.reports("5", "start", "0").refused(400, "start")
}

func TestReportsAreRenamedAndDeleted(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	page := s.reports("3")
	first, second, third := page.text("runs.0.id"), page.text("runs.1.id"), page.text("runs.2.id")
	s.post("/healthCheck/reports/"+first+"/rename", "name", "other")
	s.get("/healthCheck/reports/"+first).has("name", "other")
	if got := s.post("/healthCheck/reports/" + first + "/delete"); got.status != http.StatusOK || got.body != "" {
		t.Errorf("delete of one answers %d %q, want no body", got.status, got.body)
	}
	s.post("/healthCheck/reports/delete", "runIds", second+",nope").refused(404, "nope")
	s.post("/healthCheck/reports/delete", "runIds", second+","+third).has("success", true)
	s.reports("1000").has("total", 9)
}

func TestAListThatNamesNoReportIsRefused(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	for _, operation := range []string{"delete", "export"} {
		s.post("/healthCheck/reports/"+operation, "runIds", " , ").refused(400, "runIds names no report")
	}
}

func TestAnExportEndsInAZipToDownload(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	page := s.reports("2")
	started := s.post("/healthCheck/reports/export", "runIds", page.text("runs.0.id")+","+page.text("runs.1.id"))
	s.clock.Advance(5 * time.Second)
	item := strings.TrimPrefix(s.get("/jobs/"+started.text("jobid")).text("result.uploadUrl"), s.server.URL())
	s.get(item).has("committed", true, "contentType", "application/zip")
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
	one.has("status", "SUBMITTED")
}
