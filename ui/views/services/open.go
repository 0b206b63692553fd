package services

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// wanted is a service that is opened once the list has it.
type wanted struct {
	path string
	open func() tea.Cmd
}

// openPath opens a service by the path that was typed, or by a part of it that no other has.
func (m *Model) openPath(path string) tea.Cmd {
	path = m.list.catalog.whole(path)
	return m.openPathThen(path, func() tea.Cmd { return m.openPath(path) })
}

func (m *Model) openPathThen(path string, later func() tea.Cmd) tea.Cmd {
	var closed tea.Cmd
	if _, _, found := m.list.catalog.byPath(path); found {
		closed = m.flow.CloseResult()
	}
	switch {
	case m.flow.Active():
		return views.Tell(views.Warning, "Finish the open change first, or go back.")
	case m.inside && m.open.typing():
		return views.Tell(views.Warning, views.Keys("Finish typing first, or press {key:services.back}."))
	case path == "":
		return views.Tell(views.Warning, "Name a service, such as Utilities/Geometry.GeometryServer.")
	}
	return tea.Batch(closed, m.openNamed(path, later))
}

// openPlacement opens the rules of a service, at a node where one is named after it.
func (m *Model) openPlacement(argument string) tea.Cmd {
	path, node, _ := strings.Cut(strings.TrimSpace(argument), " ")
	return m.openTabThen(path, placementTab, func() { m.open.placement().ShowNode(node) })
}

// openTab opens a tab of a service by its path.
func (m *Model) openTab(path string, at int) tea.Cmd { return m.openTabThen(path, at, func() {}) }

// openTabThen opens a tab of a service by its path, once that is open, where then is done before it is shown.
func (m *Model) openTabThen(path string, at int, then func()) tea.Cmd {
	path = m.list.catalog.whole(path)
	var opened tea.Cmd
	here := func() bool { return m.inside && strings.EqualFold(m.open.service.Path(), path) }
	if !here() || m.flow.Active() || m.open.typing() {
		was := m.open
		later := func() tea.Cmd { return m.openTabThen(path, at, then) }
		if opened = m.openPathThen(path, later); m.open == was || !here() || m.open.typing() {
			return opened
		}
	}
	then()
	if m.flow.Active() { // its result comes first
		m.open.at, m.open.comparison = at, nil
		return opened
	}
	return tea.Batch(opened, m.open.show(at))
}

// openNamed opens a service by its path. What the list does not have yet is opened by later, when
// its folder was read; of a part of a path all of them are.
func (m *Model) openNamed(path string, later func() tea.Cmd) tea.Cmd {
	c := m.list.catalog
	c.wanted = nil
	service, key, found := c.byPath(path)
	switch {
	case found:
		left := m.leave()
		c.list.Select(key)
		return tea.Batch(left, m.openService(service))
	case editing.Unreadable(c.Err) && c.Updated.IsZero():
		service, err := adminapi.ParseServicePath(path)
		if err != nil {
			return views.Tell(views.Warning, views.Sentence(err.Error()))
		}
		return tea.Batch(m.leave(), m.openService(service))
	case c.Err != nil && c.Updated.IsZero():
		return views.Tell(views.Warning, "The list was not read, so "+plain.Line(path)+views.Keys(" may not exist. {key:services.refresh} refreshes."))
	case !m.Env.Offline && (c.Loading || c.Updated.IsZero()):
		c.wanted = &wanted{path, later}
		return views.Tell(views.Info, c.waiting())
	}
	if like := c.like(path); len(like) > 1 {
		return views.Tell(views.Warning, plain.Plural(len(like), "service")+" match "+plain.Line(path)+": "+plain.Listed(like, 3, ", ", " and ")+".")
	}
	return views.Tell(views.Warning, "No service "+plain.Line(path)+" in the list.")
}

// openWanted opens what was named before its folder was read, or says that there is no
// such service; not where something else was opened meanwhile.
func (m *Model) openWanted() tea.Cmd {
	c := m.list.catalog
	w := c.wanted
	if w == nil {
		return nil
	}
	if _, _, found := c.byPath(w.path); !found && c.Loading {
		return nil
	}
	if c.wanted = nil; m.inside || m.flow.Active() || c.list.Typing() {
		return nil
	}
	opened := w.open()
	if m.inside { // in place of the notice that it is awaited
		return tea.Batch(opened, views.Send(views.Notice{Level: views.Info, Yields: true, Text: plain.Line(m.open.service.Path()) + " is open."}))
	}
	return opened
}

// openService enters a service.
func (m *Model) openService(service adminapi.ServiceRef) tea.Cmd {
	m.shared.Pods.ForgetOthers(service)
	m.open = m.newOpened(service)
	m.list.catalog.attended = true
	if m.flow.Return(service); m.flow.Active() && m.flow.Target().Part == editing.Placement { // the page of a change stands on its tab
		m.open.at = placementTab
	}
	m.show(true)
	follow := m.Follow(service)
	if _, known := m.states.known[service.Path()]; !known {
		follow = tea.Batch(follow, m.states.loadStates(service))
	}
	return tea.Batch(m.open.tab().Shown(), follow)
}

// Follow shows how an edit of the open service goes on whose end an earlier program did not see.
func (m *Model) Follow(service adminapi.ServiceRef) tea.Cmd {
	site := m.Env.Site
	return m.Scope.Work("follow", func(context.Context) func() tea.Cmd {
		edit, sent, at, found := site.UnseenEdit(service)
		if !found {
			return nil
		}
		planned := batching.PlannedEdit{Edit: edit, Plan: edit.Plan()}
		return func() tea.Cmd {
			if !m.Opened(service) || m.flow.Active() || m.flow.Working() != "" || m.open.typing() {
				return nil
			}
			return m.reviews(m.flow.Follow(planned, sent, at))
		}
	})
}

func (m *Model) newOpened(service adminapi.ServiceRef) *opened {
	return newOpened(m.Child(), &m.inks, service, m, m.states, m.shared)
}

// openMarked enters a service; what is edited in it is meant for all that are marked.
func (m *Model) openMarked(service adminapi.ServiceRef) tea.Cmd {
	cmd := m.openService(service)
	m.open.batch = true
	return cmd
}

// openOutside enters a service with its definition in $EDITOR.
func (m *Model) openOutside(service adminapi.ServiceRef) tea.Cmd {
	if m.flow.Working() != "" { // what was typed could not be reviewed
		return m.flow.Wait()
	}
	cmd := m.openService(service)
	if !m.flow.Active() { // the result of a change that was sent comes first
		m.open.definition().EditDirectly()
	}
	return cmd
}

// show shows the service that was entered, or the list.
func (m *Model) show(inside bool) {
	m.inside = inside
	m.list.catalog.hidden = inside
	m.place()
}

// leave goes back to the list; the tabs say which edits are kept as drafts.
func (m *Model) leave() tea.Cmd {
	if !m.inside {
		return nil
	}
	told := m.open.Close(m.flow.SendsTo)
	m.show(false)
	m.list.catalog.list.Redraw()
	return tea.Batch(told, m.list.follow())
}

// back goes one step out.
func (m *Model) back() tea.Cmd {
	if m.open.Back() {
		return nil
	}
	return m.leave()
}
