package services

import (
	"strings"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// View draws exactly the size that SetSize gave.
func (m *Model) View() string {
	if m.width <= 0 || m.height <= 0 {
		return ""
	}
	lines := m.bannerLines()
	switch {
	case m.way != nil:
		lines = append(lines, m.drawWay()...)
	case m.open != nil:
		lines = append(lines, m.drawOpen()...)
	default:
		lines = append(lines, m.drawCatalog()...)
	}
	for i, line := range lines {
		lines[i] = " " + line
	}
	return views.Block(lines, m.width, m.height, m.inks.Glyphs.Ellipsis)
}

// bannerLines say before anything is typed that nothing can be changed.
func (m *Model) bannerLines() []string {
	why := m.noChanges()
	if why == "" {
		return nil
	}
	lines := views.Wrap(why, m.inner()-2)
	for i, line := range lines {
		sign := " "
		if i == 0 {
			sign = m.inks.Glyphs.Warn
		}
		lines[i] = m.inks.Warn.On(sign + " " + line)
	}
	return append(lines, "")
}

// drawCatalog draws the list and the detail beside it, where both have room.
func (m *Model) drawCatalog() []string {
	list, detail := m.panes()
	left := m.drawList(list)
	if detail.width == 0 {
		return left
	}
	return m.inks.Columns(left, m.inks.Pane(m.inks.Muted.On("Detail"), m.detail.pager.View(), detail.width, detail.height))
}

func (m *Model) drawList(size box) []string {
	list, room := m.catalog.list, box{size.width, size.height - listHead}
	body := list.View()
	switch {
	case list.All() == 0:
		body = m.inks.Says(m.listSays(), room.width, room.height)
	case list.Len() == 0:
		above, _, _ := strings.Cut(body, "\n")
		body = above + "\n" + m.inks.Says(m.nothingMatches(), room.width, room.height-1)
	}
	title := "  " + m.inks.Accent.On(plain.Plural(m.catalog.count(), "service"))
	if n := len(m.catalog.unread); n > 0 && m.catalog.Loading {
		title += m.inks.Muted.On(", " + plain.Plural(n, "folder") + " to be read")
	}
	if n := len(m.marked()); n > 0 {
		title += m.inks.Strong.On("  " + plain.Plural(n, "service") + " marked")
	}
	if text := m.tallyText(); text != "" {
		title += "  " + m.inks.Warn.On(text)
	}
	return m.inks.Pane(m.inks.Beside(title, list.Position(), size.width), body, size.width, size.height)
}

// listSays tells why there is no service to show.
func (m *Model) listSays() []string {
	c := &m.catalog
	switch {
	case m.env.Offline:
		return []string{"There is no site."}
	case c.Err != nil:
		return []string{sentence(c.Err), "", "R asks again."}
	case c.Away != nil:
		return []string{"The site does not answer. It is asked again by itself.", "", sentence(c.Away.Err)}
	case c.Loading || c.Updated.IsZero():
		return []string{"Reading the services" + m.inks.Glyphs.Ellipsis}
	}
	return []string{"The site has no services."}
}

// drawOpen draws the sections of the service, its state, and the one in front. Which
// service it is stands in the frame above.
func (m *Model) drawOpen() []string {
	o := m.open
	glyph, text, ink := m.stateOf(o.service.Path())
	notes := o.notes()
	if text != "" {
		notes = append(notes, ink.On(glyph+" "+text))
	}
	line := m.sectionsLine()
	note := m.fitting(notes, m.inner()-ansi.StringWidth(line)-2)
	return append([]string{m.inks.Beside(line, note, m.inner()), ""}, strings.Split(o.view(), "\n")...)
}

// fitting joins as many notes as there is room for, the first ones first.
func (m *Model) fitting(notes []string, room int) (line string) {
	for _, note := range notes {
		longer := note
		if line != "" && note != "" {
			longer = line + " " + m.inks.Glyphs.Dot + " " + note
		}
		if note != "" && ansi.StringWidth(longer) <= room {
			line = longer
		}
	}
	return line
}

// sectionsLine names the sections, the one in front standing out. Those behind it say
// where an edit goes on; the one in front says more of its own.
func (m *Model) sectionsLine() string {
	var names []string
	for i, s := range m.open.sections {
		ink := m.inks.Muted
		if i == m.open.at {
			ink = m.inks.Accent
		}
		name := ink.On(s.title())
		if s, editing := s.(interface{ edits() *edited }); editing && i != m.open.at && s.edits().drafted() {
			name += " " + m.inks.Warn.On(draftMark)
		}
		names = append(names, name)
	}
	line := strings.Join(names, "   ")
	if m.open.compare != nil {
		line += m.inks.Muted.On(" "+m.inks.Glyphs.Dot+" ") + m.inks.Heading.On(m.open.compare.title)
	}
	return line
}
