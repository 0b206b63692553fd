package operation_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
)

func TestAllPagesOfTheReportsAreReadTheLastOneToo(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, "name: many\nreports: 2100")
	reports, err := p.AllReports(t.Context())
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
	reports, err := p.AllReports(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	newest, err := p.Client.Report(t.Context(), reports[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	earlier, err := p.EarlierReport(t.Context(), newest)
	if err != nil || earlier == nil {
		t.Fatalf("earlier %v, error %v", earlier, err)
	}
	if earlier.StartTime >= newest.StartTime || !operation.SameSuites(*earlier, newest) {
		t.Errorf("%s is not an earlier report of the same suites", earlier.ID)
	}
	newest.Suites[0].ID = "another suite"
	if earlier, err := p.EarlierReport(t.Context(), newest); err != nil || earlier != nil {
		t.Errorf("a report of other suites counts as earlier: %v %v", earlier, err)
	}
}

func TestAJobThatIsGoneDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	p := newPlatform(t, "name: healthy")
	first := begin(t, p)
	second := begin(t, p)
	p.spoilWith(func(w http.ResponseWriter, r *http.Request, pass func()) {
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
