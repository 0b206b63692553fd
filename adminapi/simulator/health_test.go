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
	if started.text("status") != "SUBMITTED" || started.text("jobsUrl") != s.server.URL()+job {
		t.Errorf("accepted: %s", started.body)
	}
	s.isStatus(job, "SUBMITTED")
	s.clock.Advance(3 * time.Second)
	s.isStatus(job, "EXECUTING").has("endtime", 0, "result", nil)
	s.clock.Advance(2 * time.Minute)
	done := s.isStatus(job, "COMPLETED")
	report := "result.diagnosticHealthReport."
	if done.number("endtime") <= done.number("starttime") || done.text(report+"name") != "nightly" || done.text(report+"result") != "passed" ||
		done.text(report+"createdBy") != "admin" || done.length(report+"suiteStatus.0.criticalTestStatus") != 2 || done.length(report+"suiteStatus.0.generalTestStatus") != 11 {
		t.Errorf("at its end: %s", done.body)
	}
	s.reports("1").has("runs.0.name", "nightly")
}

func TestARunningJobShowsItsReportWhereTheScenarioSaysSo(t *testing.T) {
	t.Parallel()
	s := start(t, simulator.Scenario{Name: "x", PartialReports: true}, "admin")
	job := s.checkHealth("x")
	s.clock.Advance(5 * time.Second)
	s.isStatus(job, "EXECUTING").has("result.diagnosticHealthReport.state", "in_progress")
}

func TestAStoppedStoreFailsItsTestAndPassedBefore(t *testing.T) {
	t.Parallel()
	s := open(t, "degraded", "operator")
	job := s.checkHealth("now")
	s.clock.Advance(3 * time.Minute)
	done := s.get(job)
	suite := "result.diagnosticHealthReport.suiteStatus.0."
	store := suite + "generalTestStatus.0."
	if done.text("result.diagnosticHealthReport.result") != "failed" || done.text(suite+"result") != "failed" ||
		done.text(store+"name") != "healthcheck_objectStore" || done.text(store+"result") != "fail" || done.text(store+"message") == "" {
		t.Errorf("report: %s", done.body)
	}
	if took := done.number(store+"endTime") - done.number(store+"startTime"); took < 30_000 {
		t.Errorf("the failing store took %d ms, want its timeout", took)
	}
	earlier := s.get("/healthCheck/reports/" + s.reports("2").text("runs.1.id"))
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
