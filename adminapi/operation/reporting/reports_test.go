package reporting_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/reporting"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestAllPagesOfTheReportsAreFetched(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: many\nreports: 2100")
	reports, err := p.Reports().All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(reports) != 2100 || p.Sent("GET query") != 3 {
		t.Errorf("%d reports in %d requests", len(reports), p.Sent("GET query"))
	}
	if !slices.IsSortedFunc(reports, func(a, b adminapi.ReportSummary) int { return int(b.StartTime - a.StartTime) }) {
		t.Error("not newest first")
	}
}

func TestTheEarlierReportIsTheNewestOfTheSameSuites(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
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

// A14: good is the newest report before of the same suites in which no test failed.
func TestTheLastGoodReportIsTheNewestWithoutAFailure(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "degraded")
	ran(t, p, "failed")
	failed := ran(t, p, "failed again")
	all, err := p.Reports().All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	good, err := p.Reports().LastGood(t.Context(), all, failed)
	if err != nil || good == nil || good.ID != all[2].ID || health.Overall(*good) != health.Passed {
		t.Fatalf("the last good one before the second failure is %v: %v", good, err)
	}
	failed.Suites[0].ID = "another suite"
	if good, err := p.Reports().LastGood(t.Context(), all, failed); err != nil || good != nil {
		t.Errorf("of other suites there is one: %v, %v", good, err)
	}
	twelve := operationtest.New(t, "{name: twelve, version: 12.0.0.7286, reports: 0}")
	first, second := ran(t, twelve, "first", "OPHC-001"), ran(t, twelve, "second", "OPHC-001")
	if all, err = twelve.Reports().All(t.Context()); err != nil {
		t.Fatal(err)
	}
	if good, err := twelve.Reports().LastGood(t.Context(), all, second); err != nil || good == nil || good.ID != first.ID {
		t.Errorf("one with warnings is not good: %v, %v", good, err)
	}
}

func TestTheReportsBeforeOneAreFetchedForItsTrend(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
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

// What a person confirms before it is deleted is each report once, and nothing where one is not there.
func TestReportsAreNamedOnceEachOrNoneIs(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
	all, err := p.Reports().All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	a, b := all[0].ID, all[1].ID
	found, err := p.Reports().Named(t.Context(), []string{b, a, b})
	if err != nil || len(found) != 2 || found[0].ID != b || found[1].ID != a {
		t.Errorf("%+v, %v", found, err)
	}
	found, err = p.Reports().Named(t.Context(), []string{a, "none", "\x1b[2J"})
	unknown, ok := errors.AsType[*reporting.UnknownError](err)
	if !ok || len(found) > 0 || len(unknown.IDs) != 2 || strings.Contains(err.Error(), "\x1b") || !strings.Contains(err.Error(), "no report none, ") {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestTheNewestReportIsOneThatHasEnded(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
	all, err := p.Reports().All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) { // the newest of all has not ended
		if !strings.HasSuffix(r.URL.Path, "/query") {
			pass()
			return
		}
		answer := httptest.NewRecorder()
		r.Header.Del("Accept-Encoding")
		p.Direct.ServeHTTP(answer, r)
		later := strconv.FormatInt(int64(all[0].StartTime)+1000, 10)
		_, _ = io.WriteString(w, strings.Replace(answer.Body.String(), `[{`, `[{"id":"runs","result":"in_progress","state":"running","startTime":`+later+`},{`, 1))
	})
	with, err := p.Reports().All(t.Context())
	newest, failed := p.Reports().Newest(t.Context())
	if err != nil || failed != nil || with[0].ID != "runs" || newest == nil || newest.ID != all[0].ID {
		t.Errorf("%+v, %v; listed is %+v, %v", newest, failed, with[0], err)
	}
	if newest, err := operationtest.New(t, "{name: none, reports: 0}").Reports().Newest(t.Context()); err != nil || newest != nil {
		t.Errorf("of none it is %+v, %v", newest, err)
	}
}

// A check that ran into an upgrade says nothing of the site before it, nor after it.
func TestReportsAroundAnUpgradeEndedBeforeItAndBeganAfterIt(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "{name: twelve, version: 12.0.0.7286, reports: 0}")
	before := ran(t, p, "before")
	changes := before.EndTime + 60_000
	pause(t, p, time.Hour)
	within := ran(t, p, "within")
	ended := within.EndTime + 60_000
	if around, err := p.Reports().Around(t.Context(), changes, ended); err != nil || around.Before == nil || around.Before.ID != before.ID || around.After != nil || around.Comparison != nil {
		t.Errorf("without one after it: %+v, %v", around, err)
	}
	pause(t, p, time.Hour)
	ran(t, p, "of other suites", "OPHC-001")
	after := ran(t, p, "after")
	ran(t, p, "later")
	around, err := p.Reports().Around(t.Context(), changes, ended)
	if err != nil || around.Before.ID != before.ID || around.After == nil || around.After.ID != after.ID || around.Comparison == nil {
		t.Errorf("%+v, %v", around, err)
	}
	if runs, err := p.Reports().Around(t.Context(), changes, 0); err != nil || runs.Before == nil || runs.After != nil {
		t.Errorf("while it runs: %+v, %v", runs, err)
	}
	if first, err := p.Reports().Around(t.Context(), before.EndTime-60_000, ended); err != nil || first.Before != nil || first.After == nil || first.Comparison != nil {
		t.Errorf("without one before it: %+v, %v", first, err)
	}
	same, err := p.Reports().Around(t.Context(), before.EndTime/1000*1000, after.StartTime/1000*1000+999)
	if err != nil || same.Before == nil || same.After == nil || same.After.ID != after.ID {
		t.Errorf("by the second: %+v, %v", same, err)
	}
}
