package adminapi

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

const (
	defaultPage = 1000 // reports, the platform's own
	lastPage    = -1
)

// ReportQuery asks for one page of the reports.
type ReportQuery struct {
	Results []string // passed, failed, warning, unknown; empty means all
	Start   int      // 1-based; 0 means 1
	Num     int      // page size; 0 means 1000
}

// ReportPage is one page of reports in the server's order.
type ReportPage struct {
	Total     int             `json:"total"`
	Num       int             `json:"num"`
	Start     int             `json:"start"`
	NextStart int             `json:"nextStart"` // -1 on the last page
	Runs      []ReportSummary `json:"runs"`
	Unknown   Unknown         `json:",embed"`
}

// Last tells whether no page follows this one.
func (p ReportPage) Last() bool { return p.NextStart <= p.Start || len(p.Runs) == 0 }

// Reports reads one page of the list of reports. Needs a site of 11.2.
func (c *Client) Reports(ctx context.Context, q ReportQuery) (ReportPage, error) {
	fields := url.Values{"start": {strconv.Itoa(max(q.Start, 1))}, "num": {strconv.Itoa(defaultPage)}}
	if q.Num > 0 {
		fields.Set("num", strconv.Itoa(q.Num))
	}
	if len(q.Results) > 0 {
		fields.Set("runResult", strings.Join(q.Results, ","))
	}
	k := call{operation: opReports, shown: true, method: http.MethodGet, path: []string{"healthCheck", "reports", "query"}, fields: fields}
	var page ReportPage
	err := c.read(ctx, k, &page, func() string {
		if page.Runs == nil && page.Num == 0 && page.Start == 0 && page.NextStart == 0 {
			return "page of reports"
		}
		return ""
	})
	if page.NextStart <= 0 {
		page.NextStart = lastPage
	}
	return page, err
}

// Report reads one report. Needs a site of 11.2.
func (c *Client) Report(ctx context.Context, id string) (Report, error) {
	k := call{operation: opReport, shown: true, method: http.MethodGet, path: []string{"healthCheck", "reports", id}}
	a, e := c.fetch(ctx, k)
	if e != nil {
		return Report{}, c.complete(ctx, k, e)
	}
	if len(a.body) == 0 {
		return Report{}, a.explain(k, notJSON("the answer is empty", nil))
	}
	report, e := decodeReport(a.body)
	if e != nil {
		return Report{}, a.explain(k, e)
	}
	return report, nil
}

// DeleteReports deletes reports for good.
func (c *Client) DeleteReports(ctx context.Context, ids ...string) (Outcome, error) {
	if e := checkList("report", ids); e != nil {
		e.Operation = opDeleteReports.name
		return OutcomeNotSent, e
	}
	k := call{operation: opDeleteReports, path: []string{"healthCheck", "reports", "delete"}, fields: url.Values{"runIds": {strings.Join(ids, ",")}}}
	if len(ids) == 1 {
		k.path, k.fields = []string{"healthCheck", "reports", ids[0], "delete"}, nil
	}
	return c.write(ctx, k, func(a answer) *Error {
		// One report is deleted without a word.
		if len(ids) == 1 && len(a.body) == 0 && a.whole {
			return nil
		}
		return a.succeeded()
	})
}

// succeeded reads an answer that says no more than that it was done.
func (a answer) succeeded() *Error {
	var reply struct {
		Success bool   `json:"success"`
		Status  string `json:"status"`
	}
	return a.decode(&reply, func() string {
		if !reply.Success && reply.Status != "success" {
			return "word of success"
		}
		return ""
	})
}

// ExportReports starts a job on the server that packs reports into a zip of
// CSV and JSON. (The dashboard exports by itself; see package health.)
func (c *Client) ExportReports(ctx context.Context, ids ...string) (Accepted, Outcome, error) {
	if e := checkList("report", ids); e != nil {
		e.Operation = opExportReports.name
		return Accepted{}, OutcomeNotSent, e
	}
	return c.submit(ctx, call{
		operation: opExportReports, path: []string{"healthCheck", "reports", "export"},
		fields: url.Values{"runIds": {strings.Join(ids, ",")}},
	})
}
