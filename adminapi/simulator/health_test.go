package simulator_test

import (
	"testing"
	"time"

	"geodeck/adminapi/simulator"
)

func TestAnAsynchronousRunGoesFromSubmittedToItsReport(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	started := s.post("/healthCheck/run", "suiteIds", "BSHC-001", "runName", "nightly", "async", "true")
	job := "/jobs/" + started.text("jobid")
	if got := started.text("status"); got != "SUBMITTED" {
		t.Errorf("accepted as %s", got)
	}
	if got := started.text("jobsUrl"); got != s.server.URL()+job {
		t.Errorf("jobsUrl is %s", got)
	}
	if got := s.get(job).text("status"); got != "SUBMITTED" {
		t.Errorf("at first %s", got)
	}
	s.clock.Advance(3 * time.Second)
	under := s.get(job)
	if under.text("status") != "EXECUTING" || under.number("endtime") != 0 ||
		under.text("result.diagnosticHealthReport.state") != "in_progress" {
		t.Errorf("while it runs: %s", under.body)
	}
	s.clock.Advance(2 * time.Minute)
	done := s.get(job)
	if done.text("status") != "COMPLETED" || done.number("endtime") <= done.number("starttime") {
		t.Errorf("at its end: %.300s", done.body)
	}
	report := "result.diagnosticHealthReport."
	if done.text(report+"name") != "nightly" || done.text(report+"result") != "passed" || done.text(report+"createdBy") != "admin" {
		t.Errorf("report: %.300s", done.body)
	}
	if done.length(report+"suiteStatus.0.criticalTestStatus") != 2 || done.length(report+"suiteStatus.0.generalTestStatus") != 11 {
		t.Errorf("tests: %s", done.body)
	}
	if got := s.get("/healthCheck/reports/query", "num", "1"); got.text("runs.0.name") != "nightly" {
		t.Errorf("newest report: %s", got.body)
	}
}

func TestAStoppedStoreFailsItsTestAndPassedBefore(t *testing.T) {
	t.Parallel()
	s := open(t, "degraded", "operator")
	started := s.post("/healthCheck/run", "suiteIds", "BSHC-001", "runName", "now", "async", "true")
	s.clock.Advance(3 * time.Minute)
	done := s.get("/jobs/" + started.text("jobid"))
	suite := "result.diagnosticHealthReport.suiteStatus.0."
	if done.text("result.diagnosticHealthReport.result") != "failed" || done.text(suite+"result") != "failed" {
		t.Errorf("results: %.300s", done.body)
	}
	store := suite + "generalTestStatus.0."
	if done.text(store+"name") != "healthcheck_objectStore" || done.text(store+"result") != "fail" || done.text(store+"message") == "" {
		t.Errorf("object store: %s", done.body)
	}
	if took := done.number(store+"endTime") - done.number(store+"startTime"); took < 30_000 {
		t.Errorf("the failing store took %d ms, want its timeout", took)
	}
	earlier := s.get("/healthCheck/reports/" + s.get("/healthCheck/reports/query", "num", "2").text("runs.1.id"))
	if got := earlier.text("suiteStatus.0.generalTestStatus.0.result"); got != "pass" {
		t.Errorf("before: %s", got)
	}
}

func TestEveryBuiltInScenarioStarts(t *testing.T) {
	t.Parallel()
	for _, name := range simulator.ScenarioNames() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := builtIn(t, name)
			if s.Name != name || s.Description == "" {
				t.Errorf("called %q, described as %q", s.Name, s.Description)
			}
			if _, err := simulator.New(simulator.Options{Scenario: s}); err != nil {
				t.Error(err)
			}
		})
	}
	if simulator.ScenarioNames()[0] != "healthy" {
		t.Errorf("%v does not begin with healthy", simulator.ScenarioNames())
	}
}

func TestFeaturedScenariosAreBuiltInAndFitALine(t *testing.T) {
	t.Parallel()
	featured := simulator.FeaturedScenarios()
	if len(featured) < 10 || len(featured) > 14 || featured[0] != "healthy" {
		t.Errorf("featured are %v", featured)
	}
	for _, name := range featured {
		s, ok := simulator.BuiltIn(name)
		if !ok {
			t.Errorf("%s is not built in", name)
		}
		if n := len("  upgrade-stalls-for-good  ") + len(s.Description); n > 90 {
			t.Errorf("%s: its line of the help has %d columns", name, n)
		}
	}
}
