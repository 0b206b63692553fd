package health_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
)

func TestAJudgementNamesWhatIsNewAndWhatIsKnown(t *testing.T) {
	t.Parallel()
	mixed := func() adminapi.Report { return critical(reportOf("failed", "fail", "fail", "warn")) }
	const (
		known0 = "test0 (failed), since 2025-11-18 08:00:00 UTC (nightly-1) or longer"
		new0   = "test0 passed last on 2025-11-18 08:00:00 UTC (nightly-1)"
		new1   = "test1 is not in the baseline, 2025-11-18 08:00:00 UTC (nightly-1)"
		new2   = "test2 is not in the baseline, 2025-11-18 08:00:00 UTC (nightly-1)"
	)
	for name, tt := range map[string]struct {
		report     adminapi.Report
		before     string // how test0 did in the baseline, which has no other; empty for none
		on         health.FailOn
		words      string
		news, olds []string
	}{
		"some are known": {mixed(), "fail", health.FailOnAny, "failed: 2 new failures: test1 (failed), test2 (warning) (--fail-on any, baseline 2025-11-18 08:00:00 UTC (nightly-1))",
			[]string{new1, new2}, []string{known0}},
		"all are new": {mixed(), "pass", health.FailOnNew, "failed: 3 new failures: test0 (failed), test1 (failed), test2 (warning) (--fail-on new, baseline 2025-11-18 08:00:00 UTC (nightly-1))",
			[]string{new0, new1, new2}, nil},
		"warnings do not count":       {mixed(), "fail", health.FailOnFailed, "failed: 1 new failure: test1 (failed) (--fail-on failed, baseline 2025-11-18 08:00:00 UTC (nightly-1))", []string{new1}, []string{known0}},
		"a new critical one":          {mixed(), "pass", health.FailOnCritical, "failed: 1 new failure of critical tests: test0 (failed) (--fail-on critical, baseline 2025-11-18 08:00:00 UTC (nightly-1))", []string{new0}, nil},
		"a known critical one":        {mixed(), "fail", health.FailOnCritical, "good: no failure is new (--fail-on critical, baseline 2025-11-18 08:00:00 UTC (nightly-1))", nil, []string{known0}},
		"only general ones":           {critical(reportOf("failed", "pass", "fail")), "", health.FailOnCritical, "good: every critical test passed or was skipped (--fail-on critical)", nil, nil},
		"only warnings":               {reportOf("warning", "pass", "warn"), "", health.FailOnFailed, "good: no test failed, and warnings do not count (--fail-on failed)", nil, nil},
		"only warnings, not in a row": {reportOf("warning", "pass", "warn"), "pass", health.FailOnFailed, "good: no test failed, and warnings do not count (--fail-on failed, baseline 2025-11-18 08:00:00 UTC (nightly-1))", nil, nil},
		"nothing":                     {reportOf("passed", "pass", "skipped"), "pass", health.FailOnAny, "", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var earlier *health.Baseline
			if tt.before != "" {
				earlier = health.BaselineIn(tt.report, night(1, tt.before))
			}
			j := health.JudgeReport(tt.report, earlier, tt.on)
			equal(t, tt.words, j.Words())
			equal(t, tt.news, j.New)
			equal(t, tt.olds, j.Known)
			var page bytes.Buffer
			if err := health.Export(&page, tt.report, health.Markdown, health.Handover{Judged: j}); err != nil {
				t.Fatal(err)
			}
			for title, lines := range map[string][]string{"## New failures\n": tt.news, "## Known failures, which do not count\n": tt.olds} {
				if strings.Contains(page.String(), title) != (len(lines) > 0) {
					t.Errorf("%q is in the ticket, or not:\n%s", title, page.String())
				}
			}
			for _, line := range slices.Concat(tt.news, tt.olds) {
				if first, _, _ := strings.Cut(line, " "); !strings.Contains(page.String(), "\n- "+first+" ") {
					t.Errorf("the ticket does not say: %s\n%s", line, page.String())
				}
			}
		})
	}
}

func TestAJudgementNamesTwentyTestsAndCountsTheRest(t *testing.T) {
	t.Parallel()
	for n, last := range map[int]string{20: "test19 is in no report of the last 30 days", 21: "and 1 more test", 25: "and 5 more tests"} {
		r := big(n, "fail")
		got := health.JudgeReport(r, health.BaselineOf(r, 0), health.FailOnNew).New
		if len(got) != min(n, 21) || got[len(got)-1] != last || got[19] != "test19 is in no report of the last 30 days" {
			t.Errorf("of %d: %q", n, got)
		}
	}
}

func TestAStandardNeedsABaselineWhereOnlyNewFailuresCount(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		standard health.Standard
		want     bool
	}{
		{health.Standard{}, false}, {health.Standard{On: health.FailOnCritical}, false}, {health.Standard{On: health.FailOnNew}, true}, {health.Standard{On: health.FailOnCritical, OnlyNew: true}, true},
	} {
		if got := tt.standard.Compares(); got != tt.want {
			t.Errorf("%+v: %v", tt.standard, got)
		}
	}
}
