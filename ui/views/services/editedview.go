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

func (e *edited) view() string {
	switch {
	case e.now == nil:
		return e.m.inks.Says(e.unread(), e.size.width, e.size.height)
	case e.offer != nil:
		return e.m.block(e.offerLines(), e.size)
	case e.broken != nil:
		return e.m.block(e.brokenLines(), e.size)
	}
	return e.editor.View()
}

// unread says why there is nothing to show.
func (e *edited) unread() []string {
	switch r := &e.read; {
	case errors.Is(r.Err, adminapi.KindSignIn):
		return []string{"Not signed in: the " + e.name() + " could not be read.", "", "ctrl+l asks again."}
	case errors.Is(r.Err, adminapi.KindVersionTooOld):
		return []string{sentence(r.Err)}
	case r.Err != nil:
		return []string{sentence(r.Err), "", "ctrl+l asks again."}
	case r.Away != nil:
		return []string{"The site does not answer. It is asked again by itself.", "", sentence(r.Away.Err)}
	}
	return []string{"Reading the " + e.name() + e.m.inks.Glyphs.Ellipsis}
}

// notes say whether anything is changed, and where that is kept.
func (e *edited) notes() []string {
	m := e.m
	if !e.editable() || !e.changed() {
		return nil
	}
	k := m.keepers[e.target.String()]
	switch {
	case k != nil && k.err != nil:
		return []string{m.inks.Fail.On("changes not kept: " + plain.Clip(k.err.Error(), 40))}
	case k != nil && (k.waits || k.writing):
		return []string{"changed"}
	}
	if k != nil && k.holder != nil {
		return []string{m.inks.Warn.On("changed; another has the edit")}
	}
	if kept, ok := m.catalog.drafts[e.target.String()]; ok {
		return []string{"changed, draft kept " + m.env.Times.Clock(kept.Saved)}
	}
	return []string{"changed"}
}
