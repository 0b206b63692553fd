package services

import (
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/explain"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/change"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/history"
	"geodeck/ui/views/services/jsonedit"
	"geodeck/ui/views/services/placement"
	"geodeck/ui/widget/diff"
	"geodeck/ui/widget/rows"
)

// tab is one of an open service.
type tab interface {
	Title() string
	// About says what the tab is for, in the help.
	About() string
	// Fetch says how fresh it is; nil where it asks the site for nothing.
	Fetch() *views.Fetch
	// Shown starts what has to be read once the tab is in front.
	Shown() tea.Cmd
	SetSize(width, height int)
	View() string
	// Notes are shown at the right end of the line of tabs, as many as fit, in order of
	// importance.
	Notes() []string
	Commands() []views.Command
	Footer() []string
	// Back goes one step out inside; false where there is none.
	Back() bool
	CapturesText() bool
	// Filtering reports whether it is a filter that is typed.
	Filtering() bool
	// Update takes replies, typed keys and messages of widgets.
	Update(tea.Msg) tea.Cmd
	// Leave is a question to ask before it is closed, or nothing.
	Leave() string
	// Close ends what is under way when the service is left.
	Close() tea.Cmd
}

// opened is a service that was entered.
type opened struct {
	service    adminapi.ServiceRef
	definition *editor.Tab
	placement  *placement.Tab
	history    *history.Model
	status     *statusTab
	tabs       []tab
	at         int
	comparison *comparison // shown in place of the tab
	batch      bool        // what is edited is meant for all marked services
}

// historyTab is the place of the history among the tabs.
const historyTab = 2

// comparison is what differs between two versions, to be read.
type comparison struct {
	title  string
	review *diff.Review
}

// definition is the editor of JSON as a widget that edits documents.
type definition struct{ *jsonedit.Editor }

// Prepare finds no document unfit: a definition of any form is edited.
func (d definition) Prepare(edited, base *document.Document) (open func(), unfit error) {
	return d.Editor.Prepare(edited, base), nil
}

// Check is nil: every document can be a definition.
func (d definition) Check(*document.Document) error { return nil }

// Typing is what is being typed in place of a value, nil for nothing.
func (d definition) Typing() *operation.TypedText {
	if typed, ok := d.Editor.Typing(); ok {
		return (*operation.TypedText)(&typed)
	}
	return nil
}

// ResumeTyping goes on with a text that was typed before.
func (d definition) ResumeTyping(t *operation.TypedText) (tea.Cmd, bool) {
	return d.Editor.ResumeTyping(jsonedit.Typed(*t))
}

// newOpened returns a service with its tabs. Without a service it is what help and
// documents know the rows of the tabs from.
func (m *Model) newOpened(service adminapi.ServiceRef) *opened {
	o := &opened{service: service}
	target, edit := editing.DefinitionOf(service), jsonedit.New(m.Env.Theme, m.Scope)
	o.definition = editor.New(m.Child(), &m.inks, target, definition{edit}, m, m.drafts)
	if site := m.Env.Site; site.Memory.Journal != nil {
		o.definition.Opened = func() tea.Cmd {
			return edit.LoadPast(m.Env.Times.Minute, func(base *document.Document) []jsonedit.Past { return pastOf(site, target, base) })
		}
	}
	o.placement = placement.New(m.Child(), &m.inks, service, m, m.shared)
	o.status = &statusTab{Base: m.Child(), inks: &m.inks, service: service, catalog: m.catalog,
		deployments: m.shared.Deployments, definition: o.definition, pager: rows.NewPager(m.inks.Glyphs.Ellipsis)}
	o.status.tabulate(m.copyPath)
	if o.history = m.noHistory; o.history == nil {
		o.history = history.New(m.Child(), &m.inks, service, m)
		m.noHistory = o.history
	}
	o.tabs = []tab{o.definition, o.placement, o.history, o.status}
	return o
}

// pastOf returns the changes that led to what the site has, as far as they are kept on this
// machine, newest first. It reads files.
func pastOf(site operation.Site, target editing.Target, now *document.Document) (past []jsonedit.Past) {
	versions, _ := site.Memory.Versions(target, now) // what cannot be read is said in the history
	for _, v := range versions {
		for _, c := range document.Masked(v.Changes) {
			past = append(past, jsonedit.Past{Change: c, When: v.Saved, Who: v.Who})
		}
	}
	return past
}

// history is the tab of older versions, made when it is shown first.
func (m *Model) history() *history.Model {
	o := m.open
	if o.history == m.noHistory {
		o.history = history.New(m.Child(), &m.inks, o.service, m)
		o.tabs[historyTab] = o.history
		m.place()
	}
	return o.history
}

func (o *opened) tab() tab { return o.tabs[o.at] }

// editors are the tabs in which parts of the service are edited.
func (o *opened) editors() []*editor.Tab { return []*editor.Tab{o.definition, o.placement.Tab} }

// busy reports whether something is being typed, here or in $EDITOR.
func (o *opened) busy() bool {
	return o.tab().CapturesText() || slices.ContainsFunc(o.editors(), (*editor.Tab).Outside)
}

func (o *opened) setSize(width, height int) {
	for _, tab := range o.tabs {
		tab.SetSize(width, height)
	}
	if o.comparison != nil {
		o.comparison.review.SetSize(width, height)
	}
}

// openPath opens a service by the path that was typed.
func (m *Model) openPath(path string) tea.Cmd {
	path = strings.TrimSpace(path)
	var closed tea.Cmd
	if _, _, found := m.catalog.byPath(path); found {
		closed = m.flow.CloseResult()
	}
	switch {
	case m.flow.Active():
		return views.Tell(views.Warning, "Finish the open change first, or go back.")
	case m.inside && m.open.busy():
		return views.Tell(views.Warning, views.Keys("Finish typing first, or press {key:services.back}."))
	case path == "":
		return views.Tell(views.Warning, "Name a service, such as Utilities/Geometry.GeometryServer.")
	}
	return tea.Batch(closed, m.openNamed(path))
}

// openPlacement opens the rules of a service, at a node where one is named after it.
func (m *Model) openPlacement(argument string) tea.Cmd {
	path, node, _ := strings.Cut(strings.TrimSpace(argument), " ")
	return m.openTab(path, func() tab {
		m.open.placement.ShowNode(node)
		return m.open.placement
	})
}

// openStatus opens the state of a service.
func (m *Model) openStatus(path string) tea.Cmd {
	return m.openTab(strings.TrimSpace(path), func() tab { return m.open.status })
}

// openHistory opens the versions of a service.
func (m *Model) openHistory(path string) tea.Cmd {
	return m.openTab(strings.TrimSpace(path), func() tab { return m.history() })
}

// openTab opens a tab of a service by its path, once that is open.
func (m *Model) openTab(path string, at func() tab) tea.Cmd {
	var opened tea.Cmd
	here := func() bool { return m.inside && strings.EqualFold(m.open.service.Path(), path) }
	if !here() || m.flow.Active() || m.open.busy() {
		was := m.open
		if opened = m.openPath(path); m.open == was || !here() || m.open.busy() {
			return opened
		}
	}
	if m.open.at, m.open.comparison = slices.Index(m.open.tabs, at()), nil; m.flow.Active() { // its result comes first
		return opened
	}
	return tea.Batch(opened, m.open.tab().Shown())
}

// openNamed opens a service by its path. What the list does not have yet is opened when
// its folder was read.
func (m *Model) openNamed(path string) tea.Cmd {
	c := m.catalog
	c.wanted = ""
	service, key, found := c.byPath(path)
	switch {
	case found:
		left := m.leave()
		c.list.Select(key)
		return tea.Batch(left, m.openService(service))
	case c.Err != nil && c.Updated.IsZero():
		return views.Tell(views.Warning, "The list was not read, so "+plain.Line(path)+views.Keys(" may not exist. {key:services.refresh} refreshes."))
	case !m.Env.Offline && (c.Loading || c.Updated.IsZero()):
		c.wanted = path
		return views.Tell(views.Info, "Reading the list; "+plain.Line(path)+" opens when it is found.")
	}
	return views.Tell(views.Warning, "No service "+plain.Line(path)+" in the list.")
}

// openWanted opens what was named before its folder was read, or says that there is no
// such service; not where something else was opened meanwhile.
func (m *Model) openWanted() tea.Cmd {
	path := m.catalog.wanted
	if _, _, found := m.catalog.byPath(path); path == "" || !found && m.catalog.Loading {
		return nil
	}
	if m.inside || m.flow.Active() || m.catalog.list.Typing() {
		m.catalog.wanted = ""
		return nil
	}
	return m.openNamed(path)
}

// openService enters a service.
func (m *Model) openService(service adminapi.ServiceRef) tea.Cmd {
	m.shared.Pods.ForgetOthers(service)
	m.open = m.newOpened(service)
	m.catalog.attended = true
	if m.flow.Return(service); m.flow.Active() && m.flow.Part() == editing.Placement { // the page of a change stands on its tab
		m.open.at = slices.Index(m.open.tabs, tab(m.open.placement))
	}
	m.show(true)
	if _, known := m.catalog.states[service.Path()]; !known {
		return tea.Batch(m.open.tab().Shown(), m.catalog.loadStates(service))
	}
	return m.open.tab().Shown()
}

// show shows the service that was entered, or the list.
func (m *Model) show(inside bool) {
	m.inside = inside
	m.catalog.hidden = inside
	m.place()
}

// leave goes back to the list; the tabs say which edits are kept as drafts.
func (m *Model) leave() tea.Cmd {
	if !m.inside {
		return nil
	}
	var told []tea.Cmd
	var sent tab // what is sent is no draft
	switch o := m.open; {
	case m.flow.SendsTo(o.definition.Target):
		sent = o.definition
	case m.flow.SendsTo(o.placement.Target):
		sent = o.placement
	}
	for _, tab := range m.open.tabs {
		if closed := tab.Close(); tab != sent {
			told = append(told, closed)
		}
	}
	m.shared.Pods.Leave()
	for _, kind := range []string{"compare", "judge", "deployments", "copy rules"} {
		m.Scope.Forget(kind)
	}
	m.show(false)
	m.catalog.list.Redraw()
	return tea.Batch(append(told, m.followList())...)
}

// back goes one step out.
func (m *Model) back() tea.Cmd {
	switch {
	case m.open.comparison != nil:
		m.open.comparison = nil
		return nil
	case m.open.tab().Back():
		return nil
	}
	return m.leave()
}

func (m *Model) turn(steps int) tea.Cmd {
	o := m.open
	o.at, o.comparison = (o.at+steps+len(o.tabs))%len(o.tabs), nil
	if o.at == historyTab {
		m.history()
	}
	return o.tab().Shown()
}

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

// Closed shows again what was shown before a change; after several services, their list.
func (m *Model) Closed(several bool) tea.Cmd {
	m.show(m.inside)
	if now, at := m.flow.Read(); now != nil {
		for _, tab := range m.open.editors() {
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

// Compare shows what differs in place of the tab.
func (m *Model) Compare(title string, differences document.Review) tea.Cmd {
	if len(differences.Changes) == 0 {
		return views.Tell(views.Info, "No differences.")
	}
	c := &comparison{title: title, review: diff.New(m.Env.Theme)}
	c.review.Set(differences)
	m.open.comparison = c
	m.place()
	return nil
}

// StopComparing shows the tab again.
func (m *Model) StopComparing() { m.open.comparison = nil }

// MarkOnly marks these services and no others.
func (m *Model) MarkOnly(services []adminapi.ServiceRef) { m.catalog.markOnly(services) }

// Settled takes over what the site has after a change was sent: what it does not have of
// an edit stays a draft.
func (m *Model) Settled(s change.Settled) tea.Cmd {
	switch path := s.Edit.Service.Path(); {
	case !s.Touched:
		m.catalog.noteEdit(path, explain.Restart{})
	case s.Ended > 0:
		m.catalog.noteEdit(path, explain.RestartAfter(s.Ended))
	}
	if s.Touched {
		m.catalog.forgetState(s.Edit.Service)
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

// Ended reads anew which outcomes are unknown.
func (m *Model) Ended() tea.Cmd { return m.drafts.LoadOpen() }

// OutcomesKnown reads anew which outcomes are unknown.
func (m *Model) OutcomesKnown() tea.Cmd { return m.drafts.LoadOpen() }

// Restarts says that a service restarts, with all that run in its pods: it is being changed.
func (m *Model) Restarts(service adminapi.ServiceRef) {
	m.catalog.noteEdit(service.Path(), explain.RestartAfter(adminapi.MillisOf(m.Env.Times.Site().Now())))
}

// Rebased takes over an edit that was brought onto what the site has; undo leads back to before.
func (m *Model) Rebased(edit editing.Edit, before *document.Document) tea.Cmd {
	if tab := m.editor(edit.Target); tab != nil {
		return tab.Rebase(edit, before)
	}
	return nil
}
