package health_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"geodeck/adminapi"
)

// at returns a moment some milliseconds after a fixed morning.
func at(ms int64) adminapi.Millis {
	return adminapi.MillisOf(time.Date(2025, 11, 19, 8, 0, 0, 0, time.UTC)) + adminapi.Millis(ms)
}

// suiteOf returns a basic suite whose general tests have these results.
func suiteOf(result string, results ...string) adminapi.SuiteResult {
	s := adminapi.SuiteResult{
		ID: "BSHC-001", Name: "Basic health checks", Result: result, State: "completed",
		StartTime: at(0), EndTime: at(60_000),
	}
	for i, word := range results {
		s.General = append(s.General, adminapi.TestResult{
			ID: fmt.Sprintf("HC_112_%03d", i), Name: fmt.Sprintf("test%d", i), Severity: "general",
			Result: word, State: "completed", StartTime: at(int64(i) * 1_000), EndTime: at(int64(i)*1_000 + 500),
		})
	}
	return s
}

// reportOf returns a report with one suite that bears the same word.
func reportOf(result string, results ...string) adminapi.Report {
	return adminapi.Report{
		ID: "prslejr7yt", Name: "morning", Result: result, State: "completed",
		StartTime: at(0), EndTime: at(60_000), Suites: []adminapi.SuiteResult{suiteOf(result, results...)},
	}
}

// withSuite adds a second suite.
func withSuite(r adminapi.Report, result string, results ...string) adminapi.Report {
	s := suiteOf(result, results...)
	s.ID, s.Name = "OPS-002", "Operational checks"
	r.Suites = append(r.Suites, s)
	return r
}

// big returns a report of n tests, all with one result.
func big(n int, result string) adminapi.Report {
	words := make([]string, n)
	for i := range words {
		words[i] = result
	}
	r := reportOf("passed", words...)
	r.EndTime, r.Suites[0].EndTime = at(1e9), at(1e9)
	return r
}

func equal(t *testing.T, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("differs (-want +got):\n%s", diff)
	}
}
