package jsonedit

import (
	"strconv"
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
)

// extensionAt returns the extension that a value is, or lies in.
func extensionAt(n document.Node) (document.Node, bool) {
	for ; n.Valid(); n = n.Parent() {
		list := n.Parent()
		if !list.Valid() || list.Kind() != document.Array || list.Parent() != n.Document().Root() {
			continue
		}
		if key, _ := list.Key(); key == "extensions" {
			return n, true
		}
	}
	return document.Node{}, false
}

// extensionState names an extension and tells whether it is on; empty for anything
// else. The text is as it was written.
func extensionState(n document.Node) string {
	if extension, ok := extensionAt(n); !ok || extension != n {
		return ""
	}
	name, ok := n.Child("typeName")
	if !ok {
		return ""
	}
	switch enabled, _ := n.Child("enabled"); {
	case !enabled.Valid():
		return name.Text()
	case isOn(enabled):
		return name.Text() + ", on"
	default:
		return name.Text() + ", off"
	}
}

func isOn(n document.Node) bool { return strings.EqualFold(n.Text(), "true") }

// flipped returns the other one of true and false, as a text where it is one now.
func flipped(n document.Node) string {
	raw := strconv.FormatBool(!isOn(n))
	if n.Kind() == document.String {
		return document.Quote(raw)
	}
	return raw
}

// switchExtension switches the extension around the cursor on or off.
func (e *Editor) switchExtension() {
	n, _ := e.node()
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
	name := e.inks.clean(extension.Path().String(), 60)
	d, err := e.tree.doc.SetValue(enabled.Path(), flipped(enabled))
	if err != nil {
		e.note = reason(err)
		return
	}
	state := " is switched on."
	if isOn(enabled) {
		state = " is switched off: its clients are cut off."
	}
	e.change(d, nil)
	e.note = name + state
}

// countOf says how much an object or array holds.
func countOf(n document.Node) string {
	if n.Kind() == document.Object {
		return plain.Plural(n.Len(), "key")
	}
	return plain.Plural(n.Len(), "element")
}
