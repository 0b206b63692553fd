package health

import (
	"slices"
	"strings"

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

// layout says which panes are on the screen and how large they are. A pane
// without room is not shown.
type layout struct {
	panes [3]box
	below bool // the detail stands below the tree, not beside it
}

const (
	roomyFrom   = 180 // names of reports are seen whole
	wideFrom    = 156 // three panes side by side, with whole names of tests in the tree
	mediumFrom  = 100 // list and tree
	minTree     = 71  // with its divider: names of tests are seen whole, and how they ended
	detailFrom  = 26  // lines from which the detail finds room below the tree
	dividerSize = 3
	margin      = 1 // cell at each side of the view, as around the rest of the frame
)

// arrange shares out the view's cells. In narrow terminals there is one pane at
// a time, the one in focus.
func arrange(width, height int, focus pane) layout {
	var l layout
	full := width
	width = max(1, width-2*margin)
	switch {
	case full >= roomyFrom:
		l.arrangeThree(width, height, clamp(width*30/100, 40, 60), clamp(width*24/100, 40, 66))
	case full >= wideFrom:
		l.arrangeThree(width, height, clamp(width*24/100, 40, 56), clamp(width*27/100, 40, 66))
	case full >= mediumFrom:
		l.arrangeTwo(width, height, focus)
	default:
		l.panes[focus] = box{width, height}
	}
	return l
}

func (l *layout) arrangeThree(width, height, list, detail int) {
	l.panes[listPane] = box{list, height}
	l.panes[treePane] = box{width - list - detail - 2*dividerSize, height}
	l.panes[detailPane] = box{detail, height}
}

func (l *layout) arrangeTwo(width, height int, focus pane) {
	list := clamp(width-minTree, 35, 50)
	l.panes[listPane] = box{list, height}
	rest := width - list - dividerSize
	switch {
	case height >= detailFrom:
		detail := clamp(height*2/5, 10, 18)
		l.below = true
		l.panes[treePane] = box{rest, height - detail - 1}
		l.panes[detailPane] = box{rest, detail}
	case focus == detailPane:
		l.panes[detailPane] = box{rest, height}
	default:
		l.panes[treePane] = box{rest, height}
	}
}

func (l layout) shown(p pane) bool { return l.panes[p].width > 0 }

func clamp(n, low, high int) int { return max(low, min(n, high)) }

// The lines above the rows of each pane.
const (
	listHead    = 2
	treeHead    = 3
	detailHead  = 1
	compareHead = 6
	jsonHead    = 2
)

// indent is what the cursor takes before the text of a row: headings above rows stand in
// line with that.
const indent = "  "

// SetSize gives the view its cells.
func (m *Model) SetSize(width, height int) {
	m.child.SetSize(width, height)
	m.place()
}

// place hands the cells out again after the size or the focus changed.
func (m *Model) place() {
	m.layout = arrange(m.Width, m.Height, m.focus)
	list, tree, detail := m.layout.panes[listPane], m.layout.panes[treePane], m.layout.panes[detailPane]
	m.list.SetSize(list.width, list.height)
	m.tree.SetSize(tree.width, tree.height)
	m.detail.SetSize(detail.width, detail.height)
	m.list.SetFocused(m.focus == listPane)
	m.tree.SetFocused(m.focus == treePane)
	m.detail.focused = m.focus == detailPane
	m.tree.alone = !m.layout.shown(listPane)
	m.compare.SetSize(m.inner(), m.Height)
	m.json.SetSize(m.inner(), m.Height)
}

// inner is the width between the margins.
func (m *Model) inner() int { return max(1, m.Width-2*margin) }

// View draws exactly the size that SetSize gave.
func (m *Model) View() string {
	if m.Width <= 0 || m.Height <= 0 {
		return ""
	}
	switch tooOld := m.list.tooOldLines(); {
	case m.json.open:
		return m.beside(m.json.View())
	case m.compare.open:
		return m.beside(m.compare.View())
	case tooOld != nil:
		return m.block(tooOld)
	case m.list.rows.All() == 0:
		return m.beside(m.list.emptyView(m.inner(), m.Height))
	}
	var list, tree, detail string
	if m.layout.shown(listPane) {
		list = m.list.View()
	}
	if m.layout.shown(treePane) {
		tree = m.tree.View()
	}
	if m.layout.shown(detailPane) {
		detail = m.detail.View()
	}
	if m.layout.below {
		rule := m.inks.Rule.On(strings.Repeat(m.inks.Glyphs.Rule, m.layout.panes[treePane].width))
		return m.beside(list, tree+"\n"+rule+"\n"+detail)
	}
	return m.beside(list, tree, detail)
}

// block draws lines of text with air around them.
func (m *Model) block(lines []string) string {
	padded := make([]string, 0, len(lines)+1)
	if m.Height > len(lines)+2 {
		padded = append(padded, "")
	}
	for _, line := range lines {
		padded = append(padded, " "+indent+line)
	}
	return views.Block(padded, m.Width, m.Height, m.inks.Glyphs.Ellipsis)
}

// beside draws columns with dividers between them and a margin around; an empty column
// is left out.
func (m *Model) beside(columns ...string) string {
	columns = slices.DeleteFunc(columns, func(column string) bool { return column == "" })
	divider := m.inks.Divider()
	var b strings.Builder
	for y := range m.Height {
		if y > 0 {
			b.WriteByte('\n')
		}
		before := " "
		for i, column := range columns {
			line, rest, _ := strings.Cut(column, "\n")
			columns[i] = rest
			b.WriteString(before + line)
			before = divider
		}
		b.WriteByte(' ')
	}
	return b.String()
}

// pane returns a heading of some lines and a body below it, in the cells of a child.
func (c *child) pane(head []string, headLines int, body string) string {
	lines := make([]string, 0, headLines+1)
	for i := range min(headLines, c.Height) {
		line := ""
		if i < len(head) {
			line = head[i]
		}
		lines = append(lines, c.inks.Fit(line, c.Width))
	}
	if c.Height > headLines {
		lines = append(lines, body)
	}
	return strings.Join(lines, "\n")
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return line + "\n"
}
