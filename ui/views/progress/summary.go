package progress

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// summary is the page about a run: phases, times, and health before and after.
type summary struct {
	*shown
	pager  *rows.Pager // where it is alone
	health runHealth
}

// Commands returns the rows of the page where it is alone.
func (s *summary) Commands() []views.Command { return s.pager.Moves() }

// arrange lays out the page.
func (s *summary) arrange(room int) {
	s.pager.SetSize(s.inner(), room)
	if s.place == alone {
		s.pager.Set(s.lines(s.inner()))
	}
}

// tableWidth is the width of the table of phases beside other lines.
const tableWidth = 44

// lines returns the summary: in one column in the side pane, in two on a page of its own.
func (s *summary) lines(width int) []string {
	if s.awaitsBegin() {
		return []string{s.inks.Muted.On("Nothing is known of the accepted upgrade yet.")}
	}
	table := s.phaseTable()
	if width < tableWidth+20 || s.wide() {
		return append(append(table, ""), s.rest(width)...)
	}
	right := s.rest(width - tableWidth - divider)
	lines := make([]string, max(len(table), len(right)))
	rule := s.inks.Divider()
	for i := range lines {
		left := ""
		if i < len(table) {
			left = table[i]
		}
		lines[i] = s.inks.Fit(left, tableWidth) + rule
		if i < len(right) {
			lines[i] += right[i]
		}
	}
	return lines
}

// rest returns the summary without the table of phases.
func (s *summary) rest(width int) []string {
	lines := s.totals(width)
	if !s.over() {
		return append(lines, s.openLines(width)...)
	}
	lines = append(lines, "")
	lines = append(lines, s.healthLines(width)...)
	return append(lines, s.offers(width)...)
}

// phaseTable shows the time of each phase beside the usual one.
func (s *summary) phaseTable() []string {
	k, usual := &s.inks, s.snapshot.Usual
	heading := fmt.Sprintf("  %-12s  %12s", "Phase", "time")
	if usual.Runs > 0 {
		heading += fmt.Sprintf("  %12s", "usual")
	}
	lines := []string{k.Label.On(heading)}
	for _, phase := range s.phases() {
		glyph, ink := k.Mark(phaseStatus[phase.State])
		spent := ""
		if phase.State != progress.PhaseAhead {
			spent = views.Seconds(s.snapshot.Progress.SpentBy(phase.Name, s.now()))
		}
		line := ink.On(fmt.Sprintf("%s %-12s", glyph, phase.Name)) + fmt.Sprintf("  %12s", spent)
		if known, ok := usual.Spent[phase.Name]; ok {
			line += k.Muted.On(fmt.Sprintf("  %12s", coarse(known)))
		}
		lines = append(lines, line)
	}
	return lines
}

func (s *summary) totals(width int) []string {
	p, usual := &s.snapshot.Progress, s.snapshot.Usual
	var lines []string
	line := func(name, value, note string) { lines = append(lines, s.total(name, value, note, width)) }
	if p.Took > 0 {
		line("In all", views.Seconds(p.Took), "by the site's own count")
	}
	if usual.Runs > 0 {
		line("Usually", coarse(usual.Took), "by "+plain.Plural(usual.Runs, "earlier run"))
	}
	if lasted, ok := p.ReadOnlyFor(s.now()); ok && s.over() && p.ReadOnly.To.IsZero() {
		line("Read-only", s.inks.Warn.On("its end is not in the log"), "")
	} else if ok {
		line("Read-only", coarse(lasted), "since "+s.log.minute(p.ReadOnly.From))
	}
	if p.Total > 0 {
		note := ""
		switch {
		case p.RolledBack:
			note = "rolled back"
		case s.snapshot.Meaning == progress.StateFailed:
			note = "as counted last"
		}
		line("Deployments", fmt.Sprintf("%d of %d", p.Done, p.Total), note)
	}
	line("Messages", strconv.Itoa(p.Messages), "")
	if p.UnknownCodes > 0 {
		line("Unknown", strconv.Itoa(p.UnknownCodes)+" of them", "by their codes")
	}
	return lines
}

// total writes one fact, with a note where there is room for it.
func (s *summary) total(name, value, note string, width int) string {
	line := s.inks.Label.On(fmt.Sprintf("%-12s", name)) + value
	if note != "" && ansi.StringWidth(line)+1+len(note) <= width {
		line += " " + s.inks.Muted.On(note)
	}
	return line
}

// openLines lists the open steps, the newest first.
func (s *summary) openLines(width int) []string {
	const maxSteps = 12
	open := s.snapshot.Progress.Open
	if len(open) == 0 {
		return nil
	}
	title := "What goes on"
	if !s.goesOn() {
		title = "What went on last"
	}
	lines := []string{"", s.inks.Label.On(title)}
	for _, step := range slices.Backward(open[max(0, len(open)-maxSteps):]) {
		text := step.Meaning
		if s.goesOn() {
			text += " for " + coarse(s.now().Time().Sub(step.Since.Time()))
		} else {
			text = "since " + s.log.clock(step.Since) + ": " + text
		}
		lines = append(lines, s.inks.Running.On(s.inks.Glyphs.Running)+" "+text)
		if line := plain.Clip(step.Text, width-2); line != "" {
			lines = append(lines, "  "+s.inks.Muted.On(line))
		}
	}
	if len(open) > maxSteps {
		lines = append(lines, s.inks.Muted.On("  and "+plain.Plural(len(open)-maxSteps, "older step")))
	}
	return lines
}

// healthLines returns the health before and after the run.
func (s *summary) healthLines(width int) []string {
	k, a := &s.inks, &s.health
	lines := []string{k.Label.On("Health")}
	if p := &s.snapshot.Progress; a.began != p.Began || a.ended != p.Last {
		return append(lines, k.Muted.On("not known yet")) // it is of another run
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
	lines = append(lines, s.reportLine("before", a.value.Before, width), s.reportLine("after", a.value.After, width))
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

// offers returns what can be done when a run is over.
func (s *summary) offers(width int) []string {
	texts := []string{s.inks.Key.On("E") + " writes the evidence"}
	if !s.record {
		texts = append([]string{s.inks.Key.On("h") + " runs a health check"}, texts...)
	}
	return append([]string{""}, flow(texts, "   ", width)...)
}

// runHealth is the health before and after a run that is over.
type runHealth struct {
	began, ended adminapi.Millis // of the run
	stale        bool            // to be read again; shown until then
	read         bool
	value        operation.HealthAround
	err          error
}

// expire makes it be read again where something is missing, since a check may have been
// run meanwhile.
func (a *runHealth) expire() { a.stale = a.err != nil || a.read && a.value.After == nil }

// healthRead is the result of fetchHealth.
type healthRead struct {
	value operation.HealthAround
	err   error
}

// fetchHealth reads the health around the run that is shown, once, while the summary is on
// the screen.
func (s *summary) fetchHealth() tea.Cmd {
	p := &s.snapshot.Progress
	if s.place == hidden || !s.over() || s.awaitsBegin() || p.Began.IsZero() || s.Env.Offline || s.trouble() != "" {
		return nil
	}
	switch same := s.health.began == p.Began && s.health.ended == p.Last; {
	case same && !s.health.stale:
		return nil
	case !same:
		s.health = runHealth{began: p.Began, ended: p.Last}
	}
	s.health.stale = false
	site, began, ended := s.Env.Site, p.Began, p.Last
	return s.Scope.Do("health", func(ctx context.Context) tea.Msg {
		value, err := site.HealthAround(ctx, began, ended)
		return healthRead{value, err}
	})
}

// take keeps the health that was read.
func (s *summary) take(r healthRead) tea.Cmd {
	s.health.err = r.err
	if r.err == nil {
		s.health.read, s.health.value = true, r.value
	}
	return s.fetchLater()
}

// The platform checks itself after an upgrade, which takes a while.
const (
	reportPause = 30 * time.Second
	reportLate  = 15 * time.Minute // after the end, when no report is expected any more
)

// healthDue says that there may be a report from after the run now.
type healthDue struct{}

// fetchLater schedules another fetch after a run that has just ended.
func (s *summary) fetchLater() tea.Cmd {
	if s.health.value.After != nil || s.record || s.now().Time().Sub(s.health.ended.Time()) > reportLate {
		return nil
	}
	return s.Scope.After(s.Env.Clock, reportPause, "health report", func(context.Context) tea.Msg { return healthDue{} })
}

// reportLine describes a report in one line, with its time where there is room.
func (s *summary) reportLine(when string, r *adminapi.Report, width int) string {
	k := &s.inks
	when = fmt.Sprintf("%-7s", when)
	if r == nil {
		return when + k.Muted.On("no report of that time")
	}
	count, verdict := health.CountReport(*r), health.Overall(*r)
	status := rows.StatusPassed
	switch {
	case verdict.Bad():
		status = rows.StatusFailed
	case !verdict.Good():
		status = rows.StatusWarning
	}
	glyph, ink := k.Mark(status)
	line := when + ink.On(glyph+" "+verdict.String()) + fmt.Sprintf(", %d of %d", count[health.Passed], count.Total())
	if at := s.log.moment(r.EndTime); ansi.StringWidth(line)+2+len(at) <= width {
		line += "  " + k.Muted.On(at)
	}
	return line
}
