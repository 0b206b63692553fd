package operation

import (
	"context"
	"errors"
	"strings"
	"time"

	"geodeck/adminapi"
)

const (
	// searchSlack forgives the whole seconds of the server's Date header.
	searchSlack = 5 * time.Second
	// healthRunPath is how a health run's job names its operation.
	healthRunPath = "healthCheck/run"
)

// runSearch finds a health run by reading: among the jobs that were not there
// before it was sent, and among the reports that bear its name.
type runSearch struct {
	site  Site
	name  string
	known map[string]bool // jobs that are not ours; nil where they could not be read
	since adminapi.Millis // by the server's clock
	until time.Time       // by ours; set at the first look
	user  string          // empty where it is not known
}

// prepareSearch notes what is there before the run is sent. A list of jobs that
// cannot be read is no reason not to run.
func (s Site) prepareSearch(ctx context.Context, name string) *runSearch {
	search := &runSearch{site: s, name: name, known: map[string]bool{}}
	if ids, err := s.Client.JobIDs(ctx); err == nil {
		for _, id := range ids {
			search.known[id] = true
		}
	}
	search.since = adminapi.MillisOf(s.serverNow().Add(-searchSlack))
	return search
}

// find looks once. A report of the right name is certain; a job is a candidate
// until its report shows the name.
func (f *runSearch) find(ctx context.Context) (jobID, reportID string, err error) {
	f.begin(ctx)
	if reportID, err = f.findReport(ctx); err != nil || reportID != "" {
		return "", reportID, err
	}
	jobID, err = f.findJob(ctx)
	return jobID, "", err
}

func (f *runSearch) begin(ctx context.Context) {
	if !f.until.IsZero() {
		return
	}
	f.until = f.site.Clock.Now().Add(searchTime)
	if self, err := f.site.Client.Self(ctx); err == nil {
		f.user = self.Username
	}
}

func (f *runSearch) over() bool { return !f.site.Clock.Now().Before(f.until) }

func (f *runSearch) exclude(jobID string) { f.known[jobID] = true }

func (f *runSearch) findReport(ctx context.Context) (string, error) {
	reports, err := f.site.AllReports(ctx)
	for _, report := range reports {
		if report.Name == f.name && report.StartTime >= f.since {
			return report.ID, nil
		}
	}
	return "", err
}

func (f *runSearch) findJob(ctx context.Context) (string, error) {
	ids, err := f.site.Client.JobIDs(ctx)
	if err != nil {
		return "", err
	}
	for _, id := range ids {
		if f.known[id] || !adminapi.IsJobID(id) {
			continue
		}
		job, err := f.site.Client.Job(ctx, id)
		switch {
		case err != nil && !errors.Is(err, adminapi.KindNotFound): // one that is forgotten is none
			return "", err
		case err == nil && f.ours(job):
			return id, nil
		}
		f.exclude(id)
	}
	return "", nil
}

func (f *runSearch) ours(job adminapi.Job) bool {
	return strings.HasSuffix(job.OperationURI, healthRunPath) &&
		job.StartTime >= f.since &&
		(f.user == "" || job.Username == f.user)
}
