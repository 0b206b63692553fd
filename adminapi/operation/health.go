package operation

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/operation/reporting"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/secrets"
)

// HealthRun is a health check that runs at the site: a [polling.Poller] whose end is its report.
type HealthRun struct {
	site    Site
	request adminapi.HealthRun
	pace    polling.Pace

	job      *jobPoller // nil while the run is searched for
	reportID string     // set where the site has answered with a report instead of a job
	runs     *runSearch
	search   *Search
	sent     Result
	adopted  bool
	own      bool // its report was seen: what was adopted is this run
	record   journal.Record
}

// HealthCheck is the change that runs a health check.
type HealthCheck adminapi.HealthRun

// Prepare returns it as it would be sent.
func (h HealthCheck) Prepare(s Site) Prepared {
	line := CommandLine{Words: []string{"health", "run"}}
	for _, id := range h.SuiteIDs {
		if strings.ContainsAny(id, `",`) { // the flag takes a list
			id = `"` + strings.ReplaceAll(id, `"`, `""`) + `"`
		}
		line.Words = append(line.Words, "--suite", id)
	}
	line.Words = append(line.Words, "--name", h.Name)
	return Prepared{Kind: adminapi.WriteHealthRun, Target: adminapi.TargetHealthRun(h.Name), Subject: h.Name, What: "run the health check"}.
		one(s, line, adminapi.HealthRun(h).Call())
}

// HealthSnapshot is what one fetch of a run returned.
type HealthSnapshot struct {
	Job    adminapi.Job     // the latest known; its Status is empty while the run is searched for
	Report *adminapi.Report // whole at the end, partial before where the job shows it
	Own    bool             // false after a lost answer until a report has its name: the job may be another run
}

type healthStep = polling.Step[HealthSnapshot]

// StartHealthRun sends the run once. Outcomes done and unknown return a run to poll: where
// the outcome is unknown, its first steps search for it among the jobs and reports of this
// user since the sending, and never send again. Not sent: [ErrUnresolved], [ErrBusyHere].
func (s Site) StartHealthRun(ctx context.Context, run adminapi.HealthRun) (*HealthRun, Result) {
	p := HealthCheck(run).Prepare(s)
	if err := s.checkHealthRun(run); err != nil {
		return nil, p.Result(adminapi.OutcomeNotSent, err)
	}
	var accepted adminapi.Accepted
	var runs *runSearch
	one, result := s.send(ctx, p, func(ctx context.Context, _ claimed) error {
		runs = s.prepareSearch(ctx, run.Name)
		return nil
	}, func(ctx context.Context) (outcome adminapi.Outcome, err error) {
		accepted, outcome, err = s.Client.Health.Start(ctx, run)
		return outcome, err
	})
	defer one.release()
	if !result.Sent() || result.Refused() {
		return nil, result
	}
	started := &HealthRun{site: s, request: run, pace: s.Pace(polling.JobBackoff), runs: runs, search: s.search(one.record, result.Err, runs.look), record: one.record,
		sent: result}
	if run.Sync > 0 { // a run without a job shows only at its end: its search takes long, and proves no refusal
		started.pace, started.search.pace, started.search.answer = s.Pace(polling.QuietBackoff), s.Pace(polling.QuietBackoff), nil
		if result.Err != nil && !adminapi.IsAnswer(result.Err) {
			started.search.until = one.record.Time.Add(run.Sync)
		}
	}
	switch {
	case !result.Done():
	case accepted.JobID != "":
		started.job = s.pollJob(accepted.JobID)
	default:
		started.reportID = accepted.ReportID
	}
	return started, result
}

// MayRefuseHealthRuns reports whether the site is in read-only mode. No page of the platform says
// that a run is refused then, only that most POST requests are
// (https://developers.arcgis.com/rest/enterprise-administration/enterprise/mode): the site decides.
func (s Site) MayRefuseHealthRuns(ctx context.Context) bool {
	mode, err := s.Client.Mode(ctx)
	return err == nil && mode.ReadOnly
}

func (s Site) checkHealthRun(run adminapi.HealthRun) error {
	err := CheckRunName(run.Name)
	if err == nil && s.Client.Secrets().Text(run.Name, secrets.InKept) != run.Name { // it would be in records and reports
		err = errors.New("the name contains a token or a password; choose another")
	}
	if err == nil && len(run.SuiteIDs) == 0 {
		err = errors.New("choose at least one suite")
	}
	if err == nil {
		return nil
	}
	return &adminapi.Error{Kind: adminapi.KindInvalid, Operation: "run a health check", Message: err.Error(), Err: err}
}

// Next fetches once. An error ends the poll: the job failed (its reasons are in the text),
// or no run was found in time: [*RefusedError] where the site had answered with an error and
// the run would show by then, else [ErrOutcomeUnknown], also where a job failed that may be another run.
// After an error of sign-in Next can be called again.
func (r *HealthRun) Next(ctx context.Context) (polling.Step[HealthSnapshot], error) {
	step, err := r.next(ctx)
	snapshot := &step.Value
	own := snapshot.Report != nil && snapshot.Report.Name == r.request.Name
	if r.adopted && own {
		r.own = true
		r.site.Memory.conclude(r.record, Resolution{Outcome: adminapi.OutcomeDone, How: "its report was found"})
	}
	snapshot.Own = r.own || r.sent.Done()
	switch job, failed := errors.AsType[*JobError](err); {
	case r.adopted && (failed || !own): // it may be another run
		if failed && !r.own {
			err = fmt.Errorf("%w: a job that may be another run did not complete: %s", ErrOutcomeUnknown, err)
		}
	case failed:
		r.site.Memory.Settle(r.record.ID, journal.VerdictFailed, "job "+job.Job.Status)
	case step.Done && snapshot.Report != nil:
		r.site.Memory.Settle(r.record.ID, journal.VerdictSucceeded, "report "+snapshot.Report.Name)
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
	return r.find(ctx)
}

func (r *HealthRun) readJob(ctx context.Context) (healthStep, error) {
	read, err := r.job.Next(ctx)
	job := read.Value
	if errors.Is(err, adminapi.KindNotFound) {
		// The site deletes jobs sooner than reports: search for its report.
		r.job = nil
		return healthStep{Value: HealthSnapshot{Job: job}, Wait: r.pace.AfterAnswer()}, nil
	}
	step := healthStep{Value: HealthSnapshot{Job: job}, Wait: read.Wait, Unreachable: read.Unreachable}
	if err != nil || read.Unreachable != nil {
		return step, err
	}
	report, found := job.Report()
	switch {
	case found && r.adopted && report.Name != r.request.Name && (job.Completed() || report.Name != ""):
		// Somebody else's run: go on searching for ours.
		r.runs.known[job.ID] = true
		r.job, r.adopted = nil, false
		return healthStep{Wait: r.pace.AfterAnswer()}, nil
	case found:
		step.Value.Report, step.Done = &report, job.Completed()
	case job.Completed():
		// The job has no report: it is in the list under its name, if anywhere.
		r.runs.known[job.ID] = true
		r.job = nil
		step.Wait = r.pace.AfterAnswer()
	}
	return step, nil
}

func (r *HealthRun) readReport(ctx context.Context) (healthStep, error) {
	report, err := r.site.Client.Health.Report(ctx, r.reportID)
	switch {
	case errors.Is(err, adminapi.KindNotFound) && !r.adopted: // it is in the list under its name
		r.reportID = ""
		return healthStep{Wait: r.pace.AfterAnswer()}, nil
	case err != nil && adminapi.IsTransient(err):
		return healthStep{Wait: r.pace.AfterFailure(), Unreachable: err}, nil
	case err != nil:
		return healthStep{}, err
	case !health.Ended(report):
		return healthStep{Value: HealthSnapshot{Report: &report}, Wait: r.pace.AfterAnswer()}, nil
	}
	return healthStep{Value: HealthSnapshot{Report: &report}, Done: true}, nil
}

// find searches for the run: a job is a candidate until its report shows the name.
func (r *HealthRun) find(ctx context.Context) (healthStep, error) {
	step, err := r.search.Next(ctx)
	switch found := step.Value; {
	case err != nil:
		return healthStep{}, err
	case found.Report != "":
		r.reportID, r.adopted, r.own = found.Report, true, true
		return healthStep{}, nil
	case step.Unreachable == nil && found.Job.ID != "":
		r.job, r.adopted = r.site.pollJob(found.Job.ID), true
		return healthStep{Value: HealthSnapshot{Job: adminapi.Job{ID: found.Job.ID}}}, nil
	case step.Done:
		return healthStep{}, found.Err
	}
	return healthStep{Wait: step.Wait, Unreachable: step.Unreachable}, nil
}

// Result returns the result of the request, as far as it is known; err is that of the last Next.
func (r *HealthRun) Result(err error) Result {
	result := r.sent
	result.Err = err
	switch lost := r.sent.Outcome == adminapi.OutcomeUnknown; {
	case errors.As(err, new(*RefusedError)):
		result.Outcome = adminapi.OutcomeRefused
	case !lost || r.own:
		result.Outcome = adminapi.OutcomeDone
	}
	return result
}

// JobID returns the id of the run's job, empty while it is not known.
func (r *HealthRun) JobID() string {
	if r.job == nil {
		return ""
	}
	return r.job.id
}

const (
	// searchSlack allows for the whole seconds of the server's Date header.
	searchSlack = adminapi.Millis(5000)
	// healthRunPath ends the operation of a health run's job.
	healthRunPath = "healthCheck/run"
)

// runSearch finds a health run among the jobs that were not there before it was sent, and
// among the reports of its name.
type runSearch struct {
	site   Site
	name   string
	known  map[string]bool // jobs that are not ours
	since  adminapi.Millis // by the server's clock
	latest adminapi.Millis // likewise; 0 for no bound
	looked bool
	user   string // empty where it is not known
}

// prepareSearch notes the jobs before the run is sent. A list of jobs that cannot be fetched
// does not stop the run.
func (s Site) prepareSearch(ctx context.Context, name string) *runSearch {
	search := &runSearch{site: s, name: name, known: map[string]bool{}}
	ids, _ := s.Client.Jobs.IDs(ctx)
	for _, id := range ids {
		search.known[id] = true
	}
	search.since = s.ServerMillis() - searchSlack
	return search
}

// look looks once. A report of the right name is certain; a job is a candidate. A site that lists neither
// shows nothing of the run.
func (f *runSearch) look(ctx context.Context, _ bool) (Resolution, error) {
	if !f.looked {
		self, err := f.site.Client.Session.Self(ctx)
		if adminapi.IsTransient(err) || errors.Is(err, adminapi.KindSignIn) || ctx.Err() != nil {
			return Resolution{}, err // else anybody's run would count
		}
		f.looked, f.user = true, self.Username
	}
	report, elses, err := f.findReport(ctx)
	_, unlisted := errors.AsType[*reporting.NotOfferedError](err)
	switch {
	case err != nil && !unlisted:
		return Resolution{}, err
	case report.ID != "":
		found := Resolution{Outcome: adminapi.OutcomeDone, Report: report.ID, How: "the site has a report of that name"}
		if health.Ended(adminapi.Report{State: report.State, EndTime: report.EndTime}) {
			found.Verdict, found.because = journal.VerdictSucceeded, "report "+report.Name
		}
		return found, nil
	}
	job, err := f.findJob(ctx)
	switch {
	case job.ID != "":
		does := "is running"
		if job.Ended() {
			does = "has ended"
		}
		return Resolution{Shows: ShowsRunning, Job: adminapi.Job{ID: job.ID}, How: "a health check " + does + " there, job " + job.ID + "; it may not be this one"}, err
	case unlisted && (err == nil || adminapi.IsNotOffered(err)):
		return Resolution{How: "this site does not offer " + reporting.ListOfSite + " to find it in"}, nil
	case elses:
		return Resolution{How: "another account has a run of that name there, and this one none"}, err
	}
	return Resolution{Shows: ShowsUnchanged, How: "the site has no run of that name"}, err
}

// lookForRun looks for a run by its record.
func (s Site) lookForRun(r journal.Record) look {
	if r.Server.IsZero() {
		return timeless
	}
	return (&runSearch{site: s, name: r.Fields.Get("runName"), known: map[string]bool{},
		since: r.Server - searchSlack, latest: r.Server + maxApart, user: r.User, looked: r.User != ""}).look
}

// findReport returns the report of the run, without an id where there is none; elses reports whether
// another account has one of that name then.
func (f *runSearch) findReport(ctx context.Context) (own adminapi.ReportSummary, elses bool, err error) {
	reports, err := f.site.Reports().All(ctx)
	for _, report := range reports {
		switch {
		case report.Name != f.name || report.StartTime < f.since || f.latest != 0 && report.StartTime > f.latest:
		case report.CreatedBy == "" || f.by(report.CreatedBy):
			return report, false, nil
		default:
			elses = true
		}
	}
	return own, elses, err
}

// by reports whether an account may be the one that sent the run.
func (f *runSearch) by(account string) bool {
	return f.user == "" || strings.EqualFold(account, f.user)
}

// findJob returns the job of a run that may be this one, running or ended; none without an id.
func (f *runSearch) findJob(ctx context.Context) (adminapi.Job, error) {
	ids, err := f.site.Client.Jobs.IDs(ctx)
	if err != nil {
		return adminapi.Job{}, err
	}
	for _, id := range ids {
		if f.known[id] || !adminapi.IsJobID(id) {
			continue
		}
		job, err := f.site.Client.Jobs.Get(ctx, id)
		switch {
		case err != nil && !errors.Is(err, adminapi.KindNotFound): // deleted at the site
			return adminapi.Job{}, err
		case err == nil && f.ours(job):
			job.ID = id
			return job, nil
		}
		f.known[id] = true
	}
	return adminapi.Job{}, nil
}

// showsAtItsEnd reports whether a write shows at the site only when it has ended: a health
// check without a job, or an edit of a definition.
func showsAtItsEnd(r journal.Record) bool {
	return (r.Kind == adminapi.WriteHealthRun || r.Kind == adminapi.WriteDefinition) && r.Fields.Get("async") == "false"
}

func (f *runSearch) ours(job adminapi.Job) bool {
	return strings.HasSuffix(job.OperationURI, healthRunPath) &&
		job.StartTime >= f.since && (f.latest == 0 || job.StartTime <= f.latest) &&
		f.by(job.Username)
}

// SyncTime is how long the answer of a run without a job is awaited, unless a user says so.
const SyncTime = 15 * time.Minute

// ParseSuites returns the ids of suites in a text, with commas between them.
func ParseSuites(text string) (ids []string, err error) {
	for id := range strings.SplitSeq(text, ",") {
		if id = strings.TrimSpace(id); id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	if len(ids) == 0 {
		err = errors.New("type the id of a suite")
	}
	return ids, err
}

// maxRunName is the longest name, in characters: it appears in lists and names of files.
const maxRunName = 128

// DefaultRunName returns a dated name for a run: "geodeck 2026-11-20 14:05:31". It has
// seconds since a run whose answer was lost is found by its name.
func DefaultRunName(now time.Time) string { return now.Format("geodeck 2006-01-02 15:04:05") }

// CheckRunName returns an error where a name is empty, too long, not UTF-8, or has characters
// that cannot be printed.
func CheckRunName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("give the run a name")
	case !utf8.ValidString(name):
		return errors.New("the name is not valid UTF-8 text")
	case utf8.RuneCountInString(name) > maxRunName:
		return fmt.Errorf("the name has more than %d characters", maxRunName)
	}
	for _, r := range name {
		if !unicode.IsPrint(r) {
			return fmt.Errorf("the name contains a character that cannot be shown (U+%04X)", r)
		}
	}
	return nil
}

// ReportDeletion is the change that deletes reports.
type ReportDeletion struct {
	IDs  []string
	Name string // of the only one, for sentences; may be empty
}

// Prepare returns it as it would be sent. It has no target: sending it twice does no harm.
func (d ReportDeletion) Prepare(s Site) Prepared {
	return Prepared{Kind: adminapi.WriteReportDeletion, What: "delete " + d.Name}.one(s, CommandLine{Words: []string{"health", "delete"}, Args: d.IDs}, adminapi.DeletionOf(d.IDs...))
}

// DeleteReports deletes reports with one request. Where the answer is lost, lost is told, and the
// outcome is searched for: it may stay unknown. So it is after the empty answer that is usual for one
// report, which is no loss to tell of.
func (s Site) DeleteReports(ctx context.Context, d ReportDeletion, lost func(error)) Result {
	one, result := s.send(ctx, d.Prepare(s), nil, func(ctx context.Context) (adminapi.Outcome, error) {
		return s.Client.Health.Delete(ctx, d.IDs...)
	})
	if errors.Is(result.Err, adminapi.ErrEmptyAnswer) {
		lost = nil
	}
	return s.find(ctx, one.record, s.lookForReports(d.IDs), result, lost).ended()
}

// lookForReports looks for a deletion: done where the site has none of the reports any more.
func (s Site) lookForReports(ids []string) look {
	return func(ctx context.Context, _ bool) (Resolution, error) {
		all, err := s.Reports().All(ctx)
		if err != nil {
			return Resolution{}, err
		}
		left := 0
		for _, r := range all {
			if slices.Contains(ids, r.ID) {
				left++
			}
		}
		found := Resolution{How: fmt.Sprintf("the site still has %d of %s", left, plain.Plural(len(ids), "report"))}
		switch left {
		case 0:
			found = Resolution{Outcome: adminapi.OutcomeDone, How: "the site no longer has it"}
		case len(ids):
			found.Shows = ShowsUnchanged
		}
		return found, nil
	}
}
