package services

const (
	twoFrom     = 110 // cells from which list and detail stand side by side
	mostList    = 104 // cells beyond which a list gains nothing
	dividerSize = 3
	margin      = 1 // cell at each side of the view, as around the rest of the frame
	listHead    = 2 // the heading of the list and a blank line
	openHead    = 2 // the sections of a service, a blank line
	wayHead     = 2 // what is on its way out, and a blank line
)

// box is the room of a pane, in cells.
type box struct{ width, height int }

// inner is the width between the margins.
func (m *Model) inner() int { return max(1, m.width-2*margin) }

// banner is how many lines are taken by why nothing can be changed.
func (m *Model) banner() int { return len(m.bannerLines()) }

// panes shares the list's screen out; in narrow terminals there is no detail.
func (m *Model) panes() (list, detail box) {
	whole := box{m.inner(), max(1, m.height-m.banner())}
	if m.width < twoFrom {
		return whole, box{}
	}
	list = box{min(max(68, whole.width*62/100), mostList), whole.height}
	return list, box{whole.width - list.width - dividerSize, whole.height}
}

// SetSize gives the view its cells.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.place()
}

// place hands the cells out again after the size or what is shown changed.
func (m *Model) place() {
	list, detail := m.panes()
	m.catalog.list.SetSize(list.width, max(0, list.height-listHead))
	m.detail.pager.SetSize(detail.width, max(0, detail.height-listHead))
	m.layDetail()
	if m.open != nil {
		m.open.setSize(m.inner(), max(0, m.height-m.banner()-openHead))
	}
	if m.way != nil {
		m.placeWay()
	}
}
