package health

import (
	"bufio"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// A JUnit file has neither warnings nor unknown results: a warning is a failure; a test that
// is unknown or still running is an error.
type junitRoot struct {
	junitCounts
	suites []junitSuite
}

type junitCounts struct{ tests, failures, errors, skipped int }

type junitSuite struct {
	name, time, timestamp string
	junitCounts
	properties [][2]string
	cases      []junitCase
}

type junitCase struct {
	className, name, time string
	problem               *junitProblem
}

type junitProblem struct {
	element             string // failure, error or skipped
	message, kind, text string
}

// exportJUnit writes one testsuite for each suite. If the report did not pass although all
// tests did, an additional case fails: the file must not look green.
func exportJUnit(w io.Writer, r adminapi.Report) error {
	var root junitRoot
	for i := range r.Suites {
		root.add(suiteCases(r, &r.Suites[i]))
	}
	if v := Overall(r); v != Passed && root.failures+root.errors == 0 {
		root.add(overallCase(r, v))
	}
	x := xmlWriter{out: bufio.NewWriter(w)}
	x.text(`<?xml version="1.0" encoding="UTF-8"?>`)
	x.start("testsuites", slices.Concat([]string{"name", nameOf(r.Name, r.ID)}, root.attributes(), []string{"time?", seconds(r.StartTime, r.EndTime)})...)
	for i := range root.suites {
		root.suites[i].write(&x)
	}
	x.end()
	x.text("\n")
	return x.out.Flush()
}

// attributes are the names and values of the counts.
func (c junitCounts) attributes() []string {
	return []string{"tests", strconv.Itoa(c.tests), "failures", strconv.Itoa(c.failures), "errors", strconv.Itoa(c.errors), "skipped", strconv.Itoa(c.skipped)}
}

func (s *junitSuite) write(x *xmlWriter) {
	x.start("testsuite", slices.Concat([]string{"name", s.name}, s.attributes(), []string{"time?", s.time, "timestamp?", s.timestamp})...)
	x.start("properties")
	for _, p := range s.properties {
		x.start("property", "name", p[0], "value", p[1])
		x.end()
	}
	x.end()
	for _, c := range s.cases {
		x.start("testcase", "classname", c.className, "name", c.name, "time?", c.time)
		if p := c.problem; p != nil {
			x.start(p.element, "message", p.message, "type?", p.kind)
			x.text(xmlEscapes.Replace(p.text))
			x.end()
		}
		x.end()
	}
	x.end()
}

func (j *junitRoot) add(s junitSuite) {
	j.suites = append(j.suites, s)
	j.tests += s.tests
	j.failures += s.failures
	j.errors += s.errors
	j.skipped += s.skipped
}

func suiteCases(r adminapi.Report, s *adminapi.SuiteResult) junitSuite {
	out := junitSuite{
		name:      nameOf(s.Name, s.ID),
		time:      seconds(s.StartTime, s.EndTime),
		timestamp: timestamp(s.StartTime),
	}
	for _, p := range [][2]string{
		{"reportId", r.ID}, {"createdBy", r.CreatedBy}, {"owner", r.Owner},
		{"suiteId", s.ID}, {"result", s.Result}, {"state", s.State}, {"verdict", JudgeSuite(*s).String()},
	} {
		out.properties = append(out.properties, [2]string{p[0], plain.Line(p[1])})
	}
	for e := range eachEntry(s) {
		out.add(caseOf(e), e.Verdict)
	}
	return out
}

func (s *junitSuite) add(c junitCase, v Verdict) {
	s.cases = append(s.cases, c)
	s.tests++
	switch v {
	case Failed, Warning:
		s.failures++
	case Unknown, Running:
		s.errors++
	case Skipped:
		s.skipped++
	}
}

func caseOf(e Entry) junitCase {
	c := junitCase{
		className: nameOf(e.Suite.Name, e.Suite.ID) + "." + e.Severity,
		name:      nameOf(e.Test.Name, e.Test.ID),
		time:      seconds(e.Test.StartTime, e.Test.EndTime),
	}
	message := "the site says " + word(e.Test.Result)
	text := append(Reasons(*e.Test), plain.Text(e.Test.Description))
	if reason := reasonOf(e); reason != "" {
		message += ": " + reason
	}
	c.mark(e.Verdict, message, strings.TrimSpace(strings.Join(text, "\n")))
	return c
}

// mark writes the verdict into the case.
func (c *junitCase) mark(v Verdict, message, text string) {
	switch v {
	case Failed, Warning:
		c.problem = &junitProblem{"failure", message, v.String(), text}
	case Unknown, Running:
		c.problem = &junitProblem{"error", message, v.String(), text}
	case Skipped:
		c.problem = &junitProblem{element: "skipped", message: message}
	}
}

// overallCase is the case of a report that did not pass although no test failed.
func overallCase(r adminapi.Report, v Verdict) junitSuite {
	if v == Skipped {
		v = Unknown
	}
	c := junitCase{className: "report", name: "the report as a whole"}
	c.mark(v, "the report did not pass: the site says "+word(r.Result), "")
	s := junitSuite{name: "Report", properties: [][2]string{{"reportId", plain.Line(r.ID)}}}
	s.add(c, v)
	return s
}

func word(text string) string {
	if strings.TrimSpace(text) == "" {
		return "nothing"
	}
	return quoted(text)
}

// timestamp returns a time as in the JUnit schema: in UTC, without a zone.
func timestamp(m adminapi.Millis) string {
	if m.IsZero() {
		return ""
	}
	return m.Time().Truncate(time.Second).Format("2006-01-02T15:04:05")
}

// xmlWriter writes elements, each on a line of its own. For the few of a JUnit file the
// standard encoder would be a large part of the program.
type xmlWriter struct {
	out   *bufio.Writer // keeps the first error
	open  []string
	empty bool // the innermost element holds no other
}

// start begins an element with names and values of its attributes. A name that ends with a
// question mark is left out where it has no value.
func (x *xmlWriter) start(name string, attributes ...string) {
	x.line()
	x.text("<" + name)
	for i := 0; i < len(attributes); i += 2 {
		key, optional := strings.CutSuffix(attributes[i], "?")
		if value := attributes[i+1]; value != "" || !optional {
			x.text(" " + key + `="` + xmlEscapes.Replace(value) + `"`)
		}
	}
	x.text(">")
	x.open, x.empty = append(x.open, name), true
}

// end ends the innermost element.
func (x *xmlWriter) end() {
	name := x.open[len(x.open)-1]
	x.open = x.open[:len(x.open)-1]
	if !x.empty {
		x.line()
	}
	x.text("</" + name + ">")
	x.empty = false
}

func (x *xmlWriter) line() { x.text("\n" + strings.Repeat("  ", len(x.open))) }

func (x *xmlWriter) text(text string) { _, _ = x.out.WriteString(text) }

// xmlEscapes escapes a text, which plain has cleaned of what XML cannot hold at all.
var xmlEscapes = strings.NewReplacer(`"`, "&#34;", "'", "&#39;", "&", "&amp;", "<", "&lt;", ">", "&gt;", "\t", "&#x9;", "\n", "&#xA;", "\r", "&#xD;")
