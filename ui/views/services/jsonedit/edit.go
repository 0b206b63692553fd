package jsonedit

import (
	"cmp"
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/ui/views"
	"geodeck/ui/views/services/edits"
	"geodeck/ui/widget/rows"
)

const editGroup = "Edit"

// Commands lists every row of the editor, and the keys of what is typed for the footer.
func (e *Editor) Commands() []views.Command { return e.table }

// The rows of the footer, those of the tab and of the view around the editor in their places.
var (
	treeFooter = []string{"services.write", "services.take-over", "jsonedit.respell", "jsonedit.edit", "jsonedit.undo", "services.editor", rows.Filter, "services.next-section",
		"jsonedit.add", "jsonedit.delete", "jsonedit.switch", "jsonedit.text", "services.difference", "services.discard", "services.read-again", "services.back", "services.explain"}
	typingFooter = []string{"value.discard", "value.stay", "value.keep", "find.next", "find.end", "value.known", "words.check", "words.add", "words.text",
		"value.take", "text.take", "value.leave", "cursor.undo", "text.find"}
)

// Footer lists the rows of the footer.
func (e *Editor) Footer() []string {
	if e.typing.mode != nil {
		return typingFooter
	}
	return treeFooter
}

// rows makes the table.
func (e *Editor) rows() []views.Command {
	// on and where are about the value under the cursor; one that was deleted is none.
	on := func(do func(document.Node)) func() tea.Cmd {
		return views.Call(func() {
			if n, ok := e.tree.node(); ok {
				do(n)
			}
		})
	}
	where := func(is func(document.Node) bool, whyNot string) func() string {
		return views.Only(func() bool {
			n, ok := e.tree.node()
			return ok && is(n)
		}, whyNot)
	}
	edit := views.Command{ID: "jsonedit.edit", Key: "e enter", Word: "edit", Name: "edit the value", Enabled: e.tree.fixed, Run: on(e.edit),
		Help: "Edit the value in its line; a switch turns, a list shows its words. An object or list opens as text."}
	text := edit
	text.Key = "e" // enter opens and folds
	named := func(n document.Node) bool {
		_, named := n.Key()
		return named
	}
	switches := func(n document.Node) bool {
		_, in := extensionAt(n)
		return in || isSwitch(n)
	}
	addable := func(n document.Node) bool { return isHolder(n) || n.Parent().Valid() }
	change := edits.Unless(e.tree.noValue, append(e.tree.either(edit, text), []views.Command{
		{ID: "jsonedit.add", Key: "a", Word: "add", Name: "add", Enabled: where(addable, "Nothing can be added to a single value."), Run: on(e.startAdding),
			Help: "Add a key or an element, inside or after this value."},
		{ID: "jsonedit.delete", Key: "d", Word: "del", Name: "delete", Run: on(e.remove),
			Help: "Delete the value under the cursor with its key."},
		{ID: "jsonedit.switch", Key: "space", Word: "on or off", Name: "switch on or off", Run: on(e.switchOf),
			Enabled: where(switches, views.Keys("Only true, false and extensions switch; {key:jsonedit.edit} edits.")),
			Help:    "Switch the value, else its extension, on or off."},
		{ID: "jsonedit.text", Key: "i", Name: "edit as text", Enabled: e.textFixed, Run: on(e.openText),
			Hint: func() string {
				if e.kept != nil {
					return "kept text"
				}
				return "as text"
			},
			Help: views.Keys("Edit the value and its contents as text; {key:jsonedit.take} applies it.")},
		{ID: "jsonedit.rename", Key: "f2", Name: "rename the key", Enabled: where(named, "Only a key of an object can be renamed."), Run: on(e.startRenaming),
			Help: "Rename the key under the cursor."},
		{ID: "jsonedit.respell", Key: "m", Hint: views.HintIf(e.tree.suggests, "take suggestion"), Name: "take the suggested key",
			Enabled: views.Only(e.tree.suggests, "No other key is suggested here."), Run: on(e.respell),
			Help: "Give a misspelt key the suggested name; a key of that name gets its value."},
		{ID: "jsonedit.move-up", Key: "K alt+up", Name: "move up", Run: on(func(n document.Node) { e.move(n, -1) }),
			Help: "Move the value up one place."},
		{ID: "jsonedit.move-down", Key: "J alt+down", Name: "move down", Run: on(func(n document.Node) { e.move(n, 1) }),
			Help: "Move the value down one place."},
		{ID: "jsonedit.copy", Key: "y", Name: "copy the value", Run: e.tree.copyValue,
			Help: "Copy the value under the cursor."},
	}...))
	steps := append(e.history.Rows("jsonedit", e.undo, e.redo), views.Command{
		ID: "jsonedit.copy-path", Key: "Y", Name: "copy the path", Run: func() tea.Cmd { return views.CopyText(e.Path().String(), "path") },
		Help: "Copy the path of the value under the cursor.",
	})
	take := views.Command{ID: "jsonedit.take", Key: "ctrl+s", Name: "apply typed text",
		Enabled: views.Only(func() bool { return e.typing.mode != nil }, "No text is being typed."), Run: e.take,
		Help: views.Keys("Apply the text that you edit. In a one-line field, press {key:value.take}.")}
	return views.Grouped(editGroup, slices.Concat(e.fresh(e.unlessKept(slices.Concat(change, steps))), []views.Command{take},
		e.fresh(e.tree.rows(func(note string) { e.note = note }, e.goToPath)), views.When(func() bool { return !e.busy }, views.Unlisted(e.typingTable))))
}

// fresh returns the rows with what surrounds each of them: the last note is cleared first,
// and what they begin is returned. While something is typed, or the editor is busy, they do
// nothing.
func (e *Editor) fresh(list []views.Command) []views.Command {
	return views.When(func() bool { return !e.CapturesText() }, views.Around(list, func(row views.Command, run func() tea.Cmd) tea.Cmd {
		if e.typing.mode != nil || e.busy {
			return nil
		}
		e.note = ""
		if !row.Browses { // it acts on the row under the cursor, and so does what is said
			e.tree.list.Rest()
		}
		return tea.Batch(run(), e.follow())
	}))
}

// take takes over what is typed.
func (e *Editor) take() tea.Cmd {
	if e.typing.mode == nil || e.busy {
		return nil
	}
	e.tree.strokes++
	e.takeTyped()
	return e.follow()
}

// edit edits a value with what suits it; what holds others, or is too long for a line, is
// edited as text.
func (e *Editor) edit(n document.Node) {
	if n.Len() > 0 || len(n.Raw()) > maxBytes {
		e.startText(n, nil)
		return
	}
	switch widget := document.WidgetFor(n); {
	case widget == document.OnOff:
		e.set(n, flipped(n), asJSON, nil)
	case widget == document.CommaList && isPlain(n.Text()):
		e.editWords(n)
	default:
		e.editLine(n, widget)
	}
}

// editLine types the value in its line.
func (e *Editor) editLine(n document.Node, widget document.Widget) *field {
	text, write := writerFor(n, widget)
	m := newField(text, "New value", hintFor(widget))
	m.accept = func(text string) { e.set(n, text, write, m.refuse) }
	if f, ok := document.FieldOf(n.Path()); ok && n.Kind() == document.String {
		m.values = slices.DeleteFunc(slices.Clone(f.Values), func(v string) bool { return v == text })
		if len(m.values) > 0 {
			m.values = append(m.values, text)
		}
	}
	m.line, m.path, m.inLine = e.tree.lines.of(n), n.Path(), true
	e.tree.goTo(m.line)
	e.begin(m)
	return m
}

// editWords checks the words of a list on and off: those it has, those it had in the
// base, and those known.
func (e *Editor) editWords(n document.Node) {
	base := e.Base()
	e.work(0, func() func() {
		m := newWords(document.Items(n.Text())...)
		if was, ok := base.Find(n.Path()); ok && was.Kind() == document.String {
			m.add(false, document.Items(was.Text())...)
		}
		if f, ok := document.FieldOf(n.Path()); ok {
			m.add(false, f.Values...)
		}
		m.accept = func(chosen []string) { // with the commas it had
			comma := ","
			if strings.Contains(n.Text(), ", ") {
				comma = ", "
			}
			e.set(n, document.Quote(strings.Join(chosen, comma)), asJSON, nil)
		}
		m.asText = func() { e.editLine(n, document.CommaList) }
		return func() {
			e.tree.goTo(e.tree.lines.of(n))
			e.begin(m)
		}
	})
}

// openText edits a value as text, or goes on with the text that is kept.
func (e *Editor) openText(n document.Node) {
	if e.kept != nil {
		e.resumeKept()
		return
	}
	e.startText(n, nil)
}

// textFixed is [tree.fixed] of a value that is edited as text: what is kept goes on wherever the cursor is.
func (e *Editor) textFixed() string {
	if e.kept != nil {
		return ""
	}
	return e.tree.fixed()
}

// startText edits a value, with all it holds, as text, resuming what was typed of it before; nil for nothing.
func (e *Editor) startText(n document.Node, typed *Typed) {
	e.work(0, func() func() {
		m := newArea(n.Subtree())
		m.path = n.Path()
		if typed != nil {
			m.text, m.typed = newBuffer(typed.Text, false), true
			if err := faultOf(n, typed.Text); err != nil {
				m.refuse(err)
			}
			m.goTo(typed.Row, typed.Col)
		}
		m.accept = func(text buffer) {
			e.apply(edit{
				size:    text.bytes,
				make:    func(d *document.Document) (*document.Document, error) { return d.SetValue(n.Path(), text.String()) },
				cursor:  at(startOf(n)),
				refused: m.refuse,
			})
		}
		return func() {
			e.tree.goTo(e.tree.lines.of(n))
			e.begin(m)
		}
	})
}

// set makes a text the value of a node.
func (e *Editor) set(n document.Node, text string, write writer, refused func(error)) {
	e.apply(edit{
		size: len(text),
		make: func(d *document.Document) (*document.Document, error) {
			raw, err := write(text)
			if err != nil {
				return nil, err
			}
			return d.SetValue(n.Path(), raw)
		},
		cursor:  at(startOf(n)),
		refused: refused,
	})
}

// startAdding asks for a key and its value, or for an element: inside an object or array, else
// behind a value.
func (e *Editor) startAdding(n document.Node) {
	parent, place := n, -1
	if !isHolder(n) {
		parent, place = n.Parent(), n.Index()+1
	}
	if parent.Kind() == document.Array {
		e.askValue(parent, "", place, document.NewKey{})
		return
	}
	m := newField("", "New key in "+e.inks.clean(parent.Path().String(), 50), "")
	m.values, m.keys = e.keys.ForAdding(parent.Document(), parent.Path())
	m.accept = func(key string) {
		e.work(0, func() func() {
			_, taken := parent.Child(key)
			return func() {
				if taken {
					m.refuse(refusal("This key already exists."))
					return
				}
				e.askValue(parent, key, place, m.keys[key])
			}
		})
	}
	e.begin(m)
}

// askValue asks for the value of a new key, or for a new element.
// known says what is known of the key.
func (e *Editor) askValue(parent document.Node, key string, place int, known document.NewKey) {
	label, write := "Value of the new element, as JSON", jsonWriter(document.AnyWidget)
	if parent.Kind() == document.Object {
		f, _ := document.FieldOf(parent.Path().Key(key))
		f.Widget = cmp.Or(f.Widget, known.Widget)
		label, write = newValue(f)
		label = cmp.Or(known.Fits, label)
		label = e.inks.clean(key, 40) + ": " + label
	}
	nth := place
	if nth < 0 {
		nth = parent.Len()
	}
	m := newField("", label, "")
	m.accept = func(text string) {
		e.apply(edit{
			size: len(text),
			make: func(d *document.Document) (*document.Document, error) {
				raw, err := write(text)
				switch {
				case err != nil:
					return nil, err
				case parent.Kind() == document.Array:
					return d.Insert(parent.Path(), raw, place)
				}
				return d.Add(parent.Path(), key, raw, place)
			},
			cursor: nthAt(startOf(parent), nth),
			note: func() string {
				if line := e.tree.line(); len(e.tree.lines.found(line, line)) > 0 { // what is wrong with it is said there
					return ""
				}
				return "Added: " + e.Path().String()
			},
			refused: m.refuse,
		})
	}
	m.before = "\x00" // leaving loses the key as well
	e.begin(m)
}

// remove deletes a value and names what went.
func (e *Editor) remove(n document.Node) {
	removed := n.Path().String()
	if n.Len() > 0 {
		removed += " with " + countOf(n)
	}
	x := edit{
		make: func(d *document.Document) (*document.Document, error) { return d.Remove(n.Path()) },
		note: func() string { return "Deleted " + removed + views.Keys(". {key:jsonedit.undo} undoes.") },
	}
	if parent := n.Parent(); parent.Valid() {
		x.cursor = nthAt(startOf(parent), n.Index())
	}
	e.apply(x)
}

// startRenaming asks for another name of the key of a value.
func (e *Editor) startRenaming(n document.Node) {
	key, _ := n.Key()
	m := newField(key, "Rename to", "")
	m.accept = func(text string) {
		e.apply(edit{
			size:    len(text),
			make:    func(d *document.Document) (*document.Document, error) { return d.Rename(n.Path(), text) },
			cursor:  nthAt(startOf(n.Parent()), n.Index()),
			refused: m.refuse,
		})
	}
	e.begin(m)
}

// respell gives the key of a value the suggested name.
func (e *Editor) respell(n document.Node) {
	right, path := document.Path(e.tree.suggested()), n.Path()
	e.apply(edit{
		make: func(d *document.Document) (*document.Document, error) { return d.Respell(path, right) },
		cursor: func(d *document.Document) document.Node {
			n, _ := d.Find(right)
			return n
		},
		note: func() string { return "Now " + e.Path().String() + views.Keys(". {key:jsonedit.undo} undoes.") },
	})
}

// move moves a value among its siblings.
func (e *Editor) move(n document.Node, by int) {
	x := edit{make: func(d *document.Document) (*document.Document, error) { return d.Move(n.Path(), by) }}
	if parent := n.Parent(); parent.Valid() {
		to := n.Index() + by
		if to < 0 || to >= parent.Len() {
			e.note = "It cannot move further."
			return
		}
		x.cursor = nthAt(startOf(parent), to)
	}
	e.apply(x)
}

func isSwitch(n document.Node) bool { return document.WidgetFor(n) == document.OnOff }

// switchOf switches a value on or off, else the extension around it.
func (e *Editor) switchOf(n document.Node) {
	if isSwitch(n) {
		e.edit(n)
		return
	}
	extension, _ := extensionAt(n)
	enabled, ok := extension.Child("enabled")
	if !ok || enabled.Kind() != document.Bool && !strings.EqualFold(enabled.Text(), "true") && !strings.EqualFold(enabled.Text(), "false") {
		e.note = "The extension's enabled is not true or false: add or edit it."
		return
	}
	state := " is switched on."
	if isOn(enabled) {
		state = " is switched off: its clients lose access."
	}
	e.apply(edit{
		make: func(d *document.Document) (*document.Document, error) {
			return d.SetValue(enabled.Path(), flipped(enabled))
		},
		note: func() string { return e.inks.clean(extension.Path().String(), 60) + state },
	})
}

// goToPath puts the cursor on the value at a path that was typed.
func (e *Editor) goToPath(text string) {
	path, err := document.ParsePath(text)
	if err != nil {
		e.note = reason(err)
		return
	}
	shown := e.tree.lines
	e.work(0, func() func() {
		n, ok := shown.doc.Find(path)
		return func() {
			if !ok {
				e.note = path.String() + " is not there."
				return
			}
			e.tree.goTo(shown.of(n))
		}
	})
}
