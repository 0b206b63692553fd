package upgrade

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/adminapi/upgrade/progress"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// table is what the lists of the picker have in common, as sources of rows.
type table[T any] struct {
	rows.Flat
	items []T
	of    func(T) listed
	keys  []rowKey
	inks  *rows.Inks
	times *views.Times
}

// rowKey identifies a row; ids may repeat in a broken manifest.
type rowKey struct {
	id  string
	nth int
}

// listed is what the lists of the picker have of each item.
type listed struct {
	id, name string
	raw      jsontext.Value
}

func newTable[T any](p *picker, items []T, of func(T) listed) table[T] {
	seen := map[string]int{}
	keys := make([]rowKey, len(items))
	for i, item := range items {
		id := of(item).id
		keys[i] = rowKey{id, seen[id]}
		seen[id]++
	}
	return table[T]{rows.Flat{}, items, of, keys, p.inks, p.Env.Times}
}

func (l *table[T]) raw(i int) (string, jsontext.Value) {
	item := l.of(l.items[i])
	return views.NameOf(item.name, item.id), item.raw
}

func (l *table[T]) Len() int           { return len(l.items) }
func (l *table[T]) Key(i int) rowKey   { return l.keys[i] }
func (l *table[T]) Version(int) uint64 { return l.times.Version(false) }

// offers are the updates that a site offers, as rows.
type offers struct {
	table[upgrade.Entry]
	chained     bool
	byID        map[string]int // the first entry with an id
	offer       operation.Offer
	recommended string // its id; empty after a failed run
	why         string // it is recommended
	readOnly    bool   // the site may take no upgrade now
	failed      bool   // the last run
	run         progress.Run
}

func newOffers(p *picker) *offers {
	offer := p.lists.offer
	entries := slices.Clone(offer.Chain.Entries)
	if p.newestFirst {
		slices.SortStableFunc(entries, func(a, b upgrade.Entry) int { return cmp.Compare(b.Released, a.Released) })
	}
	o := &offers{
		table: newTable(p, entries, func(e upgrade.Entry) listed { return listed{e.ID, e.Name, e.Raw} }),
		offer: offer, chained: !p.newestFirst, byID: map[string]int{}, readOnly: p.Env.State.Mode.Value.ReadOnly,
	}
	o.recommended, o.why = offer.Recommend()
	o.run, o.failed = offer.Failed()
	for i, e := range entries {
		if _, known := o.byID[e.ID]; !known {
			o.byID[e.ID] = i
		}
	}
	return o
}

func (o *offers) Matches(i int, has func(string) bool) bool {
	e := &o.items[i]
	kind := kindOf(e.Update.Type, upgrade.IsRelease(e.Update))
	return slices.ContainsFunc([]string{e.Name, e.ID, e.FullVersion(), kind, e.State.String(), e.Description}, has)
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
	versionWidth = 12 // "11.5.0.6835"
	indentWidth  = 6  // in a roomy list, before the version
	dateWidth    = 12
	countWidth   = 7 // "Changes"
	roomyList    = 90
	maxIndent    = 5
)

// Heading names the columns of the offers in a list that is width cells wide.
func (o *offers) Heading(width int) string {
	indent := 0
	if width >= roomyList && o.chained {
		indent = indentWidth
	}
	return strings.Repeat(" ", 2) + o.inks.Muted.On(o.inks.Fit("Version", versionWidth+indent)+o.inks.Fit("Released", dateWidth)+o.inks.Fit("Changes", countWidth+2)+"Update")
}

// Draw draws a row; in a roomy list indented below the update that it builds on.
func (o *offers) Draw(i int, look rows.Look) string {
	e, k := &o.items[i], o.inks
	name := views.NameOf(e.FullVersion(), e.ID)
	version := k.Fit(name, versionWidth)
	if o.chained && look.Width+2 >= roomyList {
		indent := ""
		if e.Depth > 0 {
			indent = strings.Repeat(" ", min(e.Depth, maxIndent)-1) + k.Glyphs.Branch + " "
		}
		version = k.Rule.On(indent) + k.Fit(name, versionWidth+indentWidth-len([]rune(indent)))
	}
	released := o.times.Day(e.Released.Time(), time.DateOnly)
	line := version + k.Muted.On(k.Fit(released, dateWidth)) + k.Fit(fmt.Sprintf("%*d", countWidth, o.changes(e).All), countWidth) + "  "
	room := look.Width - ansi.StringWidth(line)
	if room < 6 {
		return line
	}
	return line + k.Fit(o.label(e), room)
}

// changes counts the containers that an update changes, with the updates that it includes.
func (o *offers) changes(e *upgrade.Entry) upgrade.ContainerCount {
	return o.offer.Chain.Containers(*e, o.offer.Installed)
}

// label says why an update is recommended or cannot be installed now, before its name.
func (o *offers) label(e *upgrade.Entry) string {
	k, name := o.inks, views.NameOf(e.Name, e.ID)
	status, dot := stateStatus[e.State], k.Muted.On(" "+k.Glyphs.Dot+" ")
	only, blocked := o.offer.Blocked(*e)
	switch {
	case blocked:
		return k.Signed(rows.StatusFailed, "blocked: only "+only) + dot + name
	case o.hasFailed(e):
		return k.Signed(rows.StatusWarning, "failed"+o.whenFailed()) + dot + name
	case e.State == upgrade.Applicable && e.ID == o.recommended && !o.readOnly:
		return k.OK.On("recommended") + dot + name
	case e.State == upgrade.Applicable:
		return name
	case e.State == upgrade.InPlace:
		return k.Signed(status, "installed") + dot + name
	case e.State == upgrade.RequiredFirst:
		if first, ok := o.offer.Chain.FirstOf(*e); ok {
			return k.Signed(status, "requires "+shortVersion(first.Update)) + dot + name
		}
	}
	return k.Signed(status, e.Reason) + dot + name
}

// hasFailed reports whether the last run was to an update, and has failed.
func (o *offers) hasFailed(e *upgrade.Entry) bool {
	return o.failed && e.State == upgrade.Applicable && o.run.To != "" && o.run.To == e.FullVersion()
}

// whenFailed says when the failure of the last run was seen; else only its last message is known.
func (o *offers) whenFailed() string {
	if o.offer.FailedBy > o.run.Last {
		return ", seen " + o.times.Site().Short(o.offer.FailedBy.Time())
	}
	return " after " + o.times.Site().Short(o.run.Last.Time())
}

// shortVersion returns the build of a patch, and the version of a release.
func shortVersion(u adminapi.Update) string {
	if build := plain.Line(u.Build); build != "" && !upgrade.IsRelease(u) {
		return build
	}
	return views.NameOf(u.FullVersion(), u.ID)
}

var stateStatus = map[upgrade.State]rows.Status{
	upgrade.Applicable: rows.StatusPassed, upgrade.RequiredFirst: rows.StatusWarning, upgrade.Broken: rows.StatusFailed,
	upgrade.NotApplicable: rows.StatusSkipped, upgrade.InPlace: rows.StatusSkipped,
}

// detail begins with what is decided by: below a list there is room for no more.
func (o *offers) detail(i int, p *page) {
	e := &o.items[i]
	p.Text(p.Inks.Strong, views.NameOf(e.Name, e.ID))
	only, blocked := o.offer.Blocked(*e)
	switch {
	case blocked:
		p.Status(rows.StatusFailed, "Blocked: only "+only+" can follow. Find out why it failed: 4, then W.")
	case o.hasFailed(e):
		p.Status(rows.StatusWarning, "Failed"+o.whenFailed()+". Find out why first: 4, then W.")
	case o.readOnly && !o.failed:
		p.Status(rows.StatusWarning, "Read-only mode is on: the site may refuse a start.")
	case o.failed && e.State == upgrade.Applicable:
		p.Status(rows.StatusWarning, "The last upgrade failed. Find out why first: 4, then W.")
	case e.State == upgrade.Applicable && e.ID == o.recommended:
		p.Status(stateStatus[e.State], "Recommended. "+o.why)
	case e.State == upgrade.RequiredFirst:
		p.Status(stateStatus[e.State], e.Reason+views.Keys(" Press {key:upgrade.enter} to go to it."))
	default:
		p.Status(stateStatus[e.State], views.Sentence(e.State.String())+" "+e.Reason)
	}
	changes := o.changes(e)
	facts := []string{containersChange(changes, len(e.Brings)),
		yesNo(e.NeedsLicence(), "new licence", yesNo(e.NewLicensesRequired == nil, "licence not said", "no new licence")),
		yesNo(upgrade.IsRelease(e.Update), "cannot be rolled back", "rollback where offered")}
	p.Text(p.Inks.Muted, strings.Join(facts, " "+p.Inks.Glyphs.Dot+" "))
	if e.Description != "" {
		p.Text(rows.Ink{}, e.Description)
	}
	if e.Mandatory || e.Base != "" || len(e.Brings)+len(e.Requires)+len(e.Skips) > 0 {
		p.Gap()
	}
	p.Fact("Required", yesNo(e.Mandatory, "before a later release", ""))
	if e.Base != "" {
		p.Fact("Builds on", o.named(e.Base))
	}
	p.Facts("Requires", o.allNamed(e.Requires), "Includes", o.allNamed(e.Brings), "Skips", o.allNamed(e.Skips))
	p.update(&e.Update)
	p.containers(o.offer.Installed.Changes(e.Containers), true)
}

// containersChange says how many containers an update changes, and how many of them it names
// itself where it includes other updates.
func containersChange(n upgrade.ContainerCount, included int) string {
	text := plain.Plural(n.All, "container") + " change"
	if included > 0 && n.Own < n.All {
		text += " (" + strconv.Itoa(n.Own) + " named here)"
	}
	return text
}

// named returns the version of an update with its id.
func (o *offers) named(id string) string {
	if i, ok := o.byID[id]; ok && o.items[i].FullVersion() != "" {
		return plain.Line(o.items[i].FullVersion()) + " (" + plain.Line(id) + ")"
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
	rollbacks adminapi.Fact[[]upgrade.Rollback]
}

func (l *installedRows) Matches(i int, has func(string) bool) bool {
	u := &l.items[i]
	return slices.ContainsFunc([]string{u.Name, u.ID, u.FullVersion(), u.Description}, has)
}

func (l *installedRows) Draw(i int, look rows.Look) string {
	u, k := &l.items[i], l.inks
	line := k.Fit(views.NameOf(u.FullVersion(), u.ID), versionWidth) + k.Muted.On(k.Fit(l.times.Day(u.Released.Time(), time.DateOnly), dateWidth))
	return line + k.Fit(views.NameOf(u.Name, u.ID), max(0, look.Width-versionWidth-dateWidth))
}

// Heading names the columns.
func (l *installedRows) Heading(int) string {
	return "  " + l.inks.Muted.On(l.inks.Fit("Version", versionWidth)+l.inks.Fit("Released", dateWidth)+"Update")
}

// rollback says whether the site can be rolled back with an update.
func (l *installedRows) rollback(u *adminapi.Update) (rows.Status, string) {
	removed := slices.IndexFunc(l.rollbacks.Value, func(r upgrade.Rollback) bool {
		return r.Unsure == "" && slices.Contains(r.Removed(), plain.Line(u.FullVersion()))
	})
	switch back, listed := upgrade.RollbackOf(l.rollbacks.Value, u.ID); {
	case listed && back.Unsure != "":
		return rows.StatusWarning, "Rollback unclear. " + back.Unsure
	case listed:
		return rows.StatusPassed, "Rollback (b). " + back.Sentence()
	case l.rollbacks.Err != nil:
		return rows.StatusUnknown, "Rollback not known: " + l.rollbacks.Err.Error()
	case removed >= 0:
		return rows.StatusSkipped, "A rollback to " + l.rollbacks.Value[removed].To + " removes it."
	case upgrade.IsRelease(*u):
		return rows.StatusSkipped, "A release cannot be rolled back."
	}
	return rows.StatusSkipped, "The site does not offer to roll it back."
}

func (l *installedRows) detail(i int, p *page) {
	u := &l.items[i]
	p.Text(p.Inks.Strong, views.NameOf(u.Name, u.ID))
	p.Status(l.rollback(u))
	if u.Description != "" {
		p.Text(rows.Ink{}, u.Description)
	}
	p.update(u)
	p.containers(upgrade.Installed{}.Changes(u.Containers), false)
}

// historyRows are the upgrades of the past, as rows.
type historyRows struct{ table[adminapi.HistoryEntry] }

func (l *historyRows) Matches(i int, has func(string) bool) bool {
	h := &l.items[i]
	return slices.ContainsFunc([]string{h.Name, h.ID, h.Version, h.Type, h.User, h.Result, h.State}, has)
}

func (l *historyRows) Draw(i int, look rows.Look) string {
	h, k := &l.items[i], l.inks
	when := k.Fit(l.times.Site().Minute(h.Start.Time()), 17)
	line := when + " " + k.Muted.On(k.Fit(plain.Line(h.Type), 8)) + " " + k.Fit(plain.Line(endOf(firstOf(h.Result, h.State))), 11)
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

// endOf says how an upgrade ended, in the words of the other views.
func endOf(result string) string {
	if strings.EqualFold(result, "success") {
		return "succeeded"
	}
	return result
}

// Heading names the columns.
func (l *historyRows) Heading(int) string {
	return "  " + l.inks.Muted.On(l.inks.Fit("Started", 18)+l.inks.Fit("Kind", 9)+l.inks.Fit("Result", 12)+"Update")
}

func (l *historyRows) detail(i int, p *page) {
	h := &l.items[i]
	p.Text(p.Inks.Strong, views.NameOf(h.Name, firstOf(h.Version, h.ID)))
	p.Gap()
	p.Facts("What", h.Type, "Id", h.ID, "From", h.PreviousVersion, "To", h.Version,
		"Result", endOf(h.Result), "State", h.State, "By", h.User)
	p.moment("Started", h.Start)
	p.moment("Ended", h.End)
	if took, ok := adminapi.Span(h.Start, h.End); ok {
		p.Fact("Took", adminapi.FormatElapsed(took))
	}
	if len(h.Unknown) > 0 {
		p.Gap()
		p.Text(p.Inks.Muted, views.Keys("Press {key:upgrade.json} for everything the site reports."))
	}
}
