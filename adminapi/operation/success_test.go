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

// running is a watch that has seen a run which began an hour ago; what it tells then is
// its 2010.
func running(t *testing.T, p *platform) (watch *operation.UpgradeWatch, began string) {
	t.Helper()
	began = p.first(-time.Hour)
	p.tells(`{"state":"in_progress","code":1,"messages":[` + began + `]}`)
	watch = p.WatchUpgrade(nil)
	if reading := readings(t, p, watch, 1); !reading.Seen || reading.Meaning != progress.StateRunning {
		t.Fatalf("%+v", reading)
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
			p.tells(`{"state":"success","code":3,"messages":[` + messages(p, began) + `]}`)
			reading := readings(t, p, watch, 1)
			if reading.Ended || reading.Doubt != operation.DoubtfulSuccess || reading.Meaning != progress.StateRunning || reading.Status.State != adminapi.UpgradeInProgress {
				t.Fatalf("%+v", reading)
			}
			// A reading that is not odd ends what was odd.
			p.tells(`{"state":"in_progress","code":1,"messages":[` + began + `]}`)
			if reading := readings(t, p, watch, 1); reading.Doubt != operation.NoDoubt || reading.Ended {
				t.Errorf("%+v", reading)
			}
			p.tells(`{"state":"success","code":3,"messages":[` + began + `,` + p.end() + `]}`)
			if reading := readings(t, p, watch, 1); !reading.Ended || reading.Meaning != progress.StateSucceeded || reading.MessagesMissing {
				t.Errorf("its own end is missed: %+v", reading)
			}
		})
	}
}

// An end of a run that was over before anybody saw this one run is not its end, also
// where this one has told nothing yet.
func TestTheEndOfAnOlderRunIsNotThatOfOneWithoutMessages(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	p.tells(`{"state":"in_progress","code":1,"messages":[` + p.older() + `]}`)
	watch := p.WatchUpgrade(nil)
	readings(t, p, watch, 1)
	p.tells(`{"state":"success","code":3,"messages":[` + p.older() + `]}`)
	if reading := readings(t, p, watch, 1); reading.Ended || reading.Doubt != operation.DoubtfulSuccess {
		t.Errorf("%+v", reading)
	}
}

func TestARunThatIsMetAtItsVeryEndHasSucceeded(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	messages := p.first(-time.Hour) + "," + p.end()
	p.tells(`{"state":"in_progress","code":1,"messages":[` + messages + `]}`)
	watch := p.WatchUpgrade(nil)
	readings(t, p, watch, 1)
	p.tells(`{"state":"success","code":3,"messages":[` + messages + `]}`)
	if reading := readings(t, p, watch, 1); !reading.Ended {
		t.Errorf("%+v", reading)
	}
}

func TestALogWithoutItsBeginStillTellsTheEnd(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	p.tells(fmt.Sprintf(`{"state":"in_progress","code":1,"messages":[{"code":2038,"message":"an image","when":%d}]}`, p.clock.Now().UnixMilli()))
	watch := p.WatchUpgrade(nil)
	readings(t, p, watch, 3)
	p.tells(`{"state":"success","code":3,"messages":[` + p.end() + `]}`)
	if reading := readings(t, p, watch, 1); !reading.Ended || reading.MessagesMissing {
		t.Errorf("%+v", reading)
	}
}

// tellsOdd answers so from now on, with that version installed; empty for none.
func (p *platform) tellsOdd(status, version string) {
	p.tells(status)
	tell := p.spoil
	p.spoilWith(func(w http.ResponseWriter, r *http.Request, pass func()) {
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

// What is odd for a minute of the site's clock is settled by the installed version, or
// nobody knows.
func TestWhatStaysOddIsSettledByTheInstalledVersion(t *testing.T) {
	t.Parallel()
	for _, status := range []string{`{"state":"success","code":3,"messages":[]}`, `{"state":"no_upgrade","code":0,"messages":[]}`} {
		for version, want := range map[string]bool{"11.5.0.6805": true, "11.5.0.6745": false, "": false} {
			t.Run(status+" "+version, func(t *testing.T) {
				p := remembering(t, builtIn(t, "healthy"), t.TempDir())
				watch, _ := running(t, p)
				p.tellsOdd(status, version)
				var reading operation.UpgradeSnapshot
				since := p.clock.Now()
				for !reading.Ended && !reading.Undecided && p.clock.Now().Sub(since) < 5*time.Minute {
					reading = readings(t, p, watch, 1)
				}
				if took := p.clock.Now().Sub(since); took < time.Minute || took > 2*time.Minute {
					t.Errorf("settled after %v", took)
				}
				switch {
				case want && (!reading.Ended || !reading.MessagesMissing || reading.Meaning != progress.StateSucceeded):
					t.Errorf("%+v", reading)
				case !want && (reading.Ended || !reading.Undecided || reading.Meaning != progress.StateRunning):
					t.Errorf("%+v", reading)
				}
				if unfinished, found, _ := p.Unfinished(); found == want {
					t.Errorf("kept as %+v", unfinished)
				}
			})
		}
	}
}

func TestOneReadingWithoutAnUpgradeIsWeather(t *testing.T) {
	t.Parallel()
	p := builtIn(t, "healthy")
	watch, began := running(t, p)
	p.tells(`{"state":"no_upgrade","code":0,"messages":[]}`)
	if reading := readings(t, p, watch, 1); reading.Doubt != operation.DoubtfulAbsence || reading.Ended || reading.Meaning != progress.StateRunning {
		t.Errorf("%+v", reading)
	}
	p.tells(`{"state":"in_progress","code":1,"messages":[` + began + `]}`)
	if reading := readings(t, p, watch, 1); reading.Doubt != operation.NoDoubt || !reading.DoubtSince.IsZero() {
		t.Errorf("%+v", reading)
	}
}

// A refusal of seconds ends no watch, whatever its code.
func TestARefusalThatPassesEndsNoWatch(t *testing.T) {
	t.Parallel()
	for _, status := range []int{401, 403, 498, 499} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			p := builtIn(t, "healthy")
			watch, began := running(t, p)
			p.spoilWith(func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(status) })
			since := p.clock.Now()
			var waits []time.Duration
			for range 8 {
				reading, wait, err := stepped(watch.Next(t.Context()))
				if err != nil || reading.Refused == nil || reading.Ended || reading.Meaning != progress.StateRunning || reading.RefusedSince.Before(since) {
					t.Fatalf("%+v, %v", reading, err)
				}
				waits = append(waits, wait)
				_ = p.clock.Sleep(t.Context(), wait)
			}
			if waits[0] > 3*time.Second || waits[7] < 15*time.Second || waits[7] > 36*time.Second {
				t.Errorf("pauses %v do not grow from 2 s to 30 s", waits)
			}
			p.tells(`{"state":"in_progress","code":1,"messages":[` + began + `]}`)
			if reading := readings(t, p, watch, 1); reading.Refused != nil || reading.Meaning != progress.StateRunning {
				t.Errorf("%+v", reading)
			}
		})
	}
}

func TestAFirstReadingThatIsRefusedIsToldAtOnce(t *testing.T) {
	t.Parallel()
	for status, kind := range map[int]adminapi.Kind{401: adminapi.KindSignIn, 403: adminapi.KindPrivilege, 498: adminapi.KindSignIn, 499: adminapi.KindSignIn} {
		p := builtIn(t, "healthy")
		p.spoilWith(func(w http.ResponseWriter, _ *http.Request, _ func()) { w.WriteHeader(status) })
		if _, _, err := stepped(p.WatchUpgrade(nil).Next(t.Context())); !errors.Is(err, kind) {
			t.Errorf("%d: %v", status, err)
		}
	}
}
