package simulator

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// defaultReports is how many earlier reports a world has.
const defaultReports = 12

// creep is by how much the tests that get slower take longer in each later report.
const creep = 0.09

// newReports makes the suites and the past: what was checked before, by whom,
// and how it went. The past looks at a world in which all was well; whatever a
// scenario breaks broke after the last report.
func newReports(w *world) *reports {
	s := &reports{suites: newSuites(w)}
	count := defaultReports
	if w.scenario.Reports != nil {
		count = *w.scenario.Reports
	}
	if len(s.suites) == 0 || count == 0 {
		return s
	}
	s.slower = slowerBy(count)
	r := w.random("history")
	end := w.started.Add(-7 * time.Hour)
	for age := range count {
		end = end.Add(-time.Duration(30+r.IntN(45)) * time.Hour)
		s.add(w.pastRun(r, s.suites[:1], end, age, count))
	}
	return s
}

// slowerBy tells which tests creep up, and how far they are after n reports.
func slowerBy(n int) map[string]float64 {
	return map[string]float64{"healthcheck_objectStore": 1 + creep*float64(min(n, 40)), "query_logs_availability": 1 + creep/2*float64(min(n, 40))}
}

// pastRun is the report of a given age, 0 the newest.
func (w *world) pastRun(r *rand.Rand, suites []*suite, at time.Time, age, count int) *run {
	past := &run{id: shortID(r, 10), start: at, suites: suites, pace: r.Uint64(), slower: slowerBy(count - age - 1)}
	past.name, past.owner, past.createdBy = w.pastOrigin(at, age)
	if age == min(5, count-1) && count > 1 {
		past.found = map[string]finding{"healthcheck_index_synced": {result: testFail,
			message: "The index of items differs from the database: 3 items are missing. A reindex is advised."}}
	}
	if w.scenario.HostileText {
		past.name = hostile(past.name, age)
	}
	past.settleEnd()
	return past
}

// pastOrigin tells who had a report made: the system around updates, a
// schedule, or the administrator by hand.
func (w *world) pastOrigin(at time.Time, age int) (name, owner, createdBy string) {
	switch {
	case age%6 == 3:
		return "after-update-" + w.earlierVersion(age).String(), "system", "system"
	case age%6 == 4:
		return "before-update-" + w.earlierVersion(age).String(), "system", "system"
	case age%3 == 1:
		return fmt.Sprintf("check by hand %s", at.UTC().Format("2006-01-02")), "admin", "admin"
	}
	return fmt.Sprintf("scheduled-%s", at.UTC().Format("20060102-1504")), "system", "admin"
}

// earlierVersion is the build that an update of that age brought.
func (w *world) earlierVersion(age int) version {
	v := w.version
	v[3] = max(0, v[3]-10*(age/6))
	return v
}
