package operation_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/upgrade/progress"
)

// running is a watch that has seen a run which began an hour ago, with its 2010.
func running(t *testing.T, p *platform) (watch *watching.Watch, began string) {
	t.Helper()
	began = p.first(-time.Hour)
	p.reports(`{"state":"in_progress","code":1,"messages":[` + began + `]}`)
	watch = watching.NewWatch(p.Site, nil)
	if snapshot := polled(t, p, watch, 1); !snapshot.Seen || snapshot.Meaning != progress.StateRunning {
		t.Fatalf("%+v", snapshot)
	}
	return watch, began
}

// older are the messages of a run of the day before, with its end.
func (p *platform) older() string {
	at := p.clock.Now().Add(-24 * time.Hour).UnixMilli()
	return fmt.Sprintf(`{"code":2010,"message":"from 11.5.0.6700 to 11.5.0.6745","when":%d},{"code":2011,"message":"done","when":%d},`+
		`{"code":2012,"message":"done","when":%d}`, at, at+60_000, at+61_000)
}

// A success is believed with a message of this run's end only.
func TestSuccessIsThisRunsSuccess(t *testing.T) {
	t.Parallel()
	for name, messages := range map[string]func(p *platform, began string) string{
		"none":                             func(*platform, string) string { return "" },
		"an older run's":                   func(p *platform, _ string) string { return p.older() },
		"an older run's and its own begin": func(p *platform, began string) string { return p.older() + "," + began },
		"its own, without an end":          func(_ *platform, began string) string { return began },
	} {
		t.Run(name, func(t *testing.T) {
			p := builtIn(t, "healthy")
			watch, began := running(t, p)
			p.reports(`{"state":"success","code":3,"messages":[` + messages(p, began) + `]}`)
			snapshot := polled(t, p, watch, 1)
			if snapshot.Ended || snapshot.Doubt != watching.DoubtfulSuccess || snapshot.Meaning != progress.StateRunning || snapshot.Status.State != adminapi.UpgradeInProgress {
				t.Fatalf("%+v", snapshot)
			}
			// An answer that can be believed ends the doubt.
			p.reports(`{"state":"in_progress","code":1,"messages":[` + began + `]}`)
			if snapshot := polled(t, p, watch, 1); snapshot.Doubt != watching.NoDoubt || snapshot.Ended {
				t.Errorf("%+v", snapshot)
			}
			p.reports(`{"state":"success","code":3,"messages":[` + began + `,` + p.end() + `]}`)
			if snapshot := polled(t, p, watch, 1); !snapshot.Ended || snapshot.Meaning != progress.StateSucceeded || snapshot.MessagesMissing {
				t.Errorf("its own end is missed: %+v", snapshot)
			}
		})
	}
}

// An end of a run that was over before anybody saw this one run is not its end, also
// where this one has told nothing yet.
func TestTheEndOfAnOlderRunIsNotThatOfOneWithoutMessages(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	p.reports(`{"state":"in_progress","code":1,"messages":[` + p.older() + `]}`)
	watch := watching.NewWatch(p.Site, nil)
	polled(t, p, watch, 1)
	p.reports(`{"state":"success","code":3,"messages":[` + p.older() + `]}`)
	if snapshot := polled(t, p, watch, 1); snapshot.Ended || snapshot.Doubt != watching.DoubtfulSuccess {
		t.Errorf("%+v", snapshot)
	}
}

func TestARunThatIsFirstSeenAtItsEndHasSucceeded(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	messages := p.first(-time.Hour) + "," + p.end()
	p.reports(`{"state":"in_progress","code":1,"messages":[` + messages + `]}`)
	watch := watching.NewWatch(p.Site, nil)
	polled(t, p, watch, 1)
	p.reports(`{"state":"success","code":3,"messages":[` + messages + `]}`)
	if snapshot := polled(t, p, watch, 1); !snapshot.Ended {
		t.Errorf("%+v", snapshot)
	}
}

func TestALogWithoutItsBeginningStillEnds(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	p.reports(fmt.Sprintf(`{"state":"in_progress","code":1,"messages":[{"code":2038,"message":"an image","when":%d}]}`, p.clock.Now().UnixMilli()))
	watch := watching.NewWatch(p.Site, nil)
	polled(t, p, watch, 3)
	p.reports(`{"state":"success","code":3,"messages":[` + p.end() + `]}`)
	if snapshot := polled(t, p, watch, 1); !snapshot.Ended || snapshot.MessagesMissing {
		t.Errorf("%+v", snapshot)
	}
}

// reportsDoubtful answers so from now on, with that version installed; empty for none.
func (p *platform) reportsDoubtful(status, version string) {
	p.reports(status)
	tell := p.interceptor
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case !strings.HasSuffix(r.URL.Path, "/currentVersion"):
			tell(w, r, pass)
		case version == "":
			_, _ = fmt.Fprint(w, `{"error":{"code":404,"message":"there is none","details":[]}}`)
		default:
			at := strings.LastIndex(version, ".")
			_, _ = fmt.Fprintf(w, `{"id":"pat","version":%q,"build":%q}`, version[:at], version[at+1:])
		}
	})
}

// A doubt that lasts a minute of the site's clock is decided by the installed version, if at
// all.
func TestALastingDoubtIsDecidedByTheInstalledVersion(t *testing.T) {
	t.Parallel()
	for _, status := range []string{`{"state":"success","code":3,"messages":[]}`, `{"state":"no_upgrade","code":0,"messages":[]}`} {
		for version, want := range map[string]bool{"11.5.0.6805": true, "11.5.0.6745": false, "": false} {
			t.Run(status+" "+version, func(t *testing.T) {
				p := remembering(t, builtIn(t, "healthy"), t.TempDir())
				watch, _ := running(t, p)
				p.reportsDoubtful(status, version)
				var snapshot watching.Snapshot
				since := p.clock.Now()
				for !snapshot.Ended && !snapshot.Undecided && p.clock.Now().Sub(since) < 5*time.Minute {
					snapshot = polled(t, p, watch, 1)
				}
				if took := p.clock.Now().Sub(since); took < time.Minute || took > 2*time.Minute {
					t.Errorf("settled after %v", took)
				}
				switch {
				case want && (!snapshot.Ended || !snapshot.MessagesMissing || snapshot.Meaning != progress.StateSucceeded):
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

func TestOneAnswerWithoutAnUpgradeIsDoubted(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	watch, began := running(t, p)
	p.reports(`{"state":"no_upgrade","code":0,"messages":[]}`)
	if snapshot := polled(t, p, watch, 1); snapshot.Doubt != watching.DoubtfulAbsence || snapshot.Ended || snapshot.Meaning != progress.StateRunning {
		t.Errorf("%+v", snapshot)
	}
	p.reports(`{"state":"in_progress","code":1,"messages":[` + began + `]}`)
	if snapshot := polled(t, p, watch, 1); snapshot.Doubt != watching.NoDoubt || !snapshot.DoubtSince.IsZero() {
		t.Errorf("%+v", snapshot)
	}
}

// A refusal of seconds ends no watch, whatever its code.
func TestARefusalThatPassesEndsNoWatch(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 498, 499} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			p := builtIn(t, "healthy")
			watch, began := running(t, p)
			p.intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(status) })
			since := p.clock.Now()
			var waits []time.Duration
			for range 8 {
				snapshot, wait, err := stepped(watch.Next(t.Context()))
				if err != nil || snapshot.Refused == nil || snapshot.Ended || snapshot.Meaning != progress.StateRunning || snapshot.RefusedSince.Before(since) {
					t.Fatalf("%+v, %v", snapshot, err)
				}
				waits = append(waits, wait)
				_ = p.clock.Sleep(t.Context(), wait)
			}
			if waits[0] > 3*time.Second || waits[7] < 15*time.Second || waits[7] > 36*time.Second {
				t.Errorf("pauses %v do not grow from 2 s to 30 s", waits)
			}
			p.reports(`{"state":"in_progress","code":1,"messages":[` + began + `]}`)
			if snapshot := polled(t, p, watch, 1); snapshot.Refused != nil || snapshot.Meaning != progress.StateRunning {
				t.Errorf("%+v", snapshot)
			}
		})
	}
}

func TestAFirstFetchThatIsRefusedIsAnError(t *testing.T) {
	t.Parallel()
	for status, kind := range map[int]adminapi.Kind{401: adminapi.KindSignIn, 403: adminapi.KindPrivilege, 498: adminapi.KindSignIn, 499: adminapi.KindSignIn} {
		p := builtIn(t, "healthy")
		p.intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(status) })
		if _, _, err := stepped(watching.NewWatch(p.Site, nil).Next(t.Context())); !errors.Is(err, kind) {
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
		p := remembering(t, builtIn(t, "healthy"), t.TempDir())
		first := p.first(0)
		p.reports(`{"state":"in_progress","code":1,"messages":[` + first + `]}`)
		watch := watching.NewWatch(p.Site, nil)
		before := polled(t, p, watch, 1)
		if !before.Seen || before.Ended {
			t.Fatalf("while it runs: %+v", before)
		}
		p.reports(fmt.Sprintf(`{%s,"messages":[%s,%s]}`, c.status, first, p.end()))
		snapshot := polled(t, p, watch, 1)
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
		if !c.ended && polled(t, p, watching.NewWatch(p.Site, nil), 1).Ended {
			t.Errorf("%s: a watch that is resumed takes it for an end", c.status)
		}
	}
}
