package editor

import (
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/jsonview"
	"geodeck/ui/widget/rows"
)

// offerHandlers are what a page of an offer leads to.
type offerHandlers struct {
	open    func(*offer) tea.Cmd // the draft is this program's, and is continued
	discard func() tea.Cmd       // the draft is this program's, and is discarded
	reload  func() tea.Cmd       // the draft of another program has gone: it may have been sent
	gone    func()               // the draft was discarded: no difference of it is shown any more
}

// offerPage shows a draft that was found, until the user has decided about it.
type offerPage struct {
	edit     *edit
	inks     *rows.Inks
	handlers offerHandlers
	offer    *offer         // nil where none is shown
	reading  *jsonview.View // the text of an offer that is previewed
	width    int
	height   int
}

func newOfferPage(e *edit, inks *rows.Inks, handlers offerHandlers) *offerPage {
	return &offerPage{edit: e, inks: inks, handlers: handlers, reading: jsonview.New(e.env.Theme)}
}

// shown reports whether a draft is offered.
func (p *offerPage) shown() bool { return p.offer != nil }

// readOnly reports whether a draft is offered that can only be read, or taken over.
func (p *offerPage) readOnly() bool { return p.offer != nil && p.offer.readOnly() }

// preview is what is shown read only; nil for none.
func (p *offerPage) preview() *preview {
	if p.offer == nil {
		return nil
	}
	return p.offer.preview
}

// rows are those of the page alone; those of the tab beside them are about an edit as well.
func (p *offerPage) rows() []views.Command {
	return []views.Command{
		{ID: "services.continue", Key: "enter", Hint: p.continueHint, Name: "continue with draft",
			Group: group, Run: p.next,
			Shown: func() bool { return p.shown() && !p.offer.readOnly() },
			Help:  "Resume the edit that was saved as a draft."},
		{ID: "services.look-at-draft", Key: "enter", Hint: p.lookHint, Name: "view open draft",
			Group: group, Run: p.togglePreview,
			Shown: p.readOnly,
			Help:  "Switch between another program's edit and the site's version, read-only."},
	}
}

// The rows of the footer while a draft is offered, those of the view around the tab in their places: a
// draft is read and compared before it is taken over.
var offerFooter = []string{rows.Up, rows.Down, "services.continue", "services.look-at-draft", "services.difference", "services.take-over",
	rows.Filter, "services.next-section", "services.discard", "services.read-again", "services.back", "services.explain"}

func (p *offerPage) continueHint() string {
	if p.offer.unreadable() {
		return "continue without it"
	}
	return "continue with it"
}

func (p *offerPage) lookHint() string {
	switch preview := p.preview(); {
	case preview == nil:
		return "view"
	case preview.site:
		return "the draft"
	}
	return "the site's"
}

// notComparable says why the offer is not compared with what the site has.
func (p *offerPage) notComparable() string {
	switch {
	case p.preview() != nil:
		return leaveText
	case p.offer.edited == nil:
		return "The draft is not valid: it cannot be compared. Continue to see why."
	}
	return ""
}

// notDiscardable says why the offer is not discarded.
func (p *offerPage) notDiscardable() string {
	switch {
	case p.offer.discardable():
		return ""
	case p.preview() != nil:
		return leaveText
	case p.offer.unreadable():
		return "The draft cannot be read: its file stays."
	}
	return "Another program has the draft open: take it over first."
}

// next opens the draft. One that another program has left is taken over first.
func (p *offerPage) next() tea.Cmd {
	switch o := p.offer; {
	case o.unreadable():
		p.offer = nil
		return nil // the present document is edited
	case o.from.Mine:
		return p.handlers.open(o)
	}
	return p.takeOver()
}

// find reads the draft to offer, if it fits.
func (p *offerPage) find(fits func(*offer) bool) tea.Cmd {
	find, now := p.edit.finder(), p.edit.now
	return p.edit.run.do("find", func() func() tea.Cmd {
		found, _ := find.find(now, nil)
		if found != nil && !fits(found) {
			found = nil
		}
		return func() tea.Cmd { return p.found(found) }
	})
}

// refresh reads the draft to offer once more, own ones included or not.
func (p *offerPage) refresh(own bool) tea.Cmd {
	return p.find(func(o *offer) bool { return own || !o.from.Mine })
}

// found offers a draft, nil for none.
func (p *offerPage) found(found *offer) tea.Cmd {
	if p.edit.left || p.edit.begun() {
		return nil
	}
	before := p.offer
	p.offer = found
	switch {
	case before != nil && before.openElsewhere() && found == nil: // it may have been sent
		return p.handlers.reload()
	case before != nil && before.preview != nil && found != nil && found.openElsewhere():
		found.preview = before.preview // the user is reading it
		return p.showPreview(false)
	}
	return nil
}

// takeOver takes the offered draft over, and opens it.
func (p *offerPage) takeOver() tea.Cmd {
	o, find, now := p.offer, p.edit.finder(), p.edit.now
	if o.taking {
		return nil
	}
	o.taking = true
	from := o.from
	return p.edit.run.do("take over", func() func() tea.Cmd {
		kept, err := find.site.Memory.TakeOverEdit(from)
		if err != nil {
			return func() tea.Cmd { return p.taken(o, nil, err) }
		}
		taken := find.offer(now, kept)
		return func() tea.Cmd { return p.taken(o, taken, nil) }
	})
}

// taken opens an offered draft as it was taken over, unless err says why it was not.
func (p *offerPage) taken(offered, taken *offer, err error) tea.Cmd {
	offered.taking = false
	e := p.edit
	_, held := errors.AsType[*journal.DraftHeldError](err)
	switch {
	case e.left || p.offer != offered:
		return e.drafts.Load() // it is this program's draft now, and is offered the next time
	case held || errors.Is(err, journal.ErrNoDraft):
		return tea.Batch(p.refresh(true), views.Tell(views.Warning, "The draft was not taken over: open elsewhere, sent or discarded."))
	case err != nil && offered.openElsewhere():
		return views.TellFailed("The edit was not taken over", err)
	case err != nil: // its text was read nevertheless, and its file stays
		return tea.Batch(p.handlers.open(offered), views.TellFailed("The draft on this machine is unchanged", err))
	}
	e.drafts.kept[e.target.String()], taken.unbreak = taken.from, offered.unbreak
	return p.handlers.open(taken)
}

// askDiscard asks before the draft is discarded, or a broken text of it alone.
func (p *offerPage) askDiscard() tea.Cmd {
	o, what, q := p.offer, plain.Line(p.edit.target.String()), discardQuestion()
	confirmed := func() tea.Cmd { return p.discard(o) }
	switch {
	case o.holdsChanges() && !o.openElsewhere():
		q = brokenQuestion(what, "Your earlier changes stay.")
		confirmed = func() tea.Cmd { return p.unbreak(o) }
	case o.unreadable():
		q.Text, q.Yes, q.No = "Set the damaged draft of the "+what+" aside?", "set it aside", "leave it"
		q.Consequence = "Its file is renamed to end in .damaged and no longer listed."
	case o.openElsewhere():
		q.Text = "Discard the draft of " + o.from.Program.String() + "?"
		q.Consequence = "It is removed from this machine. Where it is still open, its text stays on that screen."
	case !o.from.Mine:
		q.Text = "Discard " + o.name() + " of the " + what + "?"
	default:
		q, confirmed = changesQuestion(what), p.handlers.discard
	}
	return p.edit.ask(q, "discard", confirmed)
}

// unbreak discards the broken text of an offered draft, and opens the changes from before it.
func (p *offerPage) unbreak(o *offer) tea.Cmd {
	if p.edit.left || p.offer != o {
		return nil
	}
	o.unbreak = true
	return p.next()
}

// discard removes an offered draft.
func (p *offerPage) discard(o *offer) tea.Cmd {
	e := p.edit
	discard, from := e.env.Site.Memory.Journal.DiscardDraft, o.from
	return e.run.do("discard", func() func() tea.Cmd {
		err := discard(from)
		return func() tea.Cmd {
			if err != nil {
				return tea.Batch(p.refresh(true), views.TellFailed("The draft was not discarded", err))
			}
			marks := e.drafts.Load()
			if e.left || p.offer != o {
				return marks
			}
			p.offer = nil
			p.handlers.gone()
			return tea.Batch(marks, p.refresh(true), views.Tell(views.Info, views.Sentence(o.name()+" is discarded.")))
		}
	})
}

// preview is a text that can only be read: of another program's draft, or the site's.
type preview struct {
	site bool // what the site has is shown
}

// previewHead are the lines above the text.
const previewHead = 2

// togglePreview shows the text of the other program and what the site has, in turn.
func (p *offerPage) togglePreview() tea.Cmd {
	return p.showPreview(p.preview() != nil && !p.preview().site)
}

// showPreview lays the text out in a command: it may be long.
func (p *offerPage) showPreview(site bool) tea.Cmd {
	o, th, text := p.offer, p.edit.env.Theme, p.offer.saved.Edited
	if site {
		text = p.edit.now.Text()
	}
	return p.edit.run.do("look at", func() func() tea.Cmd {
		v := jsonview.New(th)
		v.Set([]byte(text))
		return func() tea.Cmd {
			if p.offer == o {
				o.preview = &preview{site}
				p.reading.Replace(v)
			}
			return nil
		}
	})
}

// closePreview goes back from the preview to the offer.
func (p *offerPage) closePreview() bool {
	switch {
	case p.preview() == nil:
		return false
	case p.reading.Filter() != "":
		p.reading.SetFilter("")
	default:
		p.offer.preview = nil
	}
	return true
}

// setSize gives the page its cells.
func (p *offerPage) setSize(width, height int) {
	p.width, p.height = width, height
	p.reading.SetSize(width, max(0, height-previewHead))
}

// view draws the offer, or its text.
func (p *offerPage) view() string {
	if p.preview() != nil {
		return p.inks.Headed(p.width, p.height, p.reading.View(), p.inks.Label.On(p.whose()), "")
	}
	return p.inks.Block(p.lines(), p.width, p.height)
}

// whose says whose text is previewed.
func (p *offerPage) whose() string {
	if p.offer.preview.site {
		return "Read-only: the site's version"
	}
	return "Read-only: the draft of " + p.offer.from.Program.Who() + ", saved at " + p.edit.env.Times.Minute(p.offer.from.Saved)
}

// lines ask what to do with the draft.
func (p *offerPage) lines() []string {
	o, k, name, page := p.offer, p.inks, p.edit.name(), &rows.Page{Inks: p.inks, Width: p.width}
	if o.unreadable() {
		page.Signed(k.Glyphs.Warn, k.Warn, "The draft of the "+name+" on this machine cannot be read")
		page.Gap()
		page.Text(k.Plain, views.Sentence(o.err.Error()))
		page.Gap()
		page.Key("enter", "continue without it; the file stays")
		if o.from.Damaged != nil {
			page.Key("X", "    set the file aside (asks first)")
		}
		return page.Lines
	}
	times := p.edit.env.Times
	elsewhere, maybe := o.openElsewhere(), o.openElsewhere() && o.from.Liveness == journal.MaybeAlive
	unknown, saved := p.edit.drafts.Unknown(p.edit.target), times.Minute(o.from.Saved)
	sign, ink, head := k.Glyphs.Warn, k.Warn, "Your draft of this "+name+" from "+saved+" was not sent"
	var texts []string
	switch {
	case elsewhere:
		head = HeldBy(times, o.from, "this "+name)
		if maybe {
			texts = append(texts, "It was started on another host; whether it still runs is unknown.")
		}
		texts = append(texts, "Its draft was last saved at "+saved+". Take the edit over to change or send anything.")
	case unknown != "":
		sign, ink, head = k.Glyphs.Unknown, k.Unknown, "A change of this "+name+" was sent: "+unknown
		texts = append(texts, "Your draft is from "+saved+".")
	case o.from.Outside:
		head = "Text that your editor saved at " + saved + " is in no draft yet"
	case o.sent != nil:
		head = "Your draft of this " + name + " was sent at " + times.Minute(o.sent.Time) + ": " +
			operation.ResultOf(*o.sent).Text()
	}
	page.Signed(sign, ink, head)
	page.Gap()
	for _, text := range append(texts, o.notes(times, name)...) {
		page.Text(k.Plain, text)
		page.Gap()
	}
	for _, row := range []struct {
		holds     bool
		key, does string
	}{
		{elsewhere, "enter", "view the text, read-only"},
		{!elsewhere, "enter", "continue with " + o.name()},
		{o.edited != nil, "v", "    show its changes against the site"},
		{unknown != "", "R", "    look for the outcome of what was sent"},
		{elsewhere, "O", "    take the edit over (asks first)"},
		{maybe, "X", "    discard the draft (asks first)"},
		{!elsewhere && o.holdsChanges(), "X", "    discard only the broken text (asks first)"},
		{!elsewhere && !o.holdsChanges(), "X", "    discard it (asks first)"},
		{elsewhere, "esc", "  leaves it"},
		{!elsewhere, "esc", "  leave it for later"},
	} {
		if row.holds {
			page.Key(row.key, row.does)
			if row.key == "enter" {
				page.Focus(len(page.Lines) - 1)
			}
		}
	}
	return page.Lines
}

// ask opens a question that leads to then where it is confirmed.
func (e *edit) ask(q widget.Question, kind string, then func() tea.Cmd) tea.Cmd {
	q.Then = e.run.call(kind, then)
	return views.Show(widget.NewConfirm(e.env.Theme, q))
}
