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
	Title   string                          // of the comparison; empty for none
	Before  *adminapi.Report                // that the report is compared with; nil where there is none
	Note    string                          // what makes it good, or why there is none
	Earlier []adminapi.Report               // for trends, in any order
	Next    map[*adminapi.TestResult]Advice // what to do about the tests that did not pass
}

// Advice is what to do about a test.
type Advice struct {
	Text    string
	Kubectl []string // lines that do it; may be empty
}

// compared compares the report with the one before, nil where there is none.
func (h Handover) compared(r adminapi.Report) *Comparison {
	if h.Before == nil {
		return nil
	}
	c := Compare(*h.Before, r)
	return &c
}

// Text says what changed since the report before, or why that is not known.
func (h Handover) Text(r adminapi.Report) string {
	c := h.compared(r)
	if c == nil {
		return plain.Capital(plain.Line(h.Note))
	}
	return c.Words() + "; compared with " + h.with()
}

// with names the report before.
func (h Handover) with() string {
	text := plain.Line(nameOf(h.Before.Name, h.Before.ID)) + ", " + readable(h.Before.StartTime)
	if h.Note != "" {
		text += " (" + h.Note + ")"
	}
	return text
}

// changes lists what changed.
func (h Handover) changes(out *bufio.Writer, r adminapi.Report) {
	if h.Title == "" {
		return
	}
	fmt.Fprintf(out, "\n## %s\n\n%s.\n", plain.Markdown(h.Title), plain.Markdown(strings.TrimSuffix(h.Text(r), ".")))
	c := h.compared(r)
	if c == nil || c.Counts[Same] == len(c.Differences) {
		return
	}
	fmt.Fprint(out, "\n| Change | Test | Seconds before | Seconds now |\n| --- | --- | ---: | ---: |\n")
	for _, d := range c.Differences[:len(c.Differences)-c.Counts[Same]] {
		fmt.Fprintf(out, "| %s | %s | %s | %s |\n", d.Words(), plain.Markdown(d.Name), secondsOf(d.Before), secondsOf(d.After))
	}
}

func secondsOf(t *adminapi.TestResult) string {
	if t == nil {
		return ""
	}
	return seconds(t.StartTime, t.EndTime)
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

// steps writes them.
func (h Handover) steps(out *bufio.Writer, r adminapi.Report) {
	todo, kubectl := h.Steps(r)
	if len(todo) == 0 {
		return
	}
	fmt.Fprint(out, "\n## What to do\n\n")
	for _, step := range todo {
		fmt.Fprintf(out, "- %s\n", plain.Markdown(step))
	}
	if len(kubectl) > 0 {
		fmt.Fprintf(out, "\nTo look at the pods, with NAMESPACE filled in:\n\n```sh\n%s\n```\n", strings.Join(kubectl, "\n"))
	}
}
