package oracle

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Comparison is what a command has said of a change that it does not send.
type Comparison struct {
	Day      *Day
	Service  string
	Altered  *Altered
	Now      string // what its program has read of the site
	Form     string // json or table
	Diff     bool   // it only compares; else it is the dry run of an edit
	Exact    bool   // of a comparison: values that are written in another way count
	Accepted []string
	Code     int
	Out      string
	Hidden   bool // the definition holds secrets
}

// Compares judges what was said of a change, where its program has read what the person began with.
func (d *Day) Compares(c Comparison) {
	before, after := treeOf(c.Altered.Before), treeOf(c.Altered.After)
	if c.Now != c.Altered.Before || before == nil || after == nil || c.Code == 3 || c.Code >= 5 && !strings.Contains(c.Out, c.Service) {
		return
	}
	c.Day = d
	all := differences("", before, after)
	if c.Diff && !c.Exact {
		all = slices.DeleteFunc(all, func(one Difference) bool { return one.Kind == "rewritten" })
	}
	f := compared{c, all, nil, nil, edited{}}
	for _, one := range c.Altered.finds {
		if !c.Diff || c.Exact || one.label != "written differently" {
			f.finds = append(f.finds, one)
		}
	}
	if c.Form == "table" {
		f.lines = strings.Split(strings.TrimSuffix(c.Out, "\n"), "\n")
	} else {
		var list struct{ Items []edited }
		if json.Unmarshal([]byte(c.Out), &list) != nil || len(list.Items) != 1 {
			d.Fail(fmt.Sprintf("a change is said by one item in JSON, with exit code %d: %.300s", c.Code, c.Out))
			return
		}
		f.item = list.Items[0]
	}
	judge(d, atComparison, f)
}

// changeSaid is a change as JSON has it.
type changeSaid struct {
	Path, Kind string
	Old, New   json.RawMessage
}

// edited is what a command has said of an edit in JSON.
type edited struct {
	Service, Part string
	Changes       []changeSaid
	Risks         []struct{ Path, Label, Severity, Accept, Text string }
	Lost          []string

	Findings []struct {
		Path, Accept, Text string
		Blocking           bool
	}
	Outcome string
	Sent    bool
	Request *struct {
		Fields []struct{ Name, Value string }
	}
}

// compared is such a saying, and what it should be.
type compared struct {
	Comparison
	changes []Difference
	finds   []found
	lines   []string // of the table form
	item    edited   // of the JSON
}

var atComparison = []rule[compared]{
	{"each change is shown with what it was and what it is", changesAreSo},
	{"what an edit may do is found before it is sent", findingsAreSo},
	{"an edit that is not sent says why", dryRunIsSo},
}

// masked is a value as it may be shown.
func masked(path string, t *tree, write func(*tree) string) string {
	switch {
	case t == nil:
		return ""
	case isSecret.MatchString(path):
		return `"[secret]"`
	}
	return hiddenIn.ReplaceAllString(passwordIn.ReplaceAllString(write(t), "$1[secret]"), `"[secret]"`)
}

// What is secret of the definitions of a sweep, see [Day.Hides].
var (
	isSecret   = regexp.MustCompile(`\.accessToken$`)
	passwordIn = regexp.MustCompile(`(Password=)[^;"]*`)
	hiddenIn   = regexp.MustCompile(`"h\d+-[0-9a-f]{16}"`) // of a pair of a name and a value
)

func changesAreSo(c compared) (judged int, wrong []string) {
	if c.Form == "table" {
		return c.linesAreSo()
	}
	return 1, unlike(c.Service, "changes", written(c.changes), saidIn(c.item.Changes))
}

// written are changes as JSON has them, a line each.
func written(all []Difference) (lines []string) {
	for _, one := range all {
		lines = append(lines, one.Kind+" "+one.Path+" "+masked(one.Path, one.old, (*tree).respelled)+" -> "+masked(one.Path, one.new, (*tree).respelled))
	}
	return lines
}

// saidIn are those that a program has said.
func saidIn(all []changeSaid) (lines []string) {
	for _, one := range all {
		line := one.Kind + " " + one.Path + " "
		if t := treeOf(string(one.Old)); t != nil {
			line += t.respelled()
		}
		line += " -> "
		if t := treeOf(string(one.New)); t != nil {
			line += t.respelled()
		}
		lines = append(lines, line)
	}
	return lines
}

// unlike says where two lists differ first.
func unlike(where, what string, want, got []string) []string {
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(got):
			return []string{fmt.Sprintf("%s: the %s lack %q, of %d", where, what, want[i], len(want))}
		case i >= len(want):
			return []string{fmt.Sprintf("%s: the %s have %q, and should have only %q", where, what, got[i], want)}
		case want[i] != got[i]:
			return []string{fmt.Sprintf("%s: the %s have %q, and should have %q", where, what, got[i], want[i])}
		}
	}
	return nil
}

// counts says how many changes of each kind there are.
func (c compared) counts() string {
	var parts []string
	for _, kind := range []string{"added", "removed", "changed", "rewritten", "moved"} {
		n := 0
		for _, one := range c.changes {
			if one.Kind == kind {
				n++
			}
		}
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, kind))
		}
	}
	switch len(c.changes) {
	case 0:
		return "no changes"
	case 1:
		return "1 change: " + parts[0]
	}
	return fmt.Sprintf("%d changes: %s", len(c.changes), strings.Join(parts, ", "))
}

// linesAreSo compares the lines for people: what was counted, each change with its values, and what it may do.
func (c compared) linesAreSo() (judged int, wrong []string) {
	if len(c.changes) == 0 {
		if want := "no changes; nothing was sent"; !c.Diff && c.Out != want+"\n" || c.Diff && c.Out != "" {
			wrong = append(wrong, fmt.Sprintf("%s: nothing is changed, and it says %.200q", c.Service, c.Out))
		}
		return 1, wrong
	}
	heads := 2 + len(c.heads())
	if len(c.lines) < heads {
		return 1, []string{fmt.Sprintf("%s: a review in %d lines, and %d things to say before the changes:\n%.600s", c.Service, len(c.lines), heads, c.Out)}
	}
	want := []string{c.Service, c.counts()}
	for _, one := range c.changes {
		want = append(want, one.Kind+"  "+one.Path)
		for _, side := range []struct {
			sign string
			of   *tree
		}{{"- ", one.old}, {"+ ", one.new}} {
			switch {
			case side.of != nil && side.of.open != 0:
				want = append(want, side.of.lines("  "+side.sign, "", "")...)
			case side.of != nil:
				want = append(want, "  "+side.sign+masked(one.Path, side.of, (*tree).text))
			}
		}
		for _, f := range c.of(one.Path) {
			want = append(want, fmt.Sprintf("  %s, %s: %s", f.weight, f.label, f.text))
		}
	}
	got := slices.Concat(c.lines[:2], c.lines[heads:])
	return 1, unlike(c.Service, "lines", want, got[:min(len(got), len(want)+c.more(len(got)-len(want)))])
}

// more is how many lines more than those of the review are one too many: after it a dry run prints its request.
func (c compared) more(n int) int {
	if c.Diff || c.Code == 4 || c.Code == 2 {
		return max(n, 0)
	}
	return 0
}

// of is what is said of a change, the heaviest first.
func (c compared) of(path string) (all []found) {
	for _, f := range c.finds {
		if f.label != "" && (f.path == path || strings.HasPrefix(f.path, path+".") || strings.HasPrefix(f.path, path+"[")) {
			all = append(all, f)
		}
	}
	slices.SortStableFunc(all, func(a, b found) int { return cmp.Compare(weights[b.weight], weights[a.weight]) })
	return all
}

var weights = map[string]int{"note": 1, "caution": 2, "danger": 3, "blocking": 4}

// heads are what is said before the changes: rules of the fields, and what has to be accepted.
func (c compared) heads() (all []string) {
	for _, f := range c.finds {
		switch {
		case f.label == "" && f.weight == "blocking":
			all = append(all, "blocks  "+f.path+"  Line 1: "+f.text)
		case f.label == "":
			all = append(all, f.weight+"  "+f.path+"  Line 1: "+f.text)
		case f.accept != "" && c.accepts(f):
			all = append(all, f.accept+", accepted  "+f.path+"  "+f.text)
		case f.accept != "":
			all = append(all, f.accept+", to accept  "+f.path+"  "+f.text)
		}
	}
	slices.Sort(all)
	return all
}

// accepts reports whether a person has accepted it.
func (c compared) accepts(f found) bool {
	return slices.Contains(c.Accepted, f.accept) || f.accept == "removed-key" && slices.Contains(c.Accepted, f.path)
}

func findingsAreSo(c compared) (judged int, wrong []string) {
	if c.Form == "table" {
		if heads := c.heads(); len(c.changes) > 0 && len(c.lines) >= 2+len(heads) {
			got := slices.Clone(c.lines[2 : 2+len(heads)])
			slices.Sort(got)
			return 1, unlike(c.Service, "findings", heads, got)
		}
		return 0, nil
	}
	var want, got, lost []string
	for _, f := range c.finds {
		want = append(want, fmt.Sprintf("%s %s %s, %s: %s", f.weight, f.label, f.path, f.accept, f.text))
		if f.label == "key removed" {
			lost = append(lost, f.path)
		}
	}
	for _, one := range c.item.Risks {
		got = append(got, fmt.Sprintf("%s %s %s, %s: %s", one.Severity, one.Label, one.Path, one.Accept, one.Text))
	}
	for _, one := range c.item.Findings {
		weight := "note"
		if one.Blocking {
			weight = "blocking"
		}
		got = append(got, fmt.Sprintf("%s  %s, %s: %s", weight, one.Path, one.Accept, one.Text))
	}
	slices.Sort(want)
	slices.Sort(got)
	slices.Sort(lost)
	slices.Sort(c.item.Lost)
	return 1, slices.Concat(unlike(c.Service, "findings", want, got), unlike(c.Service, "removed keys", lost, c.item.Lost))
}

// dryRunIsSo wants the exit code, the outcome and the request that fit what was found.
func dryRunIsSo(c compared) (judged int, wrong []string) {
	code, outcome := 0, "planned"
	switch {
	case c.Diff && len(c.changes) > 0:
		code = 1
	case len(c.changes) == 0:
		outcome = "unchanged"
	case slices.ContainsFunc(c.finds, func(f found) bool { return f.weight == "blocking" }):
		code, outcome = 2, "refused"
	case slices.ContainsFunc(c.finds, func(f found) bool { return f.accept != "" && !c.accepts(f) }):
		code, outcome = 4, "refused"
	}
	elsewhere := !c.Diff && outcome == "planned" && (c.item.Outcome == "not sent" || c.Form == "table") // such as an earlier request of which nobody knows
	if c.Code != code && !elsewhere {
		wrong = append(wrong, fmt.Sprintf("%s: the command ends with %d, and should end with %d", c.Service, c.Code, code))
	}
	if c.Form == "table" || c.Diff {
		return 1, wrong
	}
	if c.item.Outcome != outcome && !elsewhere || c.item.Sent || c.item.Service != c.Service || c.item.Part != "definition" {
		wrong = append(wrong, fmt.Sprintf("%s: an edit that should be %s is %s: %.200s", c.Service, outcome, c.item.Outcome, c.Out))
	}
	if (c.item.Request != nil) != (outcome == "planned") && !elsewhere {
		wrong = append(wrong, fmt.Sprintf("%s: an edit that is %s has the request %v", c.Service, outcome, c.item.Request))
	}
	if c.item.Request == nil || c.Hidden {
		return 1, wrong
	}
	for _, field := range c.item.Request.Fields {
		if field.Name == "service" && field.Value != c.Altered.After {
			wrong = append(wrong, fmt.Sprintf("%s: what a dry run would send is not what a person gave:\n%.200s\n%.200s", c.Service, field.Value, c.Altered.After))
		}
	}
	return 1, wrong
}
