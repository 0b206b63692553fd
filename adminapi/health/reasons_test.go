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

// Together they are all that a server added to a test: nothing is said twice, and nothing is left out.
func TestWhatIsNoReasonOfATestIsAMemberOfIt(t *testing.T) {
	t.Parallel()
	test := adminapi.TestResult{Unknown: []byte(`{"message":"No answer","n":1.50,"pods":["a",[["b"]],"c"],"at":{"zone":"x"},"none":[],"odd":[{"a":"deep"}],"ok":true,"gone":null}`)}
	equal(t, []string{"No answer", "pods: a", "pods: b", "pods: c"}, health.Reasons(test))
	told := func(members []health.Member) string {
		var lines []string
		for _, m := range members {
			lines = append(lines, m.Name+"="+m.Text)
		}
		return strings.Join(lines, " ")
	}
	equal(t, `n=1.50 at={"zone":"x"} none=[] odd=[{"a":"deep"}] ok=true gone=null`, told(health.OtherMembers(test)))
	equal(t, `message=No answer n=1.50 pods=["a",[["b"]],"c"] at={"zone":"x"} none=[] odd=[{"a":"deep"}] ok=true gone=null`, told(health.Members(test.Unknown)))
	if got := health.Members([]byte(`["message"]`)); got != nil {
		t.Errorf("a list has the members %v", got)
	}
	test.Unknown = []byte(`{"messages":[` + strings.Repeat(`"again",`, 60) + `"end"]}`)
	if got := health.Reasons(test); len(got) != 50 {
		t.Errorf("%d reasons", len(got))
	}
}
