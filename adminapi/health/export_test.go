package health_test

import (
	"bytes"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
)

// stored returns the report in testdata, which holds text of the hostile kind.
func stored(t *testing.T) adminapi.Report {
	t.Helper()
	body, err := os.ReadFile("testdata/report.json")
	if err != nil {
		t.Fatal(err)
	}
	r, err := adminapi.DecodeReport(body)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func export(t *testing.T, r adminapi.Report, f health.Format) string {
	t.Helper()
	var out bytes.Buffer
	if err := health.Export(&out, r, f, health.Handover{}); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestExportWritesEachFormat(t *testing.T) {
	t.Parallel()
	for format, name := range map[health.Format]string{
		health.JSON: "export.json", health.CSV: "export.csv", health.Markdown: "export.md", health.HTML: "export.html", health.JUnit: "export.xml",
	} {
		t.Run(string(format), func(t *testing.T) {
			r := stored(t)
			var out bytes.Buffer
			if err := health.Export(&out, r, format, handedOver(r)); err != nil {
				t.Fatal(err)
			}
			golden(t, name, out.String())
		})
	}
}

// handedOver is what goes with a report of a site.
func handedOver(r adminapi.Report) health.Handover {
	before := r
	before.ID, before.Name = "lastgood", "nightly | before"
	before.Suites = []adminapi.SuiteResult{r.Suites[0]}
	before.Suites[0].General = slices.Clone(r.Suites[0].General)
	for i := range before.Suites[0].General {
		before.Suites[0].General[i].Result = "pass"
	}
	h := health.Handover{
		Facts: [][2]string{{"Site", "production, https://gis.example.com/admin"}, {"Version", "11.5.0.6745"},
			{"Exported", "2026-11-28 10:22:57 UTC by admin of the site, ada on adm1"}},
		Since: "the last good report", Before: &before, Next: map[*adminapi.TestResult]health.Advice{},
	}
	for e := range health.All(r) {
		if !e.Verdict.Good() {
			h.Next[e.Test] = health.Advice{Text: "Check its pods. <Then> its log.", Kubectl: []string{"kubectl -n NAMESPACE get pods", "kubectl -n NAMESPACE get events"}}
		}
	}
	return h
}

// A13: each page that is handed on has the site, its version, when, from whom, what changed and what to do.
func TestPagesOfAReportHaveWhatIsHandedOver(t *testing.T) {
	t.Parallel()
	r := stored(t)
	for format, wants := range map[health.Format][]string{
		health.Markdown: {"- Site: production, ", "- Version: 11.5.0.6745\n", "- Exported: 2026-11-28 10:22:57 UTC by admin of the site, ada on adm1",
			"## Since the last good report\n\n- 2 new failures", "compared with 2023-11-05 01:42:31 UTC (nightly \\| before), report lastgood\n- newly failing: healthcheck_objectStore: passed in 30 s (bucket is full) → failed in 30 s (bucket is full)\n", "- now warning: home_app_availability: passed in 1.2 s → warning in 1.2 s\n", "- added: backup_age: missing → skipped\n", "## What to do", "Check its pods. &lt;Then&gt; its log.", "```sh\nkubectl -n NAMESPACE get pods\nkubectl -n NAMESPACE get events\n```"},
		health.HTML: {"Site production, https://gis.example.com/admin · Version 11.5.0.6745 · Exported 2026-11-28 10:22:57 UTC by admin of the site, ada on adm1",
			"Since the last good report", "home_app_availability: passed in 1.2 s → warning in 1.2 s<", "<strong>Next</strong> Check its pods. &lt;Then&gt; its log.", ">kubectl -n NAMESPACE get pods<"},
		health.JUnit: {`name="site" value="production, https://gis.example.com/admin"`, `name="version" value="11.5.0.6745"`, `name="exported" value="2026-11-28 10:22:57 UTC by admin of the site, ada on adm1"`,
			`name="since" value="the last good report: 2 new failures`, "Next: Check its pods. &lt;Then&gt; its log.&#xA;kubectl -n NAMESPACE get pods"},
	} {
		var out bytes.Buffer
		err := health.Export(&out, r, format, handedOver(r))
		for _, want := range wants {
			if err != nil || !strings.Contains(out.String(), want) {
				t.Errorf("%s has no %q: %v\n%s", format, want, err, out.String())
			}
		}
	}
	unknown := health.Handover{Since: "the last good report", Why: "not known: no answer"}
	for format, want := range map[health.Format]string{health.Markdown: "## Since the last good report\n\n- Not known: no answer\n", health.HTML: ">Not known: no answer<",
		health.JUnit: `name="since" value="the last good report: Not known: no answer"`} {
		var out bytes.Buffer
		if err := health.Export(&out, r, format, unknown); err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("%s has no %q: %v\n%s", format, want, err, out.String())
		}
	}
}

func TestExportsHoldNothingATerminalObeys(t *testing.T) {
	t.Parallel()
	r := stored(t)
	hostile := "a\x1b]0;t\x07\x1b[2J\u009b1m\u202eb\u200b\xff\U000e0041\ufffe"
	r.Name, r.ID, r.CreatedBy, r.Owner, r.Result, r.State = hostile, hostile, hostile, hostile, hostile, hostile
	s := &r.Suites[0]
	s.ID, s.Name, s.Result, s.State = hostile, hostile, hostile, hostile
	for i := range s.General {
		x := &s.General[i]
		x.ID, x.Name, x.Description, x.Result, x.State, x.Severity = hostile, hostile, hostile, hostile, hostile, hostile
		x.Unknown = []byte(`{"message":"a\u001b]0;t\u0007\u009b1m\u202eb\r\nc","\u001b[2J":"d"}`)
	}
	r.Raw = nil
	for _, format := range health.Formats {
		out := export(t, r, format)
		if format == health.JSON {
			// A value keeps its characters; those to fear stand there as escapes.
			out = strings.ReplaceAll(out, "\ufffe", "")
		}
		if clean := plain.Text(out); clean != out {
			t.Errorf("%s: the cleaner finds something to do", format)
		}
	}
}

func TestJSONKeepsTheServersValue(t *testing.T) {
	t.Parallel()
	r := stored(t)
	r.Raw = []byte(`{"b":1.50,"a":12345678901234567890,"a":[],"t":"x` + "\u009b\u202e\U000e0041\x7f" + `é\u001b\/"}`)
	want := "{\n  \"b\": 1.50,\n  \"a\": 12345678901234567890,\n  \"a\": [],\n" +
		`  "t": "x\u009b\u202e\udb40\udc41\u007fé\u001b\/"` + "\n}\n"
	equal(t, want, export(t, r, health.JSON))
}

func TestJSONWithoutTheServersBytesIsTheSameReport(t *testing.T) {
	t.Parallel()
	r := stored(t)
	for name, raw := range map[string]string{"none": "", "broken": `{"id":`} {
		t.Run(name, func(t *testing.T) {
			r.Raw = []byte(raw)
			back, err := adminapi.DecodeReport([]byte(export(t, r, health.JSON)))
			if err != nil {
				t.Fatal(err)
			}
			if back.ID != r.ID || back.StartTime != r.StartTime || health.CountReport(back) != health.CountReport(r) {
				t.Errorf("got %+v", back)
			}
			if !strings.Contains(string(back.Unknown), "12345678901234567890123") {
				t.Errorf("unknown members lost: %s", back.Unknown)
			}
		})
	}
}

func TestCSVCellsBeginNoFormula(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "  =1", "＝1", "\x1b[31m=1", "\u200b=1", "\u202e@x", "\u00a0=1"} {
		r := holding(one(text, "pass", 1))
		r.Suites[0].Name, r.Suites[0].ID = text, text
		records, err := csv.NewReader(strings.NewReader(export(t, r, health.CSV))).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		for _, column := range []int{0, 1, 4} {
			if got := records[1][column]; !strings.HasPrefix(got, "'") {
				t.Errorf("%+q becomes %+q", text, got)
			}
		}
	}
}

func TestCSVSurvivesQuotesAndCommas(t *testing.T) {
	t.Parallel()
	r := holding(one("a,\"b\"\nc", "pass", 2100))
	records, err := csv.NewReader(strings.NewReader(export(t, r, health.CSV))).ReadAll()
	if err != nil || len(records) != 2 {
		t.Fatalf("%v, %v", records, err)
	}
	if got := records[1]; got[4] != `a,"b" c` || got[9] != "2.100" {
		t.Errorf("got %q", got)
	}
}

func TestMarkdownHoldsNoMarkupOfTheServer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"a|b":                       `a\|b`,
		"`code`":                    "\\`code\\`",
		"<script>x</script>":        "&lt;script&gt;x&lt;/script&gt;",
		"&lt;":                      "&amp;lt;",
		"[x](http://e)":             `\[x\](http\://e)`,
		"![x](y)":                   `\!\[x\](y)`,
		"**b** ~~s~~":               `\*\*b\*\* \~\~s\~\~`,
		"see https://e WWW.e a@b.c": `see https\://e WWW\.e a\@b.c`,
		"#1":                        `\#1`,
		`back\slash`:                `back\\slash`,
		"home_app_availability":     "home_app_availability",
		"_em_ __st__":               `\_em\_ \_\_st\_\_`,
		"two\nlines":                "two lines",
	} {
		out := export(t, holding(one(text, "pass", 1)), health.Markdown)
		if !strings.Contains(out, "| general | "+want+" |") {
			t.Errorf("%q: want %q in\n%s", text, want, out)
		}
	}
}

type junit struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
	Suites   []struct {
		Tests int `xml:"tests,attr"`
		Cases []struct {
			Name    string    `xml:"name,attr"`
			Failure *struct{} `xml:"failure"`
			Error   *struct{} `xml:"error"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func TestJUnitIsGreenOnlyWhereTheReportPassed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		report   adminapi.Report
		failures int
		errors   int
	}{
		"passed":                       {reportOf("passed", "pass", "skipped"), 0, 0},
		"a failure":                    {reportOf("failed", "pass", "fail"), 1, 0},
		"a warning, which is none":     {reportOf("passed", "pass", "warn"), 0, 0},
		"a failure and a warning":      {reportOf("failed", "warn", "fail"), 1, 0},
		"failed, though only warnings": {reportOf("failed", "pass", "warn"), 1, 0},
		"an unknown word":              {reportOf("passed", "pass", "shrug"), 0, 1},
		"no test":                      {reportOf("passed"), 0, 1},
		"no suite":                     {adminapi.Report{Result: "passed"}, 0, 1},
		"failed though all passed":     {reportOf("failed", "pass"), 1, 0},
		"all skipped":                  {reportOf("passed", "skipped"), 0, 1},
		"not ended, tests good so far": {adminapi.Report{State: "running", Suites: []adminapi.SuiteResult{suiteOf("passed", "pass")}}, 0, 1},
	} {
		t.Run(name, func(t *testing.T) {
			var got junit
			if err := xml.Unmarshal([]byte(export(t, tt.report, health.JUnit)), &got); err != nil {
				t.Fatal(err)
			}
			failures, errs, cases := 0, 0, 0
			for _, s := range got.Suites {
				for _, c := range s.Cases {
					cases++
					if c.Failure != nil {
						failures++
					}
					if c.Error != nil {
						errs++
					}
				}
			}
			equal(t, []int{tt.failures, tt.errors, cases}, []int{got.Failures, got.Errors, got.Tests})
			equal(t, []int{tt.failures, tt.errors}, []int{failures, errs})
		})
	}
}

// The exit code follows the judgement, and so does every file: all of them say the same of a report.
func TestFilesSayWhatTheExitCodeSays(t *testing.T) {
	t.Parallel()
	words := []string{"pass", "warn", "fail", "shrug", "skipped"}
	for n := range 5 * 5 * 5 {
		of := []string{words[n%5], words[n/5%5], words[n/25]}
		r := critical(reportOf([]string{"passed", "failed"}[n%2], of...))
		for name, earlier := range map[string]*health.Baseline{
			"none": nil, "all passed": health.BaselineIn(r, reportOf("passed", "pass", "pass", "pass")),
			"the same": health.BaselineIn(r, critical(reportOf("failed", of...))), "no report": health.NoBaseline(r, "there is none"),
		} {
			for _, on := range []health.FailOn{"", health.FailOnAny, health.FailOnFailed, health.FailOnCritical, health.FailOnNew} {
				j := health.JudgeReport(r, earlier, on)
				pages := map[health.Format]string{}
				for _, format := range []health.Format{health.JUnit, health.Markdown, health.HTML} {
					var out bytes.Buffer
					if err := health.Export(&out, r, format, health.Handover{Judged: j}); err != nil {
						t.Fatal(err)
					}
					pages[format] = out.String()
				}
				var got junit
				if err := xml.Unmarshal([]byte(pages[health.JUnit]), &got); err != nil {
					t.Fatal(err)
				}
				if (got.Failures+got.Errors > 0) != j.Failed {
					t.Errorf("%q against %s, fail-on %q: failed is %v, the file has %d failures and %d errors", of, name, on, j.Failed, got.Failures, got.Errors)
				}
				if passed := health.Overall(r) == health.Passed; (j.Words() == "") != (passed && !j.Failed) || passed && j.Failed {
					t.Errorf("%q against %s, fail-on %q: it says %q", of, name, on, j.Words())
				}
				for format, page := range pages {
					if j.Words() != "" && !strings.Contains(page, map[bool]string{true: "failed: ", false: "good: "}[j.Failed]) {
						t.Errorf("%q against %s, fail-on %q: %s does not say %q", of, name, on, format, j.Words())
					}
				}
			}
		}
	}
}

// A failure that is known by the baseline is skipped in a file for pipelines, and says since when.
func TestWhatIsKnownIsNoFailureOfAFile(t *testing.T) {
	t.Parallel()
	before, now := night(1, "fail"), reportOf("failed", "fail", "warn")
	for on, want := range map[health.FailOn][]int{health.FailOnFailed: {0, 2}, health.FailOnAny: {1, 1}, health.FailOnNew: {1, 1}} {
		var out bytes.Buffer
		if err := health.Export(&out, now, health.JUnit, health.Handover{Judged: health.JudgeReport(now, health.BaselineIn(now, before), on)}); err != nil {
			t.Fatal(err)
		}
		var got junit
		if err := xml.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		equal(t, want, []int{got.Failures, got.Skipped})
		for _, says := range []string{
			`; it does not count as it is known: test0 (failed), since 2025-11-18 08:00:00 UTC (nightly-1) or longer" type="failed"`,
			`name="judged" value="`, "fail-on " + string(on) + ", baseline 2025-11-18 08:00:00 UTC (nightly-1)",
		} {
			if !strings.Contains(out.String(), says) {
				t.Errorf("fail-on %s: there is no %q in\n%s", on, says, out.String())
			}
		}
	}
}

func TestJUnitHoldsWhatXMLEscapes(t *testing.T) {
	t.Parallel()
	r := reportOf("failed", "fail")
	test := &r.Suites[0].General[0]
	test.Name, test.Description = `<a href="x">'&amp;'</a>`, "first\nsecond \ufffe \uffff ]]> &"
	var got struct {
		Cases []struct {
			Name string `xml:"name,attr"`
			Text string `xml:"failure"`
		} `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal([]byte(export(t, r, health.JUnit)), &got); err != nil || len(got.Cases) != 1 {
		t.Fatal(err, got)
	}
	equal(t, test.Name, got.Cases[0].Name)
	equal(t, "first\nsecond \ufffd \ufffd ]]> &", got.Cases[0].Text)
}

func TestExportSaysWhatItCannotDo(t *testing.T) {
	t.Parallel()
	if err := health.Export(&bytes.Buffer{}, stored(t), "pdf", health.Handover{}); err == nil || !strings.Contains(err.Error(), "pdf") {
		t.Errorf("got %v", err)
	}
	for _, format := range health.Formats {
		for _, tests := range []int{1, 1000} { // also where all is in a buffer up to the end
			if err := health.Export(brokenPipe{}, big(tests, "pass"), format, health.Handover{}); !errors.Is(err, os.ErrClosed) {
				t.Errorf("%s of %d tests: the writer's error is lost: %v", format, tests, err)
			}
		}
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, os.ErrClosed }

func TestFileNamesAreSafe(t *testing.T) {
	t.Parallel()
	safe := regexp.MustCompile(`^health(-[A-Za-z0-9_]+)+\.(json|csv|md|xml)$`)
	for name, tt := range map[string]struct{ name, id, want string }{
		"usual":        {"Nightly check 2025-11-19", "vegcl1xm6u", "health-Nightly-check-2025-11-19-vegcl1xm6u.json"},
		"climbing":     {"../../x", "a", "health-x-a.json"},
		"absolute":     {"/etc/passwd", "C:\\x", "health-etc-passwd-C-x.json"},
		"device":       {"CON", "", "health-CON.json"},
		"empty":        {"", "", "health-report.json"},
		"dots":         {"..", "...", "health-report.json"},
		"spaces":       {"  ", " a ", "health-a.json"},
		"option":       {"-rf *", "~", "health-rf.json"},
		"shell":        {"$(reboot);`x`&|'\"", "!", "health-reboot-x.json"},
		"controls":     {"a\x00b\nc\x1b[31m", "", "health-a-b-c-31m.json"},
		"extension":    {"x.exe", "", "health-x-exe.json"},
		"letters":      {"Prüfung", "日本", "health-Pr-fung.json"},
		"long":         {strings.Repeat("n", 300), strings.Repeat("i", 300), "health-" + strings.Repeat("n", 60) + "-" + strings.Repeat("i", 60) + ".json"},
		"long, gapped": {strings.Repeat("n ", 300), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := health.FileName(adminapi.Report{Name: tt.name, ID: tt.id}, health.JSON, false)
			if tt.want != "" && got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			if !safe.MatchString(got) || len(got) > 140 {
				t.Errorf("%q is not safe", got)
			}
		})
	}
	if got := health.FileName(adminapi.Report{ID: "a"}, health.Markdown, true); got != "health-comparison-a.md" {
		t.Errorf("a comparison: %q", got)
	}
	for format, want := range map[health.Format]string{
		health.JSON: "health-a.json", health.CSV: "health-a.csv", health.Markdown: "health-a.md", health.HTML: "health-a.html", health.JUnit: "health-a.xml",
	} {
		if got := health.FileName(adminapi.Report{ID: "a"}, format, false); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestHTMLHoldsOnlyItsOwnElements reads a page of hostile texts as a mail client does.
func TestHTMLHoldsOnlyItsOwnElements(t *testing.T) {
	t.Parallel()
	const hostile = `"><script src=//e>x</script><img src=x onerror=y>'&amp;`
	long := strings.Repeat("m", 3_000)
	r := reportOf("failed", "fail", "pass")
	r.Name, r.ID, r.CreatedBy, r.Suites[0].Name = hostile, hostile, hostile, hostile
	test := &r.Suites[0].General[0]
	test.Name, test.Description, test.Unknown = hostile, hostile, []byte(`{"message":"<b>first</b>\nsecond","reason":"`+long+`"}`)
	dec := xml.NewDecoder(strings.NewReader(export(t, r, health.HTML)))
	dec.Strict, dec.AutoClose, dec.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var text strings.Builder
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		switch token := token.(type) {
		case xml.CharData:
			text.Write(token)
		case xml.StartElement:
			if !strings.Contains(" html head meta title body table tr th td div p h2 span strong br ", " "+token.Name.Local+" ") {
				t.Errorf("an element %s", token.Name.Local)
			}
			for _, a := range token.Attr {
				if !strings.Contains(" lang charset name content style width cellpadding cellspacing ", " "+a.Name.Local+" ") || strings.Contains(a.Value, "url") {
					t.Errorf("%s has %s=%q", token.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
	for _, want := range []string{hostile, "<b>first</b>second", long} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %.60q in the page", want)
		}
	}
}

func TestHTMLShowsFailuresFirstAndTrends(t *testing.T) {
	t.Parallel()
	reports := runs(400, 400, 30_000)
	last := reports[2]
	last.Suites[0].General[0].Result, last.Suites[0].General[0].Unknown = "fail", []byte(`{"message":"No answer."}`)
	var out bytes.Buffer
	if err := health.Export(&out, last, health.HTML, health.Handover{
		Since: "the last good report", Before: &reports[1], Earlier: []*health.Results{health.ResultsOf(reports[0]), health.ResultsOf(reports[1])}}); err != nil {
		t.Fatal(err)
	}
	if text := out.String(); strings.Contains(text, "000Z") || !strings.Contains(text, ":00 UTC") {
		t.Errorf("times are not readable: %s", text[:min(len(text), 2000)])
	}
	at := 0
	for _, want := range []string{"✗ failed", "Tests that did not pass", "No answer.", "Since the last good report", "1 new failure", "All tests", "30 s", "0.4 s", ">✓<", ">✓<", ">✗<"} {
		i := strings.Index(out.String()[at:], want)
		if i < 0 {
			t.Fatalf("%q is missing, or not in its place:\n%s", want, out.String())
		}
		at += i
	}
}

func TestAComparisonInWords(t *testing.T) {
	t.Parallel()
	before := holding(one("a", "pass", 1), one("b", "fail", 1), one("c", "pass", 1000), one("d", "pass", 1), one("e", "pass", 1))
	warned := holding(one("a", "warning", 1), one("b", "fail", 1))
	equal(t, "No new failures, 1 still failing, 1 still warned", health.Compare(warned, warned).Words())
	for want, after := range map[string]adminapi.Report{
		"No new failures, 1 still failing":          before,
		"2 new failures, 1 gone, 1 slower, 1 fixed": holding(one("a", "fail", 1), one("b", "pass", 1), one("c", "pass", 9000), one("d", "fail", 1)),
		"No new failures, 2 new warnings, 1 now skipped, 1 added, 1 fixed": holding(
			one("a", "warning", 1), one("b", "pass", 1), one("c", "warning", 1), one("d", "skipped", 1), one("e", "pass", 1), one("f", "pass", 1)),
	} {
		equal(t, want, health.Compare(before, after).Words())
	}
}

// Where the words of the site differ from the verdict, both are there; a report without tests is not one of good tests.
func TestAPageSaysWhatTheSiteSaysWhereThatDiffers(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		report      adminapi.Report
		says, lacks []string // of Markdown
		html        []string
	}{
		"the same":    {reportOf("failed", "fail"), []string{"Result: **failed**\n"}, []string{"the site says", "Contradictions"}, []string{"Tests that did not pass", "✗ failed"}},
		"better":      {reportOf("passed", "fail"), []string{`Result: **failed** (the site says "passed", state "completed")`, "Contradictions in this report"}, nil, []string{"Contradictions in this report"}},
		"nothing":     {adminapi.Report{ID: "r", Result: " "}, []string{"Result: **unknown** (the site says nothing, state nothing)", "Tests: none"}, []string{"## Tests", "Started", "Took", "Owner", "Since"}, []string{"The report has no tests."}},
		"all is well": {reportOf("passed", "pass"), []string{"Result: **passed**\n", "Tests: 1 passed"}, []string{"the site says", "Contradictions", "What to do", "New failures", "To look at the pods"}, []string{"✓ passed"}},
	} {
		page, html := export(t, tt.report, health.Markdown), export(t, tt.report, health.HTML)
		for _, text := range tt.says {
			if !strings.Contains(page, text) {
				t.Errorf("%s: there is no %q in\n%s", name, text, page)
			}
		}
		for _, text := range tt.lacks {
			if strings.Contains(page, text) {
				t.Errorf("%s: there is %q in\n%s", name, text, page)
			}
		}
		for _, text := range tt.html {
			if !strings.Contains(html, text) {
				t.Errorf("%s: there is no %q in\n%s", name, text, html)
			}
		}
		if tests := strings.Contains(html, "Tests that did not pass"); tests != (health.CountReport(tt.report)[health.Failed] > 0) || !tests && name != "nothing" && strings.Contains(html, "Contradictions") {
			t.Errorf("%s: what did not pass is there: %v", name, tests)
		}
	}
}

func TestAPageShowsWhatATestLacksInEarlierReports(t *testing.T) {
	t.Parallel()
	reports := append(runs(400), otherwise(runs(400)[0]))
	var out bytes.Buffer
	if err := health.Export(&out, reports[0], health.HTML, health.Handover{Earlier: []*health.Results{health.ResultsOf(reports[1])}}); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	if !strings.Contains(page, "Last 2, newest last") || !strings.Contains(page, "Usually") || strings.Count(page, "·</td>") != 1 || strings.Contains(page, ">0.0 s<") {
		t.Error(page)
	}
	if alone := export(t, reports[0], health.HTML); strings.Contains(alone, "newest last") || strings.Contains(alone, "Usually") {
		t.Errorf("a report alone has a trend: %s", alone)
	}
}
