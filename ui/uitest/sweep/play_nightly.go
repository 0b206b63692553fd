package sweep

import (
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/simulator"
	"geodeck/ui/uitest/sweep/oracle"
)

// nightly is the wish for a health check each night that fails by what is new.
const nightly = "a check each night"

// breakdowns are components that stop and work again in the course of the nights.
func breakdowns(d *Day) (events []simulator.Event) {
	r := d.random("breakdowns")
	for _, component := range []string{"PORTAL_SHARING_API", "POSTGRES", "LOGGING"} {
		state, at := "stopped", time.Duration(0)
		for range 4 {
			at += pick(r, []time.Duration{25 * time.Hour, 49 * time.Hour, 6 * 24 * time.Hour}) + atNoRequest
			events = append(events, simulator.Event{At: simulator.Duration{Duration: at}, Component: component, State: state})
			if state = "working"; len(events)%2 == 0 {
				state = pick(r, []string{"stopped", "degraded", "strained"})
			}
		}
	}
	return events
}

// playNightly runs a check each night, as a timer does: one that is interrupted is not run again before the next.
func playNightly(m *machine) {
	r := m.day.random("nightly")
	for n := range 3 + r.IntN(4) {
		name := fmt.Sprintf("night %d", n+1)
		w := m.wish(wish{
			name: "nightly", intent: &oracle.Intent{},
			is:  func(p *post) bool { return p.path == "/healthCheck/run" && p.fields.Get("runName") == name },
			has: func() bool { return m.reportNamed(name) != nil },
		})
		m.wants = w
		m.nightOfOthers(n)
		one := m.begin()
		p := one.change("", "health", "run", "--suite", firstSuite, "--name", name, "--timeout", "20m", "--fail-on", "new")
		said := p.told()
		if p.code == codeFailed && m.reportNamed(name) != nil { // it has run, and counts as failed
			said = told{outcome: adminapi.OutcomeDone, ended: true, text: p.err}
		}
		one.end()
		if one.dead.Load() {
			m.day.meet("told: killed")
			m.day.oracle.Told(oracle.Attempt{Intent: w.intent, Program: one.name, Dead: true})
		} else {
			m.judge(*w, one, said)
			m.judgesNew(p, name)
		}
		time.Sleep(pick(r, []time.Duration{23 * time.Hour, 24 * time.Hour, 26 * time.Hour, 9 * 24 * time.Hour, 33 * 24 * time.Hour}))
	}
	m.site.reports.Store(nil)
}

// nightReport is a report of the site, as far as it matters here.
type nightReport struct {
	ID, Name    string
	StartTime   int64
	EndTime     int64
	SuiteStatus []struct{ CriticalTestStatus, GeneralTestStatus []struct{ ID, Result string } }
}

// results are those of the tests by their ids, the worse the higher.
func (n nightReport) results() map[string]int {
	all := map[string]int{}
	for _, s := range n.SuiteStatus {
		for _, t := range append(s.CriticalTestStatus, s.GeneralTestStatus...) {
			all[t.ID] = map[string]int{"pass": 0, "warning": 1, "fail": 2, oddResult: oracle.NoResult}[t.Result]
		}
	}
	return all
}

// reports are those of the site, in its order.
func (m *machine) reports() (all []nightReport) {
	var listed struct{ Runs []nightReport }
	m.asks(&listed, "/healthCheck/reports/query", url.Values{"start": {"1"}, "num": {"50"}})
	for _, one := range listed.Runs {
		m.asks(&one, "/healthCheck/reports/"+one.ID, nil)
		all = append(all, one)
	}
	return all
}

// asks reads what the site truly has.
func (m *machine) asks(into any, where string, fields url.Values) {
	if err := json.Unmarshal([]byte(m.site.ask("GET", where, fields)), into); err != nil {
		m.day.fail("the site has no JSON at %s: %v", where, err)
	}
}

// reportNamed is the report of a name, nil for none.
func (m *machine) reportNamed(name string) *nightReport {
	for _, one := range m.reports() {
		if one.Name == name {
			return &one
		}
	}
	return nil
}
