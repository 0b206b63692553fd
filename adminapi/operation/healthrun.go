package operation

import (
	"context"
	"time"

	"geodeck/adminapi"
)

// HealthRun is a health check that goes on at the server.
type HealthRun struct { /* unexported */
}

// HealthReading is one look at a run that goes on.
type HealthReading struct {
	Job     adminapi.Job     // last state seen; its Status is empty while the run is being looked for
	Report  *adminapi.Report // set at the good end, and where a running job shows a part of its report
	Ended   bool             // no further reading
	Away    error            // the last attempt failed, and the run goes on: not an end
	Adopted bool             // the answer to the start was lost and the run was found by reading
}

// StartHealthRun sends the run once. Outcome done or unknown return a run to
// read: where the outcome is unknown, its first readings look for it by name
// among the jobs and reports of this user since the submit, and never send again.
func (s Site) StartHealthRun(ctx context.Context, run adminapi.HealthRun) (*HealthRun, adminapi.Outcome, error) {
	panic("contract only")
}

// Next reads once and says when to read again (the wait is the caller's, on the
// site's clock). An error ends the run for us: the job failed (its reasons are
// in the text), the sign-in is not accepted, or the outcome stays unknown after
// 30 s of looking, which matches ErrOutcomeUnknown.
func (r *HealthRun) Next(ctx context.Context) (HealthReading, time.Duration, error) {
	panic("contract only")
}

// Wait reads until the end, reporting each reading (report may be nil).
func (r *HealthRun) Wait(ctx context.Context, report func(HealthReading)) (adminapi.Report, error) {
	panic("contract only")
}

// JobID returns the id of the run's job, empty while it is not known.
func (r *HealthRun) JobID() string { panic("contract only") }

// DefaultRunName returns a dated name for a run: "geodeck 2026-11-20 14:05".
func DefaultRunName(now time.Time) string { panic("contract only") }

// CheckRunName returns a sentence where name cannot name a run: empty, too
// long, or with control characters.
func CheckRunName(name string) error { panic("contract only") }
