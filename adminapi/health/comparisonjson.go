package health

import (
	"time"
	"unicode"

	"geodeck/adminapi"
)

// ComparisonJSON is a comparison for scripts: its names and words do not change
// between versions. Counts has every change by its key, zeros included;
// Differences leaves out tests that stayed the same.
type ComparisonJSON struct {
	Before      ReportJSON       `json:"before"`
	After       ReportJSON       `json:"after"`
	Worse       bool             `json:"worse"`
	Counts      map[string]int   `json:"counts"`
	Differences []DifferenceJSON `json:"differences"`
}

// ReportJSON names a report. Result is the verdict on it, such as "passed".
type ReportJSON struct {
	ID     string `json:"id"`
	Name   string `json:"name"`
	Result string `json:"result"`
}

// DifferenceJSON is one test that changed. Before and After are verdicts, null
// where the test is missing; the seconds are null where they are not known.
type DifferenceJSON struct {
	SuiteID       string   `json:"suiteId"`
	Suite         string   `json:"suite"`
	Severity      string   `json:"severity"`
	Test          string   `json:"test"`
	Change        string   `json:"change"`
	Before        *string  `json:"before"`
	After         *string  `json:"after"`
	BeforeSeconds *float64 `json:"beforeSeconds"`
	AfterSeconds  *float64 `json:"afterSeconds"`
}

// Key returns the change as scripts read it: "newlyFailing", "fixed", ...
func (c Change) Key() string {
	var key []rune
	upper := false
	for _, r := range c.String() {
		switch {
		case r == ' ':
			upper = true
		case upper:
			key = append(key, unicode.ToUpper(r))
			upper = false
		default:
			key = append(key, r)
		}
	}
	return string(key)
}

// JSON returns the comparison in the form for scripts.
func (c Comparison) JSON() ComparisonJSON {
	out := ComparisonJSON{
		Before:      reportJSON(c.Before),
		After:       reportJSON(c.After),
		Worse:       c.Worse(),
		Counts:      map[string]int{},
		Differences: []DifferenceJSON{},
	}
	for _, change := range Changes {
		out.Counts[change.Key()] = c.Counts[change]
	}
	for _, d := range c.Differences {
		if d.Change != Same {
			out.Differences = append(out.Differences, d.json())
		}
	}
	return out
}

func reportJSON(r adminapi.Report) ReportJSON {
	return ReportJSON{ID: r.ID, Name: r.Name, Result: Overall(r).String()}
}

func (d Difference) json() DifferenceJSON {
	return DifferenceJSON{
		SuiteID: d.SuiteID, Suite: d.SuiteName, Severity: d.Severity, Test: d.Name,
		Change: d.Change.Key(),
		Before: verdictJSON(d.Before), After: verdictJSON(d.After),
		BeforeSeconds: secondsJSON(d.Before, d.BeforeTook), AfterSeconds: secondsJSON(d.After, d.AfterTook),
	}
}

func verdictJSON(t *adminapi.TestResult) *string {
	if t == nil {
		return nil
	}
	return new(JudgeTest(*t).String())
}

func secondsJSON(t *adminapi.TestResult, d time.Duration) *float64 {
	if t == nil {
		return nil
	}
	if _, known := adminapi.Span(t.StartTime, t.EndTime); !known {
		return nil
	}
	return new(d.Seconds())
}
