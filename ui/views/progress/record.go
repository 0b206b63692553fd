package progress

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
)

// openRecord shows the record of a run that was watched from this machine.
func (m *Model) openRecord(id string) tea.Cmd {
	site := m.Env.Site
	return m.Scope.Work("record", func(context.Context) func() tea.Cmd {
		snapshot, err := watching.Replay(site, id)
		return func() tea.Cmd {
			if err != nil {
				return views.TellFailed("The record could not be read", err)
			}
			m.switchTo(snapshot, true)
			return m.summary.fetchHealth()
		}
	})
}

// switchTo shows the watch, or a record in its place while it goes on: a record of a success from its
// beginning, anything else from its end.
func (m *Model) switchTo(s watching.Snapshot, record bool) {
	m.revision++
	m.run.record, m.messages.paused, m.run.summed, m.message = record, record, false, nil
	m.messages.list.Unmark()
	m.run.log = nil
	if s.At.IsZero() && !record {
		m.run.snapshot = s
		return
	}
	m.show(s)
	if record && s.Meaning == progress.StateSucceeded {
		m.messages.list.GoTop()
	} else {
		m.messages.list.GoBottom()
	}
	m.messages.pausedAt = m.run.log.Len()
}
