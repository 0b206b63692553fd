package health

import (
	"strconv"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
)

// drawCompare draws the comparison: the two reports, the counts, and a row for
// each test that changed.
func (m *Model) drawCompare() string {
	c, k := m.compare, &m.inks
	same := c.Counts[health.Same]
	note := ""
	if same > 0 && !c.all {
		note = plural(same, "unchanged test") + " not shown"
	}
	head := []string{
		m.side("Before", c.Before),
		m.side("After", c.After),
		"",
		k.fit(m.counts(), m.width-len(note)-1) + " " + k.muted.On(note),
	}
	body := c.list.View()
	if c.list.Len() == 0 && c.list.Filter() == "" {
		body = m.says([]string{"Nothing changed between the two reports."}, box{m.width, m.height - compareHead})
	}
	return strings.Join(m.pane(box{m.width, m.height}, head, compareHead, body), "\n")
}

func (m *Model) side(label string, r adminapi.Report) string {
	k := &m.inks
	facts := passedOf(health.CountReport(r)) + " " + k.glyphs.Dot + " " + m.env.Times.Minute(r.StartTime.Time())
	return k.label.On(k.fit(label, 8)) + k.signed(health.Overall(r)) + "  " + k.strong.On(nameOf(r.Name, r.ID)) + "  " + k.muted.On(facts)
}

// counts writes how many tests changed in which way, the bad news in colour.
func (m *Model) counts() string {
	k := &m.inks
	var parts []string
	for change := health.NewlyFailing; change < health.Same; change++ {
		n := m.compare.Counts[change]
		text := strconv.Itoa(n) + " " + change.String()
		switch {
		case n == 0 && (change == health.StillFailing || change == health.Other):
		case n == 0:
			parts = append(parts, k.muted.On(text))
		case change == health.NewlyFailing || change == health.StillFailing:
			parts = append(parts, k.fail.On(text))
		case change == health.Fixed:
			parts = append(parts, k.ok.On(text))
		default:
			parts = append(parts, k.warn.On(text))
		}
	}
	return strings.Join(parts, k.muted.On(" "+k.glyphs.Dot+" "))
}
