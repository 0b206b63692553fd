package health_test

import (
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/health"
)

const suitePath = "Basic health checks"

// edited returns a good report of two tests after a change to it.
func edited(edit func(r *adminapi.Report, s *adminapi.SuiteResult, tests []adminapi.TestResult)) adminapi.Report {
	r := reportOf("passed", "pass", "pass")
	edit(&r, &r.Suites[0], r.Suites[0].General)
	return r
}

func TestCheckFindsContradictions(t *testing.T) {
	t.Parallel()
	type report = *adminapi.Report
	type suite = *adminapi.SuiteResult
	type tests = []adminapi.TestResult
	type found struct{ Name, Text string }
	for name, tt := range map[string]struct {
		edit func(r report, s suite, x tests)
		want []found
	}{
		"nothing":                            {func(r report, s suite, x tests) {}, nil},
		"skipped tests are no contradiction": {func(r report, s suite, x tests) { x[0].Result = "skipped" }, nil},
		"a run that goes on": {func(r report, s suite, x tests) {
			r.State, r.Result, r.EndTime = "in_progress", "", 0
			s.State, s.Result, s.EndTime = "in_progress", "", 0
			x[1].State, x[1].Result, x[1].EndTime = "pending", "", 0
		}, nil},
		"times unknown": {func(r report, s suite, x tests) { s.StartTime, s.EndTime, x[0].StartTime = 0, 0, 0 }, nil},
		"passed, but a test failed": {func(r report, s suite, x tests) { x[0].Result = "fail" }, []found{
			{"", "the report says passed, but 1 test did not pass"},
			{suitePath, "the suite says passed, but 1 test did not pass"},
		}},
		"passed, but a suite failed": {func(r report, s suite, x tests) { s.Result, x[0].Result = "failed", "fail" }, []found{
			{"", "the report says passed, but 1 test did not pass"},
			{"", `the report says passed, but suite "Basic health checks" is failed`},
		}},
		"passed, but everything was skipped": {func(r report, s suite, x tests) { x[0].Result, x[1].Result = "skipped", "skipped" }, []found{
			{"", "the report says passed, but all tests were skipped"},
			{suitePath, "the suite says passed, but all tests were skipped"},
		}},
		"failed, but all passed": {func(r report, s suite, x tests) { r.Result, s.Result = "failed", "failed" }, []found{
			{"", "the report says failed, but all tests passed"},
			{suitePath, "the suite says failed, but all tests passed"},
		}},
		"no result": {func(r report, s suite, x tests) { r.Result, s.Result, x[1].Result = "", "", " " }, []found{
			{"", "the report has no result"},
			{suitePath, "the suite has no result"},
			{suitePath + " / test1", "the test has no result"},
		}},
		"unknown words": {func(r report, s suite, x tests) {
			r.Result, s.Result, x[1].Result, x[0].State = "failed", "failed", "sh\x1b[31mrug", "frozen"
		}, []found{
			{suitePath + " / test0", `the state "frozen" is unknown`},
			{suitePath + " / test1", `the result "shrug" is unknown`},
		}},
		"unknown as a word is a known word": {func(r report, s suite, x tests) { r.Result, s.Result, x[1].Result = "unknown", "unknown", "unknown" }, nil},
		"an end before its start": {func(r report, s suite, x tests) {
			r.StartTime, r.EndTime = at(9), at(8)
			x[0].StartTime, x[0].EndTime = at(9), at(8)
		}, []found{
			{"", "the report ends before it starts"},
			{suitePath + " / test0", "the test ends before it starts"},
		}},
		"a suite's end before its start": {func(r report, s suite, x tests) {
			s.StartTime, s.EndTime = at(90_000), at(80_000)
			x[0].StartTime, x[0].EndTime, x[1].StartTime, x[1].EndTime = 0, 0, 0, 0
		}, []found{{suitePath, "the suite ends before it starts"}}},
		"outside the suite's time": {func(r report, s suite, x tests) { s.StartTime, s.EndTime = at(1), at(1_499) }, []found{
			{suitePath + " / test0", "the test starts before its suite"},
			{suitePath + " / test1", "the test ends after its suite"},
		}},
		"within no time, to the end of the suite": {func(r report, s suite, x tests) {
			r.StartTime, r.EndTime, s.StartTime, s.EndTime = at(5), at(5), at(5), at(5)
			x[0].StartTime, x[0].EndTime, x[1].StartTime, x[1].EndTime = at(5), at(5), at(5), at(5)
		}, nil},
		"no state": {func(r report, s suite, x tests) {
			r.Result, s.Result, x[1].Result, x[1].State = "failed", "failed", "fail", ""
		}, nil},
		"names and ids twice": {func(r report, s suite, x tests) { x[1].Name, x[1].ID = x[0].Name, x[0].ID }, []found{
			{suitePath + " / test0", `the name "test0" belongs to another test of the suite, too`},
			{suitePath + " / test0", `the id "HC_112_000" belongs to another test of the suite, too`},
		}},
		"suites of one id": {func(r report, s suite, x tests) { r.Suites = append(r.Suites, r.Suites[0]) }, []found{
			{suitePath, `the id "BSHC-001" belongs to another suite of the report, too`},
		}},
		"the wrong list": {func(r report, s suite, x tests) { x[0].Severity, x[1].Severity = "Critical", "" }, []found{
			{suitePath + " / test0", `the severity is "Critical", but the test is listed as general`},
		}},
		"no name": {func(r report, s suite, x tests) { x[0].Name = "" }, []found{
			{suitePath + " / HC_112_000", "the test has no name"},
		}},
		"a suite without tests": {func(r report, s suite, x tests) {
			r.Suites = append(r.Suites, adminapi.SuiteResult{ID: "OPS", Result: "passed", State: "completed"})
		}, []found{{"OPS", "the suite has no test"}}},
		"a report without tests": {func(r report, s suite, x tests) { s.General = nil }, []found{
			{"", "the report has no test"}, {suitePath, "the suite has no test"},
		}},
		"an empty report": {func(r report, s suite, x tests) { r.Suites = nil }, []found{{"", "the report is empty"}}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []found
			for _, f := range health.Check(edited(tt.edit)) {
				if f.Strength != finding.Caution {
					t.Errorf("%q weighs as %s", f.Text, f.Strength)
				}
				got = append(got, found{f.At.Name, f.Text})
			}
			equal(t, tt.want, got)
		})
	}
}

func TestNothingIsFoundInManyGoodTests(t *testing.T) {
	t.Parallel()
	if got := health.Check(big(100_000, "pass")); got != nil {
		t.Fatalf("%d findings, first %+v", len(got), got[0])
	}
}

func BenchmarkCheck100000(b *testing.B) {
	for name, word := range map[string]string{"good": "pass", "unknown words": "shrug"} {
		b.Run(name, func(b *testing.B) {
			r := big(100_000, word)
			for b.Loop() {
				health.Check(r)
			}
		})
	}
}
