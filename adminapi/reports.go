package adminapi

import "context"

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
	panic("contract only")
}

// Report reads one report. Needs a site of 11.2.
func (c *Client) Report(ctx context.Context, id string) (Report, error) { panic("contract only") }

// DeleteReports deletes reports for good.
func (c *Client) DeleteReports(ctx context.Context, ids ...string) (Outcome, error) {
	panic("contract only")
}

// ExportReports starts a job on the server that packs reports into a zip of
// CSV and JSON. (The dashboard exports by itself; see package health.)
func (c *Client) ExportReports(ctx context.Context, ids ...string) (Accepted, Outcome, error) {
	panic("contract only")
}
