package operation

import (
	"context"
	"errors"
	"fmt"

	"geodeck/adminapi"
)

// HealthRun is a health check that goes on at the server: a [Poller] whose end is its
// report.
type HealthRun struct {
	site  Site
	asked adminapi.HealthRun
	pace  pace

	job      *JobPoller // nil while the run is being looked for
	reportID string     // set where the server answered with a report instead of a job
	search   *runSearch
	adopted  bool
	lost     error // why it is not known whether it was started
}

// HealthReading is what is known of a run.
type HealthReading struct {
	Job     adminapi.Job     // last state seen; its Status is empty while the run is being looked for
	Report  *adminapi.Report // set at the good end, and where a running job shows a part of its report
	Adopted bool             // the answer to the start was lost and the run was found by reading
}

type healthStep = Step[HealthReading]

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
	started := &HealthRun{site: s, asked: run, pace: s.pace(jobBackoff), search: search, lost: err}
	switch {
	case outcome == adminapi.OutcomeDone && accepted.JobID != "":
		started.job = s.PollJob(accepted.JobID)
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

// Next reads once. An error ends the run for us: the job failed (its reasons are in the
// text), or the outcome stays unknown after 30 s of looking, which matches
// [ErrOutcomeUnknown], or matches [*RefusedError] where the site had answered with an
// error. After an error of sign-in Next can be called again.
func (r *HealthRun) Next(ctx context.Context) (Step[HealthReading], error) {
	step, err := r.next(ctx)
	reading := &step.Value
	reading.Adopted = r.adopted
	if r.adopted && reading.Report != nil && reading.Report.Name == r.asked.Name {
		r.site.resolveOn(adminapi.TargetHealthRun(r.asked.Name), endsIn("/healthCheck/run"), adminapi.OutcomeDone, "its report was found")
	}
	return step, err
}

func (r *HealthRun) next(ctx context.Context) (healthStep, error) {
	switch {
	case r.job != nil:
		return r.readJob(ctx)
	case r.reportID != "":
		return r.readReport(ctx)
	}
	return r.look(ctx)
}

func (r *HealthRun) readJob(ctx context.Context) (healthStep, error) {
	read, err := r.job.Next(ctx)
	job := read.Value
	if errors.Is(err, adminapi.KindNotFound) {
		// Jobs are forgotten sooner than reports: look for what it left.
		r.job = nil
		return healthStep{Value: HealthReading{Job: job}, Wait: r.pace.afterReading()}, nil
	}
	step := healthStep{Value: HealthReading{Job: job}, Wait: read.Wait, Away: read.Away}
	if err != nil || read.Away != nil {
		return step, err
	}
	report, found := job.Report()
	switch {
	case found && r.adopted && job.Completed() && report.Name != r.asked.Name:
		// Somebody else's run: ours is still to be found.
		r.search.exclude(job.ID)
		r.job, r.adopted = nil, false
		return healthStep{Wait: r.pace.afterReading()}, nil
	case found:
		step.Value.Report, step.Done = &report, job.Completed()
	case job.Completed():
		// The job kept no report: it stands in the list under its name.
		r.job = nil
		step.Wait = r.pace.afterReading()
	}
	return step, nil
}

func (r *HealthRun) readReport(ctx context.Context) (healthStep, error) {
	report, err := r.site.Client.Report(ctx, r.reportID)
	switch {
	case err != nil && adminapi.Passing(err):
		return healthStep{Wait: r.pace.afterSilence(), Away: err}, nil
	case err != nil:
		return healthStep{}, err
	case report.EndTime.IsZero() && report.State != stateCompleted:
		return healthStep{Value: HealthReading{Report: &report}, Wait: r.pace.afterReading()}, nil
	}
	return healthStep{Value: HealthReading{Report: &report}, Done: true}, nil
}

// stateCompleted is the one state of a report that the platform documents.
const stateCompleted = "completed"

func (r *HealthRun) look(ctx context.Context) (healthStep, error) {
	jobID, reportID, err := r.search.find(ctx)
	switch {
	case err != nil && !adminapi.Passing(err):
		return healthStep{}, err
	case jobID != "":
		r.job, r.adopted = r.site.PollJob(jobID), true
		return healthStep{Value: HealthReading{Job: adminapi.Job{ID: jobID}}}, nil
	case reportID != "":
		r.reportID, r.adopted = reportID, true
		return healthStep{}, nil
	case r.search.over() && err == nil && Answered(r.lost):
		r.site.resolveOn(adminapi.TargetHealthRun(r.asked.Name), endsIn("/healthCheck/run"), adminapi.OutcomeRefused, "the site answered with an error, and no run of that name is there")
		return healthStep{}, &RefusedError{r.lost}
	case r.search.over():
		return healthStep{}, fmt.Errorf("%w: no run named %q was found within %s; look at the reports before starting another",
			ErrOutcomeUnknown, r.asked.Name, adminapi.Spell(searchTime))
	case err != nil:
		return healthStep{Wait: r.pace.afterSilence(), Away: err}, nil
	}
	return healthStep{Wait: searchPause}, nil
}

// JobID returns the id of the run's job, empty while it is not known.
func (r *HealthRun) JobID() string {
	if r.job == nil {
		return ""
	}
	return r.job.id
}

// Name returns the name that the run was started with.
func (r *HealthRun) Name() string { return r.asked.Name }
