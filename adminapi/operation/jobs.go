package operation

import (
	"context"
	"errors"
	"strings"

	"golang.org/x/sync/errgroup"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// JobError is a job that ended without doing its work; it matches ErrJobBroken.
type JobError struct{ Job adminapi.Job }

// Error names the job, the word that the server ended it with, and its reasons.
func (e *JobError) Error() string {
	text := "job " + plain.Line(e.Job.ID) + " ended as " + plain.Line(e.Job.Status)
	if reasons := e.Job.Reasons(); len(reasons) > 0 {
		text += ": " + plain.Line(strings.Join(reasons, "; "))
	}
	return text
}

// Is matches ErrJobBroken.
func (e *JobError) Is(target error) bool { return target == ErrJobBroken }

// JobPoller reads a job until its end: after 1 s, growing to 5 s.
type JobPoller struct {
	client *adminapi.Client
	id     string
	pace   pace
	last   adminapi.Job
}

// PollJob returns a poller of a job. Nothing is sent yet.
func (s Site) PollJob(id string) *JobPoller {
	return &JobPoller{client: s.Client, id: id, pace: s.pace(jobBackoff), last: adminapi.Job{ID: id}}
}

// Next reads the job once. While the site does not answer (transport, 5xx, HTML) the
// job may well go on. A job that ends badly is an error that matches [ErrJobBroken].
func (p *JobPoller) Next(ctx context.Context) (Step[adminapi.Job], error) {
	job, err := p.client.Job(ctx, p.id)
	switch {
	case err != nil && adminapi.Passing(err):
		return Step[adminapi.Job]{Value: p.last, Wait: p.pace.afterSilence(), Away: err}, nil
	case err != nil:
		return Step[adminapi.Job]{Value: p.last}, err
	}
	p.last = job
	switch {
	case job.Broken():
		return Step[adminapi.Job]{Value: job}, &JobError{Job: job}
	case job.Completed():
		return Step[adminapi.Job]{Value: job, Done: true}, nil
	}
	return Step[adminapi.Job]{Value: job, Wait: p.pace.afterReading()}, nil
}

// WaitJob reads a job until its end, see [JobPoller]; report may be nil.
func (s Site) WaitJob(ctx context.Context, id string, report func(Step[adminapi.Job])) (adminapi.Job, error) {
	return Wait(ctx, s.Clock, s.PollJob(id), report)
}

// jobsAtOnce bounds the requests under way for a list of jobs.
const jobsAtOnce = 4

// Jobs reads all jobs, at most limit (0: all), in the server's order: one
// request each, since the list holds ids only. A job that is gone meanwhile
// stays in the list without a status, and so does one with an id that is none.
func (s Site) Jobs(ctx context.Context, limit int) ([]adminapi.Job, error) {
	ids, err := s.Client.JobIDs(ctx)
	if err != nil {
		return nil, err
	}
	if limit > 0 && len(ids) > limit {
		ids = ids[:limit]
	}
	return s.jobs(ctx, ids)
}

func (s Site) jobs(ctx context.Context, ids []string) ([]adminapi.Job, error) {
	jobs := make([]adminapi.Job, len(ids))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(jobsAtOnce)
	for i, id := range ids {
		if !adminapi.IsJobID(id) {
			jobs[i] = adminapi.Job{ID: id}
			continue
		}
		group.Go(func() error {
			job, err := s.Client.Job(ctx, id)
			if errors.Is(err, adminapi.KindNotFound) {
				job, err = adminapi.Job{ID: id}, nil
			}
			jobs[i] = job
			return err
		})
	}
	return jobs, group.Wait()
}
