package operation

import (
	"context"
	"errors"
	"fmt"
	"time"

	"geodeck/adminapi"
)

// HealthRun is a health check that goes on at the server.
type HealthRun struct {
	site  Site
	asked adminapi.HealthRun
	pace  pace

	watch    *JobWatch // nil while the run is being looked for
	reportID string    // set where the server answered with a report instead of a job
	search   *runSearch
	adopted  bool
	lost     error // why it is not known whether it was started
}

// HealthReading is one look at a run that goes on.
type HealthReading struct {
	Job     adminapi.Job     // last state seen; its Status is empty while the run is being looked for
	Report  *adminapi.Report // set at the good end, and where a running job shows a part of its report
	Ended   bool             // no further reading
	Away    error            // the last attempt failed, and the run goes on: not an end
	Adopted bool             // the answer to the start was lost and the run was found by reading
}

// StartHealthRun sends the run once. Outcome done and unknown return a run to
// read: where the outcome is unknown, its first readings look for it among the
// jobs and reports of this user since the submit, and never send again. Not sent:
// [ErrUnsettled], [ErrBusyHere].
func (s Site) StartHealthRun(ctx context.Context, run adminapi.HealthRun) (*HealthRun, adminapi.Outcome, error) {
	if err := checkHealthRun(run); err != nil {
		return nil, adminapi.OutcomeNotSent, err
	}
	claim, err := s.claim(ctx, adminapi.TargetHealthRun(run.Name), run.Name)
	if err == nil {
		defer claim.release()
		err = claim.use()
	}
	if err != nil {
		return nil, adminapi.OutcomeNotSent, err
	}
	search := s.prepareSearch(ctx, run.Name)
	accepted, outcome, err := s.Client.StartHealthRun(ctx, run)
	started := &HealthRun{site: s, asked: run, pace: newPace(jobFirst, jobLast), search: search, lost: err}
	switch {
	case outcome == adminapi.OutcomeDone && accepted.JobID != "":
		started.watch = s.WatchJob(accepted.JobID)
	case outcome == adminapi.OutcomeDone && accepted.ReportID != "":
		started.reportID = accepted.ReportID
	case outcome != adminapi.OutcomeDone && outcome != adminapi.OutcomeUnknown:
		return nil, outcome, err
	}
	return started, outcome, err
}

func checkHealthRun(run adminapi.HealthRun) error {
	err := CheckRunName(run.Name)
	if err == nil && len(run.SuiteIDs) == 0 {
		err = errors.New("choose at least one suite")
	}
	if err == nil {
		return nil
	}
	return &adminapi.Error{Kind: adminapi.KindInvalid, Operation: "run a health check", Message: err.Error(), Err: err}
}

// Next reads once and says when to read again (the wait is the caller's, on the
// site's clock). An error ends the run for us: the job failed (its reasons are
// in the text), or the outcome stays unknown after 30 s of looking, which
// matches ErrOutcomeUnknown, or matches [*RefusedError] where the site had answered with
// an error. After an error of sign-in Next can be called again.
func (r *HealthRun) Next(ctx context.Context) (HealthReading, time.Duration, error) {
	reading, wait, err := r.next(ctx)
	reading.Adopted = r.adopted
	if r.adopted && reading.Report != nil && reading.Report.Name == r.asked.Name {
		r.site.resolveOn(adminapi.TargetHealthRun(r.asked.Name), endsIn("/healthCheck/run"), adminapi.OutcomeDone, "its report was found")
	}
	return reading, wait, err
}

func (r *HealthRun) next(ctx context.Context) (HealthReading, time.Duration, error) {
	switch {
	case r.watch != nil:
		return r.readJob(ctx)
	case r.reportID != "":
		return r.readReport(ctx)
	}
	return r.look(ctx)
}

func (r *HealthRun) readJob(ctx context.Context) (HealthReading, time.Duration, error) {
	job, wait, away, err := r.watch.Next(ctx)
	if errors.Is(err, adminapi.KindNotFound) {
		// Jobs are forgotten sooner than reports: look for what it left.
		r.watch = nil
		return HealthReading{Job: job}, r.pace.afterReading(), nil
	}
	reading := HealthReading{Job: job, Away: away}
	if err != nil || away != nil {
		return reading, wait, err
	}
	report, found := job.Report()
	switch {
	case found && r.adopted && job.Completed() && report.Name != r.asked.Name:
		// Somebody else's run: ours is still to be found.
		r.search.exclude(job.ID)
		r.watch, r.adopted = nil, false
		return HealthReading{}, r.pace.afterReading(), nil
	case found:
		reading.Report = &report
		reading.Ended = job.Completed()
	case job.Completed():
		// The job kept no report: it stands in the list under its name.
		r.watch = nil
		wait = r.pace.afterReading()
	}
	return reading, wait, nil
}

func (r *HealthRun) readReport(ctx context.Context) (HealthReading, time.Duration, error) {
	report, err := r.site.Client.Report(ctx, r.reportID)
	switch {
	case err != nil && adminapi.Passing(err):
		return HealthReading{Away: err}, r.pace.afterSilence(), nil
	case err != nil:
		return HealthReading{}, 0, err
	case report.EndTime.IsZero() && report.State != stateCompleted:
		return HealthReading{Report: &report}, r.pace.afterReading(), nil
	}
	return HealthReading{Report: &report, Ended: true}, 0, nil
}

// stateCompleted is the one state of a report that the platform documents.
const stateCompleted = "completed"

func (r *HealthRun) look(ctx context.Context) (HealthReading, time.Duration, error) {
	jobID, reportID, err := r.search.find(ctx)
	switch {
	case err != nil && !adminapi.Passing(err):
		return HealthReading{}, 0, err
	case jobID != "":
		r.watch, r.adopted = r.site.WatchJob(jobID), true
		return HealthReading{Job: adminapi.Job{ID: jobID}}, 0, nil
	case reportID != "":
		r.reportID, r.adopted = reportID, true
		return HealthReading{}, 0, nil
	case r.search.over() && err == nil && Answered(r.lost):
		r.site.resolveOn(adminapi.TargetHealthRun(r.asked.Name), endsIn("/healthCheck/run"), adminapi.OutcomeRefused, "the site answered with an error, and no run of that name is there")
		return HealthReading{}, 0, &RefusedError{r.lost}
	case r.search.over():
		return HealthReading{}, 0, fmt.Errorf("%w: no run named %q was found within %s; look at the reports before starting another",
			ErrOutcomeUnknown, r.asked.Name, adminapi.Spell(searchTime))
	case err != nil:
		return HealthReading{Away: err}, r.pace.afterSilence(), nil
	}
	return HealthReading{}, searchPause, nil
}

// Wait reads until the end, reporting each reading (report may be nil).
func (r *HealthRun) Wait(ctx context.Context, report func(HealthReading)) (adminapi.Report, error) {
	for {
		reading, wait, err := r.Next(ctx)
		if err != nil {
			return adminapi.Report{}, err
		}
		if report != nil {
			report(reading)
		}
		if reading.Ended {
			return *reading.Report, nil
		}
		if err := r.site.Clock.Sleep(ctx, wait); err != nil {
			return adminapi.Report{}, err
		}
	}
}

// JobID returns the id of the run's job, empty while it is not known.
func (r *HealthRun) JobID() string {
	if r.watch == nil {
		return ""
	}
	return r.watch.id
}

// Name returns the name that the run was started with.
func (r *HealthRun) Name() string { return r.asked.Name }
