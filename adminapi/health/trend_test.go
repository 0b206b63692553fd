package health_test

import (
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
)

// runs returns one report for each duration of test "x", in milliseconds.
func runs(took ...int64) []adminapi.Report {
	var reports []adminapi.Report
	for i, ms := range took {
		r := holding(one("x", "pass", ms))
		r.ID, r.StartTime = string(rune('a'+i)), at(int64(i)*86_400_000)
		reports = append(reports, r)
	}
	return reports
}

// trendOf is the trend of the test "x".
func trendOf(reports []adminapi.Report) health.Trend {
	var results []*health.Results
	for _, r := range reports {
		results = append(results, health.ResultsOf(r))
	}
	return health.TrendOf(results, health.TestKey{SuiteID: "BSHC-001", Name: "x"})
}

func TestTrendIsOldestFirst(t *testing.T) {
	t.Parallel()
	reports := runs(1000, 2000, 3000)
	reports[0], reports[2] = reports[2], reports[0]
	trend := trendOf(reports)
	var ids string
	for _, p := range trend.Points {
		ids += p.ReportID
	}
	if ids != "abc" || trend.Points[2].Took != 3*time.Second || !trend.Points[2].Known {
		t.Errorf("got %q, %+v", ids, trend.Points)
	}
}

func TestUsualIsTheMedianOfEarlierPasses(t *testing.T) {
	t.Parallel()
	failed := runs(1000, 1000, 1000, 9000)
	failed[0].Suites[0].General[0].Result = "fail"
	for name, tt := range map[string]struct {
		reports []adminapi.Report
		usual   time.Duration
		slower  bool
	}{
		"none":                   {nil, 0, false},
		"one":                    {runs(1000), 0, false},
		"two say nothing yet":    {runs(1000, 9000), 0, false},
		"middle of an odd many":  {runs(1000, 60_000, 1200, 3000), 1200 * time.Millisecond, true},
		"middle of an even many": {runs(1000, 2000, 2999), 1500 * time.Millisecond, false},
		"the last is not usual":  {runs(1000, 1000, 2000), time.Second, true},
		"failed ones are not":    {failed, time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			got := trendOf(tt.reports)
			if got.Usual != tt.usual || got.SlowerThanUsual() != tt.slower {
				t.Errorf("usual %v, slower %v", got.Usual, got.SlowerThanUsual())
			}
		})
	}
}

func TestTrendShowsGaps(t *testing.T) {
	t.Parallel()
	reports := runs(1000, 1000, -1, 9000)
	reports[1].Suites[0].ID = "OTHER"
	got := trendOf(reports)
	want := []health.Point{
		{ReportID: "a", When: reports[0].StartTime, Took: time.Second, Known: true, Verdict: health.Passed},
		{ReportID: "b", When: reports[1].StartTime, Missing: true},
		{ReportID: "c", When: reports[2].StartTime, Verdict: health.Passed},
		{ReportID: "d", When: reports[3].StartTime, Took: 9 * time.Second, Known: true, Verdict: health.Passed},
	}
	equal(t, want, got.Points)
	if got.Usual != 0 || got.SlowerThanUsual() {
		t.Errorf("one earlier time makes no usual time: %v", got.Usual)
	}
}
