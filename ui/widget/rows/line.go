package rows

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// maxInput bounds what can be typed or pasted into a filter or a search, in bytes.
const maxInput = 200

// line is the filter and the search, which are typed and shown in one line above the rows.
type line struct {
	filter     filter
	search     search
	searchable bool // the view has the rows of Searches
	opened     bool // for a filter, and no key has come since
}

// used reports whether the line takes room.
func (n *line) used() bool { return n.filter.used() || n.search.used() }

// typing reports whether keys are text of the line.
func (n *line) typing() bool { return n.filter.typing || n.search.typing }

func (n *line) startFilter() { n.filter.typing, n.search.typing, n.opened = true, false, true }

// startSearch begins a search at the row of the cursor.
func (n *line) startSearch(cursor int) {
	n.search.typing, n.filter.typing, n.search.from = true, false, cursor
}

// input is the text that is typed.
func (n *line) input() *input {
	if n.search.typing {
		return &n.search.input
	}
	return &n.filter.input
}

// searches reports whether a / in a text starts a search.
func (n *line) searches(in *input) bool {
	return in == &n.filter.input && (n.opened || in.text == "")
}

// take changes the text by a key of it, or adds what was typed.
func (n *line) take(in *input, msg tea.KeyMsg) {
	if row, ok := views.Typed(in.keys, msg); ok {
		row.Do("")
	} else if text := views.TextOf(msg); text != "" && !(text == "/" && n.searches(in)) {
		if n.opened { // a filter from before is typed over
			in.text = ""
		}
		in.add(text) // a second / is no text where nothing is searched
	}
	n.opened = false
}

// commands are the keys while a text is typed. Arrows still move the cursor: move does, by rows.
func (n *line) commands(in *input, search func(), move func(by int)) []views.Command {
	return views.Grouped("The filter line", append(in.commands(), []views.Command{
		{ID: TypedSearch, Key: "/", Word: "search", Run: views.Call(search),
			Shown: func() bool { return n.searchable && n.searches(in) },
			Help:  "First on the line, searches instead: marks each match and hides nothing."},
		{ID: "filter.up", Key: "up", Run: views.Call(func() { move(-1) }),
			Help: "Moves the cursor up; in a search, to the previous match."},
		{ID: "filter.down", Key: "down", Run: views.Call(func() { move(1) }),
			Help: "Moves the cursor down; in a search, to the next match."},
	}...))
}

// Filtering reports whether View begins with the line of the filter and the search.
func (l *List[K]) Filtering() bool { return l.height > 1 && l.line.used() }

// Typing reports whether keys are text for the filter or the search at present.
func (l *List[K]) Typing() bool { return l.line.typing() }

// Type takes a key while Typing: of the line, or text. The list follows what is typed; a
// cancelled search goes back to where it began.
func (l *List[K]) Type(msg tea.KeyMsg) {
	in := l.line.input()
	if in.keys == nil {
		in.keys = l.line.commands(in, l.StartSearch, l.step)
	}
	before := in.text
	l.line.take(in, msg)
	switch {
	case in.text == before:
	case in == &l.line.search.input:
		l.searchAll()
		l.view.cursor = l.line.search.first(l.Len())
	default:
		l.filtered()
	}
	l.Rest()
	l.show(l.view.cursor)
}

// step moves the cursor while the line is typed: among what a search found, else by a row.
func (l *List[K]) step(by int) {
	if l.line.search.typing {
		l.jump(by)
	} else {
		l.view.goTo(l.view.cursor + by)
	}
}

// TypingCommands are the keys while a filter or a search is typed, for help and the footer.
func TypingCommands() []views.Command {
	n := line{searchable: true}
	return n.commands(&n.filter.input, nil, nil)
}

// TypingHints are those of [TypingCommands] that keep and clear what is typed.
func TypingHints() []views.Hint { return views.Footer(TypingCommands(), keepID, clearID) }

// minInput is the least room for the text of a filter next to a note.
const minInput = 12

// draw draws the filter, the search, and how much they have found, in width cells. The cursor of
// the list is at a visible row; without the focus, no caret is shown.
func (n *line) draw(k *Inks, width, cursor int, focused bool) string {
	text := ""
	if n.filter.used() {
		text = k.Accent.On("/") + n.caret(k, n.filter.input, focused)
	}
	if n.search.used() {
		if text != "" {
			text += "  "
		}
		text += k.Accent.On("search ") + n.caret(k, n.search.input, focused)
	}
	for _, note := range n.notes(k, cursor) {
		if room := width - ansi.StringWidth(note) - 1; room >= minInput {
			return k.ending(text, room) + " " + k.Muted.On(note)
		}
	}
	return k.ending(text, width)
}

// caret draws a text, with a caret where it is being typed: before one that a letter replaces.
func (n *line) caret(k *Inks, in input, focused bool) string {
	switch {
	case !in.typing || !focused:
		return in.text
	case n.opened && in.text != "":
		return k.Caret.On(" ") + k.Muted.On(in.text)
	}
	return in.text + k.Caret.On(" ")
}

// notes returns the texts for the end of the line, the longest first.
func (n *line) notes(k *Inks, cursor int) []string {
	found, dots := "", " "+k.Glyphs.Dot+" "
	if !n.filter.empty() {
		found = fmt.Sprintf("%d of %d", n.filter.passed, n.filter.all)
		if n.filter.similar && n.filter.passed > 0 {
			found += " similar"
		}
	}
	if n.search.on() {
		if found != "" {
			found += dots
		}
		found += n.search.note(cursor)
	}
	if n.typing() && found != "" {
		return []string{found + dots + views.Keys("{key:filter.clear} clears"), found}
	}
	return []string{found}
}

// input is a text typed by the user.
type input struct {
	text   string
	typing bool
	keys   []views.Command // while it is typed; nil before the first one
}

// used reports whether there is a text, or one is being typed.
func (in *input) used() bool { return in.typing || in.text != "" }

const (
	keepID  = "filter.keep"
	clearID = "filter.clear"
)

// commands are the keys of the line; every other key is text.
func (in *input) commands() []views.Command {
	return []views.Command{
		{ID: keepID, Key: "enter", Word: "keep", Run: views.Call(func() { in.typing = false }),
			Help: "Keeps the filter and goes back to the rows."},
		{ID: clearID, Key: "esc", Word: "clear", Run: views.Call(func() { *in = input{} }),
			Help: "Clears the filter."},
		{ID: "filter.back", Key: "backspace", Run: views.Call(in.backspace),
			Help: "Delete the last character; on an empty line, go back to the rows."},
		{ID: "filter.empty", Key: "ctrl+u", Run: views.Call(func() { in.text = "" }),
			Help: "Empties the line."},
		{ID: "filter.word", Key: "ctrl+w", Run: views.Call(in.deleteWord),
			Help: "Delete the last word."},
	}
}

func (in *input) set(text string) {
	in.text = ""
	in.add(text)
}

func (in *input) add(text string) {
	in.text += plain.Line(text)
	for len(in.text) > maxInput {
		in.backspace()
	}
}

// backspace on an empty text ends typing, as in vi.
func (in *input) backspace() {
	if in.text == "" {
		in.typing = false
		return
	}
	_, size := utf8.DecodeLastRuneInString(in.text)
	in.text = in.text[:len(in.text)-size]
}

func (in *input) deleteWord() {
	text := strings.TrimRightFunc(in.text, unicode.IsSpace)
	in.text = text[:strings.LastIndexFunc(text, unicode.IsSpace)+1]
}
