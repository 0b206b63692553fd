package oracle

import (
	"cmp"
	"encoding/csv"
	"encoding/xml"
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"time"
)

// fileOfReport reads a file of a report back, and wants all that the site has in it.
func fileOfReport(h handed) (int, []string) {
	if !h.says("export") {
		return 0, nil
	}
	r, lines := h.report(1), strings.Split(h.Out, "\n")
	switch h.flag("--format") {
	case "json":
		if !sameJSON(h.Out, h.day.Ask("/healthCheck/reports/"+r.ID)) {
			return 1, []string{h.command() + " is not what the site has"}
		}
	case "csv":
		return 1, h.csv(r)
	case "md":
		not := []string{"What to do"}
		if _, known := h.since(); !known {
			not = append(not, "Since ")
		}
		return 1, h.as(fromMarkdown(h.Out, not...), h.page(r))
	case "html":
		if !h.steady() { // its trends are of what could be read
			return 0, nil
		}
		wrong := h.as(fromHTML(h.Out), h.mail(r))
		if _, whole := h.trended(r); len(r.tests()) > 0 && whole == strings.Contains(h.Err, "earlier reports could not be read") {
			wrong = append(wrong, fmt.Sprintf("%s says %q, and all earlier reports can be read: %v", h.command(), h.Err, whole))
		}
		return 1, wrong
	case "junit":
		return 1, h.junit(r)
	default:
		panic("nobody knows how a report is written as " + lines[0])
	}
	return 1, nil
}

func (h handed) csv(r *checked) []string {
	rows, err := csv.NewReader(strings.NewReader(h.Out)).ReadAll()
	if err != nil || len(rows) == 0 {
		return []string{fmt.Sprintf("%s cannot be read back: %v", h.command(), err)}
	}
	want, got := []string{"suiteId,suite,severity,testId,test,result,verdict,start,end,seconds,description,reason"}, []string(nil)
	cell := func(text string) string { // a formula is none
		if strings.HasPrefix(text, "=") {
			return "'" + text
		}
		return text
	}
	const exact = "2006-01-02T15:04:05.000Z07:00"
	for _, t := range r.tests() {
		want = append(want, strings.Join([]string{t.suite.ID, t.suite.Name, t.severity, t.ID, t.Name, t.Result, t.is,
			t.StartTime.utc(exact), t.EndTime.utc(exact), t.seconds(), cell(t.Description), cell(t.reason())}, ","))
	}
	for _, row := range rows {
		got = append(got, strings.Join(row[:min(12, len(row))], ","))
	}
	return h.as(got, want)
}

// escapes are what Markdown has before a character that stands for itself.
var escapes = regexp.MustCompile("\\\\([\\\\`*_\\[\\]|~#!@$:.])")

// fromMarkdown are the lines of a page as it is shown, without where it comes from, and some of its sections.
func fromMarkdown(text string, not ...string) (lines []string) {
	out := false
	for _, line := range strings.Split(text, "\n") {
		if heading, is := strings.CutPrefix(line, "## "); is {
			out = slices.ContainsFunc(not, func(begin string) bool { return strings.HasPrefix(heading, begin) })
		}
		if !out && !strings.HasPrefix(line, "| ---") {
			lines = append(lines, html.UnescapeString(escapes.ReplaceAllString(line, "$1")))
		}
	}
	return besides(lines, "- Site: ", "- Version: ", "- Exported: ")
}

// byVerdict is how many tests have which verdict.
func byVerdict(tests []tested) string {
	var parts []string
	for _, v := range worstFirst {
		if n := countOf(tests)[v]; n > 0 {
			parts = append(parts, fmt.Sprint(n, " ", v))
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

// page is a report as a page for a ticket.
func (h handed) page(r *checked) []string {
	j := h.judgement()
	all := []string{"# Health report: " + r.called(), "- Result: **" + r.overall() + "**"}
	if lowered(r.Result) != r.overall() {
		all[1] += fmt.Sprintf(" (the site says %s, state %s)", quotedOr(r.Result), quotedOr(r.State))
	}
	field := func(name, text string) {
		if text != "" {
			all = append(all, "- "+name+": "+text)
		}
	}
	list := func(title string, lines []string) {
		if len(lines) > 0 {
			all = append(append(all, "## "+title), lines...)
		}
	}
	field("Judged", j.words())
	field("Tests", byVerdict(r.tests()))
	field("Report", r.ID)
	field("Started", r.StartTime.utc(forPeople))
	field("Ended", r.EndTime.utc(forPeople))
	if long := r.seconds(); long != "" {
		field("Took", long+" s")
	}
	field("Created by", r.CreatedBy)
	field("Owner", r.Owner)
	for i := range r.SuiteStatus {
		s := &r.SuiteStatus[i]
		tests := s.ofSuite()
		field("Suite "+s.called(), fmt.Sprintf("%s, %d of %d passed", whole(s.verdict(), tests), countOf(tests)["passed"], len(tests)))
	}
	dashed := func(lines []string) (items []string) {
		for _, line := range lines {
			items = append(items, "- "+line)
		}
		return items
	}
	if since, known := h.since(); known {
		list(since[0], dashed(since[1:]))
	}
	list("New failures", dashed(j.new))
	list("Known failures, which do not count", dashed(j.known))
	var rows []string
	for _, t := range r.byWorst() {
		result, why := t.is, t.reason()
		if t.is == "unknown" {
			result += " (" + quotedOr(t.Result) + ")"
		}
		if t.is == "passed" {
			why = ""
		}
		rows = append(rows, "| "+strings.Join([]string{result, t.severity, t.called(), t.suite.called(), t.seconds(), why, t.Description}, " | ")+" |")
	}
	if len(rows) > 0 {
		list("Tests", append([]string{"| Result | Severity | Test | Suite | Seconds | Reason | Description |"}, rows...))
	}
	var found []string
	for _, one := range r.contradictions() {
		found = append(found, "- "+cmp.Or(one.at, "Report")+": "+one.text)
	}
	list("Contradictions in this report", found)
	return all
}

// Where lines of a mail end, and what stands for the rest of it.
var (
	lineEnds = regexp.MustCompile(`<br>|</(?:div|p|h2|tr|title)>`)
	tags     = regexp.MustCompile(`<[^>]*>`)
)

// fromHTML are the lines of a mail as it is shown, without where it comes from, and what to do.
func fromHTML(text string) (lines []string) {
	text = regexp.MustCompile(`<h2[^>]*>`).ReplaceAllString(lineEnds.ReplaceAllString(text, "\n"), "## ")
	text = regexp.MustCompile(`</t[dh]>`).ReplaceAllString(text, " | ")
	for _, line := range strings.Split(tags.ReplaceAllString(text, ""), "\n") {
		lines = append(lines, strings.TrimSpace(html.UnescapeString(line)))
	}
	for i, line := range lines {
		if strings.Contains(line, " · Tests ") || strings.HasPrefix(line, "Site ") {
			lines[i] = strings.Join(besides(strings.Split(line, " · "), "Site ", "Version ", "Exported "), " · ")
		}
	}
	return besides(lines, "Next ", "kubectl ", "|") // the frame of the page is a table, too
}

// verdictSigns stand for verdicts.
var verdictSigns = map[string]string{"passed": "✓", "failed": "✗", "warning": "!", "unknown": "?", "running": "●", "skipped": "○"}

// tookOr is how long something took; empty where that is not known.
func (r checked) tookOr() string {
	if _, known := r.span(); !known {
		return ""
	}
	return took(r.StartTime, r.EndTime)
}

// mail is a report as a page for a mail.
func (h handed) mail(r *checked) []string {
	j := h.judgement()
	all := []string{"Health report: " + r.called(), verdictSigns[r.overall()] + " " + r.overall() + ": " + r.called()}
	var facts []string
	for _, fact := range [][2]string{{"Judged", j.words()}, {"Tests", byVerdict(r.tests())}, {"Started", r.StartTime.utc(forPeople)}, {"Took", r.tookOr()}, {"Created by", r.CreatedBy}, {"Report", r.ID}} {
		if fact[1] != "" {
			facts = append(facts, fact[0]+" "+fact[1])
		}
	}
	all = append(all, strings.Join(facts, " · "))
	var not []string
	for _, t := range r.byWorst() {
		if good(t.is) {
			continue
		}
		not = append(append(not, t.called()+" "+t.is+" "+t.severity+" · "+t.suite.called()), t.reasons()...)
		if t.is == "unknown" {
			not = append(not, fmt.Sprintf("The site says %q.", t.Result))
		}
		if of := j.of[t.checked]; of != "" {
			not = append(not, "Judged "+of)
		}
	}
	if len(not) > 0 {
		all = append(append(all, "## Tests that did not pass"), not...)
	}
	if since, known := h.since(); known {
		all = append(append(all, "## "+since[0]), since[1:]...)
	}
	if len(r.tests()) == 0 {
		all = append(all, "The report has no tests.")
	} else {
		all = append(append(all, "## All tests"), h.trends(r)...)
	}
	if found := r.contradictions(); len(found) > 0 {
		all = append(all, "## Contradictions in this report")
		for _, one := range found {
			all = append(all, cmp.Or(one.at, "report")+": "+one.text)
		}
	}
	return all
}

// trended are a report and those before it, up to one that could not be read: whether there is none is whole.
func (h handed) trended(r *checked) (reports []*checked, whole bool) {
	reports = []*checked{r}
	for _, one := range h.before {
		switch earlier := one.ID != r.ID && one.StartTime < r.StartTime && one.EndTime != 0 && len(reports) < 9; {
		case earlier && h.unread(one):
			return reports, false
		case earlier:
			reports = append(reports, h.reports[one.ID])
		}
	}
	return reports, true
}

// trends are all tests, with how they did in the reports before.
func (h handed) trends(r *checked) []string {
	reports, _ := h.trended(r)
	slices.SortStableFunc(reports, func(a, b *checked) int {
		return cmp.Compare(cmp.Or(a.StartTime, a.EndTime), cmp.Or(b.StartTime, b.EndTime))
	})
	rows := []string{"Result | Test | Suite | Took |"}
	if len(reports) > 1 {
		rows[0] += fmt.Sprintf(" Usually | Last %d, newest last |", len(reports))
	}
	for _, t := range r.byWorst() {
		row := verdictSigns[t.is] + " " + t.is + " | " + t.called() + " " + t.Description + " | " + t.severity + " · " + t.suite.called() + " | " + t.tookOr() + " |"
		strip, spans := "", []time.Duration(nil)
		for i, one := range reports {
			tests := one.tests()
			at := slices.IndexFunc(tests, func(other tested) bool { return other.suite.ID == t.suite.ID && other.Name == t.Name })
			if at < 0 {
				strip += "·"
				continue
			}
			strip += verdictSigns[tests[at].is]
			if span, known := tests[at].span(); known && tests[at].is == "passed" && i < len(reports)-1 {
				spans = append(spans, span)
			}
		}
		if len(reports) > 1 {
			row += " " + usual(spans) + " | " + strip + " |"
		}
		rows = append(rows, row)
	}
	return rows
}

// usual is how long a test takes in the middle of all cases; empty where it was seen once, or never.
func usual(spans []time.Duration) string {
	if len(spans) < 2 {
		return ""
	}
	slices.Sort(spans)
	middle := (spans[(len(spans)-1)/2] + spans[len(spans)/2]) / 2
	if middle == 0 {
		return ""
	}
	return elapsed(middle)
}

// element is one of XML.
type element struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Text    string     `xml:",chardata"`
	Inner   []element  `xml:",any"`
}

// lines are an element and what is in it, without where it comes from, and what to do.
func (e element) lines() (all []string) {
	line := e.XMLName.Local
	for _, a := range e.Attrs {
		line += fmt.Sprintf(" %s=%q", a.Name.Local, a.Value)
	}
	text := strings.Split(strings.TrimSpace(e.Text), "\n")
	if at := slices.IndexFunc(text, func(line string) bool { return strings.HasPrefix(line, "Next: ") }); at >= 0 {
		text = text[:at]
	}
	all = append(append(all, line), text...)
	for _, one := range e.Inner {
		all = append(all, one.lines()...)
	}
	return besides(all, `property name="site"`, `property name="version"`, `property name="exported"`, `property name="since"`, "properties")
}

// junit compares a file for pipelines: what counts is a failure, or an error where it is not known, and what does not count is skipped.
func (h handed) junit(r *checked) []string {
	var file element
	if err := xml.Unmarshal([]byte(h.Out), &file); err != nil {
		return []string{fmt.Sprintf("%s cannot be read back: %v", h.command(), err)}
	}
	j := h.judgement()
	var suites []string
	total := map[string]int{}
	written := func(name string, tests int, kinds map[string]int, more ...string) string {
		return strings.TrimSpace(fmt.Sprintf("%s tests=%q failures=%q errors=%q skipped=%q %s", name, fmt.Sprint(tests),
			fmt.Sprint(kinds["failure"]), fmt.Sprint(kinds["error"]), fmt.Sprint(kinds["skipped"]), strings.Join(more, " ")))
	}
	given := func(name, value string) string {
		if value == "" {
			return ""
		}
		return fmt.Sprintf("%s=%q", name, value)
	}
	property := func(name, value string) string { return fmt.Sprintf("property name=%q value=%q", name, value) }
	for i := range r.SuiteStatus {
		s := &r.SuiteStatus[i]
		kinds, cases := map[string]int{}, []string(nil)
		for _, t := range s.ofSuite() {
			cases = append(cases, strings.TrimSpace(fmt.Sprintf("testcase classname=%q name=%q %s", s.called()+"."+t.severity, t.called(), given("time", t.seconds()))))
			kind, problem := j.problem(t)
			if kinds[kind]++; kind != "" {
				cases = append(cases, problem...)
			}
		}
		suites = append(suites, written(fmt.Sprintf("testsuite name=%q", s.called()), len(s.ofSuite()), kinds, given("time", s.seconds()), given("timestamp", s.StartTime.utc("2006-01-02T15:04:05"))),
			property("reportId", r.ID), property("createdBy", r.CreatedBy), property("owner", r.Owner), property("suiteId", s.ID), property("result", s.Result),
			property("state", s.State), property("verdict", whole(s.verdict(), s.ofSuite())))
		if words := j.words(); words != "" {
			suites = append(suites, property("judged", words))
		}
		suites = append(suites, cases...)
		total["tests"] += len(s.ofSuite())
		for kind, n := range kinds {
			total[kind] += n
		}
	}
	if j.failed && total["failure"]+total["error"] == 0 { // or the file would look green
		kind, is := "failure", r.overall()
		if is == "skipped" {
			is = "unknown"
		}
		if is == "unknown" || is == "running" {
			kind = "error"
		}
		suites = append(suites, written(`testsuite name="Report"`, 1, map[string]int{kind: 1}), property("reportId", r.ID), property("judged", j.words()),
			`testcase classname="report" name="the report as a whole"`, fmt.Sprintf("%s message=%q type=%q", kind, "the report did not pass: "+j.why, is))
		total["tests"]++
		total[kind]++
	}
	return h.as(file.lines(), append([]string{written(fmt.Sprintf("testsuites name=%q", r.called()), total["tests"], total, given("time", r.seconds()))}, suites...))
}

// problem is what a case of a file for pipelines says of a test that has not passed: its kind, and its lines.
func (j judged) problem(t tested) (kind string, lines []string) {
	message := "the site says " + quotedOr(t.Result)
	if why := t.reason(); why != "" {
		message += ": " + why
	}
	switch {
	case t.is == "passed":
		return "", nil
	case t.is == "skipped":
		return "skipped", []string{fmt.Sprintf("skipped message=%q", message)}
	case j.not[t.checked]:
		kind, message = "skipped", message+"; "+j.of[t.checked]
	case t.is == "unknown", t.is == "running":
		kind = "error"
	default:
		kind = "failure"
	}
	lines = []string{fmt.Sprintf("%s message=%q type=%q", kind, message, t.is), j.of[t.checked]}
	return kind, append(append(lines, t.reasons()...), t.Description)
}
