package sweep

import (
	"errors"
	"net/url"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
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
	m.insist(wish{
		name: "health",
		is:   func(p *post) bool { return p.path == "/healthCheck/run" && p.fields.Get("runName") == runName },
		try:  try,
		has: func() bool {
			return strings.Contains(m.site.ask("GET", "/healthCheck/reports/query", url.Values{"start": {"1"}, "num": {"50"}}), runName)
		},
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
