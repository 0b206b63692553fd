package services

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/views/services/change"
	"geodeck/ui/views/services/editor"
)

// What the tabs and a change ask of the view: see [tabsHost] and [change.Host].

// Review leads an edit to its review; where the site has something else by now, first to a
// merge. Whether the site takes changes is fetched again.
func (m *Model) Review(edit editing.Edit, now *document.Document) tea.Cmd {
	if m.flow.Working() != "" {
		return m.flow.Wait()
	}
	if now.Text() == edit.Base.Text() {
		return m.reviews(m.flow.Start(edit))
	}
	return m.reviews(m.flow.StartOn(edit, now))
}

// Restore leads to the review of an older version.
func (m *Model) Restore(edit editing.Edit, saved time.Time) tea.Cmd {
	switch {
	case m.flow.Active():
		return nil
	case m.flow.Working() != "":
		return m.flow.Wait()
	}
	return m.reviews(m.flow.Restore(edit, saved))
}

// reviews shows the change that a command has begun to check.
func (m *Model) reviews(cmd tea.Cmd) tea.Cmd {
	m.show(m.inside)
	return cmd
}

// editor returns the tab of a part of a service that is still open; nil where it is not.
func (m *Model) editor(target editing.Target) *editor.Tab {
	if !m.inside || !m.open.target(partTab(target.Part)).Same(target) {
		return nil
	}
	return m.open.editor(target.Part)
}

// Services are those of the site, as far as they are known.
func (m *Model) Services() []adminapi.ServiceRef { return m.list.catalog.services() }

// NoChanges says why the site accepts no changes.
func (m *Model) NoChanges() string { return m.writable.whyNot() }

// Opened reports whether a service is the open one.
func (m *Model) Opened(service adminapi.ServiceRef) bool {
	return m.inside && m.open.service.Path() == service.Path()
}

// Batch reports whether what is edited is meant for all marked services.
func (m *Model) Batch() bool { return m.inside && m.open.batch }

// Marked are the services that are marked in the list.
func (m *Model) Marked() []adminapi.ServiceRef { return m.list.catalog.marked() }

// MarkOnly marks these services and no others.
func (m *Model) MarkOnly(services []adminapi.ServiceRef) { m.list.catalog.markOnly(services) }

// Origin is the title of the tab behind a change, and whether its target is still changed.
func (m *Model) Origin(target editing.Target) (title string, changed bool) {
	if !m.inside {
		return "", false
	}
	tab := m.editor(target)
	return tabTitles[m.open.at], tab != nil && tab.Differs()
}

// Closed shows again what was shown before a change; after several services, their list.
func (m *Model) Closed(several bool) tea.Cmd {
	m.show(m.inside)
	if now, at := m.flow.Read(); now != nil {
		if tab := m.editor(m.flow.Target()); tab != nil {
			tab.ReadAgain(now, at)
		}
	}
	switch {
	case several:
		return m.leave()
	case m.inside:
		return m.open.tab().Shown()
	}
	return nil
}

// Settled takes over what the site has after a change was sent: what it does not have of
// an edit stays a draft.
func (m *Model) Settled(s change.Settled) tea.Cmd {
	switch path := s.Edit.Service.Path(); {
	case !s.Touched:
		m.states.noteEdit(path, explain.Restart{})
	case s.Ended > 0:
		m.states.noteEdit(path, explain.RestartAfter(s.Ended))
	}
	if s.Touched {
		m.states.forgetState(s.Edit.Service)
	}
	if !s.Sent.IsZero() {
		m.drafts.WasSent(s.Edit, s.Sent)
	}
	now := s.Now
	if now == nil && s.Done { // it could not be read back
		now = s.Edit.Edited
	}
	tab := m.editor(s.Edit.Target)
	switch {
	case tab != nil && tab.Now() == nil && s.Done: // its page was opened just now
		return tea.Batch(m.drafts.Sent(s.Edit, now), tab.Reread())
	case tab != nil && now != nil:
		return tab.Settle(s.Edit, now)
	case s.Done:
		return m.drafts.Sent(s.Edit, now)
	}
	return nil
}

// Restarts says that a service restarts, with all that run in its pods: it is being changed.
func (m *Model) Restarts(service adminapi.ServiceRef) {
	m.states.noteEdit(service.Path(), explain.RestartAfter(adminapi.MillisOf(m.Env.Times.Site().Now())))
}

// Correct shows the editor of a part of the open service, at a value.
func (m *Model) Correct(of editing.Target, at document.Path) tea.Cmd {
	tab := m.editor(of)
	if tab == nil {
		return nil
	}
	return tea.Batch(m.open.show(partTab(of.Part)), tab.GoTo(at))
}

// Rebased takes over an edit that was brought onto what the site has; undo leads back to before.
func (m *Model) Rebased(edit editing.Edit, before *document.Document) tea.Cmd {
	if tab := m.editor(edit.Target); tab != nil {
		return tab.Rebase(edit, before)
	}
	return nil
}
