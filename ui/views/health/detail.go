package health

import (
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
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
	cache   detailLines
}

// detailLines are the lines of a detail, with the source, width and mode they were made for.
type detailLines struct {
	source *detailSource
	width  int
	mode   views.TimeMode
	lines  []string
}

// detailSource is what a detail is made from.
type detailSource struct {
	node  node
	tests string // of a suite: how they ended, or how many are done
	trend health.Trend
}

// wholeWidth is enough for any counts.
const wholeWidth = 1000

func newDetail(c child) detail {
	return detail{child: c, pager: *rows.NewPager(c.inks.Glyphs.Ellipsis)}
}

// Commands returns the commands that scroll.
func (d *detail) Commands() []views.Command {
	list := d.pager.Moves()
	for i, row := range list {
		list[i].Run = func(argument string) tea.Cmd {
			d.pager.Set(d.lines())
			return row.Run(argument)
		}
	}
	return list
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
	pager := d.pager // a copy: View changes nothing
	pager.Set(d.lines())
	pager.SetFocused(d.focused)
	title := d.inks.Muted
	if d.focused {
		title = d.inks.Accent
	}
	body := pager.View()
	if d.source == nil {
		body = d.inks.Sentences(nil, d.Width, d.Height-detailHead)
	}
	return d.pane([]string{d.inks.headline(title, "Detail", pager.Position(), d.Width)}, detailHead, body)
}

// lines returns the lines, from the cache if nothing changed.
func (d *detail) lines() []string {
	if d.source == nil {
		return nil
	}
	c, mode := &d.cache, d.Env.Times.Mode
	if c.source != d.source || c.width != d.Width || c.mode != mode {
		p := &page{rows.Page{Inks: &d.inks.Inks, Width: d.Width, Names: labelWidth}, &d.inks, d.Env.Times.Site()}
		p.node(d.source)
		*c = detailLines{d.source, d.Width, mode, p.Lines}
	}
	return c.lines
}

// page is the lines of a detail.
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
		p.Line(strings.Repeat(" ", labelWidth) + p.inks.Warn.On(p.inks.Glyphs.Warn+" slower than usual ("+adminapi.FormatElapsed(s.trend.Usual)+")"))
	}
	p.members(t.Unknown)
	p.hint(t.Name)
	p.trend(s)
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
	if text := took(start, end); text != "" {
		p.Fact("Took", text)
	}
}

// members adds the members that are not documented: they may explain a failure.
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

// trend adds how long a test took in stored runs, the newest first.
func (p *page) trend(s *detailSource) {
	points := s.trend.Points
	if len(points) < 2 {
		return
	}
	points = points[max(0, len(points)-historyDepth):]
	p.Gap()
	p.Line(p.inks.Heading.On("Last "+plain.Plural(len(points), "run")) + "  " + p.inks.Muted.On("how long this test took"))
	longest := time.Duration(0)
	for _, point := range points {
		longest = max(longest, point.Took)
	}
	for i := len(points) - 1; i >= 0; i-- {
		p.point(points[i], longest)
	}
}

// maxBar is the length of the longest bar in cells.
const maxBar = 24

// point adds one run: its time, verdict, duration, and a bar.
func (p *page) point(point health.Point, longest time.Duration) {
	when := views.Fit(p.times.Minute(point.When.Time()), 17, "")
	if !point.Known {
		p.Line(p.inks.Muted.On(when + " " + p.inks.Glyphs.Dot + " " + right("-", tookWidth)))
		return
	}
	bar := ""
	if room := p.Width - 17 - 3 - tookWidth - 2; room > 4 && longest > 0 {
		cells := int(int64(min(room, maxBar)) * int64(point.Took) / int64(longest))
		bar = "  " + p.inks.Accent.On(strings.Repeat(p.inks.Glyphs.Rule, cells))
	}
	p.Line(p.inks.Muted.On(when) + " " + p.inks.sign(point.Verdict) + " " + inColumn(adminapi.FormatElapsed(point.Took)) + bar)
}
