package watching_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
)

func TestARollbackThatLeadsElsewhereIsToldAtOnceAndToALaterWatch(t *testing.T) {
	t.Parallel()
	const says = "11.5.0.6825 was confirmed, but the site goes from 11.5.0.6835 to 11.5.0.6820"
	p := operationtest.Patched(t, "beyond")
	run := p.SendRollback(t, p.Rollback(t, operationtest.PatchBefore))
	if ran, confirmed := run.Confirmed(); confirmed != "11.5.0.6825" || ran.Elsewhere(confirmed) != says {
		t.Errorf("%q, %+v", confirmed, ran)
	}
	alarmed := func(watch *watching.Watch) (alarm watching.Alarm, last watching.Snapshot) {
		t.Helper()
		var before watching.Snapshot
		for range 3 {
			last = operationtest.Polled(t, p, watch, 1)
			if a, due := watching.AlarmOf(p.Site, before, last); due {
				if alarm.Kind != "" {
					t.Errorf("alarmed again: %+v", a)
				}
				alarm = a
			}
			before = last
		}
		return alarm, last
	}
	alarm, last := alarmed(watching.NewWatch(p.Site, run))
	if alarm.Kind != watching.AlarmElsewhere || alarm.Known || !strings.HasSuffix(alarm.Text, ": "+says) || last.Confirmed != "11.5.0.6825" {
		t.Errorf("%+v, %q", alarm, last.Confirmed)
	}
	x := explain.Upgrade(incident.UpgradeFactsOf(last, incident.Surroundings{Times: func(adminapi.Millis) string { return "now" }}))
	if !x.Fault || x.Cause.Sentence != says+"." || x.Next.Text == "" || len(x.Avoid) == 0 || len(x.Evidence) == 0 {
		t.Errorf("%+v", x)
	}
	// Another program, later: the record holds what was confirmed.
	sent, err := p.LastSent(t.Context())
	if err != nil || sent == nil {
		t.Fatalf("it is not taken for ours: %v", err)
	}
	later := watching.NewWatch(p.Site, nil)
	unfinished, _, _ := p.Memory.Unfinished()
	later.Resume(unfinished.ID)
	if alarm, last = alarmed(later); alarm.Kind != watching.AlarmElsewhere || !alarm.Known || last.Confirmed != "11.5.0.6825" {
		t.Errorf("%+v, %q", alarm, last.Confirmed)
	}
	end := operationtest.Follow(t, p, later)
	if alarm, due := watching.AlarmOf(p.Site, last, end); !due || alarm.Kind != watching.AlarmSucceeded || !strings.Contains(alarm.Text, says) {
		t.Errorf("%+v", alarm)
	}
	if replayed, err := watching.Replay(p.Site, end.Transcript); err != nil || replayed.Confirmed != "11.5.0.6825" {
		t.Errorf("%q, %v", replayed.Confirmed, err)
	}
	evidence, err := incident.GatherEvidence(t.Context(), p.Site, "", end.Transcript)
	if err != nil || !strings.Contains(operationtest.Unpacked(t, evidence)["summary.md"], "**"+says+".**") {
		t.Errorf("the evidence does not say it: %v", err)
	}
}

func TestAWatchThatSawARunBeforeTheAnswerTellsThatItLeadsElsewhere(t *testing.T) {
	t.Parallel()
	p := operationtest.Patched(t, "beyond")
	watch := watching.NewWatch(p.Site, nil)
	back := p.Rollback(t, operationtest.PatchBefore)
	var before watching.Snapshot
	p.Intercept(func(_ http.ResponseWriter, r *http.Request, pass func()) {
		pass()
		if strings.HasSuffix(r.URL.Path, "/rollback") {
			before = operationtest.Polled(t, p, watch, 1) // nobody knows yet that the site accepts it
		}
	})
	p.SendRollback(t, back)
	if !before.Seen || before.Confirmed != "" {
		t.Fatalf("%+v", before)
	}
	after := operationtest.Polled(t, p, watch, 1)
	if alarm, due := watching.AlarmOf(p.Site, before, after); !due || alarm.Kind != watching.AlarmElsewhere {
		t.Errorf("%q, %+v", after.Confirmed, alarm)
	}
}

func TestAnAlarmOfARunThatLeadsElsewhereHidesNoOther(t *testing.T) {
	t.Parallel()
	const says = "11.5.0.6825 was confirmed, but the site goes from 11.5.0.6835 to 11.5.0.6820"
	p := operationtest.Patched(t, "beyond")
	run := p.SendRollback(t, p.Rollback(t, operationtest.PatchBefore))
	first := run.First.Messages[0]
	answer := func(state string) {
		p.ReportsStatus(fmt.Sprintf(`{"state":%s,"messages":[{"code":2072,"message":%q,"when":%d}]}`, state, first.Message, first.When))
	}
	for _, tt := range []struct {
		state string
		want  watching.AlarmKind
		quiet time.Duration
	}{{`"failed","code":2`, watching.AlarmFailed, 0}, {`"resting","code":9`, watching.AlarmUnknown, 0}, {`"in_progress","code":1`, watching.AlarmStalled, 2 * time.Hour}} {
		watch := watching.NewWatch(p.Site, run)
		answer(`"in_progress","code":1`)
		before := operationtest.Polled(t, p, watch, 1)
		before.Confirmed = "" // as if it was found out with the next answer
		answer(tt.state)
		p.Clock.Advance(tt.quiet)
		if alarm, due := watching.AlarmOf(p.Site, before, operationtest.Polled(t, p, watch, 1)); !due || alarm.Kind != tt.want || !strings.HasSuffix(alarm.Text, "; "+says) {
			t.Errorf("%s: %+v", tt.state, alarm)
		}
	}
}

func TestAnUpgradeThatLeadsElsewhereIsToldToo(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	watch := watching.NewWatch(p.Site, run)
	for message, want := range map[string]string{
		"from 11.5.0.6745 to 11.5.0.6815": "11.5.0.6805",
		"from 11.5.0.6745 to 11.5.0.6805": "",
		"The upgrade has begun.":          "",
		"from 11.5 to 11.5":               "",
	} {
		p.ReportsStatus(fmt.Sprintf(`{"state":"in_progress","code":1,"messages":[{"code":2010,"message":%q,"when":%d}]}`, message, operationtest.Start.UnixMilli()))
		if last := operationtest.Polled(t, p, watching.NewWatch(p.Site, run), 1); last.Confirmed != want {
			t.Errorf("%s: %q", message, last.Confirmed)
		}
	}
	// A run of much later is somebody else's.
	p.Clock.Advance(10 * time.Minute)
	p.ReportsStatus(p.ToAnother(`"in_progress","code":1`))
	if last := operationtest.Polled(t, p, watch, 1); last.Confirmed != "" {
		t.Errorf("%q", last.Elsewhere())
	}
}

func TestTheRecordSaysWhereARunHasLed(t *testing.T) {
	t.Parallel()
	p := operationtest.Patched(t, "beyond")
	run := p.SendRollback(t, p.Rollback(t, operationtest.PatchBefore)) // to 11.5.0.6825
	operationtest.Follow(t, p, watching.NewWatch(p.Site, run))
	p.WantSettled(t, journal.VerdictSucceeded, "the site runs 11.5.0.6820")
}

// A site that shows its newest messages alone does not say whose run has ended.
func TestTheEndOfARunWithoutItsVersionsIsThatOfNoRequestOfUnknownOutcome(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "answer-lost-not-performed")
	_, _ = p.StartUpgrade(t.Context(), p.Request(t, operationtest.PatchID), nil)
	p.WantOutcome(t, adminapi.OutcomeUnknown)
	message := fmt.Sprintf(`{"code":2038,"message":"Pods are ready.","when":%d}`, p.Clock.Now().Add(time.Minute).UnixMilli())
	p.Clock.Advance(20 * time.Minute)
	p.ReportsStatus(`{"state":"success","code":3,"messages":[` + message + `,` + p.EndMessage() + `]}`)
	status, err := p.Client.Upgrades.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	watching.UpgradeNow(p.Site, status)
	p.WantOutcome(t, adminapi.OutcomeUnknown)
}

// A success that was seen is the outcome of the request whose program was killed before its answer.
func TestAnEndThatWasSeenIsTheOutcomeOfARequestThatHadNone(t *testing.T) {
	t.Parallel()
	for name, see := range map[string]func(*testing.T, *operationtest.Platform){
		"by a watch": func(t *testing.T, p *operationtest.Platform) {
			operationtest.Follow(t, p, watching.NewWatch(p.Site, nil))
		},
		"by the status": func(t *testing.T, p *operationtest.Platform) {
			_ = p.Clock.Sleep(t.Context(), time.Hour)
			status, err := p.Client.Upgrades.Status(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			watching.UpgradeNow(p.Site, status)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := operationtest.WithJournal(t, "answer-lost-before-headers")
			_, _ = p.StartUpgrade(t.Context(), p.Request(t, operationtest.PatchID), nil)
			p.WantOutcome(t, adminapi.OutcomeUnknown)
			see(t, p)
			p.WantOutcome(t, adminapi.OutcomeDone)
			p.WantSettled(t, journal.VerdictSucceeded, "the site runs ")
		})
	}
}

func TestARunThatEndedElsewhereBeforeAnybodyLookedCallsNobody(t *testing.T) {
	t.Parallel()
	p := operationtest.Patched(t, "beyond")
	operationtest.Follow(t, p, watching.NewWatch(p.Site, p.SendRollback(t, p.Rollback(t, operationtest.PatchBefore))))
	later := operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 1)
	if alarm, due := watching.AlarmOf(p.Site, watching.Snapshot{}, later); due || later.Confirmed != "11.5.0.6825" {
		t.Errorf("%q was confirmed, and the alarm is %+v", later.Confirmed, alarm)
	}
}
