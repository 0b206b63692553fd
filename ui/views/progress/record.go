package progress

import (
	"context"
	"strconv"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// watchedRun is a run with a transcript on this machine.
type watchedRun struct {
	id, from, to string
	began        adminapi.Millis
	meaning      string
	ended        bool
	messages     int
}

// runsRead is the list of them.
type runsRead struct {
	runs []watchedRun
	err  error // beside what could be read
}

// fetchRecords reads which runs were watched from here.
func (m *Model) fetchRecords() tea.Cmd {
	if m.Env.Site.Journal == nil {
		return views.Tell(views.Info, "Nothing is recorded here: this program runs without a journal.")
	}
	site := m.Env.Site
	return m.Scope.Do("runs", func(context.Context) tea.Msg {
		recorded, err := site.WatchedRuns()
		var runs []watchedRun
		for _, r := range recorded {
			runs = append(runs, watchedRun{r.ID, r.From, r.To, r.Began, r.Meaning, r.Ended, r.Messages})
		}
		return runsRead{runs, err}
	})
}

// chooseRecord offers the runs.
func (m *Model) chooseRecord(r runsRead) tea.Cmd {
	if len(r.runs) == 0 {
		if r.err != nil {
			return failure("The records could not be read", r.err)
		}
		return views.Tell(views.Info, "No run was watched from this machine yet.")
	}
	id := r.runs[0].id
	note := "What this machine has kept of upgrades that were watched from it."
	if r.err != nil {
		note += " Some of it could not be read: " + plain.Line(r.err.Error())
	}
	return views.Send(views.Open{Dialog: widget.NewForm(m.Env.Theme, widget.FormOptions{
		ID: "progress.record", Title: "Earlier runs", Note: note,
		Build: func() *huh.Form {
			var options []huh.Option[string]
			for _, run := range r.runs {
				options = append(options, huh.NewOption(m.runLine(run), run.id))
			}
			return huh.NewForm(huh.NewGroup(huh.NewSelect[string]().Title("Run").Options(options...).Value(&id)))
		},
		Submit: func() tea.Cmd { return m.fetchRecord(id) },
	})})
}

// runLine describes a run in one line.
func (m *Model) runLine(r watchedRun) string {
	versions := "versions not told"
	if r.to != "" {
		versions = plain.Line(r.from) + " " + m.inks.Glyphs.Arrow + " " + plain.Line(r.to)
	}
	how := plain.Line(r.meaning)
	if !r.ended {
		how = "last seen " + how
	}
	return m.Env.Times.Minute(r.began.Time()) + "  " + versions + "  " + how + ", " + strconv.Itoa(r.messages) + " messages"
}

// recordRead is the record of one run.
type recordRead struct {
	reading operation.UpgradeSnapshot
	err     error
}

func (m *Model) fetchRecord(id string) tea.Cmd {
	site := m.Env.Site
	return m.Scope.Do("record", func(context.Context) tea.Msg {
		reading, err := site.Replay(id)
		return recordRead{reading, err}
	})
}

// openRecord shows the record in place of the watch, which goes on.
func (m *Model) openRecord(r recordRead) tea.Cmd {
	if r.err != nil {
		return failure("The record could not be read", r.err)
	}
	m.exchange(r.reading, true)
	m.Arrange()
	return m.summary.fetchHealth()
}

// closeRecord shows the watch again.
func (m *Model) closeRecord() { m.exchange(m.live, false) }

// exchange shows another run from its beginning or, live, from its end.
func (m *Model) exchange(r operation.UpgradeSnapshot, record bool) {
	m.record, m.messages.paused, m.summed, m.message = record, record, false, nil
	m.messages.list.Unmark()
	m.log = nil
	if r.At.IsZero() && !record {
		m.reading = r
		return
	}
	m.show(r)
	if record {
		m.messages.list.GoTop()
	}
	m.messages.passed = m.log.Len()
}

func failure(what string, err error) tea.Cmd {
	return views.Send(views.Notice{Level: views.Failure, Text: what + ": " + plain.Line(err.Error()), Err: err})
}
