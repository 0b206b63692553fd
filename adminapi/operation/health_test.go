package operation_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/polling"
)

func begin(t *testing.T, p *operationtest.Platform) *operation.HealthRun {
	t.Helper()
	run, outcome, err := operationtest.Apart(
		p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: p.SuiteIDs(t), Name: "nightly"}))
	if err != nil || outcome != adminapi.OutcomeDone {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	return run
}

func TestAHealthRunIsFollowedToItsReport(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
	before := p.Clock.Now()
	polled := 0
	report, err := operationtest.WaitHealthRun(t.Context(), p, begin(t, p), func(r polling.Step[operation.HealthSnapshot]) { polled++ })
	if err != nil {
		t.Fatal(err)
	}
	if report.Name != "nightly" || report.Result != "passed" || len(report.Suites) == 0 {
		t.Errorf("report %q with result %q and %d suites", report.Name, report.Result, len(report.Suites))
	}
	if polled < 2 || p.Clock.Now().Equal(before) {
		t.Errorf("%d polled: the run was not seen while it went on", polled)
	}
}

func TestARunIsNotSentWithoutANameOrSuites(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
	for _, run := range []adminapi.HealthRun{
		{SuiteIDs: []string{"BSHC-001"}},
		{SuiteIDs: []string{"BSHC-001"}, Name: "a\x1b[2Jb"},
		{Name: "no suites"},
	} {
		operationtest.WantResult(t, adminapi.OutcomeNotSent, adminapi.KindInvalid)(p.StartHealthRun(t.Context(), run))
	}
	p.WantSent(t, "POST run", 0)
}

// The name is in records and reports of many, and is not masked there.
func TestARunWhoseNameHasASecretIsNotSent(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	token := p.Client.Session.Token().Value.Reveal()
	_, result := p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: []string{adminapi.BasicSuite}, Name: "nightly " + token})
	if result.Outcome != adminapi.OutcomeNotSent || result.Err == nil {
		t.Fatalf("outcome %v, error %v", result.Outcome, result.Err)
	}
	if !strings.Contains(result.Err.Error(), "the name contains a token or a password") {
		t.Errorf("error %v", result.Err)
	}
	operationtest.WantNoTrace(t, "the error", result.Err.Error(), token)
	p.WantSent(t, "POST run", 0)
	if records, err := p.Memory.Journal.Actions(0); err != nil || len(records) > 0 && records[0].Kind == adminapi.WriteHealthRun {
		t.Errorf("%+v, %v", records, err)
	}
}

func TestASiteInReadOnlyModeMayRefuseARun(t *testing.T) {
	t.Parallel()
	for scenario, want := range map[string]bool{"healthy": false, "readonly": true} {
		p := operationtest.BuiltIn(t, scenario)
		if got := p.MayRefuseHealthRuns(t.Context()); got != want {
			t.Errorf("%s: %v", scenario, got)
		}
		p.Intercept(func(w http.ResponseWriter, _ *http.Request, _ func()) { operationtest.HangUp(w) })
		if p.MayRefuseHealthRuns(t.Context()) {
			t.Errorf("%s: it is said of a site that cannot be read", scenario)
		}
	}
}

func TestARunWhoseAnswerWasLostIsFoundAndNotSentAgain(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/run") {
			operationtest.LoseAnswer(w, r, p.Direct)
			return
		}
		pass()
	})
	run, outcome, err := operationtest.Apart(
		p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: p.SuiteIDs(t), Name: "nightly"}))
	if outcome != adminapi.OutcomeUnknown || err == nil || run == nil {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	var adopted bool
	report, err := operationtest.WaitHealthRun(t.Context(), p, run, func(r polling.Step[operation.HealthSnapshot]) { adopted = adopted || r.Value.Own })
	if err != nil || report.Name != "nightly" || !adopted {
		t.Errorf("report %q, adopted %v, error %v", report.Name, adopted, err)
	}
	p.WantSent(t, "POST run", 1)
}

func TestARunThatNeverArrivedStaysUnknown(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if r.Method == http.MethodPost && strings.HasSuffix(r.URL.Path, "/run") {
			_, _ = io.Copy(io.Discard, r.Body)
			operationtest.HangUp(w)
			return
		}
		pass()
	})
	run, outcome, _ := operationtest.Apart(
		p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: p.SuiteIDs(t), Name: "nightly"}))
	if outcome != adminapi.OutcomeUnknown {
		t.Fatalf("outcome %v", outcome)
	}
	before := p.Clock.Now()
	_, err := operationtest.WaitHealthRun(t.Context(), p, run, nil)
	if !errors.Is(err, operation.ErrOutcomeUnknown) {
		t.Errorf("error %v", err)
	}
	if looked := p.Clock.Now().Sub(before); looked < 30*time.Second || looked > time.Minute {
		t.Errorf("looked for %v", looked)
	}
	p.WantSent(t, "POST run", 1)
}

func TestAnUnreachableAPIDoesNotEndARun(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
	run := begin(t, p)
	asked := 0
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if asked++; asked > 3 {
			pass()
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><title>Please wait</title></html>")
	})
	var away int
	report, err := operationtest.WaitHealthRun(t.Context(), p, run, func(r polling.Step[operation.HealthSnapshot]) {
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
	p := operationtest.New(t, "name: healthy")
	run := begin(t, p)
	good := p.Client.Session.Token()
	p.Client.Session.SetToken(adminapi.Token{Value: "not-a-token"})
	if _, _, err := operationtest.Stepped(run.Next(t.Context())); !errors.Is(err, adminapi.KindSignIn) {
		t.Fatalf("error %v", err)
	}
	p.Client.Session.SetToken(good)
	if report, err := operationtest.WaitHealthRun(t.Context(), p, run, nil); err != nil || report.Name != "nightly" {
		t.Errorf("report %q, error %v", report.Name, err)
	}
}

func TestTheWaitForARunCanBeCancelled(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
	run := begin(t, p)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := operationtest.WaitHealthRun(ctx, p, run, nil); !errors.Is(err, context.Canceled) {
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

// jobIs has the job of a run look so, past the simulated one.
func jobIs(p *operationtest.Platform, run *operation.HealthRun, rest string) {
	id := run.JobID()
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.HasSuffix(r.URL.Path, "/jobs/"+id) {
			pass()
			return
		}
		w.Header().Set("Date", p.Clock.Now().UTC().Format(http.TimeFormat))
		_, _ = fmt.Fprintf(w, `{"jobid":%q,"username":"admin","operationURI":"/geodeck/admin/healthCheck/run","starttime":%d,%s}`, id, p.Clock.Now().UnixMilli(), rest)
	})
}

func TestAHealthRunWhoseJobFailedIsRecordedSo(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	run := begin(t, p)
	jobIs(p, run, `"status":"FAILED","messages":["no node left"]`)
	_, err := operationtest.WaitHealthRun(t.Context(), p, run, nil)
	if result := run.Result(err); !errors.Is(err, operation.ErrJobBroken) || result.End() != operation.EndFailed {
		t.Errorf("outcome %v, error %v", result.Outcome, err)
	}
	p.WantSettled(t, journal.VerdictFailed, "job FAILED")
}

func TestTheReportOfAJobThatShowsNoneIsFoundByTheNameOfTheRun(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	run := begin(t, p)
	jobIs(p, run, `"status":"COMPLETED","result":null`)
	if report, err := operationtest.WaitHealthRun(t.Context(), p, run, nil); err != nil || report.Name != "nightly" || len(report.Suites) == 0 {
		t.Errorf("report %q, %v", report.Name, err)
	}
	p.WantSettled(t, journal.VerdictSucceeded, "report nightly")
	p.WantSent(t, "POST run", 1)
}

func TestSuitesThatAreTypedAreSentOnceEach(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{"A": "A", " A, B,,A ,": "A B", "": "", " , ": ""} {
		if got, err := operation.ParseSuites(text); strings.Join(got, " ") != want || (err != nil) != (want == "") {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

// A list that cannot be read holds none of the reports, and says nothing of them.
func TestADeletionIsNotDoneByAListThatCannotBeRead(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	reports, err := p.Reports().All(t.Context())
	if err != nil || len(reports) == 0 {
		t.Fatalf("%d reports, %v", len(reports), err)
	}
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/delete") || strings.HasSuffix(r.URL.Path, "/reports/query") {
			operationtest.HangUp(w)
			return
		}
		pass()
	})
	result := p.DeleteReports(t.Context(), operation.ReportDeletion{IDs: []string{reports[0].ID}}, nil)
	if result.Outcome != adminapi.OutcomeUnknown || !errors.Is(result.Err, operation.ErrOutcomeUnknown) {
		t.Errorf("outcome %v, error %v", result.Outcome, result.Err)
	}
	p.WantSent(t, "POST delete", 1)
}

// The usual answer is empty. So is one of what stands between, where the site has refused it.
func TestADeletionIsDoneOnceTheListLacksTheReport(t *testing.T) {
	t.Parallel()
	for _, performed := range []bool{true, false} {
		p := operationtest.WithJournal(t, "healthy")
		reports, err := p.Reports().All(t.Context())
		if err != nil || len(reports) == 0 {
			t.Fatal(reports, err)
		}
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if performed || !strings.HasSuffix(r.URL.Path, "/delete") {
				pass()
			}
		})
		result := p.DeleteReports(t.Context(), operation.ReportDeletion{IDs: []string{reports[0].ID}}, func(err error) { t.Errorf("it tells of a loss: %v", err) })
		if result.Done() != performed {
			t.Errorf("performed %v: %s", performed, result.Sentence())
		}
		records, err := p.Memory.Journal.Actions(0)
		if err != nil || len(records) != 1 || (records[0].Outcome == adminapi.OutcomeDone) != performed {
			t.Errorf("performed %v: %+v, %v", performed, records, err)
		}
	}
}

// After a lost answer the list of reports says what was deleted. A part of them is no word on the request.
func TestTheOutcomeOfALostDeletionIsFound(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		gone     int
		answered bool               // with an error of the site
		beside   adminapi.WriteKind // what another program sends at that moment
		want     adminapi.Outcome
	}{
		{2, false, "", adminapi.OutcomeDone},
		{2, true, "", adminapi.OutcomeDone},
		{2, false, adminapi.WriteHealthRun, adminapi.OutcomeDone},
		{2, false, adminapi.WriteReportDeletion, adminapi.OutcomeDone},
		{1, false, "", adminapi.OutcomeUnknown},
		{1, true, "", adminapi.OutcomeUnknown},
		{0, false, "", adminapi.OutcomeUnknown},
		{0, true, "", adminapi.OutcomeRefused},
	} {
		p := operationtest.WithJournal(t, "healthy")
		reports, err := p.Reports().All(t.Context())
		if err != nil || len(reports) < 2 {
			t.Fatalf("%d reports, %v", len(reports), err)
		}
		ids := []string{reports[0].ID, reports[1].ID}
		if c.gone > 0 { // by somebody else
			if r := p.DeleteReports(t.Context(), operation.ReportDeletion{IDs: ids[:c.gone]}, nil); !r.Done() {
				t.Fatal(r.Sentence())
			}
		}
		p.Clock.Advance(time.Minute)
		p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
			if !strings.HasSuffix(r.URL.Path, "/delete") {
				pass()
				return
			}
			if c.beside != "" {
				_ = p.Memory.Journal.BeforeWrite(adminapi.Write{ID: 99, Kind: c.beside, Operation: "another", Path: "/x/admin/y"})
			}
			switch {
			case c.answered:
				_, _ = io.WriteString(w, `{"error":{"code":500,"message":"It took too long.","details":[]}}`)
			default:
				operationtest.HangUp(w)
			}
		})
		told := 0
		result := p.DeleteReports(t.Context(), operation.ReportDeletion{IDs: ids}, func(error) { told++ })
		if result.Outcome != c.want || result.Done() != (c.want == adminapi.OutcomeDone) || told != 1 {
			t.Errorf("%+v: %s, told %d times", c, result.Sentence(), told)
		}
		recorded := c.want
		if c.beside == adminapi.WriteReportDeletion { // whose record it is cannot be told
			recorded = adminapi.OutcomeUnknown
		}
		records, err := p.Memory.Journal.Actions(0)
		for _, r := range records {
			if r.Time.After(operationtest.Start) && r.Kind == adminapi.WriteReportDeletion && r.Outcome != recorded {
				t.Errorf("%+v: recorded as %s", c, r.Outcome)
			}
		}
		if err != nil || len(records) == 0 {
			t.Errorf("%+v: %+v, %v", c, records, err)
		}
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
	if err := operation.CheckRunName(operation.DefaultRunName(operationtest.Start)); err != nil {
		t.Error(err)
	}
}
