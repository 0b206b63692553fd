package adminapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/secrets"
)

// Job is an operation that runs on the server.
type Job struct {
	ID           string         `json:"jobid"`
	Name         string         `json:"name"`
	Status       string         `json:"status"` // see the Job constants
	Username     string         `json:"username"`
	RequestID    string         `json:"requestID"`
	OperationURI string         `json:"operationURI"`
	Resource     JobResource    `json:"resource"`
	StartTime    Millis         `json:"starttime"`
	EndTime      Millis         `json:"endtime"` // zero while it runs
	UpdatedTime  Millis         `json:"updatedtime"`
	Messages     []string       `json:"messages"`
	Result       jsontext.Value `json:"result"`            // null or missing while it runs
	Response     jsontext.Value `json:"operationResponse"` // the result in jobs of the platform's relatives
	Unknown      Unknown        `json:",embed"`

	// Refused reports whether the job has completed with an error as its result: relatives of the
	// platform end a job so whose operation failed.
	Refused bool `json:"-"`

	// Raw is the job as the server wrote it, with secrets masked, as they are in all
	// fields.
	Raw jsontext.Value `json:"-"`
}

// JobResource names the resource that a job works on.
type JobResource struct {
	Name    string  `json:"name"`
	Unknown Unknown `json:",embed"`
}

// UnmarshalJSONFrom reads an object or the bare name of the resource.
func (r *JobResource) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != jsontext.KindBeginObject {
		return jsonx.ReadText(dec, &r.Name)
	}
	type fields JobResource
	return json.UnmarshalDecode(dec, (*fields)(r), tolerant)
}

// The known statuses. A job with any other status has not ended: UNAVAILABLE means that
// the status is not known at present.
const (
	JobSubmitted   = "SUBMITTED"
	JobExecuting   = "EXECUTING"
	JobCancelling  = "CANCELLING"
	JobUnavailable = "UNAVAILABLE"
	JobCompleted   = "COMPLETED"
	JobFailed      = "FAILED"
	JobCancelled   = "CANCELLED"
	JobTimedOut    = "TIMED OUT"
)

// Ended reports whether the job has reached an end, good or bad.
func (j Job) Ended() bool { return j.Completed() || j.Failed() }

// Completed reports whether the job ended well.
func (j Job) Completed() bool { return j.Status == JobCompleted && !j.Refused }

// Failed reports whether the job ended without success.
func (j Job) Failed() bool {
	return j.Status == JobFailed || j.Status == JobCancelled || j.Status == JobTimedOut || j.Refused
}

// refused reports whether the result of a job that has completed is an error, of any form. A report of
// health is none, whatever it says.
func (j Job) refused() bool {
	if _, isReport := j.Report(); isReport || j.Status != JobCompleted {
		return false
	}
	return findFault(j.Result, http.StatusOK) != nil || findFault(j.Response, http.StatusOK) != nil
}

// Report returns the health check report in the job's result, and false if there is
// none.
func (j Job) Report() (Report, bool) {
	if j.Result.Kind() != jsontext.KindBeginObject {
		return Report{}, false
	}
	report, e := decodeReport(j.Result)
	return report, e == nil
}

// Work is what a job does: the site names a job only once it has ended.
func (j Job) Work() string {
	_, operation, _ := strings.Cut(j.OperationURI, "/admin/")
	return cmp.Or(j.Name, operation, j.OperationURI)
}

// Reasons returns the texts that explain how a job ended, from its messages and its
// result. They are not cleaned.
func (j Job) Reasons() []string {
	var reasons []string
	for _, message := range j.Messages {
		reasons = append(reasons, unwrapped(message)...)
	}
	reasons = append(reasons, reasonsIn(j.Unknown)...)
	reasons = slices.Concat(reasons, reasonsIn(j.Result), reasonsIn(j.Response))
	if j.Refused && len(reasons) == 0 {
		reasons = []string{ErrNoReason.Error()}
	}
	var distinct []string
	for _, reason := range reasons {
		reason = strings.TrimSpace(reason)
		if reason != "" && !slices.Contains(distinct, reason) && len(distinct) < maxDetails {
			distinct = append(distinct, reason)
		}
	}
	return distinct
}

// reasonsIn returns the texts of a result: a plain text, or the members of an object in
// which the platform and its relatives write reasons.
func reasonsIn(v jsontext.Value) []string {
	if v.Kind() != jsontext.KindBeginObject {
		return textsOf(v)
	}
	var holder struct {
		Message  jsontext.Value `json:"message"`
		Messages jsontext.Value `json:"messages"`
		Error    jsontext.Value `json:"error"`
		Errors   jsontext.Value `json:"errors"`
		Details  jsontext.Value `json:"details"`
		Stages   []struct {
			Name  string `json:"name"`
			State string `json:"state"`
		} `json:"stages"`
	}
	if decode(v, &holder) != nil {
		return nil
	}
	reasons := append(textsOf(holder.Message), textsOf(holder.Messages)...)
	reasons = slices.Concat(reasons, reasonsIn(holder.Error), textsOf(holder.Errors), textsOf(holder.Details))
	for _, stage := range holder.Stages {
		if state := strings.ToLower(stage.State); strings.Contains(state, "fail") || strings.Contains(state, "error") {
			reasons = append(reasons, stage.Name+": "+stage.State)
		}
	}
	return reasons
}

// ErrJobID is the error of an answer that names its job by something that is no id, such
// as "..": the site accepted the request, but the job cannot be read.
var ErrJobID = errors.New("the answer names its job by an id that is none")

// IsJobID reports whether a job with that id can be read.
func IsJobID(id string) bool {
	return checkSegment(id) == nil && !strings.ContainsAny(id, `/\`)
}

// Jobs are the operations that run, or ran lately, on the server.
type Jobs struct{ client *Client }

// The operations of this file, with the privilege and the version that they require.
var (
	opJobs = operation{name: "read the list of jobs"}
	opJob  = operation{name: "read a job"}
)

// IDs fetches the ids of the site's jobs in the server's order, including what is no
// valid id: see [IsJobID]. An answer without the list is an error: that there are no jobs is evidence.
func (j Jobs) IDs(ctx context.Context) ([]string, error) {
	type jobs struct {
		Jobs []string `json:"jobs"`
	}
	list, err := readAs(ctx, j.client, opJobs.at("jobs"), "list of jobs", func(l *jobs) bool { return l.Jobs != nil })
	return list.Jobs, err
}

// Get fetches one job. A job that failed is not an error: see [Job.Failed].
func (j Jobs) Get(ctx context.Context, id string) (Job, error) {
	return read(ctx, j.client, opJob.at("jobs", id), func(a answer) (Job, *Error) {
		a.body = a.secrets.JSON(a.body, secrets.Anywhere)
		job, e := decodeAs(a, "job", func(j *Job) bool { return j.ID != "" || j.Status != "" })
		if e != nil {
			return job, e
		}
		if job.Raw = a.body; !IsJobID(job.ID) {
			job.ID = id
		}
		job.Refused = job.refused()
		return job, nil
	})
}
