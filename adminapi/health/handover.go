package health

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
)

// Handover is what goes with a report for those who have not seen the site. The zero one is none.
type Handover struct {
	Facts   [][2]string                     // the site, and who exports: names and values
	Title   string                          // what is handed on
	Since   string                          // what Before is to the report, such as "the last good report"; empty for no comparison
	Before  *adminapi.Report                // nil where there is none
	Why     string                          // there is none
	Earlier []*Results                      // for trends, in any order
	Judged  Judgement                       // which tests count
	Next    map[*adminapi.TestResult]Advice // what to do about the tests that did not pass
}

// Advice is what to do about a test.
type Advice struct {
	Text    string
	Kubectl []string // lines that do it; may be empty
}

// Changes returns what changed since the report before, in a line and test by test, or why that is not
// known.
func (h Handover) Changes(r adminapi.Report) (line string, tests []string) {
	if h.Before == nil {
		return plain.Capital(plain.Line(h.Why)), nil
	}
	c := Compare(*h.Before, r)
	for _, d := range c.Differences[:len(c.Differences)-c.Counts[Same]] {
		tests = append(tests, d.Words()+": "+plain.Line(d.Name)+": "+d.BothEnds())
	}
	return c.Words() + "; compared with " + reportTitle(h.Before.Name, h.Before.ID, h.Before.StartTime) + ", report " + plain.Line(h.Before.ID), tests
}

// Steps returns what to do about each test, the worst first, and the lines that do it, each once.
func (h Handover) Steps(r adminapi.Report) (todo, kubectl []string) {
	for _, e := range WorstFirst(r) {
		advice, has := h.Next[e.Test]
		if !has {
			continue
		}
		todo = append(todo, nameOf(e.Test.Name, e.Test.ID)+", "+e.Verdict.String()+": "+advice.Text)
		for _, line := range advice.Kubectl {
			if !slices.Contains(kubectl, line) {
				kubectl = append(kubectl, line)
			}
		}
	}
	return todo, kubectl
}

// sections writes them for a ticket.
func (h Handover) sections(out *bufio.Writer, r adminapi.Report) {
	list := func(title string, lines []string) {
		if title != "" {
			fmt.Fprintf(out, "\n## %s\n\n", title)
		}
		for _, line := range lines {
			fmt.Fprintf(out, "- %s\n", plain.Markdown(line))
		}
	}
	if h.Since != "" {
		line, tests := h.Changes(r)
		list("Since "+h.Since, append([]string{line}, tests...))
	}
	if len(h.Judged.New) > 0 {
		list("New failures", h.Judged.New)
	}
	if len(h.Judged.Known) > 0 {
		list("Known failures, which do not count", h.Judged.Known)
	}
	todo, kubectl := h.Steps(r)
	if len(todo) > 0 {
		list("What to do", todo)
	}
	if len(kubectl) > 0 {
		fmt.Fprintf(out, "\nTo look at the pods, with NAMESPACE filled in:\n\n```sh\n%s\n```\n", strings.Join(kubectl, "\n"))
	}
}
