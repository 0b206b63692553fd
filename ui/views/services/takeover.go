package services

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

var cmdTakeOver = views.Command{ID: "services.take-over", Binding: views.Key("take over", "T"), Name: "take over edit", Help: "Go on with an edit that another program has open; both texts stay. Asks first.", Group: serviceGroup}

// holder is the draft of another program that has the edit which goes on here; nil for
// none.
func (e *edited) holder() *journal.Draft {
	if k := e.m.keepers[e.target.String()]; k != nil && e.changed() && e.offer == nil {
		return k.holder
	}
	return nil
}

// askTakeOver asks before the edit is taken over: with the text of the other program,
// or with the one that is on the screen.
func (e *edited) askTakeOver() tea.Cmd {
	q := views.Question{ID: "services.take-over", Yes: "take it over", No: "leave it"}
	var from journal.Draft
	switch held := e.holder(); {
	case e.offer != nil && e.offer.elsewhere() && !e.offer.unread():
		from = e.offer.from
		q.Consequence = "You go on with its text. The other program is told when it saves or sends; its text stays."
	case held != nil:
		from = *held
		q.Consequence = "You go on with your own text. The other program is told when it saves or sends; its text stays."
	default:
		return nil
	}
	q.Text = "Take over the edit of " + from.Program.String() + "?"
	q.Then = e.m.scope.Do("take over", func(context.Context) tea.Msg { return takeConfirmed{e, from} })
	return views.Send(views.Open{Dialog: views.NewConfirm(e.m.env.Theme, q)})
}

// takeConfirmed says that an edit is to be taken over.
type takeConfirmed struct {
	of   *edited
	from journal.Draft
}

func (r takeConfirmed) apply(*Model) tea.Cmd {
	e := r.of
	switch {
	case !e.isOpen():
		return nil
	case e.offer != nil:
		return e.takeOffer()
	}
	site := e.m.env.Site
	return e.m.scope.Do("take over", func(context.Context) tea.Msg {
		_, err := site.TakeEdit(r.from)
		return tookBack{e, err}
	})
}

// tookBack is what became of taking an edit over with the text on the screen.
type tookBack struct {
	of  *edited
	err error
}

func (r tookBack) apply(m *Model) tea.Cmd {
	e, k := r.of, m.keeperOf(r.of.target)
	held, isHeld := errors.AsType[*journal.HeldError](r.err)
	switch {
	case isHeld:
		return k.heldBy(m, &held.Draft)
	case r.err != nil && !errors.Is(r.err, journal.ErrNoDraft):
		return notTaken(r.err)
	}
	k.holder = nil
	said := views.Tell(views.Info, "You have the edit of the "+plain.Line(e.target.String())+".")
	if k.want == nil { // it was taken up as it was kept, and nothing was changed since
		return said
	}
	return tea.Batch(m.keep(e.target, k.want), said)
}

func notTaken(err error) tea.Cmd {
	return views.Send(views.Notice{Level: views.Failure, Text: "The edit was not taken over: " + err.Error(), Err: err})
}

// takeOffer makes the draft that is offered this program's, and goes on with it.
func (e *edited) takeOffer() tea.Cmd {
	o, site, target, now := e.offer, e.m.env.Site, e.target, e.now
	if o.taking {
		return nil
	}
	o.taking = true
	return e.m.scope.Do("take over", func(context.Context) tea.Msg {
		kept, err := site.TakeEdit(o.from)
		r := offerTaken{of: e, offer: o, err: err}
		if err == nil {
			r.taken = newOffer(target, now, kept)
		}
		return r
	})
}

// offerTaken is what became of taking up a draft of another program.
type offerTaken struct {
	of           *edited
	offer, taken *offer
	err          error
}

func (r offerTaken) apply(m *Model) tea.Cmd {
	e := r.of
	r.offer.taking = false
	_, held := errors.AsType[*journal.HeldError](r.err)
	switch {
	case !e.isOpen() || e.offer != r.offer:
		return m.readDrafts() // it is kept as this program's, and offered again
	case held || errors.Is(r.err, journal.ErrNoDraft):
		return tea.Batch(e.findAgain(true), views.Tell(views.Warning, "The draft was not taken up: it is open elsewhere by now, was sent or discarded."))
	case r.err != nil && r.offer.elsewhere():
		return notTaken(r.err)
	case r.err != nil: // its text is here all the same, and its file stays
		return tea.Batch(e.goOnWith(r.offer), views.Send(views.Notice{Level: views.Failure, Err: r.err,
			Text: "The draft stays as it was on this machine: " + r.err.Error()}))
	}
	m.catalog.drafts[e.target.String()] = r.taken.from
	return e.goOnWith(r.taken)
}

// draftFound is the draft that is there to be decided about by now, nil for none.
type draftFound struct {
	of    *edited
	offer *offer
}

// findAgain looks for drafts again, with this program's own or without.
func (e *edited) findAgain(own bool) tea.Cmd {
	return e.find(func(o *offer) bool { return own || !o.from.Mine })
}

// find looks for a draft that is wanted.
func (e *edited) find(wanted func(*offer) bool) tea.Cmd {
	site, target, now := e.m.env.Site, e.target, e.now
	return e.m.scope.Do("find "+target.String(), func(context.Context) tea.Msg {
		o := findDraft(site, target, now, nil)
		if o != nil && !wanted(o) {
			o = nil
		}
		return draftFound{e, o}
	})
}

func (r draftFound) apply(*Model) tea.Cmd {
	e := r.of
	switch {
	case !e.isOpen() || e.begun():
		return nil
	case e.offer != nil && e.offer.elsewhere() && r.offer == nil:
		e.offer = nil // it may be at the site by now
		return e.ask()
	case e.offer != nil && e.offer.look != nil && r.offer != nil && r.offer.elsewhere():
		e.offer = r.offer // somebody is reading it
		return e.lookAt()
	}
	e.offer = r.offer
	return nil
}

// begun tells whether an edit has begun here, if only to be typed.
func (e *edited) begun() bool { return e.changed() || e.away || e.editable() && e.capturesText() }

// comeBack finds out, when a part of a service is in front again, who has its edit.
func (e *edited) comeBack() tea.Cmd {
	switch {
	case e.now == nil || e.m.env.Site.Journal == nil:
		return nil
	case e.offer != nil && e.offer.elsewhere():
		return e.findAgain(true)
	case e.offer == nil && !e.begun(): // somebody else may have begun meanwhile
		return e.find((*offer).elsewhere)
	case e.offer != nil || !e.changed():
		return nil
	}
	site, target := e.m.env.Site, e.target
	return e.m.scope.Do("holder "+target.String(), func(context.Context) tea.Msg {
		holder, err := site.EditHolder(target)
		return holderRead{target, holder, err}
	})
}

// holderRead is who else has an edit.
type holderRead struct {
	target operation.Target
	holder *journal.Draft
	err    error
}

func (r holderRead) apply(m *Model) tea.Cmd {
	if r.err != nil {
		return nil // the next change that is kept tells
	}
	return m.keeperOf(r.target).heldBy(m, r.holder)
}

// heldBy notes who else has the edit, and says so where that is news.
func (k *keeper) heldBy(m *Model, holder *journal.Draft) tea.Cmd {
	was := k.holder
	k.holder = holder
	if holder == nil || was != nil && was.Program == holder.Program {
		return nil
	}
	who, what := holder.Program.String(), plain.Line(k.target.String())
	text := who + " edits the " + what + " too. Yours is kept beside it; T takes it over."
	switch {
	case k.first:
		text = who + " has taken over the edit of the " + what + ". Yours is kept beside it; T takes it back."
	case holder.Life == journal.MayLive:
		text = who + " may still edit the " + what + ". Yours is kept beside it; T takes it over."
	}
	return views.Tell(views.Warning, text)
}
