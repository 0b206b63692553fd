package editor

import (
	"context"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// askDiscard asks before changes are discarded: a broken text alone, where there is one.
// Only what the question was about is discarded, whatever arrives meanwhile.
func (t *Tab) askDiscard() tea.Cmd {
	what := plain.Line(t.Target.String())
	q := widget.Question{ID: "services.discard", Text: "Discard all your changes to the " + what + "?",
		Consequence: "The draft on this machine is removed. The site is not changed.", Yes: "discard them", No: "keep them"}
	var confirmed tea.Msg = discarded{to: to{t}, broken: t.broken}
	switch o := t.offer; {
	case o == nil && t.broken != nil:
		stays := "The " + t.name() + " goes back to the site's version."
		if t.differsInWidget() {
			stays = "Your earlier changes stay."
		}
		q.Text, q.Yes, q.No = "Discard the broken text of the "+what+"?", "discard the text", "keep it"
		q.Consequence = "Only this text is discarded. " + stays + " The site is not changed."
	case o == nil:
	case o.unreadable():
		q.Text, q.Yes, q.No = "Set the damaged draft of the "+what+" aside?", "set it aside", "leave it"
		q.Consequence = "Its file is renamed to end in .damaged and no longer listed."
		confirmed = offerDiscarded{to: to{t}, offer: o}
	case o.holdsChanges() && !o.openElsewhere():
		q.Text, q.Yes, q.No = "Discard the broken text of the "+what+"?", "discard the text", "keep it"
		q.Consequence = "Only this text is discarded. Your earlier changes stay. The site is not changed."
		confirmed = offerDiscarded{to: to{t}, offer: o, textOnly: true}
	case o.openElsewhere():
		q.Text, q.Yes, q.No = "Discard the draft of "+o.from.Program.String()+"?", "discard it", "keep it"
		q.Consequence = "It is removed from this machine. Where it is still open, its text stays on that screen."
		confirmed = offerDiscarded{to: to{t}, offer: o}
	case !o.from.Mine:
		q.Text, q.Yes, q.No = "Discard "+o.name()+" of the "+what+"?", "discard it", "keep it"
		q.Consequence = "It is removed from this machine. The site is not changed."
		confirmed = offerDiscarded{to: to{t}, offer: o}
	}
	q.Then = t.Scope.Do("discard", func(context.Context) tea.Msg { return confirmed })
	return views.Send(views.Open{Dialog: widget.NewConfirm(t.Env.Theme, q)})
}

// discarded says that discarding changes, or a broken text alone, was confirmed.
type discarded struct {
	to
	broken *broken  // nil where it was not about one
	open   *opening // what is shown then; nil where it is to be prepared
}

func (t *Tab) discarded(r discarded) tea.Cmd {
	switch {
	case t.left || t.outside:
		return nil
	case r.broken != nil && t.broken != r.broken:
		return nil
	case r.broken != nil && t.differsInWidget(): // they become the draft once more
		t.broken = nil
		return views.Batch(t.follow(), t.save(t.widget.Document().Text()),
			views.Tell(views.Info, "The broken text is discarded. Your earlier changes are back."))
	case r.open == nil || r.open.base != t.now:
		now, widget := t.now, t.widget
		return t.Scope.Do("discard", func(context.Context) tea.Msg {
			open := prepared(widget, now, now)
			r.open = &open
			return r
		})
	}
	t.offer, t.broken = nil, nil
	t.host.StopComparing()
	return views.Batch(t.begin(*r.open), t.drafts.Save(t.Target, nil), t.refreshOffer(false),
		views.Tell(views.Info, "Discarded. The last fetched state is shown; f5 refreshes."))
}

// offerDiscarded says that discarding a draft of another program was confirmed.
type offerDiscarded struct {
	to
	offer    *offer
	textOnly bool // the broken text in it, not the changes from before that
	done     bool // it is removed, or err says why not
	err      error
}

func (t *Tab) offerDiscarded(r offerDiscarded) tea.Cmd {
	switch {
	case r.textOnly && (t.left || t.offer != r.offer):
		return nil
	case r.textOnly:
		r.offer.unbreak = true
		return t.continueDraft()
	case !r.done:
		discard, from := t.Env.Site.DiscardEdit, r.offer.from
		return t.Scope.Do("discard", func(context.Context) tea.Msg {
			r.done, r.err = true, discard(from)
			return r
		})
	case r.err != nil:
		return views.Batch(t.refreshOffer(true), views.Send(views.Failed("The draft was not discarded: "+r.err.Error(), r.err)))
	}
	marks := t.drafts.Load()
	if t.left || t.offer != r.offer {
		return marks
	}
	t.offer = nil
	t.host.StopComparing()
	return views.Batch(marks, t.refreshOffer(true), views.Tell(views.Info, views.Sentence(r.offer.name()+" is discarded.")))
}

// ReadAgain notes that the site still had then what the tab shows as its version.
func (t *Tab) ReadAgain(now *document.Document, at time.Time) {
	if t.now != nil && at.After(t.fetch.Updated) && t.now.Text() == now.Text() {
		t.fetch.Updated = at
	}
}

// settled is what is left of an edit after it was sent.
type settled struct {
	to
	edit   operation.Edit
	now    *document.Document // at the site
	was    *document.Document // in the widget, when this was worked out
	beside bool               // something else is edited than what was sent
	moved  bool               // and that is in open, on top of what the site has
	open   opening
}

// Settle takes over what the site has after an edit was sent: what the site did not take
// stays an edit, and so does another edit, such as one from before a restore.
func (t *Tab) Settle(edit operation.Edit, now *document.Document) tea.Cmd {
	if t.now == nil {
		return nil // it was not read yet
	}
	r := settled{to: to{t}, edit: edit, now: now, was: t.widget.Document()}
	widget, unfit, base := t.widget, t.unfit, t.widget.Base()
	return t.Scope.Do("settle "+t.Target.String(), func(context.Context) tea.Msg {
		r.beside = unfit == nil && len(document.Diff(r.was, edit.Edited)) > 0
		rest, on := now, now
		switch {
		case r.beside && edit.Base != nil && base.Text() == edit.Base.Text():
			if edited, sent := afterSent(edit, r.was, now); edited != nil {
				r.moved, rest, on = true, edited, sent
			}
		case len(document.Diff(now, edit.Edited)) > 0:
			rest = edit.Edited
			if rebased, conflicts := edit.Rebase(now); len(conflicts) == 0 {
				rest = rebased.Edited // what others have changed is no change of this edit
			}
		}
		r.open = prepared(widget, rest, on)
		return r
	})
}

// afterSent returns a draft on top of an edit that was sent beside it, and that version: what was
// sent is no change of others to it, but what they changed since is. It is nil where the site has
// not all of the edit, or the two conflict: then the draft stays on the version it began with.
func afterSent(sent operation.Edit, draft, now *document.Document) (edited, base *document.Document) {
	all, conflicts := sent.Rebase(now)
	if len(conflicts) > 0 || len(document.Diff(now, all.Edited)) > 0 {
		return nil, nil
	}
	base = now
	if len(document.Diff(now, sent.Edited)) > 0 {
		base = sent.Edited
	}
	sent.Edited = draft
	rebased, conflicts := sent.Rebase(base)
	switch {
	case len(conflicts) > 0:
		return nil, nil
	case len(document.Diff(base, rebased.Edited)) == 0:
		return now, now // nothing is left of the draft
	}
	return rebased.Edited, base
}

func (t *Tab) settled(r settled) tea.Cmd {
	if t.widget.Document() != r.was {
		return t.Settle(r.edit, r.now) // it was edited meanwhile
	}
	t.now = r.now
	t.fetch.Updated = t.Env.Clock.Now()
	if t.Differs() && (r.beside && !r.moved || t.broken != nil) || t.offer != nil {
		return nil
	}
	opened := t.begin(r.open)
	if !t.Differs() {
		return views.Batch(opened, t.drafts.Save(t.Target, nil))
	}
	return views.Batch(opened, t.save(r.open.edited.Text()))
}

// rebased is an edit on top of what the site has, ready to be opened.
type rebased struct {
	to
	open   opening
	edited *document.Document
}

// Rebase opens an edit that was brought on top of what the site has; undo leads back to before.
func (t *Tab) Rebase(edit operation.Edit, before *document.Document) tea.Cmd {
	widget := t.widget
	return t.Scope.Do("rebase "+t.Target.String(), func(context.Context) tea.Msg {
		edited := edit.Edited
		if len(document.Diff(edit.Base, edited)) == 0 {
			edited = edit.Base // only its layout is another one
		}
		return rebased{to{t}, prepared(widget, before, edit.Base), edited}
	})
}

func (t *Tab) rebased(r rebased) tea.Cmd {
	t.now = r.open.base
	opened := t.begin(r.open)
	if r.edited == r.open.edited { // the site has all of it
		return views.Batch(opened, t.saveDraft())
	}
	return views.Batch(opened, t.widget.Replace(r.edited), t.Changed())
}
