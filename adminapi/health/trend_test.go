package health_test

import (
	"strings"
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
	failed := runs(9000, 9000, 1000, 1000, 9000)
	failed[0].Suites[0].General[0].Result, failed[1].Suites[0].General[0].Result = "fail", "fail"
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
			if words := got.Words(); strings.Contains(words, "usually") != (tt.usual > 0) || (words == "") != (len(tt.reports) == 0) {
				t.Errorf("in words: %s", words)
			}
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

func TestATrendInWordsIsTheLastTimeAndTheUsualOne(t *testing.T) {
	t.Parallel()
	for want, took := range map[string][]int64{
		"30 s, usually 0.4 s": {400, 400, 30_000}, "30 s": {400, 30_000}, "": {400, 400, -1},
	} {
		if got := trendOf(runs(took...)).Words(); got != want {
			t.Errorf("%v: %q, want %q", took, got, want)
		}
	}
	if got := trendOf(runs(400, 400, -1)); got.SlowerThanUsual() {
		t.Errorf("a last time that is not known is slower: %+v", got)
	}
}

func TestATestOfAReportIsTheFirstOfItsName(t *testing.T) {
	t.Parallel()
	r := holding(one("x", "fail", 1000), one("x", "pass", 2000))
	r.StartTime = 0
	found, key := health.ResultsOf(r), health.TestKey{SuiteID: "BSHC-001", Name: "x"}
	if p := found.Point(key); p == nil || p.Verdict != health.Failed || p.Took != time.Second || p.When != r.EndTime {
		t.Errorf("%+v", p)
	}
	if p := found.Point(health.TestKey{SuiteID: "BSHC-001", Name: "y"}); p != nil {
		t.Errorf("a test that is not there: %+v", p)
	}
	if p := (*health.Results)(nil).Point(key); p != nil {
		t.Errorf("a test of no report: %+v", p)
	}
}

func TestTheSlowestTestsAreThoseThatTookLongest(t *testing.T) {
	t.Parallel()
	r := holding(one("a", "pass", 10), one("untimed", "pass", -1), one("b", "fail", 30), one("c", "pass", 20), one("none", "pass", 0))
	for n, want := range map[int]string{0: "", 2: "b c ", 9: "b c a "} {
		var got string
		for _, e := range health.Slowest(r, n) {
			got += e.Test.Name + " "
		}
		if got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
