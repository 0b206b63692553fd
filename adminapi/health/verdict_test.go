package health_test

import (
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
)

func TestJudgeNeverPassesByAccident(t *testing.T) {
	t.Parallel()
	for verdict, words := range map[health.Verdict][]string{
		health.Passed: {
			"pass", "passed", "Passed", "PASS", " pass ", "passes", "passing", "success", "Successful", "succeeded", "ok", "OK", "okay", "passed.", "ok!",
		},
		health.Failed: {
			"fail", "failed", "FAILED", "failure", "failing", "error", "Error: timeout", "errors", "failed_with_details", "fail (timeout)", "failed!",
			"error-free", // reads as bad news rather than good
		},
		health.Warning: {"warn", "warning", "WARNING", "warnings", "warning: disk"},
		health.Skipped: {"skip", "skipped", "Skipped", "not run", "not_run", "NotRun", "ignored", "skipped."},
		health.Unknown: {
			"", " ", "unknown", "Unavailable", "passable", "password", "passed_with_errors", "passed with warnings", "passed?", "pass/fail",
			"passed:failed", "not passed", "not_passed", "bypassed", "unsuccessful", "successless", "okra", "ok, but slow", "passed false",
			"skipped_with_errors", "not running", "true", "1", "completed", "running", "o\u212a", "pa\u017fs", "\u200bpass", "pass\x00", "passé", "null", "{}", "no errors",
			"failover", "warner", "ignoredx",
		},
	} {
		for _, word := range words {
			if got := health.Judge(word); got != verdict {
				t.Errorf("Judge(%+q) = %v, want %v", word, got, verdict)
			}
		}
	}
}

func TestStateDecidesWhetherAPassIsTheLastWord(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		result, state string
		want          health.Verdict
	}{
		{"pass", "completed", health.Passed},
		{"passed", "COMPLETED", health.Passed},
		{"pass", " Complete ", health.Passed},
		{"fail", "completed", health.Failed},
		{"", "completed", health.Unknown},
		{"strange", "completed", health.Unknown},
		{"pass", "", health.Passed}, // nothing contradicts it
		{"", "", health.Unknown},

		{"", "in_progress", health.Running},
		{" ", "running", health.Running},
		{"", "SUBMITTED", health.Running},
		{"", "Executing", health.Running},
		{"", "started", health.Running},
		{"", "pending", health.Running},
		{"in_progress", "in_progress", health.Running},
		{"pass", "running", health.Running}, // may still fail
		{"skipped", "running", health.Running},
		{"fail", "running", health.Failed},
		{"warning", "running", health.Warning},
		{"strange", "running", health.Unknown},

		{"pass", "archived", health.Unknown},
		{"fail", "archived", health.Failed},
		{"skipped", "archived", health.Skipped},
		{"", "archived", health.Unknown},
		{"pass", "cancelled", health.Unknown},
		{"pass", "completed_with_errors", health.Unknown},
		{"pass", "failed", health.Failed},
		{"", "failed", health.Failed},
		{"strange", "error", health.Failed},
		{"warning", "failed", health.Warning},
	} {
		if got := health.JudgeState(tt.result, tt.state); got != tt.want {
			t.Errorf("JudgeState(%q, %q) = %v, want %v", tt.result, tt.state, got, tt.want)
		}
	}
}

func TestWeightOrdersWorstFirst(t *testing.T) {
	t.Parallel()
	order := []health.Verdict{health.Failed, health.Unknown, health.Warning, health.Running, health.Skipped, health.Passed}
	for i := 1; i < len(order); i++ {
		if order[i-1].Weight() >= order[i].Weight() {
			t.Errorf("%v does not weigh more than %v", order[i-1], order[i])
		}
	}
}

func TestVerdictsHaveWords(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[health.Verdict]string{
		health.Unknown: "unknown", health.Passed: "passed", health.Warning: "warning", health.Failed: "failed",
		health.Skipped: "skipped", health.Running: "running", health.Verdict(99): "unknown",
	} {
		if verdict.String() != want {
			t.Errorf("%d is called %q, want %q", verdict, verdict, want)
		}
	}
}

func TestOverallBelievesTheWorst(t *testing.T) {
	t.Parallel()
	broke := withSuite(reportOf("passed", "pass"), "", "pass")
	broke.Suites[1].State = "failed"
	for name, tt := range map[string]struct {
		report adminapi.Report
		want   health.Verdict
	}{
		"a second suite's state is failed":   {broke, health.Failed},
		"all pass":                           {reportOf("passed", "pass", "pass"), health.Passed},
		"a test failed":                      {reportOf("passed", "pass", "fail"), health.Failed},
		"a test is unknown":                  {reportOf("passed", "pass", "shrug"), health.Unknown},
		"a test warns":                       {reportOf("passed", "pass", "warning"), health.Warning},
		"some skipped":                       {reportOf("passed", "pass", "skipped"), health.Passed},
		"all skipped":                        {reportOf("passed", "skipped", "skipped"), health.Skipped},
		"failed though all pass":             {reportOf("failed", "pass"), health.Failed},
		"no word though all pass":            {reportOf("", "pass"), health.Unknown},
		"a warning hides a failure":          {reportOf("warning", "fail"), health.Failed},
		"passed without tests":               {reportOf("passed"), health.Unknown},
		"passed without suites":              {adminapi.Report{Result: "passed", State: "completed"}, health.Unknown},
		"failed without suites":              {adminapi.Report{Result: "failed", State: "completed"}, health.Failed},
		"nothing at all":                     {adminapi.Report{}, health.Unknown},
		"not ended":                          {adminapi.Report{State: "in_progress"}, health.Running},
		"not ended, failed so far":           {adminapi.Report{State: "in_progress", Result: "failed", Suites: []adminapi.SuiteResult{suiteOf("failed", "fail")}}, health.Running},
		"a suite failed though tests pass":   {withSuite(reportOf("passed", "pass"), "failed", "pass"), health.Failed},
		"a second suite passed without test": {withSuite(reportOf("passed", "pass"), "passed"), health.Unknown},
		"a second suite failed without test": {withSuite(reportOf("passed", "pass"), "failed"), health.Failed},
		"a second suite has no word":         {withSuite(reportOf("passed", "pass"), "", "pass"), health.Passed},
		"a second suite's word is unknown":   {withSuite(reportOf("passed", "pass"), "shrug", "pass"), health.Unknown},
		"a second suite was skipped":         {withSuite(reportOf("passed", "pass"), "skipped"), health.Passed},
	} {
		t.Run(name, func(t *testing.T) {
			if got := health.Overall(tt.report); got != tt.want {
				t.Errorf("Overall = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestSuiteIsNotBetterThanItsTests(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		suite adminapi.SuiteResult
		want  health.Verdict
	}{
		"passed":       {suiteOf("passed", "pass"), health.Passed},
		"test failed":  {suiteOf("passed", "pass", "failed"), health.Failed},
		"failed":       {suiteOf("failed", "pass"), health.Failed},
		"empty":        {suiteOf("passed"), health.Unknown},
		"only skipped": {suiteOf("passed", "skipped"), health.Skipped},
	} {
		t.Run(name, func(t *testing.T) {
			if got := health.JudgeSuite(tt.suite); got != tt.want {
				t.Errorf("JudgeSuite = %v, want %v", got, tt.want)
			}
		})
	}
}

func TestCountsBothLists(t *testing.T) {
	t.Parallel()
	r := reportOf("failed", "pass", "fail", "warning", "skipped", "shrug")
	r.Suites[0].Critical = []adminapi.TestResult{{Name: "c", State: "running"}, {Name: "d", Result: "pass"}}
	want := health.Count{health.Passed: 2, health.Warning: 1, health.Failed: 1, health.Skipped: 1, health.Running: 1, health.Unknown: 1}
	if got := health.CountReport(r); got != want || got.Total() != 7 {
		t.Errorf("CountReport = %+v (%d), want %+v", got, got.Total(), want)
	}
	if got := health.CountTests(); got.Total() != 0 {
		t.Errorf("CountTests() = %+v", got)
	}
}

func TestWorstFirstKeepsTheOrderOfEquals(t *testing.T) {
	t.Parallel()
	r := reportOf("failed", "pass", "fail", "pass", "shrug", "fail")
	var got []string
	for _, e := range health.WorstFirst(r) {
		got = append(got, e.Test.Name)
	}
	equal(t, []string{"test1", "test4", "test3", "test0", "test2"}, got)
}

func TestSystemMadeIsWhatCreatedBySays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		summary adminapi.ReportSummary
		want    bool
	}{
		{adminapi.ReportSummary{CreatedBy: "system", Owner: "jdoe"}, true},
		{adminapi.ReportSummary{CreatedBy: "System"}, true},
		{adminapi.ReportSummary{CreatedBy: "administrator", Owner: "system"}, false},
		{adminapi.ReportSummary{}, false},
	} {
		if got := health.SystemMade(tt.summary); got != tt.want {
			t.Errorf("SystemMade(%+v) = %v", tt.summary, got)
		}
	}
}

func TestAnyStateButCompletedIsToldAsNotCompleted(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]struct {
		words           string
		ended, withTime bool // without the time of its end, and with it
	}{
		"completed":   {"completed", true, true},
		"Complete":    {"Complete", true, true},
		"in_progress": {"in_progress (not completed)", false, false},
		"failed":      {"failed (not completed)", true, true},
		"aborted":     {"aborted (not completed)", false, true},
		"":            {"", false, true},
	} {
		if words := health.StateWords(state); words != want.words {
			t.Errorf("%s: %q", state, words)
		}
		if got := health.Ended(adminapi.Report{State: state}); got != want.ended {
			t.Errorf("%s without an end has ended: %v", state, got)
		}
		if got := health.Ended(adminapi.Report{State: state, EndTime: 1}); got != want.withTime {
			t.Errorf("%s with an end has ended: %v", state, got)
		}
	}
}
