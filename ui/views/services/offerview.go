package services

import (
	"geodeck/adminapi/journal"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// offerLines ask what to do with a draft.
func (e *edited) offerLines() []string {
	switch o := e.offer; {
	case o.unread():
		return e.unreadLines()
	case o.elsewhere():
		return e.elsewhereLines()
	}
	m, o := e.m, e.offer
	p := m.page()
	p.Signed(m.inks.Glyphs.Warn, m.inks.Warn, "You have edited this "+e.name()+" before: a draft of "+m.env.Times.Minute(o.from.Saved)+" was not sent")
	p.Gap()
	for _, text := range e.offerNotes() {
		p.Text(m.inks.Plain, text)
		p.Gap()
	}
	p.Key("enter", "goes on with the draft")
	if o.edited != nil {
		p.Key("v", "    shows what it changes of what the site has now")
	}
	p.Key("X", "    discards it, after a question")
	p.Key("esc", "  leaves it for later")
	return p.Lines
}

// offerNotes say what there is to know of a draft before it is gone on with.
func (e *edited) offerNotes() (notes []string) {
	o := e.offer
	if o.edited == nil {
		notes = append(notes, "Its text is broken: "+plain.Line(o.err.Error())+".")
	}
	switch {
	case o.moved && o.elsewhere():
		notes = append(notes, "The "+e.name()+" was changed at the site since then. Writing the draft leads to a merge, and overwrites nothing.")
	case o.moved:
		notes = append(notes, "The "+e.name()+" was changed at the site since then. Going on keeps both: writing the draft leads to a merge, and overwrites nothing.")
	}
	if o.rival != nil {
		notes = append(notes, e.m.hasIt(*o.rival, "this "+e.name())+" Your draft is kept beside that one.")
	}
	return notes
}

// unreadLines say that a draft is damaged.
func (e *edited) unreadLines() []string {
	m, o := e.m, e.offer
	p := m.page()
	p.Signed(m.inks.Glyphs.Warn, m.inks.Warn, "A draft of the "+e.name()+" is on this machine, but it cannot be read")
	p.Gap()
	p.Text(m.inks.Plain, sentence(o.err))
	p.Gap()
	p.Key("enter", "goes on without it; the file stays as it is")
	if o.from.Damaged != nil {
		p.Key("X", "    sets the file aside, after a question")
	}
	return p.Lines
}

// elsewhereLines say who has the edit.
func (e *edited) elsewhereLines() []string {
	m, o := e.m, e.offer
	if o.look != nil {
		return m.lookLines(o)
	}
	p := m.page()
	p.Signed(m.inks.Glyphs.Warn, m.inks.Warn, m.hasIt(o.from, "this "+e.name()))
	p.Gap()
	if o.from.Life == journal.MayLive {
		p.Text(m.inks.Plain, "It was started on another host: whether it still runs cannot be seen from here.")
		p.Gap()
	}
	p.Text(m.inks.Plain, "Its draft was kept last at "+m.env.Times.Minute(o.from.Saved)+". To change or send anything here, take the edit over.")
	p.Gap()
	for _, text := range e.offerNotes() {
		p.Text(m.inks.Plain, text)
		p.Gap()
	}
	p.Key("enter", "looks at the text, read only")
	if o.edited != nil {
		p.Key("v", "    shows what it changes of what the site has now")
	}
	p.Key("T", "    takes the edit over, after a question")
	if o.from.Life == journal.MayLive {
		p.Key("X", "    discards the draft, after a question")
	}
	p.Key("esc", "  leaves it")
	return p.Lines
}

// hasIt says who edits something, such as this definition, and since when.
func (m *Model) hasIt(d journal.Draft, what string) string {
	ends := " and has it open."
	if d.Life == journal.MayLive {
		ends = " and may still have it open."
	}
	return d.Program.String() + " has edited " + what + " since " + m.env.Times.Minute(d.Since) + ends
}

// discardQuestion asks before a draft is given up that another program has left.
func (e *edited) discardQuestion() views.Question {
	o := e.offer
	q := views.Question{
		ID: "services.discard", Text: "Discard this draft of the " + plain.Line(e.target.String()) + "?",
		Consequence: "It is removed from this machine. The site is not changed.",
		Yes:         "discard it", No: "keep it",
	}
	switch {
	case o.unread():
		q.Text, q.Yes, q.No = "Set the damaged draft of the "+plain.Line(e.target.String())+" aside?", "set it aside", "leave it"
		q.Consequence = "Its file gets another name, ending in .damaged, and is not told of any more."
	case o.elsewhere():
		q.Text = "Discard the draft of " + o.from.Program.String() + "?"
		q.Consequence = "It is removed from this machine. Where it is still open, its text stays on that screen."
	}
	return q
}
