package health

import (
	"encoding/xml"
	"io"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// A JUnit file has neither warnings nor unknown results. What counts by the judgement of the report is a
// failure, or an error where it is unknown or still running. What does not count is skipped, and says why.
type junitRoot struct {
	XMLName struct{} `xml:"testsuites"`
	Name    string   `xml:"name,attr"`
	junitCounts
	Time   string       `xml:"time,attr,omitempty"`
	Suites []junitSuite `xml:"testsuite"`
}

type junitCounts struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Errors   int `xml:"errors,attr"`
	Skipped  int `xml:"skipped,attr"`
}

type junitSuite struct {
	Name string `xml:"name,attr"`
	junitCounts
	Time       string          `xml:"time,attr,omitempty"`
	Timestamp  string          `xml:"timestamp,attr,omitempty"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	ClassName string `xml:"classname,attr"`
	Name      string `xml:"name,attr"`
	Time      string `xml:"time,attr,omitempty"`
	Problem   *junitProblem
}

type junitProblem struct {
	XMLName xml.Name // failure, error or skipped
	Message string   `xml:"message,attr"`
	Kind    string   `xml:"type,attr,omitempty"`
	Text    string   `xml:",chardata"`
}

// exportJUnit writes one testsuite for each suite. If the report counts as failed although no test
// does, an additional case fails: the file must not look green.
func exportJUnit(w io.Writer, r adminapi.Report, h Handover) error {
	root := junitRoot{Name: nameOf(r.Name, r.ID), Time: seconds(r.StartTime, r.EndTime)}
	for i := range r.Suites {
		root.add(suiteCases(r, &r.Suites[i], h))
	}
	if h.Judged.Failed && root.Failures+root.Errors == 0 {
		root.add(overallCase(r, h))
	}
	text, err := xml.MarshalIndent(root, "", "  ")
	if err == nil {
		_, err = io.WriteString(w, xml.Header+string(text)+"\n")
	}
	return err
}

func (j *junitRoot) add(s junitSuite) {
	j.Suites = append(j.Suites, s)
	j.Tests += s.Tests
	j.Failures += s.Failures
	j.Errors += s.Errors
	j.Skipped += s.Skipped
}

func suiteCases(r adminapi.Report, s *adminapi.SuiteResult, h Handover) junitSuite {
	out := junitSuite{
		Name:      nameOf(s.Name, s.ID),
		Time:      seconds(s.StartTime, s.EndTime),
		Timestamp: moment(s.StartTime, junitLayout),
	}
	out.Properties = h.properties(r, [][2]string{{"reportId", r.ID}, {"createdBy", r.CreatedBy}, {"owner", r.Owner},
		{"suiteId", s.ID}, {"result", s.Result}, {"state", s.State}, {"verdict", JudgeSuite(*s).String()}})
	for e := range eachEntry(s) {
		out.add(h.caseOf(e))
	}
	return out
}

// properties are facts of a suite, and what is handed over.
func (h Handover) properties(r adminapi.Report, facts [][2]string) (all []junitProperty) {
	if facts = append(facts, h.Facts...); h.Since != "" {
		line, _ := h.Changes(r)
		facts = append(facts, [2]string{"since", h.Since + ": " + line})
	}
	for _, fact := range facts {
		all = append(all, junitProperty{strings.ToLower(fact[0][:1]) + fact[0][1:], plain.Line(fact[1])})
	}
	return all
}

func (s *junitSuite) add(c junitCase) {
	s.Cases = append(s.Cases, c)
	s.Tests++
	if c.Problem == nil {
		return
	}
	switch c.Problem.XMLName.Local {
	case "failure":
		s.Failures++
	case "error":
		s.Errors++
	case "skipped":
		s.Skipped++
	}
}

func (h Handover) caseOf(e Entry) junitCase {
	c := junitCase{
		ClassName: nameOf(e.Suite.Name, e.Suite.ID) + "." + e.Severity,
		Name:      nameOf(e.Test.Name, e.Test.ID),
		Time:      seconds(e.Test.StartTime, e.Test.EndTime),
	}
	message := "the site says " + word(e.Test.Result)
	text := append(Reasons(*e.Test), plain.Text(e.Test.Description))
	if reason := reasonOf(e); reason != "" {
		message += ": " + reason
	}
	if next, has := h.Next[e.Test]; has {
		text = append(text, "Next: "+next.Text)
		text = append(text, next.Kubectl...)
	}
	of := h.Judged.Of(e.Test)
	if of != "" {
		text = append([]string{of}, text...)
	}
	if whole := strings.TrimSpace(strings.Join(text, "\n")); e.Verdict.Good() || h.Judged.Counts(e.Test) {
		c.mark(e.Verdict, message, whole)
	} else {
		c.Problem = &junitProblem{xml.Name{Local: "skipped"}, message + "; " + of, e.Verdict.String(), whole}
	}
	return c
}

// mark writes the verdict into the case.
func (c *junitCase) mark(v Verdict, message, text string) {
	switch v {
	case Failed, Warning:
		c.Problem = &junitProblem{xml.Name{Local: "failure"}, message, v.String(), text}
	case Unknown, Running:
		c.Problem = &junitProblem{xml.Name{Local: "error"}, message, v.String(), text}
	case Skipped:
		c.Problem = &junitProblem{XMLName: xml.Name{Local: "skipped"}, Message: message}
	}
}

// overallCase is the case of a report that counts as failed although no test does.
func overallCase(r adminapi.Report, h Handover) junitSuite {
	v := Overall(r)
	if v == Skipped {
		v = Unknown
	}
	c := junitCase{ClassName: "report", Name: "the report as a whole"}
	c.mark(v, "the report did not pass: "+h.Judged.Why, "")
	s := junitSuite{Name: "Report", Properties: h.properties(r, [][2]string{{"reportId", r.ID}})}
	s.add(c)
	return s
}

func word(text string) string {
	if strings.TrimSpace(text) == "" {
		return "nothing"
	}
	return quoted(text)
}
