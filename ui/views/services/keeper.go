package services

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/journal"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
)

// keeper keeps the edit of one part of a service on disk: one writing at a time, and the
// newest last, whatever is on the screen meanwhile.
type keeper struct {
	target  operation.Target
	want    *operation.EditDraft // nil: there is nothing to keep any more
	waits   bool                 // want is newer than what is being written
	writing bool
	err     error // why the last one is not on disk
	first   bool  // this program had the edit when it was kept last
	// holder is the draft of another program that has the edit; nil where none has.
	holder *journal.Draft
}

func (k *keeper) unkept() bool { return k.waits || k.writing || k.err != nil }

// held is an edit that is not on disk yet, or could not be put there; nil where the
// disk has the newest.
func (m *Model) held(target operation.Target) *operation.EditDraft {
	if k := m.keepers[target.String()]; k != nil && k.unkept() {
		return k.want
	}
	return nil
}

// keeperOf returns the keeper of a part of a service.
func (m *Model) keeperOf(target operation.Target) *keeper {
	k := m.keepers[target.String()]
	if k == nil {
		k = &keeper{target: target}
		m.keepers[target.String()] = k
	}
	return k
}

// draftKept is what became of writing a draft.
type draftKept struct {
	target string
	holder *journal.Draft // of another program that has the edit; nil for none
	left   *journal.Draft // by others, after this program's own was removed; nil for none
	err    error
}

// keep has a draft written, or removed where it is nil.
func (m *Model) keep(target operation.Target, draft *operation.EditDraft) tea.Cmd {
	k := m.keeperOf(target)
	k.want, k.waits = draft, true
	if k.writing {
		return nil
	}
	return m.write(k)
}

func (m *Model) write(k *keeper) tea.Cmd {
	k.waits, k.writing = false, true
	site, target, draft := m.env.Site, k.target, k.want
	return m.scope.Do("draft "+target.String(), func(context.Context) tea.Msg {
		r := draftKept{target: target.String()}
		if draft != nil {
			r.holder, r.err = site.SaveEditDraft(target, *draft)
			return r
		}
		r.err = site.DropEditDraft(target)
		if kept, err := site.KeptEdits(target); err == nil && len(kept) > 0 && !kept[0].Mine {
			r.left = &kept[0].Draft
		}
		return r
	})
}

func (r draftKept) apply(m *Model) tea.Cmd {
	k := m.keepers[r.target]
	before := k.err
	k.writing, k.err = false, r.err
	var said tea.Cmd
	if r.err == nil {
		m.noteDraft(k, r.left)
		said = k.heldBy(m, r.holder)
		k.first = k.want != nil && r.holder == nil
	}
	if k.waits {
		return tea.Batch(m.write(k), said)
	}
	if r.err != nil && before == nil {
		return views.Send(views.Notice{Level: views.Failure, Err: r.err,
			Text: "The changes of the " + plain.Line(r.target) + " are not kept on this machine: " + r.err.Error()})
	}
	return said
}

// noteDraft shows in the list whether the service has an edit that goes on: this
// program's, or one that others have left.
func (m *Model) noteDraft(k *keeper, left *journal.Draft) {
	delete(m.catalog.drafts, k.target.String())
	switch {
	case k.want != nil:
		m.catalog.drafts[k.target.String()] = journal.Draft{Saved: m.env.Clock.Now(), Mine: true}
	case left != nil:
		m.catalog.drafts[k.target.String()] = *left
	}
	m.catalog.list.Redraw()
}
