package change

import (
	"context"
	"maps"
	"strings"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi"
	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/batching"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget"
	"geodeck/ui/widget/rows"
)

// side is a version of a place in conflict.
type side uint8

const (
	noSide side = iota
	mine
	theirs
	typed // a value of its own
)

// conflicts are what both changed since the edit began, place by place, and what each
// changed alone. A place gets one of its versions before the two are merged.
type conflicts struct {
	merge  editing.Merge
	inks   *rows.Inks
	list   *rows.List[conflictKey]
	rows   []conflictRow
	width  int
	chosen map[document.Path]side
	values document.Resolutions
	redraw uint64
}

// conflictKey tells rows apart.
type conflictKey struct {
	path document.Path
	kind conflictKind
	side side
	nth  int
}

// conflictKind is what a row shows.
type conflictKind uint8

const (
	headingRow conflictKind = iota
	placeRow                // a place in conflict
	sideRow                 // one of its versions
	loneRow                 // a change of one side alone
	noteRow                 // what the field of a place is
)

type conflictRow struct {
	conflictKey
	depth int
	text  string // clean
}

func newConflicts(inks *rows.Inks, list *rows.List[conflictKey], merge editing.Merge) *conflicts {
	c := &conflicts{merge: merge, inks: inks, list: list, chosen: map[document.Path]side{}, values: document.Resolutions{}}
	c.lay()
	list.GoTop()
	c.next()
	return c
}

// open counts the places that no version was chosen for.
func (c *conflicts) open() int { return len(c.merge.Conflicts) - len(c.chosen) }

// lay makes the rows for the width there is.
func (c *conflicts) lay() {
	c.rows = nil
	heading := func(text string, nth int) {
		c.rows = append(c.rows, conflictRow{conflictKey: conflictKey{kind: headingRow, nth: nth}, text: text})
	}
	if len(c.merge.Conflicts) > 0 {
		heading("Conflict: you and someone else changed this", 0)
	}
	for _, conflict := range c.merge.Conflicts {
		c.addPlace(conflict)
	}
	for nth, of := range []struct {
		changes []document.Change
		heading string
	}{{c.merge.Changes, "Changed at the site"}, {c.merge.Mine, "Changed by you"}} {
		if len(of.changes) > 0 {
			heading(of.heading, nth+1)
		}
		for _, change := range document.Masked(of.changes) {
			n := 0
			for _, text := range c.merge.Words(change, nth == 0) {
				for i, line := range views.Wrap(text, max(8, c.width-6)) {
					if i > 0 {
						line = "  " + line
					}
					c.rows = append(c.rows, conflictRow{conflictKey{change.Path, loneRow, side(nth), n}, 1, line})
					n++
				}
			}
		}
	}
	c.redraw++
	c.list.Set(c)
}

// addPlace adds a place in conflict with its versions.
func (c *conflicts) addPlace(conflict document.Conflict) {
	path := conflict.Path
	words := c.merge.Sides(conflict)
	c.rows = append(c.rows, conflictRow{conflictKey{path: path, kind: placeRow}, 1, words.Place})
	same := sameStart(words.Mine[0], words.Theirs[0])
	same = ansi.StringWidth(words.Mine[0][:same]) - leadIn
	room := max(8, c.width-sideIndent)
	longest := 0
	for _, texts := range [][]string{words.Mine, words.Theirs, words.Base} {
		longest = max(longest, ansi.StringWidth(texts[0]))
	}
	skip := min(same, longest-room+4) // no more than has no room
	versions := []struct {
		side  side
		texts []string
	}{{mine, words.Mine}, {theirs, words.Theirs}, {noSide, words.Base}}
	if c.chosen[path] == typed {
		versions = append(versions, versions[2])
		versions[2].side, versions[2].texts = typed, []string{deleted(conflict.Shown(c.values[path]))}
	}
	for _, version := range versions {
		for n, text := range version.texts {
			if len(version.texts) == 1 && skip > 0 {
				text = ansi.TruncateLeft(text, skip, c.inks.Glyphs.Ellipsis)
			}
			c.rows = append(c.rows, conflictRow{conflictKey{path, sideRow, version.side, n}, 2, text})
		}
	}
	if field, ok := document.FieldOf(path); ok && c.merge.Edit.Part == editing.Definition {
		for n, line := range views.Wrap(field.Text, max(8, c.width-6)) {
			c.rows = append(c.rows, conflictRow{conflictKey{path: path, kind: noteRow, nth: n}, 2, line})
		}
	}
}

func deleted(raw string) string {
	if raw == "" {
		return "(deleted)"
	}
	return plain.Line(raw)
}

// The methods of a source of rows.

func (c *conflicts) Len() int              { return len(c.rows) }
func (c *conflicts) Key(i int) conflictKey { return c.rows[i].conflictKey }
func (c *conflicts) Depth(int) int         { return 0 }
func (c *conflicts) Version(int) uint64    { return c.redraw }

func (c *conflicts) Matches(i int, has func(string) bool) bool { return has(c.rows[i].text) }

// sideIndent are the cells before the value of a version.
const sideIndent = 18

func (c *conflicts) Draw(i int, look rows.Look) string {
	row, k := c.rows[i], c.inks
	row.text = arrows(k, row.text)
	switch row.kind {
	case headingRow:
		return k.Heading.On(row.text)
	case placeRow:
		state := k.Warn.On(k.Glyphs.Unknown + " choose mine or theirs")
		switch c.chosen[row.path] {
		case mine:
			state = k.OK.On(k.Glyphs.Pass + " mine")
		case theirs:
			state = k.OK.On(k.Glyphs.Pass + " theirs")
		case typed:
			state = k.OK.On(k.Glyphs.Pass + " edited")
		}
		room := max(8, look.Width-4-ansi.StringWidth(state))
		return "  " + k.Strong.On(plain.Clip(row.text, room)) + "  " + state
	case sideRow:
		box, name, ink := "( )", [...]string{"base", "mine", "theirs", "edited"}[row.side], k.Plain
		switch {
		case row.side == noSide:
			box, ink = "   ", k.Muted
		case c.chosen[row.path] == row.side:
			box = "(x)"
		}
		if row.nth > 0 {
			box, name = "   ", ""
		}
		return "    " + ink.On(box) + " " + k.Label.On(k.Fit(name, 8)) + ink.On(plain.Clip(row.text, max(8, look.Width-sideIndent)))
	}
	if row.kind == noteRow {
		return "    " + k.Muted.On(plain.Clip(row.text, max(8, look.Width-4)))
	}
	return "  " + k.Plain.On(plain.Clip(row.text, max(8, look.Width-2)))
}

// arrows writes the arrows of words as the terminal can show them.
func arrows(k *rows.Inks, text string) string {
	return strings.ReplaceAll(text, editing.Arrow, k.Glyphs.Arrow)
}

// at is the conflict under the cursor, false for none.
func (c *conflicts) at() (document.Conflict, side, bool) {
	i, ok := c.list.Selected()
	if !ok || c.rows[i].kind != placeRow && c.rows[i].kind != sideRow && c.rows[i].kind != noteRow {
		return document.Conflict{}, noSide, false
	}
	for _, conflict := range c.merge.Conflicts {
		if conflict.Path == c.rows[i].path {
			return conflict, c.rows[i].side, true
		}
	}
	return document.Conflict{}, noSide, false
}

// choose takes the version under the cursor; on the place itself the other one.
func (c *conflicts) choose() {
	conflict, of, _ := c.at()
	if of == noSide || of == typed {
		of = mine
		if c.chosen[conflict.Path] == mine {
			of = theirs
		}
	}
	c.take(conflict, of)
}

func (c *conflicts) take(conflict document.Conflict, of side) {
	c.chosen[conflict.Path], c.values[conflict.Path] = of, conflict.Mine
	if of == theirs {
		c.values[conflict.Path] = conflict.Theirs
	}
	c.lay()
}

// typeValue takes a value of its own for a place.
func (c *conflicts) typeValue(path document.Path, raw string) {
	c.chosen[path], c.values[path] = typed, raw
	c.lay()
}

// next goes to the next place that no version was chosen for.
func (c *conflicts) next() { c.seek(1) }

func (c *conflicts) seek(by int) {
	from, _ := c.list.Selected()
	for n := 1; n <= len(c.rows); n++ {
		row := &c.rows[((from+n*by)%len(c.rows)+len(c.rows))%len(c.rows)]
		if _, done := c.chosen[row.path]; row.kind == placeRow && !done {
			c.list.Select(row.conflictKey)
			return
		}
	}
}

// drifted says what the site has in place of what an edit began with.
type drifted struct {
	run   int
	merge editing.Merge
}

// conflictTyped is a value that was typed for a place in conflict.
type conflictTyped struct {
	run  int
	path document.Path
	raw  string
}

func (drifted) changeMsg()       {}
func (conflictTyped) changeMsg() {}

// StartOn begins a change of a part that the site has another version of by now: the two
// are merged before the review.
func (f *Flow) StartOn(edit editing.Edit, now *document.Document, title string) tea.Cmd {
	f.run++
	f.begin(title, checking)
	f.edits = []batching.PlannedEdit{{Edit: edit}}
	f.lay()
	run := f.run
	return f.Scope.Do("merge", func(context.Context) tea.Msg { return drifted{run, edit.Merging(now)} })
}

func (f *Flow) drifted(r drifted) tea.Cmd {
	if f.step != checking || r.run != f.run {
		return nil
	}
	if len(r.merge.Changes)+len(r.merge.Conflicts) == 0 {
		return f.check(r.merge.Edit)
	}
	f.conflict(r.merge)
	return nil
}

// conflict shows what the site has in place of what the edit began with.
func (f *Flow) conflict(merge editing.Merge) {
	f.step, f.conflicts = conflicting, newConflicts(f.inks, f.places, merge)
	f.lay()
}

// editConflict types a value for the place under the cursor. What has no line of its own
// is edited in its tab, on top of what the site has.
func (f *Flow) editConflict() tea.Cmd {
	conflict, _, _ := f.conflicts.at()
	raw := conflict.Mine
	if value, chosen := f.conflicts.values[conflict.Path]; chosen {
		raw = value
	}
	for _, version := range []string{conflict.Base, conflict.Mine, conflict.Theirs} {
		if document.IsContainer(version) {
			return f.editMerged()
		}
	}
	quoted := strings.HasPrefix(raw, `"`)
	if d, err := document.Parse([]byte(raw)); err == nil && quoted {
		raw = d.Root().Text()
	}
	asJSON := func(text string) string {
		if quoted {
			return document.Quote(text)
		}
		return strings.TrimSpace(text)
	}
	run := f.run
	return views.Send(views.Open{Dialog: widget.NewPrompt(f.Env.Theme, widget.PromptOptions{
		ID: "services.choose-value", Title: "Value of " + plain.Clip(conflict.Path.String(), 60), Action: "choose", Value: raw,
		Check: func(text string) error {
			_, err := document.Parse([]byte(asJSON(text)))
			return err
		},
		Then: func(text string) tea.Cmd {
			return f.Scope.Do("choose", func(context.Context) tea.Msg { return conflictTyped{run, conflict.Path, asJSON(text)} })
		},
	})})
}

func (f *Flow) conflictTyped(r conflictTyped) {
	if f.step == conflicting && r.run == f.run {
		f.conflicts.typeValue(r.path, r.raw)
	}
}

// merged is an edit on top of what the site has now, or the conflicts that are left.
type merged struct {
	run       int
	edit      editing.Edit
	before    *document.Document // that undoing the merge leads back to
	conflicts []document.Conflict
	same      bool // it changes nothing of what the site has
	editing   bool // it goes on in its tab
}

// merge brings the change on top of what the site has now.
func (f *Flow) merge() tea.Cmd {
	if n := f.conflicts.open(); n > 0 {
		f.conflicts.next()
		return views.Tell(views.Info, plain.Plural(n, "conflict")+views.Keys(" to choose: press {key:services.choose} for mine or theirs."))
	}
	return f.mergeWith(f.conflicts.values, false)
}

// editMerged goes on in the tab, with mine where no version was chosen.
func (f *Flow) editMerged() tea.Cmd {
	values := f.conflicts.merge.AllMine()
	maps.Copy(values, f.conflicts.values)
	return f.mergeWith(values, true)
}

func (f *Flow) mergeWith(values document.Resolutions, editing bool) tea.Cmd {
	merge, run := f.conflicts.merge, f.run
	chosen := maps.Clone(values)
	return f.Scope.Do("merge", func(context.Context) tea.Msg {
		edit, left := merge.With(chosen)
		return merged{run, edit, merge.Before(edit), left, len(left) == 0 && len(document.Diff(edit.Base, edit.Edited)) == 0, editing}
	})
}

func (f *Flow) merged(r merged) tea.Cmd {
	if f.step != conflicting || r.run != f.run {
		return nil
	}
	defer f.lay()
	if len(r.conflicts) > 0 {
		return views.Tell(views.Warning, "The two versions cannot be merged. Start again from the site's.")
	}
	var kept tea.Cmd
	if f.title != TitleRestore {
		kept = f.host.Rebased(r.edit, r.before)
	}
	merge := f.conflicts.merge
	all := merge // that others changed since the edit began
	if f.wasMerged(merge.Edit) {
		all.Edit.Base = f.others.Edit.Base
	}
	if f.title != TitleRestore {
		f.others = all
	}
	switch {
	case r.same:
		text := merge.Unsent()
		if kept != nil && len(merge.Conflicts) > 0 {
			text += views.Keys(" {key:jsonedit.undo} undoes.")
		}
		return tea.Batch(kept, f.close(), views.Tell(views.Info, text))
	case r.editing:
		return tea.Batch(kept, f.close(), views.Tell(views.Info, views.Keys("Merged; your version won each conflict. Edit, then press {key:services.send}.")))
	}
	f.step, f.rebased, f.results = checking, true, nil
	f.kept, f.overwritten = all.Others(r.edit.Edited)
	return tea.Batch(kept, f.check(r.edit))
}

// wasMerged reports whether an edit is based on what the site had at the last merge.
func (f *Flow) wasMerged(edit editing.Edit) bool {
	theirs := f.others.Theirs
	return theirs != nil && f.others.Edit.Same(edit.Target) && theirs.Text() == edit.Base.Text()
}

// conflictPreface says above the places what has happened.
func (d *pages) conflictPreface() []string {
	p, k := d.page(), d.inks
	what := plain.Line(d.conflicts.merge.Edit.Target.String())
	p.Signed(k.Glyphs.Warn, k.Warn, "The "+what+" was changed at the site meanwhile; nothing was sent")
	switch n := d.conflicts.open(); {
	case n > 0:
		p.Text(k.Plain, plain.Plural(n, "conflict")+views.Keys(" to choose: press {key:services.choose} for mine or theirs; {key:services.merge} goes to the next."))
	default:
		p.Text(k.Plain, views.Keys("Press {key:services.merge} to merge with the site's version; you review it before it is sent."))
	}
	if m := d.conflicts.merge; d.conflicts.open() > 0 {
		for _, side := range []struct {
			name  string
			moves []editing.Move
		}{{"mine", m.MyMoves}, {"theirs", m.TheirMoves}} {
			for _, move := range side.moves[:min(len(side.moves), maxMoves)] {
				if move.To.Total > 0 {
					p.Line("  " + k.Fit(side.name, 8) + plain.Clip(adminapi.DeploymentName(move.After.DeploymentType, move.After.DeploymentID)+": "+nodesMove(move, k.Glyphs.Arrow), max(8, p.Width-12)))
				}
			}
		}
	}
	p.Gap()
	return p.Lines
}
