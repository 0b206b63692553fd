package health

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"geodeck/adminapi"
	"geodeck/adminapi/internal/jsonx"
	"geodeck/adminapi/plain"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Format is a file format of a report.
type Format string

// The formats: JSON is the server's object, CSV has one line for each test, Markdown is a
// page for a ticket, HTML is one for a mail, JUnit is for pipelines.
const (
	JSON     Format = "json"
	CSV      Format = "csv"
	Markdown Format = "md"
	HTML     Format = "html"
	JUnit    Format = "junit"
)

// Formats lists them in the order in which they are offered.
var Formats = []Format{JSON, CSV, Markdown, HTML, JUnit}

// Extension returns the usual file extension: ".json", ".xml" for JUnit.
func (f Format) Extension() string {
	if f == JUnit {
		return ".xml"
	}
	return "." + string(f)
}

// Export writes the report. JSON is the server's object, indented, with its numbers and
// order as written. In all other formats text is cleaned by package plain, and no CSV cell
// is a formula. What is handed over with it is in Markdown, HTML and JUnit, where it comes from in CSV, too,
// trends in HTML only. The
// error is that of the writer, or names an unknown format.
func Export(w io.Writer, r adminapi.Report, f Format, h Handover) error {
	switch f {
	case JSON:
		return exportJSON(w, r)
	case CSV:
		return exportCSV(w, r, h)
	case Markdown:
		return exportMarkdown(w, r, h)
	case HTML:
		return exportHTML(w, r, h)
	case JUnit:
		return exportJUnit(w, r, h)
	}
	return fmt.Errorf("unknown format %q: use json, csv, md, html or junit", string(f))
}

// maxName limits the parts of a file name that come from the server, in bytes.
const maxName = 60

// FileName returns a name for the exported file from the report's name and id, of a comparison from
// those of the newer one, with no character that is special in a file system or a shell.
func FileName(r adminapi.Report, f Format, compares bool) string {
	parts := []string{"health"}
	if compares {
		parts[0] = "health-comparison"
	}
	for _, text := range []string{r.Name, r.ID} {
		if part := filePart(text); part != "" {
			parts = append(parts, part)
		}
	}
	if len(parts) == 1 {
		parts = append(parts, "report")
	}
	return strings.Join(parts, "-") + f.Extension()
}

// filePart returns the ASCII letters, digits and '_' of text, with '-' in place of anything
// between them. Dots are removed too: they could hide a file, leave the folder or fake an
// extension.
func filePart(text string) string {
	var b strings.Builder
	gap := false
	for _, r := range text {
		if r != '_' && !(r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r))) {
			gap = true
			continue
		}
		if gap && b.Len() > 0 {
			b.WriteByte('-')
		}
		gap = false
		if b.WriteRune(r); b.Len() >= maxName {
			break
		}
	}
	return b.String()
}

var csvHeader = []string{
	"suiteId", "suite", "severity", "testId", "test", "result", "verdict",
	"start", "end", "seconds", "description", "reason", "site", "version", "exported",
}

// exportCSV writes one line for each test, in the order of the report. The result is the
// server's word, the verdict is ours, times are in RFC 3339 and UTC, the reason is that of
// [ReasonLine]. The last columns say where the report comes from: a line before the header would break readers.
func exportCSV(w io.Writer, r adminapi.Report, h Handover) error {
	out := csv.NewWriter(w)
	if err := out.Write(csvHeader); err != nil {
		return err
	}
	origin := make([]string, 3)
	for _, fact := range h.Facts {
		if i := slices.Index([]string{"Site", "Version", "Exported"}, fact[0]); i >= 0 {
			origin[i] = plain.Cell(fact[1])
		}
	}
	for e := range All(r) {
		t := e.Test
		if err := out.Write(append([]string{
			plain.Cell(e.Suite.ID), plain.Cell(e.Suite.Name), e.Severity,
			plain.Cell(t.ID), plain.Cell(t.Name), plain.Cell(t.Result), e.Verdict.String(),
			moment(t.StartTime, momentLayout), moment(t.EndTime, momentLayout), seconds(t.StartTime, t.EndTime), plain.Cell(t.Description), plain.Cell(ReasonLine(*t)),
		}, origin...)); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// How times are written: for a program, for people, and as in the JUnit schema, without a zone.
const (
	momentLayout   = "2006-01-02T15:04:05.000Z07:00"
	readableLayout = "2006-01-02 15:04:05 UTC"
	junitLayout    = "2006-01-02T15:04:05"
)

// moment returns a time in UTC, "" if there is none.
func moment(m adminapi.Millis, layout string) string {
	if m.IsZero() {
		return ""
	}
	return m.Time().UTC().Format(layout)
}

// readable is moment for people.
func readable(m adminapi.Millis) string { return moment(m, readableLayout) }

// seconds returns the time from start to end in seconds, "" if not known.
func seconds(start, end adminapi.Millis) string {
	d, known := adminapi.Span(start, end)
	if !known {
		return ""
	}
	return strconv.FormatFloat(d.Seconds(), 'f', 3, 64)
}

// exportJSON writes the server's object, or the fields of a report without valid JSON.
func exportJSON(w io.Writer, r adminapi.Report) error {
	value := r.Raw.Clone()
	if len(value) == 0 || value.Indent(jsontext.WithIndent("  ")) != nil {
		var err error
		if value, err = json.Marshal(r, jsonx.AsWritten, jsontext.WithIndent("  "), json.FormatNilSliceAsNull(false)); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, string(plain.SafeJSON(value))+"\n")
	return err
}

// exportMarkdown writes a page for a ticket: a summary, what changed, what to do, the tests, the
// worst first, and contradictions.
func exportMarkdown(w io.Writer, r adminapi.Report, h Handover) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# %s: %s\n\n", cmp.Or(h.Title, "Health report"), plain.Markdown(nameOf(r.Name, r.ID)))
	summary(out, r, h)
	h.sections(out, r)
	testTable(out, r)
	findingList(out, r)
	return out.Flush()
}

func summary(out *bufio.Writer, r adminapi.Report, h Handover) {
	count := CountReport(r)
	line := func(label, text string) {
		if text != "" {
			fmt.Fprintf(out, "- %s: %s\n", label, text)
		}
	}
	line("Result", "**"+Overall(r).String()+"**"+serverWords(r))
	for _, fact := range h.Facts {
		text := plain.Markdown(fact[1])
		if fact[0] == "Site" { // its address is a link
			text = strings.ReplaceAll(text, `\://`, "://")
		}
		line(fact[0], text)
	}
	line("Tests", countText(count))
	line("Report", plain.Markdown(r.ID))
	line("Started", readable(r.StartTime))
	line("Ended", readable(r.EndTime))
	if took := seconds(r.StartTime, r.EndTime); took != "" {
		line("Took", took+" s")
	}
	line("Created by", plain.Markdown(r.CreatedBy))
	line("Owner", plain.Markdown(r.Owner))
	for i := range r.Suites {
		s := &r.Suites[i]
		tests := CountTests(s.Critical, s.General)
		line("Suite "+plain.Markdown(nameOf(s.Name, s.ID)),
			fmt.Sprintf("%s, %d of %d passed", JudgeSuite(*s), tests[Passed], tests.Total()))
	}
}

// serverWords returns the server's words if the verdict differs from them.
func serverWords(r adminapi.Report) string {
	if lower(r.Result) == Overall(r).String() {
		return ""
	}
	return fmt.Sprintf(" (the site says %s, state %s)", serverWord(r.Result), serverWord(r.State))
}

func serverWord(word string) string {
	if strings.TrimSpace(word) == "" {
		return "nothing"
	}
	return `"` + plain.Markdown(word) + `"`
}

// countText returns how many tests have each verdict, the worst first.
func countText(c Count) string {
	if c.Total() == 0 {
		return "none"
	}
	var parts []string
	for v, n := range c.Each() {
		parts = append(parts, fmt.Sprintf("%d %s", n, v))
	}
	return strings.Join(parts, ", ")
}

func testTable(out *bufio.Writer, r adminapi.Report) {
	entries := WorstFirst(r)
	if len(entries) == 0 {
		return
	}
	fmt.Fprint(out, "\n## Tests\n\n| Result | Severity | Test | Suite | Seconds | Reason | Description |\n| --- | --- | --- | --- | ---: | --- | --- |\n")
	for _, e := range entries {
		result := e.Verdict.String()
		if e.Verdict == Unknown {
			result += " (" + serverWord(e.Test.Result) + ")"
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s | %s |\n", result, e.Severity,
			plain.Markdown(nameOf(e.Test.Name, e.Test.ID)), plain.Markdown(nameOf(e.Suite.Name, e.Suite.ID)),
			seconds(e.Test.StartTime, e.Test.EndTime), plain.Markdown(reasonOf(e)), plain.Markdown(e.Test.Description))
	}
}

// reasonOf returns why a test did not pass, "" if the server does not say.
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
	fmt.Fprint(out, "\n## Contradictions in this report\n\n")
	for _, f := range findings {
		fmt.Fprintf(out, "- %s: %s\n", plain.Markdown(cmp.Or(f.At.Name, "Report")), plain.Markdown(f.Text))
	}
}
