package editor

import (
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// SetSize gives the tab its cells.
func (t *Tab) SetSize(width, height int) {
	t.Base.SetSize(width, height)
	t.edit.widget.SetSize(width, height)
	t.page.setSize(width, height)
}

// View draws the document, or what has to be decided before.
func (t *Tab) View() string {
	switch e := t.edit; {
	case e.now == nil:
		return t.inks.Sentences(t.source.unread(), t.Width, t.Height)
	case t.page.shown():
		return t.page.view()
	case e.broken != nil:
		page, back := &rows.Page{Inks: t.inks, Width: t.Width}, "what the site has"
		if e.differsInWidget() {
			back = "your earlier changes"
		}
		e.broken.write(page, back)
		return t.inks.Block(page.Lines, t.Width, t.Height)
	}
	return t.edit.widget.View()
}

// Notes say whether anything is changed, and where that is kept.
func (t *Tab) Notes() []string {
	if t.page.shown() {
		return nil
	}
	return t.edit.notes(t.inks)
}

// About says what the tab is for.
func (t *Tab) About() string {
	if t.Target.Part == editing.Placement {
		return "Which nodes run the pods: edit rules, see what they lead to, write them."
	}
	return "What the service is made of: edit a draft, review it, write it."
}

// Fetch says how fresh it is.
func (t *Tab) Fetch() *views.Fetch { return &t.source.Fetch }

// Now is what the site had when it was read last, nil before.
func (t *Tab) Now() *document.Document { return t.edit.now }

// Unfit is why what the site has cannot be edited; nil where it can.
func (t *Tab) Unfit() error { return t.edit.unfit }

// InFront reports whether the document itself is shown, not an offered draft or a broken
// text.
func (t *Tab) InFront() bool { return t.edit.now != nil && !t.page.shown() && t.edit.broken == nil }

func (t *Tab) editable() bool { return !t.page.shown() && t.edit.editable() }

// Editing reports whether the widget takes keys.
func (t *Tab) Editing() bool { return t.editable() && !t.edit.outside }

// Outside reports whether $EDITOR has the terminal.
func (t *Tab) Outside() bool { return t.edit.outside }

// Left reports whether the service was left.
func (t *Tab) Left() bool { return t.edit.left }

// Drafted reports whether there is an edit here, or a draft that is not open yet.
func (t *Tab) Drafted() bool {
	return t.edit.drafts.Kept(t.Target) || t.page.shown() || t.edit.differs()
}

// Differs reports whether something was edited that the site does not have.
func (t *Tab) Differs() bool { return t.edit.differs() }

// Busy reports whether a command makes an edit: keys have to wait.
func (t *Tab) Busy() bool { return t.editable() && t.edit.widget.Busy() }

// CapturesText reports whether typed keys are text at present.
func (t *Tab) CapturesText() bool {
	return t.Filtering() || t.editable() && t.edit.widget.CapturesText()
}

// Filtering reports whether a filter is being typed.
func (t *Tab) Filtering() bool {
	return t.page.preview() != nil && t.page.reading.Typing() || t.editable() && t.edit.widget.Filtering()
}

// GuardsPaste reports whether a question of the widget is open: a burst of keys may be a paste.
func (t *Tab) GuardsPaste() bool { return t.CapturesText() && t.edit.widget.GuardsPaste() }

// Leave is a question to ask before the tab is closed, empty for none.
func (t *Tab) Leave() string { return t.edit.atRisk() }
