package upgrade

import (
	"time"

	"geodeck/adminapi"
	"geodeck/adminapi/operation"
	"geodeck/adminapi/upgrade"
	"geodeck/theme"
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// shelf is one of the lists of the picker.
type shelf int

// The shelves, in the order in which they are gone through.
const (
	offered shelf = iota
	installed
	history
	shelves
)

func (s shelf) String() string { return [...]string{"Offered", "Installed", "History"}[s] }

// picker is the step in which an update is chosen.
type picker struct {
	list   *rows.List[rowKey]
	rows   source
	shelf  shelf
	focus  pane
	order  order
	usable bool // only what can be installed is shown
	detail detail

	views.Fetch // of the offer
	offer       operation.Offer
	version     string // of a site that is too old
	installed   past[adminapi.Update]
	undoable    []adminapi.Update // patches that can be taken back
	undoErr     error
	history     past[adminapi.HistoryEntry]
}

// past is a list that is read when it is first looked at.
type past[T any] struct {
	items   []T
	reading time.Time // zero where it was not read
	asking  bool
	problem error
}

// source is what a shelf shows.
type source interface {
	rows.Source[rowKey]
	// detail tells all about a row.
	detail(i int, p *page)
}

// rowKey tells rows apart: ids may repeat in a broken manifest.
type rowKey struct {
	id  string
	nth int
}

func newPicker(t *theme.Theme) picker {
	return picker{list: rows.New[rowKey](t), detail: detail{pager: rows.NewPager(t.Glyphs.Ellipsis)}}
}

// keysOf numbers ids that repeat.
func keysOf[T any](items []T, id func(T) string) []rowKey {
	seen := map[string]int{}
	keys := make([]rowKey, len(items))
	for i, item := range items {
		keys[i] = rowKey{id(item), seen[id(item)]}
		seen[id(item)]++
	}
	return keys
}

// showShelf lays the chosen list out again.
func (m *Model) showShelf() {
	p := &m.picker
	switch p.shelf {
	case offered:
		p.rows = newOffers(m)
	case installed:
		p.rows = newInstalledRows(m)
	case history:
		p.rows = newHistoryRows(m)
	}
	p.list.Set(p.rows)
	m.applyFilters()
	p.detail.forget()
	m.showDetail()
}

// applyFilters shows only what can be installed, where that is asked for.
func (m *Model) applyFilters() {
	p := &m.picker
	offers, ok := p.rows.(*offers)
	if !ok || !p.usable {
		p.list.SetKeep(nil)
		return
	}
	p.list.SetKeep(func(i int) bool { return offers.entries[i].State == upgrade.Applicable })
}

// entry returns the offered update under the cursor.
func (m *Model) entry() (upgrade.Entry, bool) {
	i, ok := m.picker.list.Selected()
	offers, on := m.picker.rows.(*offers)
	if !ok || !on {
		return upgrade.Entry{}, false
	}
	return offers.entries[i], true
}

// past returns the installed update under the cursor.
func (m *Model) pastUpdate() (adminapi.Update, bool) {
	i, ok := m.picker.list.Selected()
	list, on := m.picker.rows.(*installedRows)
	if !ok || !on {
		return adminapi.Update{}, false
	}
	return list.items[i], true
}

// canUndo tells whether the site offers to take a patch back.
func (p *picker) canUndo(id string) bool {
	for _, u := range p.undoable {
		if u.ID == id && !upgrade.IsRelease(u) {
			return true
		}
	}
	return false
}
