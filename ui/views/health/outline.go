package health

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/finding"
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
func (o order) String() string { return [...]string{"worst first", "longest first", "as reported"}[o] }

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
	finding *finding.Finding
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
	before   *health.Results   // of the report that changes are marked against, nil for none
	past     []*health.Results // of this report and those before it, for trends
	running  bool              // the report of a run in progress
	expected expected          // of that run
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
		key := nodeKey{level: findingLevel, suite: f.At.Name, name: f.Text, nth: int32(i)}
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
		lists := []testList{{health.Critical, suite.suite.Critical}, {health.General, suite.suite.General}}
		if by == worstFirst && suite.count[health.Running] == 0 && health.CountTests(lists[1].tests).Worst().Weight() < health.CountTests(lists[0].tests).Worst().Weight() {
			slices.Reverse(lists)
		}
		for _, list := range lists {
			o.addTests(suite.suite, list.severity, list.tests, names)
		}
	}
	return o
}

// testList is one of the two lists of a suite.
type testList struct {
	severity string
	tests    []adminapi.TestResult
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
		slices.SortStableFunc(nodes, func(a, b node) int { return cmp.Compare(a.verdict.Weight(), b.verdict.Weight()) })
	case longestFirst:
		slices.SortStableFunc(nodes, func(a, b node) int { return cmp.Compare(b.took, a.took) })
	}
}

// The columns of the tree, in cells.
const (
	tookWidth = 11
	minName   = 36 // the platform's longest name, so that columns do not move while tests arrive
	maxName   = 40
	// The width from which a description is shown.
	minDescription = 26
	wasWidth       = 19 // "warning was x 11-19"
	// trendFrom is the width from which rows show how tests did before.
	trendFrom = 104
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
		return has(n.test.Name) || has(n.test.Description) || has(n.test.ID) || has(n.verdict.String()) || has(n.reason) || has(n.key.severity)
	case suiteLevel:
		return has(n.suite.Name) || has(n.suite.ID)
	case severityLevel:
		return has(n.key.severity)
	case findingLevel:
		return has(n.finding.At.Name) || has(n.finding.Text)
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
	if n.key.level == testLevel && n.verdict != health.Passed && n.verdict != health.Running {
		return lead + o.trouble(n, room)
	}
	room -= tookWidth + 1
	nameWidth := o.nameColumn(n, o.Depth(i), room)
	line := lead + k.Fit(o.named(n), nameWidth)
	room -= nameWidth
	trend := ""
	if n.key.level == testLevel && look.Width >= trendFrom {
		trend = o.trend(n)
		room -= o.trendWidth()
	}
	if extra := room - 2; extra > 0 {
		line += "  " + k.Fit(o.extra(n, extra), extra)
	} else {
		line += k.Fit("", room)
	}
	return line + trend + " " + o.inks.Muted.On(o.tookText(n))
}

// trouble draws a test that did not pass, in exactly width cells: its name, why, and how it
// ended before. The text takes all room up to the duration.
func (o *outline) trouble(n *node, width int) string {
	k := o.inks
	end, used := strings.TrimSpace(o.tookText(n)), 0
	if end != "" {
		used = 1 + ansi.StringWidth(end)
		end = " " + k.Muted.On(end)
	}
	if width >= trendFrom-8 {
		end = o.trend(n) + k.Fit("", max(0, tookWidth+1-used)) + end
		used = o.trendWidth() + max(used, tookWidth+1)
	}
	name := min(o.troubleWidth, max(width/3, min(o.troubleWidth, width-used-2-wasWidth)))
	room := width - used - name - 2
	if room < len(n.verdict.String()) {
		return k.Fit(k.Fit(o.named(n), width-used)+end, width)
	}
	_, ink := k.verdict(n.verdict)
	says := cmp.Or(n.reason, n.verdict.String())
	text := ink.On(ansi.Truncate(plain.Line(says), room, k.Glyphs.Ellipsis))
	if was := o.was(n, width >= 2*wasWidth); was != "" && ansi.StringWidth(says)+2+ansi.StringWidth(was) <= room {
		text += "  " + k.Accent.On(was)
	}
	return k.Fit(o.named(n), name) + "  " + k.Fit(text, room) + end
}

// trendWidth is the column of the last verdicts and durations; none where only this report is
// known.
func (o *outline) trendWidth() int {
	if len(o.past) < 2 {
		return 0
	}
	return 2*len(o.past) + 4
}

// trend draws how a test did in the reports that are known, newest last.
func (o *outline) trend(n *node) string {
	if len(o.past) < 2 {
		return ""
	}
	points := health.TrendOf(o.past, n.testKey()).Points
	return "  " + o.inks.strip(points) + "  " + o.inks.sparkline(points)
}

func (n *node) testKey() health.TestKey {
	return health.TestKey{SuiteID: n.suite.ID, Name: n.test.Name}
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
	return min(width, max(room-len(n.verdict.String())-2, room/2))
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

// named returns the name of a row.
func (o *outline) named(n *node) string {
	name := ""
	switch n.key.level {
	case findingsLevel:
		name = plain.Plural(n.count[health.Warning], "contradiction") + " in this report"
	case findingLevel:
		name = plain.Line(n.finding.Text)
		if n.finding.At.Name != "" {
			name = plain.Line(n.finding.At.Name) + ": " + name
		}
	case suiteLevel:
		name = o.inks.Strong.On(views.NameOf(n.suite.Name, n.suite.ID))
	case severityLevel:
		name = plain.Capital(n.key.severity)
	case testLevel:
		name = views.NameOf(n.test.Name, n.test.ID)
	}
	return name
}

// extra returns the remarks about a row that fit: counts, or how a test ended before if it did
// otherwise, and what it checks.
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
	if rest := width - used - min(used, 1); rest >= minDescription {
		add(o.inks.Muted, ansi.Truncate(plain.Line(n.test.Description), rest, o.inks.Glyphs.Ellipsis))
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
	if o.before == nil {
		return ""
	}
	before := o.before.Of(n.testKey())
	if before.Missing || before.Verdict == n.verdict || n.verdict == health.Running {
		return ""
	}
	glyph, _ := o.inks.verdict(before.Verdict)
	if withDay {
		return "was " + glyph + " " + o.times.Day(before.When.Time(), dayLayout)
	}
	return "was " + glyph
}

// tookText returns how long a row took, in its column.
func (o *outline) tookText(n *node) string {
	if !n.timed {
		return strings.Repeat(" ", tookWidth)
	}
	return inColumn(adminapi.FormatElapsed(n.took))
}
