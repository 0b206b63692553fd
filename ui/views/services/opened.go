package services

import (
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/definition"
	"geodeck/ui/views/services/editor"
	"geodeck/ui/views/services/history"
	"geodeck/ui/views/services/placement"
	"geodeck/ui/widget/diff"
	"geodeck/ui/widget/rows"
)

// tab is one of an open service.
type tab interface {
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

// The places of the tabs.
const (
	definitionTab = iota
	placementTab
	historyTab
	statusAt
	tabCount
)

var tabTitles = [tabCount]string{"Definition", "Placement", "History", "Status"}

// partTab is the place of the tab in which a part is edited.
func partTab(part editing.Part) int {
	if part == editing.Placement {
		return placementTab
	}
	return definitionTab
}

// tabsHost is what the tabs lead to outside of their service.
type tabsHost interface {
	Review(edit editing.Edit, now *document.Document) tea.Cmd
	Restore(edit editing.Edit, saved time.Time) tea.Cmd
	Services() []adminapi.ServiceRef
}

// opened is a service that was entered: its tabs, of which each is made when it is shown first.
type opened struct {
	views.Base
	inks       *rows.Inks
	service    adminapi.ServiceRef
	host       tabsHost
	states     *states
	shared     placement.Shared
	made       [tabCount]tab
	at         int
	comparison *comparison // shown in place of the tab
	batch      bool        // what is edited is meant for all marked services
}

// comparison is what differs between two versions, to be read.
type comparison struct {
	title  string
	review *diff.Review
}

func newOpened(base views.Base, inks *rows.Inks, service adminapi.ServiceRef, host tabsHost, states *states, shared placement.Shared) *opened {
	return &opened{Base: base, inks: inks, service: service, host: host, states: states, shared: shared}
}

// around is what the tabs ask of the service that they are of, and of what is around that.
type around struct {
	tabsHost
	*opened
}

// part is the tab at a place.
func (o *opened) part(at int) tab {
	if o.made[at] == nil {
		o.made[at] = o.make(at)
		o.made[at].SetSize(o.Width, o.tabHeight())
	}
	return o.made[at]
}

func (o *opened) make(at int) tab {
	base, host := o.Child(), around{o.host, o}
	switch at {
	case definitionTab:
		return definition.New(base, o.inks, o.service, host, o.shared.Drafts)
	case placementTab:
		return placement.New(base, o.inks, o.service, host, o.shared)
	case historyTab:
		return history.New(base, o.inks, o.service, host)
	}
	return newStatusTab(base, o.inks, o.service, o.states, func() (*document.Document, time.Time) {
		if o.made[definitionTab] == nil {
			return nil, time.Time{}
		}
		return o.definition().Now(), o.definition().Fetch().Updated
	})
}

// tab is the one in front.
func (o *opened) tab() tab { return o.part(o.at) }

func (o *opened) definition() *editor.Tab { return o.part(definitionTab).(*editor.Tab) }

func (o *opened) placement() *placement.Tab { return o.part(placementTab).(*placement.Tab) }

// editor is the tab of a part of the service.
func (o *opened) editor(part editing.Part) *editor.Tab {
	if part == editing.Placement {
		return o.placement().Tab
	}
	return o.definition()
}

// target is what is edited in the tab at a place.
func (o *opened) target(at int) editing.Target {
	if at == placementTab {
		return editing.PlacementOf(o.service)
	}
	return editing.DefinitionOf(o.service)
}

// editors are the tabs that were made in which parts of the service are edited.
func (o *opened) editors() (made []*editor.Tab) {
	for _, part := range []editing.Part{editing.Definition, editing.Placement} {
		if o.made[partTab(part)] != nil {
			made = append(made, o.editor(part))
		}
	}
	return made
}

// typing reports whether something is being typed, here or in $EDITOR.
func (o *opened) typing() bool {
	return o.tab().CapturesText() || slices.ContainsFunc(o.editors(), (*editor.Tab).Outside)
}

// busy reports whether an edit of a long definition goes on in a command.
func (o *opened) busy() bool { return o.at == definitionTab && o.definition().Busy() }

// updated is when the definition was read, zero where it was not.
func (o *opened) updated() (at time.Time) {
	if o.made[definitionTab] != nil {
		at = o.definition().Fetch().Updated
	}
	return at
}

// nodesChanged has the rules judged with other nodes.
func (o *opened) nodesChanged() tea.Cmd {
	if o.made[placementTab] == nil {
		return nil
	}
	return o.placement().NodesChanged()
}

// podsChanged draws the pods of the rules again.
func (o *opened) podsChanged() {
	if o.made[placementTab] != nil {
		o.placement().PodsChanged()
	}
}

// openHead are the tabs of a service, and a blank line.
const openHead = 2

func (o *opened) tabHeight() int { return max(0, o.Height-openHead) }

// SetSize gives the service its cells.
func (o *opened) SetSize(width, height int) {
	o.Base.SetSize(width, height)
	for _, tab := range o.made {
		if tab != nil {
			tab.SetSize(width, o.tabHeight())
		}
	}
	if o.comparison != nil {
		o.comparison.review.SetSize(width, o.tabHeight())
	}
}

// front is the tab, or what is shown in its place.
func (o *opened) front() interface {
	Update(tea.Msg) tea.Cmd
	CapturesText() bool
	Filtering() bool
	View() string
} {
	if o.comparison != nil {
		return o.comparison.review
	}
	return o.tab()
}

var comparisonFooter = []string{rows.Up, rows.Down, "diff.open", diff.Copy, rows.Filter, "services.back"}

// Footer lists the rows of the footer.
func (o *opened) Footer() []string {
	if o.comparison != nil {
		return comparisonFooter
	}
	return o.tab().Footer()
}

// about says what is on the screen.
func (o *opened) About() string {
	if o.comparison != nil {
		return "What differs between two versions."
	}
	return o.tab().About()
}

// Rested has what is in front show what its cursor has come to.
func (o *opened) Rested() tea.Cmd {
	if o.comparison != nil {
		o.comparison.review.Rested()
		return nil
	}
	if tab, ok := o.tab().(interface{ Rested() tea.Cmd }); ok {
		return tab.Rested()
	}
	return nil
}

// turn shows the tab so many places on.
func (o *opened) turn(steps int) tea.Cmd { return o.show((o.at + steps + tabCount) % tabCount) }

func (o *opened) show(at int) tea.Cmd {
	o.at, o.comparison = at, nil
	return o.tab().Shown()
}

// Back goes one step out inside; false where there is none.
func (o *opened) Back() bool {
	if o.comparison != nil {
		o.comparison = nil
		return true
	}
	return o.tab().Back()
}

// Close ends what is under way; the tabs say which edits are kept as drafts, but for the one that is sent.
func (o *opened) Close(sent func(editing.Target) bool) tea.Cmd {
	var told []tea.Cmd
	for at, tab := range o.made {
		if tab == nil {
			continue
		}
		closed := tab.Close()
		if at > placementTab || !sent(o.target(at)) {
			told = append(told, closed)
		}
	}
	o.shared.Pods.Leave()
	for _, kind := range []string{"compare", "judge", "deployments", "copy rules"} {
		o.Scope.Forget(kind)
	}
	return tea.Batch(told...)
}

// Compare shows what differs in place of the tab.
func (o *opened) Compare(title string, differences document.Review) tea.Cmd {
	if len(differences.Changes) == 0 {
		return views.Tell(views.Info, "No differences.")
	}
	o.comparison = &comparison{title: title, review: diff.New(o.Env.Theme)}
	o.comparison.review.Set(differences)
	o.comparison.review.SetSize(o.Width, o.tabHeight())
	return nil
}

// StopComparing shows the tab again.
func (o *opened) StopComparing() { o.comparison = nil }

// View draws the tabs of the service, its state, and the tab in front, with the names of the services
// that an edit is meant for where these are several. The frame above names the service.
func (o *opened) View(names []string) string {
	path, notes, title := o.service.Path(), []string(nil), ""
	if o.comparison != nil {
		title = o.inks.Heading.On("  " + plain.Clip("Difference: "+o.comparison.title, o.Width-2))
	} else {
		notes = o.tab().Notes()
		if len(names) > 1 {
			title = o.inks.Warn.On(plain.Clip("Editing for "+plain.Plural(len(names), "service")+": "+strings.Join(names, ", "), o.Width))
		}
	}
	if unknown := o.shared.Drafts.UnknownOf(path); unknown != "" {
		notes = append([]string{o.inks.Unknown.On(o.inks.Glyphs.Unknown + " " + unknown), o.inks.Muted.On(views.Keys("{key:services.refresh} looks for it"))}, notes...)
	}
	if glyph, text, ink := o.states.stateOf(path); text != "" {
		notes = append(notes, ink.On(glyph+" "+text+o.states.sinceRestart(path)))
	}
	line, note := o.titles(), ""
	room := o.Width - ansi.StringWidth(line) - 2
	for _, next := range notes { // as many as there is room for
		longer := next
		if note != "" && next != "" {
			longer = note + " " + o.inks.Glyphs.Dot + " " + next
		}
		if next != "" && ansi.StringWidth(longer) <= room {
			note = longer
		}
	}
	return o.inks.Headed(o.Width, o.Height, o.front().View(), o.inks.Beside(line, note, o.Width), title)
}

// titles names the tabs, and highlights the one in front. The others are marked where they have a draft.
func (o *opened) titles() string {
	var names []string
	for i, title := range tabTitles {
		name := o.inks.Tab(title, i == o.at, o.inks.TabOn)
		if i != o.at && o.drafted(i) {
			name += o.inks.Warn.On(draftMark)
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// drafted reports whether there is an edit, or a draft, of a tab.
func (o *opened) drafted(at int) bool {
	if edited, is := o.made[at].(interface{ Drafted() bool }); is {
		return edited.Drafted()
	}
	return at <= placementTab && o.shared.Drafts.Kept(o.target(at))
}
