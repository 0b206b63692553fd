package upgrade

// pane is a part of the picker.
type pane int

const (
	listPane pane = iota
	detailPane
)

// box is the room of a pane, in cells.
type box struct{ width, height int }

const (
	twoFrom     = 100 // cells from which list and detail stand side by side
	dividerSize = 3
	margin      = 1 // cell at each side of the view, as around the rest of the frame
	pathLines   = 2 // the path and a blank line below it
	paneHead    = 2 // the heading of a pane and a blank line below it
)

// body is the room below the path.
func (m *Model) body() box {
	return box{max(1, m.width-2*margin), max(1, m.height-pathLines)}
}

// panes shares the body out. In narrow terminals there is one pane at a time,
// the one in focus.
func (m *Model) panes() (list, detail box) {
	whole := m.body()
	if m.width < twoFrom {
		if m.picker.focus == detailPane {
			return box{}, whole
		}
		return whole, box{}
	}
	list = box{max(60, whole.width*48/100), whole.height}
	return list, box{whole.width - list.width - dividerSize, whole.height}
}

// SetSize gives the view its cells.
func (m *Model) SetSize(width, height int) {
	m.width, m.height = width, height
	m.place()
}

// place hands the cells out again after the size, the step or the focus changed.
func (m *Model) place() {
	list, detail := m.panes()
	m.picker.list.SetSize(list.width, max(0, list.height-paneHead))
	m.picker.list.SetFocused(m.picker.focus == listPane)
	m.picker.detail.width = detail.width
	m.picker.detail.pager.SetSize(detail.width, max(0, detail.height-paneHead))
	m.placeFlow()
	if m.raw != nil {
		m.raw.json.SetSize(m.body().width, max(0, m.height-paneHead))
	}
}

// placeFlow hands out the cells of the step that is shown.
func (m *Model) placeFlow() {
	f := m.flow
	if f == nil {
		return
	}
	f.flight.list.SetSize(m.body().width, m.checksHeight())
	f.flight.list.SetFocused(true)
	if f.form != nil && f.form.dialog != nil {
		f.form.dialog.SetSize(m.formSize())
	}
	if f.review != nil {
		m.layReview()
	}
}
