package ui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

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
func KeyTable() []Group { return append(keyTable(newRouter(nil, makers())), typingKeys()...) }

func keyTable(r router) []Group {
	var all []views.Command
	for _, g := range append(globals(), r.tabs()...) {
		all = append(all, g.Command)
	}
	groups := grouped("", all)
	for _, maker := range r.makers {
		groups = append(groups, grouped(maker.Title, maker.Table)...)
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

// openHelp shows the commands of this screen, then what works everywhere.
func (m *Model) openHelp(string) tea.Cmd {
	var groups []Group
	title := "Help"
	if maker, ok := m.router.maker(m.router.shown); ok {
		groups = grouped(maker.Title, maker.Table)
		title = "Help for " + maker.Title
	}
	for _, group := range keyTable(router{makers: m.router.makers}) {
		if group.View == "" {
			groups = append(groups, group)
		}
	}
	groups = append(groups, typingKeys()...)
	return m.open(views.NewPage(m.env.Theme, "help", title, func(width int) []string {
		return m.helpLines(groups, width)
	}), false)
}

func (m *Model) helpLines(groups []Group, width int) []string {
	var lines []string
	for _, group := range groups {
		if len(lines) > 0 {
			lines = append(lines, "")
		}
		lines = append(lines, m.env.Theme.Heading.Render(group.Title))
		for _, c := range group.Commands {
			lines = append(lines, m.helpLine(c, width)...)
		}
	}
	return lines
}

// The columns of help: keys, then names, then a sentence that may wrap.
const (
	helpKeys  = 12
	helpNames = 22
)

func (m *Model) helpLine(c views.Command, width int) []string {
	t := m.env.Theme
	labels := make([]string, len(c.Keys))
	for i, key := range c.Keys {
		labels[i] = views.KeyLabel(key, t.Options().ASCII)
	}
	name := ""
	if c.Name != "" {
		name = ":" + c.Name
	}
	if c.Argument != "" {
		name += " <" + c.Argument + ">"
	}
	head := "  " + t.Key.Render(views.Fit(strings.Join(labels, " "), helpKeys, t.Glyphs.Ellipsis)) + " " +
		t.Muted.Render(views.Fit(name, helpNames, t.Glyphs.Ellipsis)) + " "
	indent := helpKeys + helpNames + 4
	sentence := views.Wrap(c.Help, max(width-indent, 10))
	lines := []string{head + sentence[0]}
	for _, more := range sentence[1:] {
		lines = append(lines, strings.Repeat(" ", indent)+more)
	}
	return lines
}
