package fleet_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/fleet"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
)

// siteOf is a watch of a platform.
func siteOf(t *testing.T, p *operationtest.Platform, change func(*fleet.Entry)) *fleet.Watch {
	t.Helper()
	e := fleet.Entry{MaxAge: week, Open: func(context.Context) (fleet.Connection, error) {
		return fleet.Connection{Site: p.Site, Kept: true}, nil
	}}
	if change != nil {
		change(&e)
	}
	w := fleet.New(p.Clock).Watch(e)
	t.Cleanup(w.Close)
	return w
}

// A list of reports need not be in order.
func TestTheNewestReportIsTheOneThatBeganLast(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/reports/query") {
			pass()
			return
		}
		_, _ = fmt.Fprint(w, `{"total":3,"start":1,"nextStart":-1,"runs":[`+
			`{"id":"monday","result":"passed","state":"completed","startTime":1795039200000,"endTime":1795039300000},`+
			`{"id":"wednesday","name":"nightly\u001b[2J","result":"failed","state":"completed","startTime":1795212000000,"endTime":1795212100000},`+
			`{"id":"tuesday","result":"passed","state":"completed","startTime":1795125600000,"endTime":1795125700000}]}`)
	})
	if row := next(t, siteOf(t, p, nil)).Value; row.Health == nil || row.Health.ID != "wednesday" || row.Health.Name != "nightly" || row.State() != fleet.Unhealthy {
		t.Errorf("%s: the newest report is %+v", row.State(), row.Health)
	}
}

// A long log is read on from where it was, also where the upgrade of the site was not one to follow before.
func TestWhatAnUpgradeTellsLaterIsReadOn(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	w := siteOf(t, p, nil)
	began := operationtest.Start.UnixMilli()
	long := fmt.Sprintf(`{"code":2010,"message":"from 11.5.0.6745 to 11.5.0.6805","when":%d},{"code":2038,"message":"%s","when":%d}`,
		began, strings.Repeat("It goes on. ", 10_000), began+1)
	for i, step := range []struct{ state, more string }{
		{`"state":"success","code":3`, ""},
		{`"state":"in_progress","code":1`, fmt.Sprintf(`,{"code":2038,"message":"one","when":%d}`, began+60_000)},
		{`"state":"in_progress","code":1`, fmt.Sprintf(`,{"code":2038,"message":"one","when":%d},{"code":2038,"message":"two","when":%d}`, began+60_000, began+120_000)},
		{`"state":"in_progress","code":1`, fmt.Sprintf(`,{"code":2038,"message":"one","when":%d},{"code":2038,"message":"two","when":%d}`, began+60_000, began+120_000)},
	} {
		p.ReportsStatus(`{"messages":[` + long + step.more + `],` + step.state + `}`)
		u := next(t, w).Value.Upgrade
		want := adminapi.Millis(began + []int64{0, 60_000, 120_000, 120_000}[i])
		switch {
		case i == 0 && u != nil:
			t.Errorf("of an upgrade that was done: %+v", u)
		case i > 0 && (u == nil || u.Last != want || u.Began != adminapi.Millis(began) || u.From != "11.5.0.6745" || u.To != "11.5.0.6805"):
			t.Errorf("read %d: %+v, want its last message at %d", i+1, u, want)
		}
		p.Clock.Advance(time.Minute)
	}
}

func TestASiteThatCannotBeConnectedToIsTriedAgain(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	tried := 0
	w := siteOf(t, p, func(e *fleet.Entry) {
		open := e.Open
		e.Open = func(ctx context.Context) (fleet.Connection, error) {
			if tried++; tried <= 2 {
				return fleet.Connection{}, errors.New("ca.pem: no such file")
			}
			return open(ctx)
		}
	})
	w.Close() // before it was opened
	for i, wait := range []time.Duration{fleet.Pause, 2 * fleet.Pause, fleet.Pause, fleet.Pause, 2 * fleet.Pause} {
		if i == 3 {
			p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
		}
		step := next(t, w)
		row := step.Value
		if fails := i != 2; step.Wait != wait || fails != (row.State() == fleet.Unreachable) || (i < 2) != (row.Fact(p.Clock.Now()) == "ca.pem: no such file") {
			t.Errorf("read %d: %s, %q, waits for %s", i+1, row.State(), row.Fact(p.Clock.Now()), step.Wait)
		}
	}
	if tried != 3 {
		t.Errorf("it was connected to %d times, which may ask a keyring each time", tried-2)
	}
}

// Who looks away in the middle of a read has not seen the site fail.
func TestAReadThatIsCancelledTellsNothingOfTheSite(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	w := siteOf(t, p, nil)
	before := next(t, w).Value
	ctx, cancel := context.WithCancel(t.Context())
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) {
		cancel()
		operationtest.HangUp(w)
	})
	step, err := w.Next(ctx)
	if !errors.Is(err, context.Canceled) || step.Value.State() != before.State() || step.Value.Version != before.Version || step.Value.Err != nil || step.Unreachable != nil {
		t.Errorf("%+v, %v", step, err)
	}
}

func TestASlowSiteIsAskedHalfAsOftenAndHasTwiceTheTime(t *testing.T) {
	t.Parallel()
	var given [2]time.Duration
	for i, slow := range []bool{false, true} {
		p := operationtest.BuiltIn(t, "healthy")
		w := siteOf(t, p, func(e *fleet.Entry) {
			open := e.Open
			e.Slow, e.Open = slow, func(ctx context.Context) (fleet.Connection, error) {
				until, _ := ctx.Deadline()
				given[i] = time.Until(until).Round(time.Second)
				return open(ctx)
			}
		})
		if step := next(t, w); step.Wait != fleet.Pause*time.Duration(i+1) {
			t.Errorf("slow %v: it waits for %s", slow, step.Wait)
		}
		p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
		if step := next(t, w); step.Wait != fleet.Pause*time.Duration(i+1) || step.Value.State() != fleet.Unreachable {
			t.Errorf("slow %v and unreachable: it waits for %s", slow, step.Wait)
		}
	}
	if given[1] != 2*given[0] {
		t.Errorf("a read may take %s, and of a slow site %s", given[0], given[1])
	}
}

// How long a site is unreachable is said of the reason that is told.
func TestAnotherReasonIsToldWithItsOwnTime(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	w := siteOf(t, p, nil)
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
	next(t, w)
	p.Clock.Advance(5 * time.Minute)
	if row := next(t, w).Value; row.Fact(p.Clock.Now()) != "no answer for 5 min" {
		t.Errorf("%q", row.Fact(p.Clock.Now()))
	}
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = fmt.Fprint(w, "<html>Maintenance</html>")
	})
	p.Clock.Advance(time.Minute)
	next(t, w)
	p.Clock.Advance(2 * time.Minute)
	if row := next(t, w).Value; row.Fact(p.Clock.Now()) != "answers with a web page for 2 min" {
		t.Errorf("%q", row.Fact(p.Clock.Now()))
	}
}

// unsigned is a connection to a platform without a token.
func unsigned(t *testing.T, p *operationtest.Platform) fleet.Connection {
	t.Helper()
	client, err := adminapi.New(adminapi.Config{Base: p.Client.Base().String(), Clock: p.Clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(client.CloseIdleConnections)
	return fleet.Connection{Site: operation.Site{Client: client, Clock: p.Clock}}
}

// A root that anybody may read says nothing of who is signed in.
func TestASiteThatShowsItsRootToAnybodyIsNotTakenForSignedIn(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/admin") {
			pass()
			return
		}
		_, _ = fmt.Fprint(w, `{"fullVersion":"11.5.0.6745","currentVersion":"11.5"}`)
	})
	none := unsigned(t, p)
	w := siteOf(t, p, func(e *fleet.Entry) {
		e.Open = func(context.Context) (fleet.Connection, error) { return none, nil }
	})
	for _, wait := range []time.Duration{fleet.Pause, 2 * fleet.Pause, 4 * fleet.Pause} { // only the user can change it
		step := next(t, w)
		if row := step.Value; row.State() != fleet.NeedsSignIn || row.SignIn != fleet.SignInNotKept || row.Version != "11.5.0.6745" || step.Wait != wait {
			t.Errorf("%s, sign-in %s, waits for %s", row.State(), row.SignIn, step.Wait)
		}
	}
	answers := p.Intercepting()
	p.Intercept(nil)
	if row := next(t, w).Value; row.SignIn != fleet.SignInNotKept || row.Fact(p.Clock.Now()) != "no sign-in is kept" {
		t.Errorf("refused: sign-in %s, %q", row.SignIn, row.Fact(p.Clock.Now()))
	}
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
	if row := next(t, w).Value; row.Err == nil || row.JSON(p.Clock.Now()).ReadOnly != nil {
		t.Errorf("away, its mode was never read and is told: %v", row.Err)
	}
	p.Intercept(answers)
	for _, shown := range []bool{true, false} { // a site that shows it to nobody else is asked again
		if !shown {
			p.Intercept(nil)
		}
		kept, asked := unsigned(t, p), 0
		kept.Kept, kept.SignIn = true, func(ctx context.Context) error {
			asked++
			_, err := kept.Site.Client.Session.SignIn(ctx, p.User.Username, secrets.Secret(p.User.Password), time.Hour)
			return err
		}
		w = siteOf(t, p, func(e *fleet.Entry) {
			e.Open = func(context.Context) (fleet.Connection, error) { return kept, nil }
		})
		for range 2 {
			if row := next(t, w).Value; row.State() != fleet.Healthy || row.SignIn != fleet.SignedIn || row.Version == "" || asked != 1 {
				t.Errorf("with a token that is kept: %s, %q, version %q, asked for it %d times", row.State(), row.Fact(p.Clock.Now()), row.Version, asked)
			}
		}
	}
}

// A report of the fleet is fetched with the token of its site, which is asked for once that answers.
func TestTheNewestReportOfASiteIsReadWithItsOwnToken(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	asked, locked := 0, errors.New("the keyring is locked")
	newest := func(refuses error) (*adminapi.Report, error) {
		conn := unsigned(t, p)
		conn.SignIn = func(ctx context.Context) error {
			asked++
			if refuses != nil {
				return refuses
			}
			_, err := conn.Site.Client.Session.SignIn(ctx, p.User.Username, secrets.Secret(p.User.Password), time.Hour)
			return err
		}
		return fleet.Entry{Open: func(context.Context) (fleet.Connection, error) { return conn, nil }}.NewestReport(t.Context())
	}
	if report, err := newest(nil); err != nil || report == nil || report.ID == "" || asked != 1 {
		t.Errorf("%+v, %v, the token was asked for %d times", report, err, asked)
	}
	if report, err := newest(locked); !errors.Is(err, locked) || report != nil {
		t.Errorf("without a token: %+v, %v", report, err)
	}
	none, signedIn := unsigned(t, p), fleet.Connection{Site: p.Site, SignIn: func(context.Context) error { return locked }}
	if _, err := (fleet.Entry{Open: func(context.Context) (fleet.Connection, error) { return none, nil }}).NewestReport(t.Context()); !errors.Is(err, adminapi.KindSignIn) {
		t.Errorf("where only the user can sign in: %v", err)
	}
	if report, err := (fleet.Entry{Open: func(context.Context) (fleet.Connection, error) { return signedIn, nil }}).NewestReport(t.Context()); err != nil || report == nil {
		t.Errorf("where a token is there: %+v, %v", report, err)
	}
	p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
	if _, err := newest(nil); !errors.Is(err, adminapi.KindUnreachable) || asked != 2 {
		t.Errorf("of a site that does not answer: %v, the token was asked for %d times", err, asked)
	}
	_, err := fleet.Entry{Open: func(context.Context) (fleet.Connection, error) { return fleet.Connection{}, locked }}.NewestReport(t.Context())
	if _, is := errors.AsType[*fleet.OpenError](err); !is {
		t.Errorf("of a site that cannot be connected to: %v", err)
	}
}

// What a part of a site tells is kept while that may not be read, and nothing is taken for well then.
func TestAPartThatMayNotBeReadHidesNothing(t *testing.T) {
	t.Parallel()
	const missing = `{"error":{"code":404,"message":"Resource not found.","details":[]}}`
	const refused, broken, invalid = `{"error":{"code":403,"message":"not allowed"}}`, `{"error":{"code":500,"message":"no"}}`, `{"error":{"code":498,"message":"Invalid token."}}`
	for name, c := range map[string]struct {
		scenario, end, says string
		state               fleet.State
		fact                string
	}{
		"the mode":                  {"healthy", "/mode", refused, fleet.Unchecked, "not all of it may be read"},
		"the mode, once read-only":  {"readonly", "/mode", refused, fleet.ReadOnly, "not all of it may be read"},
		"the upgrade":               {"healthy", "/system/upgrades", refused, fleet.Unchecked, "not all of it may be read"},
		"the upgrade, while it ran": {"elses-upgrade", "/system/upgrades", refused, fleet.Upgrading, ", not all of it may be read"},
		"the mode is not found":     {"healthy", "/mode", missing, fleet.Unchecked, "not all of it may be read"},
		"no upgrade is found":       {"healthy", "/system/upgrades", missing, fleet.Unchecked, "not all of it may be read"},
		"no reports are found":      {"healthy", "/reports/query", missing, fleet.Unchecked, "its reports cannot be read"},
		"the reports":               {"healthy", "/reports/query", refused, fleet.Unchecked, "its reports cannot be read"},
		"the reports, meanwhile":    {"elses-upgrade", "/reports/query", refused, fleet.Upgrading, "deployments ("},
		"an error of the mode":      {"healthy", "/mode", broken, fleet.Unreachable, "answers with errors"},
		"an error of the upgrade":   {"healthy", "/system/upgrades", broken, fleet.Unreachable, "answers with errors"},
		"an error of the reports":   {"healthy", "/reports/query", broken, fleet.Unreachable, "answers with errors"},
		"a token that is refused":   {"healthy", "/mode", invalid, fleet.NeedsSignIn, "the token is refused"},
		"all of it":                 {"healthy", "", invalid, fleet.NeedsSignIn, "the token is refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := operationtest.BuiltIn(t, c.scenario)
			w := siteOf(t, p, nil)
			before := next(t, w).Value
			p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
				if !strings.HasSuffix(r.URL.Path, c.end) {
					pass()
					return
				}
				_, _ = fmt.Fprint(w, c.says)
			})
			row := next(t, w).Value
			if row.State() != c.state || !strings.Contains(row.Fact(p.Clock.Now()), c.fact) || before.SignIn != fleet.SignedIn {
				t.Errorf("%s, %q; it was %s, %q", row.State(), row.Fact(p.Clock.Now()), before.State(), before.Fact(p.Clock.Now()))
			}
			if c.end == "/mode" && row.ModeKnown() || !before.ModeKnown() {
				t.Errorf("the mode is known: %v, and before %v", row.ModeKnown(), before.ModeKnown())
			}
			now := p.Clock.Now()
			if unread := c.end == "/mode" && row.Err == nil; unread != (row.JSON(now).ReadOnly == nil) || before.JSON(now).ReadOnly == nil {
				t.Errorf("as JSON the mode is %v, and before %v", row.JSON(now).ReadOnly, before.JSON(now).ReadOnly)
			}
			if row.State() == fleet.Upgrading && (before.Health == nil || row.Health == nil || *row.Health != *before.Health) {
				t.Errorf("the newest report is %+v, it was %+v", row.Health, before.Health)
			}
			p.Intercept(nil)
			if row = next(t, w).Value; row.State() != before.State() || row.Fact(now) != before.Fact(now) || !row.ModeKnown() {
				t.Errorf("once it may be read again: %s, %q, the mode is known: %v", row.State(), row.Fact(now), row.ModeKnown())
			}
		})
	}
}

// Whatever a list changes of its first report, or of how many there are, the newest one is looked for again.
func TestANewerReportIsFoundByAnyChangeOfTheList(t *testing.T) {
	t.Parallel()
	const first, second = `{"id":"a","result":"passed","state":"completed","startTime":1795125600000,"endTime":1795125700000}`, `,{"id":"b","result":"failed","state":"completed","startTime":1795212000000,"endTime":1795212100000}`
	for name, changed := range map[string][2]string{
		"its id":     {`"id":"a"`, `"id":"c"`},
		"its end":    {"1795125700000", "1795125700001"},
		"its result": {`"result":"passed"`, `"result":"warning"`},
		"its state":  {`"state":"completed"`, `"state":"in_progress"`},
		"one more":   {},
		"one more, in an upgrade that hides the whole list once": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := operationtest.BuiltIn(t, "healthy")
			var total, runs, all atomic.Value
			var upgrades, hides atomic.Bool
			answer := func(n int, shown, whole string) { total.Store(n); runs.Store(shown); all.Store(whole) }
			answer(2, first, first)
			p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
				switch list := strings.HasSuffix(r.URL.Path, "/reports/query"); {
				case strings.HasSuffix(r.URL.Path, "/system/upgrades") && upgrades.Load():
					_, _ = io.WriteString(w, `{"status":{"state":"in_progress","code":1,"messages":[]}}`)
				case !list:
					pass()
				case r.FormValue("num") == "1":
					_, _ = fmt.Fprintf(w, `{"total":%d,"start":1,"nextStart":2,"runs":[%s]}`, total.Load(), runs.Load())
				case hides.Load():
					_, _ = io.WriteString(w, `{"error":{"code":403,"message":"You do not have permissions.","details":[]}}`)
				default:
					_, _ = fmt.Fprintf(w, `{"total":%d,"start":1,"nextStart":-1,"runs":[%s]}`, total.Load(), all.Load())
				}
			})
			w := siteOf(t, p, nil)
			if row := next(t, w).Value; row.Health == nil || row.Health.ID != "a" {
				t.Fatalf("%+v, %v", row.Health, row.Err)
			}
			now, n := strings.Replace(first, changed[0], changed[1], 1), 2
			if changed[0] == "" {
				now, n = first, 3
			}
			answer(n, now, now+second)
			if strings.Contains(name, "upgrade") {
				upgrades.Store(true)
				hides.Store(true)
				if row := next(t, w).Value; row.Health == nil || row.Health.ID != "a" {
					t.Fatalf("while the list is hidden: %+v, %v", row.Health, row.HealthErr)
				}
				hides.Store(false)
				if row := next(t, w).Value; row.Health == nil || row.Health.ID != "b" {
					t.Errorf("the newest report is %+v", row.Health)
				}
				return
			}
			if row := next(t, w).Value; row.Health == nil || row.Health.ID != "b" || row.State() != fleet.Unhealthy {
				t.Errorf("%s: the newest report is %+v", row.State(), row.Health)
			}
		})
	}
}

// A site whose connection breaks in the middle of a read has no upgrade of an unknown state.
func TestALogThatCannotBeReadFromItsBeginningIsNoUpgrade(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	w := siteOf(t, p, nil)
	began := operationtest.Start.UnixMilli()
	log := fmt.Sprintf(`{"code":2010,"message":"from 11.5.0.6745 to 11.5.0.6805","when":%d},{"code":2038,"message":"%s","when":%d}`, began, strings.Repeat("It goes on. ", 10_000), began+1)
	p.ReportsStatus(`{"messages":[` + log + `],"state":"success","code":3}`)
	next(t, w)
	p.ReportsStatus(fmt.Sprintf(`{"messages":[%s,{"code":2038,"message":"one","when":%d}],"state":"in_progress","code":1}`, log, began+60_000))
	var asked atomic.Int32
	tell := p.Intercepting()
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/system/upgrades") {
			if asked.Add(1) > 1 {
				operationtest.HangUp(w)
				return
			}
		}
		tell(w, r, pass)
	})
	if row := next(t, w).Value; row.State() != fleet.Unreachable || row.Upgrade != nil || asked.Load() < 2 {
		t.Errorf("%s, %+v, asked %d times", row.State(), row.Upgrade, asked.Load())
	}
	p.Intercept(tell)
	if row := next(t, w).Value; row.State() != fleet.Upgrading || row.Upgrade.To != "11.5.0.6805" {
		t.Errorf("%s, %+v", row.State(), row.Upgrade)
	}
}

// Many sites are watched for hours: between two reads of one, no connection to it is left open.
func TestBetweenTwoReadsNoConnectionIsOpen(t *testing.T) {
	t.Parallel()
	server, err := simulator.New(simulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	const most = 64
	opened, closed := make(chan struct{}, most), make(chan struct{}, most)
	site := httptest.NewUnstartedServer(server)
	site.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		switch state {
		case http.StateNew:
			opened <- struct{}{}
		case http.StateClosed:
			closed <- struct{}{}
		}
	}
	site.Start()
	t.Cleanup(site.Close)
	client, err := adminapi.New(adminapi.Config{Base: site.URL + "/geodeck/admin"})
	if err != nil {
		t.Fatal(err)
	}
	w := fleet.New(adminapi.SystemClock{}).Watch(fleet.Entry{Open: func(context.Context) (fleet.Connection, error) {
		return fleet.Connection{Site: operation.Site{Client: client, Clock: adminapi.SystemClock{}}}, nil
	}})
	next(t, w)
	for range len(opened) {
		select {
		case <-closed:
		case <-time.After(10 * time.Second):
			t.Fatal("a connection is left open")
		}
	}
}

// While a check runs its report is the first of the list, which comes in pages.
func TestTheNewestReportIsFoundBehindTheFirstPage(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/reports/query") {
			pass()
			return
		}
		runs, following := `{"id":"now","state":"in_progress","startTime":1795212000000}`, 2
		if r.FormValue("num") != "1" {
			runs, following = runs+`,{"id":"before","result":"failed","state":"completed","startTime":1795125600000,"endTime":1795125700000}`, -1
		}
		_, _ = fmt.Fprintf(w, `{"total":2,"start":1,"nextStart":%d,"runs":[%s]}`, following, runs)
	})
	w := siteOf(t, p, nil)
	if row := next(t, w).Value; row.Health == nil || row.Health.ID != "before" || row.State() != fleet.Unhealthy {
		t.Errorf("%s: the newest report is %+v, %v, %v", row.State(), row.Health, row.HealthErr, row.Err)
	}
}
