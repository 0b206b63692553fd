package services

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/plain"
	"geodeck/ui/views/rows"
)

// mostPast is how many earlier versions the detail names.
const mostPast = 5

// detail is what stands beside the list about the service under the cursor.
type detail struct {
	key     rowKey
	pager   *rows.Pager
	past    []pastPart
	problem error
}

// pastRead is what of a service is kept.
type pastRead struct {
	key  rowKey
	past []pastPart
	err  error
}

// wantDetail reads what this machine remembers of the service under the cursor.
func (m *Model) wantDetail() tea.Cmd {
	row, ok := m.selected()
	if _, room := m.panes(); !ok || room.width == 0 {
		return nil
	}
	if m.detail.key != row.key {
		m.detail = detail{key: row.key, pager: m.detail.pager}
		m.detail.pager.Home()
	}
	m.layDetail()
	if row.service == nil || m.env.Site.Journal == nil {
		return nil
	}
	site, key, service := m.env.Site, row.key, *row.service
	return m.scope.Do("past", func(context.Context) tea.Msg {
		past, err := pastOf(site, service)
		return pastRead{key, past, err}
	})
}

func (r pastRead) apply(m *Model) tea.Cmd {
	if m.detail.key == r.key {
		m.detail.past, m.detail.problem = r.past, r.err
		m.layDetail()
	}
	return nil
}

// layDetail makes the lines of the detail.
func (m *Model) layDetail() {
	_, room := m.panes()
	if room.width == 0 {
		return
	}
	p := &rows.Page{Inks: &m.inks, Width: room.width}
	if at := m.rowOf(m.detail.key); at != nil {
		m.writeDetail(p, at)
	}
	m.detail.pager.Set(p.Lines)
}

// rowOf finds a row by its key, looking first under the cursor.
func (m *Model) rowOf(key rowKey) *serviceRow {
	if row, ok := m.selected(); ok && row.key == key {
		return row
	}
	for i := range m.catalog.rows.items {
		if m.catalog.rows.items[i].key == key {
			return &m.catalog.rows.items[i]
		}
	}
	return nil
}

func (m *Model) writeDetail(p *rows.Page, row *serviceRow) {
	if row.service == nil {
		f := &m.catalog.folders[row.folder]
		p.Text(m.inks.Strong, f.name)
		p.Gap()
		p.Fact("Services", plain.Plural(len(f.services), "service"))
		if f.problem != nil {
			p.Gap()
			p.Signed(m.inks.Glyphs.Fail, m.inks.Fail, sentence(f.problem))
		}
		return
	}
	p.Text(m.inks.Strong, row.service.Name)
	p.Gap()
	p.Text(m.inks.Plain, row.service.Description)
	p.Gap()
	p.Fact("Type", plain.Line(row.service.Type))
	p.Fact("Folder", folderName(row.service.Folder))
	m.writeState(p, row.key.path)
	for _, draft := range m.catalog.draftsOf(*row.service) {
		where := ""
		if !draft.Mine && draft.Life != journal.Ended {
			where = ", by " + draft.Program.Who()
		}
		p.Fact("Draft", "of the "+draft.part.String()+", kept "+m.env.Times.Minute(draft.Saved)+where+", not sent")
	}
	m.writePast(p)
}

// writeState says the state whole: as it should be and as it is.
func (m *Model) writeState(p *rows.Page, path string) {
	glyph, text, ink := m.stateOf(path)
	if text == "" {
		p.Fact("State", "not read yet")
		return
	}
	p.Line(p.Inks.Label.On(p.Inks.Fit("State", stateLabel)) + ink.On(glyph+" "+text))
	known := m.catalog.states[path]
	if known.RealTime != "" {
		p.Fact("Configured", plain.Line(known.Configured))
		p.Fact("Real", plain.Line(known.RealTime))
		p.Fact("Read", m.env.Times.Clock(known.read))
	}
	if known.Err != nil {
		p.Signed(m.inks.Glyphs.Warn, m.inks.Warn, sentence(known.Err))
	}
}

// stateLabel is the column before the state, as facts have it.
const stateLabel = 15

func (m *Model) writePast(p *rows.Page) {
	switch {
	case m.detail.problem != nil:
		p.Gap()
		p.Signed(m.inks.Glyphs.Warn, m.inks.Warn, sentence(m.detail.problem))
		return
	case len(m.detail.past) == 0:
		return
	}
	p.Heading("Kept before changes")
	for _, b := range m.detail.past[:min(mostPast, len(m.detail.past))] {
		what := b.what()
		p.Line(m.env.Times.Minute(b.Saved) + "  " + what + "  " + m.inks.Muted.On(plain.Clip(joined(b.Who, b.Why), max(8, p.Width-22-len(what)))))
	}
}

func folderName(name string) string {
	if name == "" {
		return "(root)"
	}
	return plain.Line(name)
}
