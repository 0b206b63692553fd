package operation_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/upgrade/progress"
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
	step, err := run.Search().Next(t.Context())
	if err != nil || seenAs(step.Value) != "other" || !strings.Contains(step.Value.Err.Error(), "yours was sent, and has not begun") {
		t.Errorf("found %+v, error %v", step.Value, err)
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

// A run is that of a request by when it began and where it leads. What leads elsewhere, or tells no version, is that of
// one which the site is known to have accepted.
func TestARunIsThatOfARequestByItsTimeAndItsVersion(t *testing.T) {
	t.Parallel()
	lost, accepted := unresolved(t, "answer-lost-not-performed"), operationtest.WithJournal(t, "healthy")
	accepted.Start(t, operationtest.PatchID)
	for _, c := range []struct {
		to                 string
		after              time.Duration
		ofLost, ofAccepted bool
	}{
		{"11.5.0.6805", 20 * time.Second, true, true},
		{"11.5.0.6805", -time.Hour, false, false},
		{"11.5.0.6805", time.Hour, false, false},
		{"12.0.0.7286", 20 * time.Second, false, true},
		{"12.0.0.7286", 3 * time.Minute, false, false},
		{"", 20 * time.Second, false, true},
	} {
		run := progress.Progress{Run: progress.Run{Began: adminapi.MillisOf(operationtest.Start.Add(c.after)), To: c.to}}
		if c.to != "" {
			run.From = "11.5.0.6745"
		}
		_, ofLost := lost.Memory.SentFor(run)
		_, ofAccepted := accepted.Memory.SentFor(run)
		if ofLost != c.ofLost || ofAccepted != c.ofAccepted {
			t.Errorf("to %q, %s after the request: of the lost one %v, of the accepted one %v", c.to, c.after, ofLost, ofAccepted)
		}
	}
}

func TestTheUpgradeThatWasSentSinceATimeIsNoEarlierOne(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	if run, err := p.SentSince(t.Context(), operationtest.Start); run != nil || err != nil {
		t.Errorf("before any: %+v, %v", run, err)
	}
	p.Start(t, operationtest.PatchID)
	p.Clock.Advance(20 * time.Second)
	if run, err := p.SentSince(t.Context(), operationtest.Start); run == nil || err != nil {
		t.Errorf("it was sent just now: %v", err)
	} else if !strings.Contains(string(run.Sent.Target), operationtest.PatchID) { // as the site offered it
		t.Errorf("it is kept with the update %s", run.Sent.Target)
	}
	if run, err := p.SentSince(t.Context(), p.Clock.Now()); run != nil || err != nil {
		t.Errorf("it was sent before: %+v, %v", run, err)
	}
}

// A short upgrade may be over before anybody watches: it is still to be told of, until its own end was seen.
func TestTheLastUpgradeIsToldOfUntilItsOwnEndWasSeen(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	for _, id := range []string{operationtest.PatchID, operationtest.NextPatchID} { // also after that of an earlier one
		p.SignInAgain(t)
		run := p.Start(t, id)
		p.Clock.Advance(12 * time.Hour)
		p.SignInAgain(t)
		if last, err := p.LastSent(t.Context()); err != nil || last == nil || last.Sent.Subject != run.Sent.Subject {
			t.Fatalf("%s is over and nobody saw it: %+v, %v", id, last, err)
		}
		if end := operationtest.Follow(t, p, watching.NewWatch(p.Site, run)); !end.Ended {
			t.Fatalf("%s has not ended", id)
		}
		if last, err := p.LastSent(t.Context()); err != nil || last != nil {
			t.Errorf("the end of %s was seen: %+v, %v", id, last, err)
		}
	}
}

// An upgrade that the site has accepted, and that led elsewhere, is the one that was sent, also once it is over.
func TestAnAcceptedUpgradeThatLedElsewhereIsToldOf(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	p.Clock.Advance(time.Second)
	p.ReportsStatus(p.ToAnother(`"success","code":3`))
	if last, err := p.LastSent(t.Context()); err != nil || last == nil || last.Sent.Subject != run.Sent.Subject {
		t.Errorf("%+v, %v", last, err)
	}
}

// Where what was sent is kept no more, its record says what it led to, and since when it may have begun.
func TestALostUpgradeIsLookedForByItsRecordAlone(t *testing.T) {
	t.Parallel()
	for began, want := range map[time.Duration]adminapi.Outcome{-time.Hour: adminapi.OutcomeUnknown, time.Second: adminapi.OutcomeDone} {
		p := unresolved(t, "answer-lost-not-performed")
		p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(began) + `]}`)
		blockDrafts(t, p)
		p.Clock.Advance(5 * time.Second)
		if all, err := p.ResolveWrites(t.Context()); err != nil || len(all) != 1 || all[0].Outcome != want {
			t.Errorf("a run that began %s after it: %+v, %v", began, all, err)
		}
	}
}

// losesUpgrades loses each request for an upgrade on its way to the site.
func losesUpgrades(p *operationtest.Platform) {
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/upgrades/upgrade") {
			operationtest.HangUp(w)
			return
		}
		pass()
	})
}

// Of two requests whose answers were lost each is looked for by what itself has sent, and when: also of two to one version.
func TestEachOfTwoLostUpgradesIsLookedForByItself(t *testing.T) {
	t.Parallel()
	for id, build := range map[string]string{operationtest.NextPatchID: "6815", operationtest.PatchID: "6805"} {
		p := unresolved(t, "answer-lost-not-performed")
		next := p.Request(t, id)
		losesUpgrades(p)
		p.Clock.Advance(time.Hour)
		typed := operation.WithOverride(t.Context(), "11.5.0.6805")
		operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.StartUpgrade(typed, next, nil))
		p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + strings.ReplaceAll(p.FirstMessage(time.Second), "6805", build) + `]}`)
		p.Clock.Advance(2 * time.Second)
		all, err := p.Memory.Journal.Actions(0)
		all = slices.DeleteFunc(all, func(r journal.Record) bool { return !operation.StartsUpgrade(r) })
		if err != nil || len(all) != 2 {
			t.Fatalf("%+v, %v", all, err)
		}
		for i, want := range []adminapi.Outcome{adminapi.OutcomeDone, adminapi.OutcomeUnknown} {
			if found, err := p.LookOnce(t.Context(), all[i]); err != nil || found.Outcome != want {
				t.Errorf("to %s: %s, %s, %v", all[i].Subject, found.Outcome, found.How, err)
			}
			to := map[int]string{0: build, 1: "6805"}[i]
			run := progress.Run{Began: adminapi.MillisOf(all[i].Time.Add(20 * time.Second)), From: "11.5.0.6745", To: "11.5.0." + to}
			if request := p.Memory.RequestOf(progress.Progress{Run: run}); request.ID != all[i].ID {
				t.Errorf("the run to %s that began %s is that of the request at %s", to, run.Began.Time(), request.Time)
			}
		}
	}
}

// That the site accepted an earlier upgrade says nothing of a later one, whose answer was lost.
func TestARunThatLeadsElsewhereIsNotThatOfALostRequestBehindAnAcceptedOne(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	next := p.Request(t, operationtest.NextPatchID)
	p.Start(t, operationtest.PatchID)
	p.Clock.Advance(12 * time.Hour)
	p.SignInAgain(t)
	losesUpgrades(p)
	operationtest.WantResult(t, adminapi.OutcomeUnknown, nil)(p.StartUpgrade(t.Context(), next, nil))
	p.Clock.Advance(time.Second)
	p.ReportsStatus(p.ToAnother(`"in_progress","code":1`))
	if run, err := p.LastSent(t.Context()); run != nil || err != nil {
		t.Errorf("taken for ours: %+v, %v", run.Sent, err)
	}
}
