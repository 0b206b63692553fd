package views

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
)

// Command is one thing that a user can do: the one row that keys, footer, help,
// palette, docs/keys.md and dispatch are made of. A table of rows is made once, with its model;
// what changes is asked, by Shown, Enabled and Hint, so a key costs next to nothing.
type Command struct {
	// Key holds the keys as Bubble Tea names them, such as "R f5", but for " ", which is "space"; may
	// be empty. See [JoinKeys].
	Key   string
	Word  string // beside the first key in the footer; empty for nothing
	ID    string // unique in its view, such as "health.run"; rows that take turns share one
	Name  string // in the palette: "run health check"; empty keeps it out
	Help  string // one sentence for help and docs/keys.md; a row without one answers its keys unlisted
	Group string // gathers rows in help, such as "Move" or "Reports"
	// Argument names what the palette takes after the name, such as "file"; empty for none.
	Argument string
	// Optional says that it runs without the argument, too, as commands with a key do.
	Optional bool
	// Choices completes the argument; may be nil.
	Choices func() []Choice
	// Files says that the argument is the path of a file.
	Files bool
	// Shown reports whether the row belongs to what is on the screen, such as one of two panes;
	// nil means always. Where it does not, its keys are those of other rows.
	Shown func() bool
	// Enabled returns why it cannot be done right now, as a sentence, and nothing where it can;
	// nil means always. The key of such a row says so, and so does its name: see [Only].
	Enabled func() string
	// Hint returns the word where it changes, empty to leave the row out of the footer; nil
	// means Word. See [HintIf].
	Hint func() string
	// Needs is what has to be under the cursor for it, such as "a service"; may be empty. In a
	// view that is not shown nobody knows where the cursor is: the palette leads there first.
	Needs string
	// Here says that it is not done from elsewhere, by its name: see [Guarded].
	Here bool
	// Within says that it is of a page that is not open elsewhere: no other view offers it.
	Within bool
	// Browses says that the row only moves around on the screen: a notice stays visible.
	Browses bool
	// Alone says that the row consents to something that was to be read first: a key that came
	// in one piece with others does not count.
	Alone bool
	// Run does it. A row with an argument has With instead, which takes what the palette took; empty
	// where a key was pressed.
	Run  func() tea.Cmd
	With func(argument string) tea.Cmd
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

// spaceKey is how a row names the key " ".
const spaceKey = "space"

// JoinKeys returns the keys of a row, as Bubble Tea names them, in one text.
func JoinKeys(keys ...string) string {
	words := slices.Clone(keys)
	for i, key := range words {
		if key == " " {
			words[i] = spaceKey
		}
	}
	return strings.Join(words, " ")
}

// Call makes a handler of one that returns nothing.
func Call(f func()) func() tea.Cmd { return func() tea.Cmd { f(); return nil } }

// Do runs the row, with an argument where it takes one.
func (c *Command) Do(argument string) tea.Cmd {
	if c.With != nil {
		return c.With(argument)
	}
	return c.Run()
}

// Keys returns the keys of the row.
func (c *Command) Keys() []string {
	keys := strings.Fields(c.Key)
	for i, key := range keys {
		if key == spaceKey {
			keys[i] = " "
		}
	}
	return keys
}

// answers reports whether a key is one of the row's. It allocates nothing: every key asks many rows.
func (c *Command) answers(name string) bool {
	if name == " " {
		name = spaceKey
	}
	for key := range strings.FieldsSeq(c.Key) {
		if key == name {
			return true
		}
	}
	return false
}

// HintText returns what the footer shows beside the first key right now; empty for nothing.
func (c *Command) HintText() string {
	if c.Hint != nil {
		return c.Hint()
	}
	return c.Word
}

// WhyNot returns why the row cannot be used right now, empty where it can.
func (c *Command) WhyNot() string {
	if c.Enabled == nil {
		return ""
	}
	return c.Enabled()
}

// Refusal is WhyNot of a row on the screen; of another one the reason may be about what is not open.
func (c *Command) Refusal() string {
	if !c.shown() {
		return ""
	}
	return c.WhyNot()
}

// Only makes the Enabled of a row that can be used where ok reports true; elsewhere it says
// whyNot.
func Only(ok func() bool, whyNot string) func() string {
	return HintIf(func() bool { return !ok() }, whyNot)
}

// HintIf makes the Hint of a row that has one only where ok reports true.
func HintIf(ok func() bool, hint string) func() string {
	return func() string {
		if ok() {
			return hint
		}
		return ""
	}
}

// each returns rows that are changed, and leaves the table as it is.
func each(rows []Command, change func(*Command)) []Command {
	list := slices.Clone(rows)
	for i := range list {
		change(&list[i])
	}
	return list
}

// When returns the rows of a part of the screen, which are shown where also ok reports true.
func When(ok func() bool, rows []Command) []Command {
	return each(rows, func(c *Command) {
		inner := c.Shown
		c.Shown = ok
		if inner != nil {
			c.Shown = func() bool { return ok() && inner() }
		}
	})
}

// Then returns the rows with something that follows each of them, such as a detail
// that shows what the cursor of a list has come to.
func Then(rows []Command, after func() tea.Cmd) []Command {
	return Around(rows, func(_ Command, run func() tea.Cmd) tea.Cmd { return tea.Batch(run(), after()) })
}

// Around returns the rows with something around what each of them runs.
func Around(rows []Command, do func(row Command, run func() tea.Cmd) tea.Cmd) []Command {
	return each(rows, func(c *Command) {
		row := *c
		if row.With == nil {
			c.Run = func() tea.Cmd { return do(row, row.Run) }
			return
		}
		c.With = func(argument string) tea.Cmd { return do(row, func() tea.Cmd { return row.With(argument) }) }
	})
}

// Unlisted returns the keys of a line or a question, which help and docs/keys.md list elsewhere,
// as rows of the screen that they are on: for its footer.
func Unlisted(rows []Command) []Command { return each(rows, func(c *Command) { c.Help = "" }) }

// Guarded returns the rows of a view whose rows are only for what it shows: by their names,
// from another screen, they say so.
func Guarded(rows []Command) []Command { return each(rows, func(c *Command) { c.Here = true }) }

// Grouped returns the rows of a table as those of a group, but for those that are in another one already.
func Grouped(group string, rows []Command) []Command {
	return each(rows, func(c *Command) { c.Group = cmp.Or(c.Group, group) })
}

// Usable returns the rows that can be used right now.
func Usable(rows []Command) []Command {
	return slices.DeleteFunc(slices.Clone(rows), func(c Command) bool { return !c.usable() })
}

// ScrollHint is the hint of keys that scroll a text: that there is more of it is known to nobody,
// so it does not give way as those of a list do.
const ScrollHint = "scroll"

// Hint is what the footer shows of a row.
type Hint struct {
	Key  string // as Bubble Tea names it
	Also string // an arrow that means the same, or the opposite; may be empty
	Text string // what the key does, such as "open"
}

// Footer returns the hints of the rows of some ids in their order: those that can be used right
// now and have a hint. An id of several rows stands for the first of these.
func Footer(rows []Command, ids ...string) []Hint {
	hints := make([]Hint, 0, len(ids))
	for _, id := range ids {
		if c := find(rows, id); c != nil {
			hints = c.hint(hints)
		}
	}
	return hints
}

// Hints is [Footer] of a dialog, whose few rows are in the order of their hints.
func Hints(rows []Command) (hints []Hint) {
	for i := range rows {
		if c := &rows[i]; c.usable() {
			hints = c.hint(hints)
		}
	}
	return hints
}

// hint adds the hint of the row. Neighbours with the same one share it, such as up and down.
func (c *Command) hint(hints []Hint) []Hint {
	text := c.HintText()
	if c.Key == "" || text == "" {
		return hints
	}
	keys := c.Keys()
	next := Hint{Key: keys[0], Text: text}
	if len(keys) > 1 && arrows[keys[1]] {
		next.Also = keys[1]
	}
	if last := len(hints) - 1; last >= 0 && hints[last].Text == text {
		hints[last].Also = next.Key
		return hints
	}
	return append(hints, next)
}

var arrows = map[string]bool{"up": true, "down": true, "left": true, "right": true}

// Moves reports whether the key is an arrow.
func (h Hint) Moves() bool { return arrows[h.Key] }

// Label returns the key as the footer shows it: two arrows together.
func (h Hint) Label(ascii bool) string {
	label := KeyLabel(h.Key, ascii)
	if !arrows[h.Key] || !arrows[h.Also] {
		return label
	}
	if ascii {
		label += "/"
	}
	return label + KeyLabel(h.Also, ascii)
}

// find returns the first row of an id that can be used right now, nil for none.
func find(rows []Command, id string) *Command {
	for i := range rows {
		if rows[i].ID == id && rows[i].usable() {
			return &rows[i]
		}
	}
	return nil
}

// Find returns the first row of an id that can be used right now.
func Find(rows []Command, id string) (Command, bool) {
	if c := find(rows, id); c != nil {
		return *c, true
	}
	return Command{}, false
}

// Pressed returns the row that a key stands for on this screen: the first that can be used right
// now, else the first that says why not.
func Pressed(rows []Command, name string) (Command, bool) {
	usable, refused := pressed(rows, name)
	switch {
	case usable != nil:
		return *usable, true
	case refused == nil:
		return Command{}, false
	}
	c, why := *refused, refused.WhyNot()
	c.With = func(string) tea.Cmd { return Tell(Warning, why) }
	return c, true
}

// pressed returns the first row with a key that can be used, and the first that is only shown.
func pressed(rows []Command, name string) (usable, refused *Command) {
	for i := range rows { // without a copy of each: every key looks through many
		switch c := &rows[i]; {
		case !c.answers(name) || !c.shown():
		case c.WhyNot() == "":
			return c, nil
		case refused == nil:
			refused = c
		}
	}
	return nil, refused
}

// Typed returns the row of a key while text is typed: one that cannot be used leaves the key to the
// text. Alt with a key that is no text counts as the key alone: a slow line joins an esc and the key
// after it. Characters that arrive together are text, even where they spell the name of a key.
func Typed(rows []Command, msg tea.KeyMsg) (Command, bool) {
	switch {
	case msg.Type != tea.KeyRunes:
		msg.Alt = false
	case msg.Paste || len(msg.Runes) > 1:
		return Command{}, false
	}
	if usable, _ := pressed(rows, msg.String()); usable != nil {
		return *usable, true
	}
	return Command{}, false
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

// Rows returns every row of a view, of parts that are not open as well: what help, palette and
// documents list.
func Rows(v View) []Command {
	if rows := v.Hooks().Rows; rows != nil {
		return rows()
	}
	return v.Commands()
}

// Invoke runs the command of an id, with the argument that the palette took: the row that can be
// used right now. Else the one on the screen says why not. Where none is on the screen, one that is
// possible runs all the same, since its name was given and not a key, unless it is [Guarded].
func Invoke(v interface{ Commands() []Command }, id, argument string) tea.Cmd {
	named := namedRow(v.Commands(), id)
	if view, is := v.(View); is && named == nil {
		named = namedRow(Rows(view), id)
	}
	switch {
	case named == nil:
		return nil
	case named.usable():
	case named.Here && !named.shown(): // a reason would be about what is not open
		return Tell(Warning, `"`+named.Name+`" is not possible right now.`)
	case named.WhyNot() != "":
		return Tell(Warning, named.WhyNot())
	}
	return named.Do(argument)
}

// namedRow returns the row of an id that can be used, else the one that tells most of why not; nil for none.
func namedRow(list []Command, id string) (named *Command) {
	for i := range list {
		c := &list[i]
		switch {
		case c.ID != id:
		case c.usable():
			return c
		case named == nil || !named.shown() && (c.shown() || named.WhyNot() != "" && c.WhyNot() == ""):
			named = c
		}
	}
	return named
}

func (c *Command) shown() bool { return c.Shown == nil || c.Shown() }

func (c *Command) usable() bool { return c.shown() && c.WhyNot() == "" }

// Key names shown to people, where Bubble Tea's own are too technical.
var keyNames = map[string]string{
	"up": "↑", "down": "↓", "left": "←", "right": "→", " ": "space", "pgdown": "pgdn",
}

// KeyLabel returns a key as help shows it; ASCII keeps to plain words.
func KeyLabel(key string, ascii bool) string {
	name, ok := keyNames[key]
	if !ok || ascii && key != " " {
		return key
	}
	return name
}
