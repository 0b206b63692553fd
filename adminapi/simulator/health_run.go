package simulator

import (
	"slices"
	"strings"
	"time"
)

// queueTime is how long a run waits before it begins.
const queueTime = 400 * time.Millisecond

// What the job of a run is called, and the resource that it belongs to.
const runJobName, runJobResource = "Run health check", "healthCheck"

func runRoutes(w *world) []route {
	return []route{post("/healthCheck/run", "Run health check", w.runHealthCheck).needing(privSecurity).from("11.2")}
}

func (w *world) runHealthCheck(q *request) (answer, error) {
	suites, err := w.askedSuites(q)
	if err != nil {
		return answer{}, err
	}
	name, err := q.required("runName")
	if err != nil {
		return answer{}, err
	}
	async, err := q.boolean("async", false)
	if err != nil {
		return answer{}, err
	}
	r := w.startRun(q, name, suites)
	if async {
		return w.accepted(w.startRunJob(q, r)), nil
	}
	return answer{
		body:  map[string]string{"statusURL": adminRoot + "/healthCheck/reports/" + r.id},
		after: r.end.Sub(q.now),
	}, nil
}

func (w *world) askedSuites(q *request) ([]*suite, error) {
	if _, err := q.required("suiteIds"); err != nil {
		return nil, err
	}
	var suites []*suite
	for _, id := range q.list("suiteIds") {
		s := w.suite(id)
		if s == nil {
			return nil, invalid("unknown suite", "there is no suite "+id+"; there are "+strings.Join(w.suiteIDs(), ", "))
		}
		if !slices.Contains(suites, s) {
			suites = append(suites, s)
		}
	}
	if len(suites) == 0 {
		return nil, invalid("a required parameter is missing", "parameter suiteIds names no suite")
	}
	return suites, nil
}

func (w *world) suiteIDs() []string {
	var ids []string
	for _, s := range w.reports.suites {
		ids = append(ids, s.id)
	}
	return ids
}

// startRun looks at the world once; its report is among the others when the run
// has ended.
func (w *world) startRun(q *request, name string, suites []*suite) *run {
	r := &run{
		id: shortID(w.ids, 10), name: name, owner: q.user.Username, createdBy: q.user.Username,
		start: q.now.Add(queueTime), suites: suites, found: w.examine(suites), pace: w.ids.Uint64(), slower: w.reports.slower,
	}
	r.settleEnd()
	w.schedule(r.end, func() { w.reports.add(r) })
	return r
}

func (w *world) startRunJob(q *request, r *run) *job {
	j := job{name: runJobName, resource: runJobResource, begins: r.start, ends: r.end,
		result: func() any { return healthResult{r.report(time.Time{})} }}
	if w.scenario.PartialReports {
		j.partial = func(now time.Time) any { return healthResult{r.report(now)} }
	}
	return w.startJob(q, j)
}

type healthResult struct {
	Report reportBody `json:"diagnosticHealthReport"`
}
