package progress

import (
	"context"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/watching"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// runsRead holds the runs that were watched from this machine.
type runsRead struct {
	runs []journal.TranscriptSummary
	err  error // of those that could not be read
}

// fetchRecords reads which runs were watched from this machine.
func (m *Model) fetchRecords() tea.Cmd {
	site := m.shown.Env.Site
	return m.shown.Scope.Do("runs", func(context.Context) tea.Msg {
		runs, err := site.Memory.WatchedRuns()
		return runsRead{runs, err}
	})
}

// chooseRecord offers the runs.
func (m *Model) chooseRecord(r runsRead) tea.Cmd {
	if len(r.runs) == 0 {
		if r.err != nil {
			return failure("The records could not be read", r.err)
		}
		return views.Tell(views.Info, "No run was watched to its end from this machine.")
	}
	note := "Upgrades that were watched from this machine."
	if r.err != nil {
		note += " Some could not be read: " + plain.Line(r.err.Error())
	}
	choices := make([]string, len(r.runs))
	for i, run := range r.runs {
		choices[i] = m.runLine(run)
	}
	return widget.Choose(m.shown.Env.Theme, widget.FormOptions{ID: "progress.record", Title: "Earlier runs", Note: note, Action: "open"},
		"Run", choices, 0, func(chosen int) tea.Cmd {
			site, id := m.shown.Env.Site, r.runs[chosen].ID
			return m.shown.Scope.Do("record", func(context.Context) tea.Msg {
				snapshot, err := watching.Replay(site, id)
				return recordRead{snapshot, err}
			})
		})
}

// runLine describes a run in one line.
func (m *Model) runLine(r journal.TranscriptSummary) string {
	versions := "versions not reported"
	if r.To != "" {
		versions = plain.Line(r.From) + " " + m.shown.inks.Glyphs.Arrow + " " + plain.Line(r.To)
	}
	state, _ := operation.RunResult(r)
	return m.shown.Env.Times.Site().Minute(r.Began.Time()) + "  " + versions + "  " + plain.Line(state) + ", " + strconv.Itoa(r.Messages) + " messages"
}

// recordRead is the record of one run.
type recordRead struct {
	snapshot watching.Snapshot
	err      error
}

// switchTo shows the watch, or a record in its place while it goes on: a record of a success from its
// beginning, anything else from its end.
func (m *Model) switchTo(s watching.Snapshot, record bool) {
	m.revision++
	m.shown.record, m.messages.paused, m.shown.summed, m.message = record, record, false, nil
	m.messages.list.Unmark()
	m.shown.log = nil
	if s.At.IsZero() && !record {
		m.shown.snapshot = s
		return
	}
	m.show(s)
	if record && s.Meaning == progress.StateSucceeded {
		m.messages.list.GoTop()
	} else {
		m.messages.list.GoBottom()
	}
	m.messages.pausedAt = m.shown.log.Len()
}

func failure(what string, err error) tea.Cmd {
	return views.Send(views.Failed(what+": "+plain.Line(err.Error()), err))
}
