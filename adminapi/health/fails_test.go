package health_test

import (
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
)

// critical returns the report with its first test in the critical list.
func critical(r adminapi.Report) adminapi.Report {
	s := &r.Suites[0]
	s.Critical, s.General = s.General[:1:1], s.General[1:]
	return r
}

func TestAReportFailsByWhatCounts(t *testing.T) {
	t.Parallel()
	running := reportOf("", "pass", "pass")
	running.State = "in_progress"
	warned := reportOf("", "pass", "warning")
	warned.State = "in_progress"
	contradictory := reportOf("failed", "pass", "fail")
	contradictory.Suites[0].General[1].Severity = "CRITICAL"
	good := reportOf("passed", "pass", "pass")

	for name, tt := range map[string]struct {
		report adminapi.Report
		on     health.FailOn
		why    string // "" where it does not fail
	}{
		"any: all passed":         {good, health.FailOnAny, ""},
		"any: a skipped test":     {reportOf("passed", "pass", "skipped"), health.FailOnAny, ""},
		"any: a failure":          {reportOf("failed", "pass", "fail"), health.FailOnAny, "1 test did not pass: test1 (failed)"},
		"any: an unknown word":    {reportOf("passed", "pass", "shrug"), health.FailOnAny, "1 test did not pass: test1 (unknown)"},
		"any: a warning":          {reportOf("passed", "pass", "warning"), health.FailOnAny, "1 test did not pass: test1 (warning)"},
		"any: many":               {reportOf("failed", "fail", "fail", "fail", "fail", "fail"), health.FailOnAny, "5 tests did not pass: test0 (failed), test1 (failed), test2 (failed) and 2 more"},
		"any: its own word":       {reportOf("failed", "pass"), health.FailOnAny, `the report as a whole is failed; the site says "failed"`},
		"any: no word":            {reportOf("", "pass"), health.FailOnAny, "the report as a whole is unknown; the site says nothing"},
		"any: all skipped":        {reportOf("passed", "skipped"), health.FailOnAny, `the report as a whole is skipped; the site says "passed"`},
		"any: not ended":          {running, health.FailOnAny, "the report has not ended"},
		"another word is any":     {reportOf("failed", "fail"), "anything", "1 test did not pass: test0 (failed)"},
		"failed: a warning":       {reportOf("passed", "pass", "warning"), health.FailOnFailed, ""},
		"failed: a failure":       {reportOf("failed", "warning", "fail"), health.FailOnFailed, "1 test did not pass: test1 (failed)"},
		"failed: an unknown word": {reportOf("passed", "pass", "shrug"), health.FailOnFailed, "1 test did not pass: test1 (unknown)"},
		"failed: its own word":    {reportOf("failed", "pass", "warning"), health.FailOnFailed, `the report as a whole is failed; the site says "failed"`},
		"failed: warned so far":   {warned, health.FailOnFailed, "the report has not ended"},
		"failed: no test":         {reportOf("passed"), health.FailOnFailed, `the report has no tests; the site says "passed"`},
		"files: a warning":        {reportOf("passed", "pass", "warning"), "", ""},
		"files: a failure":        {reportOf("failed", "pass", "fail"), "", "1 test did not pass: test1 (failed)"},
		"another word":            {reportOf("passed", "pass", "warning"), "never", "1 test did not pass: test1 (warning)"},

		"critical: a general one":   {critical(reportOf("failed", "pass", "fail")), health.FailOnCritical, ""},
		"critical: a critical one":  {critical(reportOf("failed", "fail", "fail")), health.FailOnCritical, "1 critical test did not pass: test0 (failed)"},
		"critical: unknown":         {critical(reportOf("failed", "", "pass")), health.FailOnCritical, "1 critical test did not pass: test0 (unknown)"},
		"critical: by its own word": {contradictory, health.FailOnCritical, "1 critical test did not pass: test1 (failed)"},
		"critical: no test":         {reportOf("passed"), health.FailOnCritical, `the report has no tests; the site says "passed"`},
		"critical: no suite":        {adminapi.Report{}, health.FailOnCritical, "the report has no tests; the site says nothing"},
		"critical: unexplained":     {reportOf("failed", "pass"), health.FailOnCritical, `the report as a whole is failed; the site says "failed"`},
		"critical: not ended":       {running, health.FailOnCritical, "the report has not ended"},
		"new: nothing to compare":   {reportOf("failed", "pass", "fail"), health.FailOnNew, "1 new failure: test1 (failed)"},
		"new: no test":              {reportOf("passed"), health.FailOnNew, `the report has no tests; the site says "passed"`},
		"new: not ended":            {running, health.FailOnNew, "the report has not ended"},
	} {
		t.Run(name, func(t *testing.T) {
			j := health.JudgeReport(tt.report, nil, tt.on)
			if j.Why != tt.why || j.Failed != (tt.why != "") {
				t.Errorf("failed %v, %q, want %q", j.Failed, j.Why, tt.why)
			}
		})
	}
}

func TestReasonIsFitForATerminal(t *testing.T) {
	t.Parallel()
	why := health.JudgeReport(holding(one("x\x1b]0;evil\x07\ny", "fail", 1)), nil, health.FailOnAny).Why
	if !strings.Contains(why, "x y (failed)") {
		t.Errorf("got %q", why)
	}
}
