package operation_test

import (
	"net/http"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
)

func TestAResultIsToldByItsOutcomeAndItsVerdict(t *testing.T) {
	t.Parallel()
	const edit, deletion = adminapi.WriteDefinition, adminapi.WriteReportDeletion
	for _, c := range []struct {
		kind       adminapi.WriteKind
		outcome    adminapi.Outcome
		verdict    journal.Verdict
		pending    bool
		standing   operation.Standing
		word, text string
	}{
		{edit, adminapi.OutcomeDone, "", false, operation.StandsAccepted, "accepted", "accepted; no end seen yet"},
		{edit, adminapi.OutcomeDone, journal.VerdictSucceeded, false, operation.StandsDone, "done", "done"},
		{edit, adminapi.OutcomeDone, journal.VerdictFailed, false, operation.StandsFailed, "failed", "accepted; why"},
		{edit, adminapi.OutcomeDone, journal.VerdictPartly, false, operation.StandsFailed, "partly kept", "accepted; why"},
		{adminapi.WriteUpgrade, adminapi.OutcomeDone, journal.VerdictRolledBack, false, operation.StandsFailed, "rolled back", "accepted; why"},
		{edit, adminapi.OutcomeRefused, "", false, operation.StandsFailed, "refused", "refused"},
		{edit, adminapi.OutcomeNotSent, "", false, operation.StandsNotSent, "not sent", "not sent"},
		{edit, adminapi.OutcomeUnknown, "", false, operation.StandsUnknown, "unknown", "unknown"},
		{edit, adminapi.OutcomeUnknown, "", true, operation.StandsUnknown, "no outcome", "unknown, no outcome was recorded"},
		{deletion, adminapi.OutcomeDone, "", false, operation.StandsDone, "done", "done"},
		{"", adminapi.OutcomeUnknown, "", false, operation.StandsUnknown, "unknown", "unknown"}, // of a damaged line
	} {
		r := journal.Record{Kind: c.kind, Outcome: c.outcome, Verdict: c.verdict, Because: "why", Finished: start}
		if c.pending {
			r.Finished = r.Settled
		}
		got := operation.ResultOf(r)
		if got.Standing() != c.standing || got.Word() != c.word || got.Text() != c.text {
			t.Errorf("%s, %s, %q: %d, %q, %q", c.kind, c.outcome, c.verdict, got.Standing(), got.Word(), got.Text())
		}
	}
}

// wantSettled checks how the last write that changes the site is recorded to have ended.
func (p *platform) wantSettled(t *testing.T, verdict journal.Verdict, because string) {
	t.Helper()
	records, err := p.Journal.Actions(0)
	for _, r := range records {
		if r.Target != "" {
			if r.Outcome != adminapi.OutcomeDone || r.Verdict != verdict || !strings.Contains(r.Because, because) {
				t.Errorf("%s is %s, %q because %q; want %q because %q", r.Operation, r.Outcome, r.Verdict, r.Because, verdict, because)
			}
			return
		}
	}
	t.Errorf("nothing was recorded, %v", err)
}

func TestTheEndOfAnEditIsInItsRecord(t *testing.T) {
	t.Parallel()
	for scenario, want := range map[string]struct {
		verdict          journal.Verdict
		because, replace string
	}{
		"healthy":            {journal.VerdictSucceeded, "the site has it", ""},
		"edit-slow":          {journal.VerdictSucceeded, "the site has it", ""},
		"edit-fails":         {journal.VerdictFailed, "job FAILED; nothing changed", "accepted; job FAILED; nothing changed; the site has this version"},
		"edit-cancelled":     {journal.VerdictFailed, "nothing changed", "the site has this version"},
		"edit-fails-applied": {journal.VerdictFailed, "but the site has it", ""},
	} {
		p := editing(t, scenario)
		edit := p.edit(t, idle, "900")
		applied, _, _ := p.ApplyEdit(t.Context(), edit, nil)
		p.wantSettled(t, want.verdict, want.because)
		versions, err := p.Versions(edit.Target, applied.Now)
		if err != nil || len(versions) != 1 || !strings.Contains(versions[0].Still, want.replace) || want.replace == "" && versions[0].Still != "" {
			t.Errorf("%s: the history says %+v, %v", scenario, versions, err)
		}
	}
}

func TestTheEndOfAnEditWhoseAnswerWasLostIsInItsRecord(t *testing.T) {
	t.Parallel()
	p := editing(t, "edit-answer-lost")
	edit := p.edit(t, idle, "900")
	wantResult(t, adminapi.OutcomeUnknown, nil)(p.ApplyEdit(t.Context(), edit, nil))
	if found, err := settleEdit(t.Context(), p, p.SearchEdit(edit, "", nil)); err != nil || seenAs(found) != "done" {
		t.Fatal(seenAs(found), err)
	}
	p.wantSettled(t, journal.VerdictSucceeded, "the site has it")
}

func TestTheEndOfAnUpgradeIsInTheRecordOfItsRequest(t *testing.T) {
	t.Parallel()
	for scenario, want := range map[string]struct {
		verdict journal.Verdict
		because string
	}{
		"healthy":     {journal.VerdictSucceeded, "the site runs 11.5.0.6805"},
		"patch-fails": {journal.VerdictRolledBack, "and the site has undone it"},
	} {
		for _, own := range []bool{true, false} { // also by a program that did not send it
			p := remembering(t, builtIn(t, scenario), t.TempDir())
			run, outcome, err := p.StartUpgrade(t.Context(), p.request(t, patchID), nil)
			if outcome != adminapi.OutcomeDone {
				t.Fatal(err)
			}
			p.wantSettled(t, "", "")
			if !own {
				run = nil
			}
			follow(t, p, p.WatchUpgrade(run))
			p.wantSettled(t, want.verdict, want.because)
		}
	}
}

func TestTheEndOfAHealthRunIsInItsRecord(t *testing.T) {
	t.Parallel()
	p := remembering(t, builtIn(t, "healthy"), t.TempDir())
	run, outcome, err := p.StartHealthRun(t.Context(), adminapi.HealthRun{Name: "nightly", SuiteIDs: []string{"BSHC-001"}})
	if outcome != adminapi.OutcomeDone {
		t.Fatal(err)
	}
	p.wantSettled(t, "", "")
	if _, err := operation.Wait(t.Context(), p.clock, run, nil); err != nil {
		t.Fatal(err)
	}
	p.wantSettled(t, journal.VerdictSucceeded, "report nightly")
}

func TestAServiceThatDoesNotSettleIsOnlyAccepted(t *testing.T) {
	t.Parallel()
	for _, settles := range []bool{true, false} {
		p := editing(t, "healthy")
		p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if !settles && strings.HasSuffix(r.URL.Path, ".MapServer/status") {
				_, _ = w.Write([]byte(`{"configuredState":"STOPPED","realTimeState":"STARTED"}`))
				return
			}
			pass()
		})
		if _, outcome, err := p.SwitchService(t.Context(), cities, false, nil, nil); outcome != adminapi.OutcomeDone {
			t.Fatal(outcome, err)
		}
		if settles {
			p.wantSettled(t, journal.VerdictSucceeded, "the service is stopped")
		} else {
			p.wantSettled(t, "", "")
		}
	}
}
