package operation_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/go-json-experiment/json"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/polling"
)

func TestThePathOfAnOperationTellsWhatItIsAbout(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]operation.Subject{
		"/ctx/admin/services/Hosted/Roads.MapServer/edit":  {Service: "Hosted/Roads.MapServer"},
		"/ctx/admin/services/B%C3%A4ume.MapServer/stop":    {Service: "Bäume.MapServer"},
		"/ctx/admin/services/Hosted/permissions":           {},
		"/ctx/admin/services":                              {},
		"/ctx/admin/services/%zz.MapServer/stop":           {},
		"/ctx/admin/healthCheck/run":                       {Health: true},
		"/ctx/admin/system/upgrades/upgrade":               {Upgrade: true},
		"/ctx/admin/system/upgrades/rollback":              {Upgrade: true},
		"/ctx/admin/system/disasterrecovery/stores/create": {},
		"/somewhere/else":                                  {},
		"":                                                 {},
	} {
		if got := operation.SubjectOf(path); got != want {
			t.Errorf("%s is about %+v, want %+v", path, got, want)
		}
	}
}

func TestJobsThatHaveEndedAreReadOnce(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	first, err := p.RefreshJobs(t.Context(), nil, nil)
	if err != nil || len(first.IDs) < 3 || first.Running() != 0 {
		t.Fatalf("%+v, %v", first, err)
	}
	newest := first.IDs[0]
	if job, read := first.Job(newest); !read || !job.Completed() || !job.About.Health || job.About.Report == "" || first.Report(job.About.Name) != job.About.Report || len(job.Result) > 0 {
		t.Errorf("%+v, %t", job, read)
	}
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		switch {
		case strings.HasSuffix(r.URL.Path, "/jobs"):
			_, _ = fmt.Fprintf(w, `{"jobs":["new","new","../odd",%q,"gone"]}`, newest)
		case strings.HasSuffix(r.URL.Path, "/jobs/new"):
			_, _ = w.Write([]byte(`{"jobid":"new","status":"EXECUTING","operationURI":"/c/admin/services/A.MapServer/edit"}`))
		case strings.HasSuffix(r.URL.Path, newest):
			t.Error("a job that has ended is read again")
		default:
			pass()
		}
	})
	second, err := p.RefreshJobs(t.Context(), first, nil)
	if err != nil || strings.Join(second.IDs, " ") != "new ../odd "+newest+" gone" || second.Running() != 1 || first.Running() != 0 {
		t.Fatalf("%q, %d run, %v", second.IDs, second.Running(), err)
	}
	if job, read := second.Job("gone"); !read || !job.Gone() {
		t.Errorf("what the site does not have: %+v, %t", job, read)
	}
	if _, read := second.Job(first.IDs[1]); read {
		t.Error("a job that is listed no more is kept")
	}
	before := p.Sent("GET gone")
	if _, err := p.RefreshJobs(t.Context(), second, []string{"gone", newest}); err != nil || p.Sent("GET gone") != before {
		t.Errorf("a job that is gone is read again, %v", err)
	}
}

func TestNothingIsKnownOfJobsBeforeTheFirstRefresh(t *testing.T) {
	t.Parallel()
	var none *operation.JobTable
	if _, known := none.Job("j1"); known || none.Running() != 0 || none.Report("nightly") != "" {
		t.Error("something is")
	}
}

// A job that runs says how far it is. Nothing is said of one that has ended, nor of one whose report has no tests yet.
func TestAHealthCheckThatRunsSaysHowFarItIs(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	const half = `{"diagnosticHealthReport":{"id":"r1","name":"","result":"","state":"in_progress","suiteStatus":[{"id":"A","name":"A","criticalTestStatus":[` +
		`{"id":"1","name":"one","result":"pass","state":"completed","startTime":1,"endTime":2},{"id":"2","name":"two","state":"in_progress","startTime":2}]}]}}`
	long := `"` + strings.Repeat("x", 9000) + `"`
	jobs := map[string]string{
		"half":  `"status":"EXECUTING","result":` + half,
		"begun": `"status":"EXECUTING","result":null`,
		"ended": `"status":"COMPLETED","messages":[` + long + `],"result":` + half,
	}
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		_, id, one := strings.Cut(r.URL.Path, "/jobs/")
		switch {
		case one:
			_, _ = fmt.Fprintf(w, `{"jobid":%q,"operationURI":"/geodeck/admin/healthCheck/run",%s}`, id, jobs[id])
		case strings.HasSuffix(r.URL.Path, "/jobs"):
			_, _ = io.WriteString(w, `{"jobs":["half","begun","ended"]}`)
		default:
			pass()
		}
	})
	table, err := p.RefreshJobs(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]int{"half": 50, "begun": -1, "ended": -1} {
		job, read := table.Job(id)
		if percent, known := job.Percent(); !read || known != (want >= 0) || known && percent != want {
			t.Errorf("%s: %d %%, %v; want %d", id, percent, known, want)
		}
		if kept := len(job.Raw) > 0; kept != (id != "ended") { // long ones would fill the memory
			t.Errorf("%s: %d bytes are kept", id, len(job.Raw))
		}
	}
	if id := table.Report(""); id != "" {
		t.Errorf("a run without a name has the report %s", id)
	}
}

func TestOfManyJobsOnlySomeAreReadUnlessTheyAreWanted(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	ids := make([]string, 1000)
	for i := range ids {
		ids[i] = fmt.Sprintf("%q", fmt.Sprint("j", i))
	}
	var read atomic.Int32
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		_, id, _ := strings.Cut(r.URL.Path, "/jobs/")
		if id != "" {
			read.Add(1)
			_, _ = fmt.Fprintf(w, `{"jobid":%q,"status":"COMPLETED"}`, id)
			return
		}
		_, _ = w.Write([]byte(`{"jobs":[` + strings.Join(ids, ",") + `]}`))
	})
	table, err := p.RefreshJobs(t.Context(), nil, nil)
	if n := read.Swap(0); err != nil || n != 80 || len(table.IDs) != 1000 {
		t.Fatalf("%d of %d are read, %v", n, len(table.IDs), err)
	}
	for _, id := range []string{"j0", "j59", "j980", "j999"} {
		if _, known := table.Job(id); !known {
			t.Errorf("%s is not read", id)
		}
	}
	table, err = p.RefreshJobs(t.Context(), table, []string{"j500", "j501"})
	if _, known := table.Job("j500"); err != nil || read.Load() != 2 || !known {
		t.Errorf("%d are read, %v", read.Load(), err)
	}
}

// What was read before an error stays.
func TestAJobThatCannotBeReadLeavesTheOthers(t *testing.T) {
	t.Parallel()
	p := operationtest.BuiltIn(t, "healthy")
	first, err := p.RefreshJobs(t.Context(), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if strings.HasSuffix(r.URL.Path, "/jobs") {
			_, _ = fmt.Fprintf(w, `{"jobs":["new",%q]}`, first.IDs[0])
			return
		}
		http.Error(w, "no", http.StatusServiceUnavailable)
	})
	second, err := p.RefreshJobs(t.Context(), first, nil)
	if _, known := second.Job(first.IDs[0]); err == nil || !known || len(second.IDs) != 2 {
		t.Errorf("%+v, %v", second.IDs, err)
	}
}

func TestADeletedJobDoesNotHideTheOthers(t *testing.T) {
	t.Parallel()
	p := operationtest.New(t, "name: healthy")
	first := begin(t, p)
	second := begin(t, p)
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
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

// TestTheReasonsOfAJobHoldNoSecret: also where it failed long after it was sent.
func TestTheReasonsOfAJobHoldNoSecret(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	token := p.Client.Session.Token().Value.Reveal()
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !strings.Contains(r.URL.Path, "/jobs/") {
			pass()
			return
		}
		quoted, _ := json.Marshal(operationtest.Echoes(token))
		_, _ = io.WriteString(w, `{"jobid":"j","status":"FAILED","messages":`+string(quoted)+`,"result":{"error":{"details":`+string(quoted)+`}}}`)
	})
	_, err := p.WaitJob(t.Context(), "j", func(polling.Step[adminapi.Job]) {})
	if err == nil {
		t.Fatal("no error")
	}
	operationtest.WantNoTrace(t, "the error", err.Error(), token)
}
