package jsonedit

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/services/edits"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// mode takes typed keys in place of commands: a field, a set of words, a text. It is made
// with what makes its text part of the document.
type mode interface {
	// insert takes text that was typed or pasted.
	insert(text string)
	// take makes what was typed part of the document, or says why it cannot be. It
	// reports whether there is nothing to take: typing is over.
	take() (over bool)
	// changed reports whether leaving would lose something.
	changed() bool
	// prompt is the line below: what is typed, or what is wrong with it.
	prompt(k *inks, width int) string
}

// panel is a mode with rows of its own.
type panel interface {
	mode
	// rows takes some of the free rows, and returns how many.
	rows(free int) int
	// draw returns its lines, of at most width cells.
	draw(k *inks, width, height int) []string
}

// typing is the mode that takes typed keys, and the question before it is left.
type typing struct {
	mode    mode // nil where keys are commands
	leaving bool // it asks whether what was typed is discarded
	again   bool // a key has not answered that
	turn    int  // grows with each mode
	// keepable says with leaving that what was typed can be kept.
	keepable bool
}

// The groups of the keys of a mode in help.
const (
	valueGroup  = "A value of the definition"
	textGroup   = "A value as text"
	wordsGroup  = "A comma list"
	findGroup   = "The search in a value as text"
	cursorGroup = "The cursor in a value"
)

// begin gives the keys to a mode, or with nil back to the commands.
func (e *Editor) begin(m mode) {
	e.typing, e.note = typing{mode: m, turn: e.Strokes() + 1}, ""
	e.tree.typeInto(m)
	e.arrange()
}

// typingRows makes the keys of all modes, and of the question before one is left: among them those
// that take over and leave. Every other key is text.
func (e *Editor) typingRows() []views.Command {
	take := views.Command{ID: "value.take", Key: "enter ctrl+s", Word: "apply", Group: valueGroup, Run: views.Call(e.takeTyped),
		Help: "Apply the value, or show what is wrong with it. Sends nothing."}
	leave := views.Command{ID: "value.leave", Key: "esc", Word: "cancel", Group: valueGroup, Run: views.Call(e.leave),
		Help: "Cancel; asks first if you typed something."}
	modes := slices.Concat(e.typing.fieldRows(take, leave), e.typing.areaRows(take, leave), e.typing.wordsRows(take, leave))
	discard := func() {
		e.begin(nil)
		e.note = "Edit discarded."
	}
	keep := views.Command{ID: "value.keep", Key: "k", Word: "keep as draft", Group: valueGroup, Shown: func() bool { return e.typing.keepable }, Run: views.Call(e.keep),
		Help: "When asked: keep the text in the draft, not applied, and leave it."}
	return slices.Concat(views.When(func() bool { return !e.typing.leaving }, modes),
		views.When(func() bool { return e.typing.leaving }, append(widget.DiscardRows("value", valueGroup, discard, func() { e.typing.leaving = false }), keep)))
}

// TypingCommands are the keys while a value is edited, for help.
func TypingCommands() []views.Command { return views.Distinct(new(Editor).typingRows()) }

// typed gives a key to what is typed into.
func (e *Editor) typed(key tea.KeyMsg) {
	e.tree.strokes++
	if row, ok := views.Typed(e.typingTable, key); ok {
		row.Do("")
	} else if e.typing.leaving {
		e.typing.leaving = key.Type != tea.KeyEsc
		e.typing.again = e.typing.leaving
	} else if text := views.TextOf(key); text != "" {
		e.typing.mode.insert(text)
	}
	e.arrange() // a panel may have grown
}

// takeTyped takes over what is typed.
func (e *Editor) takeTyped() {
	if e.typing.leaving = false; e.typing.mode.take() {
		e.begin(nil)
	}
}

// leave ends typing; where that loses something it asks first: esc may be the beginning
// of another key, cut off by a slow line.
func (e *Editor) leave() {
	switch m := e.typing.words(); {
	case m != nil && m.adding && !m.added.changed():
		m.adding = false
	case e.typing.mode.changed():
		e.typing.leaving, e.typing.again = true, false
		_, e.typing.keepable = e.Typing()
	default:
		e.begin(nil)
	}
}

// prompt is the line below.
func (t *typing) prompt(k *inks, width int) string {
	switch {
	case t.leaving && t.keepable:
		return widget.Discard(&k.Inks, t.again) + " " + k.Glyphs.Dot + " k keep as draft"
	case t.leaving:
		return widget.Discard(&k.Inks, t.again)
	}
	return t.mode.prompt(k, width)
}

// field is a text of one row: a value in its line of the tree, or a question in the
// line below.
type field struct {
	text   buffer
	before string
	label  string // what is asked for
	hint   string // what fits
	reason string // why the text was not taken
	values []string
	stem   string                     // what was typed before a value was suggested
	keys   map[string]document.NewKey // what is known of the values, where a key is typed
	path   document.Path              // of the value, where it is typed in its line
	line   int
	inLine bool
	// accept makes the text part of the document, which ends typing, or begins another
	// mode; else the text is refused.
	accept func(text string)
}

func newField(text, label, hint string) *field {
	m := &field{text: newBuffer(text, true), before: text, label: label, hint: hint}
	m.text.col = len(m.text.rows[0])
	return m
}

// refuse says why the text cannot be taken.
func (m *field) refuse(err error) { m.reason = reason(err) }

// field is the one that is typed into, nil for none.
func (t *typing) field() *field {
	switch m := t.mode.(type) {
	case *field:
		return m
	case *words:
		if m.adding {
			return m.added
		}
	}
	return nil
}

func (t *typing) fieldRows(take, leave views.Command) []views.Command {
	suggest := views.Command{ID: "value.known", Key: "tab",
		Hint: views.HintIf(func() bool { return len(t.field().values) > 0 }, "known values"),
		Run:  views.Call(func() { t.field().suggest() }),
		Help: "Replace the text with the next known value."}
	cursor := bufferRows(func() *buffer { return &t.field().text }, func() int { return 1 }, func(changed bool) {
		if changed { // else the text is the same, and so is what is wrong with it
			t.field().reason = ""
		}
	})
	own := slices.Concat([]views.Command{suggest, take, leave}, cursor)
	return views.When(func() bool { return t.field() != nil }, views.Grouped(valueGroup, own))
}

func (m *field) changed() bool { return m.text.String() != m.before }

func (m *field) take() (over bool) {
	m.reason = ""
	m.accept(m.text.String())
	return false
}

// insert leaves out the line ends that a copied line brings along.
func (m *field) insert(text string) {
	if m.reason = ""; !m.text.insert(strings.Trim(text, "\r\n")) {
		m.reason = "That is too large for a document."
	}
}

// fitting are the known values that begin with what was typed, else all, but no other keys.
func (m *field) fitting() []string {
	if text := m.text.String(); !slices.Contains(m.values, text) {
		m.stem = text
	}
	other := func(v string) bool { return !strings.HasPrefix(strings.ToLower(v), strings.ToLower(m.stem)) }
	if all := slices.DeleteFunc(slices.Clone(m.values), other); len(all) > 0 {
		return all
	}
	if m.keys != nil {
		return nil
	}
	return m.values
}

// maxKeyRows are the rows in which known keys are shown.
const maxKeyRows = 8

// rows are those of the known keys that begin with what was typed; none for a value.
func (m *field) rows(free int) int {
	return max(0, min(len(m.keys), len(m.fitting()), maxKeyRows, free-2))
}

// draw shows the known keys, each with what fits.
func (m *field) draw(k *inks, width, height int) (lines []string) {
	fitting := m.fitting()
	at := slices.Index(fitting, m.text.String())
	top := rows.Window(max(0, at), len(fitting), height)
	for i, name := range fitting[top : top+height] {
		text := "  " + k.JSONKey.On(k.clean(name, width/2)) + "  " + k.Muted.On(m.keys[name].Fits)
		if top+i == at {
			text = k.Selected(" ", text[2:], width-4)
		}
		lines = append(lines, "  "+text)
	}
	return lines
}

// suggest puts the next of the known values in place of the text.
func (m *field) suggest() {
	if m.reason = ""; len(m.values) == 0 {
		return
	}
	fitting := m.fitting()
	if len(fitting) == 0 {
		return
	}
	next := (slices.Index(fitting, m.text.String()) + 1) % len(fitting)
	changes := m.text.changes + 1
	m.text = newBuffer(fitting[next], true)
	m.text.changes = changes
	m.text.col = len(m.text.rows[0])
}

// prompt says why the text was not taken, else the question or what may be typed.
func (m *field) prompt(k *inks, width int) string {
	label := k.Heading.On(m.label)
	if m.reason != "" {
		label = k.Fail.On(k.Glyphs.Fail + " " + m.reason)
	}
	if m.inLine {
		hint := m.hint
		if m.reason != "" {
			hint = "" // it says what fits
		}
		return label + "  " + k.Muted.On(hint)
	}
	label = ansi.Truncate(label, max(8, width*2/3), k.Glyphs.Ellipsis)
	return label + "  " + m.text.window(k, max(6, width-ansi.StringWidth(label)-2))
}

// words edits a comma list as a set that is checked on and off.
type words struct {
	before []string
	items  []word
	cursor int
	added  *field                // the words that are typed
	adding bool                  // keys are text of added
	accept func(chosen []string) // makes them the list, which ends typing
	asText func()                // edits the list in its line instead
}

type word struct {
	text string
	on   bool
}

func newWords(before ...string) *words {
	m := &words{before: before, added: newField("", "Words to add, separated by commas", "")}
	m.add(true, before...)
	return m
}

// add adds words that are not there yet.
func (m *words) add(on bool, texts ...string) {
	for _, text := range texts {
		if !slices.ContainsFunc(m.items, func(w word) bool { return w.text == text }) {
			m.items = append(m.items, word{text, on})
		}
	}
}

func (m *words) chosen() []string {
	var chosen []string
	for _, w := range m.items {
		if w.on {
			chosen = append(chosen, w.text)
		}
	}
	return chosen
}

// words are those that are checked, nil for none.
func (t *typing) words() *words {
	m, _ := t.mode.(*words)
	return m
}

func (t *typing) wordsRows(take, leave views.Command) []views.Command {
	return views.When(func() bool { return t.words() != nil && !t.words().adding }, views.Grouped(wordsGroup, []views.Command{
		edits.Row("words.up", "", "Go to the word above.", func() { t.words().goTo(-1) }, "up", "k"),
		edits.Row("words.down", "", "Go to the word below.", func() { t.words().goTo(1) }, "down", "j"),
		edits.Row("words.check", "check", "Check the word, or uncheck it.", func() { t.words().check() }, " "),
		edits.Row("words.add", "add", "Type words to add, separated by commas.", func() { t.words().startAdding() }, "a"),
		edits.Row("words.text", "as text", "Edit the list as text, while no word was checked or unchecked.", func() {
			if m := t.words(); !m.changed() {
				m.asText()
			}
		}, "e"),
		take, leave,
	}))
}

func (m *words) startAdding() { m.added.text, m.added.reason, m.adding = newBuffer("", true), "", true }

func (m *words) goTo(by int) { m.cursor = max(0, min(m.cursor+by, len(m.items)-1)) }

func (m *words) check() {
	if m.cursor < len(m.items) {
		m.items[m.cursor].on = !m.items[m.cursor].on
	}
}

func (m *words) insert(text string) {
	if m.adding {
		m.added.insert(text)
	}
}

func (m *words) changed() bool {
	if m.adding && m.added.changed() {
		return true
	}
	before := slices.Clone(m.before) // a word that is there twice is one
	slices.Sort(before)
	chosen := m.chosen()
	slices.Sort(chosen)
	return !slices.Equal(slices.Compact(before), chosen)
}

// take makes what was typed words of the list, or takes the list over.
func (m *words) take() (over bool) {
	switch {
	case !m.adding && !m.changed():
		return true
	case !m.adding:
		m.accept(m.chosen())
		return false
	}
	added := document.Items(m.added.text.String())
	m.add(true, added...)
	for _, text := range added {
		m.cursor = slices.IndexFunc(m.items, func(w word) bool { return w.text == text })
		m.items[m.cursor].on = true
	}
	m.adding = false
	return false
}

func (m *words) rows(free int) int { return max(0, min(len(m.items), free-2, free*2/3+1)) }

func (m *words) draw(k *inks, width, height int) []string {
	top := rows.Window(m.cursor, len(m.items), height)
	var lines []string
	for i := top; i < len(m.items) && len(lines) < height; i++ {
		box, ink := "[ ] ", k.Muted
		if m.items[i].on {
			box, ink = "[x] ", k.JSONString
		}
		text := box + ink.On(k.clean(m.items[i].text, width-8))
		switch {
		case i != m.cursor:
			text = "    " + text
		case m.adding:
			text = "  " + k.Resting.On(k.Glyphs.Dot) + " " + text
		default:
			text = "  " + k.Selected(" ", theme.CursorMark+text, width-4)
		}
		lines = append(lines, text)
	}
	return lines
}

func (m *words) prompt(k *inks, width int) string {
	if m.adding {
		return m.added.prompt(k, width)
	}
	return k.Heading.On(plain.Plural(len(m.chosen()), "word"))
}

// Typed is a text that is typed in place of a value, and is not in the document yet.
type Typed struct {
	Path     document.Path
	Text     string
	Line     bool // in the line of the value, without the quotes of a string
	Row, Col int  // of the cursor, from 0
}

// Strokes grows with each change of what is typed, and where typing begins or ends.
func (e *Editor) Strokes() int {
	switch m := e.typing.mode.(type) {
	case *area:
		return e.typing.turn + m.text.changes
	case *field:
		return e.typing.turn + m.text.changes
	}
	return e.typing.turn
}

// Typing returns the text that is being typed in place of a value; false where there is
// none, or nothing was typed yet.
func (e *Editor) Typing() (t Typed, ok bool) {
	switch m := e.typing.mode.(type) {
	case nil:
		if e.kept != nil {
			return *e.kept, true
		}
	case *area:
		if m.changed() {
			return Typed{Path: m.path, Text: m.text.String(), Row: m.text.row, Col: m.text.col}, true
		}
	case *field:
		if m.inLine && m.changed() {
			return Typed{Path: m.path, Text: m.text.String(), Line: true, Col: m.text.col}, true
		}
	}
	return Typed{}, false
}

// ResumeTyping goes on with a text that was typed before, at its place; false where the
// document has no such place. One of several lines that nobody asked for waits for its key.
func (e *Editor) ResumeTyping(t Typed, asked bool) (tea.Cmd, bool) {
	if _, there := e.Document().Find(t.Path); there && !t.Line && !asked {
		e.keepText(t)
		return nil, true
	}
	if !e.resume(t) {
		return nil, false
	}
	return e.follow(), true
}

func (e *Editor) resume(t Typed) bool {
	n, ok := e.Document().Find(t.Path)
	if !ok {
		return false
	}
	if !t.Line {
		e.startText(n, &t)
		return true
	}
	m := e.editLine(n, document.WidgetFor(n))
	m.text = newBuffer(t.Text, true)
	m.text.col = max(0, min(t.Col, len(m.text.rows[0])))
	e.tree.strokes++
	return true
}
