package health_test

import (
	"encoding/json"
	"os"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
)

func one(name, result string, took int64) adminapi.TestResult {
	t := adminapi.TestResult{Name: name, Result: result, State: "completed"}
	if took >= 0 {
		t.StartTime, t.EndTime = at(0), at(took)
	}
	return t
}

func holding(tests ...adminapi.TestResult) adminapi.Report {
	r := reportOf("passed")
	r.Suites[0].General = tests
	return r
}

func TestCompareNamesEveryChange(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before, after string // result; "-" where the test is missing
		took, takes   int64  // milliseconds; below 0 where not known
		want          health.Change
	}{
		"pass to fail":              {"pass", "fail", 1, 1, health.NewlyFailing},
		"warning to fail":           {"warning", "fail", 1, 1, health.NewlyFailing},
		"warning to unknown":        {"warning", "shrug", 1, 1, health.NewlyFailing},
		"skipped to fail":           {"skipped", "fail", 1, 1, health.NewlyFailing},
		"a new test that fails":     {"-", "fail", 1, 1, health.NewlyFailing},
		"fail to fail":              {"fail", "fail", 1, 1, health.StillFailing},
		"fail to unknown":           {"fail", "", 1, 1, health.StillFailing},
		"unknown to fail":           {"shrug", "fail", 1, 1, health.StillFailing},
		"gone":                      {"pass", "-", 1, 1, health.Removed},
		"gone after failing":        {"fail", "-", 1, 1, health.Removed},
		"added":                     {"-", "pass", 1, 1, health.Added},
		"added with a warning":      {"-", "warning", 1, 1, health.Added},
		"fail to pass":              {"fail", "pass", 1, 1, health.Fixed},
		"unknown to pass":           {"", "pass", 1, 1, health.Fixed},
		"warning to pass":           {"warning", "pass", 1, 1, health.Fixed},
		"pass to warning":           {"pass", "warning", 1, 1, health.Other},
		"pass to skipped":           {"pass", "skipped", 1, 1, health.Other},
		"skipped to pass":           {"skipped", "pass", 1, 1, health.Other},
		"fail to warning":           {"fail", "warning", 1, 1, health.Other},
		"pass to pass":              {"pass", "passed", 1000, 1999, health.Same},
		"warning to warning":        {"warning", "warning", 1, 9000, health.StillWarned},
		"twice and a second more":   {"pass", "pass", 1000, 2000, health.Slower},
		"twice, but under a second": {"pass", "pass", 900, 1800, health.Same},
		"a second, but not twice":   {"pass", "pass", 5000, 9999, health.Same},
		"skipped, and slower":       {"skipped", "skipped", 1000, 9000, health.Same},
		"no time before":            {"pass", "pass", -1, 9000, health.Same},
		"no time after":             {"pass", "pass", 1, -1, health.Same},
		"from no time at all":       {"pass", "pass", 0, 1000, health.Slower},
		"slower, but fails":         {"pass", "fail", 1, 9000, health.NewlyFailing},
	} {
		t.Run(name, func(t *testing.T) {
			before, after := holding(), holding()
			if tt.before != "-" {
				before = holding(one("x", tt.before, tt.took))
			}
			if tt.after != "-" {
				after = holding(one("x", tt.after, tt.takes))
			}
			c := health.Compare(before, after)
			if len(c.Differences) != 1 || c.Differences[0].Change != tt.want || c.Counts[tt.want] != 1 {
				t.Fatalf("got %+v, want %v", c.Differences, tt.want)
			}
			if got := c.Worse(); got != (tt.want == health.NewlyFailing || tt.want == health.Removed) {
				t.Errorf("Worse = %v", got)
			}
		})
	}
}

// A14: what goes on failing, or being warned of, stands before what has become slower or better.
func TestCompareShowsWorstFirstThenNewOrder(t *testing.T) {
	t.Parallel()
	before := holding(one("a", "pass", 1), one("gone2", "pass", 1), one("b", "fail", 1), one("c", "pass", 1), one("gone1", "pass", 1), one("e", "fail", 1),
		one("s", "pass", 1), one("w", "warning", 1), one("v", "pass", 1))
	after := holding(one("s", "pass", 9000), one("w", "warning", 1), one("v", "warning", 1), one("e", "pass", 1), one("c", "fail", 1), one("b", "fail", 1), one("a", "fail", 1), one("d", "pass", 1))
	var got []string
	for _, d := range health.Compare(before, after).Differences {
		got = append(got, d.Name+" "+d.Words())
	}
	equal(t, []string{"c newly failing", "a newly failing", "b still failing", "gone2 gone", "gone1 gone",
		"v now warning", "w still warned", "s slower", "d added", "e fixed"}, got)
}

func TestCompareGoesBySuiteAndName(t *testing.T) {
	t.Parallel()
	before := withSuite(reportOf("passed", "pass"), "passed", "fail")
	after := withSuite(reportOf("passed", "pass"), "passed", "fail")
	after.Suites[0].General[0].ID = "HC_120_777"                                     // ids differ between runs
	after.Suites[0].Critical, after.Suites[0].General = after.Suites[0].General, nil // and severity may be raised
	after.Suites[0], after.Suites[1] = after.Suites[1], after.Suites[0]              // in any order
	c := health.Compare(before, after)
	equal(t, map[health.Change]int{health.Same: 1, health.StillFailing: 1}, c.Counts)
	if d := c.Differences[1]; d.Severity != health.Critical || d.SuiteID != "BSHC-001" || d.Before == nil || d.After == nil || d.AfterTook != 500*time.Millisecond {
		t.Errorf("got %+v", d)
	}
}

func TestComparePairsTestsOfOneNameInOrder(t *testing.T) {
	t.Parallel()
	before := holding(one("x", "pass", 1), one("x", "fail", 1), one("x", "pass", 1))
	after := holding(one("x", "fail", 1), one("x", "fail", 1))
	equal(t, map[health.Change]int{health.NewlyFailing: 1, health.StillFailing: 1, health.Removed: 1}, health.Compare(before, after).Counts)
}

func TestCompareSuitesWithoutIDsByName(t *testing.T) {
	t.Parallel()
	before := withSuite(reportOf("passed", "pass"), "passed", "fail")
	before.Suites[0].ID, before.Suites[1].ID = "", ""
	after := withSuite(reportOf("passed", "pass"), "passed", "fail")
	after.Suites[0].ID, after.Suites[1].ID = "", ""
	after.Suites[0], after.Suites[1] = after.Suites[1], after.Suites[0]
	equal(t, map[health.Change]int{health.Same: 1, health.StillFailing: 1}, health.Compare(before, after).Counts)
}

func TestComparisonForScripts(t *testing.T) {
	t.Parallel()
	before := holding(one("a", "pass", 1000), one("b", "fail", -1), one("c", "pass", 1), one("d", "pass", 1500))
	after := holding(one("d", "pass", 4000), one("a", "shrug", 2000), one("b", "pass", 300), one("e", "pass", 10), one("f", "pass", 1))
	before.Suites[0].General = append(before.Suites[0].General, one("f", "pass", 1))
	after.ID, after.Name = "qrslejr7yu", "noon"
	got, err := json.MarshalIndent(health.Compare(before, after).JSON(), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "comparison.json", string(got)+"\n")
}

func TestComparisonForScriptsHasNoNull(t *testing.T) {
	t.Parallel()
	nothing := health.Compare(adminapi.Report{}, adminapi.Report{}).JSON()
	got, err := json.Marshal(nothing.Differences)
	if err != nil || string(got) != "[]" || nothing.Worse {
		t.Errorf("%s, worse %v, %v", got, nothing.Worse, err)
	}
}

func TestReportsOfTheSameSuitesAreThoseOfTheirIDs(t *testing.T) {
	t.Parallel()
	two, turned := withSuite(reportOf("passed", "pass"), "passed", "pass"), withSuite(reportOf("failed", "fail"), "failed", "fail")
	turned.Suites[0], turned.Suites[1] = turned.Suites[1], turned.Suites[0]
	twice := reportOf("passed", "pass")
	twice.Suites = append(twice.Suites, twice.Suites[0])
	if !health.SameSuites(two, turned) || !health.SameSuites(twice, reportOf("failed", "fail")) {
		t.Error("the order or a repetition makes other suites")
	}
	if health.SameSuites(two, reportOf("passed", "pass")) || health.SameSuites(reportOf("passed", "pass"), inAnotherSuite(reportOf("passed", "pass"))) {
		t.Error("other suites are the same")
	}
}

func TestBothEndsOfADifferenceSayWhyAndHowLong(t *testing.T) {
	t.Parallel()
	unanswered := one("x", "fail", 30_000)
	unanswered.Unknown = []byte(`{"message":"no answer"}`)
	for want, tests := range map[string][2]adminapi.TestResult{
		"passed in 0.4 s → failed in 30 s (no answer)": {one("x", "pass", 400), unanswered},
		"failed (no answer), as before":                {unanswered, unanswered},
		"failed → failed (no answer)":                  {one("x", "fail", 400), unanswered},
		"warning, as before":                           {one("x", "warning", 1000), one("x", "warning", 9000)},
		"passed in 1.0 s → passed in 9.0 s":            {one("x", "pass", 1000), one("x", "pass", 9000)},
		"passed → warning":                             {one("x", "pass", -1), one("x", "warning", -1)},
	} {
		if got := health.Compare(holding(tests[0]), holding(tests[1])).Differences[0].BothEnds(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if got := health.Compare(holding(), holding(unanswered)).Differences[0].BothEnds(); got != "missing → failed in 30 s (no answer)" {
		t.Error(got)
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	want, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Error(err)
	}
	equal(t, string(want), got)
}

func BenchmarkCompare100000(b *testing.B) {
	before, after := big(100_000, "pass"), big(100_000, "fail")
	for b.Loop() {
		health.Compare(before, after)
	}
}
