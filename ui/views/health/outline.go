package health

import (
	"cmp"
	"time"

	"geodeck/adminapi/sorting"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// order is how the tests of a tree are sorted.
type order int

const (
	worstFirst order = iota
	longestFirst
	asReported
)

// String returns the order in words.
func (o order) String() string {
	switch o {
	case longestFirst:
		return "longest first"
	case asReported:
		return "as reported"
	}
	return "worst first"
}

// level is the kind of a row of the tree.
type level uint8

const (
	findingsLevel level = iota
	findingLevel
	suiteLevel
	severityLevel
	testLevel
)

// nodeKey identifies a row, also in other reports: ids of tests change with each run,
// names do not.
type nodeKey struct {
	level                 level
	suite, severity, name string
	nth                   int32 // of several with the same name
}

// node is one row of the tree.
type node struct {
	key     nodeKey
	suite   *adminapi.SuiteResult
	test    *adminapi.TestResult
	finding *health.Finding
	count   health.Count // of the tests below
	verdict health.Verdict
	took    time.Duration
	timed   bool   // took is known
	reason  string // why a test did not pass, in the words of the site
}

// outline is a report as the rows of a tree.
type outline struct {
	order        order
	nodes        []node
	nameWidth    int // of all tests
	troubleWidth int // of those that did not pass

	// Set before it is drawn.
	before   map[testName]ending // of the report that changes are marked against
	running  bool                // the report of a run in progress
	expected expected            // of that run
	inks     *inks
	times    *views.Times
}

// newOutline returns the rows of a report.
func newOutline(a *analysis, by order) *outline {
	o := &outline{order: by, nameWidth: minName}
	o.nodes = make([]node, 0, a.count.Total()+len(a.findings)+3*len(a.report.Suites)+1)
	if n := len(a.findings); n > 0 {
		o.nodes = append(o.nodes, node{key: nodeKey{level: findingsLevel}, verdict: health.Warning, count: health.Count{health.Warning: n}})
	}
	for i := range a.findings {
		f := &a.findings[i]
		key := nodeKey{level: findingLevel, suite: f.Path, name: f.Text, nth: int32(i)}
		o.nodes = append(o.nodes, node{key: key, finding: f, verdict: health.Warning})
	}
	suites := make([]node, len(a.report.Suites))
	for i := range a.report.Suites {
		s := &a.report.Suites[i]
		n := node{key: nodeKey{level: suiteLevel, suite: s.ID, name: s.Name}, suite: s, count: health.CountTests(s.Critical, s.General)}
		n.verdict = health.Worse(health.JudgeState(s.Result, s.State), n.count.Worst())
		n.took, n.timed = adminapi.Span(s.StartTime, s.EndTime)
		suites[i] = n
	}
	sortNodes(suites, by)
	names := map[nodeKey]int32{}
	for _, suite := range suites {
		o.nodes = append(o.nodes, suite)
		o.addTests(suite.suite, health.Critical, suite.suite.Critical, names)
		o.addTests(suite.suite, health.General, suite.suite.General, names)
	}
	return o
}

// addTests adds one list of a suite. names counts the tests with the same name.
func (o *outline) addTests(s *adminapi.SuiteResult, severity string, tests []adminapi.TestResult, names map[nodeKey]int32) {
	if len(tests) == 0 {
		return
	}
	group := node{key: nodeKey{level: severityLevel, suite: s.ID, name: s.Name, severity: severity}, suite: s, count: health.CountTests(tests)}
	group.verdict = group.count.Worst()
	o.nodes = append(o.nodes, group)
	first := len(o.nodes)
	for i := range tests {
		test := &tests[i]
		n := node{key: nodeKey{level: testLevel, suite: s.ID, severity: severity, name: test.Name}, suite: s, test: test}
		n.verdict = health.JudgeState(test.Result, test.State)
		n.took, n.timed = adminapi.Span(test.StartTime, test.EndTime)
		if n.verdict != health.Passed && len(test.Unknown) > 0 {
			n.reason = health.ReasonLine(*test)
		}
		seen := names[n.key]
		names[n.key]++
		n.key.nth = seen
		width := ansi.StringWidth(test.Name)
		o.nameWidth = max(o.nameWidth, width)
		if n.verdict != health.Passed && n.verdict != health.Running {
			o.troubleWidth = max(o.troubleWidth, width)
		}
		o.nodes = append(o.nodes, n)
	}
	sortNodes(o.nodes[first:], o.order)
}

func sortNodes(nodes []node, by order) {
	switch by {
	case worstFirst:
		sorting.Stable(nodes, func(a, b node) int { return cmp.Compare(a.verdict.Weight(), b.verdict.Weight()) })
	case longestFirst:
		sorting.Stable(nodes, func(a, b node) int { return cmp.Compare(b.took, a.took) })
	}
}

// The columns of the tree, in cells.
const (
	tookWidth = 11
	minName   = 36 // the platform's longest name, so that columns do not move while tests arrive
	maxName   = 40
	// The widths from which a description, or the reason of a failure, is shown.
	minDescription = 26
	minReason      = 12
	wantedReason   = 40
	wasWidth       = 19 // "warning was x 11-19"
)

// Len returns the number of rows.
func (o *outline) Len() int { return len(o.nodes) }

// Key returns the key of a row.
func (o *outline) Key(i int) nodeKey { return o.nodes[i].key }

// Version changes with the format of times.
func (o *outline) Version(int) uint64 { return uint64(o.times.Mode) }

// Depth returns how many rows a row is below.
func (o *outline) Depth(i int) int {
	switch o.nodes[i].key.level {
	case findingLevel, severityLevel:
		return 1
	case testLevel:
		return 2
	}
	return 0
}

// Matches reports whether a filter finds the row itself.
func (o *outline) Matches(i int, has func(string) bool) bool {
	n := &o.nodes[i]
	switch n.key.level {
	case testLevel:
		return has(n.test.Name) || has(n.test.Description) || has(n.test.ID) || has(n.verdict.String()) || has(n.reason)
	case suiteLevel:
		return has(n.suite.Name) || has(n.suite.ID)
	case severityLevel:
		return has(n.key.severity)
	case findingLevel:
		return has(n.finding.Path) || has(n.finding.Text)
	}
	return false
}

// Draw draws a row: fold sign, verdict, name, remarks, duration.
func (o *outline) Draw(i int, look rows.Look) string {
	n := &o.nodes[i]
	k := o.inks
	lead := o.lead(i, look) + k.sign(n.verdict) + " "
	room := look.Width - 2*o.Depth(i) - 4
	if n.key.level == findingsLevel || n.key.level == findingLevel {
		return lead + k.Fit(o.named(n), room)
	}
	room -= tookWidth + 1
	nameWidth := o.nameColumn(n, o.Depth(i), room)
	line := lead + k.Fit(o.named(n), nameWidth)
	if extra := room - nameWidth - 2; extra > 0 {
		line += "  " + k.Fit(o.extra(n, extra), extra)
	} else {
		line += k.Fit("", room-nameWidth)
	}
	return line + " " + o.duration(n)
}

// nameColumn returns the width of a row's name, which is the same for all rows of a kind.
func (o *outline) nameColumn(n *node, depth, room int) int {
	width := min(o.nameWidth, max(maxName, room*2/3), room)
	switch {
	case n.key.level != testLevel:
		return min(width+2*(2-depth), max(room-minWords-2, room/2))
	case n.verdict == health.Passed:
		return width
	}
	// The verdict as a word is more important than the end of the name, and remarks are
	// more important than blanks after it.
	width = min(width, max(room-len(n.verdict.String())-2, room/2))
	if n.verdict == health.Running {
		return width
	}
	wanted := wasWidth
	if n.reason != "" {
		wanted += 1 + wantedReason
	}
	return max(min(width, o.troubleWidth), min(width, room-2-wanted))
}

// lead indents a row and shows whether it hides others.
func (o *outline) lead(i int, look rows.Look) string {
	blanks := "    "[:2*o.Depth(i)]
	switch {
	case look.Folded:
		return blanks + o.inks.Muted.On(o.inks.Glyphs.Folded) + " "
	case look.Parent:
		return blanks + o.inks.Muted.On(o.inks.Glyphs.Open) + " "
	}
	return blanks + "  "
}

var severityTitles = map[string]string{health.Critical: "Critical", health.General: "General"}

// named returns the name of a row.
func (o *outline) named(n *node) string {
	name := ""
	switch n.key.level {
	case findingsLevel:
		name = plain.Plural(n.count[health.Warning], "contradiction") + " in this report"
	case findingLevel:
		name = plain.Line(n.finding.Text)
		if n.finding.Path != "" {
			name = plain.Line(n.finding.Path) + ": " + name
		}
	case suiteLevel:
		name = views.NameOf(n.suite.Name, n.suite.ID)
	case severityLevel:
		name = severityTitles[n.key.severity]
	case testLevel:
		name = views.NameOf(n.test.Name, n.test.ID)
	}
	if n.key.level == suiteLevel {
		return o.inks.Strong.On(name)
	}
	return name
}

// extra returns the remarks about a row that fit: counts, or how a test ended unless it
// passed, how it ended before, and the reason or the description.
func (o *outline) extra(n *node, width int) string {
	if n.key.level != testLevel {
		return o.inks.Muted.On(o.counts(n, width))
	}
	text, used := "", 0
	add := func(ink rows.Ink, part string) {
		gap := min(used, 1)
		if cells := ansi.StringWidth(part); part != "" && used+gap+cells <= width {
			text += " "[:gap] + ink.On(part)
			used += gap + cells
		}
	}
	if n.verdict != health.Passed {
		_, ink := o.inks.verdict(n.verdict)
		add(ink, n.verdict.String())
	}
	add(o.inks.Accent, o.was(n, width >= wasWidth))
	says, least := n.test.Description, minDescription
	if n.reason != "" {
		says, least = n.reason, minReason
	}
	if rest := width - used - min(used, 1); rest >= least {
		add(o.inks.Muted, ansi.Truncate(plain.Line(says), rest, o.inks.Glyphs.Ellipsis))
	}
	return text
}

// counts returns how the tests below a row ended, or how many are done.
func (o *outline) counts(n *node, width int) string {
	if o.running {
		return doneIn(n.count, o.expected.below(n), width)
	}
	return countsIn(n.count, width)
}

// was returns how a test ended in the report before if it was different. withDay must be
// the same for all rows.
func (o *outline) was(n *node, withDay bool) string {
	before, ok := o.before[testName{n.suite.ID, n.test.Name}]
	if !ok || before.verdict == n.verdict || n.verdict == health.Running {
		return ""
	}
	glyph, _ := o.inks.verdict(before.verdict)
	if withDay {
		return "was " + glyph + " " + day(o.times, before.when.Time())
	}
	return "was " + glyph
}

func (o *outline) duration(n *node) string {
	if !n.timed {
		return right("", tookWidth)
	}
	return o.inks.Muted.On(inColumn(adminapi.FormatElapsed(n.took)))
}
