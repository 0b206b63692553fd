package health

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// detail is the pane that tells all about one row of the tree.
type detail struct {
	pager  *rows.Pager
	key    nodeKey
	source *detailSource
	drawn  drawn
	width  int
	height int
}

// drawn remembers what the lines in the pager were made for.
type drawn struct {
	source *detailSource
	width  int
	mode   views.TimeMode
}

// detailSource is what a detail is made from.
type detailSource struct {
	node   node
	tests  string // of a suite: how they ended, or how far they have come
	trend  health.Trend
	points []health.Point
}

// wholeWidth is room for any counts.
const wholeWidth = 1000

// detailSource gathers what there is to say about the row under the cursor.
func (m *Model) detailSource() *detailSource {
	n, ok := m.node()
	if !ok {
		return nil
	}
	s := &detailSource{node: *n, tests: passedOf(n.count)}
	if m.chosen.tree.running {
		s.tests = m.chosen.tree.counts(n, wholeWidth)
	}
	if n.test != nil {
		s.trend = health.TrendOf(m.past(), n.suite.ID, n.test.Name)
		s.points = s.trend.Points
	}
	return s
}

// show tells about another row, or about the same one anew.
func (d *detail) show(s *detailSource) {
	if s == nil {
		d.forget()
		return
	}
	if s.node.key != d.key {
		d.pager.Home()
	}
	d.key, d.source = s.node.key, s
}

func (d *detail) forget() {
	d.key, d.source = nodeKey{}, nil
	d.pager.Set(nil)
}

func (d *detail) setSize(width, height int) {
	d.width, d.height = width, height
	d.pager.SetSize(width, height)
}

// layDetail makes the lines where they are not those of the last frame.
func (m *Model) layDetail() {
	d := &m.detail
	want := drawn{d.source, d.width, m.env.Times.Mode}
	if d.source == nil || d.drawn == want {
		return
	}
	d.drawn = want
	p := &page{rows.Page{Inks: &m.inks.Inks, Width: d.width, Names: labelWidth}, &m.inks, m.env.Times}
	p.node(d.source)
	d.pager.Set(p.Lines)
}

// page collects the lines of a detail.
type page struct {
	rows.Page
	inks  *inks
	times *views.Times
}

func (p *page) node(s *detailSource) {
	n := &s.node
	switch n.key.level {
	case testLevel:
		p.test(s)
	case suiteLevel, severityLevel:
		p.suite(s)
	case findingLevel:
		p.Text(p.inks.Strong, n.finding.Path)
		p.Text(rows.Ink{}, n.finding.Text)
		p.Gap()
		p.Text(p.inks.Muted, "The report contradicts itself here: do not rely on this part of it alone.")
	case findingsLevel:
		p.Text(rows.Ink{}, "The report contradicts itself. Each point stands in a row of its own below this one.")
	}
}

func (p *page) suite(s *detailSource) {
	n := &s.node
	p.Text(p.inks.Strong, views.NameOf(n.suite.Name, n.suite.ID))
	if n.key.level == severityLevel {
		p.Line(p.inks.signed(n.verdict) + "   " + p.inks.Muted.On(n.key.severity+" tests"))
		p.Gap()
		p.Fact("Tests", s.tests)
		return
	}
	p.Line(p.inks.signed(n.verdict) + "   " + p.inks.Muted.On(plain.Line(n.suite.ID)))
	p.Text(rows.Ink{}, n.suite.Description)
	p.Gap()
	p.Fact("Tests", s.tests)
	p.words(n.suite.Result, n.suite.State)
	p.span(n.suite.StartTime, n.suite.EndTime)
	p.members(n.suite.Unknown)
}

func (p *page) test(s *detailSource) {
	n, t := &s.node, s.node.test
	p.Text(p.inks.Strong, views.NameOf(t.Name, t.ID))
	p.Line(p.inks.signed(n.verdict) + "   " + p.inks.Muted.On(n.key.severity+" "+p.inks.Glyphs.Dot+" "+plain.Line(t.ID)))
	p.Text(rows.Ink{}, t.Description)
	p.Gap()
	p.words(t.Result, t.State)
	p.span(t.StartTime, t.EndTime)
	if s.trend.SlowerThanUsual() {
		p.Line(strings.Repeat(" ", labelWidth) + p.inks.Warn.On(p.inks.Glyphs.Warn+" slower than usual ("+adminapi.Took(s.trend.Usual)+")"))
	}
	p.members(t.Unknown)
	p.hint(t.Name)
	p.trend(s)
}

// labelWidth is the column of names before values.
const labelWidth = 10

// words shows what the server itself said, beside what it means.
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
	if text := took(start, end); text != "" {
		p.Fact("Took", text)
	}
}

// members shows what else the server wrote: whatever it says about a failure
// stands in members that nobody documented.
func (p *page) members(unknown jsontext.Value) {
	for _, m := range health.Members(unknown) {
		p.Member(m.Name, m.Text)
	}
}

func (p *page) hint(name string) {
	hint, ok := health.HintFor(name)
	if !ok {
		return
	}
	p.Gap()
	p.Fact("Covers", hint.Covers)
	p.Fact("Look at", hint.Look)
}
