package adminapi

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

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

const deepestWrapping = 3 // job, result, report

func decodeReport(body []byte) (Report, *Error) {
	value, e := findReport(body, deepestWrapping)
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
