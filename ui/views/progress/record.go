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

// records leads to the record of a run that was watched from this machine.
type records struct {
	views.Base
	inks *rows.Inks
	show func(watching.Snapshot) tea.Cmd
}

// fetch reads which runs were watched from this machine.
func (c *records) fetch() tea.Cmd {
	site := c.Env.Site
	return c.Scope.Work("runs", func(context.Context) func() tea.Cmd {
		runs, err := site.Memory.WatchedRuns()
		return func() tea.Cmd { return c.choose(runs, err) }
	})
}

// choose offers the runs; err is of those that could not be read.
func (c *records) choose(runs []journal.TranscriptSummary, err error) tea.Cmd {
	if len(runs) == 0 {
		if err != nil {
			return views.TellFailed("The records could not be read", err)
		}
		return views.Tell(views.Info, "No run was watched to its end from this machine.")
	}
	note := "Upgrades that were watched from this machine."
	if err != nil {
		note += " Some could not be read: " + plain.Line(err.Error())
	}
	choices := make([]string, len(runs))
	for i, run := range runs {
		choices[i] = c.line(run)
	}
	return widget.Choose(c.Env.Theme, widget.FormOptions{ID: "progress.record", Title: "Earlier runs", Note: note,
		Action: "open"},
		"Run", choices, 0, func(chosen int) tea.Cmd {
			return c.open(runs[chosen].ID)
		})
}

// open shows the record of a run.
func (c *records) open(id string) tea.Cmd {
	site := c.Env.Site
	return c.Scope.Work("record", func(context.Context) func() tea.Cmd {
		snapshot, err := watching.Replay(site, id)
		return func() tea.Cmd {
			if err != nil {
				return views.TellFailed("The record could not be read", err)
			}
			return c.show(snapshot)
		}
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
