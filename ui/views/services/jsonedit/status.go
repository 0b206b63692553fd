package jsonedit

import (
	"strings"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"

	"github.com/charmbracelet/x/ansi"
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
		return []string{e.tree.whereabouts(e.width)}
	case 3:
		if message == "" {
			message = e.meaning()
		}
		return []string{rule, e.tree.whereabouts(e.width), message}
	}
	return []string{rule, e.tree.whereabouts(e.width), e.meaning(), message}
}

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

// whereabouts says the path of the cursor, what stands there, and how much is wrong in all.
func (t *tree) whereabouts(width int) string {
	k := t.inks
	n, ok := t.node()
	if !ok {
		return k.Muted.On("nothing to be seen")
	}
	dot := " " + k.Glyphs.Dot + " "
	var totals []string
	if n := len(t.lines.findings); n > 0 {
		totals = append(totals, plain.Plural(n, "finding"))
	}
	if position := t.list.Position(); position != "" {
		totals = append(totals, position)
	}
	total := strings.Join(totals, dot)
	path, room := n.Path(), width-ansi.StringWidth(total)-2
	facts := n.Kind().String()
	if n.Kind() == document.Object || n.Kind() == document.Array {
		facts += ", " + countOf(n)
	}
	if path != document.Whole {
		facts += dot + string(document.GroupOf(path))
	}
	if i, _ := t.list.Selected(); t.lines.baseValues[i] != "" {
		facts += dot + "was " + k.clean(t.lines.baseValues[i], max(20, room-ansi.StringWidth(path.String()+facts)-8))
	}
	where := ansi.Truncate(path.String(), max(10, room*2/3), k.Glyphs.Ellipsis)
	text := k.Accent.On(where) + "  " + k.Muted.On(facts)
	if room < minNumbered/2 {
		return text
	}
	return k.Fit(text, room) + "  " + k.Muted.On(total)
}

// wrongHere says what is wrong with the line under the cursor.
func (t *tree) wrongHere() string {
	i, ok := t.list.Selected()
	if !ok {
		return ""
	}
	found := t.lines.found(i, i)
	if len(found) == 0 {
		return ""
	}
	sign, ink := t.inks.Glyphs.Warn, t.inks.Warn
	if found[0].blocking {
		sign, ink = t.inks.Glyphs.Fail, t.inks.Fail
	}
	texts := make([]string, len(found))
	for j := range found {
		texts[j] = found[j].text
	}
	return ink.On(sign + " " + strings.Join(texts, "  "))
}
