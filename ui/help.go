package ui

import (
	"context"
	"io"
	"time"

	"github.com/charmbracelet/lipgloss"

	"geodeck/adminapi"
	"geodeck/theme"
	"geodeck/ui/views"
)

// Group is the commands that belong together in help and README.
type Group struct {
	View     string // the title of the view, empty for what works everywhere
	Title    string // "Move"
	Commands []views.Command
}

// KeyTable returns every command of the dashboard: what works everywhere, then
// each view's, in the order of their tables, and last the keys of lines, forms
// and pages.
func KeyTable() []Group { return append(keyTable(newRouter(bareEnv(), makers())), typingKeys()...) }

// bareEnv is what a view needs to say its rows: there is no site.
func bareEnv() *views.Env {
	t := theme.New(theme.Options{Renderer: lipgloss.NewRenderer(io.Discard)})
	clock := adminapi.SystemClock{}
	return &views.Env{Context: context.Background(), Clock: clock, Theme: t, Times: &views.Times{Local: time.UTC, Now: clock.Now}, Offline: true}
}

func keyTable(r router) []Group {
	var all []views.Command
	for _, g := range append(globals(), r.tabs()...) {
		all = append(all, g.Command)
	}
	groups := grouped("", all)
	for _, maker := range r.makers {
		groups = append(groups, grouped(maker.Title, maker.Rows(r.env))...)
	}
	return groups
}

// grouped keeps the order in which the groups first appear.
func grouped(view string, commands []views.Command) []Group {
	var groups []Group
	place := map[string]int{}
	for _, c := range commands {
		i, ok := place[c.Group]
		if !ok {
			i = len(groups)
			place[c.Group] = i
			groups = append(groups, Group{View: view, Title: c.Group})
		}
		groups[i].Commands = append(groups[i].Commands, c)
	}
	return groups
}

// helpGroups are the groups of the help on a screen: what can be done right now, here
// and everywhere, then what the view can do at other times, and last the keys of
// lines, forms and pages.
func (m *Model) helpGroups() (title string, groups []Group) {
	title = "Help"
	if maker, ok := m.router.maker(m.router.shown); ok {
		title = "Help for " + maker.Title
		groups = grouped(maker.Title, views.Distinct(views.Usable(m.router.active().Commands())))
	}
	for _, group := range keyTable(m.router) {
		if group.View == "" {
			groups = append(groups, group)
		}
	}
	for _, group := range grouped("", m.router.barred()) {
		group.Title += ", not possible right now"
		groups = append(groups, group)
	}
	return title, append(groups, typingKeys()...)
}
