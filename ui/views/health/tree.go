package health

import (
	"cmp"
	"slices"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/ui/views"
)

// order says how the tests of a tree are sorted.
type order int

const (
	worstFirst order = iota
	longestFirst
	asReported
)

func (o order) String() string {
	switch o {
	case longestFirst:
		return "longest first"
	case asReported:
		return "as reported"
	}
	return "worst first"
}

// level is what a row of the tree stands for.
type level uint8

const (
	findingsLevel level = iota
	findingLevel
	suiteLevel
	severityLevel
	testLevel
)

// nodeKey tells rows apart, also between two reports: ids of tests change with
// each run, names do not.
type nodeKey struct {
	level                 level
	suite, severity, name string
	nth                   int32 // of several of one name
}

// node is one row of the tree.
type node struct {
	key     nodeKey
	suite   *adminapi.SuiteResult
	test    *adminapi.TestResult
	finding *health.Finding
	count   health.Count // of what stands below
	verdict health.Verdict
	took    time.Duration
	timed   bool   // took is known
	reason  string // what the site says of a test that did not pass
}

// tree is a report as rows.
type tree struct {
	order        order
	nodes        []node
	nameWidth    int // of all tests
	troubleWidth int // of those that ended otherwise than well

	// What it is drawn with: set before it is shown.
	before   map[testName]past // of the report that changes are marked against
	running  bool              // a part of a report: its run goes on
	expected expected          // of that run
	inks     *inks
	times    *views.Times
}

// the words of the two lists of a suite.
const (
	critical = "critical"
	general  = "general"
)

// newTree lays a report out.
func newTree(s *study, o order) *tree {
	t := &tree{order: o, nameWidth: leastName}
	t.nodes = make([]node, 0, s.count.Total()+len(s.findings)+3*len(s.report.Suites)+1)
	t.addFindings(s.findings)
	suites := make([]node, len(s.report.Suites))
	for i := range s.report.Suites {
		suites[i] = suiteNode(&s.report.Suites[i])
	}
	sortNodes(suites, o)
	names := map[nodeKey]int32{}
	for _, suite := range suites {
		t.nodes = append(t.nodes, suite)
		t.addTests(suite.suite, critical, suite.suite.Critical, names)
		t.addTests(suite.suite, general, suite.suite.General, names)
	}
	return t
}

func (t *tree) addFindings(findings []health.Finding) {
	if len(findings) == 0 {
		return
	}
	t.nodes = append(t.nodes, node{key: nodeKey{level: findingsLevel}, verdict: health.Warning, count: health.Count{Warning: len(findings)}})
	for i := range findings {
		f := &findings[i]
		key := nodeKey{level: findingLevel, suite: f.Path, name: f.Text, nth: int32(i)}
		t.nodes = append(t.nodes, node{key: key, finding: f, verdict: health.Warning})
	}
}

func suiteNode(s *adminapi.SuiteResult) node {
	n := node{key: nodeKey{level: suiteLevel, suite: s.ID, name: s.Name}, suite: s}
	n.count = health.CountTests(s.Critical, s.General)
	n.verdict = worse(health.JudgeState(s.Result, s.State), worstOf(n.count))
	n.took, n.timed = adminapi.Span(s.StartTime, s.EndTime)
	return n
}

func (t *tree) addTests(s *adminapi.SuiteResult, severity string, tests []adminapi.TestResult, names map[nodeKey]int32) {
	if len(tests) == 0 {
		return
	}
	group := node{key: nodeKey{level: severityLevel, suite: s.ID, name: s.Name, severity: severity}, suite: s}
	group.count = health.CountTests(tests)
	group.verdict = worstOf(group.count)
	t.nodes = append(t.nodes, group)
	first := len(t.nodes)
	for i := range tests {
		n := testNode(s, &tests[i], severity)
		seen := names[n.key]
		names[n.key]++
		n.key.nth = seen
		t.measure(&n)
		t.nodes = append(t.nodes, n)
	}
	sortNodes(t.nodes[first:], t.order)
}

// measure widens the columns for a test.
func (t *tree) measure(n *node) {
	width := ansi.StringWidth(n.test.Name)
	t.nameWidth = max(t.nameWidth, width)
	if n.verdict != health.Passed && n.verdict != health.Running {
		t.troubleWidth = max(t.troubleWidth, width)
	}
}

func testNode(s *adminapi.SuiteResult, test *adminapi.TestResult, severity string) node {
	n := node{key: nodeKey{level: testLevel, suite: s.ID, severity: severity, name: test.Name}, suite: s, test: test}
	n.verdict = health.JudgeState(test.Result, test.State)
	n.took, n.timed = adminapi.Span(test.StartTime, test.EndTime)
	if n.verdict != health.Passed && len(test.Unknown) > 0 {
		n.reason = health.ReasonLine(*test)
	}
	return n
}

func sortNodes(nodes []node, o order) {
	switch o {
	case worstFirst:
		slices.SortStableFunc(nodes, func(a, b node) int { return cmp.Compare(a.verdict.Weight(), b.verdict.Weight()) })
	case longestFirst:
		slices.SortStableFunc(nodes, func(a, b node) int { return cmp.Compare(b.took, a.took) })
	}
}

func worse(a, b health.Verdict) health.Verdict {
	if b.Weight() < a.Weight() {
		return b
	}
	return a
}

// worstOf returns the worst verdict that was counted, passed for none.
func worstOf(c health.Count) health.Verdict {
	worst := health.Passed
	for _, counted := range []struct {
		n int
		v health.Verdict
	}{{c.Failed, health.Failed}, {c.Unknown, health.Unknown}, {c.Warning, health.Warning}, {c.Running, health.Running}} {
		if counted.n > 0 {
			worst = worse(worst, counted.v)
		}
	}
	return worst
}
