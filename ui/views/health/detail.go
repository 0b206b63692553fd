package health

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// detail is the pane with the details of one row of the tree.
type detail struct {
	child
	focused bool
	pager   rows.Pager
	key     nodeKey
	source  *detailSource
	cache   views.Drawn[frame[*detailSource], []string]
}

// detailSource is what a detail is made from.
type detailSource struct {
	node  node
	tests string // of a suite: how they ended, or how many are done
	trend health.Trend
	later *health.Point // the test in the newest report, where that is known and a later one
	// explanation is that of a test that did not pass.
	explanation explain.Explanation
	// unsteady are the tests of a suite that did not pass in some of the reports that are known.
	unsteady []testTrend
}

type testTrend struct {
	name  string
	trend health.Trend
}

// wholeWidth is enough for any counts.
const wholeWidth = 1000

func newDetail(c child) detail {
	return detail{child: c, pager: *rows.NewPager(c.inks.Glyphs.Ellipsis)}
}

// Commands returns the commands that scroll.
func (d *detail) Commands() []views.Command {
	return d.pager.MovesOver(d.lines)
}

// SetSize gives the detail its cells.
func (d *detail) SetSize(width, height int) {
	d.child.SetSize(width, height)
	d.pager.SetSize(width, max(0, height-detailHead))
}

// show shows a row; nil is none. The position remains if it is the same row.
func (d *detail) show(s *detailSource) {
	d.source = s
	if s == nil {
		d.key = nodeKey{}
		return
	}
	if s.node.key != d.key {
		d.pager.Home()
	}
	d.key = s.node.key
}

// View draws the heading and the lines.
func (d *detail) View() string {
	if d.source == nil {
		title, lines := "", []string(nil)
		if d.run != nil && d.run.usual != nil {
			title, lines = "Longest last time", d.inks.bars(d.run.usual.slowest, d.Width)
		}
		return d.inks.Headed(d.Width, d.Height, d.inks.Block(lines, d.Width, d.Height-detailHead), d.inks.Heading.On(title))
	}
	pager := d.pager // a copy: View changes nothing
	pager.Set(d.lines())
	pager.SetFocused(d.focused)
	at := pager.Position()
	room := d.Width - len(at) - min(len(at), 1)
	return d.inks.Headed(d.Width, d.Height, pager.View(), d.inks.Fit(d.title(), room)+strings.Repeat(" ", min(len(at), 1))+d.inks.Muted.On(at))
}

// title names the row, with its verdict.
func (d *detail) title() string {
	n, ink := &d.source.node, d.inks.Strong
	if d.focused {
		ink = d.inks.Accent
	}
	name := ""
	switch {
	case n.test != nil:
		name = views.NameOf(n.test.Name, n.test.ID)
	case n.key.level == severityLevel:
		name = plain.Capital(n.key.severity)
	case n.suite != nil:
		name = views.NameOf(n.suite.Name, n.suite.ID)
	default:
		return ink.On("Contradiction")
	}
	return d.inks.signed(n.verdict) + "  " + ink.On(name)
}

// lines returns the lines, from the cache if nothing changed.
func (d *detail) lines() []string {
	if d.source == nil {
		return nil
	}
	return d.cache.For(frameOf(&d.child, d.source), func() []string {
		p := d.page(d.Width)
		p.node(d.source)
		return p.Lines
	})
}

// page is the lines of a detail.
type page struct {
	rows.Page
	inks  *inks
	times *views.Times
	// offline says that no check can be run.
	offline bool
}

// page returns an empty page of a width.
func (c *child) page(width int) *page {
	return &page{rows.Page{Inks: &c.inks.Inks, Width: width, Names: labelWidth}, &c.inks, c.Env.Times.Site(), c.Env.Offline}
}

func (p *page) node(s *detailSource) {
	n := &s.node
	switch n.key.level {
	case testLevel:
		p.test(s)
	case suiteLevel, severityLevel:
		p.suite(s)
	case findingLevel:
		p.Text(p.inks.Strong, n.finding.At.Name)
		p.Text(rows.Ink{}, n.finding.Text)
		p.Gap()
		p.Text(p.inks.Muted, "The report contradicts itself here: do not rely on this part.")
	case findingsLevel:
		p.Text(rows.Ink{}, "The report contradicts itself. Each contradiction has its own row below.")
	}
}

func (p *page) suite(s *detailSource) {
	n := &s.node
	if n.key.level == severityLevel {
		p.Fact("Suite", views.NameOf(n.suite.Name, n.suite.ID))
		p.Fact("Tests", s.tests)
		return
	}
	p.Text(rows.Ink{}, n.suite.Description)
	p.Fact("Tests", s.tests)
	p.Fact("Took", took(n.suite.StartTime, n.suite.EndTime))
	p.span(n.suite.StartTime, n.suite.EndTime)
	p.Fact("Id", plain.Line(n.suite.ID))
	p.words(n.suite.Result, n.suite.State)
	p.members(health.Members(n.suite.Unknown))
	if len(s.unsteady) == 0 {
		return
	}
	p.Gap()
	p.Line(p.inks.Heading.On("Not always passed") + "  " + p.inks.Muted.On("newest last"))
	for _, test := range s.unsteady {
		p.Line(p.inks.strip(test.trend.Points) + "  " + views.NameOf(test.name, ""))
	}
}

// test tells first why a test did not pass and what to do, then how it did before, then the rest.
func (p *page) test(s *detailSource) {
	n, t := &s.node, s.node.test
	hint, known := health.HintFor(t.Name)
	trouble := n.verdict != health.Passed && n.verdict != health.Running
	if trouble {
		p.cause(n)
		if s.explanation.Cause.Tells {
			p.Fact("Why", s.explanation.Cause.Sentence)
		}
		p.next(&s.explanation, t.Name)
	}
	p.trend(s)
	covers := t.Description
	if known {
		covers = hint.Covers
	}
	p.Fact("Covers", covers)
	p.span(t.StartTime, t.EndTime)
	p.Fact("Severity", n.key.severity)
	p.Fact("Id", plain.Line(t.ID))
	p.words(t.Result, t.State)
	members := health.Members(t.Unknown) // they may explain a failure
	if trouble {
		members = health.OtherMembers(*t)
	}
	p.members(members)
	p.history(s.trend.Points)
}

// cause tells why a test did not pass, in the words of the site.
func (p *page) cause(n *node) {
	reasons := health.Reasons(*n.test)
	_, ink := p.inks.verdict(n.verdict)
	for _, reason := range reasons {
		p.Text(ink, reason)
	}
	switch {
	case n.verdict == health.Unknown && n.test.Result != "":
		p.Text(ink, `Unknown result: "`+plain.Line(n.test.Result)+`".`)
	case len(reasons) == 0:
		p.Text(p.inks.Muted, "The site gives no reason.")
	}
}

// labelWidth is the width of the names before values.
const labelWidth = 10

// words adds the server's own words.
func (p *page) words(result, state string) {
	said := "no result"
	if result != "" {
		said = `"` + plain.Line(result) + `"`
	}
	if state != "" {
		said += ", " + plain.Line(state)
	}
	p.Fact("Reported", said)
}

func (p *page) span(start, end adminapi.Millis) {
	if !start.IsZero() {
		p.Fact("Started", p.times.Moment(start.Time()))
	}
	if !end.IsZero() {
		p.Fact("Ended", p.times.Moment(end.Time()))
	}
}

// members adds the members that are not documented.
func (p *page) members(members []health.Member) {
	for _, m := range members {
		p.Member(m.Name, m.Text)
	}
}

// trend adds how a test did in the reports that are known: its verdicts and durations side by
// side, newest last.
func (p *page) trend(s *detailSource) {
	points := s.trend.Points
	if len(points) < 2 {
		p.Fact("Took", s.trend.Words())
		return
	}
	bad, runs := 0, 0
	for _, point := range points {
		if point.Missing {
			continue
		}
		if runs++; !point.Verdict.Good() {
			bad++
		}
	}
	text := "passed in the last " + plain.Plural(runs, "report")
	if bad > 0 {
		text = "passed in " + strconv.Itoa(runs-bad) + " of the last " + strconv.Itoa(runs)
	}
	if s.later != nil {
		text += " up to this one"
	}
	p.drawn("Results", p.inks.strip(points), text+", newest last")
	took := cmp.Or(s.trend.Words(), "unknown")
	if s.trend.SlowerThanUsual() {
		took = p.inks.Signed(rows.StatusWarning, took)
	}
	p.drawn("Took", p.inks.sparkline(points), took)
}

// history lists how a test did in each report that is known, the newest first.
func (p *page) history(points []health.Point) {
	if len(points) < 2 {
		return
	}
	p.Gap()
	longest := time.Duration(1)
	for _, point := range points {
		longest = max(longest, point.Took)
	}
	for _, point := range slices.Backward(points) {
		line := p.inks.Muted.On(views.Fit(p.times.Minute(point.When.Time()), 17, "")) + " "
		if point.Missing {
			p.Line(line + p.inks.Muted.On(p.inks.Glyphs.Dot+" not in the report"))
			continue
		}
		took := "-"
		if point.Known {
			took = adminapi.FormatElapsed(point.Took)
		}
		line += p.inks.sign(point.Verdict) + inColumn(took)
		if room := min(p.Width-17-2-tookWidth-2, maxBar); room > 4 {
			line += "  " + p.inks.Muted.On(strings.Repeat(p.inks.Glyphs.Rule, int(int64(room)*int64(point.Took)/int64(longest))))
		}
		p.Line(line)
	}
}

// drawn adds a fact with a drawing before its words, which go to the next line where they do not
// fit.
func (p *page) drawn(name, drawing, words string) {
	label := p.inks.Label.On(p.inks.Fit(name, labelWidth))
	if labelWidth+ansi.StringWidth(drawing)+2+ansi.StringWidth(words) <= p.Width {
		p.Line(label + drawing + "  " + words)
		return
	}
	p.Line(label + drawing)
	p.Line(strings.Repeat(" ", labelWidth) + words)
}
