package reporting_test

import (
	"fmt"
	"io"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/lists"
	"geodeck/adminapi/operation/operationtest"
)

// kept is a report as a site lists it. Times are in seconds; the end is zero where it has none.
type kept struct {
	id, name   string
	state      string
	start, end int
	suites     string // with their results
}

const (
	ofSuite = `[{"id":"S","result":"passed","generalTestStatus":[{"id":"a","result":"pass"}]}]`
	noSuite = `[]` // as long as none has begun
)

// history is of a site whose list has more than reports that have ended well: the newest first.
var history = []kept{
	{"runs", "nightly", "running", 60, 0, noSuite},
	{"later", "nightly", "completed", 50, 51, ofSuite},
	{"present", "nightly", "completed", 40, 41, ofSuite},
	{"stuck", "nightly", "running", 38, 39, noSuite},
	{"broken off", "nightly", "completed", 36, 0, noSuite},
	{"weekly", "weekly", "completed", 34, 35, `[{"id":"T","result":"passed"}]`},
	{"odd", "monthly", "completed", 32, 33, `[{"id":"S","result":"passed","generalTestStatus":[{"id":"a","result":"fail"}]}]`}, // itself it says that it passed
	{"near", "nightly", "completed", 30, 31, ofSuite},
	{"far", "nightly", "completed", 20, 21, ofSuite},
}

func (k kept) text() string {
	return fmt.Sprintf(`{"id":%q,"name":%q,"result":"passed","state":%q,"startTime":%d,"endTime":%d,"suiteStatus":%s}`, k.id, k.name, k.state, k.start*1000, k.end*1000, k.suites)
}

// withHistory makes a site that has it.
func withHistory(t *testing.T) *operationtest.Platform {
	t.Helper()
	p := operationtest.New(t, "{name: some, reports: 0}")
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		name := path.Base(r.URL.Path)
		at := slices.IndexFunc(history, func(k kept) bool { return k.id == name })
		switch {
		case name == "query":
			_, _ = io.WriteString(w, `{"num":100,"start":1,"nextStart":-1,"runs":[`+strings.Join(lists.Each(history, kept.text), ",")+`]}`)
		case at >= 0:
			_, _ = io.WriteString(w, history[at].text())
		default:
			pass()
		}
	})
	return p
}

// A report that runs, began later or is of other suites is no measure of another.
func TestTheReportThatAnotherIsComparedWithIsTheNewestThatFits(t *testing.T) {
	t.Parallel()
	p := withHistory(t)
	all, err := p.Reports().All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	report := func(id string) adminapi.Report {
		r, err := p.Client.Health.Report(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	present, later := report("present"), report("later")
	untimed := present
	untimed.StartTime, untimed.EndTime = 0, 0
	newest := later
	newest.StartTime = 0
	named := func(prefix string, of *adminapi.Report) func() (*adminapi.Report, error) {
		return func() (*adminapi.Report, error) { return p.Reports().Called(t.Context(), prefix, of) }
	}
	earlier := func(r adminapi.Report) func() (*adminapi.Report, error) {
		return func() (*adminapi.Report, error) { return p.Reports().Earlier(t.Context(), r) }
	}
	for name, tt := range map[string]struct {
		choose func() (*adminapi.Report, error)
		want   string // its id; empty for none
	}{
		"by a name":                           {named("night", nil), "later"},
		"by another name":                     {named("week", nil), "weekly"},
		"by a name that none has":             {named("year", nil), ""},
		"by a name, before one":               {named("night", &present), "near"},
		"by the name that only that one has":  {named("weekly", new(report("weekly"))), ""},
		"by a name, besides one without time": {named("night", &untimed), "later"},
		"by a name, besides the newest":       {named("night", &newest), "present"},
		"of the same suites":                  {earlier(present), "odd"},
		"of the same suites, without time":    {earlier(untimed), "later"},
		"besides the newest, without time":    {earlier(newest), "present"},
		"the last good one":                   {func() (*adminapi.Report, error) { return p.Reports().LastGood(t.Context(), all, present) }, "near"},
		"after one":                           {func() (*adminapi.Report, error) { return p.Reports().After(t.Context(), all, present, nil) }, "later"},
		"after the last that has ended":       {func() (*adminapi.Report, error) { return p.Reports().After(t.Context(), all, later, nil) }, ""},
		"the newest that has ended":           {func() (*adminapi.Report, error) { return p.Reports().Newest(t.Context()) }, "later"},
	} {
		got := adminapi.Report{}
		found, err := tt.choose()
		if found != nil {
			got = *found
		}
		if err != nil || got.ID != tt.want {
			t.Errorf("%s: %q, %v; want %q", name, got.ID, err, tt.want)
		}
	}
	before, err := p.Reports().Before(t.Context(), present)
	if ids := lists.Each(before, func(r adminapi.Report) string { return r.ID }); err != nil || slices.Contains(ids, "broken off") || slices.Contains(ids, "later") || !slices.Contains(ids, "near") {
		t.Errorf("the trend is of %v, %v", ids, err)
	}
}

// A check that has no end yet says nothing of the site before an upgrade, nor after it.
func TestReportsAroundAnUpgradeHaveEnded(t *testing.T) {
	t.Parallel()
	p := withHistory(t)
	if around, err := p.Reports().Around(t.Context(), 31_500, 35_500); err != nil || around.Before == nil || around.Before.ID != "near" || around.After == nil || around.After.ID != "present" {
		t.Errorf("%+v, %v", around, err)
	}
	if around, err := p.Reports().Around(t.Context(), 19_000, 55_000); err != nil || around.Before != nil || around.After != nil {
		t.Errorf("with none on either side: %+v, %v", around, err)
	}
}

func TestAReportIsLookedForInFiftyOthersAtMost(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "{name: many, reports: 60}")
	all, err := p.Reports().All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := p.Requests()
	anyOf := func(adminapi.ReportSummary) bool { return true }
	found, err := p.Reports().First(t.Context(), all, anyOf, func(r adminapi.Report) bool { return r.ID == all[50].ID })
	if err != nil || found != nil || p.Requests()-before != 50 {
		t.Errorf("%+v after %d requests, %v", found, p.Requests()-before, err)
	}
	if found, err := p.Reports().First(t.Context(), all, anyOf, func(r adminapi.Report) bool { return r.ID == all[49].ID }); err != nil || found == nil {
		t.Errorf("the fiftieth: %v, %v", found, err)
	}
}

// What was named as the measure is the measure: no other report hides a failure, and none makes one new.
func TestAReportIsJudgedByTheBaselineThatWasNamed(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "degraded")
	first, second := ran(t, p, "first"), ran(t, p, "second")
	all, err := p.Reports().All(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	passed, err := p.Client.Health.Report(t.Context(), all[2].ID)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		by     health.Standard
		failed bool
		words  string // of a failure
	}{
		"it failed in it":   {health.Standard{On: health.FailOnNew, Against: &first}, false, "(first)"},
		"it passed in it":   {health.Standard{On: health.FailOnNew, Against: &passed}, true, passed.Name},
		"there is none":     {health.Standard{On: health.FailOnNew, Missing: "no earlier report is named x"}, true, "counts: no earlier report is named x"},
		"only what is new":  {health.Standard{OnlyNew: true, Against: &first}, false, "(first)"},
		"new where is none": {health.Standard{OnlyNew: true, Missing: "no earlier report is named x"}, true, "counts: no earlier report is named x"},
	} {
		before := p.Requests()
		j, err := p.Reports().Judge(t.Context(), second, tt.by)
		lines := j.Known
		if tt.failed {
			lines = j.New
		}
		if err != nil || j.Failed != tt.failed || !has(lines, "healthcheck_objectStore", tt.words) || p.Requests() != before {
			t.Errorf("%s: %+v after %d requests, %v", name, j, p.Requests()-before, err)
		}
	}
}
