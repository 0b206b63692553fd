package activity

import (
	"strconv"

	"geodeck/ui/views"
	"geodeck/ui/widget/rows"
)

const (
	// wideFrom is the width from which the detail stands beside the list.
	wideFrom = 110
	// listHead are the lines above the rows: the names of the lists, and those of the columns.
	listHead   = 2
	detailHead = 2
	divider    = 3
)

// indent is the width of the cursor before the text of a row: headings above rows are aligned
// with that text.
const indent = "  "

// SetSize gives the view its cells.
func (m *Model) SetSize(width, height int) {
	m.child.SetSize(width, height)
	m.place()
}

// beside reports whether list and detail are both shown.
func (m *Model) beside() bool { return m.Width >= wideFrom }

// place gives list and detail their cells after the size or the focus changed.
func (m *Model) place() {
	width := m.Inner()
	list, detail := width, width
	if m.beside() {
		detail = max(46, width*2/5)
		list = width - detail - divider
	}
	m.jobs.Width, m.records.Width = list, list
	for _, one := range []*rows.List[string]{m.jobs.rows, m.records.rows} {
		one.SetSize(list, max(0, m.Height-listHead))
		one.SetFocused(!m.inDetail)
	}
	m.detail.SetSize(detail, m.Height)
	m.json.SetSize(width, m.Height)
	m.detail.pager.SetFocused(m.inDetail)
}

// View draws exactly the size that SetSize gave.
func (m *Model) View() string {
	list, detail := "", ""
	switch {
	case m.json.Open:
		list = m.json.Draw()
	case m.list().All() == 0:
		text := m.jobs.emptyText
		if m.onRecord {
			text = m.records.emptyText
		}
		list = m.inks.Headed(m.Inner(), m.Height, m.inks.Sentences(text(), m.Inner(), max(0, m.Height-listHead)), m.tabs(m.Inner()), "")
	case m.beside():
		list, detail = m.drawList(), m.detail.View()
	case m.inDetail:
		detail = m.detail.View()
	default:
		list = m.drawList()
	}
	return m.inks.Abreast(m.Height, list, detail)
}

// drawList draws the list that is shown, below the names of both.
func (m *Model) drawList() string {
	width, body, columns, what := m.jobs.Width, m.list().View(), m.jobs.heading, "job"
	if m.onRecord {
		columns, what = m.records.heading, "record"
	}
	if m.list().Len() == 0 {
		body = m.list().Unmatched("No "+what+" matches.", "", views.Keys("{key:activity.back} shows all again."))
	}
	return m.inks.Headed(width, m.Height, body, m.tabs(width), columns())
}

// tabs draws the names of both lists, with the position in the one that is shown.
func (m *Model) tabs(width int) string {
	jobs := "Jobs"
	if n := m.jobs.items.runs; n > 0 {
		jobs += " " + m.inks.Glyphs.Dot + " " + strconv.Itoa(n) + " running"
	}
	line := " " + m.inks.Tab(jobs, !m.onRecord, m.inks.TabOn) + " " + m.inks.Tab("Record of this machine", m.onRecord, m.inks.TabOn)
	note, order := m.list().Position(), jobOrders[m.jobs.order]
	if m.onRecord {
		order = recordOrders[m.records.order]
	}
	if note != "" && len(line)+len(order)+len(note) < width+20 {
		note = order + "  " + note
	}
	return m.inks.Fit(m.inks.Beside(line, note, width), width)
}

// Status returns what the frame shows for the view.
func (m *Model) Status() views.Status {
	f, status := &m.jobs.Fetch, views.Status{}
	if m.inDetail || m.json.Open {
		status.Path = append(status.Path, m.detail.title)
	}
	if m.json.Open {
		status.Path = append(status.Path, "JSON")
	}
	if m.onRecord {
		status.Updated = m.records.read
		return status
	}
	status.Updated, status.Unreachable, status.Err = f.Updated, f.Unreachable, f.Err
	if f.Loading && f.Unreachable == nil && f.Updated.IsZero() {
		status.Busy = "reading jobs"
	}
	return status
}

// about says what is on the screen.
func (m *Model) about() string {
	switch {
	case m.json.Open && m.onRecord:
		return "The lines of one record, as this machine wrote them."
	case m.json.Open:
		return "What the site wrote of a job, as JSON."
	case m.inDetail:
		return "One job or record whole: its fields, its lines, what it was about."
	case m.onRecord:
		return "What this machine has sent to change the site: who, when, the outcome."
	}
	return "The jobs and upgrades of the site: those that run first, then the newest."
}

const momentWidth = len("11-20 14:05Z")
