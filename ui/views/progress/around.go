package progress

import (
	"context"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/operation"
)

// around is the health before and after a run that is over.
type around struct {
	began, ended adminapi.Millis // of the run that was asked about
	read         bool
	value        operation.HealthAround
	err          error
}

// again has the site asked anew where something is missing: a check may have been
// run meanwhile.
func (a *around) again() {
	if a.err != nil || a.read && a.value.After == nil {
		*a = around{}
	}
}

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
	if m.around.began == p.Began && m.around.ended == p.Last {
		return nil
	}
	m.around = around{began: p.Began, ended: p.Last}
	site, began, ended := m.env.Site, p.Began, p.Last
	return m.scope.Do("health", func(ctx context.Context) tea.Msg {
		value, err := site.HealthAround(ctx, began, ended)
		return healthRead{value, err}
	})
}

func (r healthRead) apply(m *Model) tea.Cmd {
	m.around.read, m.around.value, m.around.err = r.err == nil, r.value, r.err
	return nil
}

// reportLine tells of a report in one line.
func (m *Model) reportLine(when string, r *adminapi.Report) string {
	k := &m.inks
	if r == nil {
		return fmt.Sprintf("%-7s", when) + k.muted.On("no report of that time")
	}
	count := health.CountReport(*r)
	verdict := health.Overall(*r)
	ink, glyph := k.ok, k.glyphs.Pass
	switch {
	case verdict.Bad():
		ink, glyph = k.fail, k.glyphs.Fail
	case !verdict.Good():
		ink, glyph = k.warn, k.glyphs.Warn
	}
	return fmt.Sprintf("%-7s", when) + ink.On(glyph+" "+verdict.String()) + fmt.Sprintf(", %d of %d", count.Passed, count.Total()) + k.muted.On("  "+m.log.moment(r.EndTime))
}
