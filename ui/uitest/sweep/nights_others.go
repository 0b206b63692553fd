package sweep

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"time"

	"geodeck/ui/uitest/sweep/oracle"
)

// tested is a service that a check calls.
const tested = "/services/Utilities/Geometry.GeometryServer"

// nightOfOthers lets the second administrator do something before or while the check of a night runs: a check of theirs
// overlaps it, a service that it calls is stopped or started between both, or an earlier report cannot be read.
func (m *machine) nightOfOthers(n int) {
	r := m.day.random(fmt.Sprint("others in night ", n))
	m.site.unreadable(nil)
	if reports := m.reports(); len(reports) > 0 && r.IntN(4) == 0 {
		m.day.meet("a report of an earlier night cannot be read")
		m.site.unreadable(map[string]bool{"/healthCheck/reports/" + pick(r, reports).ID: true})
	}
	if r := m.day.random(fmt.Sprint("word in night ", n)); n > 0 && r.IntN(2) == 0 {
		m.tellsOddly(r)
	}
	check := func() {
		m.day.meet("a check of others overlaps that of the night")
		m.site.ask("POST", "/healthCheck/run", url.Values{"suiteIds": {firstSuite}, "runName": {fmt.Sprintf("theirs %d", n+1)}, "async": {"true"}})
	}
	does := func(what string) {
		m.day.log("the second administrator: %s: %.100s", what, m.site.ask("POST", tested+"/"+what, nil))
		time.Sleep(time.Second)
	}
	switch r.IntN(5) {
	case 0: // it passes there still, and ours finds what has stopped since
		check()
		time.Sleep(time.Second)
		does(stops)
	case 1: // both find it, and neither was before the other
		does(stops)
		check()
		time.Sleep(time.Second)
	case 2:
		does(pick(r, []string{starts, stops}))
		after := time.Duration(1+r.IntN(8))*time.Second + atNoRequest
		time.AfterFunc(after, check)
	case 3:
		does(starts)
	}
}

// oddResult is a result of a test that no program knows.
const oddResult = "undetermined"

// tellsOddly makes other reports of the earlier ones of the site: a test that has failed in one has a result that nobody knows
// wherever it has passed. Each of them has failed, too, and contradicts itself nowhere.
func (m *machine) tellsOddly(r *rand.Rand) {
	reports, fails := m.reports(), map[string]bool{}
	for _, one := range reports {
		for id, result := range one.results() {
			fails[id] = fails[id] || result == 2
		}
	}
	maps.DeleteFunc(fails, func(_ string, failed bool) bool { return !failed })
	if len(fails) == 0 {
		return
	}
	told, odd := map[string][]byte{}, pick(r, slices.Sorted(maps.Keys(fails)))
	if before := m.site.reports.Load(); before != nil {
		maps.Copy(told, *before)
	}
	for _, one := range reports {
		results, where := one.results(), "/healthCheck/reports/"+one.ID
		if passed, has := results[odd]; !has || passed != 0 {
			continue
		}
		var report object
		m.asks(&report, where, nil)
		failed := slices.Contains(slices.Collect(maps.Values(results)), 2)
		for _, suite := range report["suiteStatus"].([]any) {
			for _, member := range []string{"criticalTestStatus", "generalTestStatus"} {
				tests, _ := suite.(object)[member].([]any)
				for _, test := range tests {
					switch {
					case test.(object)["id"] == odd:
						test.(object)["result"] = oddResult
					case !failed:
						test.(object)["result"], suite.(object)["result"], report["result"] = "fail", "failed", "failed"
						failed = true
					}
				}
			}
		}
		told[where], _ = json.Marshal(report)
	}
	if len(told) > 0 {
		m.day.meet("a result of an earlier night is a word that nobody knows")
		m.site.reports.Store(&told)
	}
}

// unreadable are the paths that the site answers no program from now on.
func (s *site) unreadable(paths map[string]bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hidden = paths
}

// unread are these paths, and what is never told.
func (s *site) unread() map[string]bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := map[string]bool{}
	maps.Copy(all, s.day.plan.mute)
	maps.Copy(all, s.hidden)
	return all
}

// hides answers that a path cannot be read, where it is one of those.
func (s *site) hides(w http.ResponseWriter, where string) bool {
	s.mu.Lock()
	hidden := s.hidden[where]
	s.mu.Unlock()
	if hidden {
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{"error":{"code":500,"message":"The report cannot be read.","details":[]}}`))
	}
	return hidden
}

// judgesNew lets the oracle say what is new in the report of a night, by the reports as they are.
func (m *machine) judgesNew(p printed, name string) {
	if p.code != codeDone && p.code != codeFailed {
		return
	}
	night := oracle.Night{Name: name, Code: p.code, Said: p.err, Unread: map[string]bool{}, Blind: len(m.day.plan.scenario.Faults)+len(m.day.plan.away) > 0}
	for _, one := range m.reports() {
		report := oracle.Report{ID: one.ID, Name: one.Name, Began: one.StartTime, Ended: one.EndTime, Tests: one.results()}
		if since := time.Since(time.UnixMilli(one.EndTime).Add(-m.day.plan.scenario.ClockAhead.Duration)); one.Name != name && since.Abs() < 30*time.Second {
			return // whether the program has listed it is not known
		}
		m.site.mu.Lock()
		night.Unread[one.ID] = m.site.hidden["/healthCheck/reports/"+one.ID]
		m.site.mu.Unlock()
		night.Reports = append(night.Reports, report)
	}
	m.day.meet(fmt.Sprintf("a check that fails by what is new: exit %d", p.code))
	m.day.oracle.Judged(night)
}
