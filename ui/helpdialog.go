package ui

import (
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

const helpID = "help"

// help is the dialog with the keys and commands of a screen, which can be filtered.
type help struct {
	inks   rows.Inks
	theme  *theme.Theme
	title  string
	groups []Group
	list   *rows.List[int]
	width  int
	height int
}

// openHelp shows what can be done on this screen, and all the rest below it.
func (m *Model) openHelp(string) tea.Cmd {
	h := &help{theme: m.env.Theme, inks: rows.NewInks(m.env.Theme), list: rows.New[int](m.env.Theme)}
	h.title, h.groups = m.helpGroups()
	return m.open(h, false)
}

// ID names the dialog.
func (h *help) ID() string { return helpID }

// Init has nothing to start.
func (h *help) Init() tea.Cmd { return nil }

// Replies is nil: the text is there already.
func (h *help) Replies() *views.Scope { return nil }

// helpHead is the title and the empty line below it.
const helpHead = 2

// cursorCells is what the list takes beside a row.
const cursorCells = 2

// SetSize lays the text out anew for another width.
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
	switch key.String() {
	case "esc":
		if h.list.Filter() == "" {
			return views.Send(views.Shut{ID: helpID})
		}
		h.list.SetFilter("")
	case "q", "enter", "?":
		return views.Send(views.Shut{ID: helpID})
	case " ":
		h.list.Do(rows.PageDown)
	default:
		h.move(key.String())
	}
	return nil
}

// filter takes a key of the filter, and goes to the first line that it finds.
func (h *help) filter(key tea.KeyMsg) {
	before := h.list.Filter()
	h.list.Type(views.Pasted(key))
	if now := h.list.Filter(); now != before && now != "" {
		h.list.Do(rows.Top)
	}
}

// move runs the command of a list that has the key.
func (h *help) move(key string) {
	for _, c := range append(rows.Moves(), rows.Filters()...) {
		if c.Has(key) {
			h.list.Do(c.ID)
		}
	}
}

// View draws the title, where in the text the user is, and the lines.
func (h *help) View() string {
	body := h.list.View()
	if h.list.Len() == 0 {
		above, _, _ := strings.Cut(body, "\n")
		body = above + "\n" + h.inks.Says([]string{"Nothing here has this text."}, h.width, max(h.height-helpHead-1, 1))
	}
	title := h.inks.Beside(h.inks.Heading.On(h.title), h.list.Position(), h.width)
	return strings.Join(h.inks.Pane(title, body, h.width, h.height), "\n")
}

// Hints tell how to find something and how to close.
func (h *help) Hints() []views.Command {
	switch {
	case h.list.Typing():
		return []views.Command{{Binding: views.Key("keep", "enter")}, {Binding: views.Key("clear", "esc")}}
	case h.list.Filter() != "":
		return append([]views.Command{{Binding: views.Key("clear the filter", "esc")}}, helpHints()...)
	}
	return append([]views.Command{{Binding: views.Key("close", "esc")}}, helpHints()...)
}

func helpHints() []views.Command {
	return []views.Command{
		{Binding: views.Key("filter", "/")}, {Binding: views.Key("move", "up", "down")},
		{Binding: views.Key("page", "pgdown")}, {Binding: views.Key("page back", "pgup")}, {Binding: views.Key("end", "G")},
	}
}
