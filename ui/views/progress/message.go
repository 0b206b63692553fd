package progress

import (
	"math"
	"slices"
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

// form is how a message is shown.
type form int

const (
	asTable form = iota
	asTree
	asText // as it was sent, without control characters
)

var formNames = [...]string{"a table", "a tree", "text"}

// message is one message in full: JSON in its text as a table or a tree, other text wrapped.
type message struct {
	run *run
	adminapi.UpgradeMessage
	title  string
	before string // the text before the JSON
	broken bool   // its JSON is not valid
	table  progress.Table
	forms  []form // that the text has, the usual one first
	form   int    // index of the form that is shown
	json   *jsonview.View
	pager  *rows.Pager
	width  int
	height int
	laid   form // that the pager has
}

func newMessage(m adminapi.UpgradeMessage, r *run) *message {
	w := &message{run: r, UpgradeMessage: m, title: strconv.Itoa(m.Code), pager: rows.NewPager(r.inks.Glyphs.Ellipsis),
		forms: []form{asText}}
	before, value, found := progress.JSONIn(m.Message)
	w.broken = !found && m.Code == codeOfStores && strings.ContainsAny(m.Message, "{[")
	if !found {
		return w
	}
	w.before, w.json, w.forms = plain.Line(before), jsonview.New(r.Env.Theme), []form{asTree, asText}
	w.json.Set(value)
	if table, ok := progress.TableIn(m.Message); ok {
		w.table, w.forms = table, []form{asTable, asTree, asText}
	}
	return w
}

// codeOfStores is the code whose text is always JSON.
const codeOfStores = 2153

func (w *message) written() form { return w.forms[w.form] }

// next shows the text in the next form.
func (w *message) next() {
	w.form = (w.form + 1) % len(w.forms)
	w.pager.Home()
}

// setSize lays out the text, where its room or its form has changed.
func (w *message) setSize(width, height int) {
	if w.width == width && w.height == height && w.laid == w.written() {
		return
	}
	w.width, w.height, w.laid = width, height, w.written()
	room := height - 3
	if w.note() != "" {
		room--
	}
	room = max(0, room)
	w.pager.SetSize(width, room)
	if w.json != nil {
		w.json.SetSize(width, room)
	}
	switch w.written() {
	case asTable:
		w.pager.Set(tableLines(&w.run.inks, w.table))
	case asText:
		w.pager.Set(wrapped(rows.Ink{}, plain.Text(w.Message), width, math.MaxInt))
	}
}

// note returns the line above the text, if any.
func (w *message) note() string {
	switch {
	case w.broken:
		return "Its JSON is broken or cut off; this is the original text."
	case w.written() == asText:
		return ""
	}
	return w.before
}

func (w *message) typing() bool { return w.json != nil && w.json.Typing() }

// searchable reports whether the form that is shown has a filter.
func (w *message) searchable() bool { return w.written() == asTree }

// Commands makes the rows of the text: moves, and in a tree the filter and the folds.
func (w *message) Commands() []views.Command {
	list := views.When(func() bool { return !w.searchable() }, w.pager.Moves())
	if w.json == nil {
		return list
	}
	return append(list, views.When(w.searchable, w.json.Commands())...)
}

// unfilter clears the filter of the tree, and reports whether there was one.
func (w *message) unfilter() bool {
	if !w.searchable() || w.json.Filter() == "" {
		return false
	}
	w.json.SetFilter("")
	return true
}

// lines draws the message.
func (w *message) lines() []string {
	k := &w.run.inks
	lines := []string{
		k.Label.On("Message ") + k.Strong.On(w.title) + "   " + w.run.log.times().Moment(w.When.Time()) + "   " + k.Muted.On(w.position()),
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

// position returns which part of the text is shown, and its form where it has several.
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

// meaningOf returns the meaning of a code as a sentence.
func meaningOf(code int) string {
	c, known := progress.CodeOf(code)
	if !known {
		return "Unknown code; only its text is known."
	}
	return c.Phase + ": " + c.Meaning + "."
}

// Limits of a table on the screen. The tree shows all of it.
const (
	maxCell      = 40 // cells
	maxTableRows = 2_000
)

// tableLines draws the table of a message: a line of column names, then the rows.
func tableLines(k *rows.Inks, t progress.Table) []string {
	var cells [][]string
	widths := make([]int, len(t.Columns))
	for _, row := range slices.Concat([][]string{t.Columns}, t.Rows[:min(len(t.Rows), maxTableRows)]) {
		row = slices.Clone(row)
		for i := range row { // as many as there are columns
			row[i] = plain.Clip(row[i], maxCell)
			widths[i] = max(widths[i], ansi.StringWidth(row[i]))
		}
		cells = append(cells, row)
	}
	lines := make([]string, len(cells))
	for i, row := range cells {
		ink := rows.Ink{}
		if i == 0 {
			ink = k.Label
		}
		for column, cell := range row {
			lines[i] += ink.On(k.Fit(cell, widths[column])) + "  "
		}
	}
	return lines
}
