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
	"geodeck/ui/widget/rows"
)

// runsRead holds the runs that were watched from this machine.
type runsRead struct {
	runs []journal.TranscriptSummary
	err  error // of those that could not be read
}

// records leads to the record of a run that was watched from this machine.
type records struct {
	views.Base
	inks *rows.Inks
}

// fetch reads which runs were watched from this machine.
func (c *records) fetch() tea.Cmd {
	site := c.Env.Site
	return c.Scope.Do("runs", func(context.Context) tea.Msg {
		runs, err := site.Memory.WatchedRuns()
		return runsRead{runs, err}
	})
}

// choose offers the runs.
func (c *records) choose(r runsRead) tea.Cmd {
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
		choices[i] = c.line(run)
	}
	return widget.Choose(c.Env.Theme, widget.FormOptions{ID: "progress.record", Title: "Earlier runs", Note: note,
		Action: "open"},
		"Run", choices, 0, func(chosen int) tea.Cmd {
			site, id := c.Env.Site, r.runs[chosen].ID
			return c.Scope.Do("record", func(context.Context) tea.Msg {
				snapshot, err := watching.Replay(site, id)
				return recordRead{snapshot, err}
			})
		})
}

// line describes a run in one line.
func (c *records) line(r journal.TranscriptSummary) string {
	versions := "versions not reported"
	if r.To != "" {
		versions = plain.Line(r.From) + " " + c.inks.Glyphs.Arrow + " " + plain.Line(r.To)
	}
	state, _ := operation.RunResult(r)
	return c.Env.Times.Site().Minute(r.Began.Time()) + "  " + versions + "  " + plain.Line(state) + ", " + strconv.Itoa(r.Messages) + " messages"
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
	m.run.record, m.messages.paused, m.layout.summed, m.message = record, record, false, nil
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

func failure(what string, err error) tea.Cmd {
	return views.Send(views.Failed(what+": "+plain.Line(err.Error()), err))
}
