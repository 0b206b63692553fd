// Package help is the dialog that lists the keys and commands of a screen.
//
// Start at [OfScreen]. What its lines look like is in rows.go.
package help

import (
	"slices"

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

// Grouped gathers commands; it keeps the order in which the groups first appear.
func Grouped(view string, commands []views.Command) []Group {
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

// Key is the key that opens it.
const Key = "?"

// Dialog has the keys and commands of a screen; it has a filter.
type Dialog struct {
	widget.Finder[place]
	theme    *theme.Theme
	title    string
	about    string // what the screen is for
	sections []section
	folds    map[place]bool // nil before the first size
	whole    bool           // sentences are whole, in one column
}

func newDialog(t *theme.Theme, title string) *Dialog {
	h := &Dialog{Finder: widget.NewFinder[place]("help", t), theme: t, title: title}
	h.Table = h.commands()
	return h
}

// Screen is what the help of a screen tells of.
type Screen struct {
	Title       string
	View        views.View
	Unavailable []views.Command // of the view, which cannot be used at present
	Everywhere  []views.Command // what works on every screen
	Typing      []views.Command // the keys of lines, forms and pages
}

// OfScreen shows what can be done right now on this screen, then everywhere, then what has
// no key, then what the view can do at other times, and last, folded, how to move and the
// keys of lines, forms and pages.
func OfScreen(t *theme.Theme, s Screen) *Dialog {
	h := newDialog(t, "Help for "+s.Title)
	if about := s.View.Hooks().About; about != nil {
		h.about = about()
	}
	own, moves := answering(views.Usable(s.View.Commands()))
	keyed := func(c views.Command) bool { return len(c.Keys()) > 0 }
	first, rest := split(own, func(c views.Command) bool { return keyed(c) && c.HintText() != "" })
	rest, named := split(rest, keyed)
	everywhere, nameless := split(s.Everywhere, keyed)
	everywhere = slices.DeleteFunc(everywhere, func(c views.Command) bool { // the screen's own row tells what its key does here
		_, told := views.Pressed(own, c.Keys()[0])
		return told
	})
	h.sections = []section{
		{title: "On this screen", commands: append(first, rest...)},
		{title: "Everywhere", commands: everywhere},
		{title: "By name, after :", commands: append(named, nameless...)},
		{title: "Not possible right now", commands: refusals(s.Unavailable), dim: true},
		{title: "Moving and typing", commands: append(moves, s.Typing...), grouped: true},
	}
	h.sections = slices.DeleteFunc(h.sections, func(s section) bool { return len(s.commands) == 0 })
	return h
}

// OfDialog shows the keys of a dialog, and those that work even there.
func OfDialog(t *theme.Theme, keyed, anytime []views.Command) *Dialog {
	h := newDialog(t, "Keys of this dialog")
	h.sections = []section{{title: keyed[0].Group, commands: views.Usable(keyed)}, {title: "Everywhere", commands: anytime}}
	return h
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
		c.Key = views.JoinKeys(slices.DeleteFunc(c.Keys(), func(key string) bool { return taken[key] })...)
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

// maxPages is how many pages the help has at most before its last sections are folded.
const maxPages = 3

// SetSize lays out the text again for another size.
func (h *Dialog) SetSize(width, height int) {
	h.Finder.SetSize(width, height)
	page := max(height-h.head(), 1)
	h.List.SetSize(width, page)
	if h.folds == nil {
		h.folds = map[place]bool{}
		for i := len(h.sections) - 1; i > 0; i-- {
			if section := h.sections[i]; section.grouped || h.unfolded() > maxPages*page {
				h.folds[place{section: i}] = true
			}
		}
		h.List.SetFolds(h.folds)
	}
	h.layOut()
}

// unfolded is the number of rows that no section hides.
func (h *Dialog) unfolded() (n int) {
	for _, row := range h.rows() {
		if row.key.line == 0 || !h.folds[place{section: row.key.section}] {
			n++
		}
	}
	return n
}

// layOut shows the rows; while something is searched for whole sentences.
func (h *Dialog) layOut() {
	h.whole = h.finding()
	h.List.Set(h.rows())
}

// finding reports whether a filter is typed, or there is one.
func (h *Dialog) finding() bool { return h.List.Typing() || h.List.Filter() != "" }

// head is the number of lines above the rows.
func (h *Dialog) head() int {
	if h.about == "" {
		return 2
	}
	return 3
}

// Update moves, filters, or closes.
func (h *Dialog) Update(msg tea.Msg) tea.Cmd {
	key, ok := msg.(tea.KeyMsg)
	if !ok {
		return nil
	}
	cmd := h.Press(key)
	if h.finding() != h.whole {
		h.layOut()
	}
	return cmd
}

// commands makes the keys of the dialog while no filter is typed.
func (h *Dialog) commands() []views.Command {
	filtered := func() bool { return h.List.Filter() != "" }
	whole := func() bool { return !filtered() }
	shut := h.Shut
	fold := func() string {
		if h.List.Folded() {
			return "unfold"
		}
		return "fold"
	}
	moves := h.List.Moves()
	for i, row := range moves {
		switch row.ID {
		case rows.PageDown:
			moves[i].Key, moves[i].Word = row.Key+" space", "page"
		case rows.PageUp:
			moves[i].Word = "page back"
		case rows.Bottom:
			moves[i].Word = "end"
		}
	}
	return slices.Concat([]views.Command{
		{ID: "help.clear", Key: "esc", Word: "clear the filter", Shown: filtered, Run: views.Call(func() { h.List.SetFilter("") })},
		{ID: "help.close", Key: "esc q ?", Hint: views.HintIf(whole, "close"), Run: shut},
		{ID: "help.fold", Key: "enter", Hint: fold, Shown: func() bool { return !h.List.Leaf() }, Run: views.Call(h.List.Toggle)},
		{ID: "help.enter", Key: "enter", Run: shut},
	}, h.List.Filters(), moves, h.List.Folds())
}

// footer lists the rows of its footer.
var footer = []string{"help.clear", "help.close", "help.fold", rows.Filter, rows.Up, rows.Down, rows.PageDown, rows.PageUp, rows.Bottom}

// View draws the title, where in the text the user is, and the lines.
func (h *Dialog) View() string {
	body := h.List.View()
	if h.List.Len() == 0 {
		body = h.List.Unmatched("Nothing here has this text.")
	}
	title := h.Heading(h.title)
	if h.about != "" {
		title += "\n" + h.Inks.Fit(h.about, h.Width)
	}
	return title + "\n\n" + body
}

// Hints are the keys for filtering, moving and closing.
func (h *Dialog) Hints() []views.Hint {
	if h.List.Typing() {
		return rows.TypingHints()
	}
	return views.Footer(h.Table, footer...)
}
