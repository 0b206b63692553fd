package watching_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/upgrade/progress"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// running is a watch that has seen a run which began an hour ago, with its 2010.
func running(t *testing.T, p *operationtest.Platform) (watch *watching.Watch, began string) {
	t.Helper()
	began = p.FirstMessage(-time.Hour)
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + began + `]}`)
	watch = watching.NewWatch(p.Site, nil)
	if snapshot := operationtest.Polled(t, p, watch, 1); !snapshot.Seen || snapshot.Meaning != progress.StateRunning {
		t.Fatalf("%+v", snapshot)
	}
	return watch, began
}

// older are the messages of a run of the day before, with its end.
func older(p *operationtest.Platform) string {
	at := p.Clock.Now().Add(-24 * time.Hour).UnixMilli()
	return fmt.Sprintf(`{"code":2010,"message":"from 11.5.0.6700 to 11.5.0.6745","when":%d},{"code":2011,"message":"done","when":%d},`+
		`{"code":2012,"message":"done","when":%d}`, at, at+60_000, at+61_000)
}

// A success is believed with a message of this run's end only.
func TestSuccessIsThisRunsSuccess(t *testing.T) {
	t.Parallel()
	for name, messages := range map[string]func(p *operationtest.Platform, began string) string{
		"none":                             func(*operationtest.Platform, string) string { return "" },
		"an older run's":                   func(p *operationtest.Platform, _ string) string { return older(p) },
		"an older run's and its own begin": func(p *operationtest.Platform, began string) string { return older(p) + "," + began },
		"its own, without an end":          func(_ *operationtest.Platform, began string) string { return began },
	} {
		t.Run(name, func(t *testing.T) {
			p := operationtest.BuiltIn(t, "healthy")
			watch, began := running(t, p)
			p.ReportsStatus(`{"state":"success","code":3,"messages":[` + messages(p, began) + `]}`)
			snapshot := operationtest.Polled(t, p, watch, 1)
			if snapshot.Ended || snapshot.Doubt != watching.DoubtfulSuccess || snapshot.Meaning != progress.StateRunning || snapshot.Status.State != adminapi.UpgradeInProgress {
				t.Fatalf("%+v", snapshot)
			}
			// An answer that can be believed ends the doubt.
			p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + began + `]}`)
			if snapshot := operationtest.Polled(t, p, watch, 1); snapshot.Doubt != watching.NoDoubt || snapshot.Ended {
				t.Errorf("%+v", snapshot)
			}
			p.ReportsStatus(`{"state":"success","code":3,"messages":[` + began + `,` + p.EndMessage() + `]}`)
			if snapshot := operationtest.Polled(t, p, watch, 1); !snapshot.Ended || snapshot.Meaning != progress.StateSucceeded || snapshot.MessagesMissing {
				t.Errorf("its own end is missed: %+v", snapshot)
			}
		})
	}
}

// An end of a run that was over before anybody saw this one run is not its end, also
// where this one has told nothing yet.
func TestTheEndOfAnOlderRunIsNotThatOfOneWithoutMessages(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + older(p) + `]}`)
	watch := watching.NewWatch(p.Site, nil)
	operationtest.Polled(t, p, watch, 1)
	p.ReportsStatus(`{"state":"success","code":3,"messages":[` + older(p) + `]}`)
	if snapshot := operationtest.Polled(t, p, watch, 1); snapshot.Ended || snapshot.Doubt != watching.DoubtfulSuccess {
		t.Errorf("%+v", snapshot)
	}
}

func TestARunThatIsFirstSeenAtItsEndHasSucceeded(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	messages := p.FirstMessage(-time.Hour) + "," + p.EndMessage()
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + messages + `]}`)
	watch := watching.NewWatch(p.Site, nil)
	operationtest.Polled(t, p, watch, 1)
	p.ReportsStatus(`{"state":"success","code":3,"messages":[` + messages + `]}`)
	if snapshot := operationtest.Polled(t, p, watch, 1); !snapshot.Ended {
		t.Errorf("%+v", snapshot)
	}
}

func TestALogWithoutItsBeginningStillEnds(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	p.ReportsStatus(fmt.Sprintf(`{"state":"in_progress","code":1,"messages":[{"code":2038,"message":"an image","when":%d}]}`, p.Clock.Now().UnixMilli()))
	watch := watching.NewWatch(p.Site, nil)
	operationtest.Polled(t, p, watch, 3)
	p.ReportsStatus(`{"state":"success","code":3,"messages":[` + p.EndMessage() + `]}`)
	if snapshot := operationtest.Polled(t, p, watch, 1); !snapshot.Ended || snapshot.MessagesMissing {
		t.Errorf("%+v", snapshot)
	}
}

// A run of which nobody knows where it leads cannot be decided so.
func TestALastingDoubtOfARunToNoKnownVersionStaysOne(t *testing.T) {
	t.Parallel()
	for _, status := range []string{`{"state":"success","code":3,"messages":[]}`, `{"state":"no_upgrade","code":0,"messages":[]}`} {
		p := operationtest.WithJournal(t, "healthy")
		p.ReportsStatus(fmt.Sprintf(`{"state":"in_progress","code":1,"messages":[{"code":2038,"message":"an image","when":%d}]}`, p.Clock.Now().UnixMilli()))
		watch := watching.NewWatch(p.Site, nil)
		operationtest.Polled(t, p, watch, 3)
		reportsDoubtful(p, status, "11.5.0.6805")
		var snapshot watching.Snapshot
		for since := p.Clock.Now(); !snapshot.Ended && !snapshot.Undecided && p.Clock.Now().Sub(since) < 5*time.Minute; {
			snapshot = operationtest.Polled(t, p, watch, 1)
		}
		if snapshot.Ended || !snapshot.Undecided || snapshot.Meaning == progress.StateSucceeded {
			t.Errorf("after %s it has ended: %v, as %s", status, snapshot.Ended, snapshot.Meaning)
		}
	}
}

// A doubt that lasts a minute of the site's clock is decided by the installed version, if at
// all.
func TestALastingDoubtIsDecidedByTheInstalledVersion(t *testing.T) {
	t.Parallel()
	for _, status := range []string{`{"state":"success","code":3,"messages":[]}`, `{"state":"no_upgrade","code":0,"messages":[]}`} {
		for version, want := range map[string]bool{"11.5.0.6805": true, "11.5.0.6745": false, "": false} {
			t.Run(status+" "+version, func(t *testing.T) {
				p := operationtest.WithJournal(t, "healthy")
				unkept := operationtest.BuiltIn(t, "healthy") // the log alone tells where it leads
				alone, _ := running(t, unkept)
				reportsDoubtful(unkept, status, version)
				for since := unkept.Clock.Now(); unkept.Clock.Now().Sub(since) < 2*time.Minute; {
					if last := operationtest.Polled(t, unkept, alone, 1); last.Ended || last.Undecided {
						if last.Ended != want {
							t.Errorf("without a record: ended %v", last.Ended)
						}
						break
					}
				}
				watch, _ := running(t, p)
				reportsDoubtful(p, status, version)
				var snapshot watching.Snapshot
				since := p.Clock.Now()
				for !snapshot.Ended && !snapshot.Undecided && p.Clock.Now().Sub(since) < 5*time.Minute {
					snapshot = operationtest.Polled(t, p, watch, 1)
				}
				if took := p.Clock.Now().Sub(since); took < time.Minute || took > 2*time.Minute {
					t.Errorf("settled after %v", took)
				}
				switch {
				case want && (!snapshot.Ended || !snapshot.MessagesMissing || snapshot.Meaning != progress.StateSucceeded || snapshot.Status.State != adminapi.UpgradeSuccess ||
					snapshot.Progress.Meaning != progress.StateSucceeded || snapshot.Doubt != watching.NoDoubt || !snapshot.DoubtSince.IsZero()):
					t.Errorf("%+v", snapshot)
				case !want && (snapshot.Ended || !snapshot.Undecided || snapshot.Meaning != progress.StateRunning):
					t.Errorf("%+v", snapshot)
				}
				if unfinished, found, _ := p.Memory.Unfinished(); found == want {
					t.Errorf("kept as %+v", unfinished)
				}
			})
		}
	}
}

// Where the installed version cannot be read for a minute more, nobody knows how the run ended, until it can be.
func TestALastingDoubtIsToldWhereTheInstalledVersionCannotBeRead(t *testing.T) {
	t.Parallel()
	for _, code := range []int{403, 500} {
		p := operationtest.WithJournal(t, "healthy")
		watch, _ := running(t, p)
		reportsDoubtful(p, `{"state":"no_upgrade","code":0,"messages":[]}`, "11.5.0.6805")
		tell, refuses := p.Intercepting(), true
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if refuses && strings.HasSuffix(r.URL.Path, "/currentVersion") {
				_, _ = fmt.Fprintf(w, `{"error":{"code":%d,"message":"not now","details":[]}}`, code)
				return
			}
			tell(w, r, pass)
		})
		var snapshot watching.Snapshot
		since := p.Clock.Now()
		for !snapshot.Undecided && p.Clock.Now().Sub(since) < 5*time.Minute {
			snapshot = operationtest.Polled(t, p, watch, 1)
		}
		if took := p.Clock.Now().Sub(since); snapshot.Ended || took < 2*time.Minute || took > 3*time.Minute {
			t.Errorf("after %d it is undecided for %v, ended %v", code, took, snapshot.Ended)
		}
		refuses = false
		if snapshot = operationtest.Polled(t, p, watch, 1); !snapshot.Ended || snapshot.Undecided || snapshot.Meaning != progress.StateSucceeded {
			t.Errorf("after %d the version decides nothing: %+v", code, snapshot)
		}
	}
}

func TestOneAnswerWithoutAnUpgradeIsDoubted(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	watch, began := running(t, p)
	p.ReportsStatus(`{"state":"no_upgrade","code":0,"messages":[]}`)
	if snapshot := operationtest.Polled(t, p, watch, 1); snapshot.Doubt != watching.DoubtfulAbsence || snapshot.Ended || snapshot.Meaning != progress.StateRunning {
		t.Errorf("%+v", snapshot)
	}
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + began + `]}`)
	if snapshot := operationtest.Polled(t, p, watch, 1); snapshot.Doubt != watching.NoDoubt || !snapshot.DoubtSince.IsZero() {
		t.Errorf("%+v", snapshot)
	}
}

// A refusal of seconds ends no watch, whatever its code.
func TestARefusalThatPassesEndsNoWatch(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 498, 499} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			p := operationtest.BuiltIn(t, "healthy")
			watch, began := running(t, p)
			p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(status) })
			since := p.Clock.Now()
			var waits []time.Duration
			for range 8 {
				snapshot, wait, err := operationtest.Stepped(watch.Next(t.Context()))
				if err != nil || snapshot.Refused == nil || snapshot.Ended || snapshot.Meaning != progress.StateRunning || snapshot.RefusedSince.Before(since) {
					t.Fatalf("%+v, %v", snapshot, err)
				}
				waits = append(waits, wait)
				_ = p.Clock.Sleep(t.Context(), wait)
			}
			if waits[0] > 3*time.Second || waits[7] < 15*time.Second || waits[7] > 36*time.Second {
				t.Errorf("pauses %v do not grow from 2 s to 30 s", waits)
			}
			p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + began + `]}`)
			if snapshot := operationtest.Polled(t, p, watch, 1); snapshot.Refused != nil || snapshot.Meaning != progress.StateRunning {
				t.Errorf("%+v", snapshot)
			}
		})
	}
}

// Some sites say of a token that has ended that its user may not do this: a watch of hours gets another one.
func TestAWatchThatIsForbiddenGetsAnotherToken(t *testing.T) {
	t.Parallel()
	p, renewed := operationtest.BuiltIn(t, "healthy"), 0
	client, err := adminapi.New(adminapi.Config{
		Base: p.Client.Base().String(), Clock: p.Clock, Token: p.Client.Session.Token(),
		Renew: func(context.Context, secrets.Secret) (adminapi.Token, error) {
			renewed++
			return adminapi.Token{Value: "the-next-token"}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	site := p.Site
	site.Client = client
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(0) + `]}`)
	watch := watching.NewWatch(site, nil)
	operationtest.Polled(t, p, watch, 1)
	tell := p.Intercepting()
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.Header.Get("Authorization"), "the-next-token") {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		tell(w, r, pass)
	})
	for _, refused := range []bool{true, false} {
		if snapshot := operationtest.Polled(t, p, watch, 1); refused != (snapshot.Refused != nil) || renewed != 1 {
			t.Errorf("refused: %v, another token was wanted %d times", snapshot.Refused, renewed)
		}
	}
}

// No sign-in and no privilege helps against any other answer.
func TestAnAnswerThatIsNoRefusalIsNotCalledOne(t *testing.T) {
	t.Parallel()
	for _, code := range []int{400, 404} {
		p := operationtest.BuiltIn(t, "healthy")
		watch, _ := running(t, p)
		p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) {
			_, _ = fmt.Fprintf(w, `{"error":{"code":%d,"message":"no upgrades","details":[]}}`, code)
		})
		snapshot, wait, err := operationtest.Stepped(watch.Next(t.Context()))
		if err == nil || snapshot.Refused != nil || snapshot.Ended || snapshot.Meaning != progress.StateRunning || wait < 20*time.Second {
			t.Errorf("%d: %v, refused %v, ended %v, again after %v", code, err, snapshot.Refused, snapshot.Ended, wait)
		}
	}
}

func TestAFirstFetchThatIsRefusedIsAnError(t *testing.T) {
	t.Parallel()
	for status, kind := range map[int]adminapi.Kind{401: adminapi.KindSignIn, 403: adminapi.KindPrivilege, 498: adminapi.KindSignIn, 499: adminapi.KindSignIn} {
		p := operationtest.BuiltIn(t, "healthy")
		p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(status) })
		if _, _, err := operationtest.Stepped(watching.NewWatch(p.Site, nil).Next(t.Context())); !errors.Is(err, kind) {
			t.Errorf("%d: %v", status, err)
		}
	}
}

// A status without a state, or with an unknown code, is neither an end nor a success.
func TestAStatusWithoutAStateEndsNoWatchUnlessItsCodeIsKnown(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status  string // all of it but the messages
		meaning progress.State
		ended   bool
	}{
		{`"code":2`, progress.StateUnknown, false},
		{`"state":"","code":2`, progress.StateUnknown, false},
		{`"state":null,"code":2`, progress.StateUnknown, false},
		{`"state":"success","code":2`, progress.StateUnknown, false},
		{`"state":"in_progress","code":2`, progress.StateUnknown, false},
		{`"code":4`, progress.StateUnknown, false},
		{`"state":"failed","code":2`, progress.StateFailed, true},
		{`"code":3`, progress.StateSucceeded, true},
	} {
		p := operationtest.WithJournal(t, "healthy")
		first := p.FirstMessage(0)
		p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + first + `]}`)
		watch := watching.NewWatch(p.Site, nil)
		before := operationtest.Polled(t, p, watch, 1)
		if !before.Seen || before.Ended {
			t.Fatalf("while it runs: %+v", before)
		}
		p.ReportsStatus(fmt.Sprintf(`{%s,"messages":[%s,%s]}`, c.status, first, p.EndMessage()))
		snapshot := operationtest.Polled(t, p, watch, 1)
		if snapshot.Meaning != c.meaning || snapshot.Ended != c.ended || snapshot.Progress.Meaning != c.meaning {
			t.Errorf("%s: %v, ended %v, progress %+v", c.status, snapshot.Meaning, snapshot.Ended, snapshot.Progress)
		}
		alarm, due := watching.AlarmOf(p.Site, before, snapshot)
		if !due || (alarm.Kind == watching.AlarmUnknown) != (c.meaning == progress.StateUnknown) {
			t.Errorf("%s: alarm %+v, due %v", c.status, alarm, due)
		}
		if c.meaning == progress.StateUnknown && (strings.Contains(alarm.Text, "is ,") || !strings.Contains(alarm.Text, ", code ")) {
			t.Errorf("%s: it does not say what the site tells: %s", c.status, alarm.Text)
		}
		if !c.ended && operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 1).Ended {
			t.Errorf("%s: a watch that is resumed takes it for an end", c.status)
		}
	}
}

func TestNothingRunsWhereTheSiteIsIdleAndNothingWasAccepted(t *testing.T) {
	t.Parallel()
	for state, want := range map[string]bool{
		`{"state":"no_upgrade","messages":[]}`:           true,
		`{"state":"success","code":3,"messages":[]}`:     true,
		`{"state":"failed","code":4,"messages":[]}`:      true,
		`{"state":"in_progress","code":1,"messages":[]}`: false,
		`{"state":"pondering","code":9,"messages":[]}`:   false,
	} {
		p, run := operationtest.Unanswered(t)
		p.ReportsStatus(state)
		step, err := watching.NewWatch(p.Site, nil).Next(t.Context())
		if err != nil || step.Value.NothingRuns != want || step.Done != want || step.Value.Ended {
			t.Errorf("%s: nothing runs %v, done %v, %v", state, step.Value.NothingRuns, step.Done, err)
		}
		if step, err = watching.NewWatch(p.Site, run).Next(t.Context()); err != nil || step.Value.NothingRuns || step.Done {
			t.Errorf("%s: of one that was accepted just now: %+v, %v", state, step, err)
		}
	}
}

func TestAnUpgradeThatWasSeenIsNotNothing(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(0) + `]}`)
	watch := watching.NewWatch(p.Site, nil)
	if r := operationtest.Polled(t, p, watch, 1); r.Meaning != progress.StateRunning {
		t.Fatal(r.Meaning)
	}
	p.ReportsStatus(`{"state":"no_upgrade","messages":[]}`)
	for range 5 {
		if step, err := watch.Next(t.Context()); err != nil || step.Done || step.Value.NothingRuns {
			t.Errorf("%+v, %v", step, err)
		}
	}
}

func TestAnEndThatWasThereAlreadyIsHistory(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "upgraded")
	snapshot, wait, err := operationtest.Stepped(watching.NewWatch(p.Site, nil).Next(t.Context()))
	if err != nil || snapshot.Meaning != progress.StateSucceeded || snapshot.Ended || wait == 0 {
		t.Errorf("snapshot %+v after %v, error %v", snapshot, wait, err)
	}
}

// What nobody saw running was not watched, and is offered to nobody as a watch that was cut off.
func TestAnEndThatWasThereAlreadyHasNoTranscript(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "upgraded")
	snapshot := operationtest.Polled(t, p, watching.NewWatch(p.Site, nil), 3)
	if runs, err := p.Memory.WatchedRuns(); err != nil || len(runs) > 0 || snapshot.Transcript != "" || snapshot.Log.Len() == 0 {
		t.Errorf("%+v, %v, transcript %q", runs, err, snapshot.Transcript)
	}
}

func TestTheEndOfTheUpgradeBeforeIsNotTheEndOfThisOne(t *testing.T) {
	t.Parallel()
	p, run := operationtest.Started(t)
	watch := watching.NewWatch(p.Site, run)
	p.ReportsStatus(`{"state":"success","code":3,"messages":[` + p.FirstMessage(-time.Hour) + `]}`)
	if snapshot, wait, err := operationtest.Stepped(watch.Next(t.Context())); err != nil || snapshot.Ended || snapshot.Seen || wait == 0 {
		t.Errorf("an earlier success is taken for this one: %+v, error %v", snapshot, err)
	}
	p.ReportsStatus(`{"state":"success","code":3,"messages":[` + p.FirstMessage(0) + `,` + p.EndMessage() + `]}`)
	if snapshot, _, err := operationtest.Stepped(watch.Next(t.Context())); err != nil || !snapshot.Ended || snapshot.Meaning != progress.StateSucceeded {
		t.Errorf("its own end is missed: %+v, error %v", snapshot, err)
	}
}

// Of an upgrade that was accepted, and of which the site tells no message, the installed version says whether it is done.
func TestAnAcceptedUpgradeThatNoMessageTellsOfIsDecidedByTheInstalledVersion(t *testing.T) {
	t.Parallel()
	for version, done := range map[string]bool{"11.5.0.6805": true, "11.5.0.6745": false} {
		p, run := operationtest.Started(t)
		reportsDoubtful(p, `{"state":"success","code":3,"messages":[]}`, version)
		watch := watching.NewWatch(p.Site, run)
		var snapshot watching.Snapshot
		for since := p.Clock.Now(); !snapshot.Ended && !snapshot.Undecided && p.Clock.Now().Sub(since) < 5*time.Minute; {
			snapshot = operationtest.Polled(t, p, watch, 1)
		}
		if snapshot.Ended != done || snapshot.Undecided == done {
			t.Errorf("%s is installed: ended %v, undecided %v", version, snapshot.Ended, snapshot.Undecided)
		}
		if done {
			p.WantSettled(t, journal.VerdictSucceeded, "the site runs 11.5.0.6805")
		} else {
			p.WantSettled(t, "", "")
		}
	}
}

// The messages of a run of yesterday are no silence of one that begins now, and has told nothing yet.
func TestARunThatBeginsWhileItIsWatchedHasNotBeenSilentSinceTheOneBefore(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	before := older(p)
	p.ReportsStatus(`{"state":"success","code":3,"messages":[` + before + `]}`)
	watch := watching.NewWatch(p.Site, nil)
	operationtest.Polled(t, p, watch, 1)
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + before + `]}`)
	for minutes, want := range []bool{false, true} {
		snapshot := operationtest.Polled(t, p, watch, 1)
		if _, stalls := snapshot.Stall(); stalls != want || snapshot.Quiet > 2*time.Hour {
			t.Errorf("%d: silent for %v, too long: %v", minutes, snapshot.Quiet, stalls)
		}
		p.Clock.Advance(40 * time.Minute)
	}
}

// Two messages that say the same are two, also where the log is so long that only its end is read.
func TestAWatchCountsAMessageThatIsSaidAgain(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	watch := watching.NewWatch(p.Site, nil)
	again := fmt.Sprintf(`,{"code":2038,"message":"an image","when":%d}`, operationtest.Start.UnixMilli()+2)
	for n := range 4 {
		p.ReportsRun(100<<10, strings.Repeat(again, n))
		if snapshot := operationtest.Polled(t, p, watch, 1); snapshot.Log.Len() != 2+n || n > 0 && len(snapshot.Added) != 1 {
			t.Errorf("%d messages are %d, of which %d are new", 2+n, snapshot.Log.Len(), len(snapshot.Added))
		}
	}
}
