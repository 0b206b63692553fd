package adminapi

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// HealthRun asks for a health check.
type HealthRun struct {
	SuiteIDs []string // from Suites; at least one
	Name     string   // runName: the name of the report
}

// Accepted is the platform's answer to an operation that goes on in a job, that
// left a report behind, or that is over. One of JobID and ReportID is set, or
// neither where the site said no more than "success".
type Accepted struct {
	JobID    string // jobid or jobID
	Status   string // status or jobStatus, SUBMITTED as a rule
	JobsURL  string // as the server wrote it; never followed
	ReportID string // taken from statusURL
}

// StartHealthRun sends an asynchronous run and returns at once with its job.
// Needs a site of 11.2 and the privilege "Security and infrastructure".
func (c *Client) StartHealthRun(ctx context.Context, run HealthRun) (Accepted, Outcome, error) {
	return c.runHealth(ctx, run, true, 0)
}

// RunHealth sends a synchronous run, waits for it (up to ten minutes unless ctx
// ends before) and returns with the id of its report.
// Needs a site of 11.2 and the privilege "Security and infrastructure".
func (c *Client) RunHealth(ctx context.Context, run HealthRun) (Accepted, Outcome, error) {
	return c.runHealth(ctx, run, false, longTimeout)
}

func (c *Client) runHealth(ctx context.Context, run HealthRun, async bool, timeout time.Duration) (Accepted, Outcome, error) {
	if e := run.check(); e != nil {
		e.Operation = opRunHealth.name
		return Accepted{}, OutcomeNotSent, e
	}
	return c.submit(ctx, call{
		operation: opRunHealth, path: []string{"healthCheck", "run"}, timeout: timeout, target: TargetHealthRun(run.Name),
		fields: url.Values{
			"suiteIds": {strings.Join(run.SuiteIDs, ",")}, "runName": {run.Name}, "async": {strconv.FormatBool(async)},
		},
	})
}

func (r HealthRun) check() *Error {
	switch {
	case strings.TrimSpace(r.Name) == "":
		return &Error{Kind: KindInvalid, Message: "the run has no name"}
	case hasControl(r.Name):
		return &Error{Kind: KindInvalid, Message: "the name of the run holds control characters or broken UTF-8"}
	}
	return checkList("suite", r.SuiteIDs)
}

// checkList checks ids that travel as one text with commas between them.
func checkList(what string, ids []string) *Error {
	if len(ids) == 0 {
		return &Error{Kind: KindInvalid, Message: "no " + what + " is named"}
	}
	for _, id := range ids {
		if e := checkSegment(id); e != nil {
			return e
		}
		if strings.Contains(id, ",") {
			return &Error{Kind: KindInvalid, Message: "the id of a " + what + " holds no comma"}
		}
	}
	return nil
}

// submit sends a write that the platform answers with a job or a report.
func (c *Client) submit(ctx context.Context, k call) (Accepted, Outcome, error) {
	var accepted Accepted
	outcome, err := c.write(ctx, k, func(a answer) *Error {
		var e *Error
		accepted, e = a.accepted()
		return e
	})
	return accepted, outcome, err
}

// accepted reads both spellings of a job, and the path of a report.
func (a answer) accepted() (Accepted, *Error) {
	var reply struct {
		JobID     string         `json:"jobid"`
		Status    string         `json:"status"`
		JobStatus string         `json:"jobStatus"`
		JobsURL   string         `json:"jobsUrl"`
		StatusURL string         `json:"statusURL"`
		Error     jsontext.Value `json:"error"`
	}
	if e := a.decode(&reply, nil); e != nil {
		return Accepted{}, e
	}
	accepted := Accepted{JobID: reply.JobID, Status: reply.Status, JobsURL: reply.JobsURL}
	if accepted.Status == "" {
		accepted.Status = reply.JobStatus
	}
	if accepted.JobID == "" {
		accepted.ReportID = lastSegment(reply.StatusURL)
	}
	if unlessGiven(reply.Error, "error") == "" {
		return Accepted{}, notJSON("the answer holds both a job and an error", nil)
	}
	if accepted.JobID != "" && !IsJobID(accepted.JobID) {
		return Accepted{}, &Error{Kind: KindServer, Message: ErrJobID.Error() + ": " + strconv.Quote(shortened(accepted.JobID)), Err: ErrJobID}
	}
	if accepted.JobID == "" && accepted.ReportID == "" {
		return Accepted{}, notJSON("the answer names neither a job nor a report", nil)
	}
	return accepted, nil
}

// lastSegment returns the id at the end of a path that the server wrote, empty
// where it is none. The path itself is never requested.
func lastSegment(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	escaped := strings.TrimRight(u.EscapedPath(), "/")
	id, err := url.PathUnescape(escaped[strings.LastIndex(escaped, "/")+1:])
	if err != nil || checkSegment(id) != nil {
		return ""
	}
	return id
}
