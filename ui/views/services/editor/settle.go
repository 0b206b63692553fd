package editor

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
)

// askDiscard asks before changes are discarded: a broken text alone, where there is one.
// Only what the question was about is discarded, whatever arrives meanwhile.
func (t *Tab) askDiscard() tea.Cmd {
	what, o, broken := plain.Line(t.Target.String()), t.offer, t.broken
	q := widget.Question{ID: "services.discard", Yes: "discard it", No: "keep it",
		Consequence: "It is removed from this machine. The site is not changed."}
	confirmed := func() tea.Cmd { return t.discardOffer(o) }
	switch {
	case o == nil && broken != nil, o != nil && o.holdsChanges() && !o.openElsewhere():
		stays := "Your earlier changes stay."
		confirmed = func() tea.Cmd { return t.unbreak(o) }
		if o == nil {
			confirmed = func() tea.Cmd { return t.discard(broken, nil) }
			if !t.differsInWidget() {
				stays = "The " + t.name() + " goes back to the site's version."
			}
		}
		q.Text, q.Yes = "Discard the broken text of the "+what+"?", "discard the text"
		q.Consequence = "Only this text is discarded. " + stays + " The site is not changed."
	case o != nil && o.unreadable():
		q.Text, q.Yes, q.No = "Set the damaged draft of the "+what+" aside?", "set it aside", "leave it"
		q.Consequence = "Its file is renamed to end in .damaged and no longer listed."
	case o != nil && o.openElsewhere():
		q.Text = "Discard the draft of " + o.from.Program.String() + "?"
		q.Consequence = "It is removed from this machine. Where it is still open, its text stays on that screen."
	case o != nil && !o.from.Mine:
		q.Text = "Discard " + o.name() + " of the " + what + "?"
	default:
		q.Text, q.Yes, q.No = "Discard all your changes to the "+what+"?", "discard them", "keep them"
		q.Consequence = "The draft on this machine is removed. The site is not changed."
		confirmed = func() tea.Cmd { return t.discard(nil, nil) }
	}
	q.Then = t.confirmed("discard", confirmed)
	return views.Send(views.Open{Dialog: widget.NewConfirm(t.Env.Theme, q)})
}

// discard discards the changes, or a broken text alone, nil where it is not about one. open is what is
// shown then; nil where it is to be prepared.
func (t *Tab) discard(of *broken, open *opening) tea.Cmd {
	switch {
	case t.left || t.outside || of != nil && t.broken != of:
		return nil
	case of != nil && t.differsInWidget(): // they become the draft once more
		t.broken = nil
		return tea.Batch(t.follow(), t.save(t.widget.Document().Text()),
			views.Tell(views.Info, "The broken text is discarded. Your earlier changes are back."))
	case open == nil || open.base != t.now:
		now, widget := t.now, t.widget
		return t.work("discard", func() func() tea.Cmd {
			open := prepared(widget, now, now)
			return func() tea.Cmd { return t.discard(of, &open) }
		})
	}
	t.offer, t.broken = nil, nil
	t.host.StopComparing()
	return tea.Batch(t.begin(*open), t.drafts.Save(t.Target, nil), t.refreshOffer(false),
		views.Tell(views.Info, "Discarded. The last fetched state is shown; f5 refreshes."))
}

// unbreak discards the broken text of an offered draft, and opens the changes from before it.
func (t *Tab) unbreak(o *offer) tea.Cmd {
	if t.left || t.offer != o {
		return nil
	}
	o.unbreak = true
	return t.continueDraft()
}

// discardOffer removes an offered draft.
func (t *Tab) discardOffer(o *offer) tea.Cmd {
	discard, from := t.Env.Site.Memory.DiscardEdit, o.from
	return t.work("discard", func() func() tea.Cmd {
		err := discard(from)
		return func() tea.Cmd {
			if err != nil {
				return tea.Batch(t.refreshOffer(true), tellFailed("The draft was not discarded", err))
			}
			marks := t.drafts.Load()
			if t.left || t.offer != o {
				return marks
			}
			t.offer = nil
			t.host.StopComparing()
			return tea.Batch(marks, t.refreshOffer(true), views.Tell(views.Info, views.Sentence(o.name()+" is discarded.")))
		}
	})
}

// ReadAgain notes that the site still had then what the tab shows as its version.
func (t *Tab) ReadAgain(now *document.Document, at time.Time) {
	if t.now != nil && at.After(t.fetch.Updated) && t.now.Text() == now.Text() {
		t.fetch.Updated = at
	}
}

// Settle takes over what the site has after an edit was sent: what the site did not take
// stays an edit, and so does another edit, such as one from before a restore.
func (t *Tab) Settle(edit editing.Edit, now *document.Document) tea.Cmd {
	if t.now == nil {
		return nil // it was not read yet
	}
	widget, unfit, was, base := t.widget, t.unfit, t.widget.Document(), t.widget.Base()
	return t.work("settle", func() func() tea.Cmd {
		beside := unfit == nil && len(document.Diff(was, edit.Edited)) > 0 // something else is edited than what was sent
		moved, rest, on := false, now, now
		switch {
		case beside && edit.Base != nil && base.Text() == edit.Base.Text():
			if edited, sent := afterSent(edit, was, now); edited != nil {
				moved, rest, on = true, edited, sent
			}
		case len(document.Diff(now, edit.Edited)) > 0:
			rest = edit.Edited
			if rebased, conflicts := edit.Rebase(now); len(conflicts) == 0 {
				rest = rebased.Edited // what others have changed is no change of this edit
			}
		}
		open := prepared(widget, rest, on)
		return func() tea.Cmd {
			if t.widget.Document() != was {
				return t.Settle(edit, now) // it was edited meanwhile
			}
			t.now = now
			t.fetch.Updated = t.Env.Clock.Now()
			if t.Differs() && (beside && !moved || t.broken != nil) || t.offer != nil {
				return nil
			}
			opened := t.begin(open)
			if !t.Differs() {
				return tea.Batch(opened, t.drafts.Save(t.Target, nil))
			}
			return tea.Batch(opened, t.save(open.edited.Text()))
		}
	})
}

// afterSent returns a draft on top of an edit that was sent beside it, and that version: what was
// sent is no change of others to it, but what they changed since is. It is nil where the site has
// not all of the edit, or the two conflict: then the draft stays on the version it began with.
func afterSent(sent editing.Edit, draft, now *document.Document) (edited, base *document.Document) {
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

// Rebase opens an edit that was brought on top of what the site has; undo leads back to before.
func (t *Tab) Rebase(edit editing.Edit, before *document.Document) tea.Cmd {
	widget := t.widget
	return t.work("rebase", func() func() tea.Cmd {
		edited := edit.Edited
		if len(document.Diff(edit.Base, edited)) == 0 {
			edited = edit.Base // only its layout is another one
		}
		open := prepared(widget, before, edit.Base)
		return func() tea.Cmd {
			t.now = edit.Base
			opened := t.begin(open)
			if edited == before { // the site has all of it
				return tea.Batch(opened, t.saveDraft())
			}
			return tea.Batch(opened, t.widget.Replace(edited), t.Changed())
		}
	})
}
