package operation_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
)

const (
	newestPatch = "pat_04122025_6835"
	beforeIt    = "pat_23102025_6825"
	earlyPatch  = "pat_11092025_6815"
	baseRelease = "rel_24062025_6745"
)

// patched is a site with every patch, at which a listed id means this.
func patched(t *testing.T, means string) *platform {
	t.Helper()
	script, _ := simulator.BuiltIn("upgraded")
	script.Upgrades.Rollback = means
	return remembering(t, newPlatformOf(t, script), t.TempDir())
}

func (p *platform) rollback(t *testing.T, id string) upgrade.Rollback {
	t.Helper()
	all, err := p.Rollbacks(t.Context())
	back, listed := upgrade.RollbackOf(all, id)
	if err != nil || !listed {
		t.Fatalf("%s is not listed: %v", id, err)
	}
	return back
}

func (p *platform) rollBack(t *testing.T, back upgrade.Rollback) *operation.UpgradeRun {
	t.Helper()
	run, outcome, err := apart(p.StartUpgrade(t.Context(), operation.RollbackRequest(back), nil))
	if outcome != adminapi.OutcomeDone {
		t.Fatal(outcome, err)
	}
	return run
}

func TestARollbackLeadsToTheVersionThatWasConfirmed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ means, id, to, removes string }{
		"toward a patch":        {"toward", earlyPatch, "11.5.0.6815", "11.5.0.6835 11.5.0.6825 11.5.0.6820"},
		"toward the base":       {"toward", baseRelease, "11.5.0.6745", "11.5.0.6835 11.5.0.6825 11.5.0.6820 11.5.0.6815 11.5.0.6805"},
		"removal of the newest": {"removes", newestPatch, "11.5.0.6825", "11.5.0.6835"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := patched(t, tt.means)
			back := p.rollback(t, tt.id)
			if back.Unsure != "" || back.From != "11.5.0.6835" || back.To != tt.to || strings.Join(back.Removed(), " ") != tt.removes {
				t.Fatalf("%+v", back)
			}
			if facts := p.UpgradeFacts(t.Context(), operation.Offer{}, operation.RollbackRequest(back)); facts.Rollback == nil || len(facts.Rollbacks.Value) != 5 {
				t.Errorf("%+v", facts.Rollbacks)
			}
			var sent string
			p.intercept(func(_ http.ResponseWriter, r *http.Request, pass func()) {
				if strings.HasSuffix(r.URL.Path, "/rollback") {
					body, _ := io.ReadAll(r.Body)
					form, _ := url.ParseQuery(string(body))
					sent, r.Body = form.Get("versionManifest"), io.NopCloser(bytes.NewReader(body))
				}
				pass()
			})
			run := p.rollBack(t, back)
			if sent != `{"id":"`+tt.id+`"}` {
				t.Errorf("%s was sent", sent)
			}
			if _, other := run.Confirmed(); other != "" {
				t.Errorf("the answer leads elsewhere than to %s", other)
			}
			records, err := p.Memory.Journal.Actions(0)
			if err != nil || len(records) != 1 || records[0].Subject != tt.to {
				t.Errorf("%+v, %v", records, err)
			}
			watch := watching.NewWatch(p.Site, run)
			last := polled(t, p, watch, 1)
			if last.Progress.Kind != progress.RollbackRun || last.Progress.To != tt.to {
				t.Errorf("a %s to %s", last.Progress.Kind, last.Progress.To)
			}
			for !last.Ended {
				if last = polled(t, p, watch, 1); last.Confirmed != "" {
					t.Fatalf("it leads elsewhere: %s", last.Elsewhere())
				}
			}
			if now, err := p.Client.Upgrades.Current(t.Context()); err != nil || now.FullVersion() != tt.to || last.Meaning != progress.StateSucceeded {
				t.Errorf("the site has %s, %v", now.FullVersion(), err)
			}
			p.wantSent(t, "POST rollback", 1)
		})
	}
}

func TestARollbackThatIsNotSureIsNotSent(t *testing.T) {
	t.Parallel()
	p := patched(t, "removes")
	back := p.rollback(t, earlyPatch) // beside the newest: it may be what is removed
	if want := "This leads to 11.5.0.6815, or removes 11.5.0.6815 and leads to 11.5.0.6805."; !strings.Contains(back.Unsure, want) {
		t.Errorf("%q", back.Unsure)
	}
	wantResult(t, adminapi.OutcomeNotSent, operation.ErrRollbackUnsure)(p.StartUpgrade(t.Context(), operation.RollbackRequest(back), nil))
	back.To, back.Unsure = "11.5.0.6805", "" // whoever asks
	wantResult(t, adminapi.OutcomeNotSent, operation.ErrRollbackChanged)(p.StartUpgrade(t.Context(), operation.RollbackRequest(back), nil))
	p.wantSent(t, "POST rollback", 0)
}

func TestARollbackThatDoesSomethingElseByNowIsNotSent(t *testing.T) {
	t.Parallel()
	p := patched(t, "")
	confirmed := p.rollback(t, earlyPatch)
	if end := follow(t, p, watching.NewWatch(p.Site, p.rollBack(t, p.rollback(t, beforeIt)))); !end.Ended {
		t.Fatal("the first rollback has not ended")
	}
	wantResult(t, adminapi.OutcomeNotSent, operation.ErrRollbackChanged)(p.StartUpgrade(t.Context(), operation.RollbackRequest(confirmed), nil))
	gone := confirmed
	gone.Listed.ID = beforeIt
	wantResult(t, adminapi.OutcomeNotSent, operation.ErrRollbackChanged)(p.StartUpgrade(t.Context(), operation.RollbackRequest(gone), nil))
	p.wantSent(t, "POST rollback", 1)
}

func TestARollbackThatLeadsElsewhereIsToldAtOnceAndToALaterWatch(t *testing.T) {
	t.Parallel()
	const says = "11.5.0.6825 was confirmed, but the site goes from 11.5.0.6835 to 11.5.0.6820"
	p := patched(t, "beyond")
	run := p.rollBack(t, p.rollback(t, beforeIt))
	if ran, confirmed := run.Confirmed(); confirmed != "11.5.0.6825" || ran.Elsewhere(confirmed) != says {
		t.Errorf("%q, %+v", confirmed, ran)
	}
	alarmed := func(watch *watching.Watch) (alarm watching.Alarm, last watching.Snapshot) {
		t.Helper()
		var before watching.Snapshot
		for range 3 {
			last = polled(t, p, watch, 1)
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
	end := follow(t, p, later)
	if alarm, due := watching.AlarmOf(p.Site, last, end); !due || alarm.Kind != watching.AlarmSucceeded || !strings.Contains(alarm.Text, says) {
		t.Errorf("%+v", alarm)
	}
	if replayed, err := watching.Replay(p.Site, end.Transcript); err != nil || replayed.Confirmed != "11.5.0.6825" {
		t.Errorf("%q, %v", replayed.Confirmed, err)
	}
	evidence, err := incident.GatherEvidence(t.Context(), p.Site, end.Transcript)
	if err != nil || !strings.Contains(unpacked(t, evidence)["summary.md"], "**"+says+".**") {
		t.Errorf("the evidence does not say it: %v", err)
	}
}

func TestAWatchThatSawARunBeforeTheAnswerTellsThatItLeadsElsewhere(t *testing.T) {
	t.Parallel()
	p := patched(t, "beyond")
	watch := watching.NewWatch(p.Site, nil)
	back := p.rollback(t, beforeIt)
	var before watching.Snapshot
	p.intercept(func(_ http.ResponseWriter, r *http.Request, pass func()) {
		pass()
		if strings.HasSuffix(r.URL.Path, "/rollback") {
			before = polled(t, p, watch, 1) // nobody knows yet that the site accepts it
		}
	})
	p.rollBack(t, back)
	if !before.Seen || before.Confirmed != "" {
		t.Fatalf("%+v", before)
	}
	after := polled(t, p, watch, 1)
	if alarm, due := watching.AlarmOf(p.Site, before, after); !due || alarm.Kind != watching.AlarmElsewhere {
		t.Errorf("%q, %+v", after.Confirmed, alarm)
	}
}

func TestAnAlarmOfARunThatLeadsElsewhereHidesNoOther(t *testing.T) {
	t.Parallel()
	const says = "11.5.0.6825 was confirmed, but the site goes from 11.5.0.6835 to 11.5.0.6820"
	p := patched(t, "beyond")
	run := p.rollBack(t, p.rollback(t, beforeIt))
	first := run.First.Messages[0]
	answer := func(state string) {
		p.reports(fmt.Sprintf(`{"state":%s,"messages":[{"code":2072,"message":%q,"when":%d}]}`, state, first.Message, first.When))
	}
	for _, tt := range []struct {
		state string
		want  watching.AlarmKind
		quiet time.Duration
	}{{`"failed","code":2`, watching.AlarmFailed, 0}, {`"resting","code":9`, watching.AlarmUnknown, 0}, {`"in_progress","code":1`, watching.AlarmStalled, 2 * time.Hour}} {
		watch := watching.NewWatch(p.Site, run)
		answer(`"in_progress","code":1`)
		before := polled(t, p, watch, 1)
		before.Confirmed = "" // as if it was found out with the next answer
		answer(tt.state)
		p.clock.Advance(tt.quiet)
		if alarm, due := watching.AlarmOf(p.Site, before, polled(t, p, watch, 1)); !due || alarm.Kind != tt.want || !strings.HasSuffix(alarm.Text, "; "+says) {
			t.Errorf("%s: %+v", tt.state, alarm)
		}
	}
}

func TestAnUpgradeThatLeadsElsewhereIsToldToo(t *testing.T) {
	t.Parallel()
	p, run := started(t)
	watch := watching.NewWatch(p.Site, run)
	for message, want := range map[string]string{
		"from 11.5.0.6745 to 11.5.0.6815": "11.5.0.6805",
		"from 11.5.0.6745 to 11.5.0.6805": "",
		"The upgrade has begun.":          "",
		"from 11.5 to 11.5":               "",
	} {
		p.reports(fmt.Sprintf(`{"state":"in_progress","code":1,"messages":[{"code":2010,"message":%q,"when":%d}]}`, message, start.UnixMilli()))
		if last := polled(t, p, watching.NewWatch(p.Site, run), 1); last.Confirmed != want {
			t.Errorf("%s: %q", message, last.Confirmed)
		}
	}
	// A run of much later is somebody else's.
	p.clock.Advance(10 * time.Minute)
	p.reports(p.toAnother(`"in_progress","code":1`))
	if last := polled(t, p, watch, 1); last.Confirmed != "" {
		t.Errorf("%q", last.Elsewhere())
	}
}

func TestALostAnswerOfARollbackIsAdoptedByItsFirstMessage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"": "done", // that of the site
		"Starting the rollback process from 11.5.0.6835 to 11.5.0.6820.": "nothing",
	} {
		p := patched(t, "")
		back := p.rollback(t, beforeIt)
		p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if strings.HasSuffix(r.URL.Path, "/rollback") {
				p.direct.ServeHTTP(httptest.NewRecorder(), r)
				hangUp(w)
				return
			}
			pass()
		})
		run, outcome, err := apart(p.StartUpgrade(t.Context(), operation.RollbackRequest(back), nil))
		if outcome != adminapi.OutcomeUnknown || run == nil {
			t.Fatal(outcome, err)
		}
		if text != "" {
			p.reports(fmt.Sprintf(`{"state":"in_progress","code":1,"messages":[{"code":2072,"message":%q,"when":%d}]}`, text, p.clock.Now().UnixMilli()))
		}
		finding, _, _, err := findRun(t.Context(), run.Search())
		if err != nil || finding != want {
			t.Errorf("%q: %v, %v", text, finding, err)
		}
		p.wantSent(t, "POST rollback", 1)
		if text == "" {
			continue
		}
		if all, err := p.ResolveWrites(t.Context()); err != nil || len(all) != 1 || all[0].Outcome != adminapi.OutcomeUnknown {
			t.Errorf("%+v, %v", all, err)
		}
		if _, err := settleRun(t.Context(), p, run); !errors.Is(err, operation.ErrOutcomeUnknown) {
			t.Error(err)
		}
		if last := polled(t, p, watching.NewWatch(p.Site, nil), 1); last.Confirmed != "" {
			t.Errorf("nobody knows whose it is: %s", last.Elsewhere())
		}
	}
}
