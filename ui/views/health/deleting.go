package health

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/ui/views"
)

// askDelete asks before a report is deleted at the site; a file is only closed.
func (m *Model) askDelete() tea.Cmd {
	e, ok := m.selected()
	switch {
	case !ok:
		return nil
	case e.key.origin == fromRun:
		return views.Tell(views.Warning, "This run has no report yet.")
	case e.key.origin == fromFile:
		return m.closeFile(e)
	case m.readOnly():
		return views.Tell(views.Warning, "This dashboard was started read-only: it deletes no report.")
	}
	return m.deleteQuestion(e, false)
}

// deleteQuestion is asked unasked when a sign-in was needed in between: its
// answer from before does not count any more.
func (m *Model) deleteQuestion(e entry, unasked bool) tea.Cmd {
	consequence := "The site deletes it for good. Export it first if it may be needed."
	if health.SystemMade(e.summary) {
		consequence = "The platform made this report by itself, after an upgrade or by a schedule. " + consequence
	}
	return views.Send(views.Open{Unasked: unasked, Dialog: views.NewConfirm(m.env.Theme, views.Question{
		ID: "health.delete", Text: "Delete the report " + entryName(e) + "?", Consequence: consequence,
		Yes: "delete it", No: "keep it", Then: m.delete(e),
	})})
}

func (m *Model) closeFile(e entry) tea.Cmd {
	m.catalog.dropFile(e.key)
	m.store.drop(e.key)
	delete(m.chosen.folds, e.key)
	if m.mark == e.key {
		m.mark = entryKey{}
	}
	m.showEntries()
	m.choseNothing()
	return tea.Batch(m.followNow(), views.Tell(views.Info, "Closed. The file stays where it is."))
}

// deleted is what became of deleting a report.
type deleted struct {
	entry   entry
	outcome adminapi.Outcome
	err     error
}

func (m *Model) delete(e entry) tea.Cmd {
	client := m.env.Site.Client
	return m.scope.Do("delete", func(ctx context.Context) tea.Msg {
		outcome, err := client.DeleteReports(ctx, e.key.id)
		return deleted{e, outcome, err}
	})
}

func (r deleted) apply(m *Model) tea.Cmd {
	name := entryName(r.entry)
	switch r.outcome {
	case adminapi.OutcomeDone:
		m.forget(r.entry.key)
		return tea.Batch(m.followNow(), views.Tell(views.Success, "Deleted "+name+"."))
	case adminapi.OutcomeUnknown:
		text := "It is not known whether " + name + " was deleted; the list is read again."
		return tea.Batch(m.readReports(), views.Send(views.Notice{Level: views.Failure, Text: text, Err: r.err}))
	case adminapi.OutcomeRefused:
		return m.failed(r.err, "delete", func() tea.Cmd { return m.deleteQuestion(r.entry, true) })
	}
	return views.Send(views.Notice{Level: views.Failure, Text: "Nothing was sent: " + r.err.Error(), Err: r.err})
}

// forget drops a report that is gone at the site.
func (m *Model) forget(key entryKey) {
	m.catalog.dropSite(key.id)
	m.store.drop(key)
	delete(m.chosen.folds, key)
	if m.mark == key {
		m.mark = entryKey{}
	}
	m.showEntries()
	m.choseNothing()
}

// choseNothing empties the tree where its report is not in the list any more.
func (m *Model) choseNothing() {
	if m.catalog.list.Len() == 0 {
		m.chosen.key = entryKey{}
		m.showReport(nil)
	}
}
