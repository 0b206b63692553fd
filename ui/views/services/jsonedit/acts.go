package jsonedit

import (
	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/ui/views"
)

// startAdding asks for a key and a value, or for an element: inside what the cursor
// opens, else behind the value under the cursor.
func (e *Editor) startAdding() {
	n, ok := e.node()
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
		e.askKey(parent, place)
	}
}

func (e *Editor) askKey(parent document.Node, place int) {
	label := "New key in " + e.inks.clean(parent.Path().String(), 50)
	e.begin(newEntry("", label, "", func(key string) string {
		if _, taken := parent.Child(key); taken {
			return "There is such a key already."
		}
		e.askValue(parent, key, place)
		return ""
	}))
}

// askValue asks for the value of a new key, or for a new element.
func (e *Editor) askValue(parent document.Node, key string, place int) {
	label, write := "Value of the new element, as JSON", jsonWriter(document.AnyWidget)
	path := parent.Path()
	if parent.Kind() == document.Object {
		f, _ := document.FieldOf(path.Key(key))
		label, write = newValue(f)
		label = e.inks.clean(key, 40) + ": " + label
	}
	m := newEntry("", label, "", func(text string) string {
		raw, why := write(text)
		if why != "" {
			return why
		}
		return e.add(parent, key, raw, place)
	})
	e.begin(m)
	m.before = "\x00" // leaving loses the key as well
}

// newValue says how the value of a new field is typed. Settings of an extension are
// texts, whatever they say.
func newValue(f document.Field) (label string, write writer) {
	if f.Kind == document.String || f.Widget >= document.OneLine {
		return "its text", textWriter(f.Widget)
	}
	if hint := hintFor(f.Widget); f.Widget != document.AnyWidget {
		return hint, jsonWriter(f.Widget)
	}
	return "its value, as JSON", jsonWriter(f.Widget)
}

func (e *Editor) add(parent document.Node, key, raw string, place int) (why string) {
	var d *document.Document
	var err error
	if parent.Kind() == document.Array {
		d, err = e.tree.doc.Insert(parent.Path(), raw, place)
	} else {
		d, err = e.tree.doc.Add(parent.Path(), key, raw, place)
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
	n, ok := e.node()
	if !ok {
		return
	}
	d, err := e.tree.doc.Remove(n.Path())
	if err != nil {
		e.note = reason(err)
		return
	}
	gone := n.Path().String()
	if n.Len() > 0 {
		gone += " with " + countOf(n)
	}
	e.change(d, nthAt(startOf(n.Parent()), n.Index()))
	e.note = "Gone: " + gone + ". u brings it back."
}

// startRenaming asks for another name of the key under the cursor.
func (e *Editor) startRenaming() {
	n, _ := e.node()
	key, named := keyOf(n)
	if !named {
		e.note = "Only a key of an object has a name."
		return
	}
	e.begin(newEntry(key, "Rename to", "", func(text string) string {
		d, err := e.tree.doc.Rename(n.Path(), text)
		if err != nil {
			return reason(err)
		}
		e.change(d, nthAt(startOf(n.Parent()), n.Index()))
		return ""
	}))
}

// move moves the value under the cursor among its siblings.
func (e *Editor) move(by int) {
	n, ok := e.node()
	if !ok {
		return
	}
	d, err := e.tree.doc.Move(n.Path(), by)
	switch {
	case err != nil:
		e.note = reason(err)
	case d == e.tree.doc:
		e.note = "It cannot go further."
	default:
		e.change(d, nthAt(startOf(n.Parent()), n.Index()+by))
	}
}

func (e *Editor) copyValue() tea.Cmd {
	n, ok := e.node()
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
