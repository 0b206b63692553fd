// Package health interprets health check reports: it judges their results, counts and
// compares tests, checks reports for contradictions, follows tests over time, and exports
// reports. It is pure: it has no clock, and does no I/O but to the writers it is given.
//
// Start at [Judge], whose verdicts everything else is based on. An unknown word is never a
// pass.
package health

import (
	"iter"
	"slices"
	"strings"

	"geodeck/adminapi"
)

// Verdict is the meaning of a result word. The zero value is Unknown.
type Verdict int

// The verdicts; [Verdict.Weight] orders them.
const (
	Unknown Verdict = iota // an unknown word, or none
	Passed
	Warning
	Failed
	Skipped
	Running // not ended: judged by the state, not by the result
)

var verdictWords = [...]string{
	Unknown: "unknown", Passed: "passed", Warning: "warning", Failed: "failed", Skipped: "skipped", Running: "running",
}

// String returns the verdict as a word for people: "passed", "failed", ...
func (v Verdict) String() string {
	if v < 0 || int(v) >= len(verdictWords) {
		return verdictWords[Unknown]
	}
	return verdictWords[v]
}

// worstFirst lists the verdicts.
var worstFirst = [...]Verdict{Failed, Unknown, Warning, Running, Skipped, Passed}

// Weight orders verdicts: a lower weight is worse. The order is Failed, Unknown, Warning,
// Running, Skipped, Passed.
func (v Verdict) Weight() int { return slices.Index(worstFirst[:], v) }

// Good reports whether the verdict is Passed or Skipped.
func (v Verdict) Good() bool { return v == Passed || v == Skipped }

// Bad reports whether the verdict is Failed or Unknown.
func (v Verdict) Bad() bool { return v == Failed || v == Unknown }

// Worse returns the worse of two verdicts.
func Worse(a, b Verdict) Verdict { return worstFirst[min(a.Weight(), b.Weight())] }

// Judge returns the verdict of a result word, in any case. Reports and suites say "passed",
// tests say "pass". A pass must be the whole text ("passed_with_errors" is not one); a
// failure or warning may continue ("failed: timeout"). Any other word is Unknown.
func Judge(word string) Verdict {
	word = strings.TrimRight(lower(word), ".!")
	switch word {
	case "pass", "passes", "passed", "passing", "success", "successful", "succeeded", "ok", "okay":
		return Passed
	case "skip", "skipped", "ignored", "not run", "not_run", "not-run", "notrun":
		return Skipped
	}
	rest := strings.TrimLeft(word, "abcdefghijklmnopqrstuvwxyz")
	switch strings.TrimSuffix(word, rest) {
	case "fail", "fails", "failed", "failing", "failure", "failures", "error", "errors", "errored":
		return Failed
	case "warn", "warns", "warned", "warning", "warnings":
		return Warning
	}
	return Unknown
}

// lower returns word in lower case. Only ASCII letters change: no other letter may become one.
func lower(word string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, strings.TrimSpace(word))
}

// JudgeState returns the verdict of a result word and a state.
//
// If the state says that a test, suite or report has not ended, and the result is missing
// or good, the verdict is Running: it may still fail. A state that says failed makes a
// missing or good result Failed. A pass in an unknown state is Unknown, since it may not be
// final. Without a state, only the result counts.
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

// JudgeWhole is [JudgeState] of a report, or of its entry in a list: one whose state says that it has not
// ended runs, whatever its result says so far.
func JudgeWhole(result, state string) Verdict {
	if inProgress(lower(state)) {
		return Running
	}
	return JudgeState(result, state)
}

// Ended reports whether a report has reached an end, good or bad: it does not change any more.
func Ended(r adminapi.Report) bool {
	state := lower(r.State)
	return ended(state) || !inProgress(state) && (!r.EndTime.IsZero() || Judge(state) == Failed)
}

// StateWords returns the state of a report as the site says it; of any but completed, that it is not.
func StateWords(state string) string {
	if word := lower(state); word == "" || ended(word) {
		return state
	}
	return state + " (not completed)"
}

// ended reports whether a state, in lower case, is an end; inProgress whether it is known not to be.
func ended(state string) bool { return state == "completed" || state == "complete" }

func inProgress(state string) bool {
	return slices.Contains([]string{
		"in_progress", "in progress", "inprogress", "running", "executing", "submitted", "started", "pending", "queued",
	}, state)
}

// JudgeTest returns the verdict of a test.
func JudgeTest(t adminapi.TestResult) Verdict { return JudgeState(t.Result, t.State) }

// JudgeSuite returns the verdict of a suite: that of its result, or of a test if it is
// worse. A suite that passed without tests is Unknown.
func JudgeSuite(s adminapi.SuiteResult) Verdict {
	return combine(JudgeState(s.Result, s.State), CountTests(s.Critical, s.General))
}

// Overall returns the verdict of a whole report: Running while its state says so, else that of its result,
// or of a suite or test if it is worse. Skipped tests do not count as long as another one passed. A report that
// says passed without tests is Unknown.
func Overall(r adminapi.Report) Verdict {
	if JudgeWhole(r.Result, r.State) == Running {
		return Running
	}
	verdict := combine(JudgeState(r.Result, r.State), CountReport(r))
	for _, suite := range r.Suites {
		verdict = Worse(verdict, suiteVerdict(suite))
	}
	return verdict
}

// suiteVerdict returns what a suite contributes to a report in addition to its tests:
// nothing (Passed) if it was skipped, or has tests but no result.
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

// combine returns the worse of the verdict of a whole and those of its tests.
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

// plus returns the sum of two counts.
func (c Count) plus(d Count) Count {
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

// Worst returns the worst verdict that was counted, without skipped tests: Passed if there
// are no others.
func (c Count) Worst() Verdict {
	for v := range c.Each() {
		if v != Skipped {
			return v
		}
	}
	return Passed
}

// CountTests counts the tests of several lists.
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
	for e := range All(r) {
		count[e.Verdict]++
	}
	return count
}

// The severities, by the lists of a suite.
const (
	Critical = "critical"
	General  = "general"
)

// Entry is a test in a report.
type Entry struct {
	Suite    *adminapi.SuiteResult
	Severity string // Critical or General, by the list that contains it
	Test     *adminapi.TestResult
	Verdict  Verdict
}

// Key tells the test from the others of its report.
func (e Entry) Key() TestKey { return TestKey{e.Suite.ID, e.Test.Name} }

// critical reports whether the test counts as critical, by its list or by its own severity.
func (e Entry) critical() bool {
	return e.Severity == Critical || lower(e.Test.Severity) == Critical
}

// All goes through the tests of a report in order, in each suite the critical ones first.
// The entries point into r.
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
		severity := Critical
		for _, tests := range [][]adminapi.TestResult{suite.Critical, suite.General} {
			for i := range tests {
				t := &tests[i]
				if !yield(Entry{suite, severity, t, JudgeState(t.Result, t.State)}) {
					return
				}
			}
			severity = General
		}
	}
}

// WorstFirst returns the tests of a report, the worst verdict first, and otherwise in the
// order of the report.
func WorstFirst(r adminapi.Report) []Entry {
	entries := slices.Collect(All(r))
	slices.SortStableFunc(entries, func(a, b Entry) int { return a.Verdict.Weight() - b.Verdict.Weight() })
	return entries
}
