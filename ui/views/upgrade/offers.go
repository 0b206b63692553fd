package upgrade

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
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
	entries   []upgrade.Entry
	keys      []rowKey
	chained   bool
	inks      *rows.Inks
	times     *views.Times
	full      map[string]string // id to version.build
	installed upgrade.Installed
}

func newOffers(p *picker) *offers {
	o := &offers{inks: p.inks, times: p.Env.Times, installed: p.lists.offer.Installed, chained: p.order == asChain, full: map[string]string{}}
	o.entries = slices.Clone(p.lists.offer.Chain.Entries)
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

func (o *offers) raw(i int) (string, jsontext.Value) {
	return views.NameOf(o.entries[i].Name, o.entries[i].ID), o.entries[i].Raw
}

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
	maxIndent    = 6
)

// Draw draws a row: what builds on what stands as a stair.
func (o *offers) Draw(i int, look rows.Look) string {
	e, k := &o.entries[i], o.inks
	glyph, ink := k.Mark(stateStatus[e.State])
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
	return line + " " + k.Fit(o.special(e), room)
}

// stair indents an update below the one that it builds on.
func (o *offers) stair(e *upgrade.Entry) string {
	if !o.chained || e.Depth == 0 {
		return ""
	}
	return o.inks.Rule.On(strings.Repeat(" ", min(e.Depth, maxIndent)-1)+o.inks.Glyphs.Branch) + " "
}

// special says in a few words what is special about an update.
func (o *offers) special(e *upgrade.Entry) string {
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

var stateStatus = map[upgrade.State]rows.Status{
	upgrade.Applicable: rows.StatusPassed, upgrade.RequiredFirst: rows.StatusWarning, upgrade.Broken: rows.StatusFailed,
	upgrade.NotApplicable: rows.StatusSkipped, upgrade.InPlace: rows.StatusSkipped,
}

func (o *offers) detail(i int, p *page) {
	e := &o.entries[i]
	p.Text(p.Inks.Strong, views.NameOf(e.Name, e.ID))
	glyph, ink := p.Inks.Mark(stateStatus[e.State])
	p.Signed(glyph, ink, views.Sentence(e.State.String())+" "+e.Reason)
	o.links(e, p)
	p.update(&e.Update)
	p.containers(o.installed.Changes(e.Update), true)
}

// links says what the update builds on, brings along and wants first.
func (o *offers) links(e *upgrade.Entry, p *page) {
	if e.Base != "" || len(e.Brings)+len(e.Requires)+len(e.Skips) > 0 {
		p.Gap()
	}
	if e.Base != "" {
		p.Fact("Builds on", o.named(e.Base))
	}
	p.Fact("Wants first", o.allNamed(e.Requires))
	p.Fact("Brings along", o.allNamed(e.Brings))
	p.Fact("Left out", o.allNamed(e.Skips))
}

// named writes an update by its version, with its id.
func (o *offers) named(id string) string {
	if full := o.full[id]; full != "" {
		return full + " (" + plain.Line(id) + ")"
	}
	return plain.Line(id)
}

// maxNamed bounds how many updates are named in one fact.
const maxNamed = 40

func (o *offers) allNamed(ids []string) string {
	var names []string
	for _, id := range ids[:min(len(ids), maxNamed)] {
		names = append(names, o.named(id))
	}
	if more := len(ids) - maxNamed; more > 0 {
		names = append(names, "and "+strconv.Itoa(more)+" more")
	}
	return strings.Join(names, "\n")
}
