package services

import (
	"context"
	"errors"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// writeDrift says what has changed at the site, and what is in the way of a merge.
func (m *Model) writeDrift(p *rows.Page, r operation.AppliedEdit) {
	k := &m.inks
	p.Signed(k.Glyphs.Warn, k.Warn, "The "+plain.Line(r.Target.String())+" was changed at the site meanwhile; nothing was sent")
	m.writeConflicts(p)
	if e, ok := errors.AsType[*operation.DriftError](r.Err); ok {
		p.Heading("What was changed there")
		m.writeChanges(p, e.Changes)
	}
}

// writeConflicts says what is in the way of a merge, and the way around it.
func (m *Model) writeConflicts(p *rows.Page) {
	k := &m.inks
	if len(m.way.conflict) == 0 {
		return
	}
	p.Heading("Both have changed the same place")
	for _, c := range m.way.conflict[:min(len(m.way.conflict), mostChanges)] {
		p.Line("  " + k.Strong.On(plain.Clip(c.Path.String(), p.Width-4)))
		m.writeSide(p, "before ", c.Base)
		m.writeSide(p, "yours  ", c.Mine)
		m.writeSide(p, "theirs ", c.Theirs)
	}
	p.Gap()
	p.Text(k.Plain, "Nothing is overwritten. Go back, give these places in your change the value that the site has now, and write again: then the two go together. "+
		"What you want instead is a change of its own after that.")
}

func (m *Model) writeSide(p *rows.Page, name, raw string) {
	if raw == "" {
		raw = "(not there)"
	}
	p.Line("    " + m.inks.Label.On(name) + plain.Clip(raw, max(8, p.Width-13)))
}

// merged is an edit that was brought onto what the site has now.
type merged struct {
	edit      operation.Edit
	conflicts []document.Conflict
}

// merge brings the change onto what the site has now.
func (m *Model) merge() tea.Cmd {
	r := m.way.last()
	drift, ok := errors.AsType[*operation.DriftError](r.Err)
	if !ok || m.way.many {
		return nil
	}
	edit, theirs := m.way.editOf(r.Target), drift.Theirs
	return m.scope.Do("merge", func(context.Context) tea.Msg {
		edit, conflicts := edit.Rebase(theirs)
		return merged{edit, conflicts}
	})
}

func (r merged) apply(m *Model) tea.Cmd {
	w := m.way
	if w == nil || w.step != ended {
		return nil
	}
	if len(r.conflicts) > 0 {
		w.conflict = r.conflicts
		m.place()
		return views.Tell(views.Warning, views.Plural(len(r.conflicts), "place")+" changed on both sides: nothing was merged.")
	}
	var kept tea.Cmd
	if e := m.editedOf(r.edit.Target); e != nil && w.title != titleRestore {
		e.now = r.edit.Base
		kept = tea.Batch(e.begin(r.edit.Edited, r.edit.Base), e.keep(r.edit.Edited.Text()))
	}
	w.step, w.merged, w.results = checking, true, nil
	return tea.Batch(kept, m.plan(r.edit))
}
