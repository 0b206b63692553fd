package ui

import (
	"io"
	"slices"
	"strings"

	"github.com/charmbracelet/lipgloss"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/fleet"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// Group is the commands that belong together in help and docs/keys.md.
type Group struct {
	View     string // the title of the view, empty for what works everywhere
	Title    string // "Move"
	Commands []views.Command
}

// KeyTable returns every command of the dashboard: what works everywhere, then
// each view's, in the order of their tables, and last the keys of lines, forms
// and pages.
func KeyTable() []Group {
	m := New(Options{Fleet: func() ([]fleet.Entry, error) { return nil, nil }, Theme: theme.New(theme.Options{Renderer: lipgloss.NewRenderer(io.Discard)})})
	defer m.Close()
	defer m.screen.router.close()
	groups := grouped("", m.everywhere)
	for _, maker := range m.screen.router.makers {
		rows := views.Distinct(m.screen.router.view(maker.ID).Commands())
		rows = slices.DeleteFunc(rows, func(c views.Command) bool { return c.Help == "" }) // see views.Unlisted
		groups = append(groups, grouped(maker.Title, rows)...)
	}
	return append(groups, grouped("While typing", m.typingCommands())...)
}

// grouped keeps the order in which the groups first appear.
//
//go:noinline
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

const (
	helpID      = "help"
	helpKeyName = "?"
)

// help is the dialog with the keys and commands of a screen; it has a filter.
type help struct {
	finder[helpKey]
	theme    *theme.Theme
	title    string
	about    string // what the screen is for
	sections []helpSection
	folds    map[helpKey]bool // nil before the first size
	whole    bool             // sentences are whole, in one column
}

func (m *Model) newHelp(title string) *help {
	h := &help{finder: newFinder[helpKey](helpID, m.env.Theme), theme: m.env.Theme, title: title}
	h.table = h.commands()
	return h
}

// openHelp shows what can be done right now on this screen, then everywhere, then what has
// no key, then what the view can do at other times, and last, folded, how to move and the
// keys of lines, forms and pages.
func (m *Model) openHelp() tea.Cmd {
	h := m.newHelp("")
	v, maker := m.screen.router.active(), m.screen.router.maker(m.screen.router.shown)
	own, moves := answering(views.Usable(v.Commands()))
	h.title = "Help for " + maker.Title
	if about := v.Hooks().About; about != nil {
		h.about = about()
	}
	keyed := func(c views.Command) bool { return len(c.Keys()) > 0 }
	first, rest := split(own, func(c views.Command) bool { return keyed(c) && c.HintText() != "" })
	rest, named := split(rest, keyed)
	everywhere, nameless := split(append(slices.Clone(m.own), m.viewKeys()), keyed)
	everywhere = slices.DeleteFunc(everywhere, func(c views.Command) bool { // the screen's own row tells what its key does here
		_, told := views.Pressed(own, c.Keys()[0])
		return told
	})
	h.sections = []helpSection{
		{title: "On this screen", commands: append(first, rest...)},
		{title: "Everywhere", commands: everywhere},
		{title: "By name, after :", commands: append(named, nameless...)},
		{title: "Not possible right now", commands: refusals(m.screen.router.unavailable()), dim: true},
		{title: "Moving and typing", commands: append(moves, m.typingCommands()...), grouped: true},
	}
	h.sections = slices.DeleteFunc(h.sections, func(s helpSection) bool { return len(s.commands) == 0 })
	return m.open(h, false)
}

// openDialogHelp shows the keys of the dialog on top.
func (m *Model) openDialogHelp(keyed []views.Command) tea.Cmd {
	h := m.newHelp("Keys of this dialog")
	h.sections = []helpSection{{title: keyed[0].Group, commands: views.Usable(keyed)}, {title: "Everywhere", commands: m.anytime}}
	return m.open(h, false)
}

// refusals returns rows that say why they cannot be used, where they know.
func refusals(commands []views.Command) []views.Command {
	for i := range commands {
		if why := commands[i].Refusal(); why != "" {
			commands[i].Help = why
		}
	}
	return commands
}

// answering returns rows with the keys that they answer where earlier ones share some, in
// two parts: those that only move the cursor are the second one.
func answering(usable []views.Command) (own, moves []views.Command) {
	taken := map[string]bool{}
	for _, c := range slices.DeleteFunc(views.Distinct(usable), func(c views.Command) bool { return c.Help == "" }) {
		c.Binding = views.Key(c.Binding.Help().Desc, slices.DeleteFunc(slices.Clone(c.Keys()), func(key string) bool { return taken[key] })...)
		for _, key := range c.Keys() {
			taken[key] = true
		}
		if rows.Moving(c.ID) {
			moves = append(moves, c)
		} else {
			own = append(own, c)
		}
	}
	return own, moves
}

// split returns the rows of which ok is true, and the others.
func split[C any](list []C, ok func(C) bool) (yes, no []C) {
	for _, c := range list {
		if ok(c) {
			yes = append(yes, c)
		} else {
			no = append(no, c)
		}
	}
	return yes, no
}

// viewKeys is one row for all views.
func (m *Model) viewKeys() views.Command {
	var keys, titles []string
	for i, tab := range m.tabs() {
		keys, titles = append(keys, tab.Keys()...), append(titles, m.screen.router.makers[i].Title)
	}
	return views.Command{Binding: views.Key("", keys...), Help: "Shows " + strings.Join(titles, ", ") + "."}
}

// helpPages is how many pages the help has at most before its last sections are folded.
const helpPages = 3

// SetSize lays out the text again for another size.
func (h *help) SetSize(width, height int) {
	h.finder.SetSize(width, height)
	page := max(height-h.head(), 1)
	h.list.SetSize(width, page)
	if h.folds == nil {
		h.folds = map[helpKey]bool{}
		for i := len(h.sections) - 1; i > 0; i-- {
			if section := h.sections[i]; section.grouped || h.unfolded() > helpPages*page {
				h.folds[helpKey{section: i}] = true
			}
		}
		h.list.SetFolds(h.folds)
	}
	h.layOut()
}

// unfolded is the number of rows that no section hides.
func (h *help) unfolded() (n int) {
	for _, row := range h.rows() {
		if row.key.line == 0 || !h.folds[helpKey{section: row.key.section}] {
			n++
		}
	}
	return n
}

// layOut shows the rows; while something is searched for whole sentences.
func (h *help) layOut() {
	h.whole = h.finding()
	h.list.Set(h.rows())
}

// finding reports whether a filter is typed, or there is one.
func (h *help) finding() bool { return h.list.Typing() || h.list.Filter() != "" }

// head is the number of lines above the rows.
func (h *help) head() int {
	if h.about == "" {
		return 2
	}
	return 3
}

// Update moves, filters, or closes.
func (h *help) Update(msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyMsg)
	if !ok {
		return nil
	}
	cmd := h.press(key)
	if h.finding() != h.whole {
		h.layOut()
	}
	return cmd
}

// commands makes the keys of the dialog while no filter is typed.
func (h *help) commands() []views.Command {
	filtered := func() bool { return h.list.Filter() != "" }
	whole := func() bool { return !filtered() }
	shut := views.Do(h.Shut)
	fold := func() string {
		if h.list.Folded() {
			return "unfold"
		}
		return "fold"
	}
	moves := h.list.Moves()
	for i, row := range moves {
		switch row.ID {
		case rows.PageDown:
			moves[i].Binding = views.Key("page", append(row.Keys(), " ")...)
		case rows.PageUp:
			moves[i].Binding = views.Key("page back", row.Keys()...)
		case rows.Bottom:
			moves[i].Binding = views.Key("end", row.Keys()...)
		}
	}
	return views.Concat([]views.Command{
		{ID: "help.clear", Binding: views.Key("clear the filter", "esc"), Shown: filtered, Run: views.Call(func() { h.list.SetFilter("") })},
		{ID: "help.close", Binding: views.Key("", "esc", "q", "?"), Hint: views.HintIf(whole, "close"), Run: shut},
		{ID: "help.fold", Binding: views.Key("", "enter"), Hint: fold, Shown: func() bool { return !h.list.Leaf() }, Run: views.Call(h.list.Toggle)},
		{ID: "help.enter", Binding: views.Key("", "enter"), Run: shut},
	}, h.list.Filters(), moves, h.list.Folds())
}

// helpFooter lists the rows of its footer.
var helpFooter = []string{"help.clear", "help.close", "help.fold", rows.Filter, rows.Up, rows.Down, rows.PageDown, rows.PageUp, rows.Bottom}

// View draws the title, where in the text the user is, and the lines.
func (h *help) View() string {
	body := h.list.View()
	if h.list.Len() == 0 {
		above, _, _ := strings.Cut(body, "\n")
		body = above + "\n" + h.inks.Sentences([]string{"Nothing here has this text."}, h.width, max(h.height-h.head()-1, 1))
	}
	title := h.heading(h.title)
	if h.about != "" {
		title += "\n" + h.inks.Fit(h.about, h.width)
	}
	return title + "\n\n" + body
}

// Hints are the keys for filtering, moving and closing.
func (h *help) Hints() []views.Hint {
	if h.list.Typing() {
		return rows.TypingHints()
	}
	return views.Footer(h.table, helpFooter...)
}

// finder is a dialog with a list that a filter narrows: the help, and the sites to go to.
type finder[K comparable] struct {
	widget.Base
	inks          rows.Inks
	table         []views.Command // the keys while no filter is typed
	list          *rows.List[K]
	width, height int
}

func newFinder[K comparable](id widget.Base, t *theme.Theme) finder[K] {
	return finder[K]{Base: id, inks: rows.NewInks(t), list: rows.New[K](t)}
}

// SetSize takes the cells of the dialog.
func (f *finder[K]) SetSize(width, height int) { f.width, f.height = width, height }

// heading draws the title, and where in the list the user is.
func (f *finder[K]) heading(title string) string {
	return f.inks.Beside(f.inks.Heading.On(title), f.list.Position(), f.width)
}

// press takes a key as text of the filter, or as one of the table: pasted text is none.
func (f *finder[K]) press(key tea.KeyMsg) tea.Cmd {
	if f.list.Typing() {
		f.list.Type(widget.Pasted(key))
	} else if row, ok := views.Pressed(f.table, key.String()); ok {
		return row.Run("")
	}
	return nil
}
