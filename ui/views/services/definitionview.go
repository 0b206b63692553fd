package services

import (
	"errors"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// page collects lines for the whole width.
func (m *Model) page() *rows.Page { return &rows.Page{Inks: &m.inks, Width: m.inner()} }

// block draws lines in exactly the size.
func (m *Model) block(lines []string, size box) string {
	return views.Block(lines, size.width, size.height, m.inks.Glyphs.Ellipsis)
}

func (d *definition) view() string {
	switch {
	case d.now == nil:
		return d.m.inks.Says(d.unread(), d.size.width, d.size.height)
	case d.offer != nil:
		return d.m.block(d.offerLines(), d.size)
	case d.broken != nil:
		return d.m.block(d.brokenLines(), d.size)
	}
	return d.editor.View()
}

// unread says why there is no definition to show.
func (d *definition) unread() []string {
	switch r := &d.read; {
	case errors.Is(r.Problem, adminapi.KindSignIn):
		return []string{"Not signed in: the definition could not be read.", "", "ctrl+l asks again."}
	case r.Problem != nil:
		return []string{sentence(r.Problem), "", "ctrl+l asks again."}
	case r.Away != nil:
		return []string{"The site does not answer. It is asked again by itself.", "", sentence(r.Away.Err)}
	}
	return []string{"Reading the definition" + d.m.inks.Glyphs.Ellipsis}
}

// note says where in the document the cursor is, and whether anything is changed.
func (d *definition) note() string {
	m := d.m
	if !d.editable() || !d.changed() {
		return ""
	}
	k := m.keepers[d.target().String()]
	switch {
	case k != nil && k.err != nil:
		return m.inks.Fail.On("changes not kept: " + plain.Clip(k.err.Error(), 40))
	case k != nil && (k.waits || k.writing):
		return "changed"
	}
	if saved, ok := m.catalog.drafts[d.target().String()]; ok {
		return "changed, draft kept " + m.env.Times.Clock(saved)
	}
	return "changed"
}
