package services

import (
	"context"
	"errors"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

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
		from := sameStart(c.Base, c.Mine, c.Theirs)
		m.writeSide(p, "before ", c.Base, from)
		m.writeSide(p, "yours  ", c.Mine, from)
		m.writeSide(p, "theirs ", c.Theirs, from)
	}
	p.Gap()
	p.Text(k.Plain, "Nothing is overwritten. Go back, give these places in your change the value that the site has now, and write again: then the two go together. "+
		"What you want instead is a change of its own after that.")
}

// writeSide shows a value. One that is too long is shown from shortly before the place,
// in bytes, where it differs from the others.
func (m *Model) writeSide(p *rows.Page, name, raw string, from int) {
	room := max(8, p.Width-13)
	raw = plain.Line(raw)
	switch from -= leadIn; {
	case raw == "":
		raw = "(not there)"
	case from > 0 && ansi.StringWidth(raw) > room:
		raw = m.inks.Glyphs.Ellipsis + strings.ToValidUTF8(raw[from:], "")
	}
	p.Line("    " + m.inks.Label.On(name) + plain.Clip(raw, room))
}

// leadIn is how much of what two values have in common is shown before they differ.
const leadIn = 24

// sameStart is how many bytes the values begin with alike, as they are shown.
func sameStart(values ...string) (same int) {
	first := ""
	for _, v := range values {
		if v = plain.Line(v); v == "" {
			continue
		}
		if first == "" {
			first, same = v, len(v)
		}
		n := 0
		for n < min(same, len(v)) && v[n] == first[n] {
			n++
		}
		same = n
	}
	return same
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
		return views.Tell(views.Warning, plain.Plural(len(r.conflicts), "place")+" changed on both sides: nothing was merged.")
	}
	var kept tea.Cmd
	if e := m.editedOf(r.edit.Target); e != nil && w.title != titleRestore {
		e.now = r.edit.Base
		kept = tea.Batch(e.begin(r.edit.Edited, r.edit.Base), e.keep(r.edit.Edited.Text()))
	}
	w.step, w.merged, w.results = checking, true, nil
	return tea.Batch(kept, m.plan(r.edit))
}
