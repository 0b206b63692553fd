package jsonedit

import (
	"cmp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/document"
	"geodeck/adminapi/finding"
	"geodeck/adminapi/plain"
	"geodeck/theme"
	"geodeck/ui/views/services/edits"
	"geodeck/ui/widget/rows"
)

const (
	minNumbered = 60  // cells from which on lines have numbers
	minRemark   = 16  // cells that a finding needs beside its line
	groupColumn = 110 // cells in which the name of a group ends at the latest
)

// inks are the looks of the editor.
type inks struct {
	rows.Inks
	gone rows.Ink // of what was deleted
}

func newInks(t *theme.Theme) inks {
	return inks{rows.NewInks(t), rows.NewInk(t.Muted.Strikethrough(true))}
}

// sign is how a finding is shown.
func (k *inks) sign(f finding.Finding) (string, rows.Ink) {
	if f.Blocks() {
		return k.Glyphs.Fail, k.Fail
	}
	return k.Glyphs.Warn, k.Warn
}

// of returns the ink for a value of a kind.
func (k *inks) of(kind document.Kind) rows.Ink {
	switch kind {
	case document.String:
		return k.JSONString
	case document.Number:
		return k.JSONNumber
	case document.Bool, document.Null:
		return k.JSONWord
	}
	return k.Plain
}

// row is a line as it is drawn.
type row struct{ edits.Line }

// found puts a text in which what is searched for is marked.
func (r *row) found(k *inks, ink rows.Ink, text, needle string) {
	r.WriteString(rows.Highlight(text, needle, ink, k.Match))
	r.Cells += ansi.StringWidth(text)
}

// Draw draws one line: what is wrong with it and what is new, its number, and the
// value. The list cuts what is too long.
func (l *lines) Draw(i int, look rows.Look) string {
	var r row
	k := l.tree.inks
	l.drawGutter(&r, i, look.Folded)
	if look.Width >= minNumbered {
		digits := max(3, len(strconv.Itoa(len(l.all))))
		nth, deleted := l.gone.find(i)
		number := strconv.Itoa(i + 1 - nth)
		if deleted {
			number = ""
		}
		r.Put(k.Muted, strings.Repeat(" ", digits-len(number))+number+" ")
	}
	l.drawIndent(&r, i, look.Width)
	if l.deleted(i) {
		l.drawDeleted(&r, i, look)
		return r.String()
	}
	l.drawKey(&r, i, look)
	if f := l.tree.fieldAt(i); f != nil {
		r.WriteString(f.text.window(k, look.Width-r.Cells))
		return r.String()
	}
	l.drawValue(&r, i, look)
	l.drawRemarks(&r, i, look)
	return r.String()
}

// drawGutter takes two cells: a finding, and a difference from the base.
func (l *lines) drawGutter(r *row, i int, folded bool) {
	k, last := l.tree.inks, i
	if folded {
		last = l.all[i].Pair
	}
	sign, ink := " ", k.Plain
	for _, f := range l.found(i, last) {
		if sign, ink = k.sign(f); f.Blocks() {
			break
		}
	}
	r.Put(ink, sign)
	l.shownMark(i, folded).Draw(&r.Line, &k.Inks)
}

// drawIndent leaves half of the line to what is very deep.
func (l *lines) drawIndent(r *row, i, width int) {
	indent, limit := 2*l.all[i].Depth, max(0, (width-r.Cells)/2)
	if indent <= limit {
		r.Put(l.tree.inks.Plain, strings.Repeat(" ", indent))
		return
	}
	r.Put(l.tree.inks.Muted, l.tree.inks.Glyphs.Ellipsis+strings.Repeat(" ", max(0, limit-1)))
}

func (l *lines) drawKey(r *row, i int, look rows.Look) {
	line, k := &l.all[i], l.tree.inks
	if key := line.Node.RawKey(); key != "" && line.Part != document.Closing {
		r.found(k, k.JSONKey, k.clean(key, look.Width-r.Cells), look.Find)
		r.Put(k.Plain, ": ")
	}
}

func (l *lines) drawValue(r *row, i int, look rows.Look) {
	line, k := &l.all[i], l.tree.inks
	open, shut := brackets(line.Node.Kind())
	switch {
	case line.Part == document.Closing:
		r.Put(k.Plain, shut+comma(*line))
	case line.Part == document.Opening && !look.Folded:
		r.Put(k.Plain, open)
	case line.Part == document.Opening:
		r.Put(k.Plain, open)
		r.Put(k.Muted, k.Glyphs.Ellipsis)
		r.Put(k.Plain, shut+comma(l.all[line.Pair]))
		r.Put(k.Muted, "  "+countOf(line.Node))
	default:
		r.found(k, k.of(line.Node.Kind()), k.clean(line.Node.Raw(), look.Width-r.Cells), look.Find)
		r.Put(k.Plain, comma(*line))
	}
}

// drawDeleted strikes a value through that was deleted. The mark before it and the word behind
// it tell so where nothing can be struck through.
func (l *lines) drawDeleted(r *row, i int, look rows.Look) {
	const word = "  deleted"
	k, n := l.tree.inks, l.all[i].Node
	text := n.Raw()
	if n.Len() > 0 {
		open, shut := brackets(n.Kind())
		text = open + k.Glyphs.Ellipsis + shut + "  " + countOf(n)
	}
	if key := n.RawKey(); key != "" {
		text = k.clean(key, look.Width) + ": " + text
	}
	text = k.clean(text, max(1, look.Width-r.Cells-len(word)))
	r.found(k, k.gone, text, look.Find)
	r.Put(k.Warn, word)
}

func comma(line document.Line) string {
	if line.Comma() {
		return ","
	}
	return ""
}

func brackets(kind document.Kind) (open, shut string) {
	if kind == document.Array {
		return "[", "]"
	}
	return "{", "}"
}

// drawRemarks adds what helps to find one's way, where there is room: the name of an
// extension, what is wrong with the line, the group that begins here.
func (l *lines) drawRemarks(r *row, i int, look rows.Look) {
	k, line := l.tree.inks, &l.all[i]
	if line.Part == document.Opening {
		if state := ExtensionState(line.Node); state != "" {
			r.Put(k.Heading, "  "+k.clean(state, look.Width-r.Cells))
		}
	}
	if found := l.found(i, i); len(found) > 0 && look.Width-r.Cells >= minRemark {
		_, ink := k.sign(found[0])
		r.Put(ink, "  "+k.clean(found[0].Text, look.Width-r.Cells-2))
	}
	if name := string(l.groups[i]); name != "" {
		if gap := min(look.Width, groupColumn) - r.Cells - ansi.StringWidth(name) - 1; gap >= 2 {
			r.Put(k.Plain, strings.Repeat(" ", gap))
			r.Put(k.Heading, name)
		}
	}
}

// clean returns a text of the document in at most a number of cells. It reads only the
// beginning of a long one.
func (k *inks) clean(text string, cells int) string {
	cells = max(1, cells)
	limit := 8*cells + 64
	if len(text) <= limit {
		return ansi.Truncate(plain.Line(text), cells, k.Glyphs.Ellipsis)
	}
	for !utf8.RuneStart(text[limit]) {
		limit--
	}
	return ansi.Truncate(plain.Line(text[:limit]), cells-1, "") + k.Glyphs.Ellipsis
}

// status says where the cursor is, what that means, and what is going on. Where there
// is no room for all of it, what is going on comes first.
func (e *Editor) status() []string {
	rule := e.inks.Rule.On(strings.Repeat(e.inks.Glyphs.Rule, e.width))
	message := e.message()
	switch e.statusHeight() {
	case 1:
		return []string{cmp.Or(message, e.tree.whereabouts(e.width))}
	case 3:
		if message == "" && e.aside() == 0 {
			message = e.meaning()
		}
		return []string{rule, e.tree.whereabouts(e.width), message}
	}
	return []string{rule, e.tree.whereabouts(e.width), e.meaning(), message}
}

// meaning says what the field is on which the cursor rests.
func (e *Editor) meaning() string {
	i, ok := e.tree.list.Rested()
	if !ok {
		return ""
	}
	path := e.tree.lines.all[i].Node.Path()
	f, ok := document.FieldOf(path)
	switch {
	case path == document.Whole:
		return ""
	case !ok:
		return e.inks.Muted.On("This field is not documented.")
	}
	for n, more := len(f.Values), ""; n > 0; n-- { // as many known words as fit
		text := f.Text + " Known: " + strings.Join(f.Values[:n], ", ") + more + "."
		if ansi.StringWidth(text) <= e.width {
			return text
		}
		more = " and " + strconv.Itoa(len(f.Values)-n+1) + " more"
	}
	return f.Text
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

// whereabouts says the path and the value where the cursor rests, and how many findings
// there are.
func (t *tree) whereabouts(width int) string {
	k := t.inks
	i, ok := t.list.Rested()
	if !ok {
		return k.Muted.On("nothing to be seen")
	}
	n := t.lines.all[i].Node
	dot := " " + k.Glyphs.Dot + " "
	var totals []string
	if n := len(t.lines.findings); n > 0 {
		totals = append(totals, plain.Plural(n, "finding"))
	}
	if position := t.list.Position(); position != "" && t.list.Filter() == "" { // its line counts
		totals = append(totals, position)
	}
	total := strings.Join(totals, dot)
	path, room := n.Path(), width-ansi.StringWidth(total)-2
	facts := n.Kind().String()
	if isHolder(n) {
		facts += ", " + countOf(n)
	}
	if f, _ := document.FieldOf(path); f.Restart && !f.Fixed {
		facts += dot + "restart likely"
	}
	if t.lines.deleted(i) {
		facts += dot + "deleted, not sent yet"
	}
	if t.lines.baseValues[i] != "" {
		facts += dot + "was " + k.clean(t.lines.baseValues[i], max(20, room-ansi.StringWidth(path.String()+facts)-8))
	}
	where := ansi.Truncate(path.String(), max(10, room*2/3), k.Glyphs.Ellipsis)
	if group := dot + "section " + string(document.GroupOf(path)); path != document.Whole && ansi.StringWidth(where+facts+group)+2 <= room {
		facts += group
	}
	text := k.Accent.On(where) + "  " + k.Muted.On(facts)
	if room < minNumbered/2 {
		return text
	}
	return k.Fit(text, room) + "  " + k.Muted.On(total)
}

// wrongHere says what is wrong with the line on which the cursor rests.
func (t *tree) wrongHere() string {
	i, ok := t.list.Rested()
	if !ok {
		return ""
	}
	found := t.lines.found(i, i)
	if len(found) == 0 {
		return ""
	}
	sign, ink := t.inks.sign(found[0])
	texts := make([]string, len(found))
	for j := range found {
		texts[j] = found[j].Text
	}
	return ink.On(sign + " " + strings.Join(texts, "  "))
}
