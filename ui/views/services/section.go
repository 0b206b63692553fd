package services

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/ui/views"
	"geodeck/ui/views/diff"
	"geodeck/ui/views/rows"
)

// section is one tab of an open service.
type section interface {
	title() string
	// asked says how fresh it is; nil where it asks the site for nothing.
	asked() *views.Fetch
	// shown starts what has to be read once the section is in front.
	shown() tea.Cmd
	setSize(width, height int)
	view() string
	// notes stand at the right end of the line of sections, as many as fit; the most
	// wanted first.
	notes() []string
	commands() []views.Command
	// do runs one of its commands and tells whether it was one.
	do(id, argument string) (tea.Cmd, bool)
	// back goes one step out inside; false where there is none.
	back() bool
	capturesText() bool
	// update takes typed keys and messages of widgets.
	update(tea.Msg) tea.Cmd
	// leave is a question to ask before it is closed, or nothing.
	leave() string
}

// sections makes those of every service, in the order of their tabs. To add one, add
// its function here, and its commands to the table.
var sections = []func(*Model, adminapi.ServiceRef) section{newDefinition, newPlacing, newHistory, newStatus}

// opened is a service that was entered.
type opened struct {
	service  adminapi.ServiceRef
	sections []section
	at       int
	compare  *comparison // shown in place of the section
}

// comparison is what differs between two versions, to be read.
type comparison struct {
	title  string
	review *diff.Review
}

var (
	cmdNextSection = views.Command{ID: "services.next-section", Binding: views.Key("tabs", "tab"), Name: "next tab", Help: "Definition, placement, history, status; draft beside one: an edit of it is not sent yet.", Group: serviceGroup}
	cmdPrevSection = views.Command{ID: "services.previous-section", Binding: views.Key("", "shift+tab"), Name: "previous tab", Help: "The tab before.", Group: serviceGroup}
)

func (o *opened) section() section { return o.sections[o.at] }

func (o *opened) notes() []string {
	if o.compare != nil {
		return nil
	}
	return o.section().notes()
}

func (o *opened) view() string {
	if o.compare != nil {
		return o.compare.review.View()
	}
	return o.section().view()
}

func (o *opened) setSize(width, height int) {
	for _, s := range o.sections {
		s.setSize(width, height)
	}
	if o.compare != nil {
		o.compare.review.SetSize(width, height)
	}
}

// busy tells whether something is being typed, here or in an editor outside.
func (o *opened) busy() bool {
	away := slices.ContainsFunc(o.edits(), func(e *edited) bool { return e.away })
	return away || o.section().capturesText()
}

// wary tells whether keys that come in one go must not be taken for typed ones.
func (o *opened) wary() bool {
	s, editing := o.section().(interface{ edits() *edited })
	return editing && o.compare == nil && s.edits().capturesText() && s.edits().editor.Wary()
}

// openService enters a service.
func (m *Model) openService(service adminapi.ServiceRef) tea.Cmd {
	m.open = &opened{service: service}
	for _, make := range sections {
		m.open.sections = append(m.open.sections, make(m, service))
	}
	m.place()
	if _, known := m.catalog.states[service.Path()]; !known {
		return tea.Batch(m.open.section().shown(), m.askStates([]adminapi.ServiceRef{service}))
	}
	return m.open.section().shown()
}

// leaveOpen goes back to the list and says what is kept of an edit.
func (m *Model) leaveOpen() tea.Cmd {
	if m.open == nil {
		return nil
	}
	var said []tea.Cmd
	for _, e := range m.open.edits() {
		said = append(said, e.sayKept())
		m.scope.Forget(e.name())
	}
	m.open = nil
	m.pods.Forget()
	for _, kind := range []string{"history", "compare", "status", "judge", "deployments", "copy rules"} {
		m.scope.Forget(kind)
	}
	m.catalog.list.Redraw()
	return tea.Batch(append(said, m.follow())...)
}

// backFromOpen goes one step out; what is being typed is asked for first.
func (m *Model) backFromOpen() tea.Cmd {
	o := m.open
	switch {
	case o.compare != nil:
		o.compare = nil
		return nil
	case o.section().back():
		return nil
	}
	return m.leaveOpen()
}

func (m *Model) turnTo(steps int) tea.Cmd {
	o := m.open
	o.at, o.compare = (o.at+steps+len(o.sections))%len(o.sections), nil
	return o.section().shown()
}

// showDifference shows a comparison in place of the section.
func (m *Model) showDifference(title string, plan document.Review) {
	c := &comparison{title: title, review: diff.New(m.env.Theme)}
	c.review.Set(plan)
	m.open.compare = c
	m.place()
}

func (m *Model) openCommands() []views.Command {
	o := m.open
	switch {
	case o.compare != nil:
		return append(o.compare.review.Commands(), cmdBack)
	case o.section().capturesText():
		return o.section().commands()
	}
	return slices.Concat(o.section().commands(), []views.Command{cmdNextSection, cmdPrevSection, cmdBack})
}

func (m *Model) doOpen(id, argument string) tea.Cmd {
	o := m.open
	switch {
	case id == cmdBack.ID:
		return m.backFromOpen()
	case id == cmdNextSection.ID:
		return m.turnTo(1)
	case id == cmdPrevSection.ID:
		return m.turnTo(-1)
	case o.compare != nil:
		return views.Invoke(o.compare.review, id, argument)
	}
	cmd, _ := o.section().do(id, argument)
	return cmd
}

// filtered runs a command of a list, the filter with its argument.
func filtered[K comparable](list *rows.List[K], id, argument string) bool {
	if id == rows.Search && strings.TrimSpace(argument) != "" {
		list.SetFilter(argument)
		return true
	}
	return list.Do(id)
}
