// Package services is the view of the site's GIS services: their list, and of one its
// definition, placement, history and state.
//
// Start at [Model]: it routes, lays out and hands on what its children ask for; what it holds and
// shows is in shown.go and view.go. The list is a [catalog] with the states of services
// (states.go, fresh.go) and a detail beside it; a service that was entered is a row of tabs
// (open.go). What is below has its own packages: editor is the tab in which a part of a service is
// edited, with jsonedit as its widget for a definition; placement adds what belongs to rules, with
// the widget rules; change is the one flow in which a change is sent, over its steps review, conflict,
// sending and result; history is the tab of older versions; cluster is what is known of nodes, deployments
// and pods.
package services

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/ui/views"
	"geodeck/ui/views/services/change"
	"geodeck/ui/views/services/cluster"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/jsonedit"
	"geodeck/ui/views/services/placement"
	"geodeck/ui/views/services/review"
	"geodeck/ui/views/services/rules"
	"geodeck/ui/widget/diff"
	"geodeck/ui/widget/rows"
)

// Maker offers the view to the dashboard.
var Maker = views.Maker{ID: "services", Title: "Services", New: func(env *views.Env) views.View { return New(env) }, Typing: func() []views.Command {
	return slices.Concat(rules.TypingCommands(), jsonedit.TypingCommands(), diff.TypingCommands())
}}

// Model is the view: what is done in it. What it shows, and says of itself, is [shown].
type Model struct {
	shown
	hooks views.Hooks
	rows  []views.Command    // of the list
	parts [6][]views.Command // that table was made of
	table []views.Command    // all rows
}

// New returns the view; Init starts it.
func New(env *views.Env) *Model {
	m := &Model{shown: shown{Base: views.NewBase(env), inks: rows.NewInks(env.Theme)}}
	m.writable.Base = m.Child()
	m.drafts = editor.NewDrafts(m.Child())
	m.catalog = newCatalog(m.Child(), &m.inks, m.drafts)
	m.switches = &switches{Base: m.Child(), catalog: m.catalog, writable: &m.writable}
	m.shared = placement.Shared{Nodes: cluster.NewNodes(m.Child()), Deployments: cluster.NewDeployments(),
		Pods: &cluster.Pods{Base: m.Child(), Changed: m.catalog.followed}, Drafts: m.drafts}
	m.detail = newDetail(m.Child(), &m.inks, m.catalog, m.shared.Deployments)
	m.flow = change.NewFlow(m.Child(), &m.inks, m, review.Facts{Drafts: m.drafts, Deployments: m.shared.Deployments, DescribeField: jsonedit.DescribeField,
		Sharing:  func(path string) string { return m.catalog.sharedWith(path, m.shared.Deployments) },
		Together: func(paths []string) (int, bool) { return m.catalog.together(paths, m.shared.Deployments) },
	}, m.shared.Nodes, m.shared.Pods)
	m.catalog.sends, m.catalog.sendsTo = m.flow.Sends, m.flow.SendsTo
	m.open = m.newOpened(adminapi.ServiceRef{})
	m.rows = m.listRows()
	m.hooks = views.Hooks{About: m.About, Filtering: m.Filtering, Leave: m.Leave, Working: m.Working, Takes: m.Takes, Busy: m.Busy,
		Fresh: m.Fresh, Keep: m.Keep, Freshens: true, Rests: true}
	return m
}

// Hooks has what the root asks of this view.
func (m *Model) Hooks() *views.Hooks { return &m.hooks }

// Init reads the folders, and what this machine remembers.
func (m *Model) Init() tea.Cmd {
	if m.Env.Offline {
		return nil
	}
	return tea.Batch(m.catalog.load(), m.TakeKept(), m.drafts.Load(), m.drafts.LoadOpen())
}

// Focus fetches again which outcomes are unknown, and who
// holds the edits that are open.
func (m *Model) Focus() tea.Cmd {
	if m.Env.Offline || m.catalog.Updated.IsZero() {
		return nil
	}
	cmds := []tea.Cmd{m.drafts.LoadOpen(), m.Freshen()}
	if m.inside {
		for _, tab := range m.open.editors() {
			cmds = append(cmds, tab.FindHolder())
		}
	}
	return tea.Batch(cmds...)
}

// StateChanged lays the view out anew: a banner says that the site takes no changes.
func (m *Model) StateChanged() tea.Cmd {
	m.place()
	return nil
}

// event follows what the root tells.
func (m *Model) event(e views.Event) tea.Cmd {
	switch e {
	case views.Shown:
		return m.Focus()
	case views.Freshen:
		return m.Freshen()
	case views.Rested:
		return m.Rested()
	case views.Attended: // the cursor of the list is left to the user once there is something to press keys for
		m.catalog.attended = m.catalog.attended || m.catalog.list.All() > 0
	case views.StateChanged:
		return m.StateChanged()
	case views.KeptRead:
		return m.TakeKept()
	case views.RecordChanged:
		return m.OutcomesKnown()
	}
	return nil
}

// Update passes a reply to the child that it is for, and what is typed to the one that
// is shown.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	if e, is := msg.(views.Event); is {
		return m.event(e)
	}
	m.catalog.news++
	m.flow.News()
	for _, replied := range []func(tea.Msg) (tea.Cmd, bool){m.listReplied, m.openReplied} {
		if cmd, mine := replied(msg); mine {
			if !m.inside && !m.flow.Active() {
				cmd = tea.Batch(cmd, m.detail.refresh())
			}
			return cmd
		}
	}
	if _, key := msg.(tea.KeyMsg); key && !m.CapturesText() {
		return nil
	}
	switch {
	case m.flow.Active():
		return m.flow.Update(msg)
	case m.comparing():
		return m.open.comparison.review.Update(msg)
	case m.inside:
		return m.open.tab().Update(msg)
	}
	if key, ok := msg.(tea.KeyMsg); ok {
		m.catalog.list.Type(key)
	}
	return nil
}

// listReplied takes a reply to what the list and its detail have asked for; false for others.
func (m *Model) listReplied(msg tea.Msg) (cmd tea.Cmd, mine bool) {
	switch msg := msg.(type) {
	case views.Retry:
		cmd = msg.Do()
		if !m.inside { // what was sent has another state now
			cmd = tea.Batch(cmd, m.catalog.loadShownStates(), m.freshenDoubted())
		}
		m.catalog.list.Redraw()
	case folderRead:
		cmd = m.catalog.folderRead(msg)
		if first := m.detail.key == (rowKey{}); first || !m.catalog.Loading {
			cmd = tea.Batch(cmd, m.detail.follow())
		}
		cmd = tea.Batch(cmd, m.openWanted())
	case statesRead:
		cmd = tea.Batch(m.catalog.statesRead(msg), m.followOpen(), m.freshenDoubted(), m.explainShown())
	case statesFreshened:
		cmd = tea.Batch(m.freshened(msg), m.explainShown())
	case podsRead:
		cmd = tea.Batch(m.catalog.podsRead(msg), m.detail.follow(), m.freshenDoubted(), m.explainShown())
		if m.inside {
			cmd = tea.Batch(cmd, m.followOpen(), m.detail.loadDeployment(m.open.service.Path()))
		}
	case explained:
		m.catalog.reasons[msg.path] = msg.reason
		m.catalog.noteRestart(msg.path, msg.explanation.Restart)
	case deploymentRead:
		m.detail.deploymentRead(msg)
	case statusRead:
		msg.tab.rules, msg.tab.backups = msg.rules, msg.backups
	case backupsRead:
		m.detail.backupsRead(msg)
	case switchConfirmed:
		cmd = m.switches.confirmed(msg)
	case switched:
		cmd = tea.Batch(m.switches.switched(msg), m.followOpen())
	default:
		return nil, false
	}
	return cmd, true
}

// openReplied takes a reply for the service that was entered, its edits, and a change; false
// for others.
func (m *Model) openReplied(msg tea.Msg) (cmd tea.Cmd, mine bool) {
	switch msg := msg.(type) {
	case editor.DraftsMsg:
		cmd = m.drafts.Update(msg)
		m.catalog.list.Redraw()
	case editor.Msg:
		cmd = msg.To().Update(msg)
		m.catalog.list.Redraw()
	case jsonedit.Msg:
		cmd = m.open.definition.Update(msg)
		m.catalog.list.Redraw()
	case placement.Msg:
		cmd = msg.Placement().Update(msg)
		m.flow.ClusterChanged()
	case cluster.NodesMsg:
		cmd = m.shared.Nodes.Update(msg)
		cmd = tea.Batch(cmd, m.open.placement.NodesChanged(), m.flow.NodesChanged(), m.explainShown())
	case cluster.PodsRead:
		cmd = m.shared.Pods.Update(msg)
		m.open.placement.PodsChanged()
		m.flow.ClusterChanged()
		cmd = tea.Batch(cmd, m.explainShown())
	default:
		return nil, false
	}
	return cmd, true
}

// Rested reads, and shows, what the screen has come to.
func (m *Model) Rested() tea.Cmd {
	switch {
	case m.flow.Active():
		return m.flow.Rested()
	case m.comparing():
		m.open.comparison.review.Rested()
	case m.inside:
		if tab, ok := m.open.tab().(interface{ Rested() tea.Cmd }); ok {
			return tab.Rested()
		}
	default:
		return m.followList()
	}
	return nil
}

// followOpen fetches the state of the open service, or its pods, where the other has changed.
func (m *Model) followOpen() tea.Cmd {
	c, service := m.catalog, m.open.service
	switch path := service.Path(); {
	case !m.inside || !m.showsState() || !c.pods.behind[path]:
		return nil
	case c.states[path].doubted:
		return m.Freshen()
	}
	return c.loadPods([]adminapi.ServiceRef{service})
}

// followList reads, and shows, what the list has come to.
func (m *Model) followList() tea.Cmd {
	m.catalog.letGo()
	return tea.Batch(m.catalog.loadShownStates(), m.freshenDoubted(), m.freshenBehind(), m.detail.follow(), m.explainShown())
}
