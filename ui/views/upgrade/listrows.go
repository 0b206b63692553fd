package upgrade

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"geodeck/adminapi/sorting"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// order is how offers are sorted.
type order int

// The orders, in the sequence of their key.
const (
	asChain order = iota
	newestFirst
	usableFirst
	orders
)

func (o order) String() string {
	return [...]string{"as a chain", "newest first", "applicable first"}[o]
}

// table is what the lists of the picker have in common, as sources of rows.
type table[T any] struct {
	items []T
	keys  []rowKey
	inks  *rows.Inks
	times *views.Times
}

// rowKey identifies a row; ids may repeat in a broken manifest.
type rowKey struct {
	id  string
	nth int
}

func newTable[T any](p *picker, items []T, id func(T) string) table[T] {
	seen := map[string]int{}
	keys := make([]rowKey, len(items))
	for i, item := range items {
		keys[i] = rowKey{id(item), seen[id(item)]}
		seen[id(item)]++
	}
	return table[T]{items, keys, p.inks, p.Env.Times}
}

func (l *table[T]) Len() int           { return len(l.items) }
func (l *table[T]) Key(i int) rowKey   { return l.keys[i] }
func (l *table[T]) Depth(int) int      { return 0 }
func (l *table[T]) Version(int) uint64 { return uint64(l.times.Mode) }

// offers are the updates that a site offers, as rows.
type offers struct {
	table[upgrade.Entry]
	chained   bool
	full      map[string]string // id to version.build
	installed upgrade.Installed
}

func newOffers(p *picker) *offers {
	entries := slices.Clone(p.lists.offer.Chain.Entries)
	switch p.order {
	case newestFirst:
		sorting.Stable(entries, func(a, b upgrade.Entry) int { return cmp.Compare(b.Released, a.Released) })
	case usableFirst:
		byUse := []upgrade.State{upgrade.Applicable, upgrade.RequiredFirst, upgrade.NotKnown, upgrade.NotApplicable, upgrade.InPlace, upgrade.Broken}
		sorting.Stable(entries, func(a, b upgrade.Entry) int {
			return cmp.Compare(slices.Index(byUse, a.State), slices.Index(byUse, b.State))
		})
	}
	o := &offers{
		table:     newTable(p, entries, func(e upgrade.Entry) string { return e.ID }),
		installed: p.lists.offer.Installed, chained: p.order == asChain, full: map[string]string{},
	}
	for _, e := range entries {
		if _, known := o.full[e.ID]; !known {
			o.full[e.ID] = plain.Line(e.FullVersion())
		}
	}
	return o
}

func (o *offers) raw(i int) (string, jsontext.Value) {
	return views.NameOf(o.items[i].Name, o.items[i].ID), o.items[i].Raw
}

func (o *offers) Matches(i int, has func(string) bool) bool {
	e := &o.items[i]
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

// Draw draws a row, indented below the update that it builds on.
func (o *offers) Draw(i int, look rows.Look) string {
	e, k := &o.items[i], o.inks
	glyph, ink := k.Mark(stateStatus[e.State])
	indent := ""
	if o.chained && e.Depth > 0 {
		indent = k.Rule.On(strings.Repeat(" ", min(e.Depth, maxIndent)-1)+k.Glyphs.Branch) + " "
	}
	version := k.Fit(indent+views.NameOf(e.FullVersion(), e.ID), versionWidth)
	kind := k.Muted.On(k.Fit(kindOf(e.Type, upgrade.IsRelease(e.Update)), kindWidth))
	line := version + " " + kind + " " + ink.On(k.Fit(glyph+" "+e.State.String(), stateWidth))
	room := look.Width - versionWidth - kindWidth - stateWidth - 3
	if room < 6 {
		return line
	}
	return line + " " + k.Fit(o.notes(e), room)
}

// notes returns what is special about an update, and its name.
func (o *offers) notes(e *upgrade.Entry) string {
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
	e := &o.items[i]
	p.Text(p.Inks.Strong, views.NameOf(e.Name, e.ID))
	glyph, ink := p.Inks.Mark(stateStatus[e.State])
	p.Signed(glyph, ink, views.Sentence(e.State.String())+" "+e.Reason)
	if e.Base != "" || len(e.Brings)+len(e.Requires)+len(e.Skips) > 0 {
		p.Gap()
	}
	if e.Base != "" {
		p.Fact("Builds on", o.named(e.Base))
	}
	p.Fact("Wants first", o.allNamed(e.Requires))
	p.Fact("Brings along", o.allNamed(e.Brings))
	p.Fact("Left out", o.allNamed(e.Skips))
	p.update(&e.Update)
	p.containers(o.installed.Changes(e.Update), true)
}

// named returns the version of an update with its id.
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

// installedRows are the updates that are installed, as rows.
type installedRows struct {
	table[adminapi.Update]
	rollbacks rollbacks
}

func (l *installedRows) raw(i int) (string, jsontext.Value) {
	return views.NameOf(l.items[i].Name, l.items[i].ID), l.items[i].Raw
}

func (l *installedRows) Matches(i int, has func(string) bool) bool {
	u := &l.items[i]
	return has(u.Name) || has(u.ID) || has(u.FullVersion()) || has(u.Description)
}

func (l *installedRows) Draw(i int, look rows.Look) string {
	u, k := &l.items[i], l.inks
	const width = versionWidth - 1 // nothing is indented here
	version := k.Fit(views.NameOf(u.FullVersion(), u.ID), width)
	note := ""
	if l.rollbacks.offers(u.ID) {
		note = "can be rolled back"
	}
	line := version + " " + k.Muted.On(k.Fit(kindOf(u.Type, upgrade.IsRelease(*u)), kindWidth)) + " " + k.Muted.On(k.Fit(note, 18))
	return line + " " + k.Fit(views.NameOf(u.Name, u.ID), max(0, look.Width-width-kindWidth-21))
}

func (l *installedRows) detail(i int, p *page) {
	u := &l.items[i]
	p.Text(p.Inks.Strong, views.NameOf(u.Name, u.ID))
	switch {
	case l.rollbacks.offers(u.ID):
		p.Signed(p.Inks.Glyphs.Pass, p.Inks.OK, "The site offers to roll back this patch: b.")
	case l.rollbacks.err != nil:
		p.Signed(p.Inks.Glyphs.Unknown, p.Inks.Unknown, "Whether it can be rolled back is not known: "+l.rollbacks.err.Error())
	case upgrade.IsRelease(*u):
		p.Signed(p.Inks.Glyphs.Skipped, p.Inks.Muted, "A release cannot be rolled back.")
	default:
		p.Signed(p.Inks.Glyphs.Skipped, p.Inks.Muted, "The site does not offer to roll it back.")
	}
	p.update(u)
	p.containers(upgrade.Changes(u.Containers, nil), false)
}

// historyRows are the upgrades of the past, as rows.
type historyRows struct{ table[adminapi.HistoryEntry] }

// Version changes with the format of times, and with ages where they are shown.
func (l *historyRows) Version(int) uint64 {
	if l.times.Mode == views.RelativeTime {
		return uint64(l.times.Now().Unix())<<2 | uint64(l.times.Mode)
	}
	return uint64(l.times.Mode)
}

func (l *historyRows) raw(i int) (string, jsontext.Value) {
	return views.NameOf(l.items[i].Name, l.items[i].ID), l.items[i].Raw
}

func (l *historyRows) Matches(i int, has func(string) bool) bool {
	h := &l.items[i]
	return has(h.Name) || has(h.ID) || has(h.Version) || has(h.Type) || has(h.User) || has(h.Result) || has(h.State)
}

func (l *historyRows) Draw(i int, look rows.Look) string {
	h, k := &l.items[i], l.inks
	when := k.Fit(l.times.Site().Minute(h.Start.Time()), 17)
	line := when + " " + k.Muted.On(k.Fit(plain.Line(h.Type), 8)) + " " + k.Fit(plain.Line(firstOf(h.Result, h.State)), 11)
	return line + " " + k.Fit(views.NameOf(h.Name, firstOf(h.Version, h.ID)), max(0, look.Width-39))
}

// firstOf returns the first text that is not blank.
func firstOf(texts ...string) string {
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			return text
		}
	}
	return ""
}

func (l *historyRows) detail(i int, p *page) {
	h := &l.items[i]
	p.Text(p.Inks.Strong, views.NameOf(h.Name, firstOf(h.Version, h.ID)))
	p.Gap()
	p.Fact("What", h.Type)
	p.Fact("Id", h.ID)
	p.Fact("From", h.PreviousVersion)
	p.Fact("To", h.Version)
	p.Fact("Result", h.Result)
	p.Fact("State", h.State)
	p.Fact("By", h.User)
	p.moment("Started", h.Start)
	p.moment("Ended", h.End)
	if took, ok := adminapi.Span(h.Start, h.End); ok {
		p.Fact("Took", adminapi.FormatElapsed(took))
	}
	if len(h.Unknown) > 0 {
		p.Gap()
		p.Text(p.Inks.Muted, "v shows everything that the site wrote.")
	}
}
