package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// Handing is a command that hands one or two reports on, from before it begins: what the site has of them is kept.
type Handing struct {
	day           *Day
	args          []string
	reports       map[string]*checked // by their ids
	before, after []checked           // the list, and what it had at the end
}

// Hands begins to look at such a command.
func (d *Day) Hands(args ...string) *Handing {
	h := &Handing{day: d, args: args, reports: map[string]*checked{}, before: d.reports()}
	for _, one := range h.before {
		var r checked
		d.into("/healthCheck/reports/"+one.ID, &r)
		h.reports[one.ID] = &r
	}
	return h
}

// Printed judges what it has printed. A site that cannot be read at that time makes a command that says nothing of it.
func (h *Handing) Printed(p Printed) {
	h.after = h.day.reports()
	judge(h.day, atHanding, handed{p, h})
}

type handed struct {
	Printed
	*Handing
}

var atHanding = []rule[handed]{
	{"a report is printed as the site has it", printedReport},
	{"a file of a report has all of it", fileOfReport},
	{"two reports are compared as the site has them", printedComparison},
	{"a report counts as failed by its tests", countsByTests},
}

func (h handed) command() string { return "geodeck " + strings.Join(h.args, " ") }

// flag is the value of one; empty for none.
func (h handed) flag(name string) string {
	if at := slices.Index(h.args, name); at >= 0 {
		return h.args[at+1]
	}
	return ""
}

// report is the n-th that was named.
func (h handed) report(n int) *checked { return h.reports[h.args[1+n]] }

// says reports whether a command of that name has printed its result.
func (h handed) says(name string) bool {
	return h.args[1] == name && h.Code < 2 && h.Out != ""
}

// judgement is how the report counts by the flags.
func (h handed) judgement() judged {
	base := h.reports[h.flag("--baseline")]
	return h.report(1).judgedBy(cmp.Or(h.flag("--fail-on"), "failed"), base)
}

// as compares lines with what they should be.
func (h handed) as(got, want []string) []string {
	got, want = fullLines(got), fullLines(want)
	for i := range max(len(got), len(want)) {
		is, should := "nothing more", "nothing more"
		if i < len(got) {
			is = got[i]
		}
		if i < len(want) {
			should = want[i]
		}
		if is != should {
			return []string{fmt.Sprintf("%s says\n%.600s\nwhere it should say\n%.600s", h.command(), is, should)}
		}
	}
	return nil
}

// fullLines are lines without what is blank, with one space between their words.
func fullLines(lines []string) (full []string) {
	for _, line := range lines {
		if line = strings.Join(strings.Fields(line), " "); line != "" {
			full = append(full, line)
		}
	}
	return full
}

// besides leaves lines out that begin with something.
func besides(lines []string, begin ...string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return slices.ContainsFunc(begin, func(b string) bool { return strings.HasPrefix(line, b) })
	})
}

// passing is how many tests of a report have passed, and how many have not.
func passing(tests []tested) string {
	count := countOf(tests)
	text := fmt.Sprintf("%d of %d passed", count["passed"], len(tests))
	for _, v := range worstFirst[:5] {
		switch n := count[v]; {
		case n > 0 && v == "warning":
			text += fmt.Sprintf(", %d with a warning", n)
		case n > 0:
			text += fmt.Sprintf(", %d %s", n, v)
		}
	}
	return text
}

// lines are a report as a command prints it.
func (r *checked) lines() []string {
	state := r.State
	if lowered(state) != "" && !endWords.MatchString(lowered(state)) {
		state += " (not completed)"
	}
	all := []string{"Report " + r.Name, "Id " + r.ID, "Result " + r.overall(), "State " + state, "Tests " + passing(r.tests()), "Started " + r.StartTime.cell(),
		"Took " + took(r.StartTime, r.EndTime), "Owner " + r.Owner, "Made by " + r.CreatedBy}
	for i := range r.SuiteStatus {
		s := &r.SuiteStatus[i]
		all = append(all, s.Name+" "+s.ID+" "+s.verdict(), "RESULT SEVERITY TEST TOOK DESCRIPTION OR REASON")
		for _, t := range s.ofSuite() {
			said := t.Description
			if !good(t.is) {
				said = cmp.Or(t.reason(), said)
			}
			all = append(all, strings.Join([]string{t.is, t.severity, t.Name, took(t.StartTime, t.EndTime), said}, " "))
		}
	}
	if found := r.contradictions(); len(found) > 0 {
		all = append(all, "DOES NOT FIT WHY")
		for _, one := range found {
			all = append(all, cmp.Or(one.at, "report")+" "+one.text)
		}
	}
	return all
}

func printedReport(h handed) (int, []string) {
	if !h.says("report") {
		return 0, nil
	}
	text, since, told := strings.Cut(h.Out, "\nSince ")
	wrong := h.as(besides(strings.Split(text, "\n"), "Site ", "Version ", "Exported "), h.report(1).lines())
	if want, known := h.since(); known {
		line, _, _ := strings.Cut(since, "\n")
		if !told || line != strings.TrimPrefix(want[0], "Since ")+": "+want[1] {
			wrong = append(wrong, fmt.Sprintf("%s says since %q, and not\n%q", h.command(), line, want[:2]))
		}
	}
	return 1, wrong
}

// steady reports whether the list of reports was the same all the time, and nothing was in the way of its reading.
func (h handed) steady() bool {
	same := func(a, b checked) bool { return a.ID == b.ID }
	return h.Calm && slices.EqualFunc(h.before, h.after, same)
}

// since is what has changed since another report: the heading, a line, and each test. What that is without a baseline
// is not known where the list could not be read.
func (h handed) since() (lines []string, known bool) {
	of, base, what := h.report(1), h.reports[h.flag("--baseline")], "Since the baseline"
	if base == nil {
		if !h.steady() {
			return nil, false
		}
		if base, what = h.lastGood(of), "Since the last good report"; base == nil {
			return []string{what, "None of the same suites is before it"}, true
		} else if h.unread(*base) {
			return []string{what, "Not known: cannot read a report: The report cannot be read (code 500)"}, true
		}
	}
	all := paired(base, of)
	lines = []string{what, inWords(all) + "; compared with " + base.title() + ", report " + base.ID}
	for _, d := range all {
		if d.how != "same" {
			lines = append(lines, d.words()+": "+d.shown().Name+": "+d.bothEnds())
		}
	}
	return lines, true
}

// unread reports whether programs could not read a report that is listed.
func (h handed) unread(one checked) bool { return h.Unread["/healthCheck/reports/"+one.ID] }

// lastGood is the newest report of the same suites before one in which no test failed, or that might be it and could not be
// read; nil for none.
func (h handed) lastGood(of *checked) *checked {
	fine := func(v string) bool { return v == "passed" || v == "warning" }
	for _, one := range h.before {
		r := h.reports[one.ID]
		if one.StartTime < of.StartTime && fine(one.listed()) && (h.unread(one) || fine(r.overall()) && slices.Equal(r.suites(), of.suites())) {
			return r
		}
	}
	return nil
}

// suites are the ids of the suites of a report.
func (r *checked) suites() (ids []string) {
	for _, s := range r.SuiteStatus {
		ids = append(ids, s.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func printedComparison(h handed) (int, []string) {
	if !h.says("compare") {
		return 0, nil
	}
	before, after := h.report(1), h.report(2)
	all := paired(before, after)
	count := map[string]int{}
	for _, how := range kindsOfChange {
		count[how] = 0
	}
	for _, d := range all {
		count[d.how]++
	}
	if h.flag("-o") != "json" {
		lines := []string{"Before " + before.Name + " " + before.ID + " " + before.StartTime.cell(), "After " + after.Name + " " + after.ID + " " + after.StartTime.cell(), inWords(all) + "."}
		if len(all) > count["same"] {
			lines = append(lines, "CHANGE BEFORE AFTER SEVERITY TEST TOOK SUITE")
		}
		for _, d := range all[:len(all)-count["same"]] {
			was, wasTook := stateIn(d.was)
			is, isTook := stateIn(d.is)
			lines = append(lines, strings.Join([]string{d.words(), was, is, d.shown().severity, d.shown().Name, wasTook + " -> " + isTook, d.shown().suite.Name}, " "))
		}
		lines = append(lines, fmt.Sprintf("%d of %d tests are the same", count["same"], len(all)))
		return 1, h.as(strings.Split(h.Out, "\n"), lines)
	}
	type end map[string]any
	want := end{"worse": count["newly failing"]+count["gone"] > 0, "counts": end{}, "differences": []end{},
		"before": end{"id": before.ID, "name": before.Name, "result": before.overall()}, "after": end{"id": after.ID, "name": after.Name, "result": after.overall()}}
	key := strings.NewReplacer(" f", "F", " w", "W").Replace
	for how, n := range count {
		want["counts"].(end)[key(how)] = n
	}
	for _, d := range all[:len(all)-count["same"]] {
		row := end{"suiteId": d.shown().suite.ID, "suite": d.shown().suite.Name, "severity": d.shown().severity, "test": d.shown().Name, "change": key(d.how),
			"before": nil, "after": nil, "beforeSeconds": nil, "afterSeconds": nil}
		for name, t := range map[string]*tested{"before": d.was, "after": d.is} {
			if t == nil {
				continue
			}
			row[name] = t.is
			if span, known := t.span(); known {
				row[name+"Seconds"] = span.Seconds()
			}
		}
		want["differences"] = append(want["differences"].([]end), row)
	}
	var got map[string]json.RawMessage
	if json.Unmarshal([]byte(h.Out), &got) != nil {
		return 1, []string{h.command() + " prints no JSON: " + h.Out}
	}
	var wrong []string
	for member, value := range want {
		if text, _ := json.Marshal(value); !sameJSON(string(text), string(got[member])) {
			wrong = append(wrong, fmt.Sprintf("%s has %s\n%.900s\nand should have\n%.900s", h.command(), member, got[member], text))
		}
	}
	slices.Sort(wrong)
	return 1, wrong
}

// stateIn is the verdict of a test in a report, and how long it took.
func stateIn(t *tested) (is, long string) {
	if t == nil {
		return "-", "-"
	}
	if span, _ := t.span(); span == 0 {
		return t.is, "-"
	}
	return t.is, took(t.StartTime, t.EndTime)
}

// countsByTests wants the exit code that fits what counts, and that what is known, or no reason to fail, is told.
func countsByTests(h handed) (int, []string) {
	asked := h.flag("--fail-on") != "" || h.flag("--baseline") != ""
	if h.Code > 1 || h.Out == "" || !asked && h.Code == 0 {
		return 0, nil
	}
	j := h.judgement()
	var wrong []string
	missing := func(text string) {
		if !strings.Contains(strings.Join(strings.Fields(h.Err), " "), text) {
			wrong = append(wrong, fmt.Sprintf("%s does not say %q: %.600s", h.command(), text, h.Err))
		}
	}
	switch {
	case !asked:
		wrong = append(wrong, h.command()+" ends with 1, and nobody has asked how the report counts")
	case (h.Code == 1) != j.failed:
		wrong = append(wrong, fmt.Sprintf("%s ends with %d, and the report is to count as %q", h.command(), h.Code, j.words()))
	case j.failed:
		missing(j.why)
	case j.why != "":
		missing("but counts as good with " + j.by + ": " + j.why)
	}
	for _, text := range append(j.known, j.new...) {
		missing(text)
	}
	return 1, wrong
}
