package health

import (
	"strings"

	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// The lines above the rows of each pane.
const (
	listHead    = 2
	treeHead    = 3
	detailHead  = 1
	compareHead = 6
	rawHead     = 2
)

// indent is what the cursor takes before the text of a row: headings above rows
// stand in line with that.
const indent = "  "

// View draws exactly the size that SetSize gave.
func (m *Model) View() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	switch {
	case m.raw != nil:
		return m.drawRaw()
	case m.compare != nil:
		return m.drawCompare()
	case m.calm() != nil:
		return m.block(m.calm())
	case m.catalog.list.All() == 0:
		return m.drawNoReports()
	}
	return m.drawPanes()
}

// drawNoReports tells why there is no report to show.
func (m *Model) drawNoReports() string {
	size := box{m.inner(), m.height}
	head := []string{m.inks.Accent.On("Reports")}
	return m.beside(m.pane(size, indented(head), listHead, m.inks.Says(m.listSays(), size.width, max(0, size.height-listHead))))
}

// block draws lines of text with air around them.
func (m *Model) block(lines []string) string {
	padded := make([]string, 0, len(lines)+1)
	if m.height > len(lines)+2 {
		padded = append(padded, "")
	}
	for _, line := range lines {
		padded = append(padded, " "+indent+line)
	}
	return views.Block(padded, m.width, m.height, m.inks.Glyphs.Ellipsis)
}

// drawPanes joins the panes that have room, by hand: each is exactly its size.
func (m *Model) drawPanes() string {
	left := m.drawListPane()
	middle := m.drawTreePane()
	right := m.drawDetailPane()
	if m.layout.below {
		rule := m.inks.Rule.On(strings.Repeat(m.inks.Glyphs.Rule, m.layout.panes[treePane].width))
		return m.beside(left, append(append(middle, rule), right...))
	}
	return m.beside(left, middle, right)
}

// beside draws columns with dividers between them and a margin around; a column
// without lines is left out.
func (m *Model) beside(columns ...[]string) string {
	divider := m.inks.Divider()
	var b strings.Builder
	for y := range m.height {
		if y > 0 {
			b.WriteByte('\n')
		}
		before := " "
		for _, column := range columns {
			if len(column) > 0 {
				b.WriteString(before + column[y])
				before = divider
			}
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// pane returns a heading of some lines and a body below it as lines.
func (m *Model) pane(size box, head []string, headLines int, body string) []string {
	lines := make([]string, 0, size.height)
	for i := range min(headLines, size.height) {
		line := ""
		if i < len(head) {
			line = head[i]
		}
		lines = append(lines, m.inks.Fit(line, size.width))
	}
	if size.height > headLines {
		lines = append(lines, strings.Split(body, "\n")...)
	}
	return lines
}

func indented(lines []string) []string {
	for i := range lines {
		lines[i] = indent + lines[i]
	}
	return lines
}

// heading draws a title with a note at the right end of the line.
func (m *Model) heading(title rows.Ink, text, note string, width int) string {
	room := width - len(note) - 1
	if note == "" || room < 8 {
		return title.On(m.inks.Fit(text, width))
	}
	return title.On(m.inks.Fit(text, room)) + " " + m.inks.Muted.On(note)
}

// title is the colour of a pane's title: the one in focus stands out.
func (m *Model) title(p pane) rows.Ink {
	switch {
	case m.focus == p:
		return m.inks.Accent
	case p == detailPane:
		return m.inks.Muted
	}
	return m.inks.Heading
}

func (m *Model) drawListPane() []string {
	size := m.layout.panes[listPane]
	if !m.layout.shown(listPane) {
		return nil
	}
	list := m.catalog.list
	room, at := size.width-len(indent), list.Position()
	head := indented([]string{m.heading(rows.Ink{}, m.listTitle(room-len(at)-1), at, room)})
	body := list.View()
	if list.Len() == 0 {
		body = firstLine(body) + m.inks.Says([]string{"No report matches.", "", "esc shows all again."}, size.width, size.height-listHead-1)
	}
	return m.pane(size, head, listHead, body)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line + "\n"
}

func (m *Model) drawTreePane() []string {
	size := m.layout.panes[treePane]
	if !m.layout.shown(treePane) {
		return nil
	}
	room := box{size.width, size.height - treeHead}
	body := ""
	switch {
	case m.chosen.list.All() == 0:
		body = m.inks.Says(m.treeSays(), room.width, room.height)
	case m.chosen.list.Len() == 0 && !m.chosen.list.Filtering():
		body = m.inks.Says(m.noneLeft(), room.width, room.height)
	case m.chosen.list.Len() == 0:
		body = firstLine(m.chosen.list.View()) + m.inks.Says(m.noneLeft(), room.width, room.height-1)
	default:
		body = m.chosen.list.View()
	}
	return m.pane(size, indented(m.treeHeading(size.width-len(indent))), treeHead, body)
}

func (m *Model) drawDetailPane() []string {
	size := m.layout.panes[detailPane]
	if !m.layout.shown(detailPane) {
		return nil
	}
	m.layDetail()
	head := []string{m.heading(m.title(detailPane), "Detail", m.detail.pager.Position(), size.width)}
	body := m.detail.pager.View()
	if m.detail.source == nil {
		body = m.inks.Says(nil, size.width, size.height-detailHead)
	}
	return m.pane(size, head, detailHead, body)
}

func (m *Model) drawRaw() string {
	head := indented([]string{m.heading(m.inks.Accent, m.raw.title, m.raw.json.Position(), m.inner()-len(indent))})
	return m.beside(m.pane(box{m.inner(), m.height}, head, rawHead, m.raw.json.View()))
}
