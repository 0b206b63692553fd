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
	When     adminapi.Millis // the start of the report
	Took     time.Duration
	Known    bool    // false if the test was missing or had no times
	Verdict  Verdict // Unknown if the test was missing
	Missing  bool
}

// TestKey identifies a test in several reports.
type TestKey struct{ SuiteID, Name string }

// Results are the tests of one report by their key, so that one of them is found without going
// through all. Of several with the same name in a suite the first one counts.
type Results struct {
	missing Point
	ended   map[TestKey]ending
}

// ending is how a test ended, and after how long.
type ending struct {
	took    time.Duration
	known   bool
	verdict Verdict
}

// ResultsOf indexes the tests of a report.
func ResultsOf(r adminapi.Report) *Results {
	s := &Results{Point{ReportID: r.ID, When: r.StartTime, Missing: true}, make(map[TestKey]ending, CountReport(r).Total())}
	if s.missing.When.IsZero() {
		s.missing.When = r.EndTime
	}
	for e := range All(r) {
		key := TestKey{e.Suite.ID, e.Test.Name}
		if _, seen := s.ended[key]; seen {
			continue
		}
		took, known := durationOf(e.Test)
		s.ended[key] = ending{took, known, e.Verdict}
	}
	return s
}

// Of returns a test of the report.
func (s *Results) Of(key TestKey) Point {
	p := s.missing
	if e, ok := s.ended[key]; ok {
		p.Took, p.Known, p.Verdict, p.Missing = e.took, e.known, e.verdict, false
	}
	return p
}

// Trend is a test over several reports, oldest first.
type Trend struct {
	Points []Point       // one for each report
	Usual  time.Duration // median of the passing points before the last; 0 if fewer than two
}

// TrendOf returns one test of several reports, which may be in any order.
func TrendOf(reports []*Results, key TestKey) Trend {
	t := Trend{Points: make([]Point, 0, len(reports))}
	for _, r := range reports {
		t.Points = append(t.Points, r.Of(key))
	}
	slices.SortStableFunc(t.Points, func(a, b Point) int { return cmp.Compare(a.When, b.When) })
	t.Usual = usual(t.Points)
	return t
}

// SlowerThanUsual reports whether the last point took much longer than usual, as defined by
// Compare.
func (t Trend) SlowerThanUsual() bool {
	if len(t.Points) == 0 || t.Usual == 0 {
		return false
	}
	last := t.Points[len(t.Points)-1]
	return last.Known && clearlySlower(t.Usual, last.Took)
}

// Words returns the last duration and the usual one: "30 s, usually 0.4 s"; "" where the last
// is not known.
func (t Trend) Words() string {
	if len(t.Points) == 0 || !t.Points[len(t.Points)-1].Known {
		return ""
	}
	text := adminapi.FormatElapsed(t.Points[len(t.Points)-1].Took)
	if t.Usual > 0 {
		text += ", usually " + adminapi.FormatElapsed(t.Usual)
	}
	return text
}

// Slowest returns the n tests of a report that took longest, the longest first.
func Slowest(r adminapi.Report, n int) []Entry {
	took := func(e Entry) time.Duration {
		d, _ := durationOf(e.Test)
		return d
	}
	timed := slices.DeleteFunc(slices.Collect(All(r)), func(e Entry) bool { return took(e) == 0 })
	slices.SortStableFunc(timed, func(a, b Entry) int { return cmp.Compare(took(b), took(a)) })
	return timed[:min(n, len(timed))]
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
	return (passing[(len(passing)-1)/2] + passing[len(passing)/2]) / 2
}
