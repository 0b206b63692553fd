package health

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/plain"
)

// Change is the difference of a test between two reports.
type Change int

// The changes, worst first.
const (
	NewlyFailing Change = iota // failed or unknown now, and was neither before
	StillFailing               // failed or unknown, before and now
	Removed                    // missing now
	Other                      // changed in another way, such as passed to warning
	StillWarned                // a warning, before and now
	Slower                     // passes, but takes much longer; see Compare
	Added                      // missing before, and does not fail
	Fixed                      // passes now, and did not before
	Same                       // passed, skipped or running, before and now
)

var changeWords = [...]string{
	NewlyFailing: "newly failing", StillFailing: "still failing", Removed: "gone", Other: "other",
	StillWarned: "still warned", Slower: "slower", Added: "added", Fixed: "fixed", Same: "same",
}

// String returns the change in words: "newly failing", "fixed", ...
func (c Change) String() string { return changeWords[c] }

// Difference is one test in two reports. Before or After is nil if the test is missing.
type Difference struct {
	SuiteID, SuiteName string
	Severity           string // critical or general, by the list that contains it
	Name               string // of the test; it identifies the test together with SuiteID
	Change             Change
	Before, After      *adminapi.TestResult
	BeforeTook         time.Duration // 0 if not known
	AfterTook          time.Duration
}

// Comparison has every test of two reports, the worst change first, then in the order of
// the newer report; removed tests are in the order of the older one.
type Comparison struct {
	Before, After adminapi.Report
	Differences   []Difference // Same included
	Counts        map[Change]int
}

// Compare compares a report with a newer one. Tests are the same if their suite's id and
// their name are: ids of tests differ between runs. Tests with the same name in a suite are
// paired in order. A test is slower if it passes in both, and takes at least twice as long
// and at least one second longer.
func Compare(before, after adminapi.Report) Comparison {
	earlier := index(before)
	byChange := make([][]Difference, len(changeWords))
	add := func(old, now Entry) {
		shown := now
		if now.Test == nil {
			shown = old
		}
		d := Difference{
			SuiteID: shown.Suite.ID, SuiteName: shown.Suite.Name, Severity: shown.Severity, Name: shown.Test.Name,
			Change: change(old, now), Before: old.Test, After: now.Test,
		}
		d.BeforeTook, _ = durationOf(old.Test)
		d.AfterTook, _ = durationOf(now.Test)
		byChange[d.Change] = append(byChange[d.Change], d)
	}
	for e := range All(after) {
		old, _ := earlier.take(identityOf(e))
		add(old, e)
	}
	for _, e := range earlier.remaining() {
		add(e, Entry{})
	}
	c := Comparison{Before: before, After: after, Counts: map[Change]int{}}
	for change, found := range byChange {
		if len(found) > 0 {
			c.Counts[Change(change)] = len(found)
		}
	}
	c.Differences = slices.Concat(byChange...)
	return c
}

// Part is one kind of change of a comparison in words: "2 new failures".
type Part struct {
	Change Change
	Text   string
}

// Parts returns what changed in words, worst first. The first one is about new failures, also
// where there are none; what stayed the same is left out.
func (c Comparison) Parts() []Part {
	parts := []Part{{NewlyFailing, "No new failures"}}
	if n := c.Counts[NewlyFailing]; n > 0 {
		parts[0].Text = plain.Plural(n, "new failure")
	}
	for change := StillFailing; change < Same; change++ {
		switch n := c.Counts[change]; {
		case change == Other:
			parts = append(parts, c.others()...)
		case n > 0:
			parts = append(parts, Part{change, strconv.Itoa(n) + " " + change.String()})
		}
	}
	return parts
}

// others says what tests are now that changed in another way.
func (c Comparison) others() (parts []Part) {
	var now Count
	for _, d := range c.Differences {
		if d.Change == Other {
			now[JudgeTest(*d.After)]++
		}
	}
	for v, n := range now.Each() {
		text := strconv.Itoa(n) + " now " + v.String()
		if v == Warning {
			text = plain.Plural(n, "new warning")
		}
		parts = append(parts, Part{Other, text})
	}
	return parts
}

// Words returns what changed in one line: "No new failures, 1 fixed".
func (c Comparison) Words() string {
	return strings.Join(lists.Each(c.Parts(), func(part Part) string { return part.Text }), ", ")
}

// Words returns the change, and of one without its own word what the test is now: "now warning".
func (d Difference) Words() string {
	if d.Change == Other {
		return "now " + JudgeTest(*d.After).String()
	}
	return d.Change.String()
}

// BothEnds says what the test was and is, each with why, and where that is another how long it took:
// "passed in 0.4 s → failed in 30 s (no answer)".
func (d Difference) BothEnds() string {
	said := func(t *adminapi.TestResult, took time.Duration) string {
		if t == nil {
			return "missing"
		}
		text := JudgeTest(*t).String()
		if took > 0 && d.Change != StillFailing && d.Change != StillWarned {
			text += " in " + adminapi.FormatElapsed(took)
		}
		if reason := plain.Clip(ReasonLine(*t), maxReason); reason != "" {
			text += " (" + reason + ")"
		}
		return text
	}
	before, after := said(d.Before, d.BeforeTook), said(d.After, d.AfterTook)
	if before == after {
		return before + ", as before"
	}
	return before + " → " + after
}

// maxReason bounds a reason of a comparison, in cells: the table of tests has it whole.
const maxReason = 200

// Worse reports whether a test is newly failing or missing in the newer report.
func (c Comparison) Worse() bool { return c.Counts[NewlyFailing]+c.Counts[Removed] > 0 }

// change compares two entries; one without a test is a missing test.
func change(before, after Entry) Change {
	was, is := before.Verdict, after.Verdict
	switch {
	case after.Test == nil:
		return Removed
	case is.Bad() && (before.Test == nil || !was.Bad()):
		return NewlyFailing
	case is.Bad():
		return StillFailing
	case before.Test == nil:
		return Added
	case is == Passed && (was.Bad() || was == Warning):
		return Fixed
	case was != is:
		return Other
	case is == Warning:
		return StillWarned
	case is == Passed && slowerTest(before.Test, after.Test):
		return Slower
	}
	return Same
}

func slowerTest(before, after *adminapi.TestResult) bool {
	old, known := durationOf(before)
	now, _ := durationOf(after)
	return known && clearlySlower(old, now)
}

// clearlySlower reports whether a test takes twice as long and at least a second longer:
// 3 ms after 1 ms is not slower.
func clearlySlower(before, after time.Duration) bool {
	return after >= 2*before && after-before >= time.Second
}

func durationOf(t *adminapi.TestResult) (time.Duration, bool) {
	if t == nil {
		return 0, false
	}
	return adminapi.Span(t.StartTime, t.EndTime)
}

// SameSuites reports whether two reports come from the same suites, in any order.
func SameSuites(a, b adminapi.Report) bool { return slices.Equal(suiteIDs(a), suiteIDs(b)) }

func suiteIDs(r adminapi.Report) []string {
	ids := lists.Each(r.Suites, func(suite adminapi.SuiteResult) string { return suite.ID })
	slices.Sort(ids)
	return slices.Compact(ids)
}

// identity identifies a test in two reports.
type identity struct{ suite, test string }

func identityOf(e Entry) identity {
	if e.Suite.ID == "" {
		return identity{e.Suite.Name, e.Test.Name}
	}
	return identity{e.Suite.ID, e.Test.Name}
}

// queue returns the tests of a report by identity, equal ones in order.
type queue struct {
	entries []Entry            // without a test where they were taken
	left    map[identity][]int // which of them were not
}

func index(r adminapi.Report) *queue {
	q := &queue{left: map[identity][]int{}}
	for e := range All(r) {
		key := identityOf(e)
		q.left[key] = append(q.left[key], len(q.entries))
		q.entries = append(q.entries, e)
	}
	return q
}

func (q *queue) take(key identity) (taken Entry, ok bool) {
	left := q.left[key]
	if len(left) == 0 {
		return Entry{}, false
	}
	q.left[key] = left[1:]
	taken, q.entries[left[0]] = q.entries[left[0]], Entry{}
	return taken, true
}

// remaining returns the tests that were not taken, in their order.
func (q *queue) remaining() []Entry {
	return slices.DeleteFunc(q.entries, func(e Entry) bool { return e.Test == nil })
}

// ComparisonJSON is a comparison for scripts: its names and words do not change between
// versions. Counts has every change by its key, including zeros; Differences does not
// include tests that are the same.
type ComparisonJSON struct {
	Before      ReportJSON       `json:"before"`
	After       ReportJSON       `json:"after"`
	Worse       bool             `json:"worse"`
	Counts      map[string]int   `json:"counts"`
	Differences []DifferenceJSON `json:"differences"`
}

// ReportJSON identifies a report. Result is its verdict, such as "passed".
type ReportJSON struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Result string `json:"result"`
}

// DifferenceJSON is one test that changed. Before and After are verdicts, null if the test
// is missing; the seconds are null if not known.
type DifferenceJSON struct {
	SuiteID       string   `json:"suiteId"`
	Suite         string   `json:"suite"`
	Severity      string   `json:"severity"`
	Test          string   `json:"test"`
	Change        string   `json:"change"`
	Before        *string  `json:"before"`
	After         *string  `json:"after"`
	BeforeSeconds *float64 `json:"beforeSeconds"`
	AfterSeconds  *float64 `json:"afterSeconds"`
}

// key returns the change for scripts: "newlyFailing", "fixed", ...
func (c Change) key() string {
	first, second, two := strings.Cut(c.String(), " ")
	if !two {
		return first
	}
	return first + strings.ToUpper(second[:1]) + second[1:]
}

// JSON returns the comparison for scripts.
func (c Comparison) JSON() ComparisonJSON {
	out := ComparisonJSON{
		Before:      reportJSON(c.Before),
		After:       reportJSON(c.After),
		Worse:       c.Worse(),
		Counts:      map[string]int{},
		Differences: []DifferenceJSON{},
	}
	for change := range Change(len(changeWords)) {
		out.Counts[change.key()] = c.Counts[change]
	}
	for _, d := range c.Differences {
		if d.Change != Same {
			out.Differences = append(out.Differences, DifferenceJSON{
				SuiteID: d.SuiteID, Suite: d.SuiteName, Severity: d.Severity, Test: d.Name,
				Change: d.Change.key(),
				Before: verdictJSON(d.Before), After: verdictJSON(d.After),
				BeforeSeconds: secondsJSON(d.Before), AfterSeconds: secondsJSON(d.After),
			})
		}
	}
	return out
}

func reportJSON(r adminapi.Report) ReportJSON {
	return ReportJSON{ID: r.ID, Name: r.Name, Result: Overall(r).String()}
}

func verdictJSON(t *adminapi.TestResult) *string {
	if t == nil {
		return nil
	}
	return new(JudgeTest(*t).String())
}

func secondsJSON(t *adminapi.TestResult) *float64 {
	if took, known := durationOf(t); known {
		return new(took.Seconds())
	}
	return nil
}

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
	ended   map[TestKey]Point
}

// ResultsOf indexes the tests of a report.
func ResultsOf(r adminapi.Report) *Results {
	s := &Results{Point{ReportID: r.ID, When: r.StartTime, Missing: true}, make(map[TestKey]Point, CountReport(r).Total())}
	if s.missing.When.IsZero() {
		s.missing.When = r.EndTime
	}
	for e := range All(r) {
		key := e.Key()
		if _, seen := s.ended[key]; seen {
			continue
		}
		p := Point{ReportID: r.ID, When: s.missing.When, Verdict: e.Verdict}
		p.Took, p.Known = durationOf(e.Test)
		s.ended[key] = p
	}
	return s
}

// Of returns a test of the report.
func (s *Results) Of(key TestKey) Point {
	if p, ok := s.ended[key]; ok {
		return p
	}
	return s.missing
}

// Point returns a test of the report; nil where it, or the report, is not there.
func (s *Results) Point(key TestKey) *Point {
	if s == nil {
		return nil
	}
	if p := s.Of(key); !p.Missing {
		return &p
	}
	return nil
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
	return t.Usual > 0 && clearlySlower(t.Usual, t.Points[len(t.Points)-1].Took)
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
