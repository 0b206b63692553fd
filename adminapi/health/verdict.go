package health

import "geodeck/adminapi"

// Verdict is what a result word means. The zero value is Unknown.
type Verdict int

// The verdicts, in no order of weight; see [Verdict.Weight].
const (
	Unknown Verdict = iota // a word that we do not know, or none
	Passed
	Warning
	Failed
	Skipped
	Running // not ended yet: judged by state, not by result
)

// String returns the verdict as a word for people: "passed", "failed", ...
func (v Verdict) String() string { panic("contract only") }

// Weight orders verdicts worst first: a lower weight is worse. Failed, Unknown,
// Warning, Running, Skipped, Passed.
func (v Verdict) Weight() int { panic("contract only") }

// Judge reads a result word. Reports and suites say "passed", tests say "pass",
// so words are read by their beginning, without regard to case; whatever is not
// known is Unknown.
func Judge(word string) Verdict { panic("contract only") }

// JudgeState reads a result word together with the state beside it: something
// whose state says that it goes on, and that has no result yet, is Running.
func JudgeState(result, state string) Verdict { panic("contract only") }

// Count holds how many tests ended in each way.
type Count struct{ Passed, Warning, Failed, Skipped, Running, Unknown int }

// Total returns the number of tests counted.
func (c Count) Total() int { panic("contract only") }

// Add counts one more.
func (c *Count) Add(v Verdict) { panic("contract only") }

// CountTests counts any number of lists of tests.
func CountTests(lists ...[]adminapi.TestResult) Count { panic("contract only") }

// CountReport counts all tests of a report.
func CountReport(r adminapi.Report) Count { panic("contract only") }

// Overall returns the verdict on a whole report: the server's own word, unless
// the tests say worse: a report that calls itself passed while a test did not
// pass is not Passed. A report without any test that says passed is Unknown.
func Overall(r adminapi.Report) Verdict { panic("contract only") }

// SystemMade tells whether the platform itself made the report (createdBy).
func SystemMade(r adminapi.ReportSummary) bool { panic("contract only") }
