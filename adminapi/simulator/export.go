package simulator

import (
	"archive/zip"
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"time"
)

// exportTime is how long the site takes to pack reports.
const exportTime = 2 * time.Second

func exportRoutes(w *world) []route {
	return []route{
		post("/healthCheck/reports/export", "Export reports", w.exportReports).needing(privSecurity).from("11.2"),
		post("/healthCheck/reports/{id}/export", "Export report", w.exportReport).needing(privSecurity).from("11.2"),
	}
}

func (w *world) exportReports(q *request) (answer, error) {
	runs, err := w.reports.findAll(q)
	if err != nil {
		return answer{}, err
	}
	return w.export(q, runs), nil
}

func (w *world) exportReport(q *request) (answer, error) {
	r, err := w.reports.find(q.vars["id"])
	if err != nil {
		return answer{}, err
	}
	return w.export(q, []*run{r}), nil
}

// export starts a job; at its end an upload holds the file.
func (w *world) export(q *request, runs []*run) answer {
	ends := q.now.Add(queueTime + exportTime)
	item := &upload{id: longID(w.ids), name: "health-check-reports.zip", contentType: "application/zip", date: ends, committed: true,
		content: func() ([]byte, error) { return zipReports(runs) }}
	w.schedule(ends, func() { w.uploads.add(item) })
	return w.accepted(w.startJob(q, job{
		name: "Export reports", resource: "healthCheck", begins: q.now.Add(queueTime), ends: ends,
		result: func() any { return map[string]string{"uploadUrl": w.adminURL() + "/uploads/" + item.id} },
	}))
}

// zipReports packs each report as JSON and as CSV.
func zipReports(runs []*run) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, r := range runs {
		report := r.report(time.Time{})
		if err := zipReport(z, report); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

func zipReport(z *zip.Writer, report reportBody) error {
	text, err := marshal(report, true)
	if err != nil {
		return err
	}
	f, err := z.Create(report.ID + ".json")
	if err != nil {
		return err
	}
	if _, err := f.Write(text); err != nil {
		return err
	}
	if f, err = z.Create(report.ID + ".csv"); err != nil {
		return err
	}
	return writeCSV(f, report)
}

func writeCSV(out io.Writer, report reportBody) error {
	c := csv.NewWriter(out)
	_ = c.Write([]string{"suite", "id", "name", "severity", "result", "startTime", "endTime", "message"})
	for _, s := range report.Suites {
		for _, tests := range [][]testDone{s.Critical, s.General} {
			for _, t := range tests {
				_ = c.Write([]string{s.ID, t.ID, t.Name, t.Severity, t.Result, fmt.Sprint(t.StartTime), fmt.Sprint(t.EndTime), t.Message})
			}
		}
	}
	c.Flush()
	return c.Error()
}
