package services

import (
	"path/filepath"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
	"geodeck/ui/views/services/cluster"
)

// Maker offers the view to the dashboard.
var Maker = views.Maker{ID: "services", Title: "Services", Table: table(), New: func(env *views.Env) views.View { return New(env) }}

// Model is the view.
type Model struct {
	env    *views.Env
	scope  *views.Scope
	folder string // where files are written
	inks   rows.Inks
	width  int
	height int

	catalog     catalog
	detail      detail
	nodes       *cluster.Nodes
	deployments *cluster.Deployments
	mode        adminapi.Mode // zero where it is not known
	open        *opened       // the service that was entered; nil while the list is shown
	way         *way          // the way out, shown in place of all else
	keepers     map[string]*keeper
	switches    map[string]*switching
	pods        *cluster.Pods // of the open service
}

// New returns the view; Init starts it.
func New(env *views.Env) *Model {
	m := &Model{
		env: env, scope: views.NewScope(env.Context), folder: env.Folder, inks: rows.NewInks(env.Theme),
		keepers: map[string]*keeper{}, switches: map[string]*switching{},
		deployments: cluster.NewDeployments(),
	}
	base := views.Base{Env: env, Scope: m.scope}
	m.nodes, m.pods = cluster.NewNodes(base), &cluster.Pods{Base: base, Changed: m.podsState}
	if whole, err := filepath.Abs(env.Folder); err == nil {
		m.folder = whole
	}
	m.catalog = newCatalog(env.Theme)
	m.detail.pager = rows.NewPager(env.Theme.Glyphs.Ellipsis)
	m.showCatalog()
	return m
}

// Init reads the folders, and what this machine remembers.
func (m *Model) Init() tea.Cmd {
	if m.env.Offline {
		return nil
	}
	return tea.Batch(m.readFolders(), m.readDrafts(), m.readMode())
}

// Replies is what replies are addressed to.
func (m *Model) Replies() *views.Scope { return m.scope }

// Close cancels what is under way.
func (m *Model) Close() { m.scope.Close() }

// Focus reads again whether the site takes changes: that may be over, or have begun;
// and who has the edits that are open.
func (m *Model) Focus() tea.Cmd {
	if m.env.Offline || m.catalog.Updated.IsZero() {
		return nil
	}
	cmds := []tea.Cmd{m.readMode()}
	if m.open != nil {
		for _, e := range m.open.edits() {
			cmds = append(cmds, e.comeBack())
		}
	}
	return tea.Batch(cmds...)
}

// Blur has nothing to stop: what was sent is followed to its end.
func (m *Model) Blur() {}

// Watched follows the watch of the upgrade: whether the site takes changes takes room
// on the screen.
func (m *Model) Watched(views.Watched) tea.Cmd {
	m.place()
	return nil
}

// Leave asks where something would be lost, or would not be known any more.
func (m *Model) Leave() string {
	switch {
	case m.way != nil && m.way.step == sending:
		return "A change is being sent: what becomes of it is not seen here."
	case m.way != nil && m.way.searching():
		return "It is not known yet whether the site took the " + m.way.lost.edit.Target.String() + "."
	case m.open != nil && m.open.section().leave() != "":
		return m.open.section().leave()
	}
	for _, k := range m.keepers {
		if k.unkept() {
			return "The changes of the " + k.target.String() + " are not kept on this machine."
		}
	}
	return ""
}

// CapturesText tells whether typed keys are text at present.
func (m *Model) CapturesText() bool {
	switch {
	case m.way != nil:
		return m.way.step == reviewing && m.way.review.CapturesText()
	case m.open != nil && m.open.compare != nil:
		return m.open.compare.review.CapturesText()
	case m.open != nil:
		return m.open.section().capturesText()
	}
	return m.catalog.list.Typing()
}

// Wary tells whether a question of an editor is open: a burst of keys may be a paste.
func (m *Model) Wary() bool { return m.way == nil && m.open != nil && m.open.wary() }

// Update takes replies, typed text, and what widgets say to themselves.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case reply:
		return msg.apply(m)
	case cluster.NodesMsg:
		return tea.Batch(m.nodes.Update(msg), m.tellNodes(), m.planWithNodes())
	case cluster.PodsRead:
		cmd := m.pods.Update(msg)
		m.place()
		return cmd
	case views.Retry:
		return msg.Ask()
	case tea.KeyMsg:
		if !m.CapturesText() {
			return nil
		}
	}
	switch {
	case m.way != nil:
		return m.way.review.Update(msg)
	case m.open != nil && m.open.compare != nil:
		return m.open.compare.review.Update(msg)
	case m.open != nil:
		return m.open.section().update(msg)
	}
	if key, ok := msg.(tea.KeyMsg); ok {
		m.catalog.list.Type(key)
		return m.follow()
	}
	return nil
}

// Status says what the frame shows for the view.
func (m *Model) Status() views.Status {
	status := views.Status{Updated: m.catalog.Updated, Away: m.catalog.Away, Busy: m.busy(), Path: m.path()}
	if m.open != nil {
		if asked := m.open.section().asked(); asked != nil {
			status.Updated, status.Away = asked.Updated, asked.Away
		}
	}
	if m.podsInFront() {
		status.Updated, status.Away = m.pods.Now().Updated()
	}
	return status
}

func (m *Model) busy() string {
	switch {
	case m.way != nil && m.way.busy() != "":
		return m.way.busy()
	case m.open != nil && m.open.section().asked() != nil && m.open.section().asked().Loading:
		return "reading " + lower(m.open.section().title())
	case m.pods.Now().Followed():
		return "following the pods"
	case m.nodes.Loading() && m.open != nil:
		return "reading nodes"
	case m.catalog.Loading && m.catalog.Away == nil:
		return "reading services"
	case m.sweeping() && m.catalog.Away == nil:
		return "reading states, " + m.sweepText()
	}
	return ""
}

func (m *Model) path() []string {
	var path []string
	if m.open != nil {
		path = []string{m.open.service.Path(), lower(m.open.section().title())}
	}
	if m.way != nil {
		path = append(path, m.way.step.String())
	}
	return path
}
