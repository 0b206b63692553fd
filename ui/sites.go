package ui

import (
	"context"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"geodeck/adminapi/fleet"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/header"
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
	// Look says what answers at an address. It sends no token.
	Look(ctx context.Context, address string) operation.Contact
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

// fleet returns what reads the sites of config.yaml. The one that is shown is read as its
// dashboard reads it: what was signed in to there counts.
func (o Options) fleet() func() ([]fleet.Entry, error) {
	read, shown := o.Fleet, fleet.Connection{Site: o.Site, Kept: true, Shared: true}
	if o.Site.Client == nil {
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
	widget.Finder[string]
	leaveFor func(SiteEntry) tea.Cmd
	entries  siteRows
}

// siteSwitch leads to other sites: it lists them, adds one, and asks before this one is left.
type siteSwitch struct {
	part
	losses func() string // what the user should know before this one is left
}

// choose reads the sites, and then shows them.
func (w *siteSwitch) choose() tea.Cmd {
	if w.options.Sites == nil {
		return views.Tell(views.Info, "There is no other site here.")
	}
	return w.fetch(false)
}

func (w *siteSwitch) fetch(welcome bool) tea.Cmd {
	sites := w.options.Sites
	return w.scope.Work("sites", func(context.Context) func() tea.Cmd {
		all, err := sites.All()
		return func() tea.Cmd {
			if err != nil {
				return views.TellError(err)
			}
			return w.list(all, welcome)
		}
	})
}

// list shows the sites; welcome says that none is on the screen yet.
func (w *siteSwitch) list(all []SiteEntry, welcome bool) tea.Cmd {
	switch {
	case len(all) == 0 && welcome:
		return w.tell(views.Open{Dialog: newWelcome(w.part, true), Unrequested: true})
	case len(all) == 0:
		return views.Tell(views.Info, "No sites yet: type :add site.")
	}
	c := &chooser{Finder: widget.NewFinder[string](sitesID, w.env.Theme), leaveFor: w.leaveFor}
	c.Table = c.commands()
	width := 0
	for _, site := range all {
		width = max(width, lipgloss.Width(site.Name))
	}
	c.entries = siteRows{theme: w.env.Theme, here: w.options.Entry, all: all, width: min(width, maxSiteName)}
	c.List.Set(c.entries)
	c.List.Select(w.options.Entry.Name)
	c.List.StartFilter() // letters choose: no row is the one that is meant just because the cursor is there
	return w.tell(views.Open{Dialog: c})
}

// leaveFor goes to another site, and asks first where something would be lost.
func (w *siteSwitch) leaveFor(s SiteEntry) tea.Cmd {
	if s.is(w.options.Entry) {
		return views.Tell(views.Info, "You are at "+s.Name+" already.")
	}
	return w.goTo(s.Name)
}

// goTo opens another site by its name.
func (w *siteSwitch) goTo(name string) tea.Cmd {
	sites := w.options.Sites
	if sites == nil {
		return nil
	}
	return w.leave(openSite{what: plain.Line(name), open: func(ctx context.Context) (Options, error) { return sites.Open(ctx, name) }})
}

// goToDemo opens a simulated site.
func (w *siteSwitch) goToDemo() tea.Cmd {
	return w.leave(openSite{what: "the demo", open: w.options.Sites.Demo})
}

// leave leaves this site, and asks first where something would be lost.
func (w *siteSwitch) leave(to openSite) tea.Cmd {
	to.told = w.losses()
	if to.told == "" {
		return views.Send(to)
	}
	return w.askToLeave(to, to.told, false)
}

// leaveAfterAll asks again where something has begun here while the other site was opened; over is
// the id of the dialog that is open.
func (w *siteSwitch) leaveAfterAll(to openSite, over string) (ask tea.Cmd, asks bool) {
	told := w.losses()
	consequence := told
	switch {
	case over != "" && !to.closes:
		consequence = strings.TrimSpace(told + "\nWhat is open here is closed with what is typed there.")
	case told == "" || told == to.told:
		return nil, false
	}
	to.told, to.closes = told, true
	return w.askToLeave(to, consequence, true), true
}

func (w *siteSwitch) askToLeave(to openSite, consequence string, unrequested bool) tea.Cmd {
	return w.confirm(widget.Question{
		ID: "leave", Text: "Go to " + to.what + "?", Consequence: consequence, Yes: "go", No: "stay", Then: views.Send(to),
	}, unrequested)
}

// Update moves, filters, chooses or closes.
func (c *chooser) Update(msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
		return nil
	case c.List.Typing() && key.Type == tea.KeyEnter:
		return c.choose()
	case c.List.Typing() && c.List.Filter() == "" && slices.Contains([]string{"esc", "@"}, key.String()):
		return c.Shut()
	}
	return c.Press(key)
}

// choose goes to the site under the cursor.
func (c *chooser) choose() tea.Cmd {
	i, ok := c.List.Selected()
	if !ok {
		return nil
	}
	return c.ShutThen(c.leaveFor(c.entries.all[i]))
}

// commands makes the keys of the dialog while no filter is typed.
func (c *chooser) commands() []views.Command {
	return slices.Concat([]views.Command{
		{Key: "esc", Word: "clear the filter", Shown: func() bool { return c.List.Filter() != "" }, Run: views.Call(func() { c.List.SetFilter("") })},
		{Key: "enter", Word: "open", Run: c.choose},
		{Key: "esc q @", Word: "close", Run: c.Shut},
	}, c.List.Filters(), c.List.Moves())
}

// SetSize gives the dialog its cells.
func (c *chooser) SetSize(width, height int) {
	c.Finder.SetSize(width, height)
	c.List.SetSize(width, max(min(height-chooserHead, len(c.entries.all)+1), 1))
}

// maxSiteName is what a name gets before the addresses begin, in cells.
const maxSiteName = 30

// chooserHead is the title and an empty line.
const chooserHead = 2

// View draws the title and the sites.
func (c *chooser) View() string {
	return c.Heading("Go to a site") + "\n\n" + c.List.View()
}

// Hints are the keys for choosing, filtering and closing.
func (c *chooser) Hints() []views.Hint {
	if !c.List.Typing() {
		return views.Hints(c.Table)
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
	rows.Flat
	theme *theme.Theme
	here  SiteEntry // the one that is shown
	all   []SiteEntry
	width int // of the longest name, in cells
}

// Len is the number of sites.
func (s siteRows) Len() int { return len(s.all) }

// Key is the name.
func (s siteRows) Key(i int) string { return s.all[i].Name }

// Matches reports whether the name or the address matches.
func (s siteRows) Matches(i int, has func(string) bool) bool {
	return has(s.all[i].Name) || has(s.all[i].Address) || s.all[i].Production && has("PRODUCTION")
}

// Draw draws the name, what must not be overlooked, and the address, which gives way.
func (s siteRows) Draw(i int, look rows.Look) string {
	t, site := s.theme, s.all[i]
	parts := []string{views.Fit(site.Name, s.width, t.Glyphs.Ellipsis)}
	var marks []string
	if site.Production {
		marks = append(marks, t.Production.Render(header.ProductionWord))
	} else if site.ReadOnly {
		marks = append(marks, t.Locked.Render(t.Glyphs.Locked+" read-only"))
	}
	switch {
	case site.is(s.here):
		marks = append(marks, t.Muted.Render("on the screen"))
	case site.Current:
		marks = append(marks, t.Muted.Render("opened first"))
	}
	parts = append(append(parts, marks...), t.Muted.Render(site.Address))
	return views.Fit(strings.Join(parts, "  "), look.Width, t.Glyphs.Ellipsis)
}
