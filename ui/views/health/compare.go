package health

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation/incident"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// comparison is the screen that compares two reports.
type comparison struct {
	child
	health.Comparison
	open   bool
	behind bool     // one of its tests was opened from it: back leads to it
	since  string   // what the older report is to the newer one
	key    entryKey // of the newer report
	newer  *analysis
	rows   *rows.List[int]
	shown  *differences
	all    bool // show unchanged tests too
	cache  struct {
		head views.Drawn[frame[*differences], string]
		told views.Drawn[frame[compared], string]
	}
	// unmark takes the marks off the reports, once they are compared.
	unmark func() bool
}

func newComparison(c child, unmark func() bool) comparison {
	return comparison{child: c, rows: rows.New[int](c.Env.Theme), unmark: unmark}
}

// allFrom is the height from which a comparison begins with all its tests, where they fit.
const allFrom = 45

// Commands returns the commands of a comparison.
func (c *comparison) Commands() []views.Command {
	return slices.Concat([]views.Command{
		{ID: "health.unchanged", Key: "f", Word: "all or changed", Name: "changed tests only", Group: treeGroup,
			Enabled: views.Only(func() bool { return c.open }, "No comparison is open."), Run: views.Call(c.toggleSame),
			Help: "In a comparison: show changed tests only, or all."},
	}, c.rows.Moves(), c.rows.Filters())
}

// SetSize gives the comparison its cells.
func (c *comparison) SetSize(width, height int) {
	c.child.SetSize(width, height)
	c.rows.SetSize(width, max(0, height-compareHead-c.lower()))
}

// lower is the lines of what is told about the test under the cursor, with the rule above it.
func (c *comparison) lower() int {
	if c.Height < splitFrom {
		return 0
	}
	return clamp(c.Height*2/5, 8, 14)
}

// with fetches two reports, unless they are in the cache, and compares them; since is what the older
// one is to the other.
func (c *comparison) with(a, b entryKey, since string) tea.Cmd {
	reports := []*analysis{c.reports.get(a), c.reports.get(b)}
	keys := []entryKey{a, b}
	client, by := c.Env.Site.Client, c.order
	failed := func(err error) func() tea.Cmd {
		return func() tea.Cmd { return c.failed(err, "compare", func() tea.Cmd { return c.with(a, b, since) }) }
	}
	return c.Scope.Work("compare", func(ctx context.Context) func() tea.Cmd {
		for i, key := range keys {
			if reports[i] != nil {
				continue
			}
			if client == nil || key.origin != fromSite {
				return failed(errors.New("no report with the id " + strconv.Quote(plain.Line(key.id)) + " is open"))
			}
			var err error
			if reports[i], err = readReport(ctx, client, key.id, by); err != nil {
				return failed(err)
			}
		}
		if reports[0].report.StartTime > reports[1].report.StartTime {
			slices.Reverse(keys)
			slices.Reverse(reports)
		}
		compared := health.Compare(*reports[0].report, *reports[1].report)
		return func() tea.Cmd {
			older := reports[0].report
			c.since = cmp.Or(since, plain.Line(cmp.Or(older.Name, older.ID)))
			c.show(keys, reports, compared)
			return nil
		}
	})
}

// show shows the differences of two reports, the older first.
func (c *comparison) show(keys []entryKey, reports []*analysis, compared health.Comparison) {
	c.unmark()
	for i, key := range keys {
		if health.Ended(*reports[i].report) {
			c.reports.put(key, reports[i])
		}
	}
	c.Comparison, c.open, c.all = compared, true, false
	c.key, c.newer, c.behind = keys[1], reports[1], false
	*c.rows = *rows.New[int](c.Env.Theme)
	c.SetSize(c.Width, c.Height)
	c.all = c.Height >= allFrom && len(c.Differences) <= c.Height-compareHead-c.lower()
	c.arrange()
}

// arrange updates the rows; unchanged tests are shown on request.
func (c *comparison) arrange() {
	d := &differences{items: c.Differences, inks: &c.inks}
	c.shown = d
	for i := range d.items {
		d.nameWidth = max(d.nameWidth, ansi.StringWidth(d.items[i].Name))
	}
	c.rows.Set(d)
	if c.all {
		c.rows.SetKeep(nil)
		return
	}
	c.rows.SetKeep(func(i int) bool { return d.items[i].Change != health.Same })
}

func (c *comparison) toggleSame() {
	c.all = !c.all
	c.arrange()
}

// View draws the two reports, the counts, and a row for each test that changed; below it what is
// told of the test under the cursor.
func (c *comparison) View() string {
	k := &c.inks
	head := c.cache.head.For(frameOf(&c.child, c.shown), c.head)
	body := c.rows.View()
	if c.rows.Len() == 0 && c.rows.Filter() == "" {
		times := c.Env.Times.Site()
		body = k.Sentences([]string{"No test result changed.", "",
			"All " + plain.Plural(c.Counts[health.Same], "test") + " of " + times.Minute(c.Before.StartTime.Time()) + " and " + times.Minute(c.After.StartTime.Time()) + " were compared."},
			c.Width, c.Height-compareHead-c.lower())
	}
	switch {
	case c.Height <= compareHead:
		return k.Block(strings.Split(head, "\n"), c.Width, c.Height)
	case c.lower() == 0:
		return head + "\n" + body
	}
	return head + "\n" + body + "\n" + k.Line(c.Width) + "\n" + c.below()
}

// head draws what stands above the rows.
func (c *comparison) head() string {
	k := &c.inks
	same := c.Counts[health.Same]
	note := ""
	switch unchanged := plain.Plural(same, "unchanged test"); {
	case same > 0 && c.all:
		note = unchanged + " " + k.Glyphs.Dot + views.Keys(" {key:health.failed} hides them")
	case same > 0:
		note = unchanged + " hidden " + k.Glyphs.Dot + views.Keys(" {key:health.failed} shows all")
	}
	return k.Block([]string{
		indent + c.side("Before", c.Before),
		indent + c.side("After", c.After),
		indent + k.Muted.On(c.aboutBefore()),
		indent + k.parts(c.Parts(), c.Width-len(indent)),
		indent + k.Muted.On(note),
	}, c.Width, compareHead)
}

// aboutBefore says what the older report has to do with the last good one.
func (c *comparison) aboutBefore() string {
	switch {
	case c.since == incident.LastGood:
		return "Before is " + c.since + ": no test failed."
	case health.Overall(c.Before).Bad():
		return views.Keys("Before is not good: {key:health.last-good} compares with the last good one.")
	}
	return ""
}

// compared is a test of which is told, and the report that knows whether it has passed since.
type compared struct {
	test   *health.Difference
	latest *analysis // nil for none
}

// below draws what is told of the test on which the cursor rests.
func (c *comparison) below() string {
	of := compared{latest: c.reports.first(c.newest(&c.After))}
	if i, ok := c.rows.Rested(); ok {
		of.test = &c.Differences[i]
	}
	return c.cache.told.For(frameOf(&c.child, of), func() string {
		return c.inks.Block(c.told(of.test, of.latest), c.Width, c.lower()-1)
	})
}

// told tells of a test how it ended in both reports, why, and what to do; nil is none.
func (c *comparison) told(d *health.Difference, latest *analysis) []string {
	if d == nil {
		return nil
	}
	p := c.page(c.Width)
	p.Text(c.inks.Strong, views.NameOf(d.Name, ""))
	failed := false
	for _, side := range []struct {
		name string
		test *adminapi.TestResult
		took time.Duration
	}{{"Before", d.Before, d.BeforeTook}, {"After", d.After, d.AfterTook}} {
		if side.test == nil {
			p.Fact(side.name, "not in the report")
			continue
		}
		verdict := health.JudgeTest(*side.test)
		text := verdict.String() + ", " + sideTook(side.test, side.took)
		if failed = !verdict.Good(); failed {
			if reason := health.ReasonLine(*side.test); reason != "" {
				text += ": " + reason
			}
		}
		p.Fact(side.name, text)
	}
	hint, known := health.HintFor(d.Name)
	switch later := latest.point(health.TestKey{SuiteID: d.SuiteID, Name: d.Name}); {
	case !failed:
	case later != nil && later.Verdict == health.Passed:
		p.Fact("Next", "It has passed since, last on "+p.times.Moment(later.When.Time())+". Nothing needs to be done.")
	case known:
		p.Fact("Next", hint.Next)
	}
	if d.After != nil {
		past := append(c.resultsBefore(&c.After), c.newer.results)
		p.trend(&detailSource{trend: health.TrendOf(past, health.TestKey{SuiteID: d.SuiteID, Name: d.Name})})
	}
	return p.Lines
}

// entry returns the test under the cursor in the newer report, and false where that has none.
func (c *comparison) entry() (health.Entry, bool) {
	i, ok := c.rows.Selected()
	if !ok || c.Differences[i].After == nil {
		return health.Entry{}, false
	}
	d := &c.Differences[i]
	suite := slices.IndexFunc(c.After.Suites, func(s adminapi.SuiteResult) bool { return s.ID == d.SuiteID })
	return health.Entry{Suite: &c.After.Suites[suite], Severity: d.Severity, Test: d.After, Verdict: health.JudgeTest(*d.After)}, true
}

// side draws one of the two reports: its name, and the facts that fit after it.
func (c *comparison) side(label string, r adminapi.Report) string {
	k := &c.inks
	head := k.Label.On(k.Fit(label, 8)) + k.signed(health.Overall(r)) + "  "
	name := views.NameOf(r.Name, r.ID)
	room := c.Width - len(indent) - ansi.StringWidth(head)
	rest := room - min(ansi.StringWidth(name), max(room/2, minWords)) - 2
	facts := c.Env.Times.Site().Short(r.StartTime.Time())
	if ansi.StringWidth(facts) > rest {
		return head + k.Strong.On(k.Fit(name, max(room, 0)))
	}
	if counts := countsIn(health.CountReport(r), max(rest-ansi.StringWidth(facts)-3, 0)); counts != "" {
		facts += " " + k.Glyphs.Dot + " " + counts
	}
	return head + k.Strong.On(ansi.Truncate(name, room-2-ansi.StringWidth(facts), k.Glyphs.Ellipsis)) + "  " + k.Muted.On(facts)
}

// parts returns what changed in words, those that fit.
func (k *inks) parts(parts []health.Part, width int) string {
	line, used := "", 0
	for _, part := range parts {
		gap := min(used, 3)
		if used+gap+len(part.Text) > width && used > 0 {
			break
		}
		if gap > 0 {
			line += k.Muted.On(" " + k.Glyphs.Dot + " ")
		}
		line += k.changeInk(part).On(part.Text)
		used += gap + len(part.Text)
	}
	return line
}

// changeStatus is how changes are drawn, but for those that are neither better nor worse.
var changeStatus = map[health.Change]rows.Status{
	health.NewlyFailing: rows.StatusFailed, health.StillFailing: rows.StatusFailed, health.Fixed: rows.StatusPassed,
	health.Removed: rows.StatusWarning, health.StillWarned: rows.StatusWarning, health.Slower: rows.StatusWarning,
}

func (k *inks) changeInk(part health.Part) rows.Ink {
	status, known := changeStatus[part.Change]
	switch {
	case !known:
		return k.Warn
	case strings.HasPrefix(part.Text, "No "):
		return k.OK
	}
	_, ink := k.Mark(status)
	return ink
}

// differences is a comparison as rows.
type differences struct {
	rows.Flat
	items     []health.Difference
	nameWidth int
	inks      *inks
}

// Len returns the number of tests.
func (d *differences) Len() int { return len(d.items) }

// Key returns the index of a test, which identifies it.
func (d *differences) Key(i int) int { return i }

// Matches reports whether a filter finds the test, its suite, severity or change.
func (d *differences) Matches(i int, has func(string) bool) bool {
	item := &d.items[i]
	return has(item.Name) || has(item.SuiteName) || has(item.Severity) || has(item.Words())
}

// changeWidth is the column of the change: a sign and "newly failing".
const changeWidth = 16

// Draw draws a row: change, name, verdicts, durations, and the suite if it fits.
func (d *differences) Draw(i int, look rows.Look) string {
	item := &d.items[i]
	k := d.inks
	arrow := " " + k.Muted.On(k.arrow) + " "
	verdicts := k.sideSign(item.Before) + arrow + k.sideSign(item.After)
	after := strings.TrimSpace(inColumn(sideTook(item.After, item.AfterTook)))
	times := inColumn(sideTook(item.Before, item.BeforeTook)) + " " + k.arrow + " " + k.Fit(after, tookWidth)
	arrows := 2 * (len(" ") + ansi.StringWidth(k.arrow) + len(" "))
	room := max(0, look.Width-changeWidth-1-1-2-1-2*tookWidth-arrows)
	nameWidth := min(room, d.nameWidth)
	name := k.Fit(views.NameOf(item.Name, ""), nameWidth)
	line := k.change(item) + " " + name + " " + verdicts + " " + k.Muted.On(times)
	if rest := room - nameWidth - 2; rest > 8 {
		line += "  " + k.Muted.On(k.Fit(k.place(item, rest), rest))
	}
	return line
}

// place returns the severity and the suite of a test, or the severity if both do not fit.
func (k *inks) place(d *health.Difference, width int) string {
	severity := plain.Line(d.Severity)
	if where := severity + " " + k.Glyphs.Dot + " " + views.NameOf(d.SuiteName, d.SuiteID); ansi.StringWidth(where) <= width {
		return where
	}
	return severity
}

// change returns a change as a sign and words, in exactly changeWidth cells.
func (k *inks) change(d *health.Difference) string {
	glyph, ink := k.Glyphs.Dot, k.Muted
	if status, known := changeStatus[d.Change]; known {
		glyph, ink = k.Mark(status)
	}
	switch d.Change {
	case health.Added:
		glyph, ink = "+", k.Accent
	case health.Other:
		glyph, ink = k.verdict(health.JudgeTest(*d.After))
	}
	return ink.On(k.Fit(glyph+" "+d.Words(), changeWidth))
}

func (k *inks) sideSign(t *adminapi.TestResult) string {
	if t == nil {
		return k.Muted.On("-")
	}
	return k.sign(health.JudgeState(t.Result, t.State))
}

func sideTook(t *adminapi.TestResult, d time.Duration) string {
	if t == nil || d == 0 {
		return "-"
	}
	return adminapi.FormatElapsed(d)
}
