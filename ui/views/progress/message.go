package progress

import (
	"math"
	"strconv"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/jsonview"
	"geodeck/ui/widget/rows"
)

// form is how a message is written.
type form int

const (
	asTable form = iota
	asTree
	asText // as it came, but for what a terminal would act on
)

var formNames = [...]string{"a table", "a tree", "text"}

// message is one message with everything that is known of it: the JSON in its text
// as a table or a tree, any text wrapped.
type message struct {
	*shown
	adminapi.UpgradeMessage
	title  string
	before string // the text before the JSON
	broken bool   // what looks like JSON is none
	table  progress.Table
	forms  []form // that the text has, the one that tells most first
	form   int    // of forms: the one shown
	json   *jsonview.View
	pager  *rows.Pager
	width  int
	height int
}

func newMessage(m adminapi.UpgradeMessage, s *shown) *message {
	w := &message{shown: s, UpgradeMessage: m, title: strconv.Itoa(m.Code), pager: rows.NewPager(s.inks.Glyphs.Ellipsis), forms: []form{asText}}
	before, value, found := progress.JSONIn(m.Message)
	w.broken = !found && m.Code == codeOfStores && strings.ContainsAny(m.Message, "{[")
	if !found {
		return w
	}
	w.before, w.json, w.forms = plain.Line(before), jsonview.New(s.Env.Theme), []form{asTree, asText}
	w.json.Set(value)
	if table, ok := progress.TableIn(m.Message); ok {
		w.table, w.forms = table, []form{asTable, asTree, asText}
	}
	return w
}

// codeOfStores is the code whose text is JSON by the contract of the platform.
const codeOfStores = 2153

func (w *message) written() form { return w.forms[w.form] }

// next shows the text in its next form.
func (w *message) next() {
	w.form = (w.form + 1) % len(w.forms)
	w.pager.Home()
	w.setSize(w.width, w.height)
}

func (w *message) setSize(width, height int) {
	w.width, w.height = width, height
	room := max(0, height-w.headHeight())
	w.pager.SetSize(width, room)
	if w.json != nil {
		w.json.SetSize(width, room)
	}
	switch w.written() {
	case asTable:
		w.pager.Set(tableLines(&w.inks, w.table))
	case asText:
		w.pager.Set(wrapped(rows.Ink{}, plain.Text(w.Message), width, math.MaxInt))
	}
}

// headHeight is how many lines stand above the text: one more where there is text
// before the JSON, or something to say of it.
func (w *message) headHeight() int {
	if w.note() == "" {
		return 3
	}
	return 4
}

// note is the line above the text.
func (w *message) note() string {
	switch {
	case w.broken:
		return "The JSON in it is broken or cut; this is the text as it came."
	case w.written() == asText:
		return ""
	}
	return w.before
}

func (w *message) typing() bool { return w.json != nil && w.json.Typing() }

// searchable reports whether the form that is shown has a filter.
func (w *message) searchable() bool { return w.written() == asTree }

// Commands are the rows of the text: moves, and in a tree the filter and the folds.
func (w *message) Commands() []views.Command {
	if w.searchable() {
		return w.json.Commands()
	}
	return w.pager.Moves()
}

// unfilter takes the filter of the tree away; false where there is none.
func (w *message) unfilter() bool {
	if !w.searchable() || w.json.Filter() == "" {
		return false
	}
	w.json.SetFilter("")
	return true
}

// lines draws the message.
func (w *message) lines() []string {
	k := &w.inks
	lines := []string{
		k.Label.On("Message ") + k.Strong.On(w.title) + "   " + w.log.moment(w.When) + "   " + k.Muted.On(w.position()),
		k.Muted.On(meaningOf(w.Code)), "",
	}
	if note := w.note(); note != "" {
		lines = append(lines, note)
	}
	if w.searchable() {
		return append(lines, strings.Split(w.json.View(), "\n")...)
	}
	return append(lines, strings.Split(w.pager.View(), "\n")...)
}

// position says where in the text the user is, and in which form it is where there
// are several.
func (w *message) position() string {
	at := w.pager.Position()
	if w.searchable() {
		at = w.json.Position()
	}
	if len(w.forms) > 1 {
		at = strings.TrimSpace("as " + formNames[w.written()] + "  " + at)
	}
	return at
}

// meaningOf says what a code stands for.
func meaningOf(code int) string {
	c, known := progress.CodeOf(code)
	if !known {
		return "This code is not in the catalogue of this program; the text is all that is known."
	}
	return c.Phase + ": " + c.Meaning + "."
}

// What a table takes of the screen at most: its cells are foreign text, and the
// tree has all of it.
const (
	mostCell = 40 // cells
	mostRows = 2_000
)

// tableLines draws the table of a message: a line of column names, then the rows.
func tableLines(k *inks, t progress.Table) []string {
	cells := [][]string{clean(t.Columns)}
	for _, row := range t.Rows[:min(len(t.Rows), mostRows)] {
		cells = append(cells, clean(row))
	}
	widths := make([]int, len(t.Columns))
	for _, row := range cells {
		for i := range min(len(row), len(widths)) {
			widths[i] = max(widths[i], ansi.StringWidth(row[i]))
		}
	}
	lines := []string{tableLine(k.Label, cells[0], widths, k.Glyphs.Ellipsis)}
	for _, row := range cells[1:] {
		lines = append(lines, tableLine(rows.Ink{}, row, widths, k.Glyphs.Ellipsis))
	}
	return lines
}

func tableLine(ink rows.Ink, row []string, widths []int, ellipsis string) string {
	var b strings.Builder
	for i, width := range widths {
		cell := ""
		if i < len(row) {
			cell = row[i]
		}
		b.WriteString(ink.On(views.Fit(cell, width, ellipsis)) + "  ")
	}
	return b.String()
}

func clean(row []string) []string {
	out := make([]string, len(row))
	for i, cell := range row {
		out[i] = plain.Clip(cell, mostCell)
	}
	return out
}
