package views

import (
	"slices"

	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
)

// Command is one thing that a user can do: the one row that keys, footer, help,
// palette, docs/keys.md and dispatch are made of.
type Command struct {
	// Binding holds the keys as Bubble Tea names them ("r", "ctrl+d"; may be none) and
	// the hint beside them in the footer (empty keeps the row out of it). See [Key].
	Binding key.Binding
	ID      string // unique in its view, such as "health.run"
	Name    string // in the palette: "run health check"; empty keeps it out
	Help    string // one sentence for help and docs/keys.md; a row without one answers its keys unlisted
	Group   string // gathers rows in help, such as "Move" or "Reports"
	// Argument names what the palette takes after the name, such as "file"; empty for none.
	Argument string
	// Optional says that it runs without the argument, too, as commands with a key do.
	Optional bool
	// Choices completes the argument; may be nil.
	Choices func() []Choice
	// Files says that the argument is the path of a file.
	Files bool
	// Enabled reports whether the row can be used right now; nil means always. A row that
	// cannot be used is listed in help below the others and answers no key. Another view
	// may ask for it all the same, by its id: Run then says why nothing can be done.
	Enabled func() bool
	// Needs is what has to be there for it, such as "a service under the cursor"; may be empty.
	Needs string
	// Browses says that the row only moves around on the screen: a notice stays visible.
	Browses bool
	// Alone says that the row consents to something that was to be read first: a key that came
	// in one piece with others does not count.
	Alone bool
	// Run does it, with the argument that the palette took; empty where a key was pressed.
	Run func(argument string) tea.Cmd
}

// Choice is a text that a line can be completed to.
type Choice struct {
	Text  string
	Shown string // in a list; empty for the text
	Note  string // what it is; may be empty
}

// Choices returns texts as choices without a note.
func Choices(texts []string) []Choice {
	choices := make([]Choice, len(texts))
	for i, text := range texts {
		choices[i].Text = text
	}
	return choices
}

// Functions that make rows are not inlined: the code of the tables, which have hundreds of
// them, would be twice as large.

// Key returns a binding of keys with the hint that the footer shows for them.
//
//go:noinline
func Key(hint string, keys ...string) key.Binding {
	label := ""
	if len(keys) > 0 {
		label = keys[0]
	}
	var b key.Binding
	b.SetKeys(keys...)
	b.SetHelp(label, hint)
	return b
}

// Do makes a handler of one that takes no argument.
//
//go:noinline
func Do(f func() tea.Cmd) func(string) tea.Cmd { return func(string) tea.Cmd { return f() } }

// Call makes a handler of one that neither takes nor returns anything.
//
//go:noinline
func Call(f func()) func(string) tea.Cmd { return func(string) tea.Cmd { f(); return nil } }

// Concat returns the rows of several tables as one.
//
//go:noinline
func Concat(tables ...[]Command) []Command { return slices.Concat(tables...) }

// Keys returns the keys of the row.
func (c Command) Keys() []string { return c.Binding.Keys() }

// Hint returns what the footer shows beside the first key.
func (c Command) Hint() string { return c.Binding.Help().Desc }

// Hinted returns the row with another hint.
//
//go:noinline
func (c Command) Hinted(hint string) Command { return c.On(hint, c.Keys()...) }

// Quiet returns the row without a hint: the footer leaves it out.
//
//go:noinline
func (c Command) Quiet() Command { return c.Hinted("") }

// On returns the row with another hint and other keys.
//
//go:noinline
func (c Command) On(hint string, keys ...string) Command {
	c.Binding = Key(hint, keys...)
	return c
}

// When returns the rows that can be used where also ok reports true: of a child that
// is not always shown.
//
//go:noinline
func When(ok func() bool, rows []Command) []Command {
	list := slices.Clone(rows)
	for i, row := range rows {
		list[i].Enabled = func() bool { return ok() && row.usable() }
	}
	return list
}

// HintedWhen returns a row that has its hint only where ok reports true, so that the
// footer leaves it out elsewhere.
//
//go:noinline
func HintedWhen(ok func() bool, row Command) []Command {
	return append(When(ok, []Command{row}), row.Quiet())
}

// Then returns the rows with something that follows each of them, such as a detail
// that shows what the cursor of a list has come to.
//
//go:noinline
func Then(rows []Command, after func() tea.Cmd) []Command {
	list := slices.Clone(rows)
	for i, row := range rows {
		list[i].Run = func(argument string) tea.Cmd { return Batch(row.Run(argument), after()) }
	}
	return list
}

// Guarded returns the rows with handlers that say so, and do nothing, where their row
// cannot be used: [Invoke] calls them by name from another screen, and a second key may
// come before the screen that answers the first.
//
//go:noinline
func Guarded(rows []Command) []Command {
	list := slices.Clone(rows)
	for i, row := range rows {
		list[i].Run = func(argument string) tea.Cmd {
			if !row.usable() {
				return Tell(Warning, `"`+row.Name+`" is not possible right now.`)
			}
			return row.Run(argument)
		}
	}
	return list
}

// Usable returns the rows that can be used right now.
func Usable(rows []Command) []Command {
	return slices.DeleteFunc(slices.Clone(rows), func(c Command) bool { return !c.usable() })
}

// ScrollHint is the hint of keys that scroll a text: that there is more of it is known to nobody,
// so it does not give way as those of a list do.
const ScrollHint = "scroll"

// Hints returns the rows that the footer shows: those with a hint that can be used right
// now. Neighbours with the same hint share it, such as up and down.
func Hints(rows []Command) []Command {
	var hints []Command
	for i := range rows { // without a copy of each: every drawing looks through all
		hint, keys := rows[i].Binding.Help().Desc, rows[i].Binding.Keys()
		if hint == "" || len(keys) == 0 || !rows[i].usable() {
			continue
		}
		if last := len(hints) - 1; last >= 0 && hints[last].Hint() == hint {
			hints[last] = hints[last].On(hint, hints[last].Keys()[0], keys[0])
			continue
		}
		hints = append(hints, rows[i])
	}
	return hints
}

// Find returns the first row of an id that can be used right now.
//
//go:noinline
func Find(rows []Command, id string) (Command, bool) {
	i := slices.IndexFunc(rows, func(c Command) bool { return c.ID == id && c.usable() })
	if i < 0 {
		return Command{}, false
	}
	return rows[i], true
}

// Pressed returns the first row with a key that can be used right now.
func Pressed(rows []Command, name string) (Command, bool) {
	for i := range rows { // without a copy of each: every key looks through many
		if slices.Contains(rows[i].Binding.Keys(), name) && rows[i].usable() {
			return rows[i], true
		}
	}
	return Command{}, false
}

// Typed is [Pressed] while text is typed. Alt with a key that is no text counts as the key
// alone: a slow line joins an esc and the key after it. Characters that arrive together are
// text, even where they spell the name of a key.
func Typed(rows []Command, msg tea.KeyMsg) (Command, bool) {
	switch {
	case msg.Type != tea.KeyRunes:
		msg.Alt = false
	case msg.Paste || len(msg.Runes) > 1:
		return Command{}, false
	}
	return Pressed(rows, msg.String())
}

// TextOf returns the text that a key types; none with alt, and none of other keys.
func TextOf(msg tea.KeyMsg) string {
	if msg.Alt || msg.Type != tea.KeyRunes && msg.Type != tea.KeySpace {
		return ""
	}
	return string(msg.Runes)
}

// Distinct leaves one row of each id: several lists of a view bring the same moves.
func Distinct(rows []Command) []Command {
	seen := map[string]bool{}
	return slices.DeleteFunc(slices.Clone(rows), func(c Command) bool {
		before := seen[c.ID]
		seen[c.ID] = true
		return before
	})
}

// Invoke runs the command of an id, with the argument that the palette took: the row that
// can be used right now, else the first one. A user in another view sees nothing of what
// is enabled here; Run then says why nothing happens.
func Invoke(v interface{ Commands() []Command }, id, argument string) tea.Cmd {
	list := v.Commands()
	if row, ok := Find(list, id); ok {
		return row.Run(argument)
	}
	if i := slices.IndexFunc(list, func(c Command) bool { return c.ID == id }); i >= 0 {
		return list[i].Run(argument)
	}
	return nil
}

// Press runs the command that a key stands for, and returns its row.
func Press(v interface{ Commands() []Command }, name string) (tea.Cmd, Command, bool) {
	row, ok := Pressed(v.Commands(), name)
	if !ok {
		return nil, row, false
	}
	return row.Run(""), row, true
}

func (c *Command) usable() bool { return c.Enabled == nil || c.Enabled() }

// Key names shown to people, where Bubble Tea's own are too technical.
var keyNames = map[string]string{
	"up": "↑", "down": "↓", "left": "←", "right": "→", " ": "space", "pgup": "pgup", "pgdown": "pgdn",
}

// KeyLabel returns a key as help shows it; ASCII keeps to plain words.
func KeyLabel(key string, ascii bool) string {
	name, ok := keyNames[key]
	if !ok || ascii && key != " " {
		return key
	}
	return name
}
