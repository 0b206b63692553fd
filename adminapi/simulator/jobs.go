package simulator

import (
	"slices"
	"strings"
	"time"
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
	return []*route{get("/jobs", "Jobs", a.showAll), get("/jobs/{id}", "Job", on(a.find, a.show))}
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

type jobBody struct {
	ID        string       `json:"jobid"`
	Name      string       `json:"name,omitempty"`
	Status    string       `json:"status"`
	Username  string       `json:"username"`
	RequestID string       `json:"requestID,omitempty"`
	Operation string       `json:"operationURI"`
	Resource  *jobResource `json:"resource,omitempty"`
	Start     int64        `json:"starttime"`
	End       int64        `json:"endtime"`
	Updated   int64        `json:"updatedtime"`
	Messages  []string     `json:"messages,omitempty"`
	Result    any          `json:"result,omitempty"`
}

type jobResource struct {
	Name string `json:"name"`
}

// body shows the job; like the real platform it says its name, and what it works on,
// only once it has ended, except that one on a service names that at once.
func (j *job) body(now time.Time) jobBody {
	b := jobBody{ID: j.id, Status: j.status(now), Username: j.username, Operation: j.operation,
		Start: millis(j.submitted), Updated: millis(now)}
	if strings.HasPrefix(j.operation, adminRoot+"/services/") {
		b.Resource = &jobResource{j.resource}
	}
	switch b.Status {
	case jobSubmitted:
		b.Updated = millis(j.submitted)
	case jobExecuting, jobCancelling:
		if j.partial != nil {
			b.Result = j.partial(now)
		}
	default:
		b.Name, b.RequestID, b.Resource = j.name, j.requestID, &jobResource{j.resource}
		b.End, b.Updated, b.Messages = millis(j.ends), millis(j.ends), j.messages
		if j.result != nil {
			b.Result = j.result()
		}
	}
	return b
}

func (a *jobs) showAll(*request) any {
	ids := []string{}
	for _, j := range slices.Backward(a.list) {
		ids = append(ids, j.id)
	}
	return map[string][]string{"jobs": ids}
}

func (a *jobs) show(q *request, j *job) any { return j.body(q.now) }

// add adds a job and gives it its ids.
func (a *jobs) add(j job) *job {
	r := a.ids
	j.id, j.requestID = "j"+longID(r), longID(r)
	a.list = append(a.list, &j)
	return &j
}

type acceptedBody struct {
	JobsURL string `json:"jobsUrl"`
	JobID   string `json:"jobid"`
	Status  string `json:"status"`
}

// inJob starts the job of a request and answers with it.
func (a *jobs) inJob(q *request, j job) answer {
	j.username, j.submitted, j.operation = q.user.Username, q.now, q.http.URL.Path
	started := a.add(j)
	path := adminRoot + "/jobs/" + started.id
	return answer{body: acceptedBody{a.url(path), started.id, jobSubmitted}, redirect: path}
}

// serviceJobBody is acceptedBody as operations on services spell it.
type serviceJobBody struct {
	JobsURL string `json:"jobsUrl"`
	JobID   string `json:"jobID"`
	Status  string `json:"jobStatus"`
}

// inServiceJob is inJob for operations on services.
func (a *jobs) inServiceJob(q *request, j job) answer {
	accepted := a.inJob(q, j)
	accepted.body = serviceJobBody(accepted.body.(acceptedBody))
	return accepted
}

// operationError is the form in which operations on services fail.
type operationError struct {
	Status   string   `json:"status"`
	Messages []string `json:"messages"`
	Code     int      `json:"code"`
}

// atEnd is the answer to an operation on a service that waits for its end.
func (j job) atEnd(now time.Time) answer {
	a := answer{body: success, after: j.ends.Sub(now)}
	if len(j.messages) > 0 {
		a.body = operationError{"error", j.messages, 500}
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
			result: func() any { return healthResult(past.report(time.Time{})) },
		})
	}
}
