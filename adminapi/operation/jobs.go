package operation

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/operation/polling"
	"geodeck/adminapi/parallel"
	"geodeck/adminapi/plain"
)

const (
	// maxNewJobs bounds the jobs that one refresh reads without being asked: of those at the
	// beginning of the site's list, which no document says the order of, and of those at its end.
	maxNewJobs = 60
	lastJobs   = 20
	// maxKeptJob bounds what is kept of the JSON of a job, in bytes: that of a health check
	// holds its report.
	maxKeptJob = 8 << 10
)

// KnownJob is a job as it was read last.
type KnownJob struct {
	adminapi.Job          // without its result, and without the JSON where that is long
	Says         []string // why it ended as it did, in the site's words
	About        Subject
	Done, Total  int // tests of a health check that runs, where the site tells
}

// Gone reports whether the site no longer has the job, or never had one with such an id.
func (j KnownJob) Gone() bool { return j.Status == "" }

// Percent is how far the job is, and false where that is not known.
func (j KnownJob) Percent() (int, bool) {
	if j.Total <= 0 || j.Ended() {
		return 0, false
	}
	return 100 * j.Done / j.Total, true
}

// Subject is what a job or a write is about. The zero one is not known.
type Subject struct {
	Service string // its path
	Upgrade bool   // also a rollback
	Health  bool   // a health check, or its reports
	Report  string // the id of its report, where that is known
	Name    string // of the report
}

// SubjectOf tells from the path of an operation what it is about.
func SubjectOf(path string) Subject {
	_, operation, found := strings.Cut(path, "/admin/")
	if !found {
		return Subject{}
	}
	switch area, rest, _ := strings.Cut(operation, "/"); area {
	case "services":
		at := strings.LastIndexByte(rest, '/')
		if at < 0 {
			return Subject{}
		}
		service, err := url.PathUnescape(rest[:at])
		if err != nil || !strings.Contains(service, ".") {
			return Subject{} // a folder
		}
		return Subject{Service: service}
	case "healthCheck":
		return Subject{Health: true}
	case "system":
		return Subject{Upgrade: strings.HasPrefix(rest, "upgrades")}
	}
	return Subject{}
}

// JobTable is what is known of the jobs of a site. It does not change.
type JobTable struct {
	IDs    []string // in the site's order
	listed map[string]bool
	jobs   map[string]KnownJob
}

// Job returns what is known of a job, and false where it was not read yet.
func (t *JobTable) Job(id string) (KnownJob, bool) {
	if t == nil {
		return KnownJob{}, false
	}
	job, known := t.jobs[id]
	return job, known
}

// Running counts the jobs that have not ended.
func (t *JobTable) Running() (n int) {
	if t == nil {
		return 0
	}
	for _, job := range t.jobs {
		if !job.Ended() && !job.Gone() {
			n++
		}
	}
	return n
}

// Report finds the report of a health check by the name of its run; empty where no job that is
// known has it.
func (t *JobTable) Report(name string) (id string) {
	if t == nil || name == "" {
		return ""
	}
	for _, known := range t.IDs {
		if about := t.jobs[known].About; about.Name == name {
			return about.Report
		}
	}
	return ""
}

// RefreshJobs reads the list of jobs anew, and the jobs that have not ended, those that are new,
// and those that are wanted: one request each, since the list holds ids only. A job that has
// ended is not read again. An error comes with what was read before it.
func (s Site) RefreshJobs(ctx context.Context, before *JobTable, wanted []string) (*JobTable, error) {
	ids, err := s.Client.Jobs.IDs(ctx)
	if err != nil {
		return before, err
	}
	after := &JobTable{listed: make(map[string]bool, len(ids)), jobs: map[string]KnownJob{}}
	for _, id := range ids {
		if !after.listed[id] {
			after.listed[id] = true
			after.IDs = append(after.IDs, id)
		}
	}
	earlier := map[string]bool{}
	if before != nil {
		after.jobs, earlier = maps.Clone(before.jobs), before.listed
	}
	toRead := after.toRead(earlier, wanted)
	err = s.eachJob(ctx, toRead, func(i int, job adminapi.Job) { after.jobs[toRead[i]] = known(job) })
	maps.DeleteFunc(after.jobs, func(id string, _ KnownJob) bool { return !after.listed[id] }) // removed at the site
	return after, err
}

// toRead are the ids of the jobs to read now: of those that were not listed earlier only some.
func (t *JobTable) toRead(earlier map[string]bool, wanted []string) (ids []string) {
	budget := maxNewJobs
	for i, id := range t.IDs {
		job, read := t.jobs[id]
		switch {
		case !adminapi.IsJobID(id):
			t.jobs[id] = KnownJob{Job: adminapi.Job{ID: id}}
		case read && (job.Ended() || job.Gone()):
		case read, slices.Contains(wanted, id):
			ids = append(ids, id)
		case earlier[id]: // once it is wanted
		case i >= len(t.IDs)-lastJobs:
			ids = append(ids, id)
		case budget > 0:
			budget--
			ids = append(ids, id)
		}
	}
	return ids
}

// known is what is kept of a job.
func known(job adminapi.Job) KnownJob {
	k := KnownJob{Job: job, Says: job.Reasons(), About: SubjectOf(job.OperationURI)}
	if k.About.Health {
		if report, found := job.Report(); found {
			k.About.Report, k.About.Name = report.ID, report.Name
			count := health.CountReport(report)
			k.Total = count.Total()
			k.Done = k.Total - count[health.Running]
		}
	}
	k.Result, k.Unknown = nil, nil
	if len(k.Raw) > maxKeptJob {
		k.Raw = nil
	}
	return k
}

// JobError is a job that ended without doing its work; it matches [ErrJobBroken].
type JobError struct{ Job adminapi.Job }

// Error names the job, its last status and its reasons.
func (e *JobError) Error() string {
	text := "job " + plain.Line(e.Job.ID) + " ended as " + plain.Line(e.Job.Status)
	if e.Job.Refused {
		text += ", with an error as its result"
	}
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

// jobPoller fetches a job until its end.
type jobPoller struct {
	client *adminapi.Client
	id     string
	pace   polling.Pace
	last   adminapi.Job
}

// pollJob returns a poller of a job. It sends nothing yet.
func (s Site) pollJob(id string) *jobPoller {
	return &jobPoller{client: s.Client, id: id, pace: s.Pace(polling.JobBackoff), last: adminapi.Job{ID: id}}
}

// Next fetches the job once. While the site does not answer (transport, 5xx, HTML) the
// job may go on. A job that ends badly is an error that matches [ErrJobBroken].
func (p *jobPoller) Next(ctx context.Context) (polling.Step[adminapi.Job], error) {
	job, err := p.client.Jobs.Get(ctx, p.id)
	switch {
	case err != nil && adminapi.IsTransient(err):
		return polling.Step[adminapi.Job]{Value: p.last, Wait: p.pace.AfterFailure(), Unreachable: err}, nil
	case err != nil:
		return polling.Step[adminapi.Job]{Value: p.last}, err
	}
	p.last = job
	switch {
	case job.Failed():
		return polling.Step[adminapi.Job]{Value: job}, &JobError{Job: job}
	case job.Completed():
		return polling.Step[adminapi.Job]{Value: job, Done: true}, nil
	}
	return polling.Step[adminapi.Job]{Value: job, Wait: p.pace.AfterAnswer()}, nil
}

// WaitJob polls a job until its end; report may be nil.
func (s Site) WaitJob(ctx context.Context, id string, report func(polling.Step[adminapi.Job])) (adminapi.Job, error) {
	return polling.Wait(ctx, s.Clock, s.pollJob(id), report)
}

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
	group := parallel.Group{Limit: parallel.MaxRequests}
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

// maxJobs bounds the jobs that are fetched to find those of a service, newest first.
const maxJobs = 50

// JobsOf fetches the jobs that worked on a service, newest first.
func (s Site) JobsOf(ctx context.Context, service adminapi.ServiceRef) ([]adminapi.Job, error) {
	jobs, err := s.Jobs(ctx, maxJobs)
	if err != nil {
		return nil, err
	}
	at := "/services/" + strings.ToLower(service.Path()) + "/"
	own := slices.DeleteFunc(jobs, func(j adminapi.Job) bool {
		return !strings.Contains(strings.ToLower(editing.Unescaped(j.OperationURI)), at)
	})
	slices.SortStableFunc(own, func(a, b adminapi.Job) int { return cmp.Compare(b.StartTime, a.StartTime) })
	return own, nil
}
