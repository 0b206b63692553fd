package operation

import (
	"context"
	"errors"
	"strings"
	"time"

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

// JobWatch reads a job until its end: after 1 s, growing to 5 s.
type JobWatch struct {
	site Site
	id   string
	pace pace
}

// WatchJob returns a watch on a job. Nothing is sent yet.
func (s Site) WatchJob(id string) *JobWatch {
	return &JobWatch{site: s, id: id, pace: newPace(jobFirst, jobLast)}
}

// Next reads the job once. wait is zero at the job's end. away is the error of
// an attempt that failed while the job may well go on (transport, 5xx, HTML);
// err ends the watch, except that after a sign-in it can be asked again.
func (w *JobWatch) Next(ctx context.Context) (job adminapi.Job, wait time.Duration, away, err error) {
	job, err = w.site.Client.Job(ctx, w.id)
	switch {
	case err != nil && adminapi.Passing(err):
		return adminapi.Job{ID: w.id}, w.pace.afterSilence(), err, nil
	case err != nil:
		return adminapi.Job{ID: w.id}, 0, nil, err
	case job.Broken():
		return job, 0, nil, &JobError{Job: job}
	case job.Completed():
		return job, 0, nil, nil
	}
	return job, w.pace.afterReading(), nil, nil
}

// WaitJob reads a job until its end and reports each reading (report may be
// nil); away is the error of one that failed while the job may well go on. A job
// that ends badly is an error that matches ErrJobBroken.
func (s Site) WaitJob(ctx context.Context, id string, report func(job adminapi.Job, away error)) (adminapi.Job, error) {
	watch := s.WatchJob(id)
	last := adminapi.Job{ID: id}
	for {
		job, wait, away, err := watch.Next(ctx)
		if err != nil {
			return job, err
		}
		if report != nil {
			report(job, away)
		}
		if away == nil {
			last = job
			if job.Ended() {
				return job, nil
			}
		}
		if err := s.Clock.Sleep(ctx, wait); err != nil {
			return last, err
		}
	}
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
