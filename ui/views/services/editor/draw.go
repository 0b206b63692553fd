package editor

import (
	"errors"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// SetSize gives the tab its cells.
func (t *Tab) SetSize(width, height int) {
	t.Base.SetSize(width, height)
	t.widget.SetSize(width, height)
	t.reading.SetSize(width, max(0, height-previewHead))
}

// View draws the document, or what has to be decided before.
func (t *Tab) View() string {
	switch {
	case t.now == nil:
		return t.inks.Sentences(t.unread(), t.Width, t.Height)
	case t.preview() != nil:
		return t.inks.Headed(t.Width, t.Height, t.reading.View(), t.inks.Label.On(t.whose()), "")
	case t.offer != nil:
		return t.block(t.offerLines())
	case t.broken != nil:
		return t.block(t.brokenLines())
	}
	return t.widget.View()
}

func (t *Tab) block(lines []string) string {
	return views.Block(lines, t.Width, t.Height, t.inks.Glyphs.Ellipsis)
}

// page collects lines for the whole width.
func (t *Tab) page() *rows.Page { return &rows.Page{Inks: t.inks, Width: t.Width} }

// unread says why there is nothing to show.
func (t *Tab) unread() []string {
	switch r := &t.fetch; {
	case errors.Is(r.Err, adminapi.KindSignIn):
		return []string{"Not signed in: the " + t.name() + " could not be read.", "", views.Keys("Press {key:services.refresh} to refresh.")}
	case errors.Is(r.Err, adminapi.KindVersionTooOld):
		return []string{views.Sentence(r.Err.Error())}
	case r.Err != nil, r.Unreachable != nil:
		return r.NotRead()
	}
	return []string{"Reading the " + t.name() + t.inks.Glyphs.Ellipsis}
}

// Notes say whether anything is changed, and where that is kept.
func (t *Tab) Notes() []string {
	if !t.editable() || !t.Differs() && !t.typing.saved {
		return nil
	}
	changed := "changed"
	if !t.Differs() {
		changed = "text"
	}
	switch s := t.saver; {
	case s.err != nil:
		return []string{t.inks.Fail.On("changes not saved: " + plain.Clip(s.err.Error(), 40))}
	case s.waits || s.writing:
		return []string{changed}
	case s.holder != nil:
		return []string{t.inks.Warn.On("changed; another has the edit")}
	}
	if kept, ok := t.drafts.kept[t.Target.String()]; ok {
		return []string{changed + ", draft saved " + t.Env.Times.Clock(kept.Saved)}
	}
	return []string{changed}
}
