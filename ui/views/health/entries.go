package health

import (
	"path/filepath"
	"strings"

	"geodeck/adminapi"
	"geodeck/adminapi/health"
	"geodeck/adminapi/plain"
	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

// origin is where a report in the list comes from.
type origin int

const (
	fromRun  origin = iota // in progress at the site
	fromFile               // opened from a file
	fromSite
)

// entryKey identifies an entry of the list.
type entryKey struct {
	origin origin
	id     string // of the report, or the path of the file
}

// entry is one line of the list of reports.
type entry struct {
	key     entryKey
	summary adminapi.ReportSummary
}

// note returns a word for entries that are not usual reports.
func (e entry) note() string {
	switch {
	case e.key.origin == fromFile:
		return "file"
	case e.key.origin == fromSite && health.SystemMade(e.summary):
		return "system"
	}
	return ""
}

// summaryOf returns the part of a report that the list shows.
func summaryOf(r adminapi.Report) adminapi.ReportSummary {
	return adminapi.ReportSummary{
		ID: r.ID, Name: r.Name, Owner: r.Owner, CreatedBy: r.CreatedBy,
		Result: r.Result, State: r.State, StartTime: r.StartTime, EndTime: r.EndTime,
	}
}

// entries is the list of reports as rows.
type entries struct {
	rows.Flat
	items []entry
	*shared
	times *views.Times
}

// verdict is what is known of an entry: of a check whose answer was lost, nothing.
func (e *entries) verdict(item entry) health.Verdict {
	if item.key.origin == fromRun && e.run != nil {
		return e.run.verdict()
	}
	return health.JudgeWhole(item.summary.Result, item.summary.State)
}

// Len returns the number of entries.
func (e *entries) Len() int { return len(e.items) }

// Key returns the key of an entry.
func (e *entries) Key(i int) entryKey { return e.items[i].key }

// Matches reports whether a filter finds the entry by its name, id, creator, verdict or note.
func (e *entries) Matches(i int, has func(string) bool) bool {
	item := e.items[i]
	s := item.summary
	return has(s.Name) || has(s.ID) || has(s.CreatedBy) || has(e.verdict(item).String()) || has(item.note())
}

// Version changes with the format of times, and ages.
func (e *entries) Version(i int) uint64 { return e.times.Version(e.items[i].key.origin == fromRun) }

// The columns of the list, in cells.
const (
	wordWidth = 9 // glyph, blank, "unknown"
	noteWidth = 6
	// narrowList is the width below which the time of day is left out.
	narrowList = 38
	// roomyList is the width from which columns are farther apart.
	roomyList = 50
)

// Draw draws a row: verdict, start, name and note.
func (e *entries) Draw(i int, look rows.Look) string {
	item, k := e.items[i], &e.inks
	is := e.verdict(item)
	glyph, ink := k.verdict(is)
	verdict, room := glyph+" "+is.String(), look.Width-wordWidth-1
	if look.Width < roomyList { // the sign alone: names are cut otherwise
		verdict, room = glyph, look.Width-2
	}
	line := ink.On(k.Fit(verdict, look.Width-room-1)) + " "
	when, timeWidth := e.when(item, look.Width)
	gap := " "
	if look.Width >= roomyList {
		gap = "  "
	}
	line += k.Muted.On(k.Fit(when, timeWidth)) + gap
	room -= timeWidth + len(gap)
	note := item.note()
	if note != "" {
		note = " " + k.Muted.On(k.Fit(note, noteWidth))
		room -= 1 + noteWidth
	}
	name := entryName(item)
	if item.key.origin == fromRun && e.run != nil {
		name = views.Seconds(e.times.Now().Sub(e.run.started)) + "  " + name
	}
	return line + k.Fit(name, max(0, room)) + note
}

// when returns the start of a report, and the width of its column.
func (e *entries) when(item entry, width int) (string, int) {
	when := e.times.Site().Short(item.summary.StartTime.Time())
	switch {
	case e.times.Mode == views.RelativeTime:
		return when, len("999 days ago")
	case width >= narrowList && e.times.Mode == views.UTCTime:
		return when, len("11-19 14:05Z")
	case width >= narrowList:
		return when, len("11-19 14:05")
	}
	day, _, thisYear := strings.Cut(when, " ")
	if !thisYear {
		day = when[:min(len(when), len("2006"))]
	}
	return day, len("11-19")
}

func entryName(e entry) string {
	if e.key.origin == fromFile && e.summary.Name == "" {
		return plain.Line(filepath.Base(e.key.id))
	}
	return views.NameOf(e.summary.Name, e.summary.ID)
}
