package health

import (
	"slices"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// catalog is the list of reports and how it came to be.
type catalog struct {
	list    *rows.List[entryKey]
	rows    *entries
	files   []entry // newest first
	site    []adminapi.ReportSummary
	coming  []adminapi.ReportSummary // pages of a reading that is not finished
	reading time.Time                // of site; zero where there was none
	asking  bool
	away    *views.Away
	pause   time.Duration // before the next attempt while away
	problem error         // why there is no list
	version string        // of a site that is too old
}

// showEntries lays the list out again: the run, files, and what the site has.
func (m *Model) showEntries() {
	c := &m.catalog
	var items []entry
	if m.run != nil {
		items = append(items, m.run.entry())
	}
	items = append(items, c.files...)
	for _, s := range c.site {
		items = append(items, entry{entryKey{fromSite, s.ID}, s})
	}
	c.rows = &entries{items: items, inks: &m.inks, times: m.env.Times, marked: m.mark}
	c.list.Set(c.rows)
}

// selected returns the entry under the cursor.
func (m *Model) selected() (entry, bool) {
	i, ok := m.catalog.list.Selected()
	if !ok {
		return entry{}, false
	}
	return m.catalog.rows.items[i], true
}

// addPage takes one page. The first reading shows each at once; later ones
// replace the list when they are complete.
func (c *catalog) addPage(page adminapi.ReportPage) {
	known := map[string]bool{}
	for _, s := range c.coming {
		known[s.ID] = true
	}
	for _, s := range page.Runs {
		if !known[s.ID] {
			c.coming = append(c.coming, s)
			known[s.ID] = true
		}
	}
	if c.reading.IsZero() || page.Last() || len(c.site) < len(c.coming) {
		c.site = slices.Clone(c.coming)
		operation.NewestFirst(c.site)
	}
}

// addSite puts a report that was just made at the top of the list.
func (c *catalog) addSite(s adminapi.ReportSummary) {
	c.dropSite(s.ID)
	c.site = append(c.site, s)
	operation.NewestFirst(c.site)
}

func (c *catalog) dropSite(id string) {
	c.site = slices.DeleteFunc(c.site, func(s adminapi.ReportSummary) bool { return s.ID == id })
}

// addFile puts an opened file at the top of the files.
func (c *catalog) addFile(e entry) {
	c.dropFile(e.key)
	c.files = slices.Insert(c.files, 0, e)
}

func (c *catalog) dropFile(key entryKey) {
	c.files = slices.DeleteFunc(c.files, func(e entry) bool { return e.key == key })
}

// How long is waited between attempts while the site does not answer.
const (
	firstPause = 2 * time.Second
	mostPause  = 30 * time.Second
)

// setAway notes a failed attempt and returns how long to wait before the next.
func (c *catalog) setAway(now time.Time, err error) time.Duration {
	c.pause = clampPause(2 * c.pause)
	c.away = views.StillAway(c.away, now, c.pause, err)
	return c.pause
}

func clampPause(d time.Duration) time.Duration { return max(firstPause, min(d, mostPause)) }

func (c *catalog) setBack() { c.away, c.pause, c.problem, c.version = nil, 0, nil, "" }

// follow reads what the cursor came to rest on; moved tells nothing new if the
// cursor stays on what is shown.
func (m *Model) follow() tea.Cmd {
	switch {
	case m.raw != nil || m.compare != nil:
		return nil
	case m.focus == listPane:
		return m.followList()
	}
	return m.followTree()
}
