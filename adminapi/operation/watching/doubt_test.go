package watching_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/upgrade/progress"
)

func TestAShortRefusalDecidesNothing(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 498} {
		p := operationtest.WithJournal(t, "healthy")
		watch, _ := running(t, p)
		reportsDoubtful(p, `{"state":"success","code":3,"messages":[]}`, "11.5.0.6805")
		tell, refused := p.Intercepting(), 0
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if strings.HasSuffix(r.URL.Path, "/currentVersion") && refused < 2 {
				refused++
				w.WriteHeader(status)
				return
			}
			tell(w, r, pass)
		})
		for range 60 {
			snapshot := operationtest.Polled(t, p, watch, 1)
			if snapshot.Undecided {
				t.Errorf("%d: undecided", status)
				break
			}
			if snapshot.Ended {
				break
			}
		}
	}
}

func TestACancelledWatchDecidesNothing(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	watch, _ := running(t, p)
	reportsDoubtful(p, `{"state":"success","code":3,"messages":[]}`, "11.5.0.6805")
	tell := p.Intercepting()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/currentVersion") {
			cancel()
			<-r.Context().Done()
			return
		}
		tell(w, r, pass)
	})
	for range 60 {
		snapshot, wait, err := operationtest.Stepped(watch.Next(ctx))
		if ctx.Err() != nil {
			if snapshot.Undecided {
				t.Errorf("undecided, %v", err)
			}
			return
		}
		_ = p.Clock.Sleep(t.Context(), wait)
	}
}

func TestAnOutageEndsARefusal(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	watch, _ := running(t, p)
	code := func(s int) {
		p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(s) })
	}
	code(401)
	operationtest.Polled(t, p, watch, 1)
	code(503)
	if r := operationtest.Polled(t, p, watch, 25); r.Refused != nil {
		t.Errorf("away, and Refused is %v", r.Refused)
	}
	code(401)
	if r := operationtest.Polled(t, p, watch, 1); p.Clock.Now().Sub(r.RefusedSince) > 2*time.Minute || r.Unreachable != nil {
		t.Errorf("refused since %v, now %v, away %v", r.RefusedSince, p.Clock.Now(), r.Unreachable)
	}
}

func TestADoubtingWatchSlowsDown(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	watch, _ := running(t, p)
	reportsDoubtful(p, `{"state":"success","code":3,"messages":[]}`, "11.5.0.6745")
	var last time.Duration
	for range 60 {
		_, wait, err := operationtest.Stepped(watch.Next(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		last = wait
		_ = p.Clock.Sleep(t.Context(), wait)
	}
	if last < 10*time.Second {
		t.Errorf("quiet for minutes, it still asks every %v", last)
	}
}

// An outage is no time in which an answer was doubted: what comes first behind one has its minute.
func TestADoubtBeginsWithItsFirstAnswer(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	watch, began := running(t, p)
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
	operationtest.Polled(t, p, watch, 1)
	p.Clock.Advance(20 * time.Minute)
	reportsDoubtful(p, `{"state":"no_upgrade","code":0,"messages":[]}`, "11.5.0.6745")
	for since := p.Clock.Now(); p.Clock.Now().Sub(since) < 30*time.Second; {
		if r := operationtest.Polled(t, p, watch, 1); r.Undecided || r.Ended {
			t.Fatalf("after %s: undecided is %t, ended %t", p.Clock.Now().Sub(since), r.Undecided, r.Ended)
		}
	}
	p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + began + `]}`)
	if r := operationtest.Polled(t, p, watch, 1); r.Meaning != progress.StateRunning || r.Doubt != watching.NoDoubt {
		t.Errorf("%s, doubt %v", r.Meaning, r.Doubt)
	}
}

// The clock of this machine may be hours off: a doubt begins and ends by that of the site.
func TestADoubtLastsAsLongByAnyClock(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{-50 * time.Minute, 0, 50 * time.Minute} {
		t.Run(ahead.String(), func(t *testing.T) {
			t.Parallel()
			p := operationtest.WithJournal(t, "healthy")
			p.Ahead.Store(int64(ahead))
			watch, _ := running(t, p)
			reportsDoubtful(p, `{"state":"success","code":3,"messages":[]}`, "11.5.0.6745")
			begins := p.Clock.Now()
			decided := func() time.Duration {
				for {
					r := operationtest.Polled(t, p, watch, 1)
					if after := p.Clock.Now().Sub(begins); r.Undecided || r.Ended || after > 10*time.Minute {
						return after
					}
				}
			}()
			if decided < time.Minute || decided > 3*time.Minute {
				t.Errorf("decided after %s", decided)
			}
		})
	}
}

// reportsDoubtful answers so from now on, with that version installed; empty for none.
func reportsDoubtful(p *operationtest.Platform, status, version string) {
	p.ReportsStatus(status)
	tell := p.Intercepting()
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
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
