package simulator

import "time"

// rememberJobs puts the jobs behind the reports that somebody started lately
// among the site's jobs.
func (w *world) rememberJobs() {
	r := w.random("past jobs")
	for i := len(w.reports.ended) - 1; i >= 0; i-- {
		past := w.reports.ended[i]
		if past.createdBy != "admin" || w.started.Sub(past.end) > 30*24*time.Hour {
			continue
		}
		w.jobs.add(&job{
			id: "j" + longID(r), requestID: longID(r), username: past.createdBy, name: runJobName, resource: runJobResource,
			operation: adminRoot + "/healthCheck/run", submitted: past.start.Add(-queueTime), begins: past.start, ends: past.end,
			result: func() any { return healthResult{past.report(time.Time{})} },
		})
	}
}
