// Package services is the view of the site's GIS services: their list, and of one its
// definition, placement, history and state.
//
// Start at [Model]: it routes between a [list], a service that was [opened], and a change, and hands on
// what they ask for (host.go). The list is a [catalog] with a detail beside it; what is known of services,
// for whoever shows it, is [states]; [explainer] says why one is down. What is below has its own packages:
// editor is the tab in which a part of a service is edited; definition and placement are that tab with
// jsonedit, or rules, as its widget; change is the one flow in which a change is sent, over its steps
// review, conflict, sending and result; history is the tab of older versions; cluster is what is known of
// nodes, deployments and pods.
package services

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation/availability"
	"geodeck/adminapi/operation/batching"
	"geodeck/ui/views"
	"geodeck/ui/views/services/change"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/jsonedit"
	"geodeck/ui/views/services/placement"
	"geodeck/ui/views/services/review"
	"geodeck/ui/views/services/rules"
	"geodeck/ui/widget/rows"
)

// Maker offers the view to the dashboard.
var Maker = views.Maker{ID: "services", Title: "Services", New: func(env *views.Env) views.View { return New(env) },
	Typing: func() []views.Command {
		return slices.Concat(rules.TypingCommands(), jsonedit.TypingCommands())
	}}

// Model is the view: it routes between the list, the service that was entered, and a change.
type Model struct {
	views.Base
	inks      rows.Inks
	writable  writable
	above     int // lines of the banner that stand above what the children draw
	drafts    *editor.Drafts
	shared    placement.Shared
	states    *states
	list      *list
	explainer *explainer
	flow      *change.Flow // shown in place of all else while it is active
	open      *opened      // the service that was entered last; at first none
	inside    bool         // it is shown

	rows  []views.Command               // of the list
	parts [tabCount + 2][]views.Command // that table was made of
	table []views.Command               // all rows
}

// New returns the view; Init starts it.
func New(env *views.Env) *Model {
	m := &Model{Base: views.NewBase(env), inks: rows.NewInks(env.Theme)}
	m.writable.Base = m.Child()
	m.drafts = editor.NewDrafts(m.Child())
	deployments := cluster.NewDeployments()
	m.states = newStates(m.Child(), &m.inks, m.drafts, deployments)
	m.list = newList(m.Child(), &m.inks, m.states, &m.writable, listHandlers{open: m.openService, openOutside: m.openOutside,
		openMarked: m.openMarked, resume: m.resume, working: func() string { return m.flow.Working() },
		follow: func() tea.Cmd { return m.explainer.follow() }})
	m.shared = placement.Shared{Nodes: cluster.NewNodes(m.Child()), Deployments: deployments, Drafts: m.drafts,
		Pods: &cluster.Pods{Base: m.Child(), Changed: m.states.followed}}
	m.explainer = &explainer{Base: m.Child(), catalog: m.list.catalog, states: m.states, nodes: m.shared.Nodes,
		asks: explainAsks{
			possible: func() bool { return !m.CapturesText() && !m.flow.Active() && !m.comparing() },
			of:       m.explainable, beside: m.beside, since: func() string { return m.Env.Times.Clock(m.flow.Since()) }, status: m.Status}}
	m.flow = change.NewFlow(m.Child(), &m.inks, m, review.Facts{Drafts: m.drafts, Deployments: deployments,
		DescribeField: jsonedit.DescribeField,
		Sharing:       m.states.sharedWith, Together: m.states.together,
		State: func(s adminapi.ServiceRef) availability.State { return m.states.known[s.Path()].State }}, m.shared.Nodes, m.shared.Pods)
	m.states.sends, m.states.sendsTo, m.list.catalog.changing = m.flow.Sends, m.flow.SendsTo, m.flow.Active
	m.open = m.newOpened(adminapi.ServiceRef{})
	m.rows = m.outerRows()
	m.Answers = views.Hooks{About: m.about, Rows: m.allRows, Filtering: m.filtering, Leave: m.Leave, Working: m.flow.Working,
		Takes: m.takes, Busy: m.Busy,
		Fresh: m.list.catalog.Fresh, Keep: m.list.catalog.Keep, Freshens: true, Rests: true}
	return m
}

// Init reads the folders, and what this machine remembers.
func (m *Model) Init() tea.Cmd {
	if m.Env.Offline {
		return nil
	}
	read := m.list.catalog.load()
	m.list.catalog.takeKept()
	return tea.Batch(read, m.drafts.Load(), m.drafts.LoadOpen())
}

// focus fetches again which outcomes are unknown, and who
// holds the edits that are open.
func (m *Model) focus() tea.Cmd {
	if m.Env.Offline || m.list.catalog.Updated.IsZero() {
		return nil
	}
	cmds := []tea.Cmd{m.drafts.LoadOpen(), m.freshen()}
	if m.inside {
		for _, tab := range m.open.editors() {
			cmds = append(cmds, tab.FindHolder())
		}
	}
	return tea.Batch(cmds...)
}

// event follows what the root tells.
func (m *Model) event(e views.Event) tea.Cmd {
	c := m.list.catalog
	switch e {
	case views.Shown:
		return m.focus()
	case views.Freshen:
		return m.freshen()
	case views.Rested:
		return m.rested()
	case views.Attended: // the cursor of the list is left to the user once there is something to press keys for
		c.attended = c.attended || c.list.All() > 0
	case views.StateChanged: // a banner says that the site takes no changes
		m.place()
	case views.KeptRead:
		c.takeKept()
	case views.RecordChanged: // with what was found to be sent goes its draft
		return tea.Batch(m.drafts.Load(), m.drafts.LoadOpen())
	}
	return nil
}

// Update passes a reply to the child that it is for, and what is typed to the one that
// is shown.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	if e, is := msg.(views.Event); is {
		return m.event(e)
	}
	m.states.news++
	m.flow.News()
	for _, replied := range []func(tea.Msg) (tea.Cmd, bool){m.listReplied, m.openReplied} {
		if cmd, mine := replied(msg); mine {
			if !m.inside && !m.flow.Active() {
				cmd = tea.Batch(cmd, m.list.detail.refresh())
			}
			return cmd
		}
	}
	key, typed := msg.(tea.KeyMsg)
	switch {
	case typed && !m.CapturesText():
	case m.flow.Active():
		return m.flow.Update(msg)
	case m.inside:
		return m.open.front().Update(msg)
	case typed:
		m.list.catalog.list.Type(key)
	}
	return nil
}

// listReplied takes a reply to what the list has asked for, which the open service follows; false for others.
func (m *Model) listReplied(msg tea.Msg) (cmd tea.Cmd, mine bool) {
	if cmd, mine = m.list.Update(msg); !mine {
		return nil, false
	}
	switch msg.(type) {
	case folderRead:
		cmd = tea.Batch(cmd, m.openWanted())
	case statesRead:
		cmd = tea.Batch(cmd, m.followOpen())
	case views.Retry: // a service may have been switched, or deployments read
		m.flow.ClusterChanged()
		cmd = tea.Batch(cmd, m.followOpen())
	case podsRead:
		if m.inside {
			cmd = tea.Batch(cmd, m.followOpen(), m.list.detail.loadDeployment(m.open.service.Path()))
		}
	}
	return cmd, true
}

// openReplied takes a reply for what is known of services, for the one that was entered, its edits, and a change;
// false for others.
func (m *Model) openReplied(msg tea.Msg) (cmd tea.Cmd, mine bool) {
	switch msg := msg.(type) {
	case statesFreshened:
		return m.freshened(msg), true
	case jsonedit.Msg:
		cmd = m.open.definition().Update(msg)
		m.list.catalog.list.Redraw()
	case cluster.NodesMsg:
		cmd = tea.Batch(m.shared.Nodes.Update(msg), m.open.nodesChanged(), m.flow.NodesChanged(), m.explainer.follow())
	case cluster.PodsRead:
		cmd = m.shared.Pods.Update(msg)
		m.open.podsChanged()
		m.flow.ClusterChanged()
		cmd = tea.Batch(cmd, m.explainer.follow())
	default:
		return nil, false
	}
	return cmd, true
}

// rested reads, and shows, what the screen has come to.
func (m *Model) rested() tea.Cmd {
	switch {
	case m.flow.Active():
		return m.flow.Rested()
	case m.inside:
		return m.open.Rested()
	}
	return m.list.follow()
}

// freshen reads the states again that were read longest ago, a few at a time.
func (m *Model) freshen() tea.Cmd {
	if m.inside {
		return m.list.catalog.freshenOne(m.open.service)
	}
	return m.list.catalog.freshen()
}

// freshened takes states that were read again.
func (m *Model) freshened(r statesFreshened) tea.Cmd {
	cmd, any := m.list.catalog.freshened(r)
	if any && m.inside && m.showsState() {
		cmd = tea.Batch(cmd, m.states.loadPods(r.services), m.open.tab().(*statusTab).readFacts())
	}
	return tea.Batch(cmd, m.explainer.follow())
}

// followOpen fetches the state of the open service, or its pods, where the other has changed.
func (m *Model) followOpen() tea.Cmd {
	service := m.open.service
	switch path := service.Path(); {
	case !m.inside || !m.showsState() || !m.states.pods.behind[path]:
		return nil
	case m.states.known[path].doubted:
		return m.freshen()
	}
	return m.states.loadPods([]adminapi.ServiceRef{service})
}

// selected is the service that commands are about: the open one, or the one under the
// cursor.
func (m *Model) selected() (adminapi.ServiceRef, bool) {
	if m.inside {
		return m.open.service, true
	}
	return m.list.selected()
}

// explainable is the service that What now is about: of those that are down, on their heading, the first.
func (m *Model) explainable() (adminapi.ServiceRef, bool) {
	if row, ok := m.list.catalog.selected(); ok && !m.inside && row.folder < 0 {
		return m.list.catalog.down.services[0], true
	}
	return m.selected()
}

// beside is the service whose state is on the screen.
func (m *Model) beside() (adminapi.ServiceRef, bool) {
	if m.flow.Active() || !m.showsState() {
		return adminapi.ServiceRef{}, false
	}
	return m.selected()
}

// showsState reports whether the detail of the list, or the tab Status, is on the screen.
func (m *Model) showsState() bool {
	if m.inside {
		return m.open.at == statusAt
	}
	return m.list.detail.Width > 0
}

// resume reviews what is left of an interrupted batch.
func (m *Model) resume(batch batching.Interrupted) tea.Cmd {
	if m.flow.Working() != "" {
		return m.flow.Wait()
	}
	return m.reviews(m.flow.Continue(batch))
}

// CapturesText reports whether typed keys are text.
func (m *Model) CapturesText() bool {
	switch {
	case m.flow.Active():
		return m.flow.CapturesText()
	case m.inside:
		return m.open.front().CapturesText()
	}
	return m.list.catalog.list.Typing()
}

// filtering reports whether a filter or a search is being typed: enter keeps it and esc clears it.
func (m *Model) filtering() bool {
	switch {
	case m.flow.Active():
		return m.flow.Filtering()
	case m.inside:
		return m.open.front().Filtering()
	}
	return m.list.catalog.list.Typing()
}

// takes says whether a question of an editor is open: a burst of keys may be a paste.
func (m *Model) takes() views.Takes {
	if !m.onTabs() {
		return views.Takes{}
	}
	tab, editing := m.open.tab().(interface{ GuardsPaste() bool })
	return views.Takes{Question: editing && tab.GuardsPaste()}
}

// Busy reports whether an edit of a long definition goes on in a command: keys have to wait.
func (m *Model) Busy() bool { return m.onTabs() && m.open.busy() }

// Leave asks where an edit, or the outcome of a change, would be lost.
func (m *Model) Leave() string {
	if q := m.flow.Leave(); q != "" {
		return q
	}
	if m.inside {
		if q := m.open.tab().Leave(); q != "" {
			return q
		}
	}
	if target, unsaved := m.drafts.Unsaved(); unsaved {
		return "The changes to the " + target.String() + " are not saved on this machine."
	}
	return ""
}
