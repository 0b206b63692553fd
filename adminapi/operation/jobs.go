package operation

import (
	"context"
	"errors"
	"time"

	"geodeck/adminapi"
)

// ErrOutcomeUnknown says that a write may or may not have happened and that
// reading did not tell. Exit code 6.
var ErrOutcomeUnknown = errors.New("the outcome is not known")

// ErrJobBroken says that a job ended without doing its work. Exit code 1.
var ErrJobBroken = errors.New("the job did not complete")

// JobWatch reads a job until its end: after 1 s, growing to 5 s.
type JobWatch struct { /* unexported */
}

// WatchJob returns a watch on a job. Nothing is sent yet.
func (s Site) WatchJob(id string) *JobWatch { panic("contract only") }

// Next reads the job once. away is the error of an attempt that failed while
// the job may well go on (transport, 5xx, HTML); err ends the watch.
func (w *JobWatch) Next(ctx context.Context) (job adminapi.Job, wait time.Duration, away, err error) {
	panic("contract only")
}

// WaitJob reads a job until its end and reports each reading (report may be
// nil). A job that ends badly is an error that matches ErrJobBroken.
func (s Site) WaitJob(ctx context.Context, id string, report func(adminapi.Job)) (adminapi.Job, error) {
	panic("contract only")
}

// Jobs reads all jobs, at most limit (0: all), newest id first as the server
// lists them: one request each, since the list holds ids only.
func (s Site) Jobs(ctx context.Context, limit int) ([]adminapi.Job, error) { panic("contract only") }
