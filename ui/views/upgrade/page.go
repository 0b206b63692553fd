package upgrade

import (
	"geodeck/ui/views"
	"geodeck/ui/views/rows"
)

// page collects lines of a text that is read.
type page struct {
	rows.Page
	signs *inks
	times *views.Times
}

func (m *Model) newPage(width int) *page {
	return &page{rows.Page{Inks: &m.inks.Inks, Width: max(1, width)}, &m.inks, m.env.Times}
}
