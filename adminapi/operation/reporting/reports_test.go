package reporting_test

import (
	"slices"
	"testing"

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
