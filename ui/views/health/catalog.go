package health

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// catalog is the list of reports and how it came to be.
type catalog struct {
	views.Fetch // of the list at the site

	list    *rows.List[entryKey]
	rows    *entries
	files   []entry // newest first
	site    []adminapi.ReportSummary
	coming  []adminapi.ReportSummary // pages of a reading that is not finished
	version string                   // of a site that is too old
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
	if c.Updated.IsZero() || page.Last() || len(c.site) < len(c.coming) {
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
