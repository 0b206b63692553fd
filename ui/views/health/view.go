package health

import (
	"cmp"

	"geodeck/ui/views"
)

// pane is a part of the view.
type pane int

const (
	listPane pane = iota
	treePane
	detailPane
)

// box is the room of a pane, in cells.
type box struct{ width, height int }

// layout is the sizes of the panes. A pane without a size is not shown.
type layout struct {
	panes   [3]box
	summary box  // below the list
	below   bool // the detail is below the tree, not beside it
}

const (
	roomyFrom   = 180 // names of reports fit
	wideFrom    = 156 // three panes side by side; names of tests fit
	mediumFrom  = 100 // list and tree
	minTree     = 71  // with its divider; names of tests fit, and how they ended
	tallFrom    = 40  // lines from which two columns show more than three
	detailFrom  = 24  // lines from which the detail fits below the tree
	splitFrom   = 16  // lines from which the only pane shares its column
	dividerSize = 3
)

// arrange divides the view's cells. Narrow terminals show only the pane in focus, and below the
// list what its cursor is on; below the tree as well, where it is shared.
func arrange(full, height int, focus pane, divided bool) layout {
	var l layout
	width := full - 2*views.Margin
	list := clamp(width-minTree, 35, 50)
	switch {
	case full < mediumFrom:
		l.panes[focus] = box{width, height}
		least := clamp(height*2/5, 7, 12)
		switch {
		case height < splitFrom || focus == detailPane || focus == treePane && !divided:
		case focus == listPane:
			l.panes[listPane], l.summary = split(width, height, least-1)
		default:
			l.below = true
			l.panes[treePane], l.panes[detailPane] = split(width, height, least)
		}
		return l
	case full >= roomyFrom:
		list = clamp(width*30/100, 40, 60)
	case full >= wideFrom:
		list = clamp(width*24/100, 40, 56)
	}
	l.panes[listPane] = box{list, height}
	if height >= detailFrom {
		l.panes[listPane], l.summary = split(list, height, clamp(height*2/5, 8, 28))
	}
	rest := width - list - dividerSize
	switch {
	case full >= wideFrom && height < tallFrom:
		detail := clamp(width*27/100, 40, 66)
		l.panes[treePane], l.panes[detailPane] = box{rest - detail - dividerSize, height}, box{detail, height}
	case height >= detailFrom:
		l.below = true
		l.panes[treePane], l.panes[detailPane] = split(rest, height, clamp(height*2/5, 10, 22))
	case focus == detailPane:
		l.panes[detailPane] = box{rest, height}
	default:
		l.panes[treePane] = box{rest, height}
	}
	return l
}

// split divides a column into two with a rule between them, of which the lower one has some
// lines.
func split(width, height, lower int) (above, below box) {
	return box{width, height - lower - 1}, box{width, lower}
}

func (l layout) shown(p pane) bool { return l.panes[p].width > 0 }

func clamp(n, low, high int) int { return max(low, min(n, high)) }

// The lines above the rows of each pane.
const (
	listHead    = 2
	treeHead    = 3
	detailHead  = 1
	compareHead = 6
)

// indent is the width of the cursor before the text of a row: headings above rows are
// aligned with that text.
const indent = "  "

// SetSize gives the view its cells.
func (m *Model) SetSize(width, height int) {
	m.child.SetSize(width, height)
	m.panes.child.SetSize(width, height)
	m.panes.place()
	m.cover.compare.SetSize(m.Inner(), m.Height)
	m.cover.json.SetSize(m.Inner(), m.Height)
}

// View draws exactly the size that SetSize gave.
func (m *Model) View() string {
	switch {
	case m.cover.json.Open:
		return m.inks.Abreast(m.Height, m.cover.json.Draw())
	case m.cover.compare.open:
		return m.inks.Abreast(m.Height, m.cover.compare.View())
	case m.panes.list.tooOld() && len(m.panes.list.files) == 0:
		return m.panes.list.tooOldView(m.Width, m.Height)
	case m.panes.list.rows.All() == 0:
		return m.inks.Abreast(m.Height, m.panes.list.emptyView(m.Inner(), m.Height))
	}
	return m.panes.columns()
}

// frame is what a drawing depends on besides the look: what it is of, its cells, and how times are
// written.
type frame[K comparable] struct {
	of            K
	width, height int
	stamp         views.Stamp
}

func frameOf[K comparable](c *child, of K) frame[K] {
	return frame[K]{of, c.Width, c.Height, c.Env.Times.Stamp()}
}

// Status returns what the frame shows for the view.
func (m *Model) Status() views.Status {
	status := views.Status{Updated: m.panes.list.Updated, Kept: m.panes.list.Kept, Unreachable: m.panes.list.Unreachable, Err: cmp.Or(m.panes.tree.err, m.panes.list.Err), Path: m.path()}
	switch {
	case m.run != nil:
		status.Busy = "health check running"
	case m.panes.list.Loading && !m.panes.list.quiet && m.panes.list.Unreachable == nil:
		status.Busy = "reading reports"
	case m.panes.tree.loading:
		status.Busy = "reading a report"
	}
	if m.run != nil && m.run.away != nil {
		status.Unreachable = m.run.away
	}
	if m.run != nil && m.run.read.After(status.Updated) {
		status.Updated = m.run.read
	}
	return status
}

func (m *Model) path() []string {
	var path []string
	switch r := m.panes.tree.report(); {
	case m.cover.compare.open:
		path = []string{"comparison"}
	case m.panes.focus != listPane && r != nil:
		path = []string{views.NameOf(r.Name, r.ID)}
		if test := m.panes.tree.test(); test != nil && m.panes.focus == detailPane {
			path = append(path, views.NameOf(test.Name, test.ID))
		}
	}
	if m.cover.json.Open {
		path = append(path, "JSON")
	}
	return path
}

// about says what is on the screen.
func (m *Model) about() string {
	switch {
	case m.cover.json.Open:
		return "What the site wrote, as JSON."
	case m.cover.compare.open:
		return "What changed between two reports: tests, times and messages."
	case m.panes.focus == treePane:
		return "The tests of a report. Those that did not pass say why."
	case m.panes.focus == detailPane:
		return "One test: what it found, and what to do."
	}
	return "Reports of health checks: run one, read it, compare two, export them."
}
