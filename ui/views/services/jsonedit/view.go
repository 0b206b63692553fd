package jsonedit

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/document"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

const (
	leastFoot = 8  // rows from which on there is a foot
	highFoot  = 26 // rows from which on it has a line more
)

// footHeight is the rows below the tree: a rule, the path, and what is to be said.
func (e *Editor) footHeight() int {
	switch {
	case e.height < leastFoot:
		return min(1, e.height)
	case e.height < highFoot:
		return 3
	}
	return 4
}

// arrange divides the rows between the tree and what is typed.
func (e *Editor) arrange() {
	height := e.height - e.footHeight()
	if p, ok := e.mode.(panel); ok {
		height -= p.rows(height)
	}
	e.list.SetSize(e.width, max(0, height))
}

// View draws exactly the size that SetSize gave.
func (e *Editor) View() string {
	if e.width <= 0 || e.height <= 0 {
		return ""
	}
	var parts []string
	free := e.height - e.footHeight()
	if p, ok := e.mode.(panel); ok {
		rows := p.rows(free)
		if free > rows {
			parts = append(parts, e.list.View())
		}
		if rows > 0 {
			parts = append(parts, views.Block(p.draw(&e.inks, e.width, rows), e.width, rows, e.inks.Glyphs.Ellipsis))
		}
	} else if free > 0 {
		parts = append(parts, e.list.View())
	}
	return strings.Join(append(parts, views.Block(e.foot(), e.width, e.footHeight(), e.inks.Glyphs.Ellipsis)), "\n")
}

// foot tells where the cursor is, what that means, and what is going on. Where there
// is no room for all of it, what is going on comes first.
func (e *Editor) foot() []string {
	rule := e.inks.Rule.On(strings.Repeat(e.inks.Glyphs.Rule, e.width))
	message := e.message()
	switch e.footHeight() {
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

// whereabouts tells the path of the cursor and what stands there.
func (e *Editor) whereabouts() string {
	n, ok := e.node()
	if !ok {
		return e.inks.Muted.On("nothing to be seen")
	}
	path, counts := n.Path(), e.counts()
	room := e.width - ansi.StringWidth(counts) - 2
	facts := n.Kind().String()
	if n.Kind() == document.Object || n.Kind() == document.Array {
		facts += ", " + countOf(n)
	}
	dot := " " + e.inks.Glyphs.Dot + " "
	if path != document.Whole {
		facts += dot + string(document.GroupOf(path))
	}
	if i, _ := e.list.Selected(); e.tree.was[i] != "" {
		facts += dot + "was " + e.inks.clean(e.tree.was[i], max(20, room-ansi.StringWidth(path.String()+facts)-8))
	}
	where := ansi.Truncate(path.String(), max(10, room*2/3), e.inks.Glyphs.Ellipsis)
	text := e.inks.Accent.On(where) + "  " + e.inks.Muted.On(facts)
	if room < leastNumbered/2 {
		return text
	}
	return e.inks.Fit(text, room) + "  " + e.inks.Muted.On(counts)
}

// counts tells how much is different and wrong in all.
func (e *Editor) counts() string {
	var facts []string
	if n := len(e.tree.findings); n > 0 {
		facts = append(facts, plain.Plural(n, "finding"))
	}
	if position := e.list.Position(); position != "" {
		facts = append(facts, position)
	}
	return strings.Join(facts, " "+e.inks.Glyphs.Dot+" ")
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
	case e.leaving:
		return e.inks.Warn.On("Drop what was typed?") + "  y drops it, any other key goes on"
	case e.mode != nil:
		return e.mode.foot(&e.inks, e.width)
	case e.note != "":
		return e.note
	}
	i, ok := e.list.Selected()
	if !ok {
		return ""
	}
	found := e.tree.found(i, i)
	if len(found) == 0 {
		return ""
	}
	sign, ink := e.inks.Glyphs.Warn, e.inks.Warn
	if found[0].blocking {
		sign, ink = e.inks.Glyphs.Fail, e.inks.Fail
	}
	texts := make([]string, len(found))
	for j := range found {
		texts[j] = found[j].text
	}
	return ink.On(sign + " " + strings.Join(texts, "  "))
}
