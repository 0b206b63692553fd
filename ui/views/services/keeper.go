package services

import (
	"context"

	tea "github.com/charmbracelet/bubbletea"

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

// draftKept is what became of writing a draft.
type draftKept struct {
	target string
	err    error
}

// keep has a draft written, or removed where it is nil.
func (m *Model) keep(target operation.Target, draft *operation.EditDraft) tea.Cmd {
	name := target.String()
	k := m.keepers[name]
	if k == nil {
		k = &keeper{target: target}
		m.keepers[name] = k
	}
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
		if draft == nil {
			return draftKept{target.String(), site.DropEditDraft(target)}
		}
		return draftKept{target.String(), site.SaveEditDraft(target, *draft)}
	})
}

func (r draftKept) apply(m *Model) tea.Cmd {
	k := m.keepers[r.target]
	before := k.err
	k.writing, k.err = false, r.err
	if r.err == nil {
		m.noteDraft(k)
	}
	if k.waits {
		return m.write(k)
	}
	if r.err != nil && before == nil {
		return views.Send(views.Notice{Level: views.Failure, Err: r.err,
			Text: "The changes of the " + plain.Line(r.target) + " are not kept on this machine: " + r.err.Error()})
	}
	return nil
}

// noteDraft shows in the list whether the service has an edit that goes on.
func (m *Model) noteDraft(k *keeper) {
	delete(m.catalog.drafts, k.target.String())
	if k.want != nil {
		m.catalog.drafts[k.target.String()] = m.env.Clock.Now()
	}
	m.catalog.list.Redraw()
}
