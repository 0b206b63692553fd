package change

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

// writeConflicts says what is in the way of a merge, and what to do about it.
func (f *Flow) writeConflicts(p *rows.Page) {
	k := f.inks
	if len(f.conflict) == 0 {
		return
	}
	p.Heading("Both have changed the same place")
	for _, c := range f.conflict[:min(len(f.conflict), maxChanges)] {
		p.Line("  " + k.Strong.On(plain.Clip(c.Path.String(), p.Width-4)))
		from := sameStart(c.Base, c.Mine, c.Theirs)
		f.writeSide(p, "before ", c.Base, from)
		f.writeSide(p, "yours  ", c.Mine, from)
		f.writeSide(p, "theirs ", c.Theirs, from)
	}
	p.Gap()
	p.Text(k.Plain, "Nothing is overwritten. Go back, give these places in your change the value that the site has now, and write again: then the two go together. "+
		"What you want instead is a change of its own after that.")
}

// leadIn is how much of what two values have in common is shown before they differ.
const leadIn = 24

// writeSide shows a value. One that is too long is shown from shortly before the place,
// in bytes, where it differs from the others.
func (f *Flow) writeSide(p *rows.Page, name, raw string, from int) {
	room := max(8, p.Width-13)
	raw = plain.Line(raw)
	switch from -= leadIn; {
	case raw == "":
		raw = "(not there)"
	case from > 0 && ansi.StringWidth(raw) > room:
		raw = f.inks.Glyphs.Ellipsis + strings.ToValidUTF8(raw[from:], "")
	}
	p.Line("    " + f.inks.Label.On(name) + plain.Clip(raw, room))
}

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
func (f *Flow) merge() tea.Cmd {
	drift, ok := errors.AsType[*operation.DriftError](f.last().Err)
	if !ok {
		return nil
	}
	edit, theirs := editOf(f.edits, f.last().Target), drift.Theirs
	return f.Scope.Do("merge", func(context.Context) tea.Msg {
		edit, conflicts := edit.Rebase(theirs)
		return merged{edit, conflicts}
	})
}

func (f *Flow) merged(r merged) tea.Cmd {
	if f.step != ended {
		return nil
	}
	defer f.lay()
	if len(r.conflicts) > 0 {
		f.conflict = r.conflicts
		return views.Tell(views.Warning, plain.Plural(len(r.conflicts), "place")+" changed on both sides: nothing was merged.")
	}
	var kept tea.Cmd
	if f.title != TitleRestore {
		kept = f.host.Rebased(r.edit)
	}
	f.step, f.rebased, f.results = checking, true, nil
	return tea.Batch(kept, f.check(r.edit))
}
