package health

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// exportMarkdown writes a page for a ticket: a summary, the tests worst first,
// and what does not fit together.
func exportMarkdown(w io.Writer, r adminapi.Report) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# Health report: %s\n\n", plain.Markdown(nameOf(r.Name, r.ID)))
	summary(out, r)
	testTable(out, r)
	findingList(out, r)
	return out.Flush()
}

func summary(out *bufio.Writer, r adminapi.Report) {
	count := CountReport(r)
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(out, "- %s: %s\n", label, text)
		}
	}
	line("Result", "**"+Overall(r).String()+"**"+serverWords(r))
	line("Tests", countText(count))
	line("Report", plain.Markdown(r.ID))
	line("Started", moment(r.StartTime))
	line("Ended", moment(r.EndTime))
	if d, ok := adminapi.Span(r.StartTime, r.EndTime); ok {
		line("Took", inSeconds(d)+" s")
	}
	line("Created by", plain.Markdown(r.CreatedBy))
	line("Owner", plain.Markdown(r.Owner))
	for i := range r.Suites {
		s := &r.Suites[i]
		tests := CountTests(s.Critical, s.General)
		line("Suite "+plain.Markdown(nameOf(s.Name, s.ID)),
			fmt.Sprintf("%s, %d of %d passed", JudgeSuite(*s), tests.Passed, tests.Total()))
	}
}

// serverWords adds what the server said where our verdict is another word.
func serverWords(r adminapi.Report) string {
	if lower(r.Result) == Overall(r).String() {
		return ""
	}
	return fmt.Sprintf(" (the server says %s, state %s)", said(r.Result), said(r.State))
}

func said(word string) string {
	if strings.TrimSpace(word) == "" {
		return "nothing"
	}
	return `"` + plain.Markdown(word) + `"`
}

// countText lists how many tests there are of each verdict, worst first.
func countText(c Count) string {
	if c.Total() == 0 {
		return "none"
	}
	var parts []string
	for _, one := range []struct {
		n    int
		what Verdict
	}{
		{c.Failed, Failed}, {c.Unknown, Unknown}, {c.Warning, Warning},
		{c.Running, Running}, {c.Skipped, Skipped}, {c.Passed, Passed},
	} {
		if one.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", one.n, one.what))
		}
	}
	return strings.Join(parts, ", ")
}

func testTable(out *bufio.Writer, r adminapi.Report) {
	entries := WorstFirst(r)
	if len(entries) == 0 {
		return
	}
	fmt.Fprint(out, "\n| Result | Severity | Test | Suite | Seconds | Reason | Description |\n| --- | --- | --- | --- | ---: | --- | --- |\n")
	for _, e := range entries {
		result := e.Verdict.String()
		if e.Verdict == Unknown {
			result += " (" + said(e.Test.Result) + ")"
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s |\n", result, e.Severity,
			plain.Markdown(nameOf(e.Test.Name, e.Test.ID)), plain.Markdown(nameOf(e.Suite.Name, e.Suite.ID)),
			secondsOf(e), plain.Markdown(reasonOf(e)), plain.Markdown(e.Test.Description))
	}
}

// reasonOf returns why a test did not pass, as far as the server says so.
func reasonOf(e Entry) string {
	if e.Verdict == Passed {
		return ""
	}
	return ReasonLine(*e.Test)
}

func findingList(out *bufio.Writer, r adminapi.Report) {
	findings := Check(r)
	if len(findings) == 0 {
		return
	}
	fmt.Fprint(out, "\n## Does not fit together\n\n")
	for _, f := range findings {
		where := "Report"
		if f.Path != "" {
			where = f.Path
		}
		fmt.Fprintf(out, "- %s: %s\n", plain.Markdown(where), plain.Markdown(f.Text))
	}
}
