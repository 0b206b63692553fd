package ui

import (
	"io"
	"strings"

	"github.com/charmbracelet/lipgloss"

	tea "github.com/charmbracelet/bubbletea"

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
	m := New(Options{Theme: theme.New(theme.Options{Renderer: lipgloss.NewRenderer(io.Discard)})})
	defer m.Close()
	defer m.router.close()
	groups := grouped("", m.everywhere())
	for _, maker := range m.router.makers {
		groups = append(groups, grouped(maker.Title, views.Distinct(m.router.view(maker.ID).Commands()))...)
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

const helpID = "help"

// help is the dialog with the keys and commands of a screen; it has a filter.
type help struct {
	widget.Base
	inks   rows.Inks
	theme  *theme.Theme
	title  string
	groups []Group
	list   *rows.List[int]
	width  int
	height int
}

// openHelp shows what can be done right now, here and everywhere, then what the view can
// do at other times, and last the keys of lines, forms and pages.
func (m *Model) openHelp() tea.Cmd {
	h := &help{Base: helpID, theme: m.env.Theme, inks: rows.NewInks(m.env.Theme), list: rows.New[int](m.env.Theme), title: "Help"}
	if maker, ok := m.router.maker(m.router.shown); ok {
		h.title = "Help for " + maker.Title
		h.groups = grouped(maker.Title, views.Distinct(views.Usable(m.router.active().Commands())))
	}
	h.groups = append(h.groups, grouped("", m.everywhere())...)
	for _, group := range grouped("", m.router.unavailable()) {
		group.Title += ", not possible right now"
		h.groups = append(h.groups, group)
	}
	h.groups = append(h.groups, grouped("", m.typingCommands())...)
	return m.open(h, false)
}

// helpHead is the title and the empty line below it.
const helpHead = 2

// cursorCells is the width of the cursor before a row.
const cursorCells = 2

// SetSize lays out the text again for another width.
func (h *help) SetSize(width, height int) {
	if width != h.width {
		h.list.Set(newHelpRows(h.theme, h.groups, width-cursorCells))
	}
	h.width, h.height = width, height
	h.list.SetSize(width, max(height-helpHead, 1))
}

// Update moves, filters, or closes.
func (h *help) Update(msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyMsg)
	switch {
	case !ok:
		return nil
	case h.list.Typing():
		h.filter(key)
		return nil
	case key.Paste:
		return nil
	}
	if row, ok := views.Pressed(h.commands(), key.String()); ok {
		return row.Run("")
	}
	return nil
}

// commands are the keys of the dialog while no filter is typed.
func (h *help) commands() []views.Command {
	clear := views.Command{Binding: views.Key("clear the filter", "esc"), Run: views.Call(func() { h.list.SetFilter("") })}
	close := views.Command{Binding: views.Key("close", "esc", "q", "enter", "?"), Run: views.Do(func() tea.Cmd { return views.Send(views.Shut{ID: helpID}) })}
	first := []views.Command{close}
	if h.list.Filter() != "" {
		first = []views.Command{clear, close.Quiet()}
	}
	moves := h.list.Moves()
	down, _ := views.Find(moves, rows.PageDown)
	up, _ := views.Find(moves, rows.PageUp)
	end, _ := views.Find(moves, rows.Bottom)
	hinted := []views.Command{down.On("page", append(down.Keys(), " ")...), up.Hinted("page back"), end.Hinted("end")}
	return views.Concat(first, h.list.Filters(), moves[:2], hinted, moves[2:])
}

// filter takes a key of the filter, and goes to the first line that it finds.
func (h *help) filter(key tea.KeyMsg) {
	before := h.list.Filter()
	h.list.Type(widget.Pasted(key))
	if now := h.list.Filter(); now != before && now != "" {
		h.list.GoTop()
	}
}

// View draws the title, where in the text the user is, and the lines.
func (h *help) View() string {
	body := h.list.View()
	if h.list.Len() == 0 {
		above, _, _ := strings.Cut(body, "\n")
		body = above + "\n" + h.inks.Sentences([]string{"Nothing here has this text."}, h.width, max(h.height-helpHead-1, 1))
	}
	title := h.inks.Beside(h.inks.Heading.On(h.title), h.list.Position(), h.width)
	return strings.Join(h.inks.Pane(title, body, h.width, h.height), "\n")
}

// Hints are the keys for filtering, moving and closing.
func (h *help) Hints() []views.Command {
	if h.list.Typing() {
		return views.Hints(rows.TypingCommands())
	}
	return views.Hints(h.commands())
}

// helpRows are the lines of the help: titles of groups, and below each its commands.
// A sentence that is wrapped has several rows, which a filter finds together.
type helpRows []helpRow

type helpRow struct {
	text  string   // as it is drawn
	finds []string // what a filter looks at
	depth int
}

// Len is the number of lines.
func (h helpRows) Len() int { return len(h) }

// Key is the place of a line.
func (h helpRows) Key(i int) int { return i }

// Depth is 0 for titles.
func (h helpRows) Depth(i int) int { return h[i].depth }

// Version never changes.
func (h helpRows) Version(int) uint64 { return 0 }

// Matches reports whether keys, name or sentence match.
func (h helpRows) Matches(i int, has func(string) bool) bool {
	for _, text := range h[i].finds {
		if has(text) {
			return true
		}
	}
	return false
}

// Draw draws the line.
func (h helpRows) Draw(i int, _ rows.Look) string { return h[i].text }

func newHelpRows(t *theme.Theme, groups []Group, width int) helpRows {
	var list helpRows
	for i, group := range groups {
		if i > 0 {
			list = append(list, helpRow{depth: 1}) // an empty line
		}
		list = append(list, helpRow{text: t.Heading.Render(group.Title), finds: []string{group.Title}})
		for _, c := range group.Commands {
			list = append(list, commandRows(t, c, width)...)
		}
	}
	return list
}

// The columns of help: keys, then names, then a sentence that may wrap.
const (
	helpKeys  = 12
	helpNames = 22
)

func commandRows(t *theme.Theme, c views.Command, width int) helpRows {
	labels := make([]string, len(c.Keys()))
	for i, key := range c.Keys() {
		labels[i] = views.KeyLabel(key, t.Options().ASCII)
	}
	keys, name := strings.Join(labels, " "), ""
	if c.Name != "" {
		name = ":" + c.Name
	}
	if c.Argument != "" {
		name += " <" + c.Argument + ">"
	}
	head := "  " + t.Key.Render(views.Fit(keys, helpKeys, t.Glyphs.Ellipsis)) + " " +
		t.Muted.Render(views.Fit(name, helpNames, t.Glyphs.Ellipsis)) + " "
	indent := helpKeys + helpNames + 4
	var list helpRows
	for _, line := range views.Wrap(c.Help, max(width-indent, 10)) {
		list = append(list, helpRow{text: head + line, finds: []string{keys, name, c.Help}, depth: 1})
		head = strings.Repeat(" ", indent)
	}
	return list
}
