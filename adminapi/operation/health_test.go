package operation_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/reporting"
)

func begin(t *testing.T, p *platform) *operation.HealthRun {
	t.Helper()
	run, outcome, err := apart(p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: suiteIDs(t, p.Site), Name: "nightly"}))
	if err != nil || outcome != adminapi.OutcomeDone {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	return run
}

func TestAHealthRunIsFollowedToItsReport(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, "name: healthy")
	before := p.clock.Now()
	polled := 0
	report, err := waitRun(t.Context(), p, begin(t, p), func(r polling.Step[operation.HealthSnapshot]) { polled++ })
	if err != nil {
		t.Fatal(err)
	}
	if report.Name != "nightly" || report.Result != "passed" || len(report.Suites) == 0 {
		t.Errorf("report %q with result %q and %d suites", report.Name, report.Result, len(report.Suites))
	}
	if polled < 2 || p.clock.Now().Equal(before) {
		t.Errorf("%d polled: the run was not seen while it went on", polled)
	}
}

func TestARunIsNotSentWithoutANameOrSuites(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, "name: healthy")
	for _, run := range []adminapi.HealthRun{
		{SuiteIDs: []string{"BSHC-001"}},
		{SuiteIDs: []string{"BSHC-001"}, Name: "a\x1b[2Jb"},
		{Name: "no suites"},
	} {
		wantResult(t, adminapi.OutcomeNotSent, adminapi.KindInvalid)(p.StartHealthRun(t.Context(), run))
	}
	p.wantSent(t, "POST run", 0)
}

func TestARunWhoseAnswerWasLostIsFoundAndNotSentAgain(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, "name: healthy")
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/run") {
			loseAnswer(w, r, p.direct)
			return
		}
		pass()
	})
	run, outcome, err := apart(p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: suiteIDs(t, p.Site), Name: "nightly"}))
	if outcome != adminapi.OutcomeUnknown || err == nil || run == nil {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	var adopted bool
	report, err := waitRun(t.Context(), p, run, func(r polling.Step[operation.HealthSnapshot]) { adopted = adopted || r.Value.Adopted })
	if err != nil || report.Name != "nightly" || !adopted {
		t.Errorf("report %q, adopted %v, error %v", report.Name, adopted, err)
	}
	p.wantSent(t, "POST run", 1)
}

func TestARunThatNeverArrivedStaysUnknown(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, "name: healthy")
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/run") {
			_, _ = io.Copy(io.Discard, r.Body)
			hangUp(w)
			return
		}
		pass()
	})
	run, outcome, _ := apart(p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: suiteIDs(t, p.Site), Name: "nightly"}))
	if outcome != adminapi.OutcomeUnknown {
		t.Fatalf("outcome %v", outcome)
	}
	before := p.clock.Now()
	_, err := waitRun(t.Context(), p, run, nil)
	if !errors.Is(err, operation.ErrOutcomeUnknown) {
		t.Errorf("error %v", err)
	}
	if looked := p.clock.Now().Sub(before); looked < 30*time.Second || looked > time.Minute {
		t.Errorf("looked for %v", looked)
	}
	p.wantSent(t, "POST run", 1)
}

func TestAnUnreachableAPIDoesNotEndARun(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, "name: healthy")
	run := begin(t, p)
	asked := 0
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if asked++; asked > 3 {
			pass()
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><title>Please wait</title></html>")
	})
	var away int
	report, err := waitRun(t.Context(), p, run, func(r polling.Step[operation.HealthSnapshot]) {
		if r.Unreachable != nil {
			away++
		}
	})
	if err != nil || report.Name != "nightly" || away == 0 {
		t.Errorf("report %q, away %d times, error %v", report.Name, away, err)
	}
}

func TestARunGoesOnAfterASignInMidway(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, "name: healthy")
	run := begin(t, p)
	good := p.Client.Session.Token()
	p.Client.Session.SetToken(adminapi.Token{Value: "not-a-token"})
	if _, _, err := stepped(run.Next(t.Context())); !errors.Is(err, adminapi.KindSignIn) {
		t.Fatalf("error %v", err)
	}
	p.Client.Session.SetToken(good)
	if report, err := waitRun(t.Context(), p, run, nil); err != nil || report.Name != "nightly" {
		t.Errorf("report %q, error %v", report.Name, err)
	}
}

func TestTheWaitForARunCanBeCancelled(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, "name: healthy")
	run := begin(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := waitRun(ctx, p, run, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestAFailedJobSaysWhy(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"jobid":"j1","status":"FAILED","endtime":5,"starttime":1,"messages":["disk \u001b[31mfull"]}`)
	}))
	defer server.Close()
	client, err := adminapi.New(adminapi.Config{Base: server.URL + "/geodeck/admin"})
	if err != nil {
		t.Fatal(err)
	}
	defer client.CloseIdleConnections()
	site := operation.Site{Client: client, Clock: adminapi.SystemClock{}}
	job, err := site.WaitJob(t.Context(), "j1", nil)
	if !errors.Is(err, operation.ErrJobBroken) || job.Status != adminapi.JobFailed {
		t.Fatalf("job %+v, error %v", job, err)
	}
	if text := err.Error(); !strings.Contains(text, "disk full") || strings.Contains(text, "\x1b") {
		t.Errorf("error %q", text)
	}
}

func TestRunNames(t *testing.T) {
	t.Parallel()
	for name, ok := range map[string]bool{
		"nightly": true, "Prüfung 夜": true, "": false, "  ": false, "a\nb": false, "a\x1b[2J": false,
		"a\u202eb": false, "\xff": false, strings.Repeat("x", 128): true, strings.Repeat("x", 129): false,
	} {
		if err := operation.CheckRunName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := operation.CheckRunName(operation.DefaultRunName(start)); err != nil {
		t.Error(err)
	}
}

func TestAllPagesOfTheReportsAreFetched(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, "name: many\nreports: 2100")
	reports, err := p.Reports().All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(reports) != 2100 || p.sent("GET query") != 3 {
		t.Errorf("%d reports in %d requests", len(reports), p.sent("GET query"))
	}
	if !slices.IsSortedFunc(reports, func(a, b adminapi.ReportSummary) int { return int(b.StartTime - a.StartTime) }) {
		t.Error("not newest first")
	}
}

func TestTheEarlierReportIsTheNewestOfTheSameSuites(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, "name: healthy")
	reports, err := p.Reports().All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	newest, err := p.Client.Health.Report(t.Context(), reports[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	earlier, err := p.Reports().Earlier(t.Context(), newest)
	if err != nil || earlier == nil {
		t.Fatalf("earlier %v, error %v", earlier, err)
	}
	if earlier.StartTime >= newest.StartTime || !health.SameSuites(*earlier, newest) {
		t.Errorf("%s is not an earlier report of the same suites", earlier.ID)
	}
	newest.Suites[0].ID = "another suite"
	if earlier, err := p.Reports().Earlier(t.Context(), newest); err != nil || earlier != nil {
		t.Errorf("a report of other suites counts as earlier: %v %v", earlier, err)
	}
}

func TestTheReportsBeforeOneAreFetchedForItsTrend(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, "name: healthy")
	reports, err := p.Reports().All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for at, want := range map[int]int{0: reporting.TrendDepth, len(reports) - 3: 2, len(reports) - 1: 0} {
		before, err := p.Reports().Before(t.Context(), adminapi.Report{ID: reports[at].ID, StartTime: reports[at].StartTime})
		if err != nil || len(before) != want {
			t.Fatalf("before report %d there are %d: %v", at, len(before), err)
		}
		if want > 0 && before[0].ID != reports[at+1].ID {
			t.Errorf("the first is %s", before[0].ID)
		}
	}
}

func TestADeletedJobDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, "name: healthy")
	first := begin(t, p)
	second := begin(t, p)
	p.intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, first.JobID()) {
			http.NotFound(w, r)
			return
		}
		pass()
	})
	jobs, err := p.Jobs(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	status := map[string]string{}
	for _, job := range jobs {
		status[job.ID] = job.Status
	}
	if status[first.JobID()] != "" || status[second.JobID()] == "" {
		t.Errorf("statuses %v", status)
	}
}
