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
	"geodeck/adminapi/upgrade/progress"
)

// tells makes the Upgrades resource say something of its own.
func (p *platform) tells(status string) {
	p.spoilWith(func(w http.ResponseWriter, r *http.Request, pass func()) {
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

func lostRun(t *testing.T) (*platform, *operation.UpgradeRun) {
	t.Helper()
	p := builtIn(t, "answer-lost-not-performed")
	run, outcome, _ := p.StartUpgrade(t.Context(), p.ask(t, patchID), nil)
	if outcome != adminapi.OutcomeUnknown {
		t.Fatalf("outcome %v", outcome)
	}
	return p, run
}

func TestAnUpgradeIsNobodysBeforeItTellsWhenItBegan(t *testing.T) {
	t.Parallel()
	p, run := lostRun(t)
	p.tells(`{"state":"in_progress","code":1,"messages":[]}`)
	if finding, _, wait, err := findRun(t.Context(), run.Search()); err != nil || finding != operation.FindingUnknown || wait == 0 {
		t.Errorf("found %v, wait %v, error %v", finding, wait, err)
	}
	if _, err := settleRun(t.Context(), p, run); !errors.Is(err, operation.ErrOutcomeUnknown) || errors.Is(err, operation.ErrUpgradeRuns) ||
		!strings.Contains(err.Error(), "an upgrade runs") {
		t.Errorf("error %v", err)
	}
	p.tells(`{"state":"in_progress","code":1,"messages":[` + p.first(0) + `]}`)
	if finding, _, _, err := findRun(t.Context(), run.Search()); err != nil || finding != operation.FindingOurs {
		t.Errorf("found %v, error %v", finding, err)
	}
}

func TestAnOlderUpgradeIsSomebodyElses(t *testing.T) {
	t.Parallel()
	p, run := lostRun(t)
	p.tells(`{"state":"in_progress","code":1,"messages":[` + p.first(-time.Hour) + `]}`)
	if finding, _, _, err := findRun(t.Context(), run.Search()); err != nil || finding != operation.FindingForeign {
		t.Errorf("found %v, error %v", finding, err)
	}
}

func TestAnUpgradeThatEndedBeforeAnybodyLookedDidBegin(t *testing.T) {
	t.Parallel()
	for _, state := range []string{`"failed","code":2`, `"success","code":3`} {
		p, run := lostRun(t)
		p.tells(`{"state":` + state + `,"messages":[` + p.first(0) + `]}`)
		if finding, _, _, err := findRun(t.Context(), run.Search()); err != nil || finding != operation.FindingOurs {
			t.Errorf("%s: found %v, error %v", state, finding, err)
		}
	}
}

func TestTheEndOfTheUpgradeBeforeIsNotTheEndOfThisOne(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	run, outcome, err := p.StartUpgrade(t.Context(), p.ask(t, patchID), nil)
	if outcome != adminapi.OutcomeDone {
		t.Fatal(err)
	}
	watch := p.WatchUpgrade(run)
	p.tells(`{"state":"success","code":3,"messages":[` + p.first(-time.Hour) + `]}`)
	if reading, wait, err := stepped(watch.Next(t.Context())); err != nil || reading.Ended || reading.Seen || wait == 0 {
		t.Errorf("an earlier success is taken for this one: %+v, error %v", reading, err)
	}
	p.tells(`{"state":"success","code":3,"messages":[` + p.first(0) + `,` + p.end() + `]}`)
	if reading, _, err := stepped(watch.Next(t.Context())); err != nil || !reading.Ended || reading.Meaning != progress.StateSucceeded {
		t.Errorf("its own end is missed: %+v, error %v", reading, err)
	}
}
