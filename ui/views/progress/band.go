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

// band is what stands between the picture and the log of a large terminal.
type band struct {
	*run
	summary *summary
}

// lines draws three columns between the picture and the log of a large terminal: what goes on or
// how the run ended, then the deployments that came last and those that took longest.
func (b *band) lines() []string {
	width := (b.Inner() - 2*divider) / 3
	parts, rows := [][]string{b.latest(width), b.slowest(width)}, bandRows+1
	if b.over() {
		rows = 0
		parts = [][]string{b.summary.healthLines(width), b.summary.totals(width), b.slowest(width)}
		if !b.faulty() { // the board has the next step
			parts[0] = append(parts[0], b.summary.next(width))
		}
		for _, column := range parts { // nothing comes any more
			rows = min(bandRows+1, max(rows, len(column)))
		}
	} else {
		parts = slices.Insert(parts, 0, b.inProgress(width))
	}
	lines := make([]string, rows)
	for i := range lines {
		for n, column := range parts {
			cell := ""
			if i < len(column) {
				cell = column[i]
			}
			if n > 0 {
				lines[i] += b.inks.Divider()
			}
			lines[i] += b.inks.Fit(cell, width)
		}
	}
	return append([]string{b.inks.Line(b.Inner())}, lines...)
}

// inProgress lists the open steps below their title.
func (b *band) inProgress(width int) []string {
	title, lines := "In progress", b.summary.openLines(width)
	if !b.goesOn() {
		title = "Last seen"
	}
	if len(lines) == 0 {
		lines = []string{b.inks.Muted.On("between two steps")}
	}
	return append([]string{b.inks.Label.On(title)}, lines...)
}

// latest lists the deployments that were upgraded last, the newest first.
func (b *band) latest(width int) []string {
	all := slices.Clone(b.deployments[max(0, len(b.deployments)-bandRows):])
	slices.Reverse(all)
	return b.deploymentLines("Upgraded last", all, width)
}

// slowest lists the deployments that took longest.
func (b *band) slowest(width int) []string {
	title := "Slowest deployments"
	if each := progress.Each(b.deployments); each > 0 {
		title += ", usually " + views.Seconds(each)
	}
	return b.deploymentLines(title, progress.Slowest(b.deployments, bandRows), width)
}

func (b *band) deploymentLines(title string, list []progress.Deployment, width int) []string {
	k := &b.inks
	if len(list) == 0 {
		none := "None yet."
		if b.over() {
			none = "None was upgraded."
		}
		return []string{k.Label.On(title), k.Muted.On(none)}
	}
	names := max(0, width-2*timeCells)
	lines := []string{k.Label.On(k.Fit(title, names) + inColumn("took") + inColumn("ended"))}
	for _, d := range list {
		name := cmp.Or(plain.Clip(d.Name, max(1, names-1)), "a deployment")
		lines = append(lines, k.Fit(name, names)+inColumn(views.Seconds(d.Lasted(0)))+k.Muted.On(inColumn(b.log.minute(d.To))))
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
