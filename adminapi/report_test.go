package adminapi_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"geodeck/adminapi"
)

const bareReport = `{"id":"vegcl1xm6u","name":"nightly","owner":"siteadmin","createdBy":"siteadmin","result":"failed","state":"completed",
	"startTime":1699148551031,"endTime":1699148563298,"suiteStatus":[{"id":"BSHC-001","name":"Basic health checks","result":"failed","state":"completed",
	"startTime":1699148551031,"endTime":1699148563298,
	"criticalTestStatus":[{"id":"HC_112_002","name":"sharing_availability","severity":"critical","result":"fail","state":"completed",
	"startTime":1699148551031,"endTime":1699148552031,"message":"no answer","big":12345678901234567890}],"generalTestStatus":[]}],"newKey":{"a":1.0}}`

func TestAReportIsFoundWithinAJobOrAResult(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"bare":      bareReport,
		"marked":    "\ufeff\n" + bareReport + "\n",
		"wrapped":   `{"diagnosticHealthReport":` + bareReport + `}`,
		"in result": `{"result":{"diagnosticHealthReport":` + bareReport + `}}`,
		"in a job":  `{"jobid":"j1","status":"COMPLETED","name":"run","result":{"diagnosticHealthReport":` + bareReport + `}}`,
		"direct":    `{"jobid":"j1","status":"COMPLETED","result":` + bareReport + `}`,
	} {
		r, err := adminapi.DecodeReport([]byte(text))
		check(t, name, []string{r.ID, r.Result, r.Suites[0].Critical[0].ID}, []string{"vegcl1xm6u", "failed", "HC_112_002"}, err)
		check(t, name+", raw", string(r.Raw), bareReport, nil)
		check(t, name+", unknown", string(r.Unknown), `{"newKey":{"a":1.0}}`, nil)
		test := r.Suites[0].Critical[0]
		check(t, name+", unknown of a test", string(test.Unknown), `{"message":"no answer","big":12345678901234567890}`, nil)
		if !strings.Contains(string(test.Raw), `"severity":"critical"`) {
			t.Errorf("%s: raw test %s", name, test.Raw)
		}
		took, known := adminapi.Span(test.StartTime, test.EndTime)
		check(t, name+", duration", took, time.Second, nil)
		check(t, name+", duration known", known, true, nil)
	}
}

func TestAReportOfAnOddShapeIsRead(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"suite not in a list":  `{"suiteStatus":{"id":"S","criticalTestStatus":{"id":"T"}}}`,
		"numbers as texts":     `{"id":7,"suiteStatus":[{"id":"S","startTime":"1699148551031","endTime":1.699148563298e12,"criticalTestStatus":[{"id":"T"}]}]}`,
		"lists that are null":  `{"suiteStatus":[{"id":"S","generalTestStatus":null,"criticalTestStatus":[{"id":"T","state":null}]}]}`,
		"list that is no list": `{"suiteStatus":[{"id":"S","generalTestStatus":"none","criticalTestStatus":[{"id":"T"}]}]}`,
		"suites in a suite":    `{"suiteStatus":[{"id":"S","suiteStatus":[{"id":"X"}],"criticalTestStatus":[{"id":"T","criticalTestStatus":[{"id":"Y"}]}]}]}`,
		"other case, twice":    `{"SuiteStatus":[],"suiteStatus":[{"ID":"S","CriticalTestStatus":[{"id":"T"}]}]}`,
	} {
		r, err := adminapi.DecodeReport([]byte(text))
		if err != nil || len(r.Suites) != 1 || r.Suites[0].ID != "S" || len(r.Suites[0].Critical) != 1 || r.Suites[0].Critical[0].ID != "T" {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
	r, err := adminapi.DecodeReport([]byte(`{"id":"a","result":"passed"}`))
	check(t, "no suites", len(r.Suites), 0, err)
}

func TestOtherJSONIsNotReadAsAReport(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "null", "[]", `"x"`, "{}", "<html>", bareReport[:200], `{"id":"a","name":"n"}`, `{"jobid":"j1","status":"EXECUTING","result":null}`,
		`{"result":{"service":{"serviceName":"a"}}}`, `{"suiteStatus":[["nested"]]}`, strings.Repeat(`{"result":`, 20_000),
	} {
		_, err := adminapi.DecodeReport([]byte(text))
		wantKind(t, err, adminapi.KindNotJSON)
		if len(err.Error()) > 300 {
			t.Errorf("%.40q: a sentence of %d bytes", text, len(err.Error()))
		}
	}
}

func TestTheReportOfAJob(t *testing.T) {
	t.Parallel()
	s := answering(t, map[string]string{
		"/ctx/admin/jobs/done":                `{"jobID":"done","status":"COMPLETED","resource":"healthCheck","result":{"diagnosticHealthReport":` + bareReport + `}}`,
		"/ctx/admin/jobs/runs":                recorded(t, "job_edit_service_executing"),
		"/ctx/admin/jobs/named":               `{"status":"EXECUTING","result":null}`,
		"/ctx/admin/jobs/none":                `{"jobs":[]}`,
		"/ctx/admin/healthCheck/reports/r":    bareReport,
		"/ctx/admin/healthCheck/reports/none": `{"jobs":[]}`,
	})
	c := s.client(t)
	job, err := c.Jobs.Get(t.Context(), "done")
	report, ok := job.Report()
	check(t, "report", []any{job.ID, report.ID, ok, job.Resource.Name}, []any{"done", "vegcl1xm6u", true, "healthCheck"}, err)
	job, err = c.Jobs.Get(t.Context(), "runs")
	_, ok = job.Report()
	check(t, "no report yet", ok, false, err)
	job, err = c.Jobs.Get(t.Context(), "named")
	check(t, "the id that was asked for", job.ID, "named", err)
	_, err = c.Jobs.Get(t.Context(), "none")
	wantKind(t, err, adminapi.KindNotJSON)
	report, err = c.Health.Report(t.Context(), "r")
	check(t, "report by id", report.Name, "nightly", err)
	_, err = c.Health.Report(t.Context(), "none")
	wantKind(t, err, adminapi.KindNotJSON)
}

func TestAJobSaysWhyItFailed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`"messages":["a","a"," ","b"]`:                       {"a", "b"},
		`"messages":"alone"`:                                 {"alone"},
		`"messages":[{"code":1,"message":"a"}]`:              {"a"},
		`"message":"top","result":"plain"`:                   {"top", "plain"},
		`"result":{"message":"m","messages":["n"]}`:          {"m", "n"},
		`"result":{"error":"text"}`:                          {"text"},
		`"result":{"error":{"message":"m","details":["d"]}}`: {"m", "d"},
		`"result":{"stages":[{"name":"one","state":"SUCCESS"},{"name":"two","state":"FAILED","duration":"1 s"}]}`: {"two: FAILED"},
		`"result":["x",7]`: {"x", "7"},
		`"result":null`:    nil,
	} {
		c := serve(t, says(200, `{"jobid":"j","status":"FAILED",`+text+`}`)).client(t)
		job, err := c.Jobs.Get(t.Context(), "j")
		check(t, text, job.Reasons(), want, err)
		check(t, text+" broken", job.Failed(), true, nil)
	}
}

// manyTests is a report of n tests, each of them some 250 bytes.
func manyTests(n int) []byte {
	var b strings.Builder
	b.WriteString(`{"id":"r","result":"passed","suiteStatus":[{"id":"S","criticalTestStatus":[],"generalTestStatus":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":"HC_112_%06d","name":"healthcheck_%06d","description":"Test number %d of a large suite","severity":"general",`+
			`"result":"pass","state":"completed","startTime":1699148551031,"endTime":1699148563298,"node":"worker-%d"}`, i, i, i, i%7)
	}
	b.WriteString(`]}]}`)
	return []byte(b.String())
}

func TestALargeReportIsReadInFull(t *testing.T) {
	t.Parallel()
	r, err := adminapi.DecodeReport(manyTests(10_000))
	check(t, "tests", len(r.Suites[0].General), 10_000, err)
}

// 100,000 tests open in well under a second.
func BenchmarkDecodeReport100000(b *testing.B) {
	body := manyTests(100_000)
	b.SetBytes(int64(len(body)))
	for b.Loop() {
		if _, err := adminapi.DecodeReport(body); err != nil {
			b.Fatal(err)
		}
	}
}
