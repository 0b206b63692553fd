package progress

import (
	"cmp"
	"slices"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
)

// bandRows is how many lines the band has below its headings; it keeps them, so that the log
// below stays where it is.
const bandRows = 8

// band draws three columns between the picture and the log of a large terminal: what goes on or
// how the run ended, then the deployments that came last and those that took longest.
func (m *Model) band() []string {
	width := (m.shown.inner() - 2*divider) / 3
	parts, rows := [][]string{m.latest(width), m.slowest(width)}, bandRows+1
	if m.shown.over() {
		rows = 0
		parts = [][]string{m.summary.healthLines(width), m.summary.totals(width), m.slowest(width)}
		if !m.shown.faulty() { // the board has the next step
			parts[0] = append(parts[0], m.summary.next(width))
		}
		for _, column := range parts { // nothing comes any more
			rows = min(bandRows+1, max(rows, len(column)))
		}
	} else {
		parts = slices.Insert(parts, 0, m.inProgress(width))
	}
	lines := make([]string, rows)
	for i := range lines {
		for n, column := range parts {
			cell := ""
			if i < len(column) {
				cell = column[i]
			}
			if n > 0 {
				lines[i] += m.shown.inks.Divider()
			}
			lines[i] += m.shown.inks.Fit(cell, width)
		}
	}
	return append([]string{m.shown.inks.Line(m.shown.inner())}, lines...)
}

// inProgress lists the open steps below their title.
func (m *Model) inProgress(width int) []string {
	title, lines := "In progress", m.summary.openLines(width)
	if !m.shown.goesOn() {
		title = "Last seen"
	}
	if len(lines) == 0 {
		lines = []string{m.shown.inks.Muted.On("between two steps")}
	}
	return append([]string{m.shown.inks.Label.On(title)}, lines...)
}

// latest lists the deployments that were upgraded last, the newest first.
func (m *Model) latest(width int) []string {
	all := slices.Clone(m.shown.deployments[max(0, len(m.shown.deployments)-bandRows):])
	slices.Reverse(all)
	return m.deploymentLines("Upgraded last", all, width)
}

// slowest lists the deployments that took longest.
func (m *Model) slowest(width int) []string {
	title := "Slowest deployments"
	if each := progress.Each(m.shown.deployments); each > 0 {
		title += ", usually " + views.Seconds(each)
	}
	return m.deploymentLines(title, progress.Slowest(m.shown.deployments, bandRows), width)
}

func (m *Model) deploymentLines(title string, list []progress.Deployment, width int) []string {
	k := &m.shown.inks
	if len(list) == 0 {
		none := "None yet."
		if m.shown.over() {
			none = "None was upgraded."
		}
		return []string{k.Label.On(title), k.Muted.On(none)}
	}
	names := max(0, width-2*timeCells)
	lines := []string{k.Label.On(k.Fit(title, names) + inColumn("took") + inColumn("ended"))}
	for _, d := range list {
		name := cmp.Or(plain.Clip(d.Name, max(1, names-1)), "a deployment")
		lines = append(lines, k.Fit(name, names)+inColumn(views.Seconds(d.Lasted(0)))+k.Muted.On(inColumn(m.shown.log.minute(d.To))))
	}
	return lines
}

// paceCells is how many cells of the axis are counted together.
const paceCells = 4

// pace draws how many deployments ended in each part of the axis, higher for more.
func (t *timeline) pace() string {
	if len(t.deployments) == 0 {
		return ""
	}
	counts := make([]int, t.cells/paceCells+1)
	most := 1
	for _, d := range t.deployments {
		at := t.half(d.To) / 2 / paceCells
		counts[at]++
		most = max(most, counts[at])
	}
	levels := []rune(t.inks.Glyphs.Levels)
	l := make(line, t.cells)
	for i := range l {
		if n := counts[i/paceCells]; n > 0 {
			l[i] = cell{t.inks.Accent, string(levels[(len(levels)-1)*n/most])}
		}
	}
	return t.row(t.inks.Label.On("  Deployments"), l, views.Seconds(progress.Each(t.deployments)), "", t.inks.Muted.On("each"))
}
