package jsonedit

import (
	"strings"

	"geodeck/adminapi/document"
)

// status says where the cursor is, what that means, and what is going on. Where there
// is no room for all of it, what is going on comes first.
func (e *Editor) status() []string {
	rule := e.inks.Rule.On(strings.Repeat(e.inks.Glyphs.Rule, e.width))
	message := e.message()
	switch e.statusHeight() {
	case 1:
		if message != "" {
			return []string{message}
		}
		return []string{e.whereabouts()}
	case 3:
		if message == "" {
			message = e.meaning()
		}
		return []string{rule, e.whereabouts(), message}
	}
	return []string{rule, e.whereabouts(), e.meaning(), message}
}

// whereabouts says the path of the cursor and what stands there.
func (e *Editor) whereabouts() string { return e.tree.whereabouts(e.width) }

// meaning says what the field under the cursor is.
func (e *Editor) meaning() string {
	f, ok := document.FieldOf(e.Path())
	switch {
	case e.Path() == document.Whole:
		return ""
	case !ok:
		return e.inks.Muted.On("Nothing is known of this field.")
	}
	text := f.Text
	if f.Widget == document.TimeInteger && !strings.Contains(text, "unit is not stated") {
		text += " Unit not stated."
	}
	if len(f.Values) > 0 {
		text += " Known: " + strings.Join(f.Values, ", ") + "."
	}
	if f.Restart {
		text += " A change likely restarts the service."
	}
	return text
}

// message says what is going on.
func (e *Editor) message() string {
	switch {
	case e.typing.mode != nil:
		return e.typing.prompt(&e.inks, e.width)
	case e.note != "":
		return e.note
	}
	return e.tree.wrongHere()
}
