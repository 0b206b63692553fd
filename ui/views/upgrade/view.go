package upgrade

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// View draws exactly the size that SetSize gave.
func (m *Model) View() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	if m.raw != nil {
		return m.drawRaw()
	}
	lines := []string{m.drawPath(), ""}
	lines = append(lines, m.drawBody()...)
	for i, line := range lines {
		lines[i] = " " + line + " "
	}
	return views.Block(lines, m.width, m.height, m.inks.Glyphs.Ellipsis)
}

// drawBody draws what stands below the path.
func (m *Model) drawBody() []string {
	switch m.step() {
	case preflighting:
		return m.drawPreflight()
	case answering:
		return m.drawForm()
	case reviewing:
		return m.drawReview()
	case starting:
		return m.drawRun()
	}
	if calm := m.calm(); calm != nil {
		return calm
	}
	return m.drawPicker()
}

// drawPath draws the steps, and what is upgraded to at the right end.
func (m *Model) drawPath() string {
	k, width := &m.inks, m.body().width
	var parts []string
	for _, s := range m.path() {
		switch {
		case s == m.step():
			parts = append(parts, k.Accent.On(s.String()))
		case s < m.step():
			parts = append(parts, k.Glyphs.Pass+" "+s.String())
		default:
			parts = append(parts, k.Muted.On(s.String()))
		}
	}
	line := strings.Join(parts, k.Muted.On(" "+k.Glyphs.Dot+" "))
	note := m.pathNote()
	if room := width - ansi.StringWidth(line) - 3; note != "" && room >= 12 {
		note = plain.Clip(note, room)
		return line + strings.Repeat(" ", width-ansi.StringWidth(line)-ansi.StringWidth(note)) + k.Strong.On(note)
	}
	return line
}

// drawPicker draws the list and the detail beside it, where both have room.
func (m *Model) drawPicker() []string {
	list, detail := m.panes()
	switch {
	case detail.width == 0:
		return m.drawList(list)
	case list.width == 0:
		return m.drawDetail(detail)
	}
	return m.inks.Columns(m.drawList(list), m.drawDetail(detail))
}

// drawList draws the shelves and the rows of the one that is open.
func (m *Model) drawList(size box) []string {
	p := &m.picker
	body := p.list.View()
	switch {
	case p.list.All() == 0 || m.unread() != nil:
		body = m.inks.Says(m.listSays(), size.width, size.height-paneHead)
	case p.list.Len() == 0:
		above, _, _ := strings.Cut(body, "\n")
		body = above + "\n" + m.inks.Says([]string{"Nothing matches.", "", "esc or a shows all again."}, size.width, size.height-paneHead-1)
	}
	return m.inks.Pane(m.shelvesLine(size.width), body, size.width, size.height)
}

// shelvesLine names the shelves, the open one standing out.
func (m *Model) shelvesLine(width int) string {
	k, p := &m.inks, &m.picker
	var names []string
	for s := range shelves {
		switch {
		case s != p.shelf:
			names = append(names, k.Muted.On(s.String()))
		case p.focus == listPane:
			names = append(names, k.Accent.On(s.String()))
		default:
			names = append(names, k.Heading.On(s.String()))
		}
	}
	return k.Beside(strings.Join(names, "   "), strings.TrimSpace(m.shownAs()+"  "+p.list.Position()), width)
}

// shownAs says how the list differs from what it shows at first.
func (m *Model) shownAs() string {
	p := &m.picker
	if p.shelf != offered {
		return ""
	}
	var words []string
	if p.order != asChain {
		words = append(words, p.order.String())
	}
	if p.usable {
		words = append(words, "applicable only")
	}
	return strings.Join(words, ", ")
}

func (m *Model) drawDetail(size box) []string {
	m.layDetail()
	k, p := &m.inks, &m.picker
	ink := k.Muted
	if p.focus == detailPane {
		ink = k.Accent
	}
	body := p.detail.pager.View()
	if !p.detail.shown {
		body = views.Block(nil, size.width, size.height-paneHead, "")
	}
	return m.inks.Pane(m.inks.Beside(ink.On("Detail"), p.detail.pager.Position(), size.width), body, size.width, size.height)
}

func (m *Model) drawRaw() string {
	width := m.body().width
	head := m.inks.Beside(m.inks.Accent.On(plain.Clip(m.raw.title, width-14)), m.raw.json.Position(), width)
	lines := m.inks.Pane(head, m.raw.json.View(), width, m.height)
	for i, line := range lines {
		lines[i] = " " + line + " "
	}
	return strings.Join(lines, "\n")
}

// paragraph is a text in a colour, wrapped to the body.
func (m *Model) paragraph(ink rows.Ink, text string) []string {
	lines := views.Wrap(text, m.body().width)
	for i, line := range lines {
		lines[i] = ink.On(line)
	}
	return lines
}
