package ui

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"geodeck/adminapi/fleet"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// Sites are those that the dashboard can go to.
type Sites interface {
	// All returns those of config.yaml, in its order.
	All() ([]SiteEntry, error)
	// Open returns what the dashboard of one is made with.
	Open(ctx context.Context, name string) (Options, error)
	// Demo returns what the dashboard of a simulated site is made with.
	Demo(ctx context.Context) (Options, error)
	// Look says in a sentence what answers at an address. It sends no token.
	Look(ctx context.Context, address string) string
	// Add adds a site to config.yaml; the first one is opened from then on.
	Add(SiteEntry) error
}

// SiteEntry is a site that the dashboard can go to.
type SiteEntry struct {
	Name, Address string
	Production    bool
	ReadOnly      bool // until it is unlocked
	Current       bool // geodeck opens it where nothing else is said
}

// fleet returns what reads the sites of config.yaml; nil where there is nothing to read. The site
// that is shown is read as its dashboard reads it: what was signed in to there counts.
func (o Options) fleet() func() ([]fleet.Entry, error) {
	read, shown := o.Fleet, fleet.Connection{Site: o.Site, Kept: true, Shared: true}
	if read == nil || o.Site.Client == nil {
		return read
	}
	return func() ([]fleet.Entry, error) {
		entries, err := read()
		for i := range entries {
			// A demo, or a site given by its address, may only be called as one of config.yaml.
			if e := entries[i]; e.Name != "" && e.Name == o.Entry.Name && e.Address == o.Entry.Address {
				entries[i].Open = func(context.Context) (fleet.Connection, error) { return shown, nil }
			}
		}
		return entries, err
	}
}

// is reports whether the dashboard of another entry is that of this one: a site that was edited
// meanwhile is another one.
func (s SiteEntry) is(other SiteEntry) bool {
	s.Current, other.Current = false, false
	return s == other
}

const sitesID = "sites"

// chooser is the dialog that lists the sites to go to.
type chooser struct {
	finder[string]
	model   *Model
	entries siteRows
}

// sitesRead is the end of reading the sites from disk.
type sitesRead struct {
	all     []SiteEntry
	err     error
	welcome bool // no site is on the screen yet
}

// chooseSite reads the sites, and then shows them.
func (m *Model) chooseSite() tea.Cmd {
	if m.options.Sites == nil {
		return views.Tell(views.Info, "There is no other site here.")
	}
	return m.readSites(false)
}

func (m *Model) readSites(welcome bool) tea.Cmd {
	sites := m.options.Sites
	return m.scope.Do("sites", func(context.Context) tea.Msg {
		all, err := sites.All()
		return sitesRead{all, err, welcome}
	})
}

// sitesRead shows the sites.
func (m *Model) sitesRead(r sitesRead) tea.Cmd {
	switch {
	case r.err != nil:
		return views.TellError(r.err)
	case len(r.all) == 0 && r.welcome:
		return m.open(newWelcome(m, true), true)
	case len(r.all) == 0:
		return views.Tell(views.Info, "No sites yet: type :add site.")
	}
	c := &chooser{finder: newFinder[string](sitesID, m.env.Theme), model: m}
	c.table = c.commands()
	width := 0
	for _, site := range r.all {
		width = max(width, lipgloss.Width(site.Name))
	}
	c.entries = siteRows{m, r.all, min(width, maxSiteName)}
	c.list.Set(c.entries)
	c.list.Select(m.options.Entry.Name)
	c.list.StartFilter() // letters choose: no row is the one that is meant just because the cursor is there
	return m.open(c, false)
}

// leaveFor goes to another site, and asks first where something would be lost.
func (m *Model) leaveFor(s SiteEntry) tea.Cmd {
	if s.is(m.options.Entry) {
		return views.Tell(views.Info, "You are at "+s.Name+" already.")
	}
	return m.goTo(s.Name)
}

// goTo opens another site by its name.
func (m *Model) goTo(name string) tea.Cmd {
	sites := m.options.Sites
	if sites == nil {
		return nil
	}
	return m.leave(openSite{what: plain.Line(name), open: func(ctx context.Context) (Options, error) { return sites.Open(ctx, name) }})
}

// leave leaves this site, and asks first where something would be lost.
func (m *Model) leave(to openSite) tea.Cmd {
	to.told = m.quitWarnings()
	if to.told == "" {
		return views.Send(to)
	}
	return m.open(askToLeave(m, to, to.told), false)
}

// leaveAfterAll asks again where something has begun here while the other site was opened.
func (m *Model) leaveAfterAll(to openSite) (ask tea.Cmd, asks bool) {
	told := m.quitWarnings()
	consequence := told
	switch top := m.dialogs.top(); {
	case top != nil && !to.closes:
		consequence = strings.TrimSpace(told + "\nWhat is open here is closed with what is typed there.")
	case told == "" || told == to.told:
		return nil, false
	}
	to.told, to.closes = told, true
	return m.open(askToLeave(m, to, consequence), true), true
}

func askToLeave(m *Model, to openSite, consequence string) views.Dialog {
	return widget.NewConfirm(m.env.Theme, widget.Question{
		ID: "leave", Text: "Go to " + to.what + "?", Consequence: consequence, Yes: "go", No: "stay", Then: views.Send(to),
	})
}

// Update moves, filters, chooses or closes.
func (c *chooser) Update(msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
		return nil
	case c.list.Typing() && key.Type == tea.KeyEnter:
		return c.choose()
	case c.list.Typing() && c.list.Filter() == "" && slices.Contains([]string{"esc", "@"}, key.String()):
		return c.Shut()
	}
	return c.press(key)
}

// choose goes to the site under the cursor.
func (c *chooser) choose() tea.Cmd {
	i, ok := c.list.Selected()
	if !ok {
		return nil
	}
	return views.Send(views.Shut{ID: sitesID, Then: c.model.leaveFor(c.entries.all[i])})
}

// commands makes the keys of the dialog while no filter is typed.
func (c *chooser) commands() []views.Command {
	return slices.Concat([]views.Command{
		{Binding: views.Key("clear the filter", "esc"), Shown: func() bool { return c.list.Filter() != "" }, Run: views.Call(func() { c.list.SetFilter("") })},
		{Binding: views.Key("open", "enter"), Run: views.Do(c.choose)},
		{Binding: views.Key("close", "esc", "q", "@"), Run: views.Do(c.Shut)},
	}, c.list.Filters(), c.list.Moves())
}

// SetSize gives the dialog its cells.
func (c *chooser) SetSize(width, height int) {
	c.finder.SetSize(width, height)
	c.list.SetSize(width, max(min(height-chooserHead, len(c.entries.all)+1), 1))
}

// maxSiteName is what a name gets before the addresses begin, in cells.
const maxSiteName = 30

// chooserHead is the title and an empty line.
const chooserHead = 2

// View draws the title and the sites.
func (c *chooser) View() string {
	return c.heading("Go to a site") + "\n\n" + c.list.View()
}

// Hints are the keys for choosing, filtering and closing.
func (c *chooser) Hints() []views.Hint {
	if !c.list.Typing() {
		return views.Hints(c.table)
	}
	hints := rows.TypingHints()
	for i := range hints {
		if hints[i].Key == "enter" { // keeps no filter here
			hints[i].Text = "open"
		}
	}
	return hints
}

// siteRows are the rows of the sites.
type siteRows struct {
	in    *Model
	all   []SiteEntry
	width int // of the longest name, in cells
}

// Len is the number of sites.
func (s siteRows) Len() int { return len(s.all) }

// Key is the name.
func (s siteRows) Key(i int) string { return s.all[i].Name }

// Depth is 0: it is a list.
func (s siteRows) Depth(int) int { return 0 }

// Version never changes.
func (s siteRows) Version(int) uint64 { return 0 }

// Matches reports whether the name or the address matches.
func (s siteRows) Matches(i int, has func(string) bool) bool {
	return has(s.all[i].Name) || has(s.all[i].Address) || s.all[i].Production && has("PRODUCTION")
}

// Draw draws the name, what must not be overlooked, and the address, which gives way.
func (s siteRows) Draw(i int, look rows.Look) string {
	t, site := s.in.env.Theme, s.all[i]
	parts := []string{views.Fit(site.Name, s.width, t.Glyphs.Ellipsis)}
	var marks []string
	if site.Production {
		marks = append(marks, t.Production.Render(productionWord))
	} else if site.ReadOnly {
		marks = append(marks, t.Locked.Render(t.Glyphs.Locked+" read-only"))
	}
	switch {
	case site.is(s.in.options.Entry):
		marks = append(marks, t.Muted.Render("on the screen"))
	case site.Current:
		marks = append(marks, t.Muted.Render("opened first"))
	}
	parts = append(append(parts, marks...), t.Muted.Render(site.Address))
	return views.Fit(strings.Join(parts, "  "), look.Width, t.Glyphs.Ellipsis)
}
