package jsonedit

import (
	"slices"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/ui/views"
)

// edit edits the value under the cursor with what suits it; what holds others is
// edited as text.
func (e *Editor) edit() {
	n, ok := e.tree.node()
	if !ok {
		return
	}
	if n.Len() > 0 {
		e.editText()
		return
	}
	switch widget := document.WidgetFor(n); {
	case widget == document.OnOff:
		e.set(n, flipped(n))
	case widget == document.CommaList && isPlain(n.Text()):
		e.editWords(n)
	default:
		e.editLine(n, widget)
	}
}

// editLine types the value in its line.
func (e *Editor) editLine(n document.Node, widget document.Widget) {
	text, write := writerFor(n, widget)
	m := newField(text, "New value", hintFor(widget), func(text string) string {
		raw, reason := write(text)
		if reason == "" {
			reason = e.set(n, raw)
		}
		return reason
	})
	if f, ok := document.FieldOf(n.Path()); ok && n.Kind() == document.String {
		m.values = slices.DeleteFunc(slices.Clone(f.Values), func(v string) bool { return v == text })
		if len(m.values) > 0 {
			m.values = append(m.values, text)
		}
	}
	m.line, m.inLine = e.tree.lines.of(n), true
	e.tree.goTo(m.line)
	e.begin(m)
}

// editWords checks the words of a list on and off: those it has, those it had in the
// base, and those known.
func (e *Editor) editWords(n document.Node) {
	m := &words{before: document.Items(n.Text())}
	m.add(true, m.before...)
	if base := e.Base(); base != nil {
		if was, ok := base.Find(n.Path()); ok && was.Kind() == document.String {
			m.add(false, document.Items(was.Text())...)
		}
	}
	if f, ok := document.FieldOf(n.Path()); ok {
		m.add(false, f.Values...)
	}
	m.accept = func(chosen []string) { // with the commas it had
		comma := ","
		if strings.Contains(n.Text(), ", ") {
			comma = ", "
		}
		if why := e.set(n, document.Quote(strings.Join(chosen, comma))); why != "" {
			e.note = why
		}
	}
	m.asText = func() { e.editLine(n, document.CommaList) }
	e.tree.goTo(e.tree.lines.of(n))
	e.begin(m)
}

// editText edits the value under the cursor, with all it holds, as text.
func (e *Editor) editText() {
	n, ok := e.tree.node()
	if !ok {
		return
	}
	before := n.Subtree()
	e.tree.goTo(e.tree.lines.of(n))
	e.begin(newArea(before, func(text string) error {
		if text == before {
			e.begin(nil)
			e.note = "Nothing is different."
			return nil
		}
		d, err := e.Document().SetValue(n.Path(), text)
		if err == nil {
			e.change(d, at(startOf(n)))
		}
		return err
	}))
}

// set makes a JSON text the value of a node, or says why it cannot be.
func (e *Editor) set(n document.Node, raw string) (why string) {
	d, err := e.Document().SetValue(n.Path(), raw)
	if err != nil {
		return reason(err)
	}
	e.change(d, at(startOf(n)))
	return ""
}

// startAdding asks for a key and a value, or for an element: inside what the cursor
// opens, else behind the value under the cursor.
func (e *Editor) startAdding() {
	n, ok := e.tree.node()
	if !ok {
		return
	}
	parent, place := n, -1
	if n.Kind() != document.Object && n.Kind() != document.Array {
		parent, place = n.Parent(), n.Index()+1
	}
	switch {
	case !parent.Valid():
		e.note = "Nothing can be added to a single value."
	case parent.Kind() == document.Array:
		e.askValue(parent, "", place)
	default:
		label := "New key in " + e.inks.clean(parent.Path().String(), 50)
		e.begin(newField("", label, "", func(key string) string {
			if _, taken := parent.Child(key); taken {
				return "There is such a key already."
			}
			e.askValue(parent, key, place)
			return ""
		}))
	}
}

// askValue asks for the value of a new key, or for a new element.
func (e *Editor) askValue(parent document.Node, key string, place int) {
	label, write := "Value of the new element, as JSON", jsonWriter(document.AnyWidget)
	if parent.Kind() == document.Object {
		f, _ := document.FieldOf(parent.Path().Key(key))
		label, write = newValue(f)
		label = e.inks.clean(key, 40) + ": " + label
	}
	m := newField("", label, "", func(text string) string {
		raw, why := write(text)
		if why != "" {
			return why
		}
		return e.add(parent, key, raw, place)
	})
	m.before = "\x00" // leaving loses the key as well
	e.begin(m)
}

func (e *Editor) add(parent document.Node, key, raw string, place int) (why string) {
	var d *document.Document
	var err error
	if parent.Kind() == document.Array {
		d, err = e.Document().Insert(parent.Path(), raw, place)
	} else {
		d, err = e.Document().Add(parent.Path(), key, raw, place)
	}
	if err != nil {
		return reason(err)
	}
	if place < 0 {
		place = parent.Len()
	}
	e.change(d, nthAt(startOf(parent), place))
	e.note = "Added: " + e.Path().String()
	return ""
}

// remove takes the value under the cursor away and names what went.
func (e *Editor) remove() {
	n, ok := e.tree.node()
	if !ok {
		return
	}
	d, err := e.Document().Remove(n.Path())
	if err != nil {
		e.note = reason(err)
		return
	}
	removed := n.Path().String()
	if n.Len() > 0 {
		removed += " with " + countOf(n)
	}
	e.change(d, nthAt(startOf(n.Parent()), n.Index()))
	e.note = "Gone: " + removed + ". u brings it back."
}

// startRenaming asks for another name of the key under the cursor.
func (e *Editor) startRenaming() {
	n, _ := e.tree.node()
	key, named := keyOf(n)
	if !named {
		e.note = "Only a key of an object has a name."
		return
	}
	e.begin(newField(key, "Rename to", "", func(text string) string {
		d, err := e.Document().Rename(n.Path(), text)
		if err != nil {
			return reason(err)
		}
		e.change(d, nthAt(startOf(n.Parent()), n.Index()))
		return ""
	}))
}

// move moves the value under the cursor among its siblings.
func (e *Editor) move(by int) {
	n, ok := e.tree.node()
	if !ok {
		return
	}
	d, err := e.Document().Move(n.Path(), by)
	switch {
	case err != nil:
		e.note = reason(err)
	case d == e.Document():
		e.note = "It cannot go further."
	default:
		e.change(d, nthAt(startOf(n.Parent()), n.Index()+by))
	}
}

// switchExtension switches the extension around the cursor on or off.
func (e *Editor) switchExtension() {
	n, _ := e.tree.node()
	extension, in := extensionAt(n)
	if !in {
		e.note = "The cursor is in no extension."
		return
	}
	enabled, ok := extension.Child("enabled")
	if !ok || enabled.Kind() != document.Bool && !strings.EqualFold(enabled.Text(), "true") && !strings.EqualFold(enabled.Text(), "false") {
		e.note = "This extension does not say whether it is enabled: add the key, or edit its value."
		return
	}
	d, err := e.Document().SetValue(enabled.Path(), flipped(enabled))
	if err != nil {
		e.note = reason(err)
		return
	}
	state := " is switched on."
	if isOn(enabled) {
		state = " is switched off: its clients are cut off."
	}
	e.change(d, nil)
	e.note = e.inks.clean(extension.Path().String(), 60) + state
}

func (e *Editor) copyValue() tea.Cmd {
	n, ok := e.tree.node()
	if !ok {
		return nil
	}
	text := n.Text()
	if n.Kind() == document.Object || n.Kind() == document.Array {
		text = n.Subtree()
	}
	return views.Send(views.Copy{Text: text, What: "value"})
}

func (e *Editor) copyPath() tea.Cmd {
	return views.Send(views.Copy{Text: e.Path().String(), What: "path"})
}
