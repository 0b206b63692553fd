package health

import (
	"iter"
	"slices"

	"geodeck/adminapi"
)

// The severities, by the lists of a suite.
const (
	Critical = "critical"
	General  = "general"
)

// Entry is a test at its place in a report.
type Entry struct {
	Suite    *adminapi.SuiteResult
	Severity string // Critical or General, by the list it stands in
	Test     *adminapi.TestResult
	Verdict  Verdict
}

// Critical tells whether the test counts as critical: by its list, or by its own
// word where the two contradict each other.
func (e Entry) Critical() bool {
	return e.Severity == Critical || lower(e.Test.Severity) == Critical
}

// All goes through the tests of a report in its order, in each suite the
// critical ones first. The entries point into r.
func All(r adminapi.Report) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := range r.Suites {
			for e := range eachEntry(&r.Suites[i]) {
				if !yield(e) {
					return
				}
			}
		}
	}
}

// eachEntry goes through the tests of one suite.
func eachEntry(suite *adminapi.SuiteResult) iter.Seq[Entry] {
	return func(yield func(Entry) bool) {
		for i := range suite.Critical {
			t := &suite.Critical[i]
			if !yield(Entry{suite, Critical, t, JudgeState(t.Result, t.State)}) {
				return
			}
		}
		for i := range suite.General {
			t := &suite.General[i]
			if !yield(Entry{suite, General, t, JudgeState(t.Result, t.State)}) {
				return
			}
		}
	}
}

// WorstFirst returns the tests of a report, the worst verdict first, equal ones
// in the order of the report.
func WorstFirst(r adminapi.Report) []Entry {
	entries := slices.Collect(All(r))
	slices.SortStableFunc(entries, func(a, b Entry) int { return a.Verdict.Weight() - b.Verdict.Weight() })
	return entries
}
