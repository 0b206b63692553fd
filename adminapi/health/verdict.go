// Package health says what a health check report means: which words count as
// passed, how reports are counted, compared, checked for contradictions, traced
// over time, and exported. It is pure: no I/O but the writers it is given, no
// clock.
//
// Start at [Judge]: everything else stands on its verdicts. An unknown word is
// never a pass.
package health

import (
	"iter"
	"slices"
	"strings"

	"geodeck/adminapi"
)

// Verdict is what a result word means. The zero value is Unknown.
type Verdict int

// The verdicts; [Verdict.Weight] orders them.
const (
	Unknown Verdict = iota // a word that we do not know, or none
	Passed
	Warning
	Failed
	Skipped
	Running // not ended yet: judged by state, not by result
)

var verdictWords = [...]string{Unknown: "unknown", Passed: "passed", Warning: "warning", Failed: "failed", Skipped: "skipped", Running: "running"}

// String returns the verdict as a word for people: "passed", "failed", ...
func (v Verdict) String() string {
	if v < 0 || int(v) >= len(verdictWords) {
		return verdictWords[Unknown]
	}
	return verdictWords[v]
}

// worstFirst lists the verdicts.
var worstFirst = [...]Verdict{Failed, Unknown, Warning, Running, Skipped, Passed}

var weights = func() (weights [len(worstFirst)]int) {
	for weight, v := range worstFirst {
		weights[v] = weight
	}
	return weights
}()

// Weight orders verdicts worst first: a lower weight is worse. Failed, Unknown,
// Warning, Running, Skipped, Passed.
func (v Verdict) Weight() int { return weights[v] }

// Good reports whether nothing has to be done: passed or skipped.
func (v Verdict) Good() bool { return v == Passed || v == Skipped }

// Bad reports whether the verdict is Failed or Unknown.
func (v Verdict) Bad() bool { return v == Failed || v == Unknown }

// Worse returns the worse of two verdicts.
func Worse(a, b Verdict) Verdict { return worstFirst[min(a.Weight(), b.Weight())] }

// Judge reads a result word. Reports and suites say "passed", tests say "pass",
// so words are read by their first word, without regard to case. Good news must
// be the whole text ("passed_with_errors" is not a pass); bad news may go on
// ("failed: timeout"). Whatever is not known is Unknown.
func Judge(word string) Verdict {
	word = strings.TrimRight(lower(word), ".!")
	switch word {
	case "pass", "passes", "passed", "passing", "success", "successful", "succeeded", "ok", "okay":
		return Passed
	case "skip", "skipped", "ignored", "not run", "not_run", "not-run", "notrun":
		return Skipped
	}
	switch firstWord(word) {
	case "fail", "fails", "failed", "failing", "failure", "failures", "error", "errors", "errored":
		return Failed
	case "warn", "warns", "warned", "warning", "warnings":
		return Warning
	}
	return Unknown
}

// lower lowers ASCII letters only: no other letter may turn into one of ours.
func lower(word string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, strings.TrimSpace(word))
}

// firstWord returns the small letters at the beginning.
func firstWord(word string) string {
	end := strings.IndexFunc(word, func(r rune) bool { return r < 'a' || r > 'z' })
	if end < 0 {
		return word
	}
	return word[:end]
}

// JudgeState reads a result word together with the state beside it.
//
// Something whose state says that it goes on, and that has no result yet or
// only a good one, is Running: it may still fail. A state that says failed makes
// a missing or good result Failed. In a state that we do not know, a pass is
// Unknown, since it may not be the last word. Where there is no state at all,
// the result stands alone.
func JudgeState(result, state string) Verdict {
	verdict := Judge(result)
	state = lower(state)
	switch {
	case state == "", ended(state):
		return verdict
	case inProgress(state):
		if result = lower(result); verdict.Good() || result == "" || inProgress(result) {
			return Running
		}
	case Judge(state) == Failed:
		if verdict.Good() || verdict == Unknown {
			return Failed
		}
	case verdict == Passed:
		return Unknown
	}
	return verdict
}

// ended reports whether a state, in lower case, is an end; inProgress whether it is not.
func ended(state string) bool { return state == "completed" || state == "complete" }

func inProgress(state string) bool {
	switch state {
	case "in_progress", "in progress", "inprogress", "running", "executing", "submitted", "started", "pending", "queued":
		return true
	}
	return false
}

// JudgeTest returns the verdict on a test.
func JudgeTest(t adminapi.TestResult) Verdict { return JudgeState(t.Result, t.State) }

// JudgeSuite returns the verdict on a suite: the server's own word, unless a
// test says worse. A suite that passed without any test is Unknown.
func JudgeSuite(s adminapi.SuiteResult) Verdict {
	return combine(JudgeState(s.Result, s.State), CountTests(s.Critical, s.General))
}

// Overall returns the verdict on a whole report: the server's own word, unless
// the suites or tests say worse: a report that calls itself passed while a test
// did not pass is not Passed. Tests that were skipped do no harm as long as
// another one passed. A report without any test that says passed is Unknown.
func Overall(r adminapi.Report) Verdict {
	verdict := combine(JudgeState(r.Result, r.State), CountReport(r))
	for _, suite := range r.Suites {
		verdict = Worse(verdict, suiteVerdict(suite))
	}
	return verdict
}

// suiteVerdict returns what a suite adds to its tests in the sum of a report: nothing
// (Passed) where it was skipped, or has tests but no word.
func suiteVerdict(s adminapi.SuiteResult) Verdict {
	own := JudgeState(s.Result, s.State)
	switch {
	case own == Skipped:
		return Passed
	case len(s.Critical)+len(s.General) == 0:
		return JudgeSuite(s)
	case own == Unknown && lower(s.Result) == "":
		return Passed
	}
	return own
}

// combine returns the worse of the word on a whole and what its tests say.
func combine(own Verdict, tests Count) Verdict {
	if own == Passed && tests[Passed] == 0 {
		own = Unknown
		if tests[Skipped] > 0 {
			own = Skipped
		}
	}
	return Worse(own, tests.Worst())
}

// SystemMade reports whether the platform itself made the report (createdBy).
func SystemMade(r adminapi.ReportSummary) bool {
	return lower(r.CreatedBy) == "system"
}

// Count is the number of tests by verdict.
type Count [len(worstFirst)]int

// Total returns the number of tests counted.
func (c Count) Total() int {
	total := 0
	for _, n := range c {
		total += n
	}
	return total
}

// Plus returns the sum of two counts.
func (c Count) Plus(d Count) Count {
	for v, n := range d {
		c[v] += n
	}
	return c
}

// Each goes through the verdicts that were counted, worst first, with their numbers.
func (c Count) Each() iter.Seq2[Verdict, int] {
	return func(yield func(Verdict, int) bool) {
		for _, v := range worstFirst {
			if c[v] > 0 && !yield(v, c[v]) {
				return
			}
		}
	}
}

// Worst returns the worst verdict counted; skipped tests do not count, nor does
// nothing at all: both leave Passed.
func (c Count) Worst() Verdict {
	for v := range c.Each() {
		if v != Skipped {
			return v
		}
	}
	return Passed
}

// CountTests counts any number of lists of tests.
func CountTests(lists ...[]adminapi.TestResult) Count {
	var count Count
	for _, tests := range lists {
		for i := range tests {
			count[JudgeState(tests[i].Result, tests[i].State)]++
		}
	}
	return count
}

// CountReport counts all tests of a report.
func CountReport(r adminapi.Report) Count {
	var count Count
	for i := range r.Suites {
		count = count.Plus(CountTests(r.Suites[i].Critical, r.Suites[i].General))
	}
	return count
}

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

// Critical reports whether the test counts as critical: by its list, or by its own
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
