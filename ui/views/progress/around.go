package progress

import (
	"context"
	"fmt"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
)

// around is the health before and after a run that is over.
type around struct {
	began, ended adminapi.Millis // of the run that was asked about
	stale        bool            // to be asked again: what is known stays until then
	read         bool
	value        operation.HealthAround
	err          error
}

// again has the site asked anew where something is missing: a check may have been
// run meanwhile.
func (a *around) again() { a.stale = a.err != nil || a.read && a.value.After == nil }

// healthRead is the answer.
type healthRead struct {
	value operation.HealthAround
	err   error
}

// wantHealth asks for the health around the run that is shown, once, where the
// summary is on the screen.
func (m *Model) wantHealth() tea.Cmd {
	p := &m.reading.Progress
	if !m.summaryShown() || !m.over() || m.waits() || p.Began.IsZero() || m.env.Offline || m.trouble() != "" {
		return nil
	}
	switch same := m.around.began == p.Began && m.around.ended == p.Last; {
	case same && !m.around.stale:
		return nil
	case !same:
		m.around = around{began: p.Began, ended: p.Last}
	}
	m.around.stale = false
	site, began, ended := m.env.Site, p.Began, p.Last
	return m.scope.Do("health", func(ctx context.Context) tea.Msg {
		value, err := site.HealthAround(ctx, began, ended)
		return healthRead{value, err}
	})
}

func (r healthRead) apply(m *Model) tea.Cmd {
	m.around.err = r.err
	if r.err == nil {
		m.around.read, m.around.value = true, r.value
	}
	return m.lookForReport()
}

// The platform checks itself after an upgrade, which takes a while.
const (
	reportPause = 30 * time.Second
	reportLate  = 15 * time.Minute // after the end no report of it is waited for
)

// healthDue says that a report from after the run may be there by now.
type healthDue struct{}

func (healthDue) apply(m *Model) tea.Cmd {
	m.around.again()
	return m.wantHealth()
}

// lookForReport asks again for the health after a run that has just ended.
func (m *Model) lookForReport() tea.Cmd {
	if m.around.value.After != nil || m.record || m.now().Time().Sub(m.around.ended.Time()) > reportLate {
		return nil
	}
	return m.scope.After(m.env.Clock, reportPause, "health report", func(context.Context) tea.Msg { return healthDue{} })
}

// reportLine tells of a report in one line, with its time where there is room.
func (m *Model) reportLine(when string, r *adminapi.Report, width int) string {
	k := &m.inks
	when = fmt.Sprintf("%-7s", when)
	if r == nil {
		return when + k.Muted.On("no report of that time")
	}
	count, verdict := health.CountReport(*r), health.Overall(*r)
	ink, glyph := k.OK, k.Glyphs.Pass
	switch {
	case verdict.Bad():
		ink, glyph = k.Fail, k.Glyphs.Fail
	case !verdict.Good():
		ink, glyph = k.Warn, k.Glyphs.Warn
	}
	line := when + ink.On(glyph+" "+verdict.String()) + fmt.Sprintf(", %d of %d", count.Passed, count.Total())
	if at := m.log.moment(r.EndTime); ansi.StringWidth(line)+2+len(at) <= width {
		line += "  " + k.Muted.On(at)
	}
	return line
}
