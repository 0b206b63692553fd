package health

import (
	"time"

	"geodeck/adminapi"
)

// Change is what became of a test between two reports.
type Change int

// The changes, worst first.
const (
	NewlyFailing Change = iota // was not failed or unknown before, is now
	StillFailing
	Gone   // was there before, is not now
	Slower // passes, but takes clearly longer; see Compare
	Added  // was not there before
	Fixed
	Other // changed in another way, such as warning to unknown
	Same
)

// String returns the change in words: "newly failing", "fixed", ...
func (c Change) String() string { panic("contract only") }

// Difference is one test in two reports. Before or After is nil where the test
// is missing.
type Difference struct {
	SuiteID, SuiteName string
	Severity           string // critical or general, by the list it stands in
	Name               string // of the test: with SuiteID its identity
	Change             Change
	Before, After      *adminapi.TestResult
	BeforeTook         time.Duration // 0 where not known
	AfterTook          time.Duration
}

// Comparison is every test of two reports, worst change first, then in the
// order of the newer report.
type Comparison struct {
	Before, After adminapi.Report
	Differences   []Difference // Same included
	Counts        map[Change]int
}

// Compare sets a newer report against an older one. Tests are the same where
// suite id and test name are; ids of tests differ between runs. A test is
// slower when it took at least twice as long and at least one second more.
func Compare(before, after adminapi.Report) Comparison { panic("contract only") }

// Worse tells whether the newer report holds a newly failing test or lost one.
func (c Comparison) Worse() bool { panic("contract only") }
