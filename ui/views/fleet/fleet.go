// Package fleet is the view of all sites of config.yaml in one table, the worst first. It only
// reads: what is to be done at a site is done at that site.
//
// Start at [Model]. It polls each site by a watch of package adminapi/fleet while it is shown
// (polling.go), draws the rows (table.go), and compares the health of two sites (compare.go).
package fleet

import (
	"fmt"
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/fleet"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// Maker offers the view to the dashboard.
var Maker = views.Maker{ID: "fleet", Title: "Fleet", New: func(env *views.Env) views.View { return New(env) }}

// Model is the view.
type Model struct {
	views.Base
	inks     *rows.Inks
	fleet    *fleet.Fleet
	sites    []*site // in the order of config.yaml
	list     *rows.List[string]
	table    table
	err      error // why config.yaml cannot be read
	read     bool  // it was
	attended bool  // somebody is at the keys: the cursor stays on its site
	compare  comparison
	rows     []views.Command
	cache    views.Drawn[detailKey, string]
}

// New returns the view; Init starts it.
func New(env *views.Env) *Model {
	inks := rows.NewInks(env.Theme)
	m := &Model{Base: views.NewBase(env), inks: &inks, fleet: fleet.New(env.Clock), list: rows.New[string](env.Theme)}
	m.compare = comparison{Base: m.Base.Child(), inks: m.inks, pager: rows.NewPager(m.inks.Glyphs.Ellipsis)}
	m.arrange()
	m.tabulate()
	m.Answers = views.Hooks{About: m.about, Freshens: true, Rests: true}
	return m
}

// Init does nothing: [views.Shown] follows.
func (m *Model) Init() tea.Cmd { return nil }

// event follows what the root tells.
func (m *Model) event(e views.Event) tea.Cmd {
	switch e {
	case views.Shown:
		return m.readSites(false) // of config.yaml, which may have changed
	case views.Freshen:
		m.arrange() // what has an age is older
		return m.readDue()
	case views.Rested:
		return m.rested()
	case views.Attended: // the cursor is left to the user; before, it is on the worst site
		m.attended = m.attended || m.known() > 0
	}
	return nil
}

// CapturesText reports whether a filter is being typed.
func (m *Model) CapturesText() bool { return m.list.Typing() }

// about says what the screen is for.
func (m *Model) about() string {
	if m.compare.open {
		return "The newest health reports of two sites, and what differs between them."
	}
	return "All sites of config.yaml, the worst first. It only reads."
}

// Status says when a site was read last, and how many are read for the first time.
func (m *Model) Status() views.Status {
	s := views.Status{Err: m.err}
	if m.compare.open {
		s.Path = []string{m.compare.title()}
	}
	for _, site := range m.sites {
		if site.row.Updated.After(s.Updated) {
			s.Updated = site.row.Updated
		}
	}
	if waits := len(m.sites) - m.known(); waits > 0 {
		s.Busy = fmt.Sprintf("reading %d of %d sites", waits, len(m.sites))
	}
	if m.compare.loading {
		s.Busy = "reading two reports"
	}
	return s
}

// known is how many sites have a row.
func (m *Model) known() (n int) {
	for _, site := range m.sites {
		if site.row.State() != fleet.Reading {
			n++
		}
	}
	return n
}

// SetSize gives the view its cells.
func (m *Model) SetSize(width, height int) {
	m.Base.SetSize(width, height)
	m.list.SetSize(width, max(0, height-tableHead-m.lower()))
	m.compare.SetSize(width, height)
	m.arrange()
}

// Update takes replies, and typed text.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case views.Event:
		return m.event(msg)
	case tea.KeyMsg:
		if m.list.Typing() {
			m.list.Type(msg)
		}
	case views.Retry:
		return msg.Do()
	}
	return nil
}

const (
	group = "Sites"
	aSite = "a site under the cursor"
)

// Commands returns the rows of the table and of the comparison.
func (m *Model) Commands() []views.Command { return m.rows }

var footer = []string{rows.Up, rows.Down, "fleet.open", "fleet.compare", "fleet.back", "fleet.refresh", rows.Filter}

// Footer lists the rows of the footer.
func (m *Model) Footer() []string { return footer }

func (m *Model) tabulate() {
	listed := func() bool { return !m.compare.open && !m.list.Typing() }
	comparing := func() bool { return m.compare.open }
	atSite := views.Only(func() bool { return m.list.Len() > 0 }, "No site is selected.")
	marks := m.list.Marks()[:1] // one by one: a comparison is of two
	marks[0].Group, marks[0].Help = group, "Mark or unmark a site to compare, and go to the next."
	m.rows = views.Guarded(slices.Concat(
		views.When(listed, slices.Concat(views.Grouped(group, append([]views.Command{
			{ID: "fleet.open", Key: "enter", Word: "open", Name: "open site", Enabled: atSite, Needs: aSite, Run: m.goThere,
				Help: "Open the dashboard of the site."},
			{ID: "fleet.compare", Key: "C", Word: "compare", Name: "compare health", Enabled: atSite, Needs: aSite, Run: m.compareMarked,
				Help: "Compare the newest health reports of two sites that are marked."},
			{ID: "fleet.refresh", Key: "R f5", Word: "refresh", Name: "refresh", Run: func() tea.Cmd { return m.readSites(true) },
				Help: "Read config.yaml and all sites now."},
		}, marks...)), m.list.Filters(), m.list.Moves())),
		[]views.Command{
			{ID: "fleet.back", Key: "esc", Word: "back", Name: "go back", Group: group, Run: views.Call(m.back),
				Shown: func() bool { return comparing() || listed() && m.list.Narrowed() },
				Help:  "Back from a comparison; clears a filter, then the marks."},
		},
		views.When(comparing, m.compare.pager.Moves()),
	))
}

func (m *Model) siteOf(name string) *site {
	for _, s := range m.sites {
		if s.entry.Name == name {
			return s
		}
	}
	return nil
}

func (m *Model) goThere() tea.Cmd {
	name, _ := m.list.Key()
	if name == m.Env.SiteName && !m.Env.Offline {
		return views.Tell(views.Info, "You are at "+name+" already.")
	}
	return views.Send(views.GoToSite{Name: name})
}

// compareMarked compares the two sites that are marked, or the marked one with this.
func (m *Model) compareMarked() tea.Cmd {
	var pair []fleet.Entry
	for _, i := range m.list.Chosen() {
		pair = append(pair, m.siteOf(m.table.Key(i)).entry)
	}
	if name, _ := m.list.Key(); len(pair) == 1 && pair[0].Name != name {
		pair = append(pair, m.siteOf(name).entry)
	}
	if len(pair) != 2 {
		return views.Tell(views.Info, views.Keys("Mark two sites with {key:rows.mark}, then press {key:fleet.compare}."))
	}
	return m.compare.with(pair[0], pair[1])
}

// back closes the comparison, else clears what narrows the list.
func (m *Model) back() {
	if m.compare.open {
		m.compare.open = false
		return
	}
	m.list.Clear()
}
