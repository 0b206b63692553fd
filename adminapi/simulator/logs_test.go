package simulator_test

import (
	"slices"
	"strconv"
	"testing"
	"time"
)

// logged returns what a query of the log gives of each message, in order.
func (s *site) logged(member string, params ...string) (list []string) {
	s.t.Helper()
	for _, m := range value[[]any](s.get("/logs/query", params...), "messages") {
		switch v := m.(map[string]any)[member].(type) {
		case string:
			list = append(list, v)
		case float64:
			list = append(list, strconv.FormatInt(int64(v), 10))
		}
	}
	return list
}

func TestTheLogHasWhatBrokeAndWhatFailed(t *testing.T) {
	t.Parallel()
	s := open(t, "edit-fails", "admin")
	if got := s.logged("message", "logLevel", "WARNING"); len(got) > 0 {
		t.Fatal("a site on which all works has warnings: ", got)
	}
	definition := s.get("/services/SampleWorldCities.MapServer").body
	job := s.post("/services/SampleWorldCities.MapServer/edit", "service", definition, "async", "true").text("jobID")
	begun := s.logged("message")
	if s.clock.Advance(10 * time.Minute); len(s.logged("message")) != len(begun)+1 {
		t.Error("the end of the job is not in the log")
	}
	failed := s.get("/jobs/" + job)
	why := "/geodeck/admin/services/SampleWorldCities.MapServer/edit ended: FAILED. " + failed.text("messages.0")
	if got := s.logged("message", "logLevel", "SEVERE", "requestIDs", failed.text("requestID")); !slices.Equal(got, []string{why}) {
		t.Errorf("%q, want %q", got, why)
	}
	s.get("/overview", "resource", "criticalLogs").has("criticalLogs.0.message", why, "criticalLogs.1", nil)

	s = open(t, "degraded", "admin")
	if got := s.logged("source", "logLevel", "WARNING"); len(got) < 2 || !slices.Contains(got, "arcgis-object-store") {
		t.Errorf("what does not work is %v", got)
	}
	if got := s.logged("type", "logLevel", "SEVERE"); !slices.Equal(got, []string{"SEVERE"}) {
		t.Error(got)
	}
}

func TestTheLogHasTheMessagesOfAnUpgrade(t *testing.T) {
	t.Parallel()
	s := open(t, "running-patch", "admin")
	status := s.get("/system/upgrades")
	codes := s.logged("code", "source", "upgrade")
	if n := status.length("status.messages"); len(codes) != n || codes[n-1] != "2010" {
		t.Fatalf("%d messages, the log has %v", n, codes)
	}
	at := strconv.FormatInt(status.number("status.messages.0.when"), 10)
	for what, params := range map[string][]string{"its code": {"logCode", "2010"}, "its time": {"startTime", at, "endTime", at, "source", "upgrade"}} {
		if got := s.logged("time", params...); !slices.Equal(got, []string{at}) {
			t.Errorf("by %s: %v, want %s", what, got, at)
		}
	}
	before := time.UnixMilli(status.number("status.messages.0.when")).UTC().Add(-time.Second).Format("2006-01-02T15:04:05,000000")
	if got := s.logged("code", "startTime", before, "source", "upgrade"); len(got) > 0 {
		t.Errorf("from before it began: %v", got)
	}
	for _, filter := range []string{"users", "requestIDs", "source", "logCode", "serviceTypes"} {
		if got := s.logged("code", filter, "nothing"); len(got) > 0 {
			t.Errorf("%s is ignored: %v", filter, got)
		}
	}
}

// A message of a scenario may be anything, and there may be a hundred thousand.
func TestTheLogHasEveryMessageOfAnUpgradeWhateverItIs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"messages-odd", "messages-hostile", "messages-many"} {
		scenario := builtIn(t, name)
		scenario.Faults = nil
		s := start(t, scenario, "admin")
		s.clock.Advance(24 * time.Hour)
		n := s.get("/system/upgrades").length("status.messages")
		if got := s.get("/logs/query", "source", "upgrade", "num", "1", "startTime", "99999999999999"); got.number("total") != int64(n) || n < 10 {
			t.Errorf("%s: %d messages, the log has %.300s", name, n, got.body)
		}
	}
}

func TestAQueryOfTheLogThatCannotBeReadIsRefused(t *testing.T) {
	t.Parallel()
	s := healthy(t)
	s.get("/logs/query", "logLevel", "LOUD").refused(400, "logLevel is one of SEVERE")
	s.get("/logs/query", "startTime", "yesterday").refused(400, "milliseconds, or a time such as 2026-11-20T12:00:00")
	s.get("/logs/query", "num", "0").refused(400, "a whole number from 1 on is wanted")
	s.get("/overview", "resource", "pods").refused(400, "allowed: all, criticalLogs")
}
