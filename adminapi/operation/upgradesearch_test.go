package operation_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
)

func TestAnUpgradeIsNobodysBeforeItsFirstMessage(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Unanswered(t)
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[]}`)
	if finding, _, wait, err := findRun(t.Context(), run.Search()); err != nil || finding != "nothing" || wait == 0 {
		t.Errorf("found %v, wait %v, error %v", finding, wait, err)
	}
	if _, err := settleRun(t.Context(), p, run); !errors.Is(err, operation.ErrOutcomeUnknown) || errors.Is(err, operation.ErrUpgradeRuns) ||
		!strings.Contains(err.Error(), "an upgrade is running") {
		t.Errorf("error %v", err)
	}
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(0) + `]}`)
	if finding, _, _, err := findRun(t.Context(), run.Search()); err != nil || finding != "done" {
		t.Errorf("found %v, error %v", finding, err)
	}
}

func TestAnOlderUpgradeIsSomebodyElses(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Unanswered(t)
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(-time.Hour) + `]}`)
	if finding, _, _, err := findRun(t.Context(), run.Search()); err != nil || finding != "other" {
		t.Errorf("found %v, error %v", finding, err)
	}
}

func TestALaterUpgradeToAnotherVersionMayBeSomebodyElses(t *testing.T) {
	t.Parallel()
	p := unresolved(t, "answer-lost-not-performed")
	p.Clock.Advance(time.Second)
	p.ReportsStatus(p.ToAnother(`"in_progress","code":1`))
	if all, err := p.ResolveWrites(t.Context()); err != nil || len(all) != 1 || all[0].Outcome != adminapi.OutcomeUnknown || !strings.Contains(all[0].How, "another upgrade") {
		t.Errorf("%+v, %v", all, err)
	}
	if run, err := p.LastSent(t.Context()); err != nil || run != nil {
		t.Errorf("taken for ours: %v, %v", run, err)
	}
	p.WantOutcome(t, adminapi.OutcomeUnknown)

	p, run := operationtest.Unanswered(t)
	p.ReportsStatus(p.ToAnother(`"success","code":3`))
	if finding, _, _, err := findRun(t.Context(), run.Search()); err != nil || finding != "nothing" {
		t.Errorf("found %v, error %v", finding, err)
	}
	p.ReportsStatus(p.ToAnother(`"in_progress","code":1`))
	if finding, _, wait, err := findRun(t.Context(), run.Search()); err != nil || finding != "nothing" || wait == 0 {
		t.Errorf("found %v, wait %v, error %v", finding, wait, err)
	}
	if _, err := settleRun(t.Context(), p, run); !errors.Is(err, operation.ErrOutcomeUnknown) || errors.Is(err, operation.ErrUpgradeRuns) ||
		!strings.Contains(err.Error(), "names 11.5.0.6745 and 12.0.0.7286, and may be someone else's") {
		t.Errorf("error %v", err)
	}
}

func TestAnUpgradeIsOursWhateverTheOrderOfItsVersions(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Unanswered(t)
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + strings.ReplaceAll(p.FirstMessage(0), "from 11.5.0.6745 to 11.5.0.6805", "Upgrade to 11.5.0.6805 from 11.5.0.6745") + `]}`)
	if finding, _, _, err := findRun(t.Context(), run.Search()); err != nil || finding != "done" {
		t.Errorf("found %v, error %v", finding, err)
	}
}

func TestAnUpgradeThatEndedBeforeTheSearchIsFound(t *testing.T) {
	t.Parallel()
	for _, state := range []string{`"failed","code":2`, `"success","code":3`} {
		p, run := operationtest.Unanswered(t)
		p.ReportsStatus(`{"state":` + state + `,"messages":[` + p.FirstMessage(0) + `]}`)
		if finding, _, _, err := findRun(t.Context(), run.Search()); err != nil || finding != "done" {
			t.Errorf("%s: found %v, error %v", state, finding, err)
		}
	}
}
