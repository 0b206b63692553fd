package health

import (
	"cmp"
	"slices"
	"time"

	"geodeck/adminapi"
)

// Point is one test in one report.
type Point struct {
	ReportID string
	When     adminapi.Millis // when the report was started
	Took     time.Duration
	Known    bool    // false where the test was missing or had no times
	Verdict  Verdict // Unknown where the test was missing
}

// Trend is a test over several reports, oldest first.
type Trend struct {
	SuiteID, Name string
	Points        []Point       // one a report
	Usual         time.Duration // median of the passing points before the last; 0 where fewer than two
}

// TrendOf follows one test through reports, which may come in any order.
func TrendOf(reports []adminapi.Report, suiteID, name string) Trend {
	t := Trend{SuiteID: suiteID, Name: name}
	for _, r := range reports {
		t.Points = append(t.Points, pointOf(r, suiteID, name))
	}
	slices.SortStableFunc(t.Points, func(a, b Point) int { return cmp.Compare(a.When, b.When) })
	t.Usual = usual(t.Points)
	return t
}

// SlowerThanUsual tells whether the last point took clearly longer than usual,
// by the measure of Compare.
func (t Trend) SlowerThanUsual() bool {
	if len(t.Points) == 0 || t.Usual == 0 {
		return false
	}
	last := t.Points[len(t.Points)-1]
	return last.Known && clearlySlower(t.Usual, last.Took)
}

func pointOf(r adminapi.Report, suiteID, name string) Point {
	p := Point{ReportID: r.ID, When: r.StartTime}
	if p.When.IsZero() {
		p.When = r.EndTime
	}
	for e := range All(r) {
		if e.Suite.ID == suiteID && e.Test.Name == name {
			p.Verdict = e.Verdict
			p.Took, p.Known = took(e)
			break
		}
	}
	return p
}

func usual(points []Point) time.Duration {
	var passing []time.Duration
	for _, p := range points[:max(0, len(points)-1)] {
		if p.Known && p.Verdict == Passed {
			passing = append(passing, p.Took)
		}
	}
	if len(passing) < 2 {
		return 0
	}
	slices.Sort(passing)
	middle := len(passing) / 2
	if len(passing)%2 == 1 {
		return passing[middle]
	}
	return (passing[middle-1] + passing[middle]) / 2
}
