package progress

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// timeline draws the phases of a run as bars on a common time axis, with their times beside the
// usual ones, and below them when the API was away and the site read-only.
type timeline struct {
	*run
	from, to, now adminapi.Millis
	until         adminapi.Millis // where the picture ends but for an estimate: now, or later while a run goes on and the site is silent
	cells         int             // of the axis
	usual, notes  int             // cells of the usual times and of the notes at the right; 0 for none
	left          progress.Estimate
	estimated     bool
}

// The columns beside the axis.
const (
	nameCells  = 14
	timeCells  = 12 // "59 min 59 s" and a gap
	noteCells  = 21 // "  stalled 59 min 59 s"
	notesFrom  = 100
	minAxis    = 12
	tickCells  = 12
	largestRun = 100 * time.Hour // what a clock that was set makes longer is cut
)

func newTimeline(r *run, width int) *timeline {
	p := &r.snapshot.Progress
	t := &timeline{run: r, from: p.Began, now: max(r.now(), p.Last)}
	noted := !r.over() || r.noted()
	if r.snapshot.Usual.Runs > 0 || noted && width < notesFrom { // a note stands in its place then
		t.usual = timeCells
	}
	switch {
	case noted && width >= notesFrom:
		t.notes = noteCells
	case r.wide():
		t.notes = len("  each")
	}
	t.cells = width - nameCells - timeCells - t.usual - t.notes
	if r.over() || r.awaitsBegin() {
		t.now = max(p.Last, p.FailedBy)
	}
	latest := t.from + adminapi.Millis(largestRun/time.Millisecond)
	t.now = min(t.now, latest)
	if t.until = t.now; r.silent() && !r.over() {
		t.until = max(t.now, min(r.siteNow(), latest))
	}
	t.to = t.until
	if t.left, t.estimated = r.estimate(); t.estimated {
		t.to += adminapi.Millis(min(t.left.Left, largestRun) / time.Millisecond)
	}
	if !t.over() {
		t.to = t.from + scale(t.to-t.from)
	}
	t.to = max(t.to, t.from+60_000)
	return t
}

// scale returns what the axis of a run that goes on spans: 20 min, 30 min, 40 min, 60 min, and so on,
// so that the picture changes its scale seldom.
func scale(span adminapi.Millis) adminapi.Millis {
	step := adminapi.Millis(20 * 60_000)
	for ; step < span; step *= 2 {
		if span <= step/2*3 {
			return step / 2 * 3
		}
	}
	return step
}

// noted reports whether a row of the picture has a note: a stall, or how often the API was away.
func (r *run) noted() bool {
	times, _ := r.absences()
	return times > 0 || slices.ContainsFunc(r.snapshot.Progress.Phases, func(p progress.PhaseProgress) bool {
		_, stalled := r.snapshot.Usual.StallOf(p)
		return stalled
	})
}

// picture returns the picture of a run in lines of a width.
func picture(r *run, width int) []string {
	t := newTimeline(r, width)
	if t.cells < minAxis || t.from.IsZero() {
		return nil
	}
	lines := []string{t.axis()}
	next := t.now // where a phase that is ahead is expected to begin
	for i, phase := range t.snapshot.Progress.Phases {
		if phase.State == progress.PhaseAbsent || t.over() && (phase.Messages == 0 || phase.State == progress.PhaseAhead) {
			continue
		}
		rest := adminapi.Millis(0)
		if t.estimated {
			rest = adminapi.Millis(t.left.Rest[i] / time.Millisecond)
		}
		lines = append(lines, t.phase(phase, next, rest))
		next += rest
	}
	if absent := t.absent(); absent != "" && !t.over() {
		lines = append(lines, t.inks.Muted.On(t.inks.Fit(strings.Repeat(" ", nameCells)+absent, width)))
	}
	pace := ""
	if t.wide() {
		pace = t.pace()
	}
	for _, more := range []string{pace, t.whole(), t.api(), t.readOnlyRow()} {
		if more != "" {
			lines = append(lines, more)
		}
	}
	return lines
}

// row puts a row together: a name, its cells, two times and a note.
func (t *timeline) row(name string, l line, took, usual, note string) string {
	k := &t.inks
	line := k.Fit(name, nameCells) + l.String() + inColumn(took)
	if note != "" && t.notes == 0 {
		return line + k.Fit("  "+note, timeCells)
	}
	line += k.Muted.On(fmt.Sprintf("%*s", t.usual, usual))
	if note != "" {
		line += "  " + note
	}
	return line
}

// inColumn returns a time at the right end of its column.
func inColumn(text string) string { return fmt.Sprintf("%*s", timeCells, text) }

// axis names times above the bars, at round times of the clock.
func (t *timeline) axis() string {
	k := &t.inks
	line := []rune(strings.Repeat(" ", t.cells))
	free := 0
	put := func(at int, text string) {
		if label := []rune(text); at >= free && at+len(label) <= t.cells {
			copy(line[at:], label)
			free = at + len(label) + 2
		}
	}
	put(0, t.log.minute(t.from))
	step := tickStep(t.to-t.from, t.cells)
	_, offset := t.from.Time().In(t.Env.Times.Local).Zone()
	zone := adminapi.Millis(1000 * offset)
	if t.Env.Times.Mode == views.SinceStart {
		zone = -t.from
	}
	for at := (t.from+zone)/step*step + step - zone; at < t.to; at += step {
		put(t.half(at)/2, t.log.minute(at))
	}
	heads := inColumn("took")
	if t.snapshot.Usual.Runs > 0 {
		heads += inColumn("usually")
	}
	return k.Label.On(strings.Repeat(" ", nameCells) + string(line) + heads)
}

// tickStep returns the time between two labels of an axis.
func tickStep(span adminapi.Millis, cells int) adminapi.Millis {
	const minute = 60_000
	for _, step := range []adminapi.Millis{1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720} {
		if step*minute*adminapi.Millis(cells) >= span*tickCells {
			return step * minute
		}
	}
	return 24 * 60 * minute * max(1, span/(24*60*minute)*tickCells/adminapi.Millis(cells))
}

// half returns the half cell of a time, of which a cell has two.
func (t *timeline) half(at adminapi.Millis) int {
	at = max(0, min(at, t.to)-t.from)
	return int(float64(at) / float64(t.to-t.from) * float64(2*t.cells-1))
}

// cell is what one cell of the axis shows.
type cell struct {
	ink  rows.Ink
	text string
}

// line is the cells of one row.
type line []cell

func (l line) String() string {
	var b strings.Builder
	for i := 0; i < len(l); {
		run, text := i, ""
		for ; i < len(l) && l[i].ink == l[run].ink; i++ {
			if l[i].text == "" {
				text += " "
			} else {
				text += l[i].text
			}
		}
		b.WriteString(l[run].ink.On(text))
	}
	return b.String()
}

// fill draws whole cells from one time to another, at least one.
func (t *timeline) fill(l line, s progress.Span, ink rows.Ink, glyph string) {
	for at := t.half(s.From) / 2; at <= t.half(s.To)/2; at++ {
		l[at] = cell{ink, glyph}
	}
}

// bar draws when the run was in a phase, in half cells.
func (t *timeline) bar(l line, spans []progress.Span, ink rows.Ink) {
	halves := make([]bool, 2*t.cells)
	for _, s := range spans {
		from, to := t.half(s.From), t.half(s.To)
		for at := from; at < max(to, from+1); at++ {
			halves[at] = true
		}
	}
	g := t.inks.Glyphs
	for i := range l {
		switch left, right := halves[2*i], halves[2*i+1]; {
		case left && right:
			l[i] = cell{ink, g.BarOn}
		case left:
			l[i] = cell{ink, g.BarTo}
		case right:
			l[i] = cell{ink, g.BarFrom}
		}
	}
}

// phase draws the row of a phase. What is expected of it is dotted.
func (t *timeline) phase(phase progress.PhaseProgress, next, rest adminapi.Millis) string {
	k, p := &t.inks, &t.snapshot.Progress
	glyph, ink := k.Mark(phaseStatus[phase.State])
	name := ink.On(glyph + " " + phase.Name)
	usual, known := t.snapshot.Usual.Of(*p, phase.Name)
	usually := ""
	if known && usual > 0 {
		usually = views.Seconds(usual)
	}
	l := make(line, t.cells)
	if rest > 0 {
		t.fill(l, progress.Span{From: next, To: next + rest}, k.Muted, k.Glyphs.Dot)
	}
	if phase.Messages == 0 {
		if t.goesOn() {
			l[t.half(t.now)/2] = cell{k.Muted, k.Glyphs.Divider}
		}
		return t.row(name, l, "", usually, "")
	}
	spans, stalls := slices.Clip(phase.Spans), []progress.Span(nil) // the snapshot keeps its own
	if silent, stalled := t.snapshot.Usual.StallOf(phase); stalled {
		stalls = append(stalls, silent)
	}
	if phase.Name == p.Current && t.snapshot.Meaning == progress.StateRunning {
		spans = append(spans, progress.Span{From: p.Last, To: t.now})
		if s := t.Env.Upgrade.Stall; s != nil && !t.record {
			stalls = append(stalls, progress.Span{From: t.now - adminapi.Millis(s.Quiet/time.Millisecond), To: t.now})
		}
	}
	if phase.Name == p.Current && p.FailedBy > p.Last {
		spans = append(spans, progress.Span{From: p.Last, To: p.FailedBy})
	}
	if len(spans) == 0 {
		spans = []progress.Span{{From: phase.Began, To: phase.Began}}
	}
	if phase.State == progress.PhaseDone {
		ink = k.Accent
	}
	t.bar(l, spans, ink)
	note := ""
	for _, s := range stalls {
		t.fill(l, s, k.Warn, k.Glyphs.BarHeld)
		note = "stalled " + views.Seconds(s.Lasted(t.now))
		switch {
		case s.To == t.now && t.goesOn():
			note = "" // the headline tells it
		case t.notes == 0:
			note = k.Glyphs.Warn + " stalled" // the page has the longest
		}
		note = k.Warn.On(note)
	}
	return t.row(name, l, views.Seconds(p.SpentBy(phase.Name, t.now)), usually, note)
}

// whole is the row of the whole run, while it goes on and there is a usual time to compare it
// with: the headline tells how long it took.
func (t *timeline) whole() string {
	if t.snapshot.Usual.Runs == 0 || t.over() {
		return ""
	}
	took := progress.Span{From: t.from, To: t.now}.Lasted(t.now)
	return t.row(t.inks.Label.On("  Total"), make(line, t.cells), views.Seconds(took), views.Seconds(t.snapshot.Usual.TookFor(t.snapshot.Progress)), "")
}

// api draws when the API was unreachable, if it was.
func (t *timeline) api() string {
	times, away := t.absences()
	if times == 0 {
		return ""
	}
	l := make(line, t.cells)
	for _, s := range t.away() {
		if s.To.IsZero() {
			s.To = t.until
		}
		t.fill(l, s, t.inks.Warn, t.inks.Glyphs.Missing)
	}
	return t.row(t.inks.Label.On("  No API"), l, views.Seconds(away), "", t.inks.Muted.On(plain.Plural(times, "time")))
}

// away returns when the API was unreachable during the run.
func (r *run) away() []progress.Span {
	if r.record {
		return r.snapshot.Absences
	}
	return r.Env.Upgrade.Snapshot.Absences // also that of now
}

// absences returns how often the API was unreachable, and for how long in all.
func (r *run) absences() (times int, away time.Duration) {
	all := r.away()
	for _, one := range all {
		away += one.Lasted(r.siteNow())
	}
	return len(all), away
}

// readOnlyRow draws when the site was read-only, if it was.
func (t *timeline) readOnlyRow() string {
	p := &t.snapshot.Progress
	lasted, was := p.ReadOnlyFor(t.now)
	if !was {
		return ""
	}
	l := make(line, t.cells)
	to, took := p.ReadOnly.To, views.Seconds(lasted)
	if to.IsZero() {
		to = t.now
	}
	switch {
	case !p.ReadOnly.To.IsZero():
	case t.lifted():
		took = "lifted"
	case t.snapshot.Meaning == progress.StateFailed:
		took = "not lifted" // it lasts longer than the picture
	}
	t.fill(l, progress.Span{From: p.ReadOnly.From, To: to}, t.inks.Warn, t.inks.Glyphs.Rule)
	return t.row(t.inks.Label.On("  Read-only"), l, took, "", "")
}
