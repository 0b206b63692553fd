package operation_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/upgrade/progress"
)

// reports makes the Upgrades resource return a status.
func (p *platform) reports(status string) {
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/system/upgrades") {
			pass()
			return
		}
		w.Header().Set("Date", p.clock.Now().UTC().Format(http.TimeFormat))
		_, _ = fmt.Fprintf(w, `{"status":%s}`, status)
	})
}

func (p *platform) first(ahead time.Duration) string {
	return fmt.Sprintf(`{"code":2010,"message":"from 11.5.0.6745 to 11.5.0.6805","when":%d}`, p.clock.Now().Add(ahead).UnixMilli())
}

// end is the message that a run was done, now.
func (p *platform) end() string {
	return fmt.Sprintf(`{"code":2012,"message":"upgraded","when":%d}`, p.clock.Now().UnixMilli())
}

func unansweredRun(t *testing.T) (*platform, *operation.UpgradeRun) {
	t.Helper()
	p := builtIn(t, "answer-lost-not-performed")
	run, outcome, _ := apart(p.StartUpgrade(t.Context(), p.request(t, patchID), nil))
	if outcome != adminapi.OutcomeUnknown {
		t.Fatalf("outcome %v", outcome)
	}
	return p, run
}

func TestAnUpgradeIsNobodysBeforeItsFirstMessage(t *testing.T) {
	t.Parallel()
	p, run := unansweredRun(t)
	p.reports(`{"state":"in_progress","code":1,"messages":[]}`)
	if finding, _, wait, err := findRun(t.Context(), run.Search()); err != nil || finding != "nothing" || wait == 0 {
		t.Errorf("found %v, wait %v, error %v", finding, wait, err)
	}
	if _, err := settleRun(t.Context(), p, run); !errors.Is(err, operation.ErrOutcomeUnknown) || errors.Is(err, operation.ErrUpgradeRuns) ||
		!strings.Contains(err.Error(), "an upgrade is running") {
		t.Errorf("error %v", err)
	}
	p.reports(`{"state":"in_progress","code":1,"messages":[` + p.first(0) + `]}`)
	if finding, _, _, err := findRun(t.Context(), run.Search()); err != nil || finding != "done" {
		t.Errorf("found %v, error %v", finding, err)
	}
}

func TestAnOlderUpgradeIsSomebodyElses(t *testing.T) {
	t.Parallel()
	p, run := unansweredRun(t)
	p.reports(`{"state":"in_progress","code":1,"messages":[` + p.first(-time.Hour) + `]}`)
	if finding, _, _, err := findRun(t.Context(), run.Search()); err != nil || finding != "other" {
		t.Errorf("found %v, error %v", finding, err)
	}
}

// toAnother is a run that began after ours was sent, and leads elsewhere.
func (p *platform) toAnother(state string) string {
	return `{"state":` + state + `,"messages":[` + strings.ReplaceAll(p.first(0), "11.5.0.6805", "12.0.0.7286") + `]}`
}

func TestALaterUpgradeToAnotherVersionMayBeSomebodyElses(t *testing.T) {
	t.Parallel()
	p := unresolved(t, "answer-lost-not-performed")
	p.clock.Advance(time.Second)
	p.reports(p.toAnother(`"in_progress","code":1`))
	if all, err := p.ResolveWrites(t.Context()); err != nil || len(all) != 1 || all[0].Outcome != adminapi.OutcomeUnknown || !strings.Contains(all[0].How, "another upgrade") {
		t.Errorf("%+v, %v", all, err)
	}
	if run, err := p.LastSent(t.Context()); err != nil || run != nil {
		t.Errorf("taken for ours: %v, %v", run, err)
	}
	p.wantOutcome(t, adminapi.OutcomeUnknown)

	p, run := unansweredRun(t)
	p.reports(p.toAnother(`"success","code":3`))
	if finding, _, _, err := findRun(t.Context(), run.Search()); err != nil || finding != "nothing" {
		t.Errorf("found %v, error %v", finding, err)
	}
	p.reports(p.toAnother(`"in_progress","code":1`))
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
	p, run := unansweredRun(t)
	p.reports(`{"state":"in_progress","code":1,"messages":[` + strings.ReplaceAll(p.first(0), "from 11.5.0.6745 to 11.5.0.6805", "Upgrade to 11.5.0.6805 from 11.5.0.6745") + `]}`)
	if finding, _, _, err := findRun(t.Context(), run.Search()); err != nil || finding != "done" {
		t.Errorf("found %v, error %v", finding, err)
	}
}

func TestAnUpgradeThatEndedBeforeTheSearchIsFound(t *testing.T) {
	t.Parallel()
	for _, state := range []string{`"failed","code":2`, `"success","code":3`} {
		p, run := unansweredRun(t)
		p.reports(`{"state":` + state + `,"messages":[` + p.first(0) + `]}`)
		if finding, _, _, err := findRun(t.Context(), run.Search()); err != nil || finding != "done" {
			t.Errorf("%s: found %v, error %v", state, finding, err)
		}
	}
}

func TestTheEndOfTheUpgradeBeforeIsNotTheEndOfThisOne(t *testing.T) {
	t.Parallel()
	p, run := started(t)
	watch := watching.NewWatch(p.Site, run)
	p.reports(`{"state":"success","code":3,"messages":[` + p.first(-time.Hour) + `]}`)
	if snapshot, wait, err := stepped(watch.Next(t.Context())); err != nil || snapshot.Ended || snapshot.Seen || wait == 0 {
		t.Errorf("an earlier success is taken for this one: %+v, error %v", snapshot, err)
	}
	p.reports(`{"state":"success","code":3,"messages":[` + p.first(0) + `,` + p.end() + `]}`)
	if snapshot, _, err := stepped(watch.Next(t.Context())); err != nil || !snapshot.Ended || snapshot.Meaning != progress.StateSucceeded {
		t.Errorf("its own end is missed: %+v, error %v", snapshot, err)
	}
}
