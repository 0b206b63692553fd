package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/simulator"
)

// firstSuite is one of the suites of the site.
const firstSuite = "BSHC-001"

// runName names the health check of the day.
const runName = "before the upgrade"

// playHealth runs a health check and reads its report.
func playHealth(m *machine) {
	try := tryHealth
	switch m.day.Face {
	case commands:
		try = healthByCommand()
	case dashboard:
		try = healthOnScreen
	}
	if m.day.plan.older > 0 {
		m.site.checks()
		time.Sleep(10 * time.Hour)
	}
	m.insist(wish{
		name: "health",
		is:   func(p *post) bool { return p.path == "/healthCheck/run" && p.fields.Get("runName") == runName },
		try:  try,
		has: func() bool {
			return m.isNew(m.site.ask("GET", "/healthCheck/reports/query", url.Values{"start": {"1"}, "num": {"50"}}))
		},
	})
}

// isNew reports whether a list of reports, of the site or of a command, has one of the name that was not there before. One
// that the same user began elsewhere at that time counts: nothing tells them apart.
func (m *machine) isNew(list string) bool {
	var listed struct{ Runs, Items []map[string]any }
	_ = json.Unmarshal([]byte(list), &listed)
	others := slices.DeleteFunc(append(listed.Runs, listed.Items...), func(r map[string]any) bool { return r["name"] != runName })
	return len(others) > m.day.plan.older
}

// checks runs a health check of the name that is wanted from another machine, and returns the id of its job.
func (s *site) checks() (job string) {
	var begun struct{ JobID string }
	_ = json.Unmarshal([]byte(s.ask("POST", "/healthCheck/run", url.Values{"suiteIds": {firstSuite}, "runName": {runName}, "async": {"true"}})), &begun)
	return begun.JobID
}

// The checks of the name that is wanted which are not the one that was lost.
var (
	olderCheck = oddity{"a check is lost, and the night before had one of its name", func(p *plan) {
		p.older, p.scenario.Faults = 1, append(p.scenario.Faults, simulator.Fault{Path: "admin/healthCheck/run", Method: "POST", Times: 1, What: "close"})
	}}
	theirCheck = oddity{"a check is lost, and one of its name from another machine fails", func(p *plan) {
		p.scenario.PartialReports = true
		p.turns = append(p.turns, &turn{name: "a check from another machine", request: "POST /healthCheck/run", nth: 1, do: func(r *run) {
			job := r.machine.site.checks()
			r.machine.site.theirs.Store(&job)
			panic(http.ErrAbortHandler)
		}})
	}}
)

// failing is a site on which the job of the check from another machine fails at its end.
func (s *site) failing(direct http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answered := httptest.NewRecorder()
		direct.ServeHTTP(answered, r)
		if job := s.theirs.Load(); job != nil && below(r.URL.Path) == "/jobs/"+*job {
			answered.Body = bytes.NewBuffer(bytes.ReplaceAll(answered.Body.Bytes(), []byte(`"COMPLETED"`), []byte(`"FAILED"`)))
		}
		hand(w, answered)
	})
}

func tryHealth(r *run) told {
	if err := r.open(); err != nil {
		return told{outcome: adminapi.OutcomeNotSent, text: errorText(err)}
	}
	if said, over := r.earlier("health check", func(record written) bool { return record.Fields.Get("runName") == runName }); over {
		return said
	}
	var suites []adminapi.Suite
	err := r.retry(func() (err error) {
		suites, err = r.site.Client.Health.Suites(r.ctx)
		return err
	})
	if err != nil || len(suites) == 0 {
		return told{outcome: adminapi.OutcomeNotSent, text: "no suites: " + errorText(err)}
	}
	health, result := r.site.StartHealthRun(r.ctx, adminapi.HealthRun{SuiteIDs: []string{suites[0].ID}, Name: runName})
	if health == nil {
		return told{outcome: result.Outcome, text: errorText(result.Err)}
	}
	var end operation.HealthSnapshot
	for range 5 { // a sign-in in between, as a person does
		if end, err = polling.Wait(r.ctx, r.site.Clock, health, nil); !errors.Is(err, adminapi.KindSignIn) || !r.wait(time.Minute) {
			break
		}
	}
	said := told{outcome: result.Outcome, text: errorText(err)}
	switch {
	case err == nil && end.Report != nil:
		said.outcome, said.ended = adminapi.OutcomeDone, true
		if end.Report.Name != runName {
			r.machine.day.fail("health: the report of another run was taken for ours: %s", end.Report.Name)
		}
	case errors.Is(err, operation.ErrJobBroken):
		said.outcome, said.broken = adminapi.OutcomeDone, true
	case errors.As(err, new(*operation.RefusedError)):
		said.outcome = adminapi.OutcomeRefused
	case errors.Is(err, operation.ErrOutcomeUnknown):
		said.outcome = adminapi.OutcomeUnknown
	}
	return said
}
