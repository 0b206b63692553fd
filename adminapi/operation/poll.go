package operation

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// Poller fetches something of the site repeatedly until its end. It changes with every
// step, so it belongs to one goroutine, or to one chain of messages.
type Poller[T any] interface {
	// Next fetches once. An error ends the poll; after an error that asks for a sign-in,
	// Next may be called again.
	Next(ctx context.Context) (Step[T], error)
}

// Step is what one fetch of a [Poller] returned.
type Step[T any] struct {
	Value       T             // the latest known, also beside Unreachable and an error
	Wait        time.Duration // until the next fetch
	Unreachable error         // why this fetch has no answer; the poll goes on
	// Done says that Value is the end. With a Wait above zero the caller may still go on
	// polling, though nothing more is expected.
	Done bool
}

// Wait polls to the end and reports each step; report may be nil. After an error of the
// poller or of ctx, the value is the latest known.
func Wait[T any](ctx context.Context, clock adminapi.Clock, p Poller[T], report func(Step[T])) (T, error) {
	for {
		step, err := p.Next(ctx)
		if err != nil {
			return step.Value, err
		}
		if report != nil {
			report(step)
		}
		if step.Done {
			return step.Value, nil
		}
		if err := clock.Sleep(ctx, step.Wait); err != nil {
			return step.Value, err
		}
	}
}

// Pauses between fetches while the site answers: of a job 1 s, growing to 5 s; of pods and
// of the upgrade 2 s, growing to 10 s while nothing changes.
var (
	jobBackoff   = adminapi.Backoff{First: time.Second, Max: 5 * time.Second, Factor: 1.5}
	quietBackoff = adminapi.Backoff{First: 2 * time.Second, Max: 10 * time.Second, Factor: 1.5}
	// searchBackoff is that of a search after a lost answer.
	searchBackoff = adminapi.Backoff{First: 2 * time.Second, Max: 5 * time.Second, Factor: 1.5}
)

// pace counts answers and failures, and says how long to wait after each.
type pace struct {
	backoff           adminapi.Backoff // while the site answers
	line              *Line
	rand              adminapi.Rand
	answers, failures int // in a row
}

func (s Site) pace(b adminapi.Backoff) pace {
	return pace{backoff: b, line: s.Line, rand: cmp.Or[adminapi.Rand](s.Rand, adminapi.SystemRand{})}
}

// afterAnswer returns the pause after an answer.
func (p *pace) afterAnswer() time.Duration {
	p.failures = 0
	p.answers++
	return p.line.Pause(p.backoff.Pause(p.answers, nil))
}

// afterFailure returns the pause after a fetch that failed.
func (p *pace) afterFailure() time.Duration {
	p.failures++
	return p.line.Pause(adminapi.UnreachableBackoff.Pause(p.failures, p.rand))
}

// reset makes the next pauses short again.
func (p *pace) reset() { p.answers = 0 }

// JobError is a job that ended without doing its work; it matches [ErrJobBroken].
type JobError struct{ Job adminapi.Job }

// Error names the job, its last status and its reasons.
func (e *JobError) Error() string {
	text := "job " + plain.Line(e.Job.ID) + " ended as " + plain.Line(e.Job.Status)
	if request := plain.Line(e.Job.RequestID); request != "" { // the logs of the site are searched by it
		text += " (request " + request + ")"
	}
	if reasons := e.Job.Reasons(); len(reasons) > 0 {
		text += ": " + plain.Line(strings.Join(reasons, "; "))
	}
	return text
}

// Is matches [ErrJobBroken].
func (e *JobError) Is(target error) bool { return target == ErrJobBroken }

// JobPoller fetches a job until its end.
type JobPoller struct {
	client *adminapi.Client
	id     string
	pace   pace
	last   adminapi.Job
}

// pollJob returns a poller of a job. It sends nothing yet.
func (s Site) pollJob(id string) *JobPoller {
	return &JobPoller{client: s.Client, id: id, pace: s.pace(jobBackoff), last: adminapi.Job{ID: id}}
}

// Next fetches the job once. While the site does not answer (transport, 5xx, HTML) the
// job may go on. A job that ends badly is an error that matches [ErrJobBroken].
func (p *JobPoller) Next(ctx context.Context) (Step[adminapi.Job], error) {
	job, err := p.client.Jobs.Get(ctx, p.id)
	switch {
	case err != nil && adminapi.IsTransient(err):
		return Step[adminapi.Job]{Value: p.last, Wait: p.pace.afterFailure(), Unreachable: err}, nil
	case err != nil:
		return Step[adminapi.Job]{Value: p.last}, err
	}
	p.last = job
	switch {
	case job.Failed():
		return Step[adminapi.Job]{Value: job}, &JobError{Job: job}
	case job.Completed():
		return Step[adminapi.Job]{Value: job, Done: true}, nil
	}
	return Step[adminapi.Job]{Value: job, Wait: p.pace.afterAnswer()}, nil
}

// WaitJob polls a job until its end; report may be nil.
func (s Site) WaitJob(ctx context.Context, id string, report func(Step[adminapi.Job])) (adminapi.Job, error) {
	return Wait(ctx, s.Clock, s.pollJob(id), report)
}

// maxParallel bounds the requests under way for a list.
const maxParallel = 4

// Jobs fetches all jobs, at most limit (0: all), in the server's order: one request each,
// since the list holds ids only. A job that was removed meanwhile, or whose id is invalid,
// has no status.
func (s Site) Jobs(ctx context.Context, limit int) ([]adminapi.Job, error) {
	ids, err := s.Client.Jobs.IDs(ctx)
	if err != nil {
		return nil, err
	}
	if limit > 0 && len(ids) > limit {
		ids = ids[:limit]
	}
	jobs := make([]adminapi.Job, len(ids))
	return jobs, s.eachJob(ctx, ids, func(i int, job adminapi.Job) { jobs[i] = job })
}

// eachJob fetches jobs, a few at a time, and hands over one after the other. The first error ends it.
func (s Site) eachJob(ctx context.Context, ids []string, take func(int, adminapi.Job)) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var mu sync.Mutex
	group := Parallel{Limit: maxParallel}
	for i, id := range ids {
		group.Go(func() {
			job, problem := adminapi.Job{ID: id}, error(nil)
			if adminapi.IsJobID(id) {
				job, problem = s.Client.Jobs.Get(ctx, id)
			}
			if errors.Is(problem, adminapi.KindNotFound) {
				job, problem = adminapi.Job{ID: id}, nil
			}
			mu.Lock()
			defer mu.Unlock()
			switch {
			case problem == nil:
				take(i, job)
			case err == nil:
				err = problem
				cancel()
			}
		})
	}
	group.Wait()
	return err
}
