package health

import (
	"slices"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/health"
)

// analysis is a report with what takes time to compute for a hundred thousand tests. It is
// made by commands, never by Update.
type analysis struct {
	report   *adminapi.Report
	count    health.Count
	verdict  health.Verdict
	findings []finding.Finding
	results  *health.Results
	slowest  []health.Entry // the longest first
	worst    []health.Entry // those that did not pass, the worst first
	outline  *outline       // in the order that was used last
}

// point returns a test of the report; nil where it, or the report, is not there.
func (a *analysis) point(key health.TestKey) *health.Point {
	if a == nil {
		return nil
	}
	return a.results.Point(key)
}

// maxTold is how many tests are kept as the slowest, or the worst ones.
const maxTold = 12

func analyse(r *adminapi.Report, o order) *analysis {
	a := &analysis{
		report: r, count: health.CountReport(*r), verdict: health.Overall(*r),
		findings: health.Check(*r), results: health.ResultsOf(*r), slowest: health.Slowest(*r, maxTold),
	}
	a.worst = worstOf(r)
	a.outline = newOutline(a, o)
	return a
}

// worstOf returns the first tests of a report that did not pass, the worst first.
func worstOf(r *adminapi.Report) (worst []health.Entry) {
	var by [len(health.Count{})][]health.Entry
	for e := range health.All(*r) {
		if found := by[e.Verdict]; len(found) < maxTold {
			by[e.Verdict] = append(found, e)
		}
	}
	for _, v := range []health.Verdict{health.Failed, health.Unknown, health.Warning} {
		worst = append(worst, by[v]...)
	}
	return worst[:min(len(worst), maxTold)]
}

// The limits of the cache. The oldest report is dropped first.
const (
	maxReports = 40
	maxTests   = 400_000
)

// reportCache holds fetched reports by their entry. A finished report never changes, so it
// is not fetched twice.
type reportCache struct {
	reports    map[entryKey]*analysis
	keys       []entryKey        // oldest first
	unfinished map[entryKey]bool // when they were fetched for a trend
	tests      int
}

func newReportCache() reportCache {
	return reportCache{reports: map[entryKey]*analysis{}, unfinished: map[entryKey]bool{}}
}

func (c *reportCache) get(key entryKey) *analysis { return c.reports[key] }

// first returns the report of the first of some keys, nil where that is not held.
func (c *reportCache) first(keys []entryKey) *analysis {
	if len(keys) == 0 {
		return nil
	}
	return c.get(keys[0])
}

func (c *reportCache) put(key entryKey, a *analysis) {
	c.drop(key)
	c.reports[key] = a
	c.keys = append(c.keys, key)
	c.tests += a.count.Total()
	for len(c.keys) > 1 && (len(c.keys) > maxReports || c.tests > maxTests) {
		// Only what can be fetched again is dropped: a file may have been removed.
		i := slices.IndexFunc(c.keys[:len(c.keys)-1], func(k entryKey) bool { return k.origin == fromSite })
		if i < 0 {
			return
		}
		c.drop(c.keys[i])
	}
}

func (c *reportCache) drop(key entryKey) {
	a := c.reports[key]
	if a == nil {
		return
	}
	c.tests -= a.count.Total()
	delete(c.reports, key)
	c.keys = slices.DeleteFunc(c.keys, func(k entryKey) bool { return k == key })
}
