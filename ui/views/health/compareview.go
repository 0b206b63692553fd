package health

import (
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// drawCompare draws the comparison: the two reports, the counts, and a row for
// each test that changed.
func (m *Model) drawCompare() string {
	c, k := m.compare, &m.inks
	same := c.Counts[health.Same]
	note := ""
	if same > 0 && !c.all {
		note = plain.Plural(same, "unchanged test") + " not shown " + k.Glyphs.Dot + " u shows"
	}
	head := indented([]string{
		m.side("Before", c.Before),
		m.side("After", c.After),
		"",
		m.counts(true),
		k.Muted.On(note),
	})
	body := c.list.View()
	if c.list.Len() == 0 && c.list.Filter() == "" {
		body = m.inks.Says([]string{"Nothing changed between the two reports."}, m.inner(), m.height-compareHead)
	}
	return m.beside(m.pane(box{m.inner(), m.height}, head, compareHead, body))
}

// side names one of the two reports; its facts stand behind as far as they fit
// beside the name.
func (m *Model) side(label string, r adminapi.Report) string {
	k := &m.inks
	head := k.Label.On(k.Fit(label, 8)) + k.signed(health.Overall(r)) + "  "
	name := views.NameOf(r.Name, r.ID)
	room := m.inner() - len(indent) - ansi.StringWidth(head)
	rest := room - min(ansi.StringWidth(name), max(room/2, leastWord)) - 2
	facts := countsIn(health.CountReport(r), max(rest, 0))
	if facts == "" {
		return head + k.Strong.On(k.Fit(name, max(room, 0)))
	}
	facts = k.joined([]string{facts, shortMinute(m.env.Times, r.StartTime.Time())}, rest)
	return head + k.Strong.On(ansi.Truncate(name, room-2-ansi.StringWidth(facts), k.Glyphs.Ellipsis)) + "  " + k.Muted.On(facts)
}

// counts writes how many tests changed in which way, the bad news in colour;
// zeros only where they fit.
func (m *Model) counts(zeros bool) string {
	k := &m.inks
	var parts []string
	for change := health.NewlyFailing; change < health.Same; change++ {
		n := m.compare.Counts[change]
		if n == 0 && (!zeros || change == health.StillFailing || change == health.Other) {
			continue
		}
		parts = append(parts, k.counted(n, change))
	}
	if line := strings.Join(parts, k.Muted.On(" "+k.Glyphs.Dot+" ")); !zeros || ansi.StringWidth(line) <= m.inner()-len(indent) {
		return line
	}
	return m.counts(false)
}

func (k *inks) counted(n int, change health.Change) string {
	text := strconv.Itoa(n) + " " + change.String()
	switch {
	case n == 0:
		return k.Muted.On(text)
	case change == health.NewlyFailing || change == health.StillFailing:
		return k.Fail.On(text)
	case change == health.Fixed:
		return k.OK.On(text)
	case change == health.Other:
		return k.Warn.On(strconv.Itoa(n) + " changed otherwise")
	}
	return k.Warn.On(text)
}
