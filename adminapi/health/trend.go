package health

import (
	"time"

	"geodeck/adminapi"
)

// Point is one test in one report.
type Point struct {
	ReportID string
	When     adminapi.Millis
	Took     time.Duration
	Known    bool // false where the test was missing or had no times
	Verdict  Verdict
}

// Trend is a test over several reports, oldest first.
type Trend struct {
	SuiteID, Name string
	Points        []Point
	Usual         time.Duration // median of the passing points before the last; 0 where fewer than two
}

// TrendOf follows one test through reports, which may come in any order.
func TrendOf(reports []adminapi.Report, suiteID, name string) Trend { panic("contract only") }

// SlowerThanUsual tells whether the last point took clearly longer than usual,
// by the measure of Compare.
func (t Trend) SlowerThanUsual() bool { panic("contract only") }
