package ui

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"

	"geodeck/adminapi/fleet"
	"geodeck/theme"
	"geodeck/ui/help"
	"geodeck/ui/palette"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
	"geodeck/ui/widget/whatnow"
)

// commands makes the rows that work on every screen.
func (m *Model) commands() []views.Command {
	rows := []views.Command{
		{ID: "palette", Key: ":", Word: "commands", Run: m.openPalette,
			Help: "Opens a line for commands by name, with completion."},
		{ID: "help", Key: help.Key, Word: "help", Name: "help", Run: m.openHelp,
			Help: "Says what this screen is for, and shows its keys; / filters them."},
		{ID: "back", Key: "esc", Hint: m.screen.leadsBack, Name: "back", Run: m.goBack,
			Help: "Clears the error, search, filter or marks, one per press; goes back."},
		{ID: "before", Key: "-", Name: "view before", Run: m.viewBefore,
			Help: "Shows the previous view; again returns."},
		{ID: "times", Key: "t", Name: "time display", Run: m.nextTimes,
			Help: "Times local, in UTC, relative, or since an upgrade began."},
		{ID: "notice", Key: "!", Name: "last notice", Run: m.notices.open,
			Help: "Shows the last notice or error in full."},
		{ID: "sites", Key: "@", Name: "sites", Run: m.sites.choose,
			Help: views.Keys("Lists the sites of config.yaml; {key:fleet.open} goes to one.")},
		{ID: "addsite", Name: "add site", Run: m.sites.add,
			Help: "Adds a site to config.yaml, and goes to it."},
		{ID: "look", Name: "refresh site", Run: m.site.refresh,
			Help: "Refreshes the state of the site in the header."},
		{ID: "dismiss", Name: "dismiss", Run: m.site.dismiss,
			Help: "Takes the end of the last upgrade off the header, for good."},
		{ID: "unresolved", Name: "unresolved requests", Run: m.unresolved.requested,
			Help: "Checks requests from this machine with an unknown outcome. Sends nothing."},
		{ID: "unfinished", Name: "unfinished work", Run: func() tea.Cmd { return m.unresolved.list(requested) },
			Help: "Lists drafts, interrupted edits, unknown outcomes and cut-off watches."},
		{ID: "signin", Name: "sign in", Run: m.session.requested,
			Help: "Asks for a user and password, or for a token."},
		{ID: "signout", Name: "sign out", Run: m.session.signOut,
			Help: "Forgets the token of this session."},
		{ID: "unlock", Name: "unlock", Run: m.lock.requested,
			Help: "Asks for the site's name, then lets this session change the site."},
		{ID: "lock", Name: "lock", Run: m.lock.close,
			Help: "Makes a site that was unlocked read-only again."},
		{ID: "alarms", Name: "alarms", Argument: "on|off", Optional: true, Choices: func() []views.Choice { return views.Choices(alarmWords) }, With: m.watch.alarms.switchTo,
			Help: "Turns alarms on or off: bell, notification and hook when a watched upgrade ends or stalls. Without a word, says what is on."},
		{ID: "slow", Name: "slow", Argument: "on|off", Optional: true, Choices: func() []views.Choice { return views.Choices(slowWords) }, With: m.site.switchSlow,
			Help: "Polls at half the pace and asks for less. Without a word, says which."},
		{ID: "suspend", Key: "ctrl+z", Name: "suspend", Run: func() tea.Cmd { return tea.Suspend },
			Help: "Suspends to the shell; fg returns."},
		{ID: "quit", Key: "q", Word: "quit", Hint: m.screen.quits, Name: "quit", Run: m.askToQuit,
			Help: "Quits; asks first if something would be lost. Closes a page or a question."},
	}
	return views.Grouped("Everywhere", append(rows, m.anytime...))
}

// everywhereFooter lists the rows of the root whose keys every footer has.
var everywhereFooter = []string{"back", "palette", "help", "quit"}

// anytimeCommands makes the rows that work even while a dialog is open, and the second even while
// keys wait.
func (m *Model) anytimeCommands() []views.Command {
	return []views.Command{
		{ID: "redraw", Key: "ctrl+l", Name: "redraw screen", Run: func() tea.Cmd { return tea.ClearScreen },
			Help: "Draws the screen anew, where another program wrote on it."},
		{ID: "interrupt", Key: "ctrl+c", Run: m.interrupt,
			Help: "Quits from anywhere; asks while you type, or if work is open; a second press quits."},
	}
}

// tabs makes a row for each view: its number, and its name in the palette.
func (m *Model) tabs() []views.Command {
	var rows []views.Command
	for i, maker := range m.screen.router.makers {
		row := views.Command{ID: "view." + maker.ID, Name: strings.ToLower(maker.Title), Group: "Views",
			Help: "Show the view " + maker.Title + ".", Run: func() tea.Cmd {
				m.notices.leave()
				return m.navigate(views.Navigate{View: maker.ID})
			}}
		if i < 9 {
			row.Key = strconv.Itoa(i + 1)
		}
		rows = append(rows, row)
	}
	return rows
}

// openPalette opens the line.
func (m *Model) openPalette() tea.Cmd {
	return m.open(palette.New(m.env, m.entries(), m.history, m.screen.layout.width), false)
}

// runLine runs a line of the palette and remembers it.
func (m *Model) runLine(r palette.Run) tea.Cmd {
	if last := len(m.history) - 1; last < 0 || m.history[last] != r.Line {
		m.history = append(m.history, r.Line)
	}
	m.notices.beforeCommand(r.Entry.Command)
	m.session.beforeCommand(r.Entry.Command)
	return r.Entry.Do(r.Argument)
}

// entries lists the commands with a name: those of the view, the root's own, those of the
// view that are not possible at present, and those of the other views, which are shown
// before they run.
func (m *Model) entries() []palette.Entry {
	var list []palette.Entry
	v := m.screen.router.active()
	for _, c := range views.Distinct(views.Usable(v.Commands())) {
		here := c
		here.With = func(argument string) tea.Cmd { return views.Invoke(v, c.ID, argument) }
		list = append(list, palette.Entry{Command: here})
	}
	for _, row := range m.everywhere {
		list = append(list, palette.Entry{Command: row})
	}
	for _, c := range m.screen.router.unavailable() {
		list = append(list, palette.Entry{Command: c, Unavailable: true})
	}
	for _, maker := range m.screen.router.makers {
		if maker.ID == m.screen.router.shown {
			continue
		}
		for _, c := range views.Distinct(views.Rows(m.screen.router.view(maker.ID))) {
			if rows.Moving(c.ID) || c.Within || slices.Contains(c.Keys(), "esc") { // within what is not shown
				continue
			}
			there := c
			there.Key = "" // its keys do not work here
			there.With = func(argument string) tea.Cmd {
				if c.Needs != "" && argument == "" { // what the cursor is on was not seen
					return tea.Batch(m.navigate(views.Navigate{View: maker.ID}), views.Tell(views.Info, fmt.Sprintf("%q needs %s. Choose it here first.", c.Name, c.Needs)))
				}
				return m.navigate(views.Navigate{View: maker.ID, Command: c.ID, Argument: argument})
			}
			list = append(list, palette.Entry{Command: there, Elsewhere: maker.Title})
		}
	}
	return slices.DeleteFunc(list, func(e palette.Entry) bool { return e.Name == "" })
}

// typingCommands returns the keys of lines, dialogs, the panel What now, and other text fields.
func (m *Model) typingCommands() []views.Command {
	list := append(palette.Commands(), widget.Commands()...)
	for _, maker := range m.screen.router.makers {
		if maker.Typing != nil {
			list = append(list, maker.Typing()...)
		}
	}
	return slices.Concat(list, whatnow.Commands(), rows.TypingCommands())
}

// openHelp shows what can be done on this screen.
func (m *Model) openHelp() tea.Cmd {
	router := &m.screen.router
	return m.open(help.OfScreen(m.env.Theme, help.Screen{
		Title: router.maker(router.shown).Title, View: router.active(), Unavailable: router.unavailable(),
		Everywhere: append(slices.Clone(m.own), m.viewKeys()), Typing: m.typingCommands(),
	}), false)
}

// viewKeys is one row for all views.
func (m *Model) viewKeys() views.Command {
	var keys, titles []string
	for i, tab := range m.tabs() {
		keys, titles = append(keys, tab.Keys()...), append(titles, m.screen.router.makers[i].Title)
	}
	return views.Command{Key: views.JoinKeys(keys...), Help: "Shows " + strings.Join(titles, ", ") + "."}
}

// KeyTable returns every command of the dashboard: what works everywhere, then
// each view's, in the order of their tables, and last the keys of lines, forms
// and pages.
func KeyTable() []help.Group {
	m := New(Options{Fleet: func() ([]fleet.Entry, error) { return nil, nil }, Theme: theme.New(theme.Options{Renderer: lipgloss.NewRenderer(io.Discard)})})
	defer m.Close()
	defer m.screen.router.close()
	groups := help.Grouped("", m.everywhere)
	for _, maker := range m.screen.router.makers {
		rows := views.Distinct(views.Rows(m.screen.router.view(maker.ID)))
		rows = slices.DeleteFunc(rows, func(c views.Command) bool { return c.Help == "" }) // see views.Unlisted
		groups = append(groups, help.Grouped(maker.Title, rows)...)
	}
	return append(groups, help.Grouped("While typing", m.typingCommands())...)
}
