package progress

import (
	"math"
	"strconv"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/theme"
	"geodeck/ui/views/jsonview"
	"geodeck/ui/views/rows"
)

// form is how a message is written.
type form int

const (
	asTable form = iota
	asTree
	asText // as it came, but for what a terminal would act on
)

var formNames = [...]string{"a table", "a tree", "text"}

// whole is one message with everything that is known of it: the JSON in its text
// as a table or a tree, any text wrapped.
type whole struct {
	message adminapi.UpgradeMessage
	title   string
	before  string // the text before the JSON
	broken  bool   // what looks like JSON is none
	table   progress.Table
	forms   []form // that the text has, the one that tells most first
	form    int    // of forms: the one shown
	json    *jsonview.View
	pager   *rows.Pager
	width   int
	height  int
}

func newWhole(m adminapi.UpgradeMessage, t *theme.Theme) *whole {
	w := &whole{message: m, title: strconv.Itoa(m.Code), pager: rows.NewPager(t.Glyphs.Ellipsis), forms: []form{asText}}
	before, value, found := progress.JSONIn(m.Message)
	w.broken = !found && m.Code == codeOfStores && strings.ContainsAny(m.Message, "{[")
	if !found {
		return w
	}
	w.before, w.json, w.forms = plain.Line(before), jsonview.New(t), []form{asTree, asText}
	w.json.Set(value)
	if table, ok := progress.TableIn(m.Message); ok {
		w.table, w.forms = table, []form{asTable, asTree, asText}
	}
	return w
}

// codeOfStores is the code whose text is JSON by the contract of the platform.
const codeOfStores = 2153

func (w *whole) shown() form { return w.forms[w.form] }

// next shows the text in its next form.
func (w *whole) next() {
	w.form = (w.form + 1) % len(w.forms)
	w.pager.Home()
	w.setSize(w.width, w.height)
}

func (w *whole) setSize(width, height int) {
	w.width, w.height = width, height
	room := max(0, height-w.headHeight())
	w.pager.SetSize(width, room)
	if w.json != nil {
		w.json.SetSize(width, room)
	}
}

// headHeight is how many lines stand above the text: one more where there is text
// before the JSON, or something to say of it.
func (w *whole) headHeight() int {
	if w.note() == "" {
		return 3
	}
	return 4
}

// note is the line above the text.
func (w *whole) note() string {
	switch {
	case w.broken:
		return "The JSON in it is broken or cut; this is the text as it came."
	case w.shown() == asText:
		return ""
	}
	return w.before
}

func (w *whole) typing() bool { return w.json != nil && w.json.Typing() }

// searchable tells whether the form that is shown has a filter.
func (w *whole) searchable() bool { return w.shown() == asTree }

// do moves about.
func (w *whole) do(id string) {
	if w.searchable() {
		w.json.Do(id)
		return
	}
	w.pager.Do(id)
}

// lines draws the message.
func (w *whole) lines(m *Model) []string {
	k := &m.inks
	lines := []string{
		k.Label.On("Message ") + k.Strong.On(w.title) + "   " + m.log.moment(w.message.When) + "   " + k.Muted.On(w.position()),
		k.Muted.On(meaningOf(w.message.Code)), "",
	}
	if note := w.note(); note != "" {
		lines = append(lines, note)
	}
	switch w.shown() {
	case asTree:
		return append(lines, strings.Split(w.json.View(), "\n")...)
	case asTable:
		w.pager.Set(tableLines(k, w.table))
	default:
		w.pager.Set(wrapped(rows.Ink{}, plain.Text(w.message.Message), w.width, math.MaxInt))
	}
	return append(lines, strings.Split(w.pager.View(), "\n")...)
}

// position says where in the text the user is, and in which form it is where there
// are several.
func (w *whole) position() string {
	at := w.pager.Position()
	if w.searchable() {
		at = w.json.Position()
	}
	if len(w.forms) > 1 {
		at = strings.TrimSpace("as " + formNames[w.shown()] + "  " + at)
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
