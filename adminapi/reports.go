package adminapi

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Suite is a set of tests that the platform offers to run. Administrators
// cannot pick single tests of it.
type Suite struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	SystemOnly bool        `json:"systemOnly"` // the platform runs it, users cannot
	Critical   []SuiteTest `json:"criticalTests"`
	General    []SuiteTest `json:"generalTests"`
	Unknown    Unknown     `json:",embed"`
}

// SuiteTest names one test of a suite.
type SuiteTest struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Unknown     Unknown `json:",embed"`
}

// Suites reads the suites that can be run. Needs a site of 11.2.
func (c *Client) Suites(ctx context.Context) ([]Suite, error) {
	var list struct {
		User   *[]Suite `json:"userSuites"`
		System *[]Suite `json:"systemSuites"`
	}
	k := call{operation: opSuites, maskAnswer: true, method: http.MethodGet, path: []string{"healthCheck", "suites"}}
	err := c.read(ctx, k, &list, func() string {
		if list.User == nil && list.System == nil {
			return "userSuites"
		}
		return ""
	})
	if err != nil {
		return nil, err
	}
	var suites []Suite
	for _, part := range []*[]Suite{list.User, list.System} {
		if part != nil {
			suites = append(suites, *part...)
		}
	}
	return suites, nil
}

// Suite reads one suite by its id. Needs a site of 11.2.
func (c *Client) Suite(ctx context.Context, id string) (Suite, error) {
	var suite Suite
	k := call{operation: opSuite, maskAnswer: true, method: http.MethodGet, path: []string{"healthCheck", "suites", id}}
	err := c.read(ctx, k, &suite, func() string {
		if suite.ID == "" && suite.Name == "" {
			return "suite"
		}
		return ""
	})
	return suite, err
}

// UnmarshalJSONFrom reads a suite. The critical tests are under a key that
// begins with "critical"; which one exactly differs.
func (s *Suite) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type fields Suite
	if err := json.UnmarshalDecode(dec, (*fields)(s), tolerant); err != nil {
		return err
	}
	var rest map[string]jsontext.Value
	if s.Critical != nil || len(s.Unknown) == 0 || decode(s.Unknown, &rest) != nil {
		return nil
	}
	for key, value := range rest {
		if strings.HasPrefix(strings.ToLower(key), "critical") && value.Kind() == jsontext.KindBeginArray {
			return decode(value, &s.Critical)
		}
	}
	return nil
}

// HealthRun asks for a health check.
type HealthRun struct {
	SuiteIDs []string // from Suites; at least one
	Name     string   // runName: the name of the report
}

// Accepted is the platform's answer to an operation that goes on in a job, that
// left a report behind, or that is over. One of JobID and ReportID is set, or
// neither where the site said no more than "success".
type Accepted struct {
	JobID    string // jobid or jobID
	Status   string // status or jobStatus, SUBMITTED as a rule
	JobsURL  string // as the server wrote it; never followed
	ReportID string // taken from statusURL
}

// StartHealthRun sends an asynchronous run and returns at once with its job.
// Needs a site of 11.2 and the privilege "Security and infrastructure".
func (c *Client) StartHealthRun(ctx context.Context, run HealthRun) (Accepted, Outcome, error) {
	return c.runHealth(ctx, run, true, 0)
}

// RunHealth sends a synchronous run, waits for it (up to ten minutes unless ctx
// ends before) and returns with the id of its report.
// Needs a site of 11.2 and the privilege "Security and infrastructure".
func (c *Client) RunHealth(ctx context.Context, run HealthRun) (Accepted, Outcome, error) {
	return c.runHealth(ctx, run, false, longTimeout)
}

func (c *Client) runHealth(ctx context.Context, run HealthRun, async bool, timeout time.Duration) (Accepted, Outcome, error) {
	if e := run.check(); e != nil {
		e.Operation = opRunHealth.name
		return Accepted{}, OutcomeNotSent, e
	}
	return c.submit(ctx, call{
		operation: opRunHealth, path: []string{"healthCheck", "run"}, timeout: timeout, target: TargetHealthRun(run.Name),
		fields: url.Values{
			"suiteIds": {strings.Join(run.SuiteIDs, ",")}, "runName": {run.Name}, "async": {strconv.FormatBool(async)},
		},
	})
}

func (r HealthRun) check() *Error {
	switch {
	case strings.TrimSpace(r.Name) == "":
		return &Error{Kind: KindInvalid, Message: "the run has no name"}
	case hasControl(r.Name):
		return &Error{Kind: KindInvalid, Message: "the name of the run holds control characters or broken UTF-8"}
	}
	return checkList("suite", r.SuiteIDs)
}

// checkList checks ids that travel as one text with commas between them.
func checkList(what string, ids []string) *Error {
	if len(ids) == 0 {
		return &Error{Kind: KindInvalid, Message: "no " + what + " is named"}
	}
	for _, id := range ids {
		if e := checkSegment(id); e != nil {
			return e
		}
		if strings.Contains(id, ",") {
			return &Error{Kind: KindInvalid, Message: "the id of a " + what + " holds no comma"}
		}
	}
	return nil
}

// submit sends a write that the platform answers with a job or a report.
func (c *Client) submit(ctx context.Context, k call) (Accepted, Outcome, error) {
	var accepted Accepted
	outcome, err := c.write(ctx, k, func(a answer) *Error {
		var e *Error
		accepted, e = a.accepted()
		return e
	})
	return accepted, outcome, err
}

// accepted reads both spellings of a job, and the path of a report.
func (a answer) accepted() (Accepted, *Error) {
	var reply struct {
		JobID     string         `json:"jobid"`
		Status    string         `json:"status"`
		JobStatus string         `json:"jobStatus"`
		JobsURL   string         `json:"jobsUrl"`
		StatusURL string         `json:"statusURL"`
		Error     jsontext.Value `json:"error"`
	}
	if e := a.decode(&reply, nil); e != nil {
		return Accepted{}, e
	}
	accepted := Accepted{JobID: reply.JobID, Status: reply.Status, JobsURL: reply.JobsURL}
	if accepted.Status == "" {
		accepted.Status = reply.JobStatus
	}
	if accepted.JobID == "" {
		accepted.ReportID = lastSegment(reply.StatusURL)
	}
	if ifAbsentOrNull(reply.Error, "error") == "" {
		return Accepted{}, notJSON("the answer holds both a job and an error", nil)
	}
	if accepted.JobID != "" && !IsJobID(accepted.JobID) {
		return Accepted{}, &Error{Kind: KindServer, Message: ErrJobID.Error() + ": " + strconv.Quote(shortened(accepted.JobID)), Err: ErrJobID}
	}
	if accepted.JobID == "" && accepted.ReportID == "" {
		return Accepted{}, notJSON("the answer names neither a job nor a report", nil)
	}
	return accepted, nil
}

// lastSegment returns the id at the end of a path that the server wrote, empty
// where it is none. The path itself is never requested.
func lastSegment(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	escaped := strings.TrimRight(u.EscapedPath(), "/")
	id, err := url.PathUnescape(escaped[strings.LastIndex(escaped, "/")+1:])
	if err != nil || checkSegment(id) != nil {
		return ""
	}
	return id
}

// Report is one health check report. Result and State are the server's words;
// package health says what they mean.
type Report struct {
	ID        string        `json:"id"`
	Name      string        `json:"name"`
	Owner     string        `json:"owner"`
	CreatedBy string        `json:"createdBy"`
	Result    string        `json:"result"`
	State     string        `json:"state"`
	StartTime Millis        `json:"startTime"`
	EndTime   Millis        `json:"endTime"`
	Suites    []SuiteResult `json:"suiteStatus"`
	Unknown   Unknown       `json:",embed"`

	// Raw is the report as the server wrote it.
	Raw jsontext.Value `json:"-"`
}

// SuiteResult is the part of a report that one suite made.
type SuiteResult struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	Description string       `json:"description"`
	Result      string       `json:"result"`
	State       string       `json:"state"`
	StartTime   Millis       `json:"startTime"`
	EndTime     Millis       `json:"endTime"`
	Critical    []TestResult `json:"criticalTestStatus"`
	General     []TestResult `json:"generalTestStatus"`
	Unknown     Unknown      `json:",embed"`
}

// TestResult is the result of one test.
type TestResult struct {
	ID          string  `json:"id"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Severity    string  `json:"severity"`
	Result      string  `json:"result"`
	State       string  `json:"state"`
	StartTime   Millis  `json:"startTime"`
	EndTime     Millis  `json:"endTime"`
	Unknown     Unknown `json:",embed"`

	// Raw is the test as the server wrote it.
	Raw jsontext.Value `json:"-"`
}

// UnmarshalJSONFrom reads a test and keeps the bytes it was written in.
func (t *TestResult) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type fields TestResult
	value, err := dec.ReadValue()
	if err != nil {
		return err
	}
	raw := bytes.Clone(value)
	if err := json.Unmarshal(raw, (*fields)(t), tolerant); err != nil {
		return err
	}
	t.Raw = raw
	return nil
}

// ReportSummary is a report as the list of reports shows it: without its suites.
type ReportSummary struct {
	ID        string  `json:"id"`
	Name      string  `json:"name"`
	Owner     string  `json:"owner"`
	CreatedBy string  `json:"createdBy"`
	Result    string  `json:"result"`
	State     string  `json:"state"`
	StartTime Millis  `json:"startTime"`
	EndTime   Millis  `json:"endTime"`
	Unknown   Unknown `json:",embed"`
}

// DecodeReport reads a report as the server or a saved file holds it: the bare
// report, a job whose result holds it, or that result. Unknown members and
// words are kept. The error is of [KindNotJSON] where body is no report.
func DecodeReport(body []byte) (Report, error) {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	report, e := decodeReport(body)
	if e != nil {
		e.Operation = "read this report"
		return Report{}, e
	}
	return report, nil
}

const maxWrapping = 3 // job, result, report

func decodeReport(body []byte) (Report, *Error) {
	value, e := findReport(body, maxWrapping)
	if e != nil {
		return Report{}, e
	}
	var report Report
	if err := decode(value, &report); err != nil {
		return Report{}, notJSON("the report is not put together as reports are", err)
	}
	report.Raw = bytes.Clone(value)
	return report, nil
}

// findReport unwraps a report from whatever it came in.
func findReport(body []byte, depth int) (jsontext.Value, *Error) {
	var holder struct {
		ID     string         `json:"id"`
		Result jsontext.Value `json:"result"`
		Suites jsontext.Value `json:"suiteStatus"`
		Report jsontext.Value `json:"diagnosticHealthReport"`
	}
	if err := decode(body, &holder); err != nil {
		return nil, notJSON("this is not a health check report: not JSON, or cut off", err)
	}
	switch {
	case depth > 0 && holder.Report.Kind() == jsontext.KindBeginObject:
		return findReport(holder.Report, depth-1)
	case holder.Suites.Kind() == jsontext.KindBeginArray, holder.Suites.Kind() == jsontext.KindBeginObject, holder.ID != "" && holder.Result.Kind() == jsontext.KindString:
		return body, nil
	case depth > 0 && holder.Result.Kind() == jsontext.KindBeginObject:
		return findReport(holder.Result, depth-1)
	}
	return nil, notJSON("this is JSON, but not a health check report", nil)
}

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

// Last reports whether no page follows this one.
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
	k := call{operation: opReports, maskAnswer: true, method: http.MethodGet, path: []string{"healthCheck", "reports", "query"}, fields: fields}
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
	k := call{operation: opReport, maskAnswer: true, method: http.MethodGet, path: []string{"healthCheck", "reports", id}}
	a, e := c.fetch(ctx, k)
	if e != nil {
		return Report{}, c.diagnose(ctx, k, e)
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
