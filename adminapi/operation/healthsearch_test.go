package operation_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/operationtest"
	"geodeck/adminapi/operation/polling"
)

// otherRun is a job that appears at the site once a run was sent.
type otherRun struct {
	status, by, of string
	report         string // the name of the report that it shows; empty for none
}

// nameless is a report without a name.
const nameless = "nameless"

// showsRuns makes the site list jobs by their ids after a health run was sent, which it answers with a status
// and does not begin. A job that was removed is still in the list.
func showsRuns(p *operationtest.Platform, status int, jobs map[string]func() otherRun) {
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		at, id := r.URL.Path, r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:]
		w.Header().Set("Date", p.Clock.Now().UTC().Format(http.TimeFormat))
		switch {
		case strings.HasSuffix(at, "/healthCheck/run"):
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, `{"error":{"code":500,"message":"It took too long.","details":[]}}`)
		case strings.HasSuffix(at, "/admin/jobs"):
			list := []string{}
			for id := range jobs {
				if p.Sent("POST run") > 0 {
					list = append(list, fmt.Sprintf("%q", id))
				}
			}
			_, _ = io.WriteString(w, `{"jobs":[`+strings.Join(list, ",")+`]}`)
		case strings.Contains(at, "/admin/jobs/") && jobs[id] != nil:
			job, now, result := jobs[id](), p.Clock.Now().UnixMilli(), "null"
			if job.status == "removed" {
				http.NotFound(w, r)
				return
			}
			if job.report != "" {
				result = fmt.Sprintf(`{"diagnosticHealthReport":{"id":"rabcdefghi","name":%q,"result":"passed","state":"in_progress","startTime":%d,"suiteStatus":[]}}`, strings.TrimPrefix(job.report, nameless), now)
			}
			_, _ = fmt.Fprintf(w, `{"jobid":%q,"status":%q,"username":%q,"operationURI":"/geodeck/admin/%s","starttime":%d,"result":%s}`,
				id, job.status, job.by, job.of, now, result)
		default:
			pass()
		}
	})
}

// also has some requests answered otherwise than they were.
func also(p *operationtest.Platform, do func(w http.ResponseWriter, r *http.Request) (answered bool)) {
	before := p.Intercepting()
	p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
		if !do(w, r) {
			before(w, r, pass)
		}
	})
}

// lostRun starts the run "nightly", whose answer is of unknown outcome, and polls it to its end. The end has to come.
func lostRun(t *testing.T, p *operationtest.Platform) (taken bool, report adminapi.Report, result operation.Result) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	run, outcome, err := operationtest.Apart(p.StartHealthRun(ctx, adminapi.HealthRun{SuiteIDs: []string{adminapi.BasicSuite}, Name: "nightly"}))
	if outcome != adminapi.OutcomeUnknown {
		t.Fatalf("outcome %v, error %v", outcome, err)
	}
	polls := 0
	report, err = operationtest.WaitHealthRun(ctx, p, run, func(s polling.Step[operation.HealthSnapshot]) {
		taken = taken || s.Value.Job.ID != ""
		if r := s.Value.Report; r != nil && (!s.Value.Own || r.Name != "nightly") || r == nil && s.Value.Job.ID != "" && s.Value.Own {
			t.Errorf("own %v, of the job %s with the report %+v", s.Value.Own, s.Value.Job.ID, r)
		}
		if polls++; polls == 500 {
			t.Error("it is polled without end")
			cancel()
		}
	})
	p.WantSent(t, "POST run", 1)
	return taken, report, run.Result(err)
}

// A job is a candidate only where it is a health check of this user, and it is ours only where its report has the name.
func TestTheJobsOfOthersAreNotTheLostRun(t *testing.T) {
	t.Parallel()
	const health, edit = "healthCheck/run", "services/SampleWorldCities.MapServer/edit"
	for name, c := range map[string]struct {
		id        string
		job       otherRun
		then      string // its status a minute later, where that is another
		candidate bool
	}{
		"of a colleague":                    {"j1", otherRun{adminapi.JobCompleted, "colleague", health, "nightly"}, "", false},
		"an edit":                           {"j1", otherRun{adminapi.JobCompleted, "admin", edit, ""}, "", false},
		"another name":                      {"j1", otherRun{adminapi.JobCompleted, "admin", health, "weekly"}, "", true},
		"another name, not ended":           {"j1", otherRun{adminapi.JobExecuting, "admin", health, "weekly"}, adminapi.JobCompleted, true},
		"another name, shown while it runs": {"j1", otherRun{adminapi.JobExecuting, "admin", health, "weekly"}, "", true},
		"no report":                         {"j1", otherRun{adminapi.JobCompleted, "admin", health, ""}, "", true},
		"failed":                            {"j1", otherRun{adminapi.JobFailed, "admin", health, ""}, "", true},
		"removed while it runs":             {"j1", otherRun{adminapi.JobExecuting, "admin", health, ""}, "removed", true},
		"removed before it is read":         {"j1", otherRun{status: "removed"}, "", false},
		"an id that cannot be read of":      {"../odd", otherRun{}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := operationtest.WithJournal(t, "healthy")
			ends := operationtest.Start.Add(time.Minute)
			showsRuns(p, http.StatusGatewayTimeout, map[string]func() otherRun{c.id: func() otherRun {
				job := c.job
				if c.then != "" && p.Clock.Now().After(ends) {
					job.status = c.then
				}
				return job
			}})
			candidate, _, result := lostRun(t, p)
			if candidate != c.candidate {
				t.Errorf("taken for a candidate: %v", candidate)
			}
			p.WantOutcome(t, adminapi.OutcomeUnknown)
			says := "no run of that name"
			if name == "failed" {
				says = "a job that may be another run did not complete: job j1 "
			}
			if result.End() != operation.EndLost || !errors.Is(result.Err, operation.ErrOutcomeUnknown) || !strings.Contains(result.Err.Error(), says) {
				t.Errorf("outcome %v, error %v", result.Outcome, result.Err)
			}
			p.Clock.Advance(10 * time.Minute) // two checks do no harm: whoever wants it sends again, also beside another one
			if err := p.AllowNextWrite(t.Context(), adminapi.TargetHealthRun("nightly"), "nightly"); err != nil {
				t.Errorf("it cannot be sent again: %v", err)
			}
		})
	}
}

// The candidates of a user whose name cannot be read are all runs since: the run may be any of them.
func TestALostRunIsFoundWhereTheUserIsNotKnown(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	ends := operationtest.Start.Add(2 * time.Minute)
	showsRuns(p, http.StatusOK, map[string]func() otherRun{"j1": func() otherRun {
		if p.Clock.Now().Before(ends) {
			return otherRun{adminapi.JobExecuting, "admin", "healthCheck/run", ""}
		}
		return otherRun{adminapi.JobCompleted, "admin", "healthCheck/run", "nightly"}
	}})
	also(p, func(w http.ResponseWriter, r *http.Request) bool {
		if !strings.HasSuffix(r.URL.Path, "/self") {
			return false
		}
		http.NotFound(w, r)
		return true
	})
	if taken, report, result := lostRun(t, p); !taken || report.Name != "nightly" || result.Outcome != adminapi.OutcomeDone {
		t.Errorf("taken for a candidate: %v, report %q, outcome %v, error %v", taken, report.Name, result.Outcome, result.Err)
	}
	p.WantOutcome(t, adminapi.OutcomeDone)
}

// What was found is recorded at once, since the program may end before the run: that it was begun, and not yet how it ended.
func TestALostRunThatGoesOnIsRecordedAsDoneAndNotAsEnded(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	status := adminapi.JobExecuting
	showsRuns(p, http.StatusGatewayTimeout, map[string]func() otherRun{"j1": func() otherRun {
		return otherRun{status, "admin", "healthCheck/run", "nightly"}
	}})
	run, result := p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: []string{adminapi.BasicSuite}, Name: "nightly"})
	if result.Outcome != adminapi.OutcomeUnknown {
		t.Fatalf("outcome %v, error %v", result.Outcome, result.Err)
	}
	if seen := operationtest.Polled(t, p, run, 5); seen.Report == nil || !seen.Own {
		t.Fatalf("%+v", seen)
	}
	p.WantSettled(t, "", "")
	status = adminapi.JobCompleted
	operationtest.Polled(t, p, run, 1)
	p.WantSettled(t, journal.VerdictSucceeded, "report nightly")
	p.WantSent(t, "POST run", 1)
}

// A report may have no name before the run has begun with its tests: until it has one nobody knows whose it is.
func TestALostRunWhoseReportHasNoNameYetIsFollowedAndNotTaken(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	job := otherRun{adminapi.JobExecuting, "admin", "healthCheck/run", nameless}
	showsRuns(p, http.StatusGatewayTimeout, map[string]func() otherRun{"j1": func() otherRun { return job }})
	run, result := p.StartHealthRun(t.Context(), adminapi.HealthRun{SuiteIDs: []string{adminapi.BasicSuite}, Name: "nightly"})
	if result.Outcome != adminapi.OutcomeUnknown {
		t.Fatalf("outcome %v, error %v", result.Outcome, result.Err)
	}
	if seen := operationtest.Polled(t, p, run, 5); seen.Job.ID != "j1" || seen.Report == nil || seen.Own {
		t.Errorf("%+v", seen)
	}
	p.WantOutcome(t, adminapi.OutcomeUnknown)
	job.status, job.report = adminapi.JobCompleted, "nightly"
	if seen := operationtest.Polled(t, p, run, 1); seen.Report == nil || !seen.Own {
		t.Errorf("%+v", seen)
	}
	p.WantSettled(t, journal.VerdictSucceeded, "report nightly")
}

// There is nothing to follow, nor to search for.
func TestARunThatWasRefusedOrNotSentIsNotFollowed(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	asked := adminapi.HealthRun{SuiteIDs: []string{"no such suite"}, Name: "nightly"}
	if run, result := p.StartHealthRun(t.Context(), asked); run != nil || !result.Refused() {
		t.Errorf("followed: %v, outcome %v, error %v", run != nil, result.Outcome, result.Err)
	}
	asked.SuiteIDs = []string{adminapi.BasicSuite}
	answering(p, "/healthCheck/run", http.StatusGatewayTimeout, "<html>too late</html>", false)
	if run, result := p.StartHealthRun(t.Context(), asked); run == nil || !result.Lost() {
		t.Fatalf("followed: %v, outcome %v, error %v", run != nil, result.Outcome, result.Err)
	}
	if run, result := p.StartHealthRun(t.Context(), asked); run != nil || result.Sent() || !errors.Is(result.Err, operation.ErrUnresolved) {
		t.Errorf("followed: %v, outcome %v, error %v", run != nil, result.Outcome, result.Err)
	}
	p.WantSent(t, "POST run", 2)
}

// That a run was not seen proves nothing where it could not have been seen.
func TestARunThatCouldNotBeSeenIsNotRefused(t *testing.T) {
	t.Parallel()
	const closed = `{"error":{"code":403,"message":"no","details":[]}}`
	answers := func(status int, body string) func(w http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	for name, c := range map[string]struct {
		path map[string]func(w http.ResponseWriter)
		says string
	}{
		"no list of reports": {map[string]func(w http.ResponseWriter){"/reports/query": answers(200, closed)}, "does not offer"},
		"neither list":       {map[string]func(w http.ResponseWriter){"/reports/query": answers(200, closed), "/admin/jobs": answers(200, closed)}, "does not offer"},
		"no list of reports, and jobs that do not answer": {map[string]func(w http.ResponseWriter){"/reports/query": answers(200, closed), "/admin/jobs": operationtest.HangUp}, "jobs"},
		"reports that do not answer":                      {map[string]func(w http.ResponseWriter){"/reports/query": operationtest.HangUp}, "reports"},
		"a job that does not answer":                      {map[string]func(w http.ResponseWriter){"/jobs/j1": answers(503, "<html>busy</html>")}, "job"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := operationtest.WithJournal(t, "healthy")
			jobs := map[string]func() otherRun{}
			if name == "a job that does not answer" {
				jobs["j1"] = nil
			}
			showsRuns(p, http.StatusOK, jobs)
			also(p, func(w http.ResponseWriter, r *http.Request) bool {
				for path, answer := range c.path {
					if strings.HasSuffix(r.URL.Path, path) {
						if path != "/admin/jobs" || p.Sent("POST run") > 0 {
							answer(w)
							return true
						}
					}
				}
				return false
			})
			_, _, result := lostRun(t, p)
			if result.Outcome != adminapi.OutcomeUnknown || !errors.Is(result.Err, operation.ErrOutcomeUnknown) || !strings.Contains(result.Err.Error(), c.says) {
				t.Errorf("outcome %v, error %v", result.Outcome, result.Err)
			}
			p.WantOutcome(t, adminapi.OutcomeUnknown)
		})
	}
}

func TestALaterReportOfTheSameNameIsNotThatOfALostRun(t *testing.T) {
	t.Parallel()
	for later, want := range map[time.Duration]adminapi.Outcome{time.Minute: adminapi.OutcomeDone, 24 * time.Hour: adminapi.OutcomeUnknown} {
		p := operationtest.WithJournal(t, "healthy")
		showsRuns(p, http.StatusGatewayTimeout, nil)
		_, _, _ = lostRun(t, p)
		p.Clock.Advance(48 * time.Hour)
		also(p, func(w http.ResponseWriter, r *http.Request) bool {
			if !strings.HasSuffix(r.URL.Path, "/reports/query") {
				return false
			}
			_, _ = fmt.Fprintf(w, `{"total":1,"num":1,"start":1,"nextStart":-1,"runs":[{"id":"rabcdefghi","name":"nightly","state":"completed","startTime":%d}]}`,
				operationtest.Start.Add(later).UnixMilli())
			return true
		})
		if _, err := p.ResolveWrites(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.WantOutcome(t, want)
	}
}

// The name is not enough: scripts of two accounts may run checks of one name at a time.
func TestAReportOfAnotherAccountIsNotThatOfALostRun(t *testing.T) {
	t.Parallel()
	for by, want := range map[string]adminapi.Outcome{"admin": adminapi.OutcomeDone, "Admin": adminapi.OutcomeDone, "": adminapi.OutcomeDone, "colleague": adminapi.OutcomeUnknown} {
		p := operationtest.WithJournal(t, "healthy")
		showsRuns(p, http.StatusOK, nil)
		var asked atomic.Int64
		also(p, func(w http.ResponseWriter, r *http.Request) bool {
			var answer string
			switch began := p.Clock.Now().UnixMilli(); {
			case p.Sent("POST run") == 0:
				return false
			case strings.HasSuffix(r.URL.Path, "/self") && asked.Add(1) == 1: // who it is, is asked again
				answer = `{"error":{"code":500,"message":"An unexpected error occurred.","details":[]}}`
			case strings.HasSuffix(r.URL.Path, "/reports/query"):
				answer = `{"total":1,"num":1,"start":1,"nextStart":-1,"runs":[{"id":"rabcdefghi","name":"nightly","createdBy":%q,"state":"completed","startTime":%d}]}`
				answer = fmt.Sprintf(answer, by, began)
			case strings.HasSuffix(r.URL.Path, "/rabcdefghi"):
				answer = `{"id":"rabcdefghi","name":"nightly","createdBy":"` + by + `","state":"completed","suiteStatus":[]}`
			default:
				return false
			}
			_, _ = io.WriteString(w, answer)
			return true
		})
		_, _, result := lostRun(t, p)
		if result.Outcome != want || want == adminapi.OutcomeUnknown && !errors.Is(result.Err, operation.ErrOutcomeUnknown) {
			t.Errorf("by %q: outcome %v, error %v", by, result.Outcome, result.Err)
		}
		p.Clock.Advance(time.Minute) // nor is it refused then
		if _, err := p.ResolveWrites(t.Context()); err != nil {
			t.Fatal(err)
		}
		p.WantOutcome(t, want)
	}
}

// A report that was listed, and then deleted, was the one of the run.
func TestALostRunWhoseReportWasDeletedIsDone(t *testing.T) {
	t.Parallel()
	p := operationtest.WithJournal(t, "healthy")
	showsRuns(p, http.StatusGatewayTimeout, nil)
	also(p, func(w http.ResponseWriter, r *http.Request) bool {
		switch {
		case strings.HasSuffix(r.URL.Path, "/reports/query"):
			_, _ = fmt.Fprintf(w, `{"total":1,"num":1,"start":1,"nextStart":-1,"runs":[{"id":"rabcdefghi","name":"nightly","state":"completed","startTime":%d}]}`, p.Clock.Now().UnixMilli())
		case strings.HasSuffix(r.URL.Path, "/rabcdefghi"):
			_, _ = io.WriteString(w, `{"error":{"code":404,"message":"There is no such report.","details":[]}}`)
		default:
			return false
		}
		return true
	})
	if _, _, result := lostRun(t, p); result.Outcome != adminapi.OutcomeDone || !errors.Is(result.Err, adminapi.KindNotFound) {
		t.Errorf("outcome %v, error %v", result.Outcome, result.Err)
	}
	p.WantOutcome(t, adminapi.OutcomeDone)
}

// A job that may be that of a run is told as it is, by the next program too; one of a later hour is not its.
func TestTheNextProgramSaysWhetherTheJobThatMayBeARunHasEnded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status string
		later  time.Duration
		says   string
	}{
		"it runs":          {adminapi.JobExecuting, 0, "a health check is running there, job j1"},
		"it has ended":     {adminapi.JobCompleted, 0, "a health check has ended there, job j1"},
		"begun much later": {adminapi.JobExecuting, 20 * time.Hour, "the site has no run of that name"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			p := operationtest.BuiltIn(t, "healthy").Remembering(t, folder)
			ctx, kill := context.WithCancel(t.Context())
			p.Intercept(func(w http.ResponseWriter, r *http.Request, pass func()) {
				switch at := r.URL.Path; {
				case strings.HasSuffix(at, "/healthCheck/run"):
					kill()
					operationtest.HangUp(w)
				case strings.HasSuffix(at, "/admin/jobs"):
					_, _ = io.WriteString(w, `{"jobs":["j1"]}`)
				case strings.HasSuffix(at, "/admin/jobs/j1"):
					_, _ = fmt.Fprintf(w, `{"jobid":"j1","status":%q,"username":"admin","operationURI":"/geodeck/admin/healthCheck/run","starttime":%d}`,
						c.status, operationtest.Start.Add(c.later).UnixMilli())
				default:
					pass()
				}
			})
			_, _ = p.StartHealthRun(ctx, adminapi.HealthRun{SuiteIDs: []string{adminapi.BasicSuite}, Name: "nightly"})
			p.Remembering(t, folder)
			p.Clock.Advance(24 * time.Hour)
			found, err := p.ResolveWrites(t.Context())
			if err != nil || len(found) != 1 || !strings.Contains(found[0].Text(), c.says) {
				t.Errorf("found %+v, %v", found, err)
			}
		})
	}
}
