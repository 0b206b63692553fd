package simulator_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/simulator"
)

// connected starts a site on a clock that moves by itself and signs the
// program's own client in.
func connected(t *testing.T, s simulator.Scenario, user string) (*adminapi.Client, *simulator.Server) {
	t.Helper()
	clock := simulator.NewSteppedClock(noon)
	server, err := simulator.New(simulator.Options{Scenario: s, Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	if err := server.Start("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	client, err := adminapi.New(adminapi.Config{Base: server.URL(), Clock: clock})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		_ = server.Close()
	})
	for _, u := range server.Users() {
		if u.Username == user {
			if _, err := client.SignIn(t.Context(), u.Username, adminapi.Secret(u.Password), time.Hour); err != nil {
				t.Fatal(err)
			}
		}
	}
	return client, server
}

func TestTheClientReadsEveryArea(t *testing.T) {
	t.Parallel()
	for _, scenario := range []string{"healthy", "degraded", "hostile", "readonly", "flaky"} {
		t.Run(scenario, func(t *testing.T) {
			c, _ := connected(t, builtIn(t, scenario), "operator")
			ctx := t.Context()
			if root, err := c.Root(ctx); err != nil || root.FullVersion != "11.5.0.6745" {
				t.Errorf("root: %+v %v", root, err)
			}
			if mode, err := c.Mode(ctx); err != nil || mode.ReadOnly != (scenario == "readonly") {
				t.Errorf("mode: %+v %v", mode, err)
			}
			if self, err := c.Self(ctx); err != nil || self.Username != "operator" {
				t.Errorf("self: %+v %v", self, err)
			}
			if status, err := c.UpgradeStatus(ctx); err != nil || status.State != adminapi.UpgradeNone {
				t.Errorf("upgrades: %+v %v", status, err)
			}
			readHealth(t, c)
			readJobs(t, c)
		})
	}
}

func readHealth(t *testing.T, c *adminapi.Client) {
	t.Helper()
	suites, err := c.Suites(t.Context())
	if err != nil || len(suites) != 1 || len(suites[0].Critical) != 2 || len(suites[0].General) != 11 {
		t.Errorf("suites: %+v %v", suites, err)
	}
	page, err := c.Reports(t.Context(), adminapi.ReportQuery{Num: 4})
	if err != nil || page.Total != 12 || len(page.Runs) != 4 || page.Last() {
		t.Fatalf("reports: %+v %v", page, err)
	}
	report, err := c.Report(t.Context(), page.Runs[0].ID)
	if err != nil || health.Overall(report) != health.Passed || health.CountReport(report).Total() != 13 {
		t.Errorf("report: %+v %v", report, err)
	}
}

func readJobs(t *testing.T, c *adminapi.Client) {
	t.Helper()
	ids, err := c.JobIDs(t.Context())
	if err != nil || len(ids) == 0 {
		t.Fatalf("jobs: %v %v", ids, err)
	}
	job, err := c.Job(t.Context(), ids[0])
	if err != nil || !job.Completed() {
		t.Errorf("job: %+v %v", job, err)
	}
	if report, ok := job.Report(); !ok || report.ID == "" {
		t.Errorf("the job holds no report: %s", job.Raw)
	}
}

func TestTheClientReadsEveryServiceOfEveryFolder(t *testing.T) {
	t.Parallel()
	c, _ := connected(t, simulator.Scenario{}, "viewer")
	root, err := c.Folder(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	services := root.Services
	for _, name := range root.Folders {
		folder, err := c.Folder(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		services = append(services, folder.Services...)
	}
	if len(services) != 40 {
		t.Errorf("%d services", len(services))
	}
	for _, s := range services {
		if text, err := c.ServiceDefinition(t.Context(), s); err != nil || !text.IsValid() {
			t.Errorf("%s: %v", s.Path(), err)
		}
	}
}

func TestTheClientRunsAHealthCheck(t *testing.T) {
	t.Parallel()
	c, server := connected(t, builtIn(t, "degraded"), "admin")
	run := adminapi.HealthRun{SuiteIDs: []string{"BSHC-001"}, Name: "by the client"}
	accepted, outcome, err := c.StartHealthRun(t.Context(), run)
	if err != nil || outcome != adminapi.OutcomeDone {
		t.Fatalf("start: %v %v", outcome, err)
	}
	parts := 0
	for {
		job, err := c.Job(t.Context(), accepted.JobID)
		if err != nil {
			t.Fatal(err)
		}
		report, some := job.Report()
		if job.Ended() {
			if count := health.CountReport(report); count.Failed != 1 || count.Warning != 1 || count.Passed != 11 || health.Overall(report) != health.Failed {
				t.Errorf("at the end: %+v", count)
			}
			break
		}
		if some && health.CountReport(report).Running == 1 {
			parts++
		}
		_ = server.Clock().Sleep(t.Context(), 2*time.Second)
	}
	if parts < 5 {
		t.Errorf("%d readings showed a test that runs", parts)
	}
}

func TestTheClientTellsTheSitesRefusalsApart(t *testing.T) {
	t.Parallel()
	run := adminapi.HealthRun{SuiteIDs: []string{"BSHC-001"}, Name: "x"}
	start := func(c *adminapi.Client) error {
		_, _, err := c.StartHealthRun(t.Context(), run)
		return err
	}
	viewer, _ := connected(t, simulator.Scenario{}, "viewer")
	frozen, _ := connected(t, builtIn(t, "readonly"), "admin")
	nobody, _ := connected(t, simulator.Scenario{}, "")
	old, _ := connected(t, builtIn(t, "old"), "admin")
	ended, server := connected(t, readScenario(t, "name: x\nevents: [{at: 1m, expireTokens: true}]"), "admin")
	_ = server.Clock().Sleep(context.Background(), time.Hour)
	unknown, _ := connected(t, simulator.Scenario{}, "admin")
	for _, c := range []struct {
		what string
		err  error
		kind adminapi.Kind
	}{
		{"a viewer", start(viewer), adminapi.KindPrivilege},
		{"a frozen site", start(frozen), adminapi.KindReadOnly},
		{"without a token", start(nobody), adminapi.KindSignIn},
		{"a token that has ended", start(ended), adminapi.KindSignIn},
		{"an unknown report", second(unknown.Report(t.Context(), "gone")), adminapi.KindNotFound},
		{"an unknown job", second(unknown.Job(t.Context(), "gone")), adminapi.KindNotFound},
	} {
		if !errors.Is(c.err, c.kind) {
			t.Errorf("%s: %v, want %s", c.what, c.err, c.kind)
		}
	}
	if _, err := old.Root(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := old.Suites(t.Context()); !errors.Is(err, adminapi.KindVersionTooOld) {
		t.Errorf("an old site: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestTheClientDeletesReports(t *testing.T) {
	t.Parallel()
	c, _ := connected(t, simulator.Scenario{}, "operator")
	page, err := c.Reports(t.Context(), adminapi.ReportQuery{Results: []string{"failed"}})
	if err != nil || len(page.Runs) != 1 {
		t.Fatalf("failed reports: %+v %v", page, err)
	}
	if outcome, err := c.DeleteReports(t.Context(), page.Runs[0].ID); err != nil || outcome != adminapi.OutcomeDone {
		t.Errorf("delete: %v %v", outcome, err)
	}
	if _, err := c.Report(t.Context(), page.Runs[0].ID); !errors.Is(err, adminapi.KindNotFound) {
		t.Errorf("afterwards: %v", err)
	}
}

func TestALostAnswerIsUnknownToTheClientAndFoundByReading(t *testing.T) {
	t.Parallel()
	c, server := connected(t, builtIn(t, "lost"), "admin")
	before, err := c.JobIDs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	run := adminapi.HealthRun{SuiteIDs: []string{"BSHC-001"}, Name: "lost and found"}
	for _, goesOn := range []int{1, 0} {
		if _, outcome, err := c.StartHealthRun(t.Context(), run); outcome != adminapi.OutcomeUnknown || err == nil {
			t.Errorf("outcome %v, error %v", outcome, err)
		}
		after, err := c.JobIDs(t.Context())
		if err != nil || len(after)-len(before) != goesOn {
			t.Errorf("%d jobs more, want %d (%v)", len(after)-len(before), goesOn, err)
		}
		before = after
	}
	_ = server.Clock().Sleep(t.Context(), 5*time.Minute)
	if page, err := c.Reports(t.Context(), adminapi.ReportQuery{Num: 1}); err != nil || page.Runs[0].Name != run.Name {
		t.Errorf("newest report: %+v %v", page, err)
	}
}

func TestASignInThatEndedIsAcceptedAgainInPlace(t *testing.T) {
	t.Parallel()
	c, server := connected(t, builtIn(t, "expiring"), "admin")
	_ = server.Clock().Sleep(t.Context(), 150*time.Second)
	if _, err := c.Mode(t.Context()); !errors.Is(err, adminapi.KindSignIn) {
		t.Errorf("after two minutes: %v", err)
	}
	admin := server.Users()[0]
	if _, err := c.SignIn(t.Context(), admin.Username, adminapi.Secret(admin.Password), time.Hour); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Mode(t.Context()); err != nil {
		t.Errorf("signed in again: %v", err)
	}
}

func TestTheClientReadsAReportOfManyTests(t *testing.T) {
	t.Parallel()
	c, _ := connected(t, simulator.Scenario{Name: "large", Tests: 10_000}, "viewer")
	page, err := c.Reports(t.Context(), adminapi.ReportQuery{Num: 1})
	if err != nil {
		t.Fatal(err)
	}
	report, err := c.Report(t.Context(), page.Runs[0].ID)
	if err != nil || health.CountReport(report).Total() != 10_000 {
		t.Errorf("%d tests, %v", health.CountReport(report).Total(), err)
	}
}
