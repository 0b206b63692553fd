package widget

import (
	"slices"
	"strings"
	"time"

	"github.com/charmbracelet/bubbles/cursor"
	"github.com/charmbracelet/bubbles/key"
	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/huh"
	"github.com/charmbracelet/lipgloss"
	"github.com/charmbracelet/x/ansi"

	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/widget/complete"
	"geodeck/ui/widget/rows"
)

// FormOptions say what a [Form] asks for and what follows.
type FormOptions struct {
	ID    string
	Title string
	Note  string // below the title; may be empty
	// Build makes the fields, bound to values that the caller owns. It is called
	// again each time the form starts: a submitted huh form cannot be reused.
	Build func() *huh.Form
	// Fields are those of a form that may have to be scrolled; where it is low, it begins with the label of one.
	// May be nil.
	Fields func() []huh.Field
	// Submit returns what runs once the fields are filled in; it reads the bound
	// values. The dialog is shut first.
	Submit func() tea.Cmd
	Read   time.Time // when what it is about was read; zero for as the screen below it
	// Action names what enter does in the last field, such as "sign in".
	Action string
	// Starts says that Submit starts something at the site: an enter that comes together
	// with text is none.
	Starts bool
	// Letters says whether a letter in a list is text of the field that it leads to: it goes on. May be nil.
	Letters func() bool
	// Stay leaves the dialog open when Submit runs, until it is shut or retried.
	Stay bool
	// Cancel runs when the form is left; may be nil.
	Cancel tea.Cmd
	// Copy is of what Submit sends, by the bound values; nil where it sends nothing.
	Copy *views.Copies

	list bool // it is made by [NewList]
}

// Form is a huh form as a dialog: errors and keys are drawn by the dashboard,
// and leaving it is esc, wherever in the form the user is.
type Form struct {
	Base
	theme         *theme.Theme
	options       FormOptions
	form          *huh.Form
	problem, busy string
	width, height int
	room          int       // lines of the fields
	fitted        [2]int    // the cells that the fields were given: giving them draws every field
	fittedTo      *huh.Form // whose fields those are
	held          heldKeys
}

// NewForm returns the dialog. The fields are made by Init.
func NewForm(t *theme.Theme, o FormOptions) *Form {
	f := &Form{Base: NewBase(o.ID), theme: t, options: o}
	f.Answers = views.Hooks{Takes: f.takes, Keyed: f.keyed, Read: func() time.Time { return o.Read }}
	return f
}

// Init makes the fields.
func (f *Form) Init() tea.Cmd {
	f.form = f.options.Build().WithKeyMap(FormKeys()).WithTheme(f.theme.Huh()).WithShowHelp(false).WithShowErrors(false)
	f.fit()
	return f.form.Init()
}

// FormKeys are the keys of huh, without the one that is the same bytes as esc and enter, and
// without a letter that is another command elsewhere.
func FormKeys() *huh.KeyMap {
	keys := huh.NewDefaultKeyMap()
	keys.MultiSelect.Toggle.SetKeys(" ")
	keys.Text.NewLine.SetKeys("ctrl+j")
	keys.Text.NewLine.SetHelp("ctrl+j", "new line")
	return keys
}

// takes says whether an enter would start something; in any case it leads to the next field.
func (f *Form) takes() views.Takes { return views.Takes{Question: f.GuardsPaste(), Lines: true} }

// GuardsPaste reports whether an enter would start something.
func (f *Form) GuardsPaste() bool {
	if !f.options.Starts || f.form == nil {
		return false
	}
	switch f.form.GetFocusedField().(type) {
	case *huh.Input, *completed:
		return true
	}
	return f.held.waiting
}

// Retry shows the form again, with what went wrong; the bound values stay.
func (f *Form) Retry(problem string) tea.Cmd {
	f.problem, f.busy, f.held = problem, "", heldKeys{turn: f.held.turn + 1}
	return f.Init()
}

// RetryAt is Retry with the cursor some fields further on; shift+tab leads back
// to them.
func (f *Form) RetryAt(problem string, fields int) tea.Cmd {
	cmds := []tea.Cmd{f.Retry(problem)}
	for range fields {
		_, cmd := f.form.Update(huh.NextField())
		cmds = append(cmds, cmd)
	}
	return tea.Sequence(cmds...)
}

// SetNote changes the note below the title.
func (f *Form) SetNote(note string) {
	f.options.Note = note
	f.fit()
}

// Wait shows what is under way in place of the fields until Retry or the end.
func (f *Form) Wait(busy string) { f.busy = busy }

// SetSize gives the form its cells, also once a dialog on top was closed.
func (f *Form) SetSize(width, height int) {
	f.held.waiting = false // the awaited message may have gone to that dialog
	f.Resize(width, height)
}

// Resize gives a form that is part of a page its cells. Keys that it holds wait on.
func (f *Form) Resize(width, height int) {
	f.width, f.height = width, height
	f.fit()
}

// Rested gives the fields the keys that were held: no key has come for long, so what they waited for has
// gone to a dialog on top.
func (f *Form) Rested() tea.Cmd {
	if !f.held.waiting {
		return nil
	}
	return f.release()
}

// maxForm bounds the lines of a form, in cells: longer ones are hard to read.
const maxForm = 100

// fit passes the size on: without one, a huh form takes the whole terminal.
func (f *Form) fit() {
	if f.form != nil && f.width > 0 {
		width, height := min(f.width, maxForm), f.aligned(max(f.height-len(f.heading()), 1))
		if f.fittedTo == f.form && f.fitted == [2]int{width, height} {
			return
		}
		f.fittedTo, f.fitted = f.form, [2]int{width, height}
		f.form.WithWidth(width).WithHeight(height)
		if height != f.room {
			f.room = height
			_, _ = f.form.Update(scroll{}) // it scrolls to the field that is typed into with a message only
		}
	}
}

// aligned is the height at which a low form that is scrolled begins with a whole field: lines of one whose label is
// out of sight answer nothing that can be read.
func (f *Form) aligned(height int) int {
	if f.options.Fields == nil || f.height >= alignedForm {
		return height
	}
	var lines []int // of each field, with the one that parts it from the next
	all := -1
	for _, field := range f.options.Fields() {
		lines = append(lines, lipgloss.Height(field.View())+1)
		all += lines[len(lines)-1]
	}
	for _, of := range lines {
		if all <= height {
			return max(1, all)
		}
		all -= of
	}
	return height
}

// scroll is no message of any field.
type scroll struct{}

// Update passes everything to the fields, but esc, which leaves, and what the dialog has asked for.
func (f *Form) Update(msg tea.Msg) tea.Cmd {
	switch msg := msg.(type) {
	case tea.KeyMsg:
		if f.GuardsPaste() && len(msg.Runes) > 1 && strings.ContainsAny(string(msg.Runes), "\r\n") {
			msg.Paste = true
			return tea.Batch(f.key(Pasted(msg)), views.Tell(views.Warning, views.Keys("Pasted text starts nothing: press {key:form.next} again, alone.")))
		}
		return f.key(Pasted(msg))
	case views.Retry:
		return msg.Do()
	case cursor.BlinkMsg:
		return nil // a blinking cursor sends bytes while nothing happens
	case settled:
		if msg.form != f || msg.turn != f.held.turn {
			return nil
		}
		if f.held.pending--; f.held.pending > 0 {
			return nil
		}
		return f.release()
	case complete.Listed:
		f.held.waiting = f.form != nil && f.busy == "" // it may lead to the next field
	}
	return f.pass(msg)
}

// maxName is how many characters a name that is pasted into a list has at most.
const maxName = 64

func (f *Form) key(key tea.KeyMsg) tea.Cmd {
	if !f.held.waiting && len(f.held.keys) > 0 {
		return tea.Batch(f.release(), f.key(key))
	}
	row, named := views.Typed(f.commands(key), key)
	switch {
	case !f.letters() || key.Type != tea.KeyRunes || key.Alt:
	case key.Paste && len(key.Runes) > maxName: // no name: a token would stand in clear
		return views.PasteUnused()
	default:
		return tea.Batch(f.key(tea.KeyMsg{Type: tea.KeyEnter}), f.key(tea.KeyMsg{Type: tea.KeyCtrlU}), f.key(key))
	}
	switch {
	case f.submitted() && !f.options.Stay:
		return nil
	case named && row.ID == leaveID:
		return row.Do("")
	case f.busy != "" || f.form == nil:
		return nil
	case f.held.waiting:
		f.held.keys = append(f.held.keys, key)
		return nil
	case named:
		return row.Do("")
	}
	return f.typed(key)
}

// typed gives the field in focus a key.
func (f *Form) typed(key tea.KeyMsg) tea.Cmd {
	f.problem = ""
	return f.pass(key)
}

const leaveID = "form.leave"

// commands are the keys of the form, of which one is pressed; every other key belongs to
// the field in focus. Which keys move, mark and complete is up to huh.
func (f *Form) commands(pressed tea.KeyMsg) []views.Command {
	const group = "Forms"
	huhs := FormKeys()
	choose := []string{huhs.Select.Up.Keys()[0], huhs.Select.Down.Keys()[0]}
	move := func() tea.Cmd { f.held.waiting = true; return f.typed(pressed) }
	field := func() tea.Cmd { return f.typed(pressed) }
	next := "next"
	if f.last() {
		next = f.options.Action
	}
	leave, leaving := "esc", func() tea.Cmd { return f.ShutThen(f.options.Cancel) }
	switch _, filtering := f.inList(); {
	case filtering && pressed.Type == tea.KeyEsc:
		leaving = field // it ends the filter first
	case f.chooses() && !f.letters():
		leave = "esc q"
	}
	completing, forward := f.completing(move, field), huhs.Input.Next.Keys()
	if len(completing) > 0 {
		forward = forward[:1] // tab completes
	}
	return slices.Concat([]views.Command{
		{ID: "form.next", Key: views.JoinKeys(forward...), Word: next, Group: group, Run: move, Help: views.Keys("Goes to the next field; in the last one does what the form is for. Where there is something to complete, {key:prompt.complete} does that first.")},
		{ID: leaveID, Key: leave, Word: "cancel", Group: group, Run: leaving, Help: views.Keys("Leaves the form, after the filter of a list; nothing is sent. In a list, {key:quit} does too.")},
	}, completing, []views.Command{
		{ID: "form.back", Key: views.JoinKeys(huhs.Input.Prev.Keys()...), Word: "back", Group: group, Run: move, Help: "Goes to the previous field."},
		{ID: "form.choose", Key: views.JoinKeys(choose...), Group: group, Run: field, Help: "Chooses in a list, or among candidates."},
		{ID: "form.mark", Key: views.JoinKeys(huhs.MultiSelect.Toggle.Keys()...), Group: group, Run: field,
			Help: "Marks or unmarks an entry of a multiple-choice list."},
	}, f.options.Copy.DialogRows("form"))
}

// completing are the keys of a field that completes. No key waits for a folder that is
// being read.
func (f *Form) completing(move, field func() tea.Cmd) []views.Command {
	if f.form == nil {
		return nil
	}
	c, ok := f.form.GetFocusedField().(*completed)
	if !ok {
		return nil
	}
	list := c.keys()
	for i := range list {
		list[i].Run = field
	}
	if !c.line.OfFiles() || c.goesOn() { // it may lead to the next field
		list[0].Run = move
	}
	return list
}

// last reports whether the field in focus is the last one.
func (f *Form) last() bool {
	return f.form != nil && slices.ContainsFunc(f.form.KeyBinds(), func(b key.Binding) bool { return b.Enabled() && b.Help().Desc == "submit" })
}

// submitted reports whether the fields are filled in, and Submit was called: what still comes until the dialog is shut,
// such as from keys before the last one, must not call it again, nor leave the form instead.
func (f *Form) submitted() bool { return f.form != nil && f.form.State == huh.StateCompleted }

// pass gives the fields a message.
func (f *Form) pass(msg tea.Msg) tea.Cmd {
	if f.form == nil || f.busy != "" || f.submitted() {
		return nil
	}
	before := f.form.GetFocusedField()
	_, cmd := f.form.Update(msg)
	if f.form.State == huh.StateCompleted {
		f.held = heldKeys{turn: f.held.turn + 1}
		then := f.options.Submit()
		if f.options.Stay {
			return then
		}
		return f.ShutThen(then)
	}
	f.fit()
	if !f.held.waiting {
		return cmd
	}
	if f.form.GetFocusedField() != before {
		return tea.Batch(cmd, f.release())
	}
	f.held.pending++
	return tea.Sequence(cmd, views.Send(settled{form: f, turn: f.held.turn}))
}

// Hints are the keys for the next field, for leaving, and of the field in focus.
func (f *Form) Hints() []views.Hint {
	list := f.commands(tea.KeyMsg{})
	if f.busy != "" {
		leave, _ := views.Find(list, leaveID)
		return views.Hints([]views.Command{leave})
	}
	if f.form != nil {
		list = append(list, f.fieldHints()...)
	}
	if f.AtStart() {
		list = slices.DeleteFunc(list, func(c views.Command) bool { return c.ID == "form.back" })
	}
	return views.Hints(list)
}

// keyed are the keys of the form, none where the field in focus takes text.
func (f *Form) keyed() []views.Command {
	if f.form == nil || f.busy != "" {
		return nil
	}
	switch inList, filtering := f.inList(); {
	case !inList || filtering:
		return nil
	case f.options.list:
		return listKeys()
	}
	return f.commands(tea.KeyMsg{})
}

// listKeys are the rows of the help of a form that is one list.
func listKeys() []views.Command {
	huhs := FormKeys().Select
	return views.Grouped("List", []views.Command{
		{ID: "form.next", Key: "enter", Help: "Goes on with the entry under the cursor."},
		{ID: leaveID, Key: "esc q", Help: "Closes the list; nothing is sent."},
		{ID: "form.choose", Key: views.JoinKeys(huhs.Up.Keys()[0], huhs.Down.Keys()[0]), Help: "Moves to another entry."},
		{ID: rows.Filter, Key: views.JoinKeys(huhs.Filter.Keys()...), Help: "Shows only entries with a text."},
	})
}

// chooses reports whether a key is for a list.
func (f *Form) chooses() bool {
	inList, filtering := f.inList()
	return inList && !filtering && f.busy == "" && !f.held.waiting
}

// letters reports whether a letter leads to the next field.
func (f *Form) letters() bool { return f.options.Letters != nil && f.chooses() && f.options.Letters() }

// AtStart reports whether the first field has the cursor.
func (f *Form) AtStart() bool {
	return f.form != nil && !slices.ContainsFunc(f.form.KeyBinds(), func(b key.Binding) bool { return b.Enabled() && b.Help().Key == "shift+tab" })
}

// inList reports whether the field in focus is a list, and whether its filter is typed.
func (f *Form) inList() (inList, filtering bool) {
	if f.form == nil {
		return false, false
	}
	list, inList := f.form.GetFocusedField().(interface{ GetFiltering() bool })
	return inList, inList && list.GetFiltering()
}

// fieldHints are the keys of the field in focus that the others do not name.
func (f *Form) fieldHints() []views.Command {
	var hints []views.Command
	for _, b := range f.form.KeyBinds() {
		if !b.Enabled() {
			continue
		}
		hint, keys := b.Help().Desc, []string{b.Help().Key}
		switch keys[0] {
		case "", "enter", "esc", "shift+tab", "tab", "↓", "→":
			continue
		case "/":
			if f.letters() { // of the next field
				continue
			}
		case "↑":
			hint, keys = "move", []string{"up", "down"}
		case "←":
			hint, keys = "move", []string{"left", "right"}
		case "←/→":
			keys = []string{"left", "right"}
		}
		hints = append(hints, views.Command{Key: views.JoinKeys(keys...), Word: hint})
	}
	return hints
}

// heldKeys are typed while the form goes from one field to the next. The form
// moves by messages, which come after keys that were read together with the
// enter: without waiting, the start of a password lands in the visible field
// before it.
type heldKeys struct {
	waiting bool
	turn    int // counts the waits
	pending int // how many chains of commands of this wait still run
	keys    []tea.KeyMsg
}

// settled follows the last message that a command of the form led to.
type settled struct {
	form *Form
	turn int
}

// release gives the held keys to the form, up to the next one that moves it.
func (f *Form) release() tea.Cmd {
	keys := f.held.keys
	f.held = heldKeys{turn: f.held.turn + 1}
	var cmds []tea.Cmd
	for _, key := range keys {
		cmds = append(cmds, f.key(key))
	}
	return tea.Batch(cmds...)
}

// View draws the heading, the fields, and what is wrong.
func (f *Form) View() string {
	lines := f.heading()
	if f.busy != "" {
		lines = append(lines, f.theme.Running.Render(f.theme.Glyphs.Running+" "+f.busy))
		return join(lines)
	}
	if f.form != nil {
		marker := f.theme.Glyphs.Cursor + " " + theme.CursorMark
		for line := range strings.SplitSeq(strings.TrimRight(f.form.View(), "\n "), "\n") {
			if before, choice, chosen := strings.Cut(line, marker); chosen {
				line = before + f.theme.Cursor.Render(marker+strings.TrimRight(ansi.Strip(choice), " "))
			}
			lines = append(lines, line)
		}
	}
	text := join(lines)
	if at := strings.Index(text, theme.CursorMark) + len(theme.CursorMark); at >= len(theme.CursorMark) {
		text = text[:at] + theme.WithoutCursor(text[at:]) // a list that is filtered marks its choice as well
	}
	return text
}

// heading is everything above the fields, problems included: below them they
// would be cut off on a low terminal.
func (f *Form) heading() []string {
	var lines []string
	low := f.height > 0 && f.height < lowForm
	if !low {
		lines = wrapped(f.theme.Heading, f.options.Title, f.width)
	}
	if f.options.Note != "" {
		lines = append(lines, wrapped(f.theme.Muted, f.options.Note, f.width)...)
	}
	ofField := ""
	if f.form != nil {
		if err := f.form.GetFocusedField().Error(); err != nil { // another one is told once it is gone to
			ofField = views.Sentence(err.Error())
		}
	}
	for _, problem := range []string{f.problem, ofField} {
		if problem != "" {
			lines = append(lines, wrapped(f.theme.Fail, f.theme.Glyphs.Fail+" "+problem, f.width)...)
		}
	}
	if low {
		return lines
	}
	return append(lines, "")
}

// lowForm is a height below which the title goes: what is typed has to be in sight. Below alignedForm no field
// is shown in part.
const (
	lowForm     = 6
	alignedForm = 12
)
