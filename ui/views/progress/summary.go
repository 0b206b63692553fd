package progress

import (
	"fmt"
	"strconv"
	"time"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
)

// tableWidth is what the table of phases takes where something stands beside it.
const tableWidth = 44

// summaryLines are what a run comes to: the phases and their times, how long the
// site took no changes, its health before and after, and what can be done now. In
// the side pane all stands one below the other, on a page of its own in two columns.
func (m *Model) summaryLines(width int) []string {
	if m.waits() {
		return []string{m.inks.Muted.On("Nothing is known of the accepted upgrade yet.")}
	}
	table := m.phaseTable()
	if width < tableWidth+20 || m.wide() {
		return append(append(table, ""), m.rest(width)...)
	}
	right := m.rest(width - tableWidth - divider)
	lines := make([]string, max(len(table), len(right)))
	rule := m.inks.Divider()
	for i := range lines {
		left := ""
		if i < len(table) {
			left = table[i]
		}
		lines[i] = m.inks.Fit(left, tableWidth) + rule
		if i < len(right) {
			lines[i] += right[i]
		}
	}
	return lines
}

// rest is the summary without the table of phases.
func (m *Model) rest(width int) []string {
	lines := m.totals(width)
	if !m.over() {
		return append(lines, m.openLines(width)...)
	}
	lines = append(lines, "")
	lines = append(lines, m.healthLines(width)...)
	return append(lines, m.offers(width)...)
}

// phaseTable tells the time of each phase beside the usual one.
func (m *Model) phaseTable() []string {
	k, usual := &m.inks, m.reading.Usual
	heading := fmt.Sprintf("  %-12s  %12s", "Phase", "time")
	if usual.Runs > 0 {
		heading += fmt.Sprintf("  %12s", "usual")
	}
	lines := []string{k.Label.On(heading)}
	for _, phase := range m.reading.Progress.Phases {
		glyph, ink := k.phase(phase.State)
		spent := ""
		if phase.State != progress.PhaseAhead {
			spent = adminapi.Took(m.reading.Progress.SpentBy(phase.Name, m.now()).Truncate(time.Second))
		}
		line := ink.On(fmt.Sprintf("%s %-12s", glyph, phase.Name)) + fmt.Sprintf("  %12s", spent)
		if known, ok := usual.Spent[phase.Name]; ok {
			line += k.Muted.On(fmt.Sprintf("  %12s", coarse(known)))
		}
		lines = append(lines, line)
	}
	return lines
}

func (m *Model) totals(width int) []string {
	p, usual := &m.reading.Progress, m.reading.Usual
	var lines []string
	line := func(name, value, note string) { lines = append(lines, m.total(name, value, note, width)) }
	if p.Took > 0 {
		line("In all", adminapi.Took(p.Took), "by the site's own count")
	}
	if usual.Runs > 0 {
		line("Usually", coarse(usual.Took), "by "+plain.Plural(usual.Runs, "earlier run"))
	}
	if lasted, ok := p.ReadOnlyFor(m.now()); ok && m.over() && p.ReadOnly.To.IsZero() {
		line("Read-only", m.inks.Warn.On("its end is not in the log"), "")
	} else if ok {
		line("Read-only", coarse(lasted), "since "+m.log.minute(p.ReadOnly.From))
	}
	if p.Total > 0 {
		note := ""
		if m.reading.Meaning == progress.StateFailed {
			note = "as counted last"
		}
		line("Deployments", fmt.Sprintf("%d of %d", p.Done, p.Total), note)
	}
	line("Messages", strconv.Itoa(p.Messages), "")
	if p.Foreign > 0 {
		line("Unknown", strconv.Itoa(p.Foreign)+" of them", "by their codes")
	}
	return lines
}

// total writes one fact, with a note where there is room for it.
func (m *Model) total(name, value, note string, width int) string {
	line := m.inks.Label.On(fmt.Sprintf("%-12s", name)) + value
	if note != "" && ansi.StringWidth(line)+1+len(note) <= width {
		line += " " + m.inks.Muted.On(note)
	}
	return line
}

// openLines lists what goes on, the newest first.
func (m *Model) openLines(width int) []string {
	const most = 12
	open := m.reading.Progress.Open
	if len(open) == 0 {
		return nil
	}
	title := "What goes on"
	if !m.goesOn() {
		title = "What went on last"
	}
	lines := []string{"", m.inks.Label.On(title)}
	for i := len(open) - 1; i >= max(0, len(open)-most); i-- {
		step := open[i]
		text := step.Meaning
		if m.goesOn() {
			text += " for " + coarse(m.now().Time().Sub(step.Since.Time()))
		} else {
			text = "since " + m.log.clock(step.Since) + ": " + text
		}
		lines = append(lines, m.inks.Running.On(m.inks.Glyphs.Running)+" "+text)
		if told := plain.Clip(step.Text, width-2); told != "" {
			lines = append(lines, "  "+m.inks.Muted.On(told))
		}
	}
	if len(open) > most {
		lines = append(lines, m.inks.Muted.On("  and "+plain.Plural(len(open)-most, "older step")))
	}
	return lines
}

// healthLines tell the health before and after the run.
func (m *Model) healthLines(width int) []string {
	k, a := &m.inks, &m.around
	lines := []string{k.Label.On("Health")}
	if p := &m.reading.Progress; a.began != p.Began || a.ended != p.Last {
		return append(lines, k.Muted.On("not known yet")) // what is known is of another run
	}
	if a.err != nil {
		lines = append(lines, wrapped(k.Warn, "not known now: "+plain.Line(a.err.Error()), width, 3)...)
	}
	switch {
	case !a.read && a.err == nil:
		return append(lines, k.Muted.On("not known yet"))
	case !a.read:
		return lines
	}
	lines = append(lines, m.reportLine("before", a.value.Before, width), m.reportLine("after", a.value.After, width))
	c := a.value.Comparison
	if c == nil {
		return lines
	}
	newly, fixed := c.Counts[health.NewlyFailing], c.Counts[health.Fixed]
	if newly+fixed == 0 {
		return append(lines, k.Muted.On("no test fails that did not before"))
	}
	for _, d := range c.Differences {
		name := plain.Line(d.Name)
		switch d.Change {
		case health.NewlyFailing:
			lines = append(lines, k.Fail.On(k.Glyphs.Fail+" newly failing: "+name))
		case health.Fixed:
			lines = append(lines, k.OK.On(k.Glyphs.Pass+" fixed: "+name))
		}
	}
	return lines
}

// offers are what can be done when a run is over.
func (m *Model) offers(width int) []string {
	texts := []string{m.inks.Key.On("E") + " writes the evidence"}
	if !m.record {
		texts = append([]string{m.inks.Key.On("h") + " runs a health check"}, texts...)
	}
	return append([]string{""}, flow(texts, "   ", width)...)
}
