package health

import (
	"geodeck/adminapi"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
)

// Check returns the contradictions in a report: a suite or report that says passed although
// a test did not pass, or failed although all passed; tests without a result, without a
// name or outside the time of their suite; unknown words; an end before its start; two
// tests with the same name or id in a suite, two suites with the same id; a severity that
// contradicts the list of the test; suites without tests and empty reports. What has one, the
// report or a part of it, cannot be trusted. Texts are clean, and so are the names of their
// places: the suite and the test, empty for the report itself.
func Check(r adminapi.Report) []finding.Finding {
	var c checker
	counts := make([]Count, len(r.Suites))
	var all Count
	for i := range r.Suites {
		counts[i] = CountTests(r.Suites[i].Critical, r.Suites[i].General)
		all = all.plus(counts[i])
	}
	switch {
	case len(r.Suites) == 0:
		c.add("the report is empty")
	case all.Total() == 0:
		c.add("the report has no test")
	}
	c.resultWords("the report", r.Result, r.State)
	c.order("the report", r.StartTime, r.EndTime)
	c.sum("the report", JudgeState(r.Result, r.State), all)
	c.suiteResults(r)
	seen := map[string]bool{}
	for i := range r.Suites {
		c.suite(&r.Suites[i], counts[i])
		c.testName = ""
		c.repeated("suite of the report", "id", r.Suites[i].ID, seen)
	}
	return c.found
}

// checker collects findings about a suite and a test.
type checker struct {
	found     []finding.Finding
	suiteName string
	testName  string
}

func (c *checker) add(text string) {
	path := c.suiteName
	if c.testName != "" {
		path += " / " + c.testName
	}
	c.found = append(c.found, finding.Finding{Strength: finding.Caution, Text: text, At: finding.Place{Name: path}})
}

// suiteResults compares the report's result with those of its suites.
func (c *checker) suiteResults(r adminapi.Report) {
	if JudgeState(r.Result, r.State) != Passed {
		return
	}
	for _, s := range r.Suites {
		if v := JudgeState(s.Result, s.State); !v.Good() {
			c.add("the report says passed, but suite " + quoted(nameOf(s.Name, s.ID)) + " is " + v.String())
		}
	}
}

func (c *checker) suite(s *adminapi.SuiteResult, tests Count) {
	c.suiteName, c.testName = nameOf(s.Name, s.ID), ""
	if tests.Total() == 0 {
		c.add("the suite has no test")
	}
	c.resultWords("the suite", s.Result, s.State)
	c.order("the suite", s.StartTime, s.EndTime)
	c.sum("the suite", JudgeState(s.Result, s.State), tests)
	names, ids := make(map[string]bool, tests.Total()), make(map[string]bool, tests.Total())
	for e := range eachEntry(s) {
		c.testName = nameOf(e.Test.Name, e.Test.ID)
		c.test(s, e)
		c.repeated("test of the suite", "name", e.Test.Name, names)
		c.repeated("test of the suite", "id", e.Test.ID, ids)
	}
}

func (c *checker) test(s *adminapi.SuiteResult, e Entry) {
	t := e.Test
	if e.Verdict != Passed { // a passed test has a known word and state
		c.resultWords("the test", t.Result, t.State)
	}
	c.order("the test", t.StartTime, t.EndTime)
	if !s.StartTime.IsZero() && !t.StartTime.IsZero() && t.StartTime < s.StartTime {
		c.add("the test starts before its suite")
	}
	if !s.EndTime.IsZero() && t.EndTime > s.EndTime {
		c.add("the test ends after its suite")
	}
	if severity := lower(t.Severity); severity != "" && severity != e.Severity {
		c.add("the severity is " + quoted(t.Severity) + ", but the test is listed as " + e.Severity)
	}
	if t.Name == "" {
		c.add("the test has no name")
	}
}

// resultWords checks the words of a result and a state.
func (c *checker) resultWords(what, result, state string) {
	if s := lower(state); s != "" && !ended(s) && !inProgress(s) {
		c.add("the state " + quoted(state) + " is unknown")
	}
	if JudgeState(result, state) == Running {
		return
	}
	switch word := lower(result); {
	case word == "":
		c.add(what + " has no result")
	case word != "unknown" && Judge(result) == Unknown:
		c.add("the result " + quoted(result) + " is unknown")
	}
}

func (c *checker) order(what string, start, end adminapi.Millis) {
	if !start.IsZero() && !end.IsZero() && end < start {
		c.add(what + " ends before it starts")
	}
}

// sum compares the result of a suite or report with those of its tests.
func (c *checker) sum(what string, own Verdict, tests Count) {
	total := tests.Total()
	if total == 0 {
		return
	}
	not := total - tests[Passed] - tests[Skipped]
	switch {
	case own == Passed && not > 0:
		c.add(what + " says passed, but " + plain.Plural(not, "test") + " did not pass")
	case own == Passed && tests[Passed] == 0:
		c.add(what + " says passed, but all tests were skipped")
	case own == Failed && tests[Passed] == total:
		c.add(what + " says failed, but all tests passed")
	}
}

func (c *checker) repeated(of, what, value string, seen map[string]bool) {
	if value == "" {
		return
	}
	before := len(seen)
	if seen[value] = true; len(seen) == before {
		c.add("the " + what + " " + quoted(value) + " belongs to another " + of + ", too")
	}
}

// nameOf returns a name for people: the id if there is no name.
func nameOf(name, id string) string {
	switch {
	case name != "":
		return plain.Line(name)
	case id != "":
		return plain.Line(id)
	}
	return "(no name)"
}

// quoted returns a server's word for a sentence, cut if it is long.
func quoted(word string) string { return `"` + plain.Clip(word, 60) + `"` }
