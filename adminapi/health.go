package adminapi

import "context"

// HealthRun asks for a health check.
type HealthRun struct {
	SuiteIDs []string // from Suites; at least one
	Name     string   // runName: the name of the report
}

// Accepted is the platform's answer to an operation that goes on in a job, or
// that left a report behind. One of JobID and ReportID is set.
type Accepted struct {
	JobID    string // jobid or jobID
	Status   string // status or jobStatus, SUBMITTED as a rule
	JobsURL  string // as the server wrote it; never followed
	ReportID string // taken from statusURL
}

// StartHealthRun sends an asynchronous run and returns at once with its job.
// Needs a site of 11.2 and the privilege "Security and infrastructure".
func (c *Client) StartHealthRun(ctx context.Context, run HealthRun) (Accepted, Outcome, error) {
	panic("contract only")
}

// RunHealth sends a synchronous run, waits for it (up to ten minutes unless ctx
// ends before) and returns with the id of its report.
// Needs a site of 11.2 and the privilege "Security and infrastructure".
func (c *Client) RunHealth(ctx context.Context, run HealthRun) (Accepted, Outcome, error) {
	panic("contract only")
}
