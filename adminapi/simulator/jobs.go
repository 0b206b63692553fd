package simulator

import "time"

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

// cancelTakes is how long a job is seen to be cancelled.
const cancelTakes = 2 * time.Second

// job is an operation that goes on. What it shows is computed from the clock
// when somebody reads it.
type job struct {
	id, name, operation, resource string
	requestID, username           string
	submitted, begins, ends       time.Time

	end      string                  // status at its end; empty means COMPLETED
	messages []string                // shown at its end
	result   func() any              // at its end; may be nil
	partial  func(now time.Time) any // while it executes; may be nil
}

type jobs struct {
	byID  map[string]*job
	order []*job // oldest first
}

func newJobs() *jobs { return &jobs{byID: map[string]*job{}} }

func jobRoutes(w *world) []route {
	return []route{get("/jobs", "Jobs", w.listJobs), get("/jobs/{id}", "Job", w.showJob)}
}

// startJob gives a job its ids and its place among the others.
func (w *world) startJob(q *request, j job) *job {
	j.id, j.requestID = "j"+longID(w.ids), longID(w.ids)
	j.username, j.submitted, j.operation = q.user.Username, q.now, q.http.URL.Path
	w.jobs.add(&j)
	return &j
}

func (s *jobs) add(j *job) {
	s.byID[j.id] = j
	s.order = append(s.order, j)
}

func (j *job) status(now time.Time) string {
	switch {
	case now.Before(j.begins):
		return jobSubmitted
	case j.end == jobCancelled && now.Before(j.ends) && !now.Before(j.ends.Add(-cancelTakes)):
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

// body shows the job; like the real platform it names operation and resource
// only once it has ended.
func (j *job) body(now time.Time) jobBody {
	b := jobBody{ID: j.id, Status: j.status(now), Username: j.username, Operation: j.operation,
		Start: millis(j.submitted), Updated: millis(now)}
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

func (w *world) listJobs(*request) (answer, error) {
	ids := make([]string, 0, len(w.jobs.order))
	for i := len(w.jobs.order) - 1; i >= 0; i-- {
		ids = append(ids, w.jobs.order[i].id)
	}
	return answer{body: map[string][]string{"jobs": ids}}, nil
}

func (w *world) showJob(q *request) (answer, error) {
	j := w.jobs.byID[q.vars["id"]]
	if j == nil {
		return answer{}, notFound("no such job", "there is no job "+q.vars["id"])
	}
	return answer{body: j.body(q.now)}, nil
}

type acceptedBody struct {
	JobsURL string `json:"jobsUrl"`
	JobID   string `json:"jobid"`
	Status  string `json:"status"`
}

// accepted is the answer to an operation that goes on in a job.
func (w *world) accepted(j *job) answer {
	return answer{
		body:     acceptedBody{w.adminURL() + "/jobs/" + j.id, j.id, jobSubmitted},
		redirect: adminRoot + "/jobs/" + j.id,
	}
}
