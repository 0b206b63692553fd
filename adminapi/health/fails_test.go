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

func TestFailsByWhatCounts(t *testing.T) {
	t.Parallel()
	running := reportOf("", "pass", "pass")
	running.State = "in_progress"
	contradictory := reportOf("failed", "pass", "fail")
	contradictory.Suites[0].General[1].Severity = "CRITICAL"
	good := reportOf("passed", "pass", "pass")

	for name, tt := range map[string]struct {
		report  adminapi.Report
		earlier *adminapi.Report
		on      health.FailOn
		why     string // "" where it does not fail
	}{
		"any: all passed":           {good, nil, health.FailOnAny, ""},
		"any: a skipped test":       {reportOf("passed", "pass", "skipped"), nil, health.FailOnAny, ""},
		"any: a failure":            {reportOf("failed", "pass", "fail"), nil, health.FailOnAny, "1 test did not pass: test1 (failed)"},
		"any: an unknown word":      {reportOf("passed", "pass", "shrug"), nil, health.FailOnAny, "1 test did not pass: test1 (unknown)"},
		"any: a warning":            {reportOf("passed", "pass", "warning"), nil, health.FailOnAny, "1 test did not pass: test1 (warning)"},
		"any: many":                 {reportOf("failed", "fail", "fail", "fail", "fail", "fail"), nil, health.FailOnAny, "5 tests did not pass: test0 (failed), test1 (failed), test2 (failed) and 2 more"},
		"any: its own word":         {reportOf("failed", "pass"), nil, health.FailOnAny, `the report as a whole is failed; the site says "failed"`},
		"any: no word":              {reportOf("", "pass"), nil, health.FailOnAny, "the report as a whole is unknown; the site says nothing"},
		"any: all skipped":          {reportOf("passed", "skipped"), nil, health.FailOnAny, `the report as a whole is skipped; the site says "passed"`},
		"any: not ended":            {running, nil, health.FailOnAny, "the report has not ended"},
		"another word is any":       {reportOf("failed", "fail"), nil, "anything", "1 test did not pass: test0 (failed)"},
		"critical: a general one":   {critical(reportOf("failed", "pass", "fail")), nil, health.FailOnCritical, ""},
		"critical: a critical one":  {critical(reportOf("failed", "fail", "fail")), nil, health.FailOnCritical, "1 critical test did not pass: test0 (failed)"},
		"critical: unknown":         {critical(reportOf("failed", "", "pass")), nil, health.FailOnCritical, "1 critical test did not pass: test0 (unknown)"},
		"critical: by its own word": {contradictory, nil, health.FailOnCritical, "1 critical test did not pass: test1 (failed)"},
		"critical: no test":         {reportOf("passed"), nil, health.FailOnCritical, `the report has no tests; the site says "passed"`},
		"critical: no suite":        {adminapi.Report{}, nil, health.FailOnCritical, "the report has no tests; the site says nothing"},
		"critical: unexplained":     {reportOf("failed", "pass"), nil, health.FailOnCritical, `the report as a whole is failed; the site says "failed"`},
		"critical: not ended":       {running, nil, health.FailOnCritical, "the report has not ended"},
		"new: nothing to compare":   {reportOf("failed", "pass", "fail"), nil, health.FailOnNew, "1 test did not pass: test1 (failed)"},
		"new: as before":            {reportOf("failed", "pass", "fail"), ref(reportOf("failed", "pass", "fail")), health.FailOnNew, ""},
		"new: passed before":        {reportOf("failed", "pass", "fail"), &good, health.FailOnNew, "1 test got worse since the earlier report: test1 (failed)"},
		"new: not there before":     {reportOf("failed", "pass", "pass", "fail"), &good, health.FailOnNew, "1 test got worse since the earlier report: test2 (failed)"},
		"new: warned before":        {reportOf("failed", "fail"), ref(reportOf("warning", "warning")), health.FailOnNew, "1 test got worse since the earlier report: test0 (failed)"},
		"new: failed, now warns":    {reportOf("warning", "warning"), ref(reportOf("failed", "fail")), health.FailOnNew, ""},
		"new: no test":              {reportOf("passed"), &good, health.FailOnNew, `the report has no tests; the site says "passed"`},
		"new: not ended":            {running, &good, health.FailOnNew, "the report has not ended"},
	} {
		t.Run(name, func(t *testing.T) {
			failed, why := health.Fails(tt.report, tt.earlier, tt.on)
			if why != tt.why || failed != (tt.why != "") {
				t.Errorf("Fails = %v, %q, want %q", failed, why, tt.why)
			}
		})
	}
}

func TestReasonIsFitForATerminal(t *testing.T) {
	t.Parallel()
	_, why := health.Fails(holding(one("x\x1b]0;evil\x07\ny", "fail", 1)), nil, health.FailOnAny)
	if !strings.Contains(why, "x y (failed)") {
		t.Errorf("got %q", why)
	}
}

func ref(r adminapi.Report) *adminapi.Report { return &r }
