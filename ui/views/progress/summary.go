package progress

import (
	"context"
	"fmt"
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation/reporting"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// summary is the page about a run: phases, times, and health before and after.
type summary struct {
	*run
	pager  *rows.Pager // where it is alone
	laid   moment      // of the lines in the pager
	health runHealth
}

// arrange lays out the page, where it has changed.
func (s *summary) arrange(room int, now moment) {
	s.pager.SetSize(s.Inner(), room)
	if s.place() == alone && s.laid != now {
		s.laid = now
		s.pager.Set(s.lines(s.Inner()))
	}
}

// lines returns the summary: the picture of the run, where that is not above the log, what else
// is known of it, and the next step.
func (s *summary) lines(width int) []string {
	if s.awaitsBegin() {
		return []string{s.inks.Muted.On("Nothing is known about the accepted upgrade yet.")}
	}
	var lines []string
	if s.place() == alone {
		lines = picture(s.run, width)
	}
	if !s.over() {
		return append(lines, s.openLines(width)...)
	}
	lines = append(lines, s.healthLines(width)...)
	lines = append(lines, s.totals(width)...)
	if s.faulty() { // the board has the next step
		return lines
	}
	return append(lines, s.next(width))
}

// totals returns what is known of the whole run beside its picture.
func (s *summary) totals(width int) []string {
	p, usual := &s.snapshot.Progress, s.snapshot.Usual
	var lines []string
	line := func(name, value, note string) { lines = append(lines, s.total(name, value, note, width)) }
	if quiet := s.longestSilence(); quiet.Silence > 0 {
		line("Silence", "longest "+views.Seconds(quiet.Silence), "in "+quiet.Name+", from "+s.log.minute(quiet.SilentFrom))
	}
	if times, away := s.absences(); times > 0 && s.place() == columns {
		line("API", "unreachable "+plain.Plural(times, "time"), views.Seconds(away))
	}
	if p.Took > 0 && (p.Took-p.Last.Time().Sub(p.Began.Time())).Abs() > time.Second { // else the headline has it
		line("Took", views.Seconds(p.Took), "(reported by the site)")
	}
	if usual.Runs > 0 {
		line("Usually", views.Seconds(usual.TookFor(*p)), "in "+plain.Plural(usual.Runs, "earlier run"))
	}
	count := plain.Plural(p.Messages, "message")
	if p.Total > 0 && p.RolledBack {
		count = "rolled back " + counted(p.Done, p.Total) + ", " + count
	} else if p.Total > 0 {
		count = counted(p.Done, p.Total) + ", " + count
	}
	unknown := ""
	if p.UnknownCodes > 0 {
		unknown = "(" + plain.Plural(p.UnknownCodes, "unknown code") + ")"
	}
	line("Log", count, unknown)
	return lines
}

// longestSilence returns the phase with the longest time between two messages.
func (s *summary) longestSilence() (longest progress.PhaseProgress) {
	for _, phase := range s.snapshot.Progress.Phases {
		if phase.Silence > longest.Silence {
			longest = phase
		}
	}
	return longest
}

// total writes one fact, with a note where there is room for it.
func (s *summary) total(name, value, note string, width int) string {
	line := s.inks.Label.On(fmt.Sprintf("%-*s", labelCells, name)) + value
	if note != "" && ansi.StringWidth(line)+1+ansi.StringWidth(note) <= width {
		line += " " + s.inks.Muted.On(note)
	}
	return line
}

const labelCells = 12

// openLines lists the open steps, the newest first, without their title.
func (s *summary) openLines(width int) []string {
	const maxSteps = 12
	open := s.snapshot.Progress.Open
	if len(open) == 0 {
		return nil
	}
	var lines []string
	dot := " " + s.inks.Glyphs.Dot + " "
	for _, step := range slices.Backward(open[max(0, len(open)-maxSteps):]) {
		text := step.Doing() + dot
		if s.goesOn() {
			text += views.Seconds(s.now().Time().Sub(step.Since.Time()))
		} else {
			text += "since " + s.log.clock(step.Since)
		}
		lines = append(lines, s.inks.Running.On(s.inks.Glyphs.Running)+" "+text)
		if line := plain.Clip(step.Text, width-2); line != "" && (s.place() == columns || width >= notesFrom) {
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
	var lines []string
	line := func(text string) {
		name := ""
		if len(lines) == 0 {
			name = "Health"
		}
		lines = append(lines, s.total(name, text, "", width))
	}
	switch p := &s.snapshot.Progress; {
	case a.began != p.Began || a.ended != p.Last, !a.read && a.err == nil: // or it is of another run
		text := "reading" + k.Glyphs.Ellipsis
		if a.began != p.Began || a.ended != p.Last { // nothing is being read
			text = views.Keys("not read. Press {key:progress.watch} to read it.")
		}
		line(k.Muted.On(text))
		return lines
	case a.err != nil:
		return wrapped(k.Warn, "Health not known now: "+plain.Line(a.err.Error()), width, 3)
	}
	line(s.report("before", a.value.Before))
	line(s.report("after ", a.value.After))
	if c := a.value.Comparison; c != nil {
		if c.Counts[health.NewlyFailing] == 0 {
			line("No new failures")
		}
		for _, d := range c.Differences {
			switch name := plain.Clip(d.Name, width-labelCells-15); d.Change {
			case health.NewlyFailing:
				line(k.Signed(rows.StatusFailed, "New failure: "+name))
			case health.Fixed:
				line(k.Signed(rows.StatusPassed, "Fixed: "+name))
			}
		}
	}
	return lines
}

// next returns the next step, with its key.
func (s *summary) next(width int) string {
	key, does := "x", "export the evidence"
	switch a := &s.health; {
	case s.record:
	case a.read && a.value.After == nil:
		key, does = "r", "run a health check"
	case a.read && a.value.Comparison != nil && a.value.Comparison.Counts[health.NewlyFailing] > 0:
		key, does = "1", "see the new failures in Health"
	}
	return s.total("Next", s.inks.Key.On(key)+" "+does, "", width)
}

// runHealth is the health before and after a run that is over.
type runHealth struct {
	began, ended adminapi.Millis // of the run
	stale        bool            // to be read again; shown until then
	read         bool
	value        reporting.Around
	err          error
}

// expire makes it be read again where something is missing, since a check may have been
// run meanwhile, or the answer may have been lost.
func (a *runHealth) expire() { a.stale = a.err != nil || a.value.After == nil }

// fetchHealth reads the health around the run that is shown, once, while the summary is on
// the screen.
func (s *summary) fetchHealth() tea.Cmd {
	p := &s.snapshot.Progress
	if s.place() == hidden && !s.roomy() || !s.over() || s.awaitsBegin() || p.Began.IsZero() || s.Env.Offline || s.trouble() != "" {
		return nil
	}
	switch same := s.health.began == p.Began && s.health.ended == p.Last; {
	case same && !s.health.stale:
		return nil
	case !same:
		s.health = runHealth{began: p.Began, ended: p.Last}
	}
	s.health.stale = false
	site, changes, ended := s.Env.Site, p.ChangesFrom(), p.Last
	return s.Scope.Work("health", func(ctx context.Context) func() tea.Cmd {
		value, err := site.Reports().Around(ctx, changes, ended)
		return func() tea.Cmd { return s.take(value, err) }
	})
}

// take keeps the health that was read, and schedules another fetch after a run that has just ended.
func (s *summary) take(value reporting.Around, err error) tea.Cmd {
	if s.health.err = err; err == nil {
		s.health.read, s.health.value = true, value
	}
	if s.health.value.After != nil || s.record || s.now().Time().Sub(s.health.ended.Time()) > reportLate {
		return nil
	}
	return s.Scope.Later(s.Env.Clock, s.Env.Site.Line.Pause(reportPause), "health report", func() tea.Cmd {
		s.health.expire()
		return s.fetchHealth()
	})
}

// The platform checks itself after an upgrade, which takes a while.
const (
	reportPause = 30 * time.Second
	reportLate  = 15 * time.Minute // after the end, when no report is expected any more
)

// report describes a report in one line.
func (s *summary) report(when string, r *adminapi.Report) string {
	k := &s.inks
	if r == nil {
		return when + " " + k.Muted.On("no report yet")
	}
	count, verdict := health.CountReport(*r), health.Overall(*r)
	status := rows.StatusPassed
	switch {
	case verdict.Bad():
		status = rows.StatusFailed
	case !verdict.Good():
		status = rows.StatusWarning
	}
	return when + " " + k.Signed(status, verdict.String()) + fmt.Sprintf(", %d of %d, %s", count[health.Passed], count.Total(), s.log.times().Minute(r.EndTime.Time()))
}
