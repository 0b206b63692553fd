package simulator_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/secrets"
	"geodeck/adminapi/simulator"
	"geodeck/adminapi/simulator/simtest"
)

// client is the program's own client, of a site on a clock that moves by itself.
type client struct {
	*adminapi.Client
	server *simulator.Server
	clock  simulator.Clock
	writes atomic.Int32 // requests that changed services
	next   http.Transport
}

// RoundTrip counts the writes that leave the client.
func (c *client) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPost && strings.Contains(r.URL.Path, "/services/") {
		c.writes.Add(1)
	}
	return c.next.RoundTrip(r)
}

// sleep moves the clock.
func (c *client) sleep(d time.Duration) { _ = c.clock.Sleep(context.Background(), d) }

// connect starts a site of a scenario and signs a user in, or nobody where it is empty.
func connect(t *testing.T, scenario, user string) *client {
	t.Helper()
	return connectTo(t, builtIn(t, scenario), user)
}

func connectTo(t *testing.T, scenario simulator.Scenario, user string) *client {
	t.Helper()
	clock := simtest.NewSteppedClock(noon)
	server, err := simulator.New(simulator.Options{Scenario: scenario, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	c := &client{server: server, clock: clock}
	if c.Client, err = adminapi.New(adminapi.Config{Base: server.URL(), Clock: clock, Transport: c}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.next.CloseIdleConnections()
		_ = server.Close()
	})
	if user != "" {
		c.signIn(t, user)
	}
	return c
}

func (c *client) signIn(t *testing.T, user string) {
	t.Helper()
	if _, err := c.Session.SignIn(t.Context(), user, secrets.Secret(password(t, c.server, user)), time.Hour); err != nil {
		t.Fatal(err)
	}
}

func TestTheClientReadsEveryArea(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"healthy", "degraded", "hostile", "readonly", "flaky"} {
		t.Run(scenario, func(t *testing.T) {
			c := connect(t, scenario, "operator")
			ctx := t.Context()
			if root, err := c.Root(ctx); err != nil || root.FullVersion != "11.5.0.6745" {
				t.Errorf("root: %+v %v", root, err)
			}
			if mode, err := c.Mode(ctx); err != nil || mode.ReadOnly != (scenario == "readonly") {
				t.Errorf("mode: %+v %v", mode, err)
			}
			if self, err := c.Session.Self(ctx); err != nil || self.Username != "operator" {
				t.Errorf("self: %+v %v", self, err)
			}
			if status, err := c.Upgrades.Status(ctx); err != nil || status.State != adminapi.UpgradeNone {
				t.Errorf("upgrades: %+v %v", status, err)
			}
			readHealth(t, c)
			readJobs(t, c)
		})
	}
}

func readHealth(t *testing.T, c *client) {
	t.Helper()
	suites, err := c.Health.Suites(t.Context())
	if err != nil || len(suites) != 1 || len(suites[0].Critical) != 2 || len(suites[0].General) != 11 {
		t.Errorf("suites: %+v %v", suites, err)
	}
	page, err := c.Health.Reports(t.Context(), adminapi.ReportQuery{Num: 4})
	if err != nil || page.Total != 12 || len(page.Runs) != 4 || page.Last() {
		t.Fatalf("reports: %+v %v", page, err)
	}
	report, err := c.Health.Report(t.Context(), page.Runs[0].ID)
	if err != nil || health.Overall(report) != health.Passed || health.CountReport(report).Total() != 13 {
		t.Errorf("report: %+v %v", report, err)
	}
}

func readJobs(t *testing.T, c *client) {
	t.Helper()
	ids, err := c.Jobs.IDs(t.Context())
	if err != nil || len(ids) == 0 {
		t.Fatalf("jobs: %v %v", ids, err)
	}
	job, err := c.Jobs.Get(t.Context(), ids[0])
	if err != nil || !job.Completed() {
		t.Errorf("job: %+v %v", job, err)
	}
	if report, ok := job.Report(); !ok || report.ID == "" {
		t.Errorf("the job holds no report: %s", job.Raw)
	}
}

func TestTheClientReadsEveryServiceOfEveryFolder(t *testing.T) {
	t.Parallel()
	c := connect(t, "healthy", "operator")
	root, err := c.Services.Folder(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	services := root.Services
	for _, name := range root.Folders {
		folder, err := c.Services.Folder(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		services = append(services, folder.Services...)
	}
	if len(services) != 40 {
		t.Errorf("%d services", len(services))
	}
	for _, s := range services {
		if text, err := c.Services.Definition(t.Context(), s); err != nil || !text.IsValid() {
			t.Errorf("%s: %v", s.Path(), err)
		}
	}
}

func TestTheClientRunsAHealthCheck(t *testing.T) {
	t.Parallel()
	scenario := builtIn(t, "degraded")
	scenario.PartialReports = true
	c := connectTo(t, scenario, "admin")
	run := adminapi.HealthRun{SuiteIDs: []string{"BSHC-001"}, Name: "by the client"}
	accepted, outcome, err := c.Health.Start(t.Context(), run)
	if err != nil || outcome != adminapi.OutcomeDone {
		t.Fatalf("start: %v %v", outcome, err)
	}
	parts := 0
	for {
		job, err := c.Jobs.Get(t.Context(), accepted.JobID)
		if err != nil {
			t.Fatal(err)
		}
		report, some := job.Report()
		if job.Ended() {
			if count := health.CountReport(report); count[health.Failed] != 1 || count[health.Warning] != 1 || count[health.Passed] != 11 || health.Overall(report) != health.Failed {
				t.Errorf("at the end: %+v", count)
			}
			break
		}
		if some && health.CountReport(report)[health.Running] == 1 {
			parts++
		}
		c.sleep(2 * time.Second)
	}
	if parts < 5 {
		t.Errorf("%d readings showed a test that runs", parts)
	}
	run.Sync = 15 * time.Minute
	accepted, outcome, err = c.Health.Start(t.Context(), run)
	if err != nil || outcome != adminapi.OutcomeDone {
		t.Fatalf("synchronous: %v %v", outcome, err)
	}
	if report, err := c.Health.Report(t.Context(), accepted.ReportID); err != nil || report.Name != run.Name {
		t.Errorf("report: %+v %v", report, err)
	}
}

func TestTheClientDistinguishesRefusals(t *testing.T) {
	t.Parallel()
	run := func(c *client) error {
		_, _, err := c.Health.Start(t.Context(), adminapi.HealthRun{SuiteIDs: []string{"BSHC-001"}, Name: "x"})
		return err
	}
	ended := connectTo(t, readScenario(t, "name: x\nevents: [{at: 1m, expireTokens: true}]"), "admin")
	ended.sleep(time.Hour)
	free, old := connect(t, "healthy", "admin"), connect(t, "old", "admin")
	assertKinds(t, map[string]refused{
		"a viewer":               {run(connect(t, "healthy", "viewer")), adminapi.KindPrivilege},
		"a read-only site":       {run(connect(t, "readonly", "admin")), adminapi.KindReadOnly},
		"without a token":        {run(connect(t, "healthy", "")), adminapi.KindSignIn},
		"a token that has ended": {run(ended), adminapi.KindSignIn},
		"an unknown report":      {second(free.Health.Report(t.Context(), "nope")), adminapi.KindNotFound},
		"an unknown job":         {second(free.Jobs.Get(t.Context(), "nope")), adminapi.KindNotFound},
		"an old site":            {second(old.Health.Suites(t.Context())), adminapi.KindVersionTooOld},
	})
	if _, err := old.Root(t.Context()); err != nil {
		t.Error(err)
	}
}

// refused is an error of the client and its kind.
type refused struct {
	err  error
	kind adminapi.Kind
}

func assertKinds(t *testing.T, cases map[string]refused) {
	t.Helper()
	for what, c := range cases {
		if !errors.Is(c.err, c.kind) {
			t.Errorf("%s: %v, want %s", what, c.err, c.kind)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestTheClientDeletesReports(t *testing.T) {
	t.Parallel()
	c := connect(t, "healthy", "operator")
	page, err := c.Health.Reports(t.Context(), adminapi.ReportQuery{Results: []string{"failed"}})
	if err != nil || len(page.Runs) != 1 {
		t.Fatalf("failed reports: %+v %v", page, err)
	}
	if outcome, err := c.Health.Delete(t.Context(), page.Runs[0].ID); outcome != adminapi.OutcomeUnknown || !errors.Is(err, adminapi.ErrEmptyAnswer) {
		t.Errorf("delete: %v %v", outcome, err) // the answer is empty
	}
	if _, err := c.Health.Report(t.Context(), page.Runs[0].ID); !errors.Is(err, adminapi.KindNotFound) {
		t.Errorf("afterwards: %v", err)
	}
}

func TestALostAnswerIsUnknownToTheClientAndFoundByReading(t *testing.T) {
	t.Parallel()
	c := connect(t, "lost", "admin")
	before, err := c.Jobs.IDs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run := adminapi.HealthRun{SuiteIDs: []string{"BSHC-001"}, Name: "lost and found"}
	for _, goesOn := range []int{1, 0} {
		if _, outcome, err := c.Health.Start(t.Context(), run); outcome != adminapi.OutcomeUnknown || err == nil {
			t.Errorf("outcome %v, error %v", outcome, err)
		}
		after, err := c.Jobs.IDs(t.Context())
		if err != nil || len(after)-len(before) != goesOn {
			t.Errorf("%d jobs more, want %d (%v)", len(after)-len(before), goesOn, err)
		}
		before = after
	}
	c.sleep(5 * time.Minute)
	if page, err := c.Health.Reports(t.Context(), adminapi.ReportQuery{Num: 1}); err != nil || page.Runs[0].Name != run.Name {
		t.Errorf("newest report: %+v %v", page, err)
	}
}

func TestTheClientSignsInAgain(t *testing.T) {
	t.Parallel()
	c := connect(t, "expiring", "admin")
	c.sleep(150 * time.Second)
	if _, err := c.Mode(t.Context()); !errors.Is(err, adminapi.KindSignIn) {
		t.Errorf("after two minutes: %v", err)
	}
	c.signIn(t, "admin")
	if _, err := c.Mode(t.Context()); err != nil {
		t.Errorf("signed in again: %v", err)
	}
}

func TestTheClientReadsAReportOfManyTests(t *testing.T) {
	t.Parallel()
	c := connectTo(t, simulator.Scenario{Name: "large", Tests: 3000}, "operator")
	page, err := c.Health.Reports(t.Context(), adminapi.ReportQuery{Num: 1})
	if err != nil {
		t.Fatal(err)
	}
	report, err := c.Health.Report(t.Context(), page.Runs[0].ID)
	if err != nil || health.CountReport(report).Total() != 3000 {
		t.Errorf("%d tests, %v", health.CountReport(report).Total(), err)
	}
}
