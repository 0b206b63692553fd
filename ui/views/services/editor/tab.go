// Package editor is the tab in which a part of a service is edited: its definition, or
// its placement policy. Start at [Tab]: it reads what the site has (source.go), hosts the [Widget]
// that edits it, and leads to the review of what was changed. What is edited is in edit.go, with what is
// typed in typing.go; [Drafts] saves it on this machine, and outlives the tab. A draft that is found comes
// up as an offer (offer.go), which is decided about on a page of its own (offerpage.go), and taken over
// where another program has it; $EDITOR is in outside.go; what a write leaves in settle.go.
package editor

import (
	"context"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// Host is what a tab needs of the view around it.
type Host interface {
	// Review starts the review of an edit, now is what the site had when it was read last.
	Review(edit editing.Edit, now *document.Document) tea.Cmd
	// Compare shows what differs, in place of the tab.
	Compare(title string, differences document.Review) tea.Cmd
	// StopComparing shows the tab again.
	StopComparing()
}

// Tab edits one part of a service.
type Tab struct {
	views.Base
	// Opened is called after a document was opened in the widget, and after each change of
	// it; may be nil.
	Opened func() tea.Cmd
	Target editing.Target

	host     Host
	inks     *rows.Inks
	source   *source
	edit     *edit
	page     *offerPage // in place of the document while a draft is offered
	external *external
	waiting  []func() tea.Cmd // what came while the widget was busy
	table    []views.Command
}

// New returns a tab that has read nothing yet.
func New(base views.Base, inks *rows.Inks, target editing.Target, widget Widget, host Host, drafts *Drafts) *Tab {
	t := &Tab{Base: base, Target: target, host: host, inks: inks}
	t.edit = newEdit(base, target, widget, drafts, t.arrive)
	t.edit.opened = t.opened
	t.source = &source{base: base, run: &t.edit.run, name: t.edit.name(), read: t.read}
	t.page = newOfferPage(t.edit, inks, offerHandlers{open: func(o *offer) tea.Cmd { return t.openDraft(o, true) }, reload: t.source.load, gone: host.StopComparing,
		discard: func() tea.Cmd { return t.discard(nil, nil) }})
	t.external = &external{edit: t.edit, edited: t.edited}
	t.table = t.rows()
	return t
}

// arrive runs what a command of the tab leads to, which waits while the widget is busy: what it does
// depends on the edit of that.
func (t *Tab) arrive(then func() tea.Cmd) tea.Cmd {
	t.waiting = append(t.waiting, then)
	return t.proceed()
}

func (t *Tab) proceed() (cmd tea.Cmd) {
	for len(t.waiting) > 0 && !t.Busy() {
		next := t.waiting[0]
		t.waiting = t.waiting[1:]
		cmd = tea.Batch(cmd, next())
	}
	return cmd
}

// Update takes typed keys, and messages of the widget.
func (t *Tab) Update(msg tea.Msg) (cmd tea.Cmd) {
	key, typed := msg.(tea.KeyMsg)
	switch {
	case typed && t.page.preview() != nil:
		t.page.reading.Type(key)
	case typed && t.Editing(), !typed && t.editable():
		cmd = tea.Batch(t.edit.widget.Update(msg), t.edit.changed())
	}
	if len(t.waiting) == 0 {
		return cmd
	}
	return tea.Batch(cmd, t.proceed())
}

// Rested has the widget show what its cursor is on.
func (t *Tab) Rested() tea.Cmd {
	t.edit.widget.Rested()
	return t.Changed()
}

// Changed saves what was changed in the widget from outside of the tab.
func (t *Tab) Changed() tea.Cmd { return t.edit.changed() }

// Shown fetches what the site has, or reads which program has the edit.
func (t *Tab) Shown() tea.Cmd {
	if t.edit.now != nil || t.source.Loading {
		return t.FindHolder()
	}
	return t.source.load()
}

// Reread reads anew what is being read: its answer, and the draft beside it, may be from before an
// edit was sent.
func (t *Tab) Reread() tea.Cmd {
	if !t.source.Loading {
		return nil
	}
	return t.source.load()
}

// read reads what the site has; the first time, it also reads the drafts.
func (t *Tab) read() func(context.Context) (then func() tea.Cmd, err error) {
	find, first, held := t.edit.finder(), t.edit.now == nil, t.edit.saver.held()
	return func(ctx context.Context) (func() tea.Cmd, error) {
		read, err := find.site.Read(ctx, find.target)
		if err != nil {
			return nil, err
		}
		open := prepared(find.widget, read.Document, read.Document)
		var found *offer
		var discarded bool
		if first {
			found, discarded = find.find(read.Document, held)
		}
		return func() tea.Cmd {
			loaded := t.loaded(open, found, nil)
			if !discarded {
				return loaded
			}
			return tea.Batch(loaded, t.edit.drafts.Load(), views.Tell(views.Info, "The site has all of this draft; it is set aside."))
		}, nil
	}
}

// refresh fetches what the site has, and reads which program has the edit.
func (t *Tab) refresh() tea.Cmd {
	look := t.edit.drafts.Look
	if t.page.shown() && !t.page.readOnly() {
		return look()
	}
	return tea.Batch(t.source.load(), t.FindHolder(), look())
}

// loaded takes what the site has, or a file that stands for it, and the draft of it where there is one.
func (t *Tab) loaded(open opening, found *offer, unread *editing.Unread) tea.Cmd {
	e := t.edit
	if e.left {
		return nil
	}
	if e.unread = unread; unread == nil {
		t.source.Succeeded(t.Env.Clock.Now())
	}
	now := open.base
	switch {
	case e.now == nil && found != nil && found.resumes(e.saver.here):
		e.now = now
		return t.openDraft(found, false)
	case e.now == nil:
		e.now, t.page.offer = now, found
		return t.directly(e.reopen(open))
	case !e.begun() && e.now.Text() == now.Text():
		return t.opened() // the cursor and the folds stay
	case !e.begun():
		e.now = now
		return e.open(open)
	}
	base := e.widget.Base()
	return e.run.do("drift", func() func() tea.Cmd {
		drift := len(document.Diff(base, now)) > 0
		return func() tea.Cmd {
			if !drift || e.left || e.widget.Base() != base {
				return nil
			}
			if e.now = now; !e.begun() { // the edit was undone meanwhile
				return e.open(open)
			}
			return views.Tell(views.Warning, "The site has another "+e.name()+" now. Your changes stay; sending them starts a merge.")
		}
	})
}

func (t *Tab) opened() tea.Cmd {
	if t.Opened == nil {
		return nil
	}
	return t.Opened()
}

// EditDirectly opens the document in $EDITOR once it was read, and after that the review of
// what was changed. A draft that is found is decided about first.
func (t *Tab) EditDirectly() { t.external.direct = true }

// directly opens $EDITOR behind the first document, where it is to be edited there at once.
func (t *Tab) directly(opened tea.Cmd) tea.Cmd {
	if t.external.direct = t.external.direct && t.Editing(); t.external.direct {
		return tea.Batch(opened, t.external.open())
	}
	return opened
}

// edited takes a document that was edited in $EDITOR.
func (t *Tab) edited(d *document.Document, direct bool) tea.Cmd {
	changed := tea.Batch(t.edit.widget.Replace(d), t.edit.changed())
	if direct {
		return tea.Batch(changed, t.review(d))
	}
	return changed
}

// openDraft opens a draft of this program in the widget; asked for it goes on with what was typed.
func (t *Tab) openDraft(o *offer, asked bool) tea.Cmd {
	t.page.offer = nil
	opened := t.directly(t.edit.resume(o))
	if o.unbreak {
		return tea.Batch(opened, t.discard(o.broken, nil))
	}
	return tea.Batch(opened, t.edit.resumeTyping(o, asked))
}

// FindHolder reads which program has the edit, when the tab is shown once more.
func (t *Tab) FindHolder() tea.Cmd {
	switch e, o := t.edit, t.page.offer; {
	case e.now == nil || t.Env.Site.Memory.Journal == nil:
		return nil
	case o != nil && o.openElsewhere():
		return t.page.refresh(true)
	case o == nil && !e.begun(): // another program may have begun meanwhile
		return t.page.find((*offer).openElsewhere)
	case o != nil || !e.differs():
		return nil
	}
	return t.edit.findHolder()
}

// askTakeOver asks before the edit is taken over: with the text of the other program, or
// with the text on the screen.
func (t *Tab) askTakeOver() tea.Cmd {
	q := widget.Question{ID: "services.take-over", Yes: "take it over", No: "leave it"}
	var from journal.Draft
	if t.page.shown() {
		from = t.page.offer.from
		q.Consequence = "You continue with its text. The other program keeps its text, and is warned."
	} else {
		from = *t.edit.saver.holder
		q.Consequence = "You continue with your own text. The other program keeps its text, and is warned."
	}
	q.Text = "Take over the edit of " + from.Program.String() + "?"
	return t.edit.ask(q, "take over", func() tea.Cmd {
		switch {
		case t.edit.left:
			return nil
		case t.page.shown():
			return t.page.takeOver()
		}
		return t.edit.takeOver(from)
	})
}

// askDiscard asks before changes are discarded: a broken text alone, where there is one.
// Only what the question was about is discarded, whatever arrives meanwhile.
func (t *Tab) askDiscard() tea.Cmd {
	if t.page.shown() {
		return t.page.askDiscard()
	}
	of, what, stays := t.edit.broken, plain.Line(t.Target.String()), "Your earlier changes stay."
	q := changesQuestion(what)
	if of != nil {
		if !t.edit.differsInWidget() {
			stays = "The " + t.edit.name() + " goes back to the site's version."
		}
		q = brokenQuestion(what, stays)
	}
	return t.edit.ask(q, "discard", func() tea.Cmd { return t.discard(of, nil) })
}

// discardQuestion asks before something is removed from this machine.
func discardQuestion() widget.Question {
	return widget.Question{ID: "services.discard", Yes: "discard it", No: "keep it",
		Consequence: "It is removed from this machine. The site is not changed."}
}

// changesQuestion asks before all changes to something are discarded.
func changesQuestion(what string) widget.Question {
	q := discardQuestion()
	q.Text, q.Yes, q.No = "Discard all your changes to the "+what+"?", "discard them", "keep them"
	q.Consequence = "The draft on this machine is removed. The site is not changed."
	return q
}

// brokenQuestion asks before a broken text alone is discarded.
func brokenQuestion(what, stays string) widget.Question {
	q := discardQuestion()
	q.Text, q.Yes = "Discard the broken text of the "+what+"?", "discard the text"
	q.Consequence = "Only this text is discarded. " + stays + " The site is not changed."
	return q
}

// discard discards the changes, or a broken text alone, nil where it is not about one. open is what is
// shown then; nil where it is to be prepared.
func (t *Tab) discard(of *broken, open *opening) tea.Cmd {
	e := t.edit
	switch {
	case e.left || e.outside || of != nil && e.broken != of:
		return nil
	case of != nil && e.differsInWidget(): // they become the draft once more
		e.broken = nil
		return tea.Batch(t.opened(), e.saveText(e.widget.Document().Text()),
			views.Tell(views.Info, "The broken text is discarded. Your earlier changes are back."))
	case open == nil || open.base != e.now:
		now, widget := e.now, e.widget
		return e.run.do("discard", func() func() tea.Cmd {
			open := prepared(widget, now, now)
			return func() tea.Cmd { return t.discard(of, &open) }
		})
	}
	t.page.offer, e.broken = nil, nil
	t.host.StopComparing()
	e.typing.forget()
	return tea.Batch(e.open(*open), e.drafts.Save(e.target, nil), t.page.refresh(false),
		views.Tell(views.Info, "Discarded. The last fetched state is shown; f5 refreshes."))
}

// compare shows how the edit, or the draft, differs from what the site has.
func (t *Tab) compare() tea.Cmd {
	e := t.edit
	edited, typed, title := e.now, e.typed(), "your changes"
	switch o := t.page.offer; {
	case o != nil:
		edited, typed, title = o.edited, o.saved.Typed, o.name()+" against the present"
	case e.unfit == nil:
		edited = e.widget.Document()
	}
	text := "" // that was typed, and is in no document
	if typed != nil {
		text = strings.TrimSpace(plain.ClipMiddle(plain.Line(typed.Text), 32, t.inks.Glyphs.Ellipsis) + " typed, not applied")
		title += "; " + text
	}
	now, part := e.now, t.Target.Part
	return e.run.do("compare", func() func() tea.Cmd {
		differences := part.Comparison(now, edited)
		return func() tea.Cmd {
			switch {
			case e.left:
				return nil
			case text != "" && len(differences.Changes) == 0:
				return views.Tell(views.Info, "No differences; "+text+".")
			}
			return t.host.Compare(title, differences)
		}
	})
}

// review starts the review of an edited document.
func (t *Tab) review(edited *document.Document) tea.Cmd {
	return t.host.Review(editing.Edit{Target: t.Target, Base: t.edit.widget.Base(), Edited: edited,
		Why: "an edit", Unread: t.edit.unread}, t.edit.now)
}

// GoTo puts the cursor on the value at a path, or on what it would be in.
func (t *Tab) GoTo(at document.Path) tea.Cmd {
	if !t.Editing() {
		return nil
	}
	return t.edit.widget.GoTo(at)
}

// Back goes one step out inside, and reports whether there was one.
func (t *Tab) Back() bool { return t.page.closePreview() || t.Editing() && t.edit.widget.Back() }

// Close says where the changes are when the service is left, and ends its requests.
func (t *Tab) Close() tea.Cmd {
	t.source.leave()
	told := t.edit.leave()
	if t.page.shown() {
		return nil // it is offered again
	}
	return told
}

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
