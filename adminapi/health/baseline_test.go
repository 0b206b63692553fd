package health_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
)

// night returns the report that began so many days before [at], in which test0 has this result.
func night(days int, word string) adminapi.Report {
	suiteWord := map[string]string{"pass": "passed", "skipped": "skipped"}[word]
	if suiteWord == "" {
		suiteWord = "failed"
	}
	r := reportOf(suiteWord, word)
	r.ID, r.Name = fmt.Sprintf("night%05d", days), fmt.Sprintf("nightly-%d", days)
	back := adminapi.Millis(time.Duration(days) * 24 * time.Hour / time.Millisecond)
	for _, m := range []*adminapi.Millis{&r.StartTime, &r.EndTime, &r.Suites[0].StartTime, &r.Suites[0].EndTime, &r.Suites[0].General[0].StartTime, &r.Suites[0].General[0].EndTime} {
		*m -= back
	}
	return r
}

// passedBut returns a report that says passed although a test did not pass.
func passedBut(r adminapi.Report) adminapi.Report { r.Result = "passed"; return r }

// otherwise returns a report with other tests in its suite.
func otherwise(r adminapi.Report) adminapi.Report { r.Suites[0].General[0].Name = "another"; return r }

func inAnotherSuite(r adminapi.Report) adminapi.Report {
	r.Suites[0].ID, r.Suites[0].Name = "OPS-002", "Operational checks"
	return r
}

// running returns a report that has ended before its test.
func running(r adminapi.Report) adminapi.Report {
	r.Suites[0].General[0].State = "in_progress"
	return r
}

func TestAFailureIsNewAsLongAsItsTestDidBetterWithinTheDays(t *testing.T) {
	t.Parallel()
	const unread = "unread"
	for name, tt := range map[string]struct {
		now     string
		earlier []any // reports, the newest first, or unread
		isNew   bool
		words   string
	}{
		"passed the night before":                 {"fail", []any{night(1, "pass")}, true, "test0 passed last on 2025-11-18 08:00:00 UTC (nightly-1)"},
		"a standing failure":                      {"fail", []any{night(1, "fail"), night(2, "fail"), night(3, "pass")}, true, "test0 passed last on 2025-11-16 08:00:00 UTC (nightly-3)"},
		"the newest pass counts":                  {"fail", []any{night(2, "pass"), night(3, "pass")}, true, "test0 passed last on 2025-11-17 08:00:00 UTC (nightly-2)"},
		"skipped is good":                         {"fail", []any{night(1, "skipped")}, true, "test0 was skipped last on 2025-11-18 08:00:00 UTC (nightly-1)"},
		"warned before":                           {"fail", []any{night(1, "warning")}, true, "test0 had only a warning last on 2025-11-18 08:00:00 UTC (nightly-1)"},
		"passed, now warns":                       {"warning", []any{night(1, "warning"), night(2, "pass")}, true, "test0 passed last on 2025-11-17 08:00:00 UTC (nightly-2)"},
		"no report":                               {"fail", nil, true, "test0 is in no report of the last 30 days"},
		"not in any":                              {"fail", []any{otherwise(night(1, "fail")), inAnotherSuite(night(2, "pass"))}, true, "test0 is in no report of the last 30 days"},
		"failed in the report that ran beside it": {"fail", []any{night(0, "fail")}, true, "test0 is in no report of the last 30 days"},
		"passed in the report that ran beside it": {"fail", []any{night(0, "pass")}, true, "test0 passed last on 2025-11-19 08:00:00 UTC (nightly-0)"},

		"never passed":          {"fail", []any{night(1, "fail"), night(2, "fail")}, false, "test0 (failed), since 2025-11-17 08:00:00 UTC (nightly-2) or longer"},
		"failed, now warns":     {"warning", []any{night(1, "fail")}, false, "test0 (warning), since 2025-11-18 08:00:00 UTC (nightly-1) or longer"},
		"unknown as before":     {"unknown", []any{night(1, "unknown")}, false, "test0 (unknown), since 2025-11-18 08:00:00 UTC (nightly-1) or longer"},
		"others contradict":     {"fail", []any{night(1, "fail"), passedBut(inAnotherSuite(night(2, "fail")))}, false, "test0 (failed), since 2025-11-18 08:00:00 UTC (nightly-1) or longer"},
		"unread, but known new": {"fail", []any{night(1, "pass"), unread}, true, "test0 passed last on 2025-11-18 08:00:00 UTC (nightly-1)"},

		"unread":              {"fail", []any{night(1, "fail"), unread, night(3, "fail")}, true, "test0 may have passed in the report of 2025-11-17 08:00:00 UTC (nightly-2): status 500"},
		"unread twice":        {"fail", []any{night(1, "fail"), unread, unread}, true, "test0 may have passed in the report of 2025-11-17 08:00:00 UTC (nightly-2): status 500"},
		"unread, then passed": {"fail", []any{night(1, "fail"), unread, night(3, "pass")}, true, "test0 passed last on 2025-11-16 08:00:00 UTC (nightly-3), and may have passed in the report of 2025-11-17 08:00:00 UTC (nightly-2): status 500"},
		"contradicts itself":  {"fail", []any{passedBut(night(1, "fail"))}, true, "test0 may have passed in the report of 2025-11-18 08:00:00 UTC (nightly-1), which contradicts itself: the report says passed, but 1 test did not pass"},
		"empty":               {"fail", []any{night(1, "fail"), adminapi.Report{ID: "empty", Name: "empty", Result: "failed", State: "completed"}}, true, "test0 may have passed in the report of an unknown time (empty), which contradicts itself: the report is empty"},
		"unknown before":      {"fail", []any{night(1, "unknown"), night(2, "fail")}, true, "test0 may have passed in the report of 2025-11-18 08:00:00 UTC (nightly-1), where it is unknown"},
		"a word nobody knows": {"shrug", []any{night(1, "shrug")}, true, `test0 may have passed in the report of 2025-11-18 08:00:00 UTC (nightly-1), which contradicts itself: the result "shrug" is unknown`},
		"without a result":    {"fail", []any{night(1, ""), night(2, "fail")}, true, "test0 may have passed in the report of 2025-11-18 08:00:00 UTC (nightly-1), where it is unknown"},
		"still running":       {"fail", []any{running(night(1, "")), night(2, "fail")}, true, "test0 may have passed in the report of 2025-11-18 08:00:00 UTC (nightly-1), where it is running"},
	} {
		t.Run(name, func(t *testing.T) {
			now := reportOf("failed", tt.now, "pass")
			b := health.BaselineOf(now, 0)
			for i, earlier := range tt.earlier {
				if r, read := earlier.(adminapi.Report); read {
					b.Add(r)
				} else {
					r := night(i+1, "fail")
					b.Unread(adminapi.ReportSummary{ID: r.ID, Name: r.Name, StartTime: r.StartTime}, errors.New("status 500"))
				}
			}
			past := b.Past()
			if len(past) != 1 || past[0].IsNew() != tt.isNew || past[0].Words() != tt.words {
				t.Fatalf("new %v, want %v\ngot  %s\nwant %s", past[0].IsNew(), tt.isNew, past[0].Words(), tt.words)
			}
			if b.Complete() != (past[0].Better != "") {
				t.Error("the search ends at the wrong time")
			}
			j := health.JudgeReport(now, b, health.FailOnNew)
			if want := "1 new failure: test0 (" + past[0].Verdict.String() + ")"; j.Failed != tt.isNew || j.Failed && j.Why != want {
				t.Errorf("failed %v, %q", j.Failed, j.Why)
			}
		})
	}
}

func TestAReportWithoutFailuresNeedsNoEarlierOne(t *testing.T) {
	t.Parallel()
	if b := health.BaselineOf(reportOf("passed", "pass", "skipped"), 0); !b.Complete() || len(b.Past()) != 0 {
		t.Errorf("%d tests", len(b.Past()))
	}
}

func TestEarlierReportsAreThoseOfThirtyDaysThatHaveEnded(t *testing.T) {
	t.Parallel()
	const day = adminapi.Millis(24 * time.Hour / time.Millisecond)
	now := night(0, "fail")
	all := []adminapi.ReportSummary{
		{ID: now.ID, EndTime: at(60_000)},
		{ID: "beside", StartTime: at(0), EndTime: at(60_000)},
		{ID: "runs", StartTime: at(0)},
		{ID: "says it runs", StartTime: at(-1), EndTime: at(-1), State: "in_progress"},
		{ID: "first day", StartTime: at(0) - 31*day, EndTime: at(0) - 30*day, Result: "failed", State: "completed"},
		{ID: "too old", StartTime: at(0) - 31*day, EndTime: at(0) - 30*day - 1},
	}
	for name, r := range map[string]adminapi.Report{"by its begin": now, "by its end": {ID: now.ID, EndTime: now.StartTime}, "by the clock": {ID: now.ID}} {
		var ids []string
		for _, s := range health.BaselineOf(r, now.StartTime).Within(all) {
			ids = append(ids, s.ID)
		}
		if got := strings.Join(ids, ", "); got != "beside, first day" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// Of tests that have one name each is compared with its own, in their order.
func TestOfTestsOfOneNameEachIsComparedWithItsOwn(t *testing.T) {
	t.Parallel()
	twins := func(days int, results ...string) adminapi.Report {
		r := reportOf("failed", results...)
		back := adminapi.Millis(time.Duration(days) * 24 * time.Hour / time.Millisecond)
		r.StartTime, r.EndTime = r.StartTime-back, r.EndTime-back
		for i := range r.Suites[0].General {
			r.Suites[0].General[i].ID, r.Suites[0].General[i].Name = "HC_112_000", "twin"
		}
		return r
	}
	for _, c := range []struct {
		before, now []string
		says        string
	}{
		{[]string{"fail", "pass"}, []string{"pass", "fail"}, "twin passed last on "},
		{[]string{"pass", "fail"}, []string{"pass", "fail"}, "twin may have passed in the report of "}, // nobody knows which is which
	} {
		b := health.BaselineOf(twins(0, c.now...), 0)
		b.Add(twins(1, c.before...))
		if past := b.Past(); len(past) != 1 || !past[0].IsNew() || !strings.HasPrefix(past[0].Words(), c.says) {
			t.Errorf("%v after %v: %+v", c.now, c.before, past)
		}
	}
}
