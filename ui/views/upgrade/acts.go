package upgrade

import (
	tea "github.com/charmbracelet/bubbletea"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/operation"
	"geodeck/ui/views"
	"geodeck/ui/views/jsonview"
	"geodeck/ui/views/rows"
)

// move runs a command of the lists on the one that has the keys.
func (m *Model) move(id string) tea.Cmd {
	switch {
	case m.raw != nil:
		m.raw.json.Do(id)
		return nil
	case m.step() == preflighting:
		m.flow.flight.list.Do(id)
		return nil
	case m.step() == reviewing:
		m.flow.review.pager.Do(id)
		return nil
	case m.step() != choosing:
		return nil
	case m.picker.focus == detailPane:
		m.layDetail()
		m.picker.detail.pager.Do(id)
		return nil
	}
	m.picker.list.Do(id)
	return m.follow()
}

// search starts typing a filter, or sets the one given.
func (m *Model) search(text string) tea.Cmd {
	switch {
	case m.raw != nil && text != "":
		m.raw.json.SetFilter(text)
		return nil
	case m.raw != nil:
		return m.move(rows.Search)
	}
	m.goTo(listPane)
	if text == "" {
		return m.move(rows.Search)
	}
	m.picker.list.SetFilter(text)
	return m.follow()
}

func (m *Model) goTo(p pane) {
	m.picker.focus = p
	if p == detailPane {
		m.showDetail()
	}
	m.place()
}

func (m *Model) nextPane() tea.Cmd {
	m.goTo((m.picker.focus + 1) % 2)
	return nil
}

// enter goes one step in.
func (m *Model) enter() tea.Cmd {
	switch m.step() {
	case preflighting:
		return m.acknowledgeCheck(false)
	case answering:
		return m.toReview()
	case reviewing:
		return m.confirm()
	case starting:
		return nil
	}
	if _, ok := m.picker.list.Key(); !ok {
		return nil
	}
	if m.picker.focus == detailPane && m.picker.shelf == offered {
		return m.begin()
	}
	m.goTo(detailPane)
	return nil
}

// next goes on to the next step.
func (m *Model) next() tea.Cmd {
	switch m.step() {
	case choosing:
		return m.begin()
	case preflighting:
		return m.toSettings()
	}
	return m.enter()
}

// acknowledge takes a warning as seen.
func (m *Model) acknowledge() tea.Cmd {
	switch m.step() {
	case preflighting:
		return m.acknowledgeCheck(true)
	case reviewing:
		return m.acknowledgeNext()
	}
	return nil
}

// backInFlow goes one step back, and loses nothing.
func (m *Model) backInFlow() tea.Cmd {
	f := m.flow
	switch {
	case f.step == starting && f.run.sending:
		return views.Tell(views.Warning, "It is being sent: what becomes of it is told here.")
	case f.step == starting && f.run.search != nil && f.run.search.finding != operation.FindingForeign:
		return m.askLeaveSearch()
	case f.step == starting && f.run.search != nil:
		m.leaveFlow()
		return m.readOffers()
	case f.step == starting:
		f.step, f.run = reviewing, nil
		m.layReview()
	case f.step == reviewing && f.rollback, f.step == preflighting:
		m.leaveFlow()
	case f.step == reviewing:
		f.step = answering
		return m.openForm()
	case f.step == answering:
		f.step, f.form.checking = preflighting, false
		m.scope.Forget("review")
		m.showChecks()
		return m.flushDraft()
	}
	return nil
}

// back goes one step out. A filter is cleared first: it hides things.
func (m *Model) back() tea.Cmd {
	p := &m.picker
	switch {
	case m.raw != nil && m.raw.json.Filter() != "":
		m.raw.json.SetFilter("")
	case m.raw != nil:
		m.raw = nil
	case m.flow != nil:
		return m.backInFlow()
	case p.focus == detailPane:
		m.goTo(listPane)
	case p.list.Filter() != "" || p.usable:
		return m.showAll()
	case p.shelf != offered:
		return m.open(offered)
	}
	return nil
}

// open shows another shelf, and reads it where it was not read yet.
func (m *Model) open(s shelf) tea.Cmd {
	p := &m.picker
	p.shelf = s
	p.list.SetFilter("")
	m.goTo(listPane)
	m.showShelf()
	return m.readShelf()
}

func (m *Model) cycle(steps shelf) tea.Cmd { return m.open((m.picker.shelf + steps) % shelves) }

// refresh reads everything that is shown again.
func (m *Model) refresh() tea.Cmd {
	if m.env.Offline {
		return views.Tell(views.Warning, "There is no site to read from.")
	}
	p := &m.picker
	switch {
	case m.step() == preflighting:
		return m.readFacts()
	case m.step() == starting:
		return m.lookAgain()
	case m.flow != nil:
		return nil
	case p.shelf == installed && !m.upgradeRuns():
		p.installed.asking = true
		return tea.Batch(m.scope.Do("installed", m.askInstalled()), m.readOffers())
	case p.shelf == history && !m.upgradeRuns():
		p.history.asking = true
		return tea.Batch(m.scope.Do("history", m.askHistory()), m.readOffers())
	}
	return m.readOffers()
}

func (m *Model) sort() tea.Cmd {
	m.picker.order = (m.picker.order + 1) % orders
	m.showShelf()
	return nil
}

func (m *Model) toggleUsable() tea.Cmd {
	m.picker.usable = !m.picker.usable
	m.applyFilters()
	return m.follow()
}

func (m *Model) showAll() tea.Cmd {
	m.picker.usable = false
	m.picker.list.SetFilter("")
	m.applyFilters()
	return m.follow()
}

// copyID copies the id of the update under the cursor.
func (m *Model) copyID() tea.Cmd {
	if m.step() == reviewing {
		return m.copyRequest()
	}
	key, ok := m.picker.list.Key()
	if !ok || key.id == "" {
		return nil
	}
	return views.Send(views.Copy{Text: key.id, What: "update id"})
}

// showJSON shows what the site wrote about the row under the cursor.
func (m *Model) showJSON() tea.Cmd {
	i, ok := m.picker.list.Selected()
	if !ok {
		return views.Tell(views.Warning, "There is nothing to show.")
	}
	var title string
	var raw jsontext.Value
	switch list := m.picker.rows.(type) {
	case *offers:
		title, raw = views.NameOf(list.entries[i].Name, list.entries[i].ID), list.entries[i].Raw
	case *installedRows:
		title, raw = views.NameOf(list.items[i].Name, list.items[i].ID), list.items[i].Raw
	case *historyRows:
		title, raw = views.NameOf(list.items[i].Name, list.items[i].ID), list.items[i].Raw
	}
	m.raw = &rawView{title: title, json: jsonview.New(m.env.Theme)}
	m.raw.json.Set(raw)
	m.place()
	return nil
}

// watch shows the upgrade that runs; a flow that it is in the way of is left.
func (m *Model) watch() tea.Cmd {
	if m.flow != nil {
		m.leaveFlow()
	}
	return tea.Batch(views.Send(views.WatchUpgrade{}), views.Send(views.Navigate{View: "progress"}))
}
