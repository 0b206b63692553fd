package simulator_test

import (
	"strings"
	"testing"
	"time"
)

const geometry = "/services/Utilities/Geometry.GeometryServer"

func TestAServiceStopsAndStarts(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	for _, c := range []struct{ verb, configured, before string }{
		{"stop", "STOPPED", "STARTED"}, {"start", "STARTED", "STOPPED"}, {"start", "STARTED", "STARTED"},
	} {
		got := s.post(geometry+"/"+c.verb, "async", "true")
		got.has("jobStatus", "SUBMITTED")
		s.get("/jobs/"+got.text("jobID")).has("status", "SUBMITTED", "resource.name", "Geometry", "endtime", 0, "name", nil)
		s.clock.Advance(time.Second)
		s.get("/jobs/"+got.text("jobID")).has("status", "EXECUTING", "resource.name", "Geometry", "result", nil)
		s.get(geometry+"/status").has("configuredState", c.configured, "realTimeState", c.before)
		s.clock.Advance(time.Minute)
		s.get(geometry+"/status").has("realTimeState", c.configured)
		s.get("/jobs/"+got.text("jobID")).has("status", "COMPLETED", "resource.name", "Geometry")
	}
	s.post(geometry+"/stop", "async", "soon").refused(400, "soon")
}

func TestASynchronousStopIsAnsweredOnceItIsStopped(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.waitFor(time.Minute, func() reply { return s.post(geometry + "/stop") }).is(`{"status":"success"}` + "\n")
}

func TestAServiceThatIsStoppedIsNotRestartedByAnEdit(t *testing.T) {
	t.Parallel()
	s := open(t, "services-down", "admin")
	text := s.get(geometry).body
	s.post(geometry+"/edit", "async", "true", "service", strings.Replace(text, `"maximumRecords":2000`, `"maximumRecords":1`, 1))
	s.clock.Advance(time.Minute)
	s.get(geometry+"/status").has("configuredState", "STOPPED", "realTimeState", "STOPPED")
}

func TestAServiceThatCannotStartSaysWhy(t *testing.T) {
	t.Parallel()
	s := open(t, "services-down", "admin")
	const printing = "/services/Utilities/PrintingTools.GPServer"
	s.get(printing+"/status").has("configuredState", "STARTED", "realTimeState", "STOPPED")
	job := s.post(printing+"/start", "async", "true").text("jobID")
	s.clock.Advance(time.Minute)
	if got := s.isStatus("/jobs/"+job, "FAILED"); !strings.Contains(got.text("messages.0"), "cannot be pulled") {
		t.Errorf("%s", got.body)
	}
	got := s.waitFor(time.Minute, func() reply { return s.post(printing + "/start") })
	if got.text("status") != "error" || got.number("code") != 500 || !strings.Contains(got.text("messages.0"), "cannot be pulled") {
		t.Errorf("%s", got.body)
	}
}

func TestAHealthCheckFindsTheServiceThatIsStopped(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	run := func() (failed string) {
		t.Helper()
		job := s.checkHealth("x")
		s.clock.Advance(5 * time.Minute)
		for _, item := range s.get(job).at("result.diagnosticHealthReport.suiteStatus.0.generalTestStatus").([]any) {
			if test := item.(map[string]any); test["result"] != "pass" {
				failed += test["name"].(string) + " "
			}
		}
		return failed
	}
	for path, test := range map[string]string{
		geometry: "healthcheck_geometryService ",
		"/services/System/PublishingTools.GPServer":      "healthcheck_publishingService ",
		"/services/System/SpatialAnalysisTools.GPServer": "healthcheck_spatialanalysis ",
		cities: "",
	} {
		s.post(path+"/stop", "async", "true")
		s.clock.Advance(time.Minute)
		if got := run(); got != test {
			t.Errorf("%s stopped: %q fail", path, got)
		}
		s.post(path+"/start", "async", "true")
		s.clock.Advance(time.Minute)
	}
	if got := run(); got != "" {
		t.Errorf("all started: %q fail", got)
	}
}
