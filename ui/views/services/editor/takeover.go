package editor

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// askTakeOver asks before the edit is taken over: with the text of the other program, or
// with the text on the screen.
func (t *Tab) askTakeOver() tea.Cmd {
	q := widget.Question{ID: "services.take-over", Yes: "take it over", No: "leave it"}
	var from journal.Draft
	if t.offer != nil {
		from = t.offer.from
		q.Consequence = "You continue with its text. The other program keeps its text, and is warned."
	} else {
		from = *t.holder()
		q.Consequence = "You continue with your own text. The other program keeps its text, and is warned."
	}
	q.Text = "Take over the edit of " + from.Program.String() + "?"
	q.Then = t.Scope.Do("take over", func(context.Context) tea.Msg { return takeConfirmed{to{t}, from} })
	return views.Send(views.Open{Dialog: widget.NewConfirm(t.Env.Theme, q)})
}

// takeConfirmed says that taking an edit over was confirmed.
type takeConfirmed struct {
	to
	from journal.Draft
}

func (t *Tab) takeOver(from journal.Draft) tea.Cmd {
	switch {
	case t.left:
		return nil
	case t.offer != nil:
		return t.takeOffer()
	}
	site := t.Env.Site
	return t.Scope.Do("take over", func(context.Context) tea.Msg {
		_, err := site.TakeOverEdit(from)
		return editTaken{to{t}, err}
	})
}

// editTaken is the result of taking an edit over with the text on the screen.
type editTaken struct {
	to
	err error
}

func (t *Tab) editTaken(r editTaken) tea.Cmd {
	s := t.drafts.saver(t.Target)
	held, isHeld := errors.AsType[*journal.DraftHeldError](r.err)
	switch {
	case isHeld:
		return s.heldBy(&held.Draft)
	case r.err != nil && !errors.Is(r.err, journal.ErrNoDraft):
		return notTaken(r.err)
	}
	s.holder = nil
	told := views.Tell(views.Info, "You took over the edit of the "+plain.Line(t.Target.String())+".")
	if s.want == nil { // it was opened from disk, and nothing was changed since
		return told
	}
	return views.Batch(t.drafts.Save(t.Target, s.want), told)
}

func notTaken(err error) tea.Cmd {
	return views.Send(views.Failed("The edit was not taken over: "+err.Error(), err))
}

// takeOffer takes the offered draft over, and opens it.
func (t *Tab) takeOffer() tea.Cmd {
	o, find, now := t.offer, t.finder(), t.now
	if o.taking {
		return nil
	}
	o.taking = true
	from := o.from
	return t.Scope.Do("take over", func(context.Context) tea.Msg {
		kept, err := find.site.TakeOverEdit(from)
		r := offerTaken{to: to{t}, offer: o, err: err}
		if err == nil {
			r.taken = find.offer(now, kept)
		}
		return r
	})
}

// offerTaken is the result of taking over an offered draft.
type offerTaken struct {
	to
	offer, taken *offer
	err          error
}

func (t *Tab) offerTaken(r offerTaken) tea.Cmd {
	r.offer.taking = false
	_, held := errors.AsType[*journal.DraftHeldError](r.err)
	switch {
	case t.left || t.offer != r.offer:
		return t.drafts.Load() // it is this program's draft now, and is offered the next time
	case held || errors.Is(r.err, journal.ErrNoDraft):
		return views.Batch(t.refreshOffer(true), views.Tell(views.Warning, "The draft was not taken over: open elsewhere, sent or discarded."))
	case r.err != nil && r.offer.openElsewhere():
		return notTaken(r.err)
	case r.err != nil: // its text was read nevertheless, and its file stays
		return views.Batch(t.openDraft(r.offer), views.Send(views.Failed("The draft on this machine is unchanged: "+r.err.Error(), r.err)))
	}
	t.drafts.kept[t.Target.String()], r.taken.unbreak = r.taken.from, r.offer.unbreak
	return t.openDraft(r.taken)
}

// FindHolder reads which program has the edit, when the tab is shown once more.
func (t *Tab) FindHolder() tea.Cmd {
	switch {
	case t.now == nil || t.Env.Site.Journal == nil:
		return nil
	case t.offer != nil && t.offer.openElsewhere():
		return t.refreshOffer(true)
	case t.offer == nil && !t.begun(): // another program may have begun meanwhile
		return t.findDraft((*offer).openElsewhere)
	case t.offer != nil || !t.Differs():
		return nil
	}
	site, target := t.Env.Site, t.Target
	return t.Scope.Do("holder "+target.String(), func(context.Context) tea.Msg {
		holder, err := site.EditDraftHolder(target)
		return holderRead{to{t}, holder, err}
	})
}

// holderRead is which other program has an edit.
type holderRead struct {
	to
	holder *journal.Draft
	err    error
}

func (t *Tab) holderRead(r holderRead) tea.Cmd {
	if r.err != nil {
		return nil // the next save says so
	}
	return t.drafts.saver(t.Target).heldBy(r.holder)
}
