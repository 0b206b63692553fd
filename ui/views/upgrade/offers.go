package upgrade

import (
	"cmp"
	"slices"
	"strings"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// order is how offers stand.
type order int

// The orders, in the order in which they are gone through.
const (
	asChain order = iota
	newestFirst
	usableFirst
	orders
)

func (o order) String() string {
	return [...]string{"as a chain", "newest first", "applicable first"}[o]
}

// offers are the updates that a site offers, as rows.
type offers struct {
	entries []upgrade.Entry
	keys    []rowKey
	chained bool
	inks    *inks
	times   *views.Times
	full    map[string]string // id to version.build
	now     upgrade.Installed
}

func newOffers(m *Model) *offers {
	p := &m.picker
	o := &offers{inks: &m.inks, times: m.env.Times, now: p.offer.Installed, chained: p.order == asChain, full: map[string]string{}}
	o.entries = slices.Clone(p.offer.Chain.Entries)
	switch p.order {
	case newestFirst:
		slices.SortStableFunc(o.entries, func(a, b upgrade.Entry) int { return cmp.Compare(b.Released, a.Released) })
	case usableFirst:
		slices.SortStableFunc(o.entries, func(a, b upgrade.Entry) int { return cmp.Compare(rank(a.State), rank(b.State)) })
	}
	o.keys = keysOf(o.entries, func(e upgrade.Entry) string { return e.ID })
	for _, e := range o.entries {
		if _, known := o.full[e.ID]; !known {
			o.full[e.ID] = plain.Line(e.FullVersion())
		}
	}
	return o
}

// rank orders states by how much they matter to somebody who wants to upgrade.
func rank(s upgrade.State) int {
	return slices.Index([]upgrade.State{
		upgrade.Applicable, upgrade.RequiredFirst, upgrade.NotKnown, upgrade.NotApplicable, upgrade.InPlace, upgrade.Broken,
	}, s)
}

func (o *offers) Len() int           { return len(o.entries) }
func (o *offers) Key(i int) rowKey   { return o.keys[i] }
func (o *offers) Depth(int) int      { return 0 }
func (o *offers) Version(int) uint64 { return uint64(o.times.Mode) }

func (o *offers) Matches(i int, has func(string) bool) bool {
	e := &o.entries[i]
	return has(e.Name) || has(e.ID) || has(e.FullVersion()) || has(kindOf(e.Update.Type, upgrade.IsRelease(e.Update))) ||
		has(e.State.String()) || has(e.Description)
}

// kindOf names what an update is, in one word.
func kindOf(written string, release bool) string {
	switch {
	case release:
		return "release"
	case written == "" || strings.EqualFold(written, "patch"):
		return "patch"
	}
	return plain.Clip(written, 12)
}

// The columns of the list, in cells.
const (
	versionWidth = 19 // deepest indentation, blank, "11.5.0.6835"
	kindWidth    = 7
	stateWidth   = 16 // glyph, blank, "required first"
	mostIndent   = 6
)

// Draw draws a row: what builds on what stands as a stair.
func (o *offers) Draw(i int, look rows.Look) string {
	e, k := &o.entries[i], o.inks
	glyph, ink := k.state(e.State)
	version := k.Fit(o.stair(e)+views.NameOf(e.FullVersion(), e.ID), versionWidth)
	if look.Selected {
		version = k.Selected.On(version)
	}
	kind := k.Muted.On(k.Fit(kindOf(e.Type, upgrade.IsRelease(e.Update)), kindWidth))
	line := version + " " + kind + " " + ink.On(k.Fit(glyph+" "+e.State.String(), stateWidth))
	room := look.Width - versionWidth - kindWidth - stateWidth - 3
	if room < 6 {
		return line
	}
	return line + " " + k.Fit(o.says(e), room)
}

// stair indents an update below the one that it builds on.
func (o *offers) stair(e *upgrade.Entry) string {
	if !o.chained || e.Depth == 0 {
		return ""
	}
	return o.inks.Rule.On(strings.Repeat(" ", min(e.Depth, mostIndent)-1)+o.inks.Glyphs.Branch) + " "
}

// says tells in a few words what is special about an update.
func (o *offers) says(e *upgrade.Entry) string {
	var notes []string
	if e.NewLicensesRequired {
		notes = append(notes, "licence")
	}
	if e.Mandatory {
		notes = append(notes, "required")
	}
	if n := len(e.Brings); n > 0 {
		notes = append(notes, "brings "+plain.Plural(n, "update"))
	}
	name := views.NameOf(e.Name, e.ID)
	if len(notes) == 0 {
		return name
	}
	return o.inks.Muted.On(strings.Join(notes, ", ")+" "+o.inks.Glyphs.Dot+" ") + name
}
