package adminapi

import (
	"context"

	"github.com/go-json-experiment/json/jsontext"
)

// Job is an operation that goes on at the server.
type Job struct {
	ID           string         `json:"jobid"`
	Name         string         `json:"name"`
	Status       string         `json:"status"` // see the Job… words
	Username     string         `json:"username"`
	RequestID    string         `json:"requestID"`
	OperationURI string         `json:"operationURI"`
	Resource     JobResource    `json:"resource"`
	StartTime    Millis         `json:"starttime"`
	EndTime      Millis         `json:"endtime"` // zero while it runs
	UpdatedTime  Millis         `json:"updatedtime"`
	Messages     []string       `json:"messages"`
	Result       jsontext.Value `json:"result"` // null or missing while it runs
	Unknown      Unknown        `json:",embed"`

	// Raw is the job as the server wrote it.
	Raw jsontext.Value `json:"-"`
}

// JobResource names the resource that a job works on.
type JobResource struct {
	Name    string  `json:"name"`
	Unknown Unknown `json:",embed"`
}

// The statuses that are known. Any other word is not an end: UNAVAILABLE only
// says that the status cannot be told at present.
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

// Ended tells whether the job has reached an end, good or bad.
func (j Job) Ended() bool { return j.Completed() || j.Broken() }

// Completed tells whether the job ended well.
func (j Job) Completed() bool { return j.Status == JobCompleted }

// Broken tells whether the job ended without doing its work.
func (j Job) Broken() bool {
	return j.Status == JobFailed || j.Status == JobCancelled || j.Status == JobTimedOut
}

// Report returns the health check report in the job's result, and false where
// it holds none.
func (j Job) Report() (Report, bool) { panic("contract only") }

// Reasons returns what a job says about its end, from its messages and from
// its result, raw.
func (j Job) Reasons() []string { panic("contract only") }

// JobIDs reads the ids of the site's jobs in the server's order.
func (c *Client) JobIDs(ctx context.Context) ([]string, error) { panic("contract only") }

// Job reads one job.
func (c *Client) Job(ctx context.Context, id string) (Job, error) { panic("contract only") }
