package health_test

import (
	"encoding/csv"
	"encoding/xml"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
)

func TestReasonsAreTheTextsThatAServerAddedToATest(t *testing.T) {
	t.Parallel()
	for unknown, want := range map[string]string{
		``:                                   "",
		`{"message":"No answer"}`:            "No answer",
		`{"node":"pod-1","Message":"Down"}`:  "Down|node: pod-1",
		`{"messages":["one"," ",["two"],3]}`: "one|two",
		`{"n":1,"ok":true,"gone":null,"message":"","x":{"message":"deep"}}`: "",
		`{"message":"a\u001b[2Jb\nc","message":"again"}`:                    "ab\nc|again",
		`{"message":`: "",
		`["message"]`: "",
	} {
		if got := strings.Join(health.Reasons(adminapi.TestResult{Unknown: []byte(unknown)}), "|"); got != want {
			t.Errorf("%s: got %q, want %q", unknown, got, want)
		}
	}
	if got := health.ReasonLine(adminapi.TestResult{Unknown: []byte(`{"message":"a\nb","pod":"c"}`)}); got != "a b; pod: c" {
		t.Errorf("one line: %q", got)
	}
}

func TestEveryExportSaysWhyATestFailed(t *testing.T) {
	t.Parallel()
	r := reportOf("failed", "pass", "fail")
	r.Suites[0].General[1].Unknown = []byte(`{"message":"=No answer within 30 s"}`)
	records, err := csv.NewReader(strings.NewReader(export(t, r, health.CSV))).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	at := len(records[0]) - 4 // before those of the site
	equal(t, []string{"reason", "", "'=No answer within 30 s"}, []string{records[0][at], records[1][at], records[2][at]})
	if page := export(t, r, health.Markdown); !strings.Contains(page, "| =No answer within 30 s |") {
		t.Errorf("Markdown without the reason:\n%s", page)
	}
	var got struct {
		Failures []struct {
			Message string `xml:"message,attr"`
			Text    string `xml:",chardata"`
		} `xml:"testsuite>testcase>failure"`
	}
	if err := xml.Unmarshal([]byte(export(t, r, health.JUnit)), &got); err != nil || len(got.Failures) != 1 {
		t.Fatalf("%v %+v", err, got)
	}
	for _, text := range []string{got.Failures[0].Message, got.Failures[0].Text} {
		if !strings.Contains(text, "No answer within 30 s") {
			t.Errorf("JUnit says %q", text)
		}
	}
}
