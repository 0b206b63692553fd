package conflict

import (
	"slices"

	"github.com/charmbracelet/x/ansi"

	"geodeck/adminapi/document"
	"geodeck/adminapi/operation/editing"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/views/services/plan"
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

// places are what both changed since the edit began, place by place, and what each
// changed alone. A place gets one of its versions before the two are merged.
type places struct {
	rows.Flat
	merge  editing.Merge
	inks   *rows.Inks
	list   *rows.List[placeKey]
	rows   []placeLine
	width  int
	chosen map[document.Path]side
	values document.Resolutions
	redraw uint64
}

// placeKey tells rows apart.
type placeKey struct {
	path document.Path
	kind rowKind
	side side
	nth  int
}

// rowKind is what a row shows.
type rowKind uint8

const (
	headingRow rowKind = iota
	placeRow           // a place in conflict
	sideRow            // one of its versions
	loneRow            // a change of one side alone
	noteRow            // what the field of a place is
)

type placeLine struct {
	placeKey
	depth int
	text  string // clean
}

func newPlaces(inks *rows.Inks, list *rows.List[placeKey], merge editing.Merge) *places {
	c := &places{merge: merge, inks: inks, list: list, chosen: map[document.Path]side{}, values: document.Resolutions{}}
	c.lay()
	c.next()
	return c
}

// choices takes over what was chosen before in conflicts that are the same.
func (c *places) choices(of *places) {
	for _, conflict := range c.merge.Conflicts {
		if side, chosen := of.chosen[conflict.Path]; chosen && slices.Contains(of.merge.Conflicts, conflict) {
			c.chosen[conflict.Path], c.values[conflict.Path] = side, of.values[conflict.Path]
		}
	}
	c.lay()
	c.next()
}

// open counts the places that no version was chosen for.
func (c *places) open() int { return len(c.merge.Conflicts) - len(c.chosen) }

// lay makes the rows for the width there is.
func (c *places) lay() {
	c.rows = nil
	heading := func(text string, nth int) {
		c.rows = append(c.rows, placeLine{placeKey: placeKey{kind: headingRow, nth: nth}, text: text})
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
					c.rows = append(c.rows, placeLine{placeKey{change.Path, loneRow, side(nth), n}, 1, line})
					n++
				}
			}
		}
	}
	c.redraw++
	c.list.Set(c)
}

// addPlace adds a place in conflict with its versions.
func (c *places) addPlace(conflict document.Conflict) {
	path := conflict.Path
	words := c.merge.Sides(conflict)
	c.rows = append(c.rows, placeLine{placeKey{path: path, kind: placeRow}, 1, words.Place})
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
			c.rows = append(c.rows, placeLine{placeKey{path, sideRow, version.side, n}, 2, text})
		}
	}
	if field, ok := document.FieldOf(path); ok && c.merge.Edit.Part == editing.Definition {
		for n, line := range views.Wrap(field.Text, max(8, c.width-6)) {
			c.rows = append(c.rows, placeLine{placeKey{path: path, kind: noteRow, nth: n}, 2, line})
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

func (c *places) Len() int           { return len(c.rows) }
func (c *places) Key(i int) placeKey { return c.rows[i].placeKey }
func (c *places) Version(int) uint64 { return c.redraw }

func (c *places) Matches(i int, has func(string) bool) bool { return has(c.rows[i].text) }

// sideIndent are the cells before the value of a version.
const sideIndent = 18

func (c *places) Draw(i int, look rows.Look) string {
	row, k := c.rows[i], c.inks
	row.text = plan.Arrows(k, row.text)
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

// at is the conflict under the cursor, false for none.
func (c *places) at() (document.Conflict, side, bool) {
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
func (c *places) choose() {
	conflict, of, _ := c.at()
	if of == noSide || of == typed {
		of = mine
		if c.chosen[conflict.Path] == mine {
			of = theirs
		}
	}
	c.take(conflict, of)
}

func (c *places) take(conflict document.Conflict, of side) {
	c.chosen[conflict.Path], c.values[conflict.Path] = of, conflict.Mine
	if of == theirs {
		c.values[conflict.Path] = conflict.Theirs
	}
	c.lay()
}

// typeValue takes a value of its own for a place.
func (c *places) typeValue(path document.Path, raw string) {
	c.chosen[path], c.values[path] = typed, raw
	c.lay()
}

// next goes to the next place that no version was chosen for.
func (c *places) next() { c.seek(1) }

func (c *places) seek(by int) {
	from, _ := c.list.Selected()
	for n := 1; n <= len(c.rows); n++ {
		row := &c.rows[((from+n*by)%len(c.rows)+len(c.rows))%len(c.rows)]
		if _, done := c.chosen[row.path]; row.kind == placeRow && !done {
			c.list.Select(row.placeKey)
			return
		}
	}
}

// leadIn is how much of what two values have in common is shown before they differ.
const leadIn = 24

// sameStart is how many bytes at the beginning of the values are the same, as shown.
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
