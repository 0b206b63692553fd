package health

import (
	"encoding/csv"
	"io"
	"strconv"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

var csvHeader = []string{
	"suiteId", "suite", "severity", "testId", "test", "result", "verdict",
	"start", "end", "seconds", "description", "reason",
}

// exportCSV writes one line a test, in the order of the report: the result is
// the server's word, the verdict is ours, times are RFC 3339 in UTC, the reason
// is what the server wrote about the test beside that.
func exportCSV(w io.Writer, r adminapi.Report) error {
	out := csv.NewWriter(w)
	if err := out.Write(csvHeader); err != nil {
		return err
	}
	for e := range All(r) {
		t := e.Test
		if err := out.Write([]string{
			plain.Cell(e.Suite.ID), plain.Cell(e.Suite.Name), e.Severity,
			plain.Cell(t.ID), plain.Cell(t.Name), plain.Cell(t.Result), e.Verdict.String(),
			moment(t.StartTime), moment(t.EndTime), secondsOf(e), plain.Cell(t.Description), plain.Cell(ReasonLine(*t)),
		}); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// moment returns a time in UTC with its milliseconds, "" where there is none.
func moment(m adminapi.Millis) string {
	if m.IsZero() {
		return ""
	}
	return m.Time().Format("2006-01-02T15:04:05.000Z07:00")
}

// secondsOf returns how long a test took, "" where that is not known.
func secondsOf(e Entry) string {
	d, ok := took(e)
	if !ok {
		return ""
	}
	return inSeconds(d)
}

func inSeconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }
