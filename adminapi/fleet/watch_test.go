package fleet_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"geodeck/adminapi"
	"geodeck/adminapi/fleet"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// watch returns the watch of a built-in scenario, and its clock.
// week is longer than the reports of a simulated site are apart.
const week = 7 * 24 * time.Hour

func watch(t *testing.T, scenario string) (*fleet.Watch, *simtest.ManualClock) {
	t.Helper()
	signedIn, clock := simtest.SignIn(t, scenario, simulator.Administrator)
	client, err := adminapi.New(adminapi.Config{Base: signedIn.Base().String(), Token: signedIn.Session.Token(), Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	w := fleet.New(clock).Watch(fleet.Entry{Name: scenario, MaxAge: week, Open: func(context.Context) (fleet.Connection, error) {
		return fleet.Connection{Site: operation.Site{Client: client, Clock: clock}, Kept: true}, nil
	}})
	t.Cleanup(w.Close)
	return w, clock
}

func next(t *testing.T, w *fleet.Watch) polling.Step[fleet.Row] {
	t.Helper()
	step, err := w.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return step
}

func TestARowTellsHowASiteIs(t *testing.T) {
	t.Parallel()
	for scenario, want := range map[string]struct {
		state fleet.State
		fact  string
	}{
		"healthy":             {fleet.Healthy, "report passed"},
		"readonly":            {fleet.ReadOnly, "accepts no changes"},
		"old":                 {fleet.Unchecked, "health checks need 11.2"},
		"elses-upgrade":       {fleet.Upgrading, "deployments ("},
		"running-patch-fails": {fleet.Upgrading, "Diagnostics, to 11.5.0.6805"},
	} {
		t.Run(scenario, func(t *testing.T) {
			t.Parallel()
			w, clock := watch(t, scenario)
			row := next(t, w).Value
			if row.State() != want.state || !strings.Contains(row.Fact(clock.Now()), want.fact) {
				t.Errorf("%s, %q; want %s, %q (error %v)", row.State(), row.Fact(clock.Now()), want.state, want.fact, row.Err)
			}
			if row.Version == "" || row.SignIn != fleet.SignedIn || row.Updated.IsZero() {
				t.Errorf("version %q, sign-in %s, read at %s", row.Version, row.SignIn, row.Updated)
			}
		})
	}
}

func TestAnUpgradeIsFollowedFromRowToRow(t *testing.T) {
	t.Parallel()
	w, clock := watch(t, "elses-upgrade")
	before := next(t, w).Value
	clock.Advance(3 * time.Minute)
	step := next(t, w)
	after := step.Value
	if before.Upgrade == nil || after.Upgrade == nil || after.Upgrade.Done <= before.Upgrade.Done || step.Wait != fleet.Pause {
		t.Fatalf("%+v, then %+v after which it waits for %s", before.Upgrade, after.Upgrade, step.Wait)
	}
	if percent, known := after.Upgrade.Percent(); !known || percent <= 0 || percent > 100 {
		t.Errorf("percent %d, %v", percent, known)
	}
	clock.Advance(4 * time.Hour)
	if ended := next(t, w).Value; ended.Upgrade != nil || ended.Version == before.Version {
		t.Errorf("after its end: %+v at %s", ended.Upgrade, ended.Version)
	}
}

// A site may list a report while its check runs: it is read again once it has ended.
func TestACheckThatEndsMeanwhileIsTheNewestReport(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	var nightly atomic.Value
	nightly.Store(`{"id":"nightly","state":"in_progress","startTime":1795212000000}`)
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/reports/query") {
			pass()
			return
		}
		_, _ = fmt.Fprintf(w, `{"total":2,"start":1,"nextStart":-1,"runs":[%s,`+
			`{"id":"before","result":"passed","state":"completed","startTime":1795125600000,"endTime":1795125700000}]}`, nightly.Load())
	})
	w := fleet.New(p.Clock).Watch(fleet.Entry{Open: func(context.Context) (fleet.Connection, error) {
		return fleet.Connection{Site: p.Site, Kept: true}, nil
	}})
	t.Cleanup(w.Close)
	if during := next(t, w).Value.Health; during == nil || during.ID != "before" {
		t.Fatalf("while a check runs the newest report is %+v", during)
	}
	nightly.Store(`{"id":"nightly","result":"failed","state":"completed","startTime":1795212000000,"endTime":1795212100000}`)
	if after := next(t, w).Value.Health; after.ID != "nightly" {
		t.Errorf("once it has ended the newest report is %+v", after)
	}
}

func TestAFailedAndASilentUpgradeAreTheWorst(t *testing.T) {
	t.Parallel()
	w, clock := watch(t, "running-patch-fails")
	next(t, w)
	clock.Advance(time.Hour)
	// A patch that was undone has upgraded nothing.
	if row := next(t, w).Value; row.State() != fleet.UpgradeFailed || !strings.HasPrefix(row.Fact(clock.Now()), "failed in Components, ") || strings.Contains(row.Fact(clock.Now()), "deployments") {
		t.Errorf("%s: %s", row.State(), row.Fact(clock.Now()))
	}
	w, clock = watch(t, "upgrade-stalls")
	seen := false
	for range 30 {
		clock.Advance(5 * time.Minute)
		seen = seen || next(t, w).Value.State() == fleet.UpgradeStalled
	}
	if !seen {
		t.Error("45 minutes of silence were no stall")
	}
}

// A machine whose clock is hours fast or slow takes no running upgrade for one that is silent.
func TestTheSilenceOfAnUpgradeIsByTheClockOfItsSite(t *testing.T) {
	t.Parallel()
	for _, ahead := range []time.Duration{-3 * time.Hour, 3 * time.Hour} {
		p := operationtest.BuiltIn(t, "healthy")
		p.Ahead.Store(int64(ahead))
		p.ReportsStatus(`{"state":"in_progress","code":1,"messages":[` + p.FirstMessage(ahead) + `]}`)
		w := fleet.New(p.Clock).Watch(fleet.Entry{Open: func(context.Context) (fleet.Connection, error) {
			return fleet.Connection{Site: p.Site, Kept: true}, nil
		}})
		t.Cleanup(w.Close)
		for after, want := range []fleet.State{fleet.Upgrading, fleet.UpgradeStalled} {
			if row := next(t, w).Value; row.State() != want {
				t.Errorf("%v ahead, %d h later: %s", ahead, 3*after, row.State())
			}
			p.Clock.Advance(3 * time.Hour)
		}
	}
}

func TestWhatWasReadStaysWhileASiteIsUnreachableAndItsReadsBecomeRarer(t *testing.T) {
	t.Parallel()
	server, err := simulator.New(simulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(server)
	clock := simtest.NewSteppedClock(noon)
	client, err := adminapi.New(adminapi.Config{Base: site.URL + "/geodeck/admin", Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	who := server.Users()[0]
	if _, err := client.Session.SignIn(t.Context(), who.Username, secrets.Secret(who.Password), time.Hour); err != nil {
		t.Fatal(err)
	}
	w := fleet.New(clock).Watch(fleet.Entry{Open: func(context.Context) (fleet.Connection, error) {
		return fleet.Connection{Site: operation.Site{Client: client, Clock: clock}}, nil
	}})
	before := next(t, w).Value
	site.Close()
	waits := []time.Duration{30 * time.Second, time.Minute, 2 * time.Minute, 4 * time.Minute, 5 * time.Minute, 5 * time.Minute}
	var since time.Time
	for i, want := range waits {
		step := next(t, w)
		row := step.Value
		if i == 0 {
			since = row.Since
		}
		if row.State() != fleet.Unreachable || step.Wait != want || !row.Since.Equal(since) {
			t.Errorf("%d: %s since %s, waits for %s, want %s", i, row.State(), row.Since, step.Wait, want)
		}
		if row.Health == nil || *row.Health != *before.Health || row.Version != before.Version || !row.Updated.Equal(before.Updated) {
			t.Errorf("%d: %+v, want what was read before", i, row)
		}
	}
}

func TestATokenIsFetchedOnlyWhereASiteAnswers(t *testing.T) {
	t.Parallel()
	closed, release, err := simtest.ClosedPort()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	alive, err := simulator.New(simulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := alive.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = alive.Close() })
	for address, want := range map[string]int{"http://" + closed + "/geodeck/admin": 0, alive.URL(): 1} {
		client, err := adminapi.New(adminapi.Config{Base: address, Clock: simtest.NewSteppedClock(noon)})
		if err != nil {
			t.Fatal(err)
		}
		asked := 0
		w := fleet.New(adminapi.SystemClock{}).Watch(fleet.Entry{Open: func(context.Context) (fleet.Connection, error) {
			return fleet.Connection{Site: operation.Site{Client: client}, Kept: true, SignIn: func(context.Context) error {
				asked++
				return errors.New("the keyring is locked")
			}}, nil
		}})
		row := next(t, w).Value
		if asked != want {
			t.Errorf("%s: the token was asked for %d times, want %d", address, asked, want)
		}
		if want > 0 && (row.State() != fleet.NeedsSignIn || row.Fact(noon) != "the keyring is locked") {
			t.Errorf("%s, %q", row.State(), row.Fact(noon))
		}
		w.Close()
	}
}

// many are 40 sites that answer, and 10 that are dead in four ways.
type many struct {
	entries []fleet.Entry
	mu      sync.Mutex
	got     map[string]map[string]bool // by name of the site: what its server has received in Authorization
}

const live, dead = 40, 10

// newMany serves each live site on a port of its own. They are the same simulated site, which
// knows a token for each.
func newMany(t testing.TB) *many {
	t.Helper()
	world, err := simulator.New(simulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m := &many{got: map[string]map[string]bool{}}
	signIn := httptest.NewServer(world)
	t.Cleanup(signIn.Close)
	for i := range dead { // first, so that they would hold up the others
		m.add(fmt.Sprintf("dead-%02d", i), deadSite(t, i%4), adminapi.Token{Value: "canary-of-a-dead-site"})
	}
	for i := range live {
		name := fmt.Sprintf("site-%02d", i)
		m.got[name] = map[string]bool{}
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			m.mu.Lock()
			m.got[name][r.Header.Get("Authorization")+r.Header.Get("X-Esri-Authorization")] = true
			m.mu.Unlock()
			world.ServeHTTP(w, r)
		}))
		t.Cleanup(site.Close)
		m.add(name, site.URL+"/geodeck/admin", newToken(t, world, signIn.URL))
	}
	return m
}

// newToken signs in at a site that serves a world.
func newToken(t testing.TB, world *simulator.Server, at string) adminapi.Token {
	t.Helper()
	client, err := adminapi.New(adminapi.Config{Base: at + "/geodeck/admin"})
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	who := world.Users()[0]
	token, err := client.Session.SignIn(t.Context(), who.Username, secrets.Secret(who.Password), time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return token
}

func (m *many) add(name, address string, token adminapi.Token) {
	m.entries = append(m.entries, fleet.Entry{Name: name, Address: address, Place: len(m.entries), MaxAge: week, Open: func(context.Context) (fleet.Connection, error) {
		client, err := adminapi.New(adminapi.Config{Base: address, Token: token})
		return fleet.Connection{Site: operation.Site{Client: client, Clock: adminapi.SystemClock{}}, Kept: true}, err
	}})
}

// deadSite returns the address of a site that refuses connections, says nothing before TLS,
// says nothing after the request, or answers with garbage.
func deadSite(t testing.TB, kind int) string {
	t.Helper()
	if kind == 0 {
		closed, release, err := simtest.ClosedPort()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(release)
		return "http://" + closed + "/geodeck/admin"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() {
				defer conn.Close()
				in := bufio.NewReader(conn)
				switch kind {
				case 2: // takes the request and never answers
					_, _ = http.ReadRequest(in)
				case 3:
					_, _ = http.ReadRequest(in)
					_, _ = conn.Write([]byte("\x16\x03\x01 this is no HTTP \x00\xff\r\n\r\n"))
					return
				}
				_, _ = in.WriteTo(discard{}) // until the client gives up
			})
		}
	})
	t.Cleanup(func() {
		_ = listener.Close()
		serving.Wait()
	})
	if kind == 1 {
		return "https://" + listener.Addr().String() + "/geodeck/admin"
	}
	return "http://" + listener.Addr().String() + "/geodeck/admin"
}

type discard struct{}

func (discard) Write(p []byte) (int, error) { return len(p), nil }

// readLive reads until every live site has a row, and says when the first and the last came.
func (m *many) readLive(t testing.TB) (first, last time.Duration, rows map[string]fleet.Row) {
	t.Helper()
	ctx, end := context.WithCancel(t.Context())
	defer end()
	began := time.Now()
	rows = map[string]fleet.Row{}
	alive := 0
	_, err := fleet.New(adminapi.SystemClock{}).Read(ctx, m.entries, func(row fleet.Row) {
		if first == 0 {
			first = time.Since(began)
		}
		rows[row.Name] = row
		if strings.HasPrefix(row.Name, "site-") {
			if alive++; alive == live {
				last = time.Since(began)
				end()
			}
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v: the dead sites were read before the last live one", err)
	}
	return first, last, rows
}

func TestDeadSitesHoldUpNoOther(t *testing.T) {
	t.Parallel()
	m := newMany(t)
	first, last, rows := m.readLive(t)
	t.Logf("first row after %s, %d live rows after %s", first.Round(time.Millisecond), live, last.Round(time.Millisecond))
	if last > 9*time.Second { // what a site that hangs takes is 10 s
		t.Errorf("the last live row came after %s: others held it up", last)
	}
	for name, row := range rows {
		if alive := strings.HasPrefix(name, "site-"); alive != (row.State() == fleet.Healthy) {
			t.Errorf("%s is %s: %v", name, row.State(), row.Err)
		}
	}
}

// Sites may answer all but what their upgrades say, which few are asked at a time.
func TestSitesThatHangOverTheirUpgradesHoldUpNoOther(t *testing.T) {
	t.Parallel()
	world, err := simulator.New(simulator.Options{})
	if err != nil {
		t.Fatal(err)
	}
	signIn := httptest.NewServer(world)
	defer signIn.Close()
	token := newToken(t, world, signIn.URL)
	m, all, over := &many{}, make(chan struct{}), make(chan struct{})
	const hanging = 8
	var hang sync.WaitGroup
	hang.Add(hanging)
	go func() { hang.Wait(); close(all) }()
	for i := range hanging + 1 {
		name := fmt.Sprintf("hangs-%d", i)
		if i == hanging {
			name = "answers"
		}
		asked := sync.OnceFunc(hang.Done)
		site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if strings.HasSuffix(r.URL.Path, "/system/upgrades") && name != "answers" {
				asked()
				<-over
				return
			}
			if name == "answers" {
				<-all // the others are being asked
			}
			world.ServeHTTP(w, r)
		}))
		defer site.Close()
		m.add(name, site.URL+"/geodeck/admin", token)
	}
	defer close(over)
	ctx, end := context.WithCancel(t.Context())
	defer end()
	rows := map[string]fleet.State{}
	_, _ = fleet.New(adminapi.SystemClock{}).Read(ctx, m.entries, func(row fleet.Row) {
		if rows[row.Name] = row.State(); row.Name == "answers" {
			end()
		}
	})
	if rows["answers"] != fleet.Healthy {
		t.Errorf("it is %s beside others that hang: %v", rows["answers"], rows)
	}
}

func TestEachSiteGetsOnlyItsOwnToken(t *testing.T) {
	t.Parallel()
	m := newMany(t)
	m.readLive(t)
	owner := map[string]string{}
	for name, got := range m.got {
		if len(got) != 1 {
			t.Errorf("%s got %d different tokens, or none with some requests", name, len(got))
		}
		for token := range got {
			if other, taken := owner[token]; taken || !strings.HasPrefix(token, "Bearer ") || strings.Contains(token, "canary") {
				t.Errorf("%s got what is that of %q", name, other)
			}
			owner[token] = name
		}
	}
}

func TestSitesThatHangAreUnreachableWhenTheTimeIsUp(t *testing.T) {
	t.Parallel()
	m := newMany(t)
	m.entries = m.entries[:dead]
	ctx, end := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer end()
	rows, err := fleet.New(adminapi.SystemClock{}).Read(ctx, m.entries, nil)
	if err != nil || len(rows) != dead {
		t.Fatalf("%d rows, error %v", len(rows), err)
	}
	for _, row := range rows {
		if row.State() != fleet.Unreachable {
			t.Errorf("%s is %s", row.Name, row.State())
		}
	}
}

func BenchmarkFiftySitesTenOfThemDead(b *testing.B) {
	m := newMany(b)
	for b.Loop() {
		first, last, _ := m.readLive(b)
		b.ReportMetric(float64(first.Milliseconds()), "ms-to-first")
		b.ReportMetric(float64(last.Milliseconds()), "ms-to-live")
	}
}
