package health

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
	leastTree   = 71  // with its divider: names of tests are seen whole, and how they ended
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
	list := clamp(width-leastTree, 35, 50)
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
