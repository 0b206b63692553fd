package upgrade

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"geodeck/adminapi"
	"geodeck/adminapi/plain"
	"geodeck/adminapi/upgrade"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// installedRows are the updates that are installed, as rows.
type installedRows struct {
	items     []adminapi.Update
	keys      []rowKey
	inks      *rows.Inks
	times     *views.Times
	rollbacks rollbacks
}

func newInstalledRows(p *picker) *installedRows {
	items := p.lists.installed.items
	return &installedRows{
		items: items, keys: keysOf(items, func(u adminapi.Update) string { return u.ID }),
		inks: p.inks, times: p.Env.Times, rollbacks: p.lists.rollbacks,
	}
}

func (l *installedRows) Len() int           { return len(l.items) }
func (l *installedRows) Key(i int) rowKey   { return l.keys[i] }
func (l *installedRows) Depth(int) int      { return 0 }
func (l *installedRows) Version(int) uint64 { return uint64(l.times.Mode) }

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
	if look.Selected {
		version = k.Selected.On(version)
	}
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
type historyRows struct {
	items []adminapi.HistoryEntry
	keys  []rowKey
	inks  *rows.Inks
	times *views.Times
}

func newHistoryRows(p *picker) *historyRows {
	items := p.lists.history.items
	return &historyRows{
		items: items, keys: keysOf(items, func(h adminapi.HistoryEntry) string { return h.ID }),
		inks: p.inks, times: p.Env.Times,
	}
}

func (l *historyRows) Len() int         { return len(l.items) }
func (l *historyRows) Key(i int) rowKey { return l.keys[i] }
func (l *historyRows) Depth(int) int    { return 0 }

// Version follows the way times are written, and their ages.
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
	when := k.Fit(l.times.Minute(h.Start.Time()), 17)
	if look.Selected {
		when = k.Selected.On(when)
	}
	line := when + " " + k.Muted.On(k.Fit(plain.Line(h.Type), 8)) + " " + k.Fit(endOf(h), 11)
	return line + " " + k.Fit(views.NameOf(h.Name, firstOf(h.Version, h.ID)), max(0, look.Width-39))
}

// endOf says in the site's words how it ended.
func endOf(h *adminapi.HistoryEntry) string { return plain.Line(firstOf(h.Result, h.State)) }

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
