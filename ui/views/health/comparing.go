package health

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// comparison is the screen that sets two reports against each other.
type comparison struct {
	health.Comparison
	list *rows.List[int]
	all  bool // unchanged tests are shown too
}

// markOrCompare marks the report under the cursor, or compares it with the one
// marked before.
func (m *Model) markOrCompare() tea.Cmd {
	e, ok := m.selected()
	switch {
	case !ok:
		return nil
	case e.key.origin == fromRun:
		return views.Tell(views.Warning, "This run has no report yet.")
	case m.mark == e.key:
		m.setMark(entryKey{})
		return nil
	case m.mark == entryKey{}:
		m.setMark(e.key)
		return views.Tell(views.Info, "Marked "+entryName(e)+". Go to another report and press c to compare.")
	}
	return m.compareWith(m.mark, e.key)
}

func (m *Model) setMark(key entryKey) {
	m.mark = key
	m.catalog.rows.marked = key
	m.catalog.list.Redraw()
}

// compareTo compares the report under the cursor with one named by its id.
func (m *Model) compareTo(id string) tea.Cmd {
	e, ok := m.selected()
	id = strings.TrimSpace(id)
	switch {
	case !ok || e.key.origin == fromRun:
		return views.Tell(views.Warning, "Choose a report first.")
	case e.key.id == id:
		return views.Tell(views.Warning, "That is the chosen report itself.")
	}
	other := entryKey{fromSite, id}
	for _, file := range m.catalog.files {
		if file.summary.ID == id || file.key.id == id {
			other = file.key
		}
	}
	return m.compareWith(other, e.key)
}

// compareWith reads what it has to of two reports and shows the comparison.
func (m *Model) compareWith(a, b entryKey) tea.Cmd {
	studies := [2]*study{m.store.get(a), m.store.get(b)}
	keys := [2]entryKey{a, b}
	client, order := m.env.Site.Client, m.order
	return m.scope.Do("compare", func(ctx context.Context) tea.Msg {
		for i, key := range keys {
			if studies[i] != nil {
				continue
			}
			if client == nil || key.origin != fromSite {
				return pairRead{keys: keys, err: errors.New("no report of the id " + strconv.Quote(plain.Line(key.id)) + " is open")}
			}
			report, err := client.Report(ctx, key.id)
			if err != nil {
				return pairRead{keys: keys, err: err}
			}
			studies[i] = newStudy(&report, order)
		}
		before, after := studies[0].report, studies[1].report
		if before.StartTime > after.StartTime {
			before, after = after, before
		}
		return pairRead{keys: keys, studies: studies, comparison: health.Compare(*before, *after)}
	})
}

// pairRead is two whole reports and what is different.
type pairRead struct {
	keys       [2]entryKey
	studies    [2]*study
	comparison health.Comparison
	err        error
}

func (r pairRead) apply(m *Model) tea.Cmd {
	if r.err != nil {
		return m.failed(r.err, "compare", func() tea.Cmd { return m.compareWith(r.keys[0], r.keys[1]) })
	}
	for i, key := range r.keys {
		if finished(r.studies[i].report) {
			m.store.put(key, r.studies[i])
		}
	}
	m.setMark(entryKey{})
	m.compare = &comparison{Comparison: r.comparison, list: rows.New[int](m.env.Theme)}
	m.compare.show(&m.inks)
	m.place()
	return nil
}

// show lays the differences out; unchanged ones only on request.
func (c *comparison) show(k *inks) {
	c.list.Set(&differences{items: c.Differences, inks: k})
	if c.all {
		c.list.SetKeep(nil)
		return
	}
	c.list.SetKeep(func(i int) bool { return c.Differences[i].Change != health.Same })
}

// differences is a comparison as rows.
type differences struct {
	items []health.Difference
	inks  *inks
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
	name := nameOf(item.Name, "")
	verdicts := k.sideSign(item.Before) + " " + k.muted.On(k.glyphs.Arrow) + " " + k.sideSign(item.After)
	times := right(sideTook(item.Before, item.BeforeTook), tookWidth) + " " + k.glyphs.Arrow + " " + k.fit(sideTook(item.After, item.AfterTook), tookWidth)
	room := look.Width - changeWidth - 1 - 5 - 2*tookWidth - 3
	nameWidth := min(room, mostName)
	drawn := k.fit(name, max(0, nameWidth))
	if look.Selected {
		drawn = k.selected.On(drawn)
	}
	line := k.change(item) + " " + drawn + verdicts + k.muted.On(times)
	if rest := room - nameWidth - 2; rest > 8 {
		where := plain.Line(item.Severity) + " " + k.glyphs.Dot + " " + nameOf(item.SuiteName, item.SuiteID)
		if ansi.StringWidth(where) > rest {
			where = plain.Line(item.Severity)
		}
		line += "  " + k.muted.On(k.fit(where, rest))
	}
	return line
}

// change writes a change as sign and words, in exactly changeWidth cells.
func (k *inks) change(d *health.Difference) string {
	glyph, ink := k.glyphs.Dot, k.muted
	word := d.Change.String()
	switch d.Change {
	case health.NewlyFailing, health.StillFailing:
		glyph, ink = k.glyphs.Fail, k.fail
	case health.Gone, health.Slower:
		glyph, ink = k.glyphs.Warn, k.warn
	case health.Added:
		glyph, ink = "+", k.accent
	case health.Other:
		now := health.JudgeState(d.After.Result, d.After.State)
		glyph, ink = k.verdict(now)
		word = "now " + now.String()
	case health.Fixed:
		glyph, ink = k.glyphs.Pass, k.ok
	}
	return ink.On(k.fit(glyph+" "+word, changeWidth))
}

func (k *inks) sideSign(t *adminapi.TestResult) string {
	if t == nil {
		return k.muted.On("-")
	}
	return k.sign(health.JudgeState(t.Result, t.State))
}

func sideTook(t *adminapi.TestResult, d time.Duration) string {
	if t == nil || d == 0 {
		return "-"
	}
	return views.Took(d)
}
