package health

import (
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// differences is a comparison as rows.
type differences struct {
	items     []health.Difference
	nameWidth int
	inks      *inks
}

func newDifferences(items []health.Difference, k *inks) *differences {
	d := &differences{items: items, inks: k}
	for i := range items {
		d.nameWidth = max(d.nameWidth, ansi.StringWidth(items[i].Name))
	}
	return d
}

func (d *differences) Len() int           { return len(d.items) }
func (d *differences) Key(i int) int      { return i }
func (d *differences) Depth(int) int      { return 0 }
func (d *differences) Version(int) uint64 { return 0 }

func (d *differences) Matches(i int, has func(string) bool) bool {
	item := &d.items[i]
	return has(item.Name) || has(item.SuiteName) || has(item.Severity) || has(item.Change.String())
}

// changeWidth is the column of the change: a sign and "newly failing".
const changeWidth = 16

func (d *differences) Draw(i int, look rows.Look) string {
	item := &d.items[i]
	k := d.inks
	arrow := " " + k.Muted.On(k.arrow) + " "
	verdicts := k.sideSign(item.Before) + arrow + k.sideSign(item.After)
	times := inColumn(sideTook(item.Before, item.BeforeTook)) + " " + k.arrow + " " + k.Fit(strings.TrimSpace(inColumn(sideTook(item.After, item.AfterTook))), tookWidth)
	arrows := 2 * (len(" ") + ansi.StringWidth(k.arrow) + len(" "))
	room := max(0, look.Width-changeWidth-1-1-2-1-2*tookWidth-arrows)
	nameWidth := min(room, d.nameWidth)
	name := k.Fit(views.NameOf(item.Name, ""), nameWidth)
	if look.Selected {
		name = k.Selected.On(name)
	}
	line := k.change(item) + " " + name + " " + verdicts + " " + k.Muted.On(times)
	if rest := room - nameWidth - 2; rest > 8 {
		line += "  " + k.Muted.On(k.Fit(k.place(item, rest), rest))
	}
	return line
}

// place says where a test stands, as much of it as fits.
func (k *inks) place(d *health.Difference, width int) string {
	severity := plain.Line(d.Severity)
	if where := severity + " " + k.Glyphs.Dot + " " + views.NameOf(d.SuiteName, d.SuiteID); ansi.StringWidth(where) <= width {
		return where
	}
	return severity
}

// change writes a change as sign and words, in exactly changeWidth cells.
func (k *inks) change(d *health.Difference) string {
	glyph, ink := k.Glyphs.Dot, k.Muted
	word := d.Change.String()
	switch d.Change {
	case health.NewlyFailing, health.StillFailing:
		glyph, ink = k.Glyphs.Fail, k.Fail
	case health.Gone, health.Slower:
		glyph, ink = k.Glyphs.Warn, k.Warn
	case health.Added:
		glyph, ink = "+", k.Accent
	case health.Other:
		now := health.JudgeState(d.After.Result, d.After.State)
		glyph, ink = k.verdict(now)
		word = "now " + now.String()
	case health.Fixed:
		glyph, ink = k.Glyphs.Pass, k.OK
	}
	return ink.On(k.Fit(glyph+" "+word, changeWidth))
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
	return adminapi.Took(d)
}
