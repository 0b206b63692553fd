package editor

import (
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
	q.Then = t.confirmed("take over", func() tea.Cmd { return t.takeOver(from) })
	return views.Send(views.Open{Dialog: widget.NewConfirm(t.Env.Theme, q)})
}

func (t *Tab) takeOver(from journal.Draft) tea.Cmd {
	switch {
	case t.left:
		return nil
	case t.offer != nil:
		return t.takeOffer()
	}
	site := t.Env.Site
	return t.work("take over", func() func() tea.Cmd {
		_, err := site.Memory.TakeOverEdit(from)
		return func() tea.Cmd { return t.editTaken(err) }
	})
}

// editTaken goes on with the text on the screen, unless err says why the edit was not taken over.
func (t *Tab) editTaken(err error) tea.Cmd {
	s := t.saver
	held, isHeld := errors.AsType[*journal.DraftHeldError](err)
	switch {
	case isHeld:
		return s.heldBy(&held.Draft)
	case err != nil && !errors.Is(err, journal.ErrNoDraft):
		return tellFailed("The edit was not taken over", err)
	}
	s.holder = nil
	told := views.Tell(views.Info, "You took over the edit of the "+plain.Line(t.Target.String())+".")
	if s.want == nil { // it was opened from disk, and nothing was changed since
		return told
	}
	return tea.Batch(t.drafts.Save(t.Target, s.want), told)
}

// takeOffer takes the offered draft over, and opens it.
func (t *Tab) takeOffer() tea.Cmd {
	o, find, now := t.offer, t.finder(), t.now
	if o.taking {
		return nil
	}
	o.taking = true
	from := o.from
	return t.work("take over", func() func() tea.Cmd {
		kept, err := find.site.Memory.TakeOverEdit(from)
		if err != nil {
			return func() tea.Cmd { return t.offerTaken(o, nil, err) }
		}
		taken := find.offer(now, kept)
		return func() tea.Cmd { return t.offerTaken(o, taken, nil) }
	})
}

// offerTaken opens an offered draft as it was taken over, unless err says why it was not.
func (t *Tab) offerTaken(offered, taken *offer, err error) tea.Cmd {
	offered.taking = false
	_, held := errors.AsType[*journal.DraftHeldError](err)
	switch {
	case t.left || t.offer != offered:
		return t.drafts.Load() // it is this program's draft now, and is offered the next time
	case held || errors.Is(err, journal.ErrNoDraft):
		return tea.Batch(t.refreshOffer(true), views.Tell(views.Warning, "The draft was not taken over: open elsewhere, sent or discarded."))
	case err != nil && offered.openElsewhere():
		return tellFailed("The edit was not taken over", err)
	case err != nil: // its text was read nevertheless, and its file stays
		return tea.Batch(t.openDraft(offered), tellFailed("The draft on this machine is unchanged", err))
	}
	t.drafts.kept[t.Target.String()], taken.unbreak = taken.from, offered.unbreak
	return t.openDraft(taken)
}

// FindHolder reads which program has the edit, when the tab is shown once more.
func (t *Tab) FindHolder() tea.Cmd {
	switch {
	case t.now == nil || t.Env.Site.Memory.Journal == nil:
		return nil
	case t.offer != nil && t.offer.openElsewhere():
		return t.refreshOffer(true)
	case t.offer == nil && !t.begun(): // another program may have begun meanwhile
		return t.findDraft((*offer).openElsewhere)
	case t.offer != nil || !t.Differs():
		return nil
	}
	site, target := t.Env.Site, t.Target
	return t.work("holder", func() func() tea.Cmd {
		holder, err := site.Memory.EditDraftHolder(target)
		return func() tea.Cmd {
			if err != nil {
				return nil // the next save says so
			}
			return t.saver.heldBy(holder)
		}
	})
}
