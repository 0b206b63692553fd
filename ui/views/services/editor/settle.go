package editor

import (
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
)

// ReadAgain notes what the site had then, beside what is edited: sending that starts a merge.
func (t *Tab) ReadAgain(now *document.Document, at time.Time) {
	e := t.edit
	if e.now == nil || !at.After(t.source.Updated) || !e.begun() && e.now.Text() != now.Text() {
		return // the next fetch shows it
	}
	e.now, t.source.Updated = now, at
}

// Settle takes over what the site has after an edit was sent: what the site did not take
// stays an edit, and so does another edit, such as one from before a restore.
func (t *Tab) Settle(sent editing.Edit, now *document.Document) tea.Cmd {
	e := t.edit
	if e.now == nil {
		return nil // it was not read yet
	}
	widget, unfit, was, base := e.widget, e.unfit, e.widget.Document(), e.widget.Base()
	return e.run.do("settle", func() func() tea.Cmd {
		beside := unfit == nil && len(document.Diff(was, sent.Edited)) > 0 // something else is edited than what was sent
		moved, rest, on := false, now, now
		switch {
		case beside && sent.Base != nil && base.Text() == sent.Base.Text():
			if edited, base := afterSent(sent, was, now); edited != nil {
				moved, rest, on = true, edited, base
			}
		case len(document.Diff(now, sent.Edited)) > 0:
			rest = sent.Edited
			if rebased, conflicts := sent.Rebase(now); len(conflicts) == 0 {
				rest = rebased.Edited // what others have changed is no change of this edit
			}
		}
		open := prepared(widget, rest, on)
		return func() tea.Cmd {
			if e.widget.Document() != was {
				return t.Settle(sent, now) // it was edited meanwhile
			}
			if e.now = now; e.unread == nil {
				t.source.Updated = t.Env.Clock.Now()
			} else {
				e.unread = &editing.Unread{Err: e.unread.Err, File: "what was sent last"}
			}
			if e.differs() && (beside && !moved || e.broken != nil) || t.page.shown() {
				return nil
			}
			opened := e.open(open)
			return tea.Batch(opened, e.save())
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
func (t *Tab) Rebase(rebased editing.Edit, before *document.Document) tea.Cmd {
	e := t.edit
	widget := e.widget
	return e.run.do("rebase", func() func() tea.Cmd {
		edited := rebased.Edited
		if len(document.Diff(rebased.Base, edited)) == 0 {
			edited = rebased.Base // only its layout is another one
		}
		open := prepared(widget, before, rebased.Base)
		return func() tea.Cmd {
			e.now = rebased.Base
			opened := e.open(open)
			if edited == before { // the site has all of it
				return tea.Batch(opened, e.save())
			}
			return tea.Batch(opened, e.widget.Replace(edited), e.changed())
		}
	})
}
