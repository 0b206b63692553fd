package simulator

import (
	"path"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi/lists"
)

// The statuses of a job.
const (
	jobSubmitted  = "SUBMITTED"
	jobExecuting  = "EXECUTING"
	jobCancelling = "CANCELLING"
	jobCompleted  = "COMPLETED"
	jobFailed     = "FAILED"
	jobCancelled  = "CANCELLED"
	jobTimedOut   = "TIMED OUT"
)

// cancelDuration is how long a job is CANCELLING.
const cancelDuration = 2 * time.Second

// job is an operation that takes a while. What it shows is computed from the clock
// when it is fetched.
type job struct {
	id, name, operation, resource string
	requestID, username           string
	submitted, begins, ends       time.Time

	end      string                  // status at its end; empty means COMPLETED
	messages []string                // shown at its end
	result   func() any              // at its end; may be nil
	partial  func(now time.Time) any // while it executes; may be nil
}

// jobs is the area of operations that take a while.
type jobs struct {
	*world
	list []*job // oldest first
}

func (a *jobs) routes() []*route {
	return []*route{get("/jobs", "Jobs", a.showAll), get("/jobs/{id}", "Job", on(a.find, showJob))}
}

func (a *jobs) find(q *request) (*job, error) {
	id := q.vars["id"]
	return orNotFound(find(a.list, func(j *job) bool { return j.id == id }), "job", "job "+id)
}

func (j *job) status(now time.Time) string {
	switch {
	case now.Before(j.begins):
		return jobSubmitted
	case j.end == jobCancelled && now.Before(j.ends) && !now.Before(j.ends.Add(-cancelDuration)):
		return jobCancelling
	case now.Before(j.ends):
		return jobExecuting
	case j.end != "":
		return j.end
	}
	return jobCompleted
}

// showJob shows a job; like the real platform it says its name, and what it works on,
// only once it has ended, except that one on a service names that at once.
func showJob(q *request, j *job) any {
	status, updated := j.status(q.now), q.now
	b := object{"jobid": j.id, "status": status, "username": j.username, "operationURI": j.operation,
		"starttime": millis(j.submitted), "endtime": 0}
	if strings.HasPrefix(j.operation, adminRoot+"/services/") {
		b["resource"] = object{"name": j.resource}
	}
	switch status {
	case jobSubmitted:
		updated = j.submitted
	case jobExecuting, jobCancelling:
		if j.partial != nil {
			b["result"] = j.partial(q.now)
		}
	default:
		updated = j.ends
		b["name"], b["requestID"], b["resource"] = j.name, j.requestID, object{"name": j.resource}
		b["endtime"] = millis(j.ends)
		if len(j.messages) > 0 {
			b["messages"] = j.messages
		}
		if j.result != nil {
			b["result"] = j.result()
		}
	}
	b["updatedtime"] = millis(updated)
	return b
}

func (a *jobs) showAll(*request) any {
	ids := lists.Each(a.list, func(j *job) string { return j.id })
	slices.Reverse(ids)
	return object{"jobs": ids}
}

// add adds a job and gives it its ids.
func (a *jobs) add(j job) *job {
	r := a.ids
	j.id, j.requestID = "j"+longID(r), longID(r)
	a.list = append(a.list, &j)
	return &j
}

// inJob starts the job of a request and answers with it.
func (a *jobs) inJob(q *request, j job) answer { return a.accept(q, j, "jobid", "status") }

// inServiceJob is inJob for operations on services, which spell it in another way.
func (a *jobs) inServiceJob(q *request, j job) answer { return a.accept(q, j, "jobID", "jobStatus") }

func (a *jobs) accept(q *request, j job, id, status string) answer {
	j.username, j.submitted, j.operation = q.user.Username, q.now, path.Clean(q.http.URL.Path)
	started := a.add(j)
	at := adminRoot + "/jobs/" + started.id
	return answer{body: object{"jobsUrl": a.url(at), id: started.id, status: jobSubmitted}, redirect: at}
}

// atEnd is the answer to an operation on a service that waits for its end.
func (j job) atEnd(now time.Time) answer {
	a := answer{body: success, after: j.ends.Sub(now)}
	if len(j.messages) > 0 {
		a.body = object{"status": "error", "messages": j.messages, "code": 500}
	}
	return a
}

// addPast adds the jobs behind the reports that a person started in the last
// month.
func (a *jobs) addPast() {
	r := a.random("past jobs")
	for _, past := range slices.Backward(a.health.ended) {
		if past.createdBy != "admin" || a.started.Sub(past.end) > 30*24*time.Hour {
			continue
		}
		a.list = append(a.list, &job{
			id: "j" + longID(r), requestID: longID(r), username: past.createdBy, name: runJobName, resource: runJobResource,
			operation: adminRoot + "/healthCheck/run", submitted: past.start.Add(-queueTime), begins: past.start, ends: past.end,
			result: func() any { return healthResult(past.report(past.end)) },
		})
	}
}
