package jsonedit

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/document"
	"geodeck/ui/views"
	"geodeck/ui/views/services/edits"
	"geodeck/ui/widget/rows"
)

// area edits a value as text of many rows. Only those on the screen are drawn. The textarea of
// bubbles drops what is behind 10,000 lines, makes four spaces of a tab and cannot undo. It lays
// out all lines at each key: of 5,000 in 43 ms, with 176,000 allocations. Here a key and its frame
// take 0.02 ms and 59, of 100,000 lines as well.
type area struct {
	text     buffer
	before   string
	path     document.Path // of the value
	top      int
	page     int
	typed    bool // something was typed or taken away since the text was compared
	differs  bool
	wrongRow int // row of the error, -1 for none
	reason   string
	needle   *field            // what is searched for
	search   *field            // the needle while it is typed; else nil
	found    string            // of the search, for the line below
	accept   func(text buffer) // makes it part of the document, which ends typing, or refuses it
}

func newArea(text string) *area {
	return &area{text: newBuffer(text, false), before: text, page: 1, wrongRow: -1, needle: newField("", "", "")}
}

// area is the text that is edited, nil for none.
func (t *typing) area() *area {
	m, _ := t.mode.(*area)
	return m
}

func (t *typing) areaRows(take, leave views.Command) []views.Command {
	take.ID, take.Group, take.Help = "text.take", textGroup, "Apply the text, or show what is wrong with it. Sends nothing."
	take.Key = "ctrl+s"
	leave.Help = "Cancel, or end a search; asks first if you typed something."
	row := func(id, hint, help string, run func(*area), keys ...string) views.Command {
		return edits.Row(id, hint, help, func() { run(t.area()) }, keys...)
	}
	own := []views.Command{
		take,
		leave,
		row("text.find", "find", "Search; again, go to the next match.", func(m *area) { m.search, m.found = m.needle, "" }, "ctrl+f"),
		row("text.line", "", "Start a new line with the same indent.", func(m *area) { m.insert("\n" + m.indentation()) }, "enter"),
		row("text.tab", "", "Insert two spaces.", func(m *area) { m.insert("  ") }, "tab"),
		// A paste that the terminal does not mark has it for the end of a line.
		row("text.break", "", "Start a new line without indent.", func(m *area) { m.insert("\n") }, "ctrl+j"),
	}
	search := []views.Command{
		row("find.next", "next", "While searching: go to the next match.", func(m *area) { m.find(1, false) }, "enter", "down", "ctrl+f"),
		row("find.previous", "", "While searching: go to the previous match.", func(m *area) { m.find(-1, false) }, "up"),
		row("find.end", "end the search", "While searching: continue typing at the match.", func(m *area) { m.search = nil }, "esc"),
		row("find.back", "", "While searching: delete the last character.", func(m *area) {
			removing((*buffer).left)(&m.search.text)
			m.find(1, true)
		}, "backspace"),
	}
	cursor := bufferRows(func() *buffer { return &t.area().text }, func() int { return max(1, t.area().page-1) }, func(changed bool) { t.area().moved(changed) })
	finding := func() bool { return t.area() != nil && t.area().search != nil }
	typing := func() bool { return t.area() != nil && t.area().search == nil }
	return slices.Concat(views.When(finding, views.Grouped(findGroup, search)),
		views.When(typing, views.Grouped(textGroup, slices.Concat(own, cursor))))
}

// moved follows a key of the cursor, which may have changed the text; else what is wrong with it is
// the same.
func (m *area) moved(changed bool) {
	if changed {
		m.typed, m.reason, m.wrongRow = true, "", -1
	}
	m.scroll()
}

// find goes to a match of what is searched for; here also to one under the cursor.
func (m *area) find(by int, here bool) {
	switch at, of := m.text.find(m.search.text.String(), by, here); {
	case of > 0:
		m.found = fmt.Sprintf("%d of %d found", at, of)
	case m.search.text.bytes > 0:
		m.found = "not found"
	default:
		m.found = ""
	}
	m.scroll()
}

// changed compares only after something was typed: it is called at every key.
func (m *area) changed() bool {
	if m.typed {
		m.typed, m.differs = false, m.text.bytes != len(m.before) || m.text.String() != m.before
	}
	return m.differs
}

func (m *area) take() (over bool) {
	m.accept(m.text)
	return false
}

// refuse says why the text cannot be taken, and goes where it is wrong.
func (m *area) refuse(err error) {
	m.reason, m.wrongRow = reason(err), -1
	var syntax *document.SyntaxError
	if errors.As(err, &syntax) {
		m.goTo(syntax.Line-1, syntax.Column-1)
		m.wrongRow = m.text.row
		m.reason = fmt.Sprintf("Line %d, column %d: %s", syntax.Line, syntax.Column, syntax.Message)
	}
}

func (m *area) goTo(row, col int) {
	m.text.row = max(0, min(row, len(m.text.rows)-1))
	m.text.col = max(0, min(col, len(m.text.rows[m.text.row])))
	m.scroll()
}

func (m *area) insert(text string) {
	if m.search != nil {
		m.search.insert(text)
		m.find(1, true)
		return
	}
	m.typed, m.reason, m.wrongRow = true, "", -1
	if !m.text.insert(text) {
		m.reason = "That is too large for a document."
	}
	m.scroll()
}

// indentation is the white space before the row, so that a new one begins below it.
func (m *area) indentation() string {
	row := string(m.text.rows[m.text.row][:m.text.col])
	return row[:len(row)-len(strings.TrimLeft(row, " \t"))]
}

func (m *area) rows(free int) int {
	m.page = max(1, free)
	m.scroll()
	return max(0, free)
}

// scroll brings the cursor onto the screen.
func (m *area) scroll() { m.top = rows.Scroll(m.top, m.text.row, len(m.text.rows), m.page) }

func (m *area) draw(k *inks, width, height int) []string {
	digits := len(strconv.Itoa(len(m.text.rows)))
	room := max(1, width-digits-3)
	from := m.text.leftmost(k, room)
	var b strings.Builder
	b.Grow(height * (width + 32))
	for i := m.top; i < len(m.text.rows) && i < m.top+height; i++ {
		if i > m.top {
			b.WriteByte('\n')
		}
		sign, ink := " ", k.Muted
		if i == m.wrongRow {
			sign, ink = k.Fail.On(k.Glyphs.Fail), k.Fail
		}
		b.WriteString(sign)
		number := strconv.Itoa(i + 1)
		for range digits - len(number) {
			b.WriteByte(' ')
		}
		b.WriteString(ink.On(number))
		b.WriteByte(' ')
		cursor := -1 // in another row
		if i == m.text.row {
			cursor = m.text.col
		}
		edits.WriteWindow(&b, &k.Inks, m.text.rows[i], from, cursor, room)
	}
	return strings.Split(b.String(), "\n")
}

func (m *area) prompt(k *inks, width int) string {
	if m.search != nil {
		label := k.Heading.On("Find") + "  "
		return label + m.search.text.window(k, max(6, width/3)) + "  " + k.Muted.On(m.found)
	}
	if m.reason != "" {
		return k.Fail.On(k.Glyphs.Fail + " " + m.reason)
	}
	place := fmt.Sprintf("line %d of %d, column %d", m.text.row+1, len(m.text.rows), m.text.col+1)
	return k.Heading.On("As text") + "  " + k.Muted.On(place)
}
