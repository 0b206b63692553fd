package adminapi

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/pattern"
)

// BasicSuite is the id that is published of the suite which every site with health checks has.
const BasicSuite = "BSHC-001"

// Suite is a set of tests that the platform can run. It runs as a whole: administrators
// cannot choose single tests.
type Suite struct {
	ID         string      `json:"id"`
	Name       string      `json:"name"`
	SystemOnly bool        `json:"systemOnly"` // only the platform can run it
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

// Health is the checks of a site: suites of tests, and the reports of their runs.
type Health struct{ client *Client }

// The operations of this file, with the privilege and the version that they require.
var (
	opSuites        = healthOperation("read the test suites")
	opRunHealth     = healthOperation("run a health check").writing(WriteHealthRun).inContract()
	opReports       = healthOperation("read the list of reports")
	opReport        = healthOperation("read a report")
	opDeleteReports = healthOperation("delete reports").writing(WriteReportDeletion)
)

func healthOperation(name string) operation {
	return operation{name: name, privilege: ToCheckHealth, since: VersionHealth, needs: "health checks need"}
}

// Suites fetches the suites of the site. It requires a site of 11.2.
func (h Health) Suites(ctx context.Context) ([]Suite, error) {
	type lists struct {
		User   *[]Suite `json:"userSuites"`
		System *[]Suite `json:"systemSuites"`
	}
	k := opSuites.at("healthCheck", "suites").masked()
	found, err := readAs(ctx, h.client, k, "userSuites", func(l *lists) bool { return l.User != nil || l.System != nil })
	var suites []Suite
	for _, list := range []*[]Suite{found.User, found.System} {
		if list != nil {
			suites = append(suites, *list...)
		}
	}
	return suites, err
}

// UnmarshalJSONFrom reads a suite. The name of the member with the critical tests differs
// between versions, but begins with "critical".
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

// HealthRun describes a health check to run.
type HealthRun struct {
	SuiteIDs []string // from Suites; at least one
	Name     string   // runName: the name of the report
	// Sync, above zero, has the site answer at the end of the run, with its report and
	// without a job; the answer is awaited for so long.
	Sync time.Duration
}

// Accepted is the platform's answer to an operation that continues in a job, that has
// made a report, or that is done. JobID or ReportID is set, or neither if the site
// answered only "success".
type Accepted struct {
	JobID    string // jobid or jobID
	Status   string // status or jobStatus, SUBMITTED as a rule
	ReportID string // taken from statusURL
}

// Start starts a health check and returns its job without waiting for its end, or,
// with Sync, the id of its report at its end; a site may answer with either in both cases. It
// requires a site of 11.2 and the privilege "Security and infrastructure".
func (h Health) Start(ctx context.Context, run HealthRun) (Accepted, Outcome, error) {
	return submit(ctx, h.client, run.Call(), answer.accepted)
}

// Call is what [Health.Start] sends.
func (r HealthRun) Call() Call {
	k := opRunHealth.at("healthCheck", "run")
	k.invalid, k.target, k.timeout = r.check(), TargetHealthRun(r.Name), r.Sync
	k.fields = url.Values{
		"suiteIds": {strings.Join(r.SuiteIDs, ",")}, "runName": {r.Name}, asyncField: {strconv.FormatBool(r.Sync <= 0)},
	}
	return k
}

func (r HealthRun) check() *Error {
	switch {
	case strings.TrimSpace(r.Name) == "":
		return invalid("the run has no name")
	case hasControl(r.Name):
		return invalid("the name of the run contains control characters or invalid UTF-8")
	}
	return checkList("suite", r.SuiteIDs)
}

// checkList checks ids that are sent as one text, separated by commas.
func checkList(what string, ids []string) *Error {
	if len(ids) == 0 {
		return invalid("no " + what + " is named")
	}
	for _, id := range ids {
		if e := checkSegment(id); e != nil {
			return e
		}
		if strings.Contains(id, ",") {
			return invalid("the id of a " + what + " must not contain a comma")
		}
	}
	return nil
}

// accepted reads a job, in either spelling, or the path of a report.
func (a answer) accepted() (Accepted, *Error) {
	type job struct {
		JobID     string `json:"jobid"`
		Status    string `json:"status"`
		JobStatus string `json:"jobStatus"`
		JobsURL   string `json:"jobsUrl"`
		StatusURL string `json:"statusURL"`
	}
	reply, e := decodeAs[job](a, "", nil)
	if e != nil {
		return Accepted{}, e
	}
	accepted := Accepted{JobID: cmp.Or(reply.JobID, idIn(reply.JobsURL, jobPath())), Status: cmp.Or(reply.Status, reply.JobStatus)}
	if accepted.JobID == "" {
		accepted.ReportID = idIn(reply.StatusURL, reportPath())
	}
	switch {
	case a.holdsError():
		return Accepted{}, notJSON("the answer contains both a job and an error", nil)
	case accepted.JobID != "" && !IsJobID(accepted.JobID):
		return Accepted{}, &Error{Kind: KindServer, Message: ErrJobID.Error() + ": " + strconv.Quote(shortened(accepted.JobID)), Err: ErrJobID}
	case accepted.JobID == "" && accepted.ReportID == "":
		return Accepted{}, notJSON("the answer names neither a job nor a report", nil)
	}
	return accepted, nil
}

// holdsError reports whether an answer that can be decoded contains an error of any form.
func (a answer) holdsError() bool {
	var reply struct {
		Error *jsontext.Value `json:"error"`
	}
	return decode(a.body, &reply) == nil && reply.Error != nil
}

// The paths of a report and of a job, or any part of them that ends with its id.
var (
	reportPath = pattern.New(`^(?:/|(?:.*/)?healthCheck/)?reports/([^/]+)/?$`)
	jobPath    = pattern.New(`^(?:/|(?:.*/)?admin/)?jobs/([^/]+)/?$`)
)

// idIn returns the id of the report or job that an address, or a portion of one, names: of the form
// /<context>/admin/healthCheck/reports/<id>, or reports/<id>. Any other names none. Neither the path nor
// its host is ever requested: what it names is read below the root of this client.
func idIn(address string, path *regexp.Regexp) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	m := path.FindStringSubmatch(u.EscapedPath())
	if m == nil {
		return ""
	}
	id, err := url.PathUnescape(m[1])
	if err != nil || checkSegment(id) != nil {
		return ""
	}
	return id
}

// Report is one health check report. Result and State are the server's words, which
// package health interprets.
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

// SuiteResult is the part of a report that belongs to one suite.
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

// UnmarshalJSONFrom reads a test and keeps its bytes in Raw.
func (t *TestResult) UnmarshalJSONFrom(dec *jsontext.Decoder) (err error) {
	type fields TestResult
	t.Raw, err = decodeKept(dec, (*fields)(t))
	return err
}

// ReportSummary is a report in the list of reports: without its suites.
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

// DecodeReport reads a report from an answer or a saved file: the bare report, a job with
// the report in its result, or that result. Unknown members and words are kept. The error
// is of [KindNotJSON] if body is not a report.
func DecodeReport(body []byte) (Report, error) {
	report, e := decodeReport(trimmed(body))
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
		return Report{}, notJSON("the report has an unexpected structure", err)
	}
	report.Raw = bytes.Clone(value)
	return report, nil
}

// findReport returns the report within a job or a result.
func findReport(body []byte, depth int) (jsontext.Value, *Error) {
	var holder struct {
		ID     string         `json:"id"`
		Result jsontext.Value `json:"result"`
		Suites jsontext.Value `json:"suiteStatus"`
		Report jsontext.Value `json:"diagnosticHealthReport"`
	}
	err := decode(body, &holder)
	if err != nil && !jsontext.Value(body).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return nil, notJSON("this is not a health check report: not JSON, or cut off", err)
	}
	switch {
	case depth > 0 && holder.Report.Kind() == jsontext.KindBeginObject:
		return findReport(holder.Report, depth-1)
	case holder.Suites.Kind() == jsontext.KindBeginArray, holder.Suites.Kind() == jsontext.KindBeginObject,
		holder.ID != "" && holder.Result.Kind() == jsontext.KindString:
		return body, nil
	case depth > 0 && holder.Result.Kind() == jsontext.KindBeginObject:
		return findReport(holder.Result, depth-1)
	}
	return nil, notJSON("this is JSON, but not a health check report", err)
}

const (
	defaultPage = 1000 // reports, the platform's own
	lastPage    = -1
)

// ReportQuery selects one page of the reports.
type ReportQuery struct {
	Results []string // passed, failed, warning, unknown; all if empty
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

// Reports fetches one page of the list of reports. It requires a site of 11.2.
func (h Health) Reports(ctx context.Context, q ReportQuery) (ReportPage, error) {
	fields := url.Values{"start": {strconv.Itoa(max(q.Start, 1))}, "num": {strconv.Itoa(defaultPage)}}
	if q.Num > 0 {
		fields.Set("num", strconv.Itoa(q.Num))
	}
	if len(q.Results) > 0 {
		fields.Set("runResult", strings.Join(q.Results, ","))
	}
	k := Call{operation: opReports, maskAnswer: true, path: []string{"healthCheck", "reports", "query"}, fields: fields}
	page, err := readAs(ctx, h.client, k, "page of reports", func(p *ReportPage) bool {
		return p.Runs != nil || p.Num != 0 || p.Start != 0 || p.NextStart != 0
	})
	if page.NextStart <= 0 {
		page.NextStart = lastPage
	}
	return page, err
}

// Report fetches one report. It requires a site of 11.2.
func (h Health) Report(ctx context.Context, id string) (Report, error) {
	k := Call{operation: opReport, maskAnswer: true, kept: true, path: []string{"healthCheck", "reports", id}}
	return read(ctx, h.client, k, func(a answer) (Report, *Error) { return decodeReport(a.body) })
}

// Delete deletes reports permanently.
func (h Health) Delete(ctx context.Context, ids ...string) (Outcome, error) {
	return h.client.write(ctx, DeletionOf(ids...), func(a answer) *Error {
		if len(ids) == 1 && len(a.body) == 0 {
			return &Error{Kind: KindNotJSON, Message: ErrEmptyAnswer.Error(), Err: ErrEmptyAnswer}
		}
		return a.succeeded()
	})
}

// ErrEmptyAnswer says that the answer to the deletion of one report was empty. A site that has deleted it answers so,
// and so does a proxy that swallows an error: only the list of reports tells.
var ErrEmptyAnswer = errors.New("the answer was empty")

// DeletionOf is what [Health.Delete] sends.
func DeletionOf(ids ...string) Call {
	k := opDeleteReports.at("healthCheck", "reports", "delete")
	k.fields = url.Values{"runIds": {strings.Join(ids, ",")}}
	if len(ids) == 1 {
		k = opDeleteReports.at("healthCheck", "reports", ids[0], "delete")
	}
	k.invalid = checkList("report", ids)
	return k
}

// succeeded checks an answer that says only that an operation succeeded.
func (a answer) succeeded() *Error {
	type reply struct {
		Success bool   `json:"success"`
		Status  string `json:"status"`
	}
	_, e := decodeAs(a, "word of success", func(r *reply) bool { return r.Success || r.Status == "success" })
	return e
}
