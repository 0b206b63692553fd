package jsonedit

import (
	"slices"

	"geodeck/adminapi/document"
)

// gone are the rows of values that the document has no more: each stands where it stood in
// the base, until the edit is sent.
type gone struct {
	rows   []int                 // ascending
	bytes  []int                 // by row: where the value before it begins or ends
	byPath map[document.Path]int // the rows
}

// lost is a value of the base that has no place in the document.
type lost struct {
	line  int // of the document that it stands behind
	depth int
	node  document.Node
}

// find returns which of the rows of deleted values a row is, and false for any other.
func (g *gone) find(row int) (nth int, ok bool) {
	return slices.BinarySearch(g.rows, row)
}

// deleted reports whether a row shows a value that was deleted.
func (l *lines) deleted(row int) bool { return l.all[row].Node.Document() != l.doc }

// insertGone puts the deleted values among the lines. A long document with none of them
// costs nothing.
func (l *lines) insertGone(base *document.Document, changes []document.Change) {
	all := l.findLost(base, changes)
	if len(all) == 0 {
		return
	}
	slices.SortStableFunc(all, func(a, b lost) int { return a.line - b.line })
	merged, moved := make([]document.Line, 0, len(l.all)+len(all)), make([]int, len(l.all))
	g := gone{byPath: make(map[document.Path]int, len(all))}
	for i, line := range l.all {
		moved[i] = len(merged)
		merged = append(merged, line)
		for ; len(all) > 0 && all[0].line == i; all = all[1:] {
			row := len(merged)
			g.rows, g.bytes = append(g.rows, row), append(g.bytes, l.byteOf(i))
			g.byPath[all[0].node.Path()] = row
			merged = append(merged, document.Line{Node: all[0].node, Depth: all[0].depth, Pair: row})
		}
	}
	for _, at := range moved {
		merged[at].Pair = moved[merged[at].Pair]
	}
	l.all, l.gone = merged, g
}

// findLost finds where deleted values stood: behind the sibling before them, or at the
// beginning of what held them.
func (l *lines) findLost(base *document.Document, changes []document.Change) (all []lost) {
	siblings := map[document.Node][]document.Node{}
	behind := map[document.Node]int{}
	for _, c := range changes {
		if c.Kind != document.Removed {
			continue
		}
		n, ok := base.Find(c.Path)
		if !ok || !n.Parent().Valid() {
			continue
		}
		parent := n.Parent()
		holder, ok := l.doc.Counterpart(parent)
		if !ok {
			continue
		}
		if siblings[parent] == nil {
			for child := range parent.Children() {
				siblings[parent] = append(siblings[parent], child)
			}
		}
		top := l.of(holder)
		line := top
		for i := n.Index() - 1; i >= 0; i-- {
			before := siblings[parent][i]
			if at, ok := behind[before]; ok {
				line = at
				break
			}
			if now, ok := l.doc.Counterpart(before); ok && now.Parent() == holder {
				line = l.all[l.of(now)].Pair
				break
			}
		}
		behind[n] = line
		all = append(all, lost{line, l.all[top].Depth + 1, n})
	}
	return all
}
