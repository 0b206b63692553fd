package sweep

import (
	"bytes"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"sync"
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
		try = healthByCommand
	case dashboard:
		try = healthOnScreen
	}
	if m.day.plan.eve {
		m.site.checks()
		time.Sleep(10 * time.Hour)
		m.earlier = 1
		m.day.meet("a report of that name is older")
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

// isNew reports whether a list of reports, of the site or of a command, has one of the name that was not there before.
func (m *machine) isNew(list string) bool {
	var listed struct{ Runs, Items []struct{ Name string } }
	_ = json.Unmarshal([]byte(list), &listed)
	n := 0
	for _, report := range append(listed.Runs, listed.Items...) {
		if report.Name == runName {
			n++
		}
	}
	return n > m.earlier
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
		p.eve, p.scenario.Faults = true, append(p.scenario.Faults, simulator.Fault{Path: "admin/healthCheck/run", Method: "POST", Times: 1, What: "close"})
	}}
	theirCheck = oddity{"a check is lost, and one of its name from another machine fails", func(p *plan) {
		p.theirs, p.scenario.PartialReports = &theirs{}, true
	}}
)

// theirs is the check of another machine, which begins when ours is lost and whose job fails at its end.
type theirs struct {
	mu    sync.Mutex
	asked bool
	job   string
}

// inFront begins it when the first request comes, which is lost.
func (t *theirs) inFront(s *site, direct http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		t.mu.Lock()
		begins := !t.asked && below(r.URL.Path) == "/healthCheck/run"
		t.asked = t.asked || begins
		t.mu.Unlock()
		if begins {
			time.AfterFunc(3*time.Second+atNoRequest, func() {
				job := s.checks()
				t.mu.Lock()
				defer t.mu.Unlock()
				t.job = job
			})
			panic(http.ErrAbortHandler)
		}
		direct.ServeHTTP(w, r)
	})
}

// failing is a site on which its job fails at its end.
func (t *theirs) failing(d *Day, direct http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answered := httptest.NewRecorder()
		direct.ServeHTTP(answered, r)
		t.mu.Lock()
		job := t.job
		t.mu.Unlock()
		if job != "" && below(r.URL.Path) == "/jobs/"+job && bytes.Contains(answered.Body.Bytes(), []byte(`"COMPLETED"`)) {
			d.meet("the check of another machine fails")
			answered.Body = bytes.NewBufferString(`{"jobid":"` + job + `","status":"FAILED","operationURI":"/geodeck/admin/healthCheck/run","messages":["no room"]}`)
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
