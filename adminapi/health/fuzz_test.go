package health_test

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"io"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
)

// FuzzExport: whatever a report holds, the files made of it can be read again,
// and findings and reasons are fit for a terminal.
func FuzzExport(f *testing.F) {
	// Short, for the engine makes what it finds smaller again and again.
	for _, body := range []string{
		`{"result":"failed","suiteStatus":[{"id":"B","criticalTestStatus":[{"name":"a","severity":"critical","result":"pass"}],"generalTestStatus":[{"result":"fail"}]}]}`,
		`{"name":"<b>|` + "`x`" + `","suiteStatus":[{"generalTestStatus":[{"description":"=cmd|' /C'!A0","result":"warning"},{"result":"pass"},{"result":"\u0007shrug"}]}]}`,
		`{"startTime":1699148551031,"endTime":1699148553000,"suiteStatus":[{"startTime":1699148551031,"endTime":1699148552000,"generalTestStatus":[{"result":"skipped","startTime":5,"endTime":9}]}]}`,
		`{"suiteStatus":[{"state":"completed","generalTestStatus":[{"name":"a","result":"fail","message":["full \u001b[2J"],"hint":"h","startTime":1699148551031,"endTime":1699148559031}]}]}`,
		`{"suiteStatus":[{"generalTestStatus":[{"name":"\u0000\ud800","startTime":-1,"endTime":9223372036854775807}]}]}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(reported)
}

// The whole of a report with everything in it stands what short ones stand.
func TestAWholeReportIsExportedSoThatItCanBeReadAgain(t *testing.T) {
	t.Parallel()
	body, err := os.ReadFile("testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	reported(t, body)
}

// reported checks all that is made of a report.
func reported(t *testing.T, body []byte) {
	r, err := adminapi.DecodeReport(body)
	if err != nil {
		return
	}
	checkExports(t, r)
	for _, f := range health.Check(r) {
		if text := f.At.Name + f.Text; plain.Line(text) != text {
			t.Errorf("finding %+q", text)
		}
	}
	if !health.JudgeReport(r, nil, health.FailOnAny).Failed && health.Overall(r) != health.Passed {
		t.Error("a report that did not pass does not fail")
	}
	if c := health.Compare(r, r); c.Worse() || len(c.Differences) != health.CountReport(r).Total() {
		t.Errorf("a report differs from itself: %v", c.Counts)
	}
}

func checkExports(t *testing.T, r adminapi.Report) {
	tests := health.CountReport(r).Total()
	// A lone surrogate stays the escape as which the server wrote it.
	written := export(t, r, health.JSON)
	if !utf8.ValidString(written) || !jsontext.Value(written).IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		t.Errorf("no JSON: %+q", written)
	}
	records, err := csv.NewReader(strings.NewReader(export(t, r, health.CSV))).ReadAll()
	if err != nil || len(records) != tests+1 {
		t.Errorf("%d lines of CSV for %d tests: %v", len(records), tests, err)
	}
	if out := export(t, r, health.Markdown); plain.Text(out) != out && len(out) < plain.MaxText {
		t.Errorf("Markdown is not clean: %+q", out)
	}
	dec := xml.NewDecoder(bytes.NewReader([]byte(export(t, r, health.JUnit))))
	for {
		if _, err := dec.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("no XML: %v", err)
		}
	}
}
